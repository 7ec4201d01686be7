#!/usr/bin/env python3
"""Predicted beside measured steps, with real kernels, on two ranks of one thread.

`partopt bench kernels` measures this machine first, on programs and shapes of its
own (see tools/partopt/BenchPrograms.cpp), none of them from the models predicted
here. Then every plan is compiled with that calibration, predicted from its file,
and run.

What the figures mean:
  predicted  from the plan and the calibration alone, nothing is fitted to a plan
  measured   seconds per step, rounds over all plans in turns: the fastest step,
             which is what the machine can do, and the median, which on a machine
             with other work is what it was let do
  error      predicted / fastest - 1
  pairs      of two plans whose fastest steps differ by more than 10 %, how many
             are predicted in the right order; the same within one model, where
             plans are alternatives to each other

usage: predict.py [--calibration FILE] [--rounds 3] [--partopt BIN]
         [-o bench/results/predict.json]
"""
import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile

from overlap import ROOT, model_file

# Model, options, steps a round.
PLANS = [
    ("gpt_train/model.mlir", "--mesh data=2 --strategy ddp", 20),
    ("gpt_train/model.mlir", "--mesh data=2 --strategy fsdp", 20),
    ("gpt_train/model.mlir", "--mesh data=2 --strategy fsdp --reshard-after-forward yes", 20),
    ("gpt_train/model.mlir", "--mesh data=2 --strategy zero1", 20),
    ("gpt_train/model.mlir", "--mesh data=2 --strategy ddp --microbatches 4", 20),
    ("gpt_train/model.mlir", "--mesh model=2 --strategy tp", 20),
    ("gpt_train/model.mlir", "--mesh model=2 --strategy tp+sp", 20),
    ("gpt_train/model.mlir", "--mesh data=1", 20),
    ("resnet_train/model.mlir", "--mesh data=2 --strategy ddp", 20),
    ("resnet_train/model.mlir", "--mesh data=2 --strategy zero1", 20),
    ("resnet_train/model.mlir", "--mesh data=1", 20),
    ("gpt_infer/model.mlir", "--mesh model=2 --strategy tp", 40),
    ("gpt_infer/model.mlir", "--mesh data=1", 40),
    ("gpt_train_small/model.mlir", "--mesh data=2 --strategy ddp", 60),
    ("gpt_train_small/model.mlir", "--mesh data=2 --strategy fsdp", 60),
    ("gpt_train_small/model.mlir", "--mesh model=2 --strategy tp", 60),
    ("big/gpt_mid/model.mlir.gz", "--mesh data=2 --strategy ddp", 2),
    ("big/gpt_mid/model.mlir.gz", "--mesh data=2 --strategy fsdp", 2),
    ("big/gpt_mid/model.mlir.gz", "--mesh model=2 --strategy tp", 2),
]


def predict(partopt, calibration, model, flags, plan):
    report = plan + ".json"
    subprocess.run([partopt, "compile", model, *flags.split(), "--calibration", calibration, "-o",
                    plan, "--report-json", report, "--quiet"], check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)["time"]


def run(partopt, plan, steps):
    report = plan + ".run.json"
    subprocess.run([partopt, "run", plan, "--inputs", "random:1", "--steps", str(steps + 1),
                    "--quiet", "--report-json", report], check=True)
    with open(report, encoding="utf-8") as file:
        return json.load(file)["measured"]["step_s"][1:]


def pairs(results, same_model):
    right = wrong = 0
    for a, b in itertools.combinations(results, 2):
        if same_model and a["model"] != b["model"]:
            continue
        if max(a["fastest_s"], b["fastest_s"]) < 1.1 * min(a["fastest_s"], b["fastest_s"]):
            continue
        good = (a["predicted_s"] < b["predicted_s"]) == (a["fastest_s"] < b["fastest_s"])
        right, wrong = right + good, wrong + (not good)
    return {"right": right, "of": right + wrong}


def measure(options, calibration, folder):
    results = []
    for number, (model, flags, steps) in enumerate(PLANS):
        plan = os.path.join(folder, f"{number}.plan")
        time = predict(options.partopt, calibration, model_file(model, folder), flags, plan)
        results.append({"model": model.removesuffix(".gz").split("/")[-2], "options": flags,
                        "plan": plan, "take": steps, "steps": [],
                        "predicted_s": time["predicted_step_s"], "compute_s": time["compute_s"],
                        "exposed_s": time["exposed_communication_s"]})
    for _ in range(options.rounds):
        for one in results:
            one["steps"] += run(options.partopt, one["plan"], one["take"])
    for one in results:
        steps = one.pop("steps")
        one.pop("plan"), one.pop("take")
        one["fastest_s"], one["median_s"] = min(steps), statistics.median(steps)
        one["error"] = one["predicted_s"] / one["fastest_s"] - 1
        one["error_to_median"] = one["predicted_s"] / one["median_s"] - 1
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--calibration")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--partopt", default=os.path.join(ROOT, "build/bin/partopt"))
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        calibration = options.calibration or os.path.join(folder, "calibration.json")
        if not options.calibration:
            subprocess.run([options.partopt, "bench", "kernels", "--quiet", "--json", calibration],
                           check=True)
        results = measure(options, calibration, folder)
    print("| model | plan | predicted ms | fastest ms | median ms | error |\n" + "| --- " * 6 + "|")
    for one in results:
        print(f"| {one['model']} | {one['options']} | {one['predicted_s'] * 1e3:.2f} | "
              f"{one['fastest_s'] * 1e3:.2f} | {one['median_s'] * 1e3:.2f} | "
              f"{one['error'] * 100:+.0f} % |")
    errors = sorted(abs(one["error"]) for one in results)
    summary = {"plans": len(results), "median_error": statistics.median(errors),
               "worst_error": errors[-1], "pairs": pairs(results, False),
               "pairs_of_a_model": pairs(results, True), "cores": os.cpu_count(),
               "load_average": os.getloadavg()[0]}
    print(f"\nerror: median {summary['median_error'] * 100:.0f} %, worst "
          f"{summary['worst_error'] * 100:.0f} %; pairs in order: {summary['pairs']['right']} of "
          f"{summary['pairs']['of']}, within a model {summary['pairs_of_a_model']['right']} of "
          f"{summary['pairs_of_a_model']['of']}; load average {summary['load_average']:.1f}")
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump({"summary": summary, "plans": results}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
