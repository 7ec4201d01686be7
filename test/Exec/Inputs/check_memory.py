"""Memory of parameters and optimizer state, counted in the allocator.

usage: check_memory.py MODEL DEVICES STRATEGY=PARAMETERS,STATE,GRADIENTS[+UNITS] ...

With P parameters in fp32 and Adam, each number is in units of 4P, over how many
devices: "1,2/8" is whole parameters and an eighth of the moments. What the
executor holds for arguments, less the batch, must be within 2 % of it, and its
gradients at most so many at any time, with "+2" besides what two of the largest
reductions move: of the unit under way, and of the one that is being computed. What the report says of each class of memory is
what the executor counts.
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
            parameters, state, gradients = formula.split(",")
            wanted = unit * (Fraction(parameters) + Fraction(state))
            shards, _, units = gradients.partition("+")
            most = unit * Fraction(shards) + int(units or 0) * max(
                [c["payload_bytes"] for c in report["collectives"]
                 if c["kind"] == "reduce_scatter"], default=0)
            classes = report["measured"]["memory"]["classes"]
            assert classes == report["memory"]["classes"], (classes, report["memory"]["classes"])
            peak = classes["gradients"]["peak"]
            assert classes["parameters"]["peak"] == held["param"]
            assert classes["optimizer_state"]["peak"] == held["opt"]
            print(f"{strategy}: gradients {peak}, at most {float(most):.0f}")
            assert wanted / 20 < peak <= most, "not what the formula says"
            print(f"{strategy}: {counted} bytes counted, {float(wanted):.0f} by the formula; "
                  f"report: {held}, temporaries {report['memory']['temporaries']}")
            assert abs(counted - wanted) <= wanted / 50, "not what the formula says"
            assert max(report["measured"]["arena_bytes"]) >= report["memory"]["temporaries"]


if __name__ == "__main__":
    main()
