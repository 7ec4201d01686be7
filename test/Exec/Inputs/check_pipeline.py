"""Runs a training step as a pipeline by schedules, against the folder's results after one
step and the unpartitioned program's after five.

usage: check_pipeline.py MODEL_FOLDER STRATEGY@MESH@MICROBATCHES SCHEDULE ...
"""
import os
import subprocess
import sys


def main():
    model, word, *schedules = sys.argv[1:]
    check = os.path.join(os.path.dirname(__file__), "check_strategies.py")
    failed = []
    for schedule in schedules:
        print(f"==== {schedule}", flush=True)
        done = subprocess.run([sys.executable, check, model, word, "--", "--schedule", schedule])
        if done.returncode != 0:
            failed.append(schedule)
    sys.exit(f"failed: {' '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
