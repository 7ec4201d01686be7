"""Checks where `explain` lays a mesh on a cluster.

mapping.py MODEL STRATEGY MESH CLUSTER EXPECTED [options...]: EXPECTED is the
order of axes, outermost first, each with its level: "data:network,model:node".
Bytes and numbers of collectives per axis are counted again from the report's
list of collectives.
"""
import json
import subprocess
import sys
import tempfile

model, strategy, mesh, cluster, expected = sys.argv[1:6]
with tempfile.NamedTemporaryFile(suffix=".json") as out:
    subprocess.run(["partopt", "explain", model, "--strategy", strategy,
                    "--mesh", mesh, "--cluster", cluster, "--section", "mapping",
                    "--report-json", out.name] + sys.argv[6:], check=True,
                   stdout=subprocess.DEVNULL)
    report = json.load(open(out.name))
mapping = report["mapping"]
found = ",".join(f'{a["axis"]}:{a["level"]}' for a in mapping["axes"])
assert found == expected, f"{found}, not {expected}"
assert mapping["order"] == [a["axis"] for a in mapping["axes"]]
for axis in mapping["axes"]:
    mine = [c for c in report["collectives"] if axis["axis"] in
            [name.split(":")[0] for name in c["axes"]]]
    assert axis["collectives_per_step"] == sum(c["trip_count"] for c in mine), axis
    assert abs(axis["bytes_per_step"] - sum(
        c["trip_count"] * c["wire_bytes"] for c in mine)) < 1 + len(mine), axis
    assert axis["why"]
time = report["time"]["predicted_step_s"]
assert mapping["predicted_step_s"] == time, (mapping["predicted_step_s"], time)
if "other" in mapping:
    faster = mapping["predicted_step_s"] < mapping["other"]["predicted_step_s"]
    by_hand = mapping["order_by"] == "hand"
    assert faster != by_hand, mapping
