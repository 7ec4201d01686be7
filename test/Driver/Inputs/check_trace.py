"""Turns of a trace: named and ordered as in the schedule, with their kernels inside.

usage: check_trace.py T.json ORDER.csv STEPS
"""
import csv
import json
import sys

ROUNDING = 1e-3  # microseconds


def ends(event):
    return event["ts"] + event["dur"]


def check_rank(events, order, steps):
    lane = [event for event in events if event["ph"] == "X" and event["tid"] == 0]
    turns = [event for event in lane if event["cat"] == "Segment"]
    assert [turn["name"] for turn in turns] == order * steps, [turn["name"] for turn in turns]
    assert all(ends(a) <= b["ts"] + ROUNDING for a, b in zip(turns, turns[1:]))
    of_turn = {(turn["args"]["step"], turn["args"]["turn"]): turn for turn in turns}
    inside = {key: 0 for key in of_turn}
    for event in lane:
        place = (event["args"]["step"], event["args"].get("turn"))
        if event["cat"] not in ("Launch", "Gemm", "Copy") or place not in of_turn:
            continue
        turn = of_turn[place]
        assert turn["ts"] <= event["ts"] and ends(event) <= ends(turn) + ROUNDING, (event, turn)
        assert event["args"]["iteration"] == turn["args"]["microbatch"], (event, turn)
        inside[place] += 1
    assert all(inside.values()), inside


def main(trace_path, order_path, steps):
    with open(trace_path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    with open(order_path, encoding="utf-8") as file:
        orders = [[cell for cell in row if cell] for row in csv.reader(file)]
    assert {event["pid"] for event in events} == set(range(len(orders)))
    for rank, order in enumerate(orders):
        check_rank([event for event in events if event["pid"] == rank], order, int(steps))
    # Rank 1 is seen to wait for what rank 0 sends before it multiplies.
    of_first = [event for event in events if event["pid"] == 1 and event["tid"] == 0
                and event["args"].get("turn") == 0 and event["args"].get("step") == 0]
    waits = [event for event in of_first if event["cat"] == "Wait"]
    product = next(event for event in of_first if event["cat"] == "Gemm")
    assert waits and ends(waits[0]) <= product["ts"] + ROUNDING, (waits, product)


if __name__ == "__main__":
    main(*sys.argv[1:])
