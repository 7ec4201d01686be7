#!/usr/bin/env python3
"""Writes a run of a training step on fresh batches, as JAX computes it.

Beside MODEL/inputs.safetensors it writes
  batches/NN.safetensors     the batch arguments of step NN
  batches.losses.json        JAX's loss of each step, on one device
  batches.final.safetensors  every result of the last step (out0, out1, ...)
The step is MODEL/model.mlir itself, compiled by XLA; results that alias
arguments (tf.aliasing_output) are fed back.

usage: export_batches.py MODEL_DIR [--steps 20] [--seed 1]
"""
import argparse
import json
import os
import re
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

sys.path.insert(0, os.path.dirname(__file__))
import jax_module  # noqa: E402


def main_arguments(text):
    """Per argument of @main: (shape, element type, result that takes it or None)."""
    module = jax_module.parse(text)
    main = next(op for op in module.body.operations if op.name.value == "main")
    found = []
    for kind, attributes in zip(main.type.inputs, main.arg_attrs):
        alias = re.search(r"tf\.aliasing_output = (\d+)", str(attributes))
        shape, _, element = re.fullmatch(r"tensor<((?:\d+x)*)()(\w+)>", str(kind)).groups()
        found.append(([int(n) for n in shape.split("x") if n], element,
                      int(alias.group(1)) if alias else None))
    return found


def new_batch(arguments, inputs, random):
    """Fresh arrays for the arguments that nothing feeds back: integers in the
    range that the model's own inputs span, floats of their scale."""
    batch = {}
    for index, (shape, element, alias) in enumerate(arguments):
        if alias is not None:
            continue
        like = inputs[f"arg{index}"]
        if np.issubdtype(like.dtype, np.integer):
            array = random.integers(0, like.max() + 1, size=shape, dtype=like.dtype)
        else:
            array = (random.standard_normal(shape) * like.std()).astype(like.dtype)
        batch[f"arg{index}"] = array
    return batch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    with open(f"{options.model}/model.mlir") as file:
        text = file.read()
    arguments = main_arguments(text)
    step = jax_module.Step(text)
    inputs = load_file(f"{options.model}/inputs.safetensors")
    random = np.random.default_rng(options.seed)
    os.makedirs(f"{options.model}/batches", exist_ok=True)

    state = dict(inputs)
    losses = []
    for number in range(options.steps):
        batch = new_batch(arguments, inputs, random)
        save_file(batch, f"{options.model}/batches/{number:02d}.safetensors")
        state.update(batch)
        results = step.run([state[f"arg{i}"] for i in range(len(arguments))])
        for index, (_, _, alias) in enumerate(arguments):
            if alias is not None:
                state[f"arg{index}"] = results[alias]
        losses.append(float(next(r for r in reversed(results) if r.ndim == 0)))
    with open(f"{options.model}/batches.losses.json", "w") as file:
        json.dump({"seed": options.seed, "losses": losses}, file, indent=1)
        file.write("\n")
    save_file({f"out{i}": np.array(r, order="C") for i, r in enumerate(results)},
              f"{options.model}/batches.final.safetensors")


if __name__ == "__main__":
    main()
