"""Runs one form of a model whose arrays are too large to store: inputs are made
from the recipes in its args.json, results are held against the digests there.

usage: check_digests.py MODEL_FILE MODEL_DIR [--xla-wire N] [--xla-args MB]
         [--ddp] [partopt options...]

It fails unless
  - for every result, its samples, its l2 norm and its sum are those of the
    digest (rtol and atol of args.json; a norm or sum of n elements within what n
    elements at that tolerance allow, errors taken as independent),
  - the run's own --check with the unpartitioned program passes,
  - what check_model.py asks of bytes and warnings holds.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy
from safetensors.numpy import load_file

import check_model


def compare(result, array, rtol, atol):
    """Where `array` is not what the digest of `result` says."""
    digest, flat = result["digest"], array.reshape(-1).astype(numpy.float64)
    if list(array.shape) != result["shape"]:
        return [f"{result['name']}: shape {array.shape} instead of {result['shape']}"]
    faults = []
    got, want = flat[digest["at"]], numpy.array(digest["values"], numpy.float64)
    bad = numpy.abs(got - want) > atol + rtol * numpy.abs(want)
    for at, g, w in zip(numpy.array(digest["at"])[bad], got[bad], want[bad]):
        faults.append(f"{result['name']}[{at}] is {g} instead of {w}")
    norm = float(numpy.linalg.norm(flat))
    slack = rtol * norm + atol * flat.size ** 0.5
    for name, value in (("l2", norm), ("sum", float(flat.sum()))):
        if abs(value - digest[name]) > slack:
            faults.append(f"{name} of {result['name']} is {value} instead of {digest[name]}")
    return faults


def main():
    options, rest = check_model.parse_arguments()
    recipes = os.path.join(options.folder, "args.json")
    with open(recipes) as text:
        model = json.load(text)
    with tempfile.TemporaryDirectory() as work:
        inputs, outputs, report = (os.path.join(work, name) for name in
                                   ("inputs.safetensors", "outputs.safetensors", "report.json"))
        subprocess.run([sys.executable, os.path.join(options.folder, "..", "gen_arrays.py"),
                        recipes, inputs], check=True)
        subprocess.run(["partopt", "run", options.file, "--inputs", inputs, "--outputs", outputs,
                        "--check", "--report-json", report, *rest], check=True)
        with open(report) as text:
            faults = check_model.check(json.load(text), options)
        arrays = load_file(outputs)
    assert len(arrays) == len(model["results"])
    for result in model["results"]:
        name = result["name"] if result["name"] in arrays else f"out{result['index']}"
        faults += compare(result, arrays[name], model["rtol"], model["atol"])
    samples = sum(len(result["digest"]["at"]) for result in model["results"])
    print(f"{len(arrays)} results, {samples} samples, {len(faults)} faults")
    sys.exit("\n".join(faults[:20]) if faults else 0)


main()
