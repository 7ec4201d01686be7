"""Asserts that `--schedule auto` is predicted to be no slower than any named schedule.

Usage: check_schedule_auto.py MODEL RANKS MICROBATCHES [OPTION...]
"""

import json
import subprocess
import sys
import tempfile

NAMES = ("gpipe 1f1b eager-1f1b interleaved looped-bfs zb-h1 zb-h2 interleaved-zb zb-v "
         "v-half v-min").split()


def predicted(name, folder, arguments):
    """Seconds of a step, or None where the schedule does not take the shape or the memory."""
    report = f"{folder}/report.json"
    run = subprocess.run(
        ["partopt", "compile", *arguments, "--schedule", name, "-o", f"{folder}/plan",
         "--report-json", report], capture_output=True, text=True)
    if run.returncode in (2, 3):
        return None
    assert run.returncode == 0, run.stderr
    with open(report) as file:
        return json.load(file)["time"]["predicted_step_s"]


def main():
    model, ranks, microbatches, *others = sys.argv[1:]
    arguments = [model, "--strategy", "pp", "--mesh", f"pipe={ranks}", "--microbatches",
                 microbatches, *others]
    with tempfile.TemporaryDirectory() as folder:
        auto = predicted("auto", folder, arguments)
        named = {name: predicted(name, folder, arguments) for name in NAMES}
    taken = {name: seconds for name, seconds in named.items() if seconds is not None}
    isShort = "--device-memory" in others
    assert 2 <= len(taken) <= 8 if isShort else len(taken) >= 8, named
    best = min(taken, key=taken.get)
    assert auto <= taken[best] * 1.0001, f"auto {auto} s, {best} {taken[best]} s"
    # The figures are of the schedules, not of the program alone.
    assert max(taken.values()) > 1.05 * auto, taken


main()
