"""Runs a model without annotations by a strategy and holds its collectives
against a list.

usage: check_collectives.py MODEL_DIR STRATEGY MESH BYTES KINDS [partopt options...]

BYTES is what one device sends per step. KINDS names every collective, as in
"all_to_all{expert}=7 all_reduce{data,expert}=3". It fails unless these are all,
the transport counted these bytes, and the results equal the folder's expected
ones, the unpartitioned program's, and after five steps those of one device.
"""
import collections
import json
import subprocess
import sys
import tempfile


def run(*command):
    status = subprocess.run(["partopt", "run", *command]).returncode
    if status != 0:
        sys.exit(f"partopt run {' '.join(command)}: exit {status}")


def main():
    folder, strategy, mesh, sent, kinds, *rest = sys.argv[1:]
    inputs = ["--inputs", f"{folder}/inputs.safetensors"]
    model = [f"{folder}/model.mlir", *inputs]
    layout = ["--strategy", strategy, "--mesh", mesh, *rest]
    near = ["--rtol", "1e-4", "--atol", "1e-5"]
    with tempfile.TemporaryDirectory() as work:
        run(*model, *layout, "--check", "--expect", f"{folder}/expected.safetensors", *near,
            "--report-json", f"{work}/run.json")
        run(*model, "--steps", "5", "--outputs", f"{work}/five.safetensors")
        run(*model, *layout, "--steps", "5", "--expect", f"{work}/five.safetensors", *near)
        with open(f"{work}/run.json") as file:
            report = json.load(file)
    found = collections.Counter()
    for one in report["collectives"]:
        found[f"{one['kind']}{{{','.join(one['axes'])}}}"] += 1
    text = " ".join(f"{kind}={count}" for kind, count in sorted(found.items()))
    measured = max(report["measured"]["wire_bytes_sent"])
    print(f"{strategy} {mesh}: {measured} bytes: {text}")
    for note in report["notes"] + report["warnings"]:
        print(f"{note['loc']}: {note['message']}")
    if measured != int(sent):
        sys.exit(f"{measured} bytes sent, not {sent}")
    if sorted(text.split()) != sorted(kinds.split()):
        sys.exit(f"collectives are '{text}', not '{kinds}'")


if __name__ == "__main__":
    main()
