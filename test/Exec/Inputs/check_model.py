"""Runs one sharded form of a model and holds its report against what the model
needs and what XLA moves for the same file.

usage: check_model.py MODEL_FILE MODEL_DIR [--xla-wire N] [--xla-args MB]
         [--ddp] [partopt options...]

It fails unless
  - the results equal the expected ones (rtol 1e-4, atol 1e-5),
  - wire bytes per device are at most XLA's plus 1 KiB (--xla-wire),
  - argument bytes per device are within 1 % of XLA's (--xla-args, in MB, which
    is rounded to 1 kB),
  - no warning says that more than 1 KiB was gathered,
  - with --ddp: every gradient byte is reduced exactly once.
The run itself compares the bytes that the transport counted with the plan's.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile


def check(report, options):
    faults = []
    wire = sum(total["wire_bytes"] for total in report["totals"].values())
    held = sum(argument["bytes_per_device"] for argument in report["arguments"])
    print(f"wire bytes {wire}, argument bytes per device {held}, collectives "
          f"{ {kind: total['count'] for kind, total in report['totals'].items()} }")
    if options.xla_wire is not None and wire > options.xla_wire + 1024:
        faults.append(f"wire bytes {wire} exceed XLA's {options.xla_wire}")
    if options.xla_args is not None:
        allowed = 0.01 * options.xla_args * 1e6 + 500
        if abs(held - options.xla_args * 1e6) > allowed:
            faults.append(f"argument bytes {held} are not XLA's {options.xla_args} MB")
    for warning in report["warnings"]:
        sizes = [int(n) for n in re.findall(r"(\d+) bytes", warning["message"])]
        if max(sizes, default=0) > 1024:
            faults.append(f"{warning['loc']}: {warning['message']}")
    if options.ddp:
        reduced = report["totals"]["all_reduce"]["payload_bytes"]
        parameters = sum(a["bytes_global"] for a in report["arguments"] if a["role"] == "param")
        # Beside the gradients only scalars such as the loss.
        if not parameters <= reduced <= parameters + 64:
            faults.append(f"{reduced} bytes are reduced for {parameters} of parameters")
    return faults


def parse_arguments():
    """What check() needs, and the options that are left for partopt."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("folder")
    parser.add_argument("--xla-wire", type=int)
    parser.add_argument("--xla-args", type=float)
    parser.add_argument("--ddp", action="store_true")
    return parser.parse_known_args()


def main():
    options, rest = parse_arguments()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        status = subprocess.run(
            ["partopt", "run", options.file, "--inputs", f"{options.folder}/inputs.safetensors",
             "--expect", f"{options.folder}/expected.safetensors", "--rtol", "1e-4",
             "--atol", "1e-5", "--report-json", path, *rest]).returncode
        if status != 0:
            sys.exit(f"partopt run: exit {status}")
        with open(path) as file:
            faults = check(json.load(file), options)
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
