#!/usr/bin/env python3
"""Writes a GPT's training step as JAX exports it, with arrays.

Into FOLDER: model.mlir, inputs.safetensors, and expected.safetensors, every
result of the step as JAX computes it on one device. Sizes and forms are the
fields of gpt_model.Form: --heads 6 --vocab 513 --loss masked --clip 1 ...
--fsdp N annotates the step for N devices on an axis `data`: the batch by rows,
parameters and optimizer state by their largest dimension that N divides.
--donate no leaves the step's arguments as they are.

usage: export_gpt.py FOLDER [--FIELD VALUE ...] [--seed N] [--fsdp N] [--donate no]
"""
import argparse
import dataclasses
import os
import sys

import jax
import numpy
from safetensors.numpy import save_file

sys.path.insert(0, os.path.dirname(__file__))
from gpt_model import Form, make_step  # noqa: E402


def save(path, prefix, values):
    save_file({f"{prefix}{i}": numpy.array(v, order="C") for i, v in enumerate(values)}, path)


def fsdp_sharding(mesh, batch):
    """A function from an argument to its sharding: rows of a batch, else the
    largest dimension that the devices divide."""
    def sharding(value):
        dim = 0 if batch else next((d for d in sorted(
            range(value.ndim), key=lambda d: -value.shape[d]) if value.shape[d] % mesh.size == 0),
            None)
        spec = [None] * value.ndim
        if dim is not None:
            spec[dim] = "data"
        return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec))
    return sharding


def fsdp_shardings(arguments, kept, devices):
    """Those of a step's arguments on `devices` devices; what is not `kept` from
    step to step is a batch."""
    mesh = jax.make_mesh((devices,), ("data",),
                         axis_types=(jax.sharding.AxisType.Auto,))
    return tuple(jax.tree.map(fsdp_sharding(mesh, batch=i not in kept), argument)
                 for i, argument in enumerate(arguments))


def main(Form=Form, make_step=make_step):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fsdp", type=int, default=0)
    parser.add_argument("--donate", choices=("yes", "no"), default="yes")
    for field in dataclasses.fields(Form):
        parser.add_argument("--" + field.name.replace("_", "-"), type=type(field.default),
                            default=field.default)
    options = vars(parser.parse_args())
    folder, seed, devices = options.pop("folder"), options.pop("seed"), options.pop("fsdp")
    if devices:
        jax.config.update("jax_num_cpu_devices", devices)
    donate = options.pop("donate") == "yes"
    step, arguments, donated = make_step(Form(**options), seed)
    os.makedirs(folder, exist_ok=True)
    # Locations keep the file's name only.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    options = {"donate_argnums": donated if donate else ()}
    if devices:
        options["in_shardings"] = fsdp_shardings(arguments, donated, devices)
    jitted = jax.jit(step, **options)
    lowered = jitted.lower(*arguments)
    with open(os.path.join(folder, "model.mlir"), "w") as file:
        file.write(lowered.as_text(debug_info=True))
    save(os.path.join(folder, "inputs.safetensors"), "arg", jax.tree.leaves(arguments))
    save(os.path.join(folder, "expected.safetensors"), "out", jax.tree.leaves(jax.jit(step)(
        *arguments)))


if __name__ == "__main__":
    main()
