"""What the report of a run says of ranks and stages.

usage: check_stages.py R.json CLASSES

CLASSES are the classes of ranks that the stages lie on, "0,1,1,0"; "" of no pipeline.
"""
import json
import math
import sys


def main(path, wanted):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    classes, stages = report["rank_classes"], report["stages"]
    assert ",".join(str(stage["rank_class"]) for stage in stages) == wanted, stages
    assert sorted(rank for one in classes for rank in one["ranks"]) == list(range(report["devices"]))

    for one in classes:
        for rank in one["ranks"]:
            assert report["measured"]["wire_bytes_sent"][rank] == one["wire_bytes"], (rank, one)
    assert [one["peak_bytes"] for one in classes] == report["memory"]["peak_bytes_per_device"]
    arguments = report["arguments"]
    assert [one["index"] for one in arguments] == list(range(len(arguments))), arguments
    for one in report["collectives"]:
        assert one["operands"] > 0 and one["predicted"]["end_s"] >= one["predicted"]["start_s"], one

    bubble = report["time"]["bubble_fraction"]
    if not stages:
        assert bubble == 0 and report["memory"]["stash"] == 0
        return
    idle = [one["idle_fraction"] for one in classes for _ in one["ranks"]]
    assert math.isclose(bubble, sum(idle) / len(idle)) and 0 < bubble < 1, (bubble, idle)
    assert math.isclose(sum(stage["time_fraction"] for stage in stages), 1), stages
    parameters = sum(one["bytes_per_device"] for one in arguments if one["role"] == "param")
    assert sum(stage["parameter_bytes"] for stage in stages) == parameters, stages
    kept = [sum(stage["stash_bytes"] for stage in stages if stage["rank_class"] == i)
            for i in range(len(classes))]
    assert report["memory"]["stash"] == max(kept) > 0, kept


if __name__ == "__main__":
    main(*sys.argv[1:])
