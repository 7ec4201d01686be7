"""Runs one model with wrap units and without, and holds the plans against each
other and against one device.

usage: check_wrap_units.py MODEL_FILE --units N --wire BYTES [--gathers G]
         [--scatters S] -- options of partopt...

It fails unless
  - the results equal those of one device (run --check),
  - there are G gathers and S reduce-scatters of parameters, one per unit each
    (both N unless said), and each carries its unit's name,
  - a device sends BYTES per step, by the plan and by the transport's count, and
    no more than without units.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--units", type=int, required=True)
parser.add_argument("--wire", type=int)
parser.add_argument("--gathers", type=int)
parser.add_argument("--scatters", type=int)
split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
options, rest = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]


def report(folder, *more):
    path = os.path.join(folder, "report.json")
    subprocess.run(["partopt", "run", options.file, *rest, *more, "--inputs", "random:3",
                    "--check", "--report-json", path], check=True, stdout=subprocess.DEVNULL)
    with open(path) as file:
        return json.load(file)


def wire(one):
    return round(sum(kind["wire_bytes"] for kind in one["totals"].values()))


with tempfile.TemporaryDirectory() as work:
    with_units, without = report(work), report(work, "--wrap", "none")
named = {kind: [c["unit"] for c in with_units["collectives"] if c["kind"] == kind and c["unit"]]
         for kind in ("all_gather", "reduce_scatter")}
units = {a["wrap_unit"] for a in with_units["arguments"] if a["wrap_unit"]}
sent = max(with_units["measured"]["wire_bytes_sent"])
print(f"units {sorted(units)}, collectives {named}, wire {wire(with_units)} counted {sent}, "
      f"without units {wire(without)}")
assert len(units) == options.units, units
assert len(named["all_gather"]) == (options.units if options.gathers is None else options.gathers)
assert len(named["reduce_scatter"]) == (options.units if options.scatters is None
                                        else options.scatters)
# Of one unit there are two of a kind only where one is of the backward pass.
assert len(set(named["reduce_scatter"])) == len(named["reduce_scatter"]), named
assert wire(with_units) == wire(without), "units change the bytes"
if options.wire:
    assert abs(wire(with_units) - options.wire) <= 1, wire(with_units)
    assert abs(sent - options.wire) <= 8, sent
# Units that are annotated stay.
with open(options.file) as file:
    is_annotated = "partopt.wrap_unit" in file.read()
assert is_annotated or not any(c["unit"] for c in without["collectives"])
