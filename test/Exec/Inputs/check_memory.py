"""Memory of parameters and optimizer state, counted in the allocator.

usage: check_memory.py MODEL DEVICES STRATEGY=BYTES_OF_PARAMETERS,BYTES_OF_STATE ...

With P parameters in fp32 and Adam, each number is in units of 4P, over how many
devices: "1,2/8" is whole parameters and an eighth of the moments. What the
executor holds for arguments, less the batch, must be within 2 % of it.
"""
import json
import os
import subprocess
import sys
import tempfile
from fractions import Fraction


def main():
    model, devices, *cases = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "report.json")
        for case in cases:
            strategy, formula = case.split("=")
            subprocess.run(["partopt", "run", model, "--mesh", f"data={devices}", "--strategy",
                            strategy, "--inputs", "random:1", "--report-json", path, "--quiet"],
                           check=True)
            with open(path) as file:
                report = json.load(file)
            held = {role: sum(a["bytes_per_device"] for a in report["arguments"]
                              if a["role"] == role) for role in ("param", "opt", "batch")}
            unit = sum(a["bytes_global"] for a in report["arguments"] if a["role"] == "param")
            counted = max(report["measured"]["resident_bytes"]) - held["batch"]
            wanted = sum(unit * Fraction(part) for part in formula.split(","))
            print(f"{strategy}: {counted} bytes counted, {float(wanted):.0f} by the formula; "
                  f"report: {held}, temporaries {report['memory']['temporaries']}")
            assert abs(counted - wanted) <= wanted / 50, "not what the formula says"
            assert max(report["measured"]["arena_bytes"]) >= report["memory"]["temporaries"]


if __name__ == "__main__":
    main()
