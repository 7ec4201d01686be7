"""What recomputation saves, with the same results.

usage: check_recompute.py MODEL_DIR [OPTION ...] -- MODE ...

Runs the model with --recompute none and then with each MODE: results must be the
expected ones, no more bytes go over the wire (whole layers and parameters that are
gathered again apart), and each mode must hold less in temporaries than the one before.
"""
import json
import os
import subprocess
import sys
import tempfile


def run(folder, options, report):
    subprocess.run(["partopt", "run", f"{folder}/model.mlir", "--inputs",
                    f"{folder}/inputs.safetensors", "--expect",
                    f"{folder}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5",
                    "--report-json", report, "--quiet", *options], check=True)
    with open(report) as file:
        report = json.load(file)
    return report["memory"]["temporaries"], max(report["measured"]["wire_bytes_sent"]), report


def main():
    folder, *rest = sys.argv[1:]
    cut = rest.index("--")
    options, modes = rest[:cut], rest[cut + 1:]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "report.json")
        held, sent, _ = run(folder, options, path)
        print(f"none: {held} bytes of temporaries, {sent} sent")
        for mode in modes:
            less, same, report = run(folder, options + ["--recompute", mode], path)
            print(f"{mode}: {less} bytes of temporaries, {same} sent")
            assert less < held, f"{mode} saves nothing"
            # A layer's reductions, and gathers of parameters, run again with it.
            again = mode == "layer" or "--reshard-after-forward" in options
            assert same <= sent or again, "more bytes are sent"
            assert any(note["code"] == "recompute" for note in report["notes"]), report["notes"]
            held = less


if __name__ == "__main__":
    main()
