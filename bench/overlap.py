#!/usr/bin/env python3
"""Communication that kernels hide, measured on modelled links and devices and
held against the prediction.

Links and devices take their time by waiting (`--link`, `--compute model`), so
that the executor, its streams and its messages are real, and how many cores the
machine has does not decide. Per case and strategy, in turns in one run:

  on     the plan as it is
  off    the same plan, every collective waited for where it starts
  late   the same plan, every collective started where it is waited for: wrong
         on purpose
  wrong  another plan that is wrong on purpose: for ddp one bucket that takes all
         gradients, so that nothing can be reduced before the backward pass ends;
         for fsdp no gather ahead of its use (--prefetch 0)

The device's speed is chosen so that kernels take about as long as all collectives
together. Predictions know from `partopt bench kernels` what the machine itself needs
for a message, and all else from the model. What a case must show: exposed communication
of `on` less than half of `off`'s, those of `late` and `wrong` not; predicted steps
within 15 % of measured ones.

Figures: medians over the steps after the warm-up; exposed communication is the
time for which the rank that blocks longest blocks. Excess is what kernels took
beyond their model: where it is not small, the machine was too slow for the case.

usage: overlap.py [--case NAME …] [--steps 6] [--rounds 3] [--partopt BIN]
         [-o bench/results/overlap.json]
"""
import argparse
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("PARTOPT_SHARED", os.path.join(ROOT, "..", "shared"))

# name: model, ranks, link, device, mode, options of ddp. In `model-only` kernels
# take their time and compute nothing: on a few cores they would take longer.
CASES = {
    "gpt_mid-1GB/s": ("big/gpt_mid/model.mlir.gz", 2, "50us,1GB/s", "1000GFLOP/s,500GB/s,5us",
                      "model-only", []),
    "gpt_mid-100MB/s": ("big/gpt_mid/model.mlir.gz", 4, "50us,100MB/s", "50GFLOP/s,25GB/s,50us",
                        "model-only", []),
    "gpt_train-10MB/s": ("gpt_train/model.mlir", 4, "50us,10MB/s", "1500MFLOP/s,800MB/s,20us",
                         "model", ["--bucket-mib", "0.25"]),
}


def model_file(name, folder):
    path = os.path.join(SHARED, "models", name)
    if not path.endswith(".gz"):
        return path
    plain = os.path.join(folder, name.replace("/", "_")[:-3])
    if not os.path.exists(plain):
        with gzip.open(path, "rb") as source, open(plain, "wb") as target:
            target.write(source.read())
    return plain


def machine_flags(case):
    _, _, link, device, mode, _ = case
    return ["--link", "data=" + link], ["--compute", f"{mode}={device}"]


def compile_plan(partopt, model, case, strategy, options, plan):
    link, compute = machine_flags(case)
    subprocess.run([partopt, "compile", model, "--mesh", f"data={case[1]}", "--strategy", strategy,
                    *link, *compute, *options, "-o", plan], check=True)


def run(partopt, plan, case, overlap, steps, calibration):
    """Steps, exposed communication and excess of one run, and the prediction."""
    link, compute = machine_flags(case)
    report = plan + ".json"
    subprocess.run([partopt, "run", plan, "--inputs", "random:1", "--steps", str(steps + 2),
                    "--quiet", *link, *compute, "--overlap", overlap, "--calibration", calibration,
                    "--report-json", report], check=True)
    with open(report, encoding="utf-8") as file:
        result = json.load(file)
    measured, predicted = result["measured"], result["time"]
    return {"steps": measured["step_s"][2:], "exposed": measured["exposed_communication_s"],
            "excess": measured["compute_excess_s"], "predicted": predicted["predicted_step_s"],
            "predicted_exposed": predicted["exposed_communication_s"],
            "compute": predicted["compute_s"]}


def measure(partopt, name, strategy, options, folder, calibration):
    case = CASES[name]
    model = model_file(case[0], folder)
    common = case[5] if strategy == "ddp" else []
    good, bad = os.path.join(folder, "good.plan"), os.path.join(folder, "bad.plan")
    wrong = ["--bucket-mib", "100000"] if strategy == "ddp" else ["--prefetch", "0"]
    compile_plan(partopt, model, case, strategy, common, good)
    compile_plan(partopt, model, case, strategy, wrong, bad)
    ways = {"on": (good, "on"), "off": (good, "off"), "late": (good, "late"), "wrong": (bad, "on")}
    runs = {way: [] for way in ways}
    for _ in range(options.rounds):
        for way, (plan, overlap) in ways.items():
            runs[way].append(run(partopt, plan, case, overlap, options.steps, calibration))
    result = {"case": name, "strategy": strategy, "ranks": case[1], "link": case[2],
              "device": case[3], "mode": case[4], "load_average": os.getloadavg()[0],
              "cores": os.cpu_count(), "ways": {}}
    for way, list_of in runs.items():
        steps = [s for one in list_of for s in one["steps"]]
        median = statistics.median(steps)
        result["ways"][way] = {
            "step_s": median, "step_min_s": min(steps), "step_max_s": max(steps),
            "predicted_step_s": list_of[0]["predicted"],
            "error": list_of[0]["predicted"] / median - 1,
            "exposed_s": statistics.median(one["exposed"] for one in list_of),
            "predicted_exposed_s": list_of[0]["predicted_exposed"],
            "compute_s": list_of[0]["compute"],
            "excess_s": statistics.median(one["excess"] for one in list_of)}
    off = result["ways"]["off"]["exposed_s"]
    for one in result["ways"].values():
        one["exposed_of_off"] = one["exposed_s"] / off
    of_off = {way: one["exposed_of_off"] for way, one in result["ways"].items()}
    result["holds"] = (of_off["on"] < 0.5 <= min(of_off["late"], of_off["wrong"])
                       and all(abs(w["error"]) <= 0.15 for w in result["ways"].values()))
    return result


def rows(result):
    for way, one in result["ways"].items():
        yield (f"| {result['case']} | {result['strategy']} | {way} | {one['compute_s'] * 1e3:.0f} | "
               f"{one['predicted_step_s'] * 1e3:.0f} | {one['step_s'] * 1e3:.0f} "
               f"({one['step_min_s'] * 1e3:.0f}-{one['step_max_s'] * 1e3:.0f}) | "
               f"{one['error'] * 100:+.0f} % | {one['predicted_exposed_s'] * 1e3:.0f} | "
               f"{one['exposed_s'] * 1e3:.0f} | {one['exposed_of_off']:.2f} | "
               f"{one['excess_s'] * 1e3:.1f} |")


HEAD = ("| case | strategy | way | kernels ms | predicted step ms | measured step ms | error | "
        "predicted exposed ms | measured exposed ms | of off's | excess ms |\n" + "| --- " * 11 + "|")


def parse_options(description, cases):
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--case", action="append", choices=cases)
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--partopt", default=os.path.join(ROOT, "build/bin/partopt"))
    parser.add_argument("-o", "--output")
    return parser.parse_args()


def write_results(results, output):
    if output:
        with open(output, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")


def main():
    options = parse_options(__doc__, CASES)
    results = []
    print(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        calibration = os.path.join(folder, "calibration.json")
        subprocess.run([options.partopt, "bench", "kernels", "--quiet", "--json", calibration],
                       check=True)
        for name in options.case or CASES:
            for strategy in ("ddp", "fsdp"):
                results.append(measure(options.partopt, name, strategy, options, folder,
                                       calibration))
                for line in rows(results[-1]):
                    print(line, flush=True)
    write_results(results, options.output)
    for result in results:
        print(f"{result['case']} {result['strategy']}: "
              f"{'holds' if result['holds'] else 'DOES NOT HOLD'}")
    return 0 if all(result["holds"] for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
