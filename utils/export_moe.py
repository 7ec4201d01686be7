#!/usr/bin/env python3
"""Writes a mixture of experts' training step as JAX exports it, with arrays.

Into FOLDER: model.mlir, inputs.safetensors and expected.safetensors, as
export_gpt.py writes them. Sizes and forms are the fields of moe_model.Form:
--form ragged --experts 6 --optimizer sgd ...

usage: export_moe.py FOLDER [--FIELD VALUE ...] [--seed N]
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
from export_gpt import main  # noqa: E402
from moe_model import Form, make_step  # noqa: E402

if __name__ == "__main__":
    main(Form, make_step)
