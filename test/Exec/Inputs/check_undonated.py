"""Runs a step as exported with donated arguments and without, and compares.

usage: check_undonated.py MODEL INPUTS STRATEGY[@MESH[@MICROBATCHES]] ...
         [-- options of partopt...]

The step without donation is MODEL without its `tf.aliasing_output`. By each
strategy both must have the same roles, next values, layers and wrap units, the
same most bytes of gradients at any time, send the same bytes, and come to the
same results, bit by bit, in three steps that go on from each other. The one
without donation takes more memory by at most its parameters and its state.
"""
import json
import os
import re
import subprocess
import sys
import tempfile


def run(model, inputs, folder, options):
    report, outputs = os.path.join(folder, "report.json"), os.path.join(folder, "out")
    subprocess.run(["partopt", "run", model, "--inputs", inputs, "--steps", "3", "--report-json",
                    report, "--outputs", outputs, "--quiet", *options], check=True)
    with open(report) as file, open(outputs, "rb") as results:
        return json.load(file), results.read()


def compare(word, donated, plain):
    (with_donation, results), (without, other_results) = donated, plain
    for key in ("name", "role", "next_result", "layer", "wrap_unit", "sharding"):
        a, b = ([argument[key] for argument in one["arguments"]] for one in (with_donation, without))
        assert a == b, (word, key, [(i, *pair) for i, pair in enumerate(zip(a, b)) if pair[0] != pair[1]])
    found = {argument["next_result_reason"] for argument in without["arguments"]} - {""}
    assert found and "donated" not in found, found
    peaks = [one["memory"]["classes"]["gradients"]["peak"] for one in (with_donation, without)]
    assert peaks[0] == peaks[1], (word, "gradients", peaks)
    sent = [max(one["measured"]["wire_bytes_sent"]) for one in (with_donation, without)]
    assert sent[0] == sent[1], (word, "wire bytes", sent)
    assert results == other_results, (word, "results")
    memory = [max(one["memory"]["peak_bytes_per_device"]) for one in (with_donation, without)]
    state = sum(a["bytes_per_device"] + 64 for a in without["arguments"] if a["next_result"] is not None)
    print(f"{word}: found by {sorted(found)}, gradients {peaks}, wire {sent}, memory {memory}")
    assert memory[0] <= memory[1] <= memory[0] + state, (word, "memory", memory, state)


def main():
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    model, inputs, *words = sys.argv[1:cut]
    with open(model) as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, "model.mlir")
        with open(plain, "w") as file:
            file.write(re.sub(r"(, )?tf\.aliasing_output = \d+ : i32", "", text))
        for word in words:
            strategy, *layout = word.split("@")
            options = ["--strategy", strategy, *sys.argv[cut + 1:]]
            for name, value in zip(("--mesh", "--microbatches"), layout):
                options += [name, value]
            compare(word, *(run(one, inputs, folder, options) for one in (model, plain)))


if __name__ == "__main__":
    main()
