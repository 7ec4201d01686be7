"""Runs a step with --sp-regather no and yes, and holds the two against each other.

usage: check_sequence_regather.py MODEL_DIR DEVICES [--data STRATEGY] [--microbatches M]
         [--file FILE]

DEVICES split the sequence; STRATEGY is that of two more devices over the batch; FILE
has annotations of its own. With u = (n-1)/n of the bytes of one layer's activation on a
device: each of the two layers gathers its two inputs once more, 2 u of 8, and so does
what is around them at most. Fails unless
  - both runs give the expected results, and the transport's counts are the plan's,
  - the bytes sent grow by 2 u for each layer and at most 1 u more, that of the logits'
    input (a file's own annotations may gather keys as well: 2 u more),
  - activations kept for the backward pass shrink; `auto` is `no` without a limit of
    memory, and `yes` where that limit lies between the two peaks.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

LAYERS, ROWS, POSITIONS, WIDTH = 2, 8, 16, 32


def report(options, word, folder, *more):
    """Runs the step and reads its report."""
    path = os.path.join(folder, "r.json")
    command = ["partopt", "run", f"{options.model}/{options.file}", "--inputs",
               f"{options.model}/inputs.safetensors", "--expect",
               f"{options.model}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5",
               "--microbatches", options.microbatches, "--sp-regather", word, "--quiet",
               "--report-json", path, *more]
    if options.file == "model.mlir":
        strategy = "tp+sp" if not options.data else f"{options.data}+tp+sp"
        mesh = f"model={options.devices}" if not options.data else f"data=2,model={options.devices}"
        command += ["--strategy", strategy, "--mesh", mesh]
    subprocess.run(command, check=True)
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("devices", type=int)
    parser.add_argument("--data")
    parser.add_argument("--microbatches", default="1")
    parser.add_argument("--file", default="model.mlir")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        kept, again = report(options, "no", folder), report(options, "yes", folder)
        peaks = [max(r["memory"]["peak_bytes_per_device"]) for r in (kept, again)]
        chosen = [report(options, "auto", folder)]
        if options.file == "model.mlir" and peaks[1] < peaks[0]:
            chosen.append(report(options, "auto", folder, "--device-memory", str(peaks[1])))
    rows = ROWS // (2 if options.data or options.file != "model.mlir" else 1)
    u = (options.devices - 1) / options.devices * 4 * rows * POSITIONS * WIDTH
    sent = [max(r["measured"]["wire_bytes_sent"]) for r in (kept, again)]
    more = (sent[1] - sent[0]) / u
    activations = [r["memory"]["classes"]["activations"]["peak"] for r in (kept, again)]
    print(f"sent {sent}, {more:.2f} u more; activations {activations}, peak {peaks}")
    around = 1.01 if options.file == "model.mlir" else 2.01
    assert 2 * LAYERS - 0.01 <= more <= 2 * LAYERS + around, more
    assert activations[1] < activations[0], activations
    again_notes = [c for c in again["collectives"] if "again for the backward" in c["why"]]
    assert len(again_notes) >= 2 * LAYERS, [c["why"] for c in again["collectives"]]
    assert max(chosen[0]["measured"]["wire_bytes_sent"]) == sent[0]
    for limited in chosen[1:]:
        assert max(limited["measured"]["wire_bytes_sent"]) == sent[1]


if __name__ == "__main__":
    sys.exit(main())
