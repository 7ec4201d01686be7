#!/usr/bin/env python3
"""Writes a GPT's training step as JAX exports it, with arrays.

Into FOLDER: model.mlir, inputs.safetensors, and expected.safetensors, every
result of the step as JAX computes it on one device. Sizes and forms are the
fields of gpt_model.Form: --heads 6 --vocab 513 --loss masked --clip 1 ...

usage: export_gpt.py FOLDER [--FIELD VALUE ...] [--seed N]
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


def main(Form=Form, make_step=make_step):
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=0)
    for field in dataclasses.fields(Form):
        parser.add_argument("--" + field.name.replace("_", "-"), type=type(field.default),
                            default=field.default)
    options = vars(parser.parse_args())
    folder, seed = options.pop("folder"), options.pop("seed")
    step, arguments, donated = make_step(Form(**options), seed)
    os.makedirs(folder, exist_ok=True)
    # Locations keep the file's name only.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    lowered = jax.jit(step, donate_argnums=donated).lower(*arguments)
    with open(os.path.join(folder, "model.mlir"), "w") as file:
        file.write(lowered.as_text(debug_info=True))
    save(os.path.join(folder, "inputs.safetensors"), "arg", jax.tree.leaves(arguments))
    save(os.path.join(folder, "expected.safetensors"), "out", jax.tree.leaves(jax.jit(step)(
        *arguments)))


if __name__ == "__main__":
    main()
