"""Bytes on the wire of sharded data parallelism against the textbook's.

usage: check_wire.py MODEL_DIR STRATEGY AXES UNITS [OPTION ...]

AXES: the mesh, e.g. data=4. UNITS: of (N-1)/N times the parameters' bytes, which
every device may send per step; whatever is counted at the transport lies at most
1 KiB above, and sends at least two of them. Results must be the expected ones.
"""
import json
import math
import os
import subprocess
import sys
import tempfile


def main():
    folder, strategy, axes, units, options = *sys.argv[1:4], int(sys.argv[4]), sys.argv[5:]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "report.json")
        subprocess.run(
            ["partopt", "run", f"{folder}/model.mlir", "--strategy", strategy, "--mesh", axes,
             "--inputs", f"{folder}/inputs.safetensors", "--expect",
             f"{folder}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5",
             "--report-json", path, "--quiet", *options], check=True)
        with open(path) as file:
            report = json.load(file)
    n = math.prod(int(axis.split("=")[1]) for axis in axes.split(","))
    unit = sum(a["bytes_global"] for a in report["arguments"] if a["role"] == "param") * (n - 1) // n
    sent = max(report["measured"]["wire_bytes_sent"])
    print(f"{strategy} {axes} {' '.join(options)}: {sent} bytes, {sent / unit:.3f} units of {unit}; "
          f"textbook {units}")
    assert 2 * unit <= sent <= units * unit + 1024, "not the textbook's bytes"
    others = [w for w in report["warnings"] if w["code"] != "uneven_batch"]
    assert not others, others


if __name__ == "__main__":
    main()
