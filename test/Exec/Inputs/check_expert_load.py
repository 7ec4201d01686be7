"""Runs a mixture of experts' step with --expert-load and holds the tokens of each
expert against the router's choices, computed here from the same arrays.

usage: check_expert_load.py MODEL_DIR [partopt options...]

For a model of one layer whose arguments are named params[0]['gate'] and x; run by a
Python that has NumPy and safetensors.
"""
import json
import subprocess
import sys
import tempfile

import numpy
from safetensors.numpy import load_file


def main():
    folder, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        command = ["partopt", "run", f"{folder}/model.mlir", "--inputs",
                   f"{folder}/inputs.safetensors", "--expect", f"{folder}/expected.safetensors",
                   "--rtol", "1e-4", "--atol", "1e-5", "--check", "--expert-load",
                   "--report-json", f"{work}/run.json", *rest]
        if subprocess.run(command).returncode != 0:
            sys.exit(f"{' '.join(command)} failed")
        with open(f"{work}/run.json") as file:
            report = json.load(file)
    arrays = load_file(f"{folder}/inputs.safetensors")
    place = {a["name"]: f"arg{a['index']}" for a in report["arguments"]}
    x, gate = arrays[place["x"]], arrays[place["params[0]['gate']"]]
    scores = x.reshape(-1, x.shape[-1]).astype(numpy.float64) @ gate
    chosen = numpy.argsort(-scores, -1)[:, :2]
    tokens = numpy.bincount(chosen.reshape(-1), minlength=gate.shape[1]).tolist()
    wanted = {"layer": 0, "tokens": tokens, "max": max(tokens),
              "mean": sum(tokens) / len(tokens)}
    (found,) = report["measured"]["expert_load"]
    print(f"counted {found}, routed {wanted}")
    imbalance = found.pop("imbalance")
    if found != wanted or abs(imbalance - wanted["max"] / wanted["mean"]) > 1e-12:
        sys.exit("not the tokens that the router sent")


if __name__ == "__main__":
    main()
