"""Local batch statistics against the exact program on each device's own rows:
check_local_statistics.py MODEL_DIR DEVICES

A device's rows, repeated to a whole batch, have the statistics and the mean loss
of those rows alone. Parameters and losses must be the mean over the devices,
running statistics those of the first.
"""
import subprocess
import sys
import tempfile

import numpy as np
from safetensors.numpy import load_file, save_file

STATE = range(50, 64)  # results that are running statistics
BATCH = ("arg64", "arg65")


def run(model, inputs, folder, *options):
    outputs = f"{folder}/outputs.safetensors"
    subprocess.run(["partopt", "run", model, "--inputs", inputs, "--outputs", outputs, "--quiet",
                    *options], check=True)
    return load_file(outputs)


def main():
    folder, devices = sys.argv[1], int(sys.argv[2])
    model, given = f"{folder}/model.mlir", f"{folder}/inputs.safetensors"
    with tempfile.TemporaryDirectory() as work:
        inputs, alone = load_file(given), []
        for device in range(devices):
            own = dict(inputs)
            for name in BATCH:
                rows = len(inputs[name]) // devices
                part = inputs[name][device * rows:(device + 1) * rows]
                own[name] = np.ascontiguousarray(np.concatenate([part] * devices))
            save_file(own, f"{work}/own.safetensors")
            alone.append(run(model, f"{work}/own.safetensors", work))
        got = run(model, given, work, "--mesh", f"data={devices}", "--strategy", "ddp",
                  "--batch-statistics", "local")
    worst = 0
    for name, value in got.items():
        wanted = (alone[0][name] if int(name[3:]) in STATE else
                  np.mean([results[name] for results in alone], axis=0))
        error = np.abs(value - wanted).max() / max(np.abs(wanted).max(), 1e-30)
        worst = max(worst, error)
        if not error < 1e-4:
            print(f"{name}: error {error} of the largest magnitude")
    print(f"{len(got)} results, worst error {worst}")
    return 0 if worst < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
