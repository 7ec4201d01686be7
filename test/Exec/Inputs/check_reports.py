"""Runs small programs that were reported against other systems and compares them
with their right results: check_reports.py REPORTS_DIR NAME...

Each folder holds model_sharded.mlir, inputs, expected results and, in args.json,
the tolerance (0: bit for bit).
"""
import json
import os
import subprocess
import sys


def main():
    folder, *names = sys.argv[1:]
    failures = 0
    for name in names:
        path = lambda file: os.path.join(folder, name, file)  # noqa: E731
        with open(path("args.json")) as file:
            about = json.load(file)
        command = ["partopt", "run", path("model_sharded.mlir"), "--inputs", path("inputs.safetensors"),
                   "--expect", path("expected.safetensors"), "--rtol", str(about["rtol"]),
                   "--atol", str(about["atol"])]
        result = subprocess.run(command, capture_output=True, text=True)
        print(f"{name}: exit {result.returncode}")
        if result.returncode:
            print(result.stdout + result.stderr)
            failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
