"""Runs linear_regression.mlir on two devices with gradients reduced and
parameters gathered in narrower types, and compares bit by bit with numpy, which
rounds at the same places: everything else is exact in f32 by the choice of
inputs.

usage: check_communication_types.py MODEL STRATEGY GRAD_TYPE GATHER_TYPE

It fails unless results are equal, differ from those of f32 where a type is
narrower, and the transport counts the bytes of the types.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy
from safetensors.numpy import load_file, save_file

model, strategy, grad_type, gather_type = sys.argv[1:]
WIDTH = {"f32": 4, "bf16": 2, "f16": 2}


def rounded(array, kind):
    """To the nearest number of the type, ties to even."""
    if kind == "f32":
        return array
    if kind == "f16":
        return array.astype(numpy.float16).astype(numpy.float32)
    bits = array.astype(numpy.float32).view(numpy.uint32).astype(numpy.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(numpy.uint32).view(numpy.float32)


random = numpy.random.default_rng(4)
# Eleven bits of mantissa are too many for bf16, and sums of a few products of
# these fit f32.
w = ((random.integers(-1023, 1024, (8, 4)) * 2 + 1) / 1024).astype(numpy.float32)
x = random.integers(-3, 4, (4, 8)).astype(numpy.float32)
y = random.integers(-9, 10, (4, 4)).astype(numpy.float32)


def step(grad, gather):
    forward = rounded(w, gather) if strategy == "fsdp" else w
    halves = [rounded(x[rows].T @ (x[rows] @ forward - y[rows]), grad)
              for rows in (slice(0, 2), slice(2, 4))]
    difference = x @ forward - y
    return w - rounded(halves[0] + halves[1], grad) / 16, (difference * difference).sum()


expected, loss = step(grad_type, gather_type)
with tempfile.TemporaryDirectory() as work:
    inputs, outputs, path = (os.path.join(work, name) for name in
                             ("in.safetensors", "out.safetensors", "r.json"))
    save_file({"arg0": w, "arg1": x, "arg2": y}, inputs)
    subprocess.run(["partopt", "run", model, "--strategy", strategy, "--mesh", "data=2",
                    "--inputs", inputs, "--outputs", outputs, "--report-json", path, "--quiet",
                    "--grad-reduce-dtype", grad_type]
                   + (["--param-gather-dtype", gather_type] if strategy == "fsdp" else []),
                   check=True)
    got = load_file(outputs)
    with open(path) as file:
        report = json.load(file)
new = next(array for array in got.values() if array.ndim == 2)
assert new.dtype == numpy.float32, new.dtype
assert numpy.array_equal(new, expected), numpy.abs(new - expected).max()
got_loss = float(next(array for array in got.values() if array.ndim == 0))
assert abs(got_loss - loss) <= 1e-5 * loss
full, _ = step("f32", "f32")
is_narrow = grad_type != "f32" or (strategy == "fsdp" and gather_type != "f32")
assert is_narrow != numpy.array_equal(new, full), "the type makes no difference"
# Half of 32 elements once each way, both ways for an all-reduce; the loss in f32.
elements = 16 * (WIDTH[grad_type] * (1 if strategy == "fsdp" else 2)
                 + (WIDTH[gather_type] if strategy == "fsdp" else 0))
assert max(report["measured"]["wire_bytes_sent"]) == elements + 4, report["measured"]
types = {c["kind"]: c["type"] for c in report["collectives"] if c["payload_bytes"] > 4}
print(f"{strategy}: equal bit by bit, {types}, {elements} bytes")
