#!/usr/bin/env python3
"""Writes the training step of a deep model as JAX exports it, with arrays.

MODEL is one of
  gpt_deep  8 layers of gpt_model, the embedding tied to the output, gradients clipped
  mlp_deep  16 residual layers of stack_model
  moe_deep  8 layers of moe_model with a loss that balances experts, a statistic of
            the batch: microbatches have results of their own, see --micro
  skip      8 layers of stack_model: as in a U-Net, layer i's output is added to
            layer 7-i's input (--form concat: put beside it)
  scan      8 layers of stack_model by lax.scan, parameters stacked
each with Adam (--optimizer sgd) and a batch of 32. Files and options are those of
export_gpt.py; fields are those of the model's Form.

usage: export_deep.py MODEL FOLDER [--FIELD VALUE ...] [--seed N] [--donate no]
         [--steps N] [--micro M [--row-devices N]]
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import gpt_model  # noqa: E402
import moe_model  # noqa: E402
import stack_model  # noqa: E402
from export_gpt import main  # noqa: E402

MODELS = {
    "gpt_deep": (gpt_model, {"layers": 8, "batch": 32, "scale": 0.15, "clip": 0.5}),
    "mlp_deep": (stack_model, {"layers": 16}),
    "moe_deep": (moe_model, {"form": "masked", "layers": 8, "batch": 32, "scale": 0.15,
                             "balance": 1.0, "optimizer": "adam"}),
    "skip": (stack_model, {"form": "add"}),
    "scan": (stack_model, {"form": "scan"}),
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in MODELS:
        sys.exit(f"usage: export_deep.py {'|'.join(MODELS)} FOLDER [options]")
    model, fields = MODELS[sys.argv.pop(1)]
    main(model.Form, model.make_step, fields)
