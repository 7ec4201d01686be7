#!/usr/bin/env python3
"""The bubble of pipelines, predicted and measured.

Links and devices take their time by waiting (`--link`, `--compute`), so that ranks,
streams, messages and turns are real, and how many cores the machine has does not
decide. With `model-only` kernels compute nothing: on a few cores they would take
longer than they should. The last case runs them, with as many ranks as cores.

The measured bubble is what ranks idle between their first turn and their last, mean of
ranks and steps, from the trace, which the executor's clocks write; the predicted one is
the report's `time.bubble_fraction`. What must hold: predicted steps within 10 % of
measured ones, and bubbles within 0.1 of each other.

usage: pipelines.py [--steps 6] [--rounds 3] [--partopt BIN]
         [-o bench/results/pipelines.json]
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

from overlap import model_file, parse_options, write_results

TURN = re.compile(r"\d+[FBIW]\d+")
SCHEDULES = ["gpipe", "1f1b", "eager-1f1b", "interleaved", "zb-h1", "zb-h2", "zb-v", "auto"]
# name: model, ranks, microbatches, link, device, mode, schedules
CASES = {
    "gpt_mid, 4 ranks": ("big/gpt_mid/model.mlir.gz", 4, 8, "200us,1GB/s",
                         "200GFLOP/s,100GB/s,20us", "model-only", SCHEDULES),
    "gpt_mid, slow link": ("big/gpt_mid/model.mlir.gz", 4, 8, "10ms,200MB/s",
                           "200GFLOP/s,100GB/s,20us", "model-only", SCHEDULES),
    "gpt_train, kernels run": ("gpt_train/model.mlir", 2, 8, "200us,100MB/s",
                               "2GFLOP/s,1GB/s,20us", "model",
                               ["1f1b", "interleaved", "zb-h1", "zb-v"]),
}


def run(options, model, case, schedule, folder):
    """Step times, predicted step and bubble, measured bubble of one run."""
    _, ranks, micro, link, device, mode, _ = case
    report, trace = os.path.join(folder, "report.json"), os.path.join(folder, "trace.json")
    subprocess.run(
        [options.partopt, "run", model, "--mesh", f"pipe={ranks}", "--strategy", "pp",
         "--microbatches", str(micro), "--schedule", schedule, "--link", "pipe=" + link,
         "--compute", f"{mode}={device}", "--inputs", "random:1", "--steps",
         str(options.steps + 1), "--quiet", "--report-json", report, "--trace", trace], check=True)
    with open(report, encoding="utf-8") as file:
        result = json.load(file)
    steps = result["measured"]["step_s"][1:]
    with open(trace, encoding="utf-8") as file:
        events = json.load(file)
    events = events["traceEvents"] if isinstance(events, dict) else events
    return {"steps": steps, "predicted": result["time"]["predicted_step_s"],
            "predicted_bubble": result["time"]["bubble_fraction"],
            "bubble": bubble(events, ranks, options.steps + 1)}


def bubble(events, ranks, steps):
    """Idle fraction between first and last turn, mean of ranks, without the first step."""
    idle = []
    for rank in range(ranks):
        turns = sorted((e["ts"], e["dur"]) for e in events
                       if e["pid"] == rank and TURN.fullmatch(e["name"]))
        assert turns and len(turns) % steps == 0, (rank, len(turns), steps)
        each = len(turns) // steps
        for step in range(1, steps):
            own = turns[step * each:(step + 1) * each]
            span = own[-1][0] + own[-1][1] - own[0][0]
            idle.append(1 - sum(duration for _, duration in own) / span)
    return statistics.mean(idle)


def measure(options, name, schedule, folder):
    case = CASES[name]
    model = model_file(case[0], folder)
    runs = [run(options, model, case, schedule, folder) for _ in range(options.rounds)]
    steps = [s for one in runs for s in one["steps"]]
    step = statistics.median(steps)
    result = {"case": name, "schedule": schedule, "ranks": case[1], "microbatches": case[2],
              "link": case[3], "device": case[4], "mode": case[5], "cores": os.cpu_count(),
              "load_average": os.getloadavg()[0], "predicted_step_s": runs[0]["predicted"],
              "step_s": step, "step_min_s": min(steps), "step_max_s": max(steps),
              "error": runs[0]["predicted"] / step - 1,
              "predicted_bubble": runs[0]["predicted_bubble"],
              "bubble": statistics.median(one["bubble"] for one in runs)}
    result["holds"] = (abs(result["error"]) <= 0.1
                       and abs(result["predicted_bubble"] - result["bubble"]) <= 0.1)
    return result


def row(one):
    return (f"| {one['case']} | {one['schedule']} | {one['predicted_step_s'] * 1e3:.0f} | "
            f"{one['step_s'] * 1e3:.0f} ({one['step_min_s'] * 1e3:.0f}-"
            f"{one['step_max_s'] * 1e3:.0f}) | {one['error'] * 100:+.0f} % | "
            f"{one['predicted_bubble'] * 100:.0f} % | {one['bubble'] * 100:.0f} % |")


HEAD = ("| case | schedule | predicted step ms | measured step ms | error | predicted bubble | "
        "measured bubble |\n" + "| --- " * 7 + "|")


def main():
    options = parse_options(__doc__, CASES)
    results = []
    print(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.case or CASES:
            for schedule in CASES[name][-1]:
                results.append(measure(options, name, schedule, folder))
                print(row(results[-1]), flush=True)
    write_results(results, options.output)
    missed = [f"{one['case']}, {one['schedule']}" for one in results if not one["holds"]]
    print("\n".join(["does not hold: " + one for one in missed]) or "all hold")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
