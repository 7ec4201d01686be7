"""Runs a model without annotations by a strategy, and holds the bytes that are sent
against the same model annotated by hand.

usage: check_tensor.py MODEL_DIR STRATEGY MESH ANNOTATED_FORM [partopt options...]

It fails unless the results equal the expected ones and the unpartitioned
program's, and at most the annotated form's bytes, plus 1 KiB, are sent.
"""
import json
import os
import subprocess
import sys
import tempfile


def report(command, path):
    status = subprocess.run([*command, "--report-json", path]).returncode
    if status != 0:
        sys.exit(f"{' '.join(command)}: exit {status}")
    with open(path) as file:
        return json.load(file)


def main():
    folder, strategy, mesh, form, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        run = report(["partopt", "run", f"{folder}/model.mlir", "--strategy", strategy, "--mesh",
                      mesh, "--inputs", f"{folder}/inputs.safetensors", "--expect",
                      f"{folder}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5",
                      "--check", *rest], f"{work}/run.json")
        annotated = report(["partopt", "compile", f"{folder}/model_sharded_{form}.mlir", "-o",
                            f"{work}/plan"], f"{work}/annotated.json")
    sent = max(run["measured"]["wire_bytes_sent"])
    most = sum(total["wire_bytes"] for total in annotated["totals"].values())
    print(f"{strategy} {mesh}: sent {sent}, annotated {form} sends {most:.0f}, collectives "
          f"{ {kind: total['count'] for kind, total in run['totals'].items()} }")
    if sent > most + 1024:
        sys.exit(f"{sent} bytes sent, the annotated form sends {most:.0f}")
    for warning in run["warnings"]:
        if warning["code"] == "uneven_batch":
            continue
        sys.exit(f"{warning['loc']}: {warning['message']}")


if __name__ == "__main__":
    main()
