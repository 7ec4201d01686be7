#!/usr/bin/env python3
"""Writes a GPT's training step as JAX exports it, with arrays.

Into FOLDER: model.mlir, inputs.safetensors, and expected.safetensors, every
result of the step as JAX computes it on one device. Sizes and forms are the
fields of gpt_model.Form: --heads 6 --vocab 513 --loss masked --clip 1 ...
--fsdp N annotates the step for N devices on an axis `data`: the batch by rows,
parameters and optimizer state by their largest dimension that N divides.
--donate no leaves the step's arguments as they are.
--steps N writes expected_steps.safetensors too: the results of the last of N steps
on the same batch, each on what the one before returned.
--micro M writes expected_micro.safetensors (and with --steps N
expected_micro_steps.safetensors) too: the loss and the gradients are the mean over
M microbatches, which differs where a loss has statistics of its batch. Rows of
--row-devices N devices, of each of which a microbatch has a part.

usage: export_gpt.py FOLDER [--FIELD VALUE ...] [--seed N] [--fsdp N] [--donate no]
         [--steps N] [--micro M [--row-devices N]]
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
from training import in_microbatches  # noqa: E402


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


def options_of(Form, fields):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fsdp", type=int, default=0)
    parser.add_argument("--donate", choices=("yes", "no"), default="yes")
    parser.add_argument("--steps", type=int, default=1)
    parser.add_argument("--micro", type=int, default=1)
    parser.add_argument("--row-devices", type=int, default=1)
    for field in dataclasses.fields(Form):
        parser.add_argument("--" + field.name.replace("_", "-"), type=type(field.default),
                            default=fields.get(field.name, field.default))
    options = parser.parse_args()
    return options, Form(**{field.name: getattr(options, field.name)
                            for field in dataclasses.fields(Form)})


def save_expected(prefix, step, arguments, kept, steps):
    """The results of the first step, and those of the last where there are more;
    first results are the `kept` arguments of the next step."""
    step = jax.jit(step)
    for number in range(steps):
        results = step(*arguments)
        arguments = [results[kept.index(i)] if i in kept else argument
                     for i, argument in enumerate(arguments)]
        if number in (0, steps - 1):
            save(f"{prefix}{'_steps' if number else ''}.safetensors", "out",
                 jax.tree.leaves(results))


def main(Form=Form, make_step=make_step, fields={}):
    """`fields` are defaults other than the Form's."""
    options, form = options_of(Form, fields)
    if options.fsdp:
        jax.config.update("jax_num_cpu_devices", options.fsdp)
    step, arguments, donated = make_step(form, options.seed)
    os.makedirs(options.folder, exist_ok=True)
    # Locations keep the file's name only.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    jit_options = {"donate_argnums": donated if options.donate == "yes" else ()}
    if options.fsdp:
        jit_options["in_shardings"] = fsdp_shardings(arguments, donated, options.fsdp)
    lowered = jax.jit(step, **jit_options).lower(*arguments)
    with open(os.path.join(options.folder, "model.mlir"), "w") as file:
        file.write(lowered.as_text(debug_info=True))
    save(os.path.join(options.folder, "inputs.safetensors"), "arg", jax.tree.leaves(arguments))
    expected = os.path.join(options.folder, "expected")
    save_expected(expected, step, arguments, donated, options.steps)
    if options.micro > 1:
        step, _, _ = make_step(form, options.seed, in_microbatches(options.micro,
                                                                   options.row_devices))
        save_expected(f"{expected}_micro", step, arguments, donated, options.steps)


if __name__ == "__main__":
    main()
