"""Runs or compiles one model with --reshard-after-forward no and yes, and holds
the two plans against each other.

usage: check_reshard_after_forward.py MODEL_FILE [--inputs F --expect F]
         [--less-memory FRACTION]

It fails unless
  - every parameter is gathered at most once without and at most twice with the
    option, and at least a third of the bytes is gathered again with it,
  - gradients are reduce-scattered alike in both,
  - with arrays: both runs give the expected results (rtol 1e-4, atol 1e-5), and
    the counted bytes equal the plan's (the run itself sees to that),
  - with --less-memory: temporaries shrink to FRACTION of what they were or less.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--inputs")
parser.add_argument("--expect")
parser.add_argument("--less-memory", type=float)
options = parser.parse_args()


def report(again, folder):
    path = os.path.join(folder, "report.json")
    if options.inputs:
        command = ["run", options.file, "--inputs", options.inputs, "--expect", options.expect,
                   "--rtol", "1e-4", "--atol", "1e-5"]
    else:
        command = ["compile", options.file, "-o", os.path.join(folder, "step.plan")]
    subprocess.run(["partopt", *command, "--reshard-after-forward", again, "--report-json", path],
                   check=True)
    with open(path) as file:
        return json.load(file)


with tempfile.TemporaryDirectory() as work:
    kept, again = report("no", work), report("yes", work)
parameters = sum(a["bytes_global"] for a in kept["arguments"] if a["role"] == "param")
gathered = [r["totals"]["all_gather"]["payload_bytes"] for r in (kept, again)]
temporaries = [r["memory"]["temporaries"] for r in (kept, again)]
print(f"gathered {gathered} of {parameters} bytes, temporaries {temporaries}")
# Shards of uneven sizes are padded by at most a few rows.
assert gathered[0] <= 1.02 * parameters, "a parameter is gathered twice"
assert 4 / 3 * gathered[0] <= gathered[1] <= 2 * gathered[0], "not gathered once more"
assert kept["totals"]["reduce_scatter"] == again["totals"]["reduce_scatter"]
whys = [c["why"] for c in again["collectives"]]
assert any("again for the backward pass" in why for why in whys), whys
assert not kept["warnings"] and not again["warnings"]
if options.less_memory and temporaries[1] > options.less_memory * temporaries[0]:
    sys.exit(f"temporaries fell to {temporaries[1] / temporaries[0]:.2f} only")
