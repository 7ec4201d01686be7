"""The gradients' own peak, where all of them must be alive together.

usage: check_gradients.py MODEL DEVICES STRATEGY[@MICROBATCHES]=LOW..HIGH ...

LOW and HIGH are in units of 4P, the bytes of the parameters, over how many devices:
"1/8..1" is between an eighth and all. With microbatches, accumulators are full.
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
            what, bounds = case.split("=")
            strategy, _, microbatches = what.partition("@")
            split = ["--microbatches", microbatches, "--accumulate", "full"] if microbatches else []
            subprocess.run(["partopt", "explain", model, "--mesh", f"data={devices}", "--strategy",
                            strategy, "--section", "memory", "--report-json", path] + split,
                           check=True, stdout=subprocess.DEVNULL)
            with open(path) as file:
                report = json.load(file)
            unit = sum(a["bytes_global"] for a in report["arguments"] if a["role"] == "param")
            peak = report["memory"]["classes"]["gradients"]["peak"]
            low, high = (Fraction(bound) * unit for bound in bounds.split(".."))
            print(f"{what}: gradients {peak / unit:.4f} of the parameters' bytes")
            assert low <= peak <= high, f"not within {bounds}"


if __name__ == "__main__":
    main()
