#!/usr/bin/env python3
"""Synthesised pipeline orders against every named schedule on random instances.

An instance is ranks, microbatches, chunks per rank, F, B, W, latency and memory
cap; each is timed by `partopt bench schedule`, the named schedules and `auto` by
the same simulator. What must be shown: `auto` is never longer than the shortest
named schedule that fits the cap, is shorter on at least 30 % of the instances
where some named one fits, F, B and W all differ and the latency is above 0, and the median of its
distance to the lower bound is at most 3 %.

usage: schedules.py [--count 1000] [--seed 1] [--partopt BIN] [-o FILE.json]
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ONE_CHUNK = ["gpipe", "1f1b", "eager-1f1b", "zb-h1", "zb-h2", "dualpipe"]
ANY_CHUNKS = ["interleaved", "looped-bfs", "interleaved-zb"]
TWO_CHUNKS = ["zb-v", "v-half", "v-min", "dualpipev"]


def instance(source):
    ranks = source.choice([2, 3, 4, 6, 8])
    chunks = source.choice([1, 1, 2])
    return {
        "p": ranks,
        "m": ranks * source.randint(1, 4),
        "v": chunks,
        "times": ",".join(str(source.randint(1, 16) / 4) for _ in range(3)),
        "latency": source.randint(0, 4) / 4,
        "cap": chunks * source.randint(1, 2 * ranks + 2),
    }


def measure(binary, schedule, one):
    """The schedule's figures, or None where it cannot take the instance."""
    command = [binary, "bench", "schedule", "--schedule", schedule, "--json",
               "-p", str(one["p"]), "-m", str(one["m"]), "-v", str(one["v"]),
               "--times", one["times"], "--latency", str(one["latency"]), "--cap", str(one["cap"])]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 2:
        return None
    result.check_returncode()
    return json.loads(result.stdout)


def names(one):
    return ANY_CHUNKS + (ONE_CHUNK if one["v"] == 1 else []) + (TWO_CHUNKS if one["v"] == 2 else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--partopt", default=os.path.join(ROOT, "build", "bin", "partopt"))
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    source = random.Random(options.seed)
    worse, better, uneven, refused, fitted = [], 0, 0, 0, 0
    distances, seconds = [], []
    for _ in range(options.count):
        one = instance(source)
        begin = time.monotonic()
        own = measure(options.partopt, "auto", one)
        seconds.append(time.monotonic() - begin)
        if own is None:
            refused += 1
            continue
        others = [figures["makespan"] for name in names(one)
                  if (figures := measure(options.partopt, name, one))]
        named = min(others, default=float("inf"))
        fitted += bool(others)
        distances.append(own["distance"])
        if own["makespan"] > named:
            worse.append(one)
        times = one["times"].split(",")
        if others and len(set(times)) == 3 and one["latency"] > 0:
            uneven += 1
            better += own["makespan"] < named
    summary = {
        "instances": options.count,
        "refused": refused,
        "some_named_schedule_fits": fitted,
        "never_worse": len(distances) - len(worse),
        "worse": worse,
        "uneven_instances": uneven,
        "strictly_better_percent": round(100 * better / max(1, uneven), 1),
        "distance_median_percent": round(100 * statistics.median(distances), 2),
        "distance_90th_percent": round(100 * sorted(distances)[len(distances) * 9 // 10], 2),
        "seconds_median": round(statistics.median(seconds), 3),
        "seconds_largest": round(max(seconds), 3),
    }
    print(json.dumps(summary, indent=2))
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump(summary, file, indent=2)
            file.write("\n")
    good = (not worse and summary["strictly_better_percent"] >= 30 and
            summary["distance_median_percent"] <= 3)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
