"""Runs a model in microbatches and in one batch, and holds them together.

usage: check_micro.py MODEL_DIR MICROBATCHES [--less-memory] [--uneven] [partopt options...]

Fails unless both give the model's expected results, the transport counted the
same bytes (microbatches: plus at most 1 KiB for what is padded or scalar), the
report's collectives say how often they run, and, with --less-memory,
microbatches need less memory for temporaries (a model with small activations
needs more: a part of a gradient beside its accumulator). --uneven: the rows do not
divide, which is warned of; nothing else is.
"""
import json
import os
import subprocess
import sys
import tempfile


def run(folder, options, report):
    command = ["partopt", "run", os.path.join(folder, "model.mlir"),
               "--inputs", os.path.join(folder, "inputs.safetensors"),
               "--expect", os.path.join(folder, "expected.safetensors"),
               "--rtol", "1e-4", "--atol", "1e-5", "--report-json", report] + options
    subprocess.run(command, check=True)
    with open(report) as file:
        return json.load(file)


def main():
    folder, count, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    needs_less = "--less-memory" in options
    is_uneven = "--uneven" in options
    options = [option for option in options if option not in ("--less-memory", "--uneven")]
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "report.json")
        whole = run(folder, options, path)
        parts = run(folder, options + ["--microbatches", str(count)], path)
    sent, sent_whole = (max(r["measured"]["wire_bytes_sent"]) for r in (parts, whole))
    held, held_whole = (r["memory"]["temporaries"] for r in (parts, whole))
    times = sorted({c["trip_count"] for c in parts["collectives"]})
    print(f"{count} microbatches: {sent} bytes sent and {held} held, one batch {sent_whole} and "
          f"{held_whole}; collectives run {times} times")
    time = [a for a in parts["mesh"] if a["kind"] == "time"]
    assert time == [{"axis": "micro", "size": count, "kind": "time"}], parts["mesh"]
    assert sent <= sent_whole + 1024, "more bytes than in one batch"
    assert set(times) <= {1, count}, times
    assert held < held_whole or not needs_less, "no less memory than one batch"
    codes = [warning["code"] for warning in parts["warnings"]]
    assert set(codes) == ({"uneven_batch"} if is_uneven else set()), parts["warnings"]


if __name__ == "__main__":
    main()
