"""Runs a step as a pipeline by schedules: the microbatches that stages keep are those that
the schedule says, in the plan's slots and as the executor counts them.

usage: check_stash.py [--ring] MODEL_FOLDER RANKS MICROBATCHES SCHEDULE ...

With --ring two devices share each stage, whose attention goes around them.
"""
import json
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def check(model, ranks, microbatches, schedule, isRing):
    layout = [f"pipe={ranks}", "--strategy", "pp"]
    devices = 1  # of each rank
    if isRing:
        layout = [f"pipe={ranks},context=2", "--strategy", "pp+cp", "--cp-form", "ring"]
        devices = 2
    with tempfile.TemporaryDirectory() as folder:
        run("partopt", "run", f"{model}/model.mlir", "--mesh", *layout,
            "--microbatches", microbatches, "--schedule", schedule, "--inputs", "random:1",
            "--report-json", f"{folder}/r.json", "--quiet")
        with open(f"{folder}/r.json", encoding="utf-8") as file:
            report = json.load(file)
    chunks = len(report["stages"]) // int(ranks)
    peaks = json.loads(run("partopt", "bench", "schedule", "--schedule", schedule, "-p", ranks, "-m",
                           microbatches, "-v", str(chunks), "--json"))["peak"]

    measured = report["measured"]["stash"]
    assert [one["rank"] for one in measured] == list(range(devices * int(ranks))), measured
    for i in range(0, len(measured), devices):
        for other in measured[i + 1:i + devices]:
            assert {**other, "rank": 0} == {**measured[i], "rank": 0}, measured
    measured = measured[::devices]
    assert [one["chunks"] for one in measured] == peaks, (measured, peaks)
    assert [one["predicted_stash_chunks"] for one in report["rank_classes"]] == peaks
    counted = {stage["stage"]: stage for one in measured for stage in one["stages"]}
    for stage in report["stages"]:
        one = counted.pop(stage["stage"])
        predicted = stage["predicted_stash_microbatches"]
        assert predicted == one["microbatches"] == stage["stash_kept_slots"] > 0, (stage, one)
        assert stage["predicted_stash_bytes"] == one["bytes"] > 0, (stage, one)
        # Beyond that there are slots for messages under way.
        assert stage["stash_bytes"] >= one["bytes"], (stage, one)
    assert not counted, counted
    print(schedule, peaks, [stage["predicted_stash_bytes"] for stage in report["stages"]])


def main():
    isRing = sys.argv[1] == "--ring"
    model, ranks, microbatches, *schedules = sys.argv[2 if isRing else 1:]
    for schedule in schedules:
        check(model, ranks, microbatches, schedule, isRing)


if __name__ == "__main__":
    main()
