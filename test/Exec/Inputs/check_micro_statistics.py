"""Batch statistics of microbatches against the exact program on each one's rows.

usage: check_micro_statistics.py MODEL_DIR DEVICES MICROBATCHES BATCH,... [OPTION ...]

DEVICES are those that split the rows, in ddp unless the options have a mesh.

A microbatch's rows, repeated to a whole batch, have the statistics and the mean
loss of those rows alone. Results (parameters by SGD, running statistics, losses:
all linear in the microbatches) must be the mean over the microbatches, each of
which has a part of every device's rows. With exact statistics they must be those
of the whole batch, which differ.
"""
import subprocess
import sys
import tempfile

import numpy as np
from safetensors.numpy import load_file, save_file


def run(model, inputs, folder, *options):
    outputs = f"{folder}/outputs.safetensors"
    subprocess.run(["partopt", "run", model, "--inputs", inputs, "--outputs", outputs, "--quiet",
                    *options], check=True)
    return load_file(outputs)


def worst_of(got, wanted):
    return max(float(np.abs(value - wanted[name]).max() / max(np.abs(wanted[name]).max(), 1e-30))
               for name, value in got.items())


def main():
    folder, devices, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    batch, options = sys.argv[4].split(","), sys.argv[5:]
    model, given = f"{folder}/model.mlir", f"{folder}/inputs.safetensors"
    if devices > 1 and "--mesh" not in options:
        options += ["--mesh", f"data={devices}", "--strategy", "ddp"]
    options += ["--microbatches", str(count)]
    with tempfile.TemporaryDirectory() as work:
        inputs, alone = load_file(given), []
        for part in range(count):
            own = dict(inputs)
            for name in batch:
                rows = inputs[name].reshape(devices, count, -1, *inputs[name].shape[1:])[:, part]
                rows = rows.reshape(-1, *inputs[name].shape[1:])
                own[name] = np.ascontiguousarray(np.concatenate([rows] * count))
            save_file(own, f"{work}/own.safetensors")
            alone.append(run(model, f"{work}/own.safetensors", work))
        whole = run(model, given, work)
        micro = run(model, given, work, "--batch-statistics", "micro", *options)
        exact = run(model, given, work, "--batch-statistics", "exact", *options)
    mean = {name: np.mean([results[name] for results in alone], axis=0) for name in whole}
    errors = worst_of(micro, mean), worst_of(exact, whole)
    apart = worst_of(mean, whole)
    print(f"{len(whole)} results: worst error {errors[0]:.2e} (micro), {errors[1]:.2e} (exact); "
          f"the two differ by {apart:.2e}")
    return 0 if max(errors) < 1e-4 < apart else 1


if __name__ == "__main__":
    sys.exit(main())
