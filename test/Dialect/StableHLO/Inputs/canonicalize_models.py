"""Canonicalizes models and runs both forms in StableHLO's reference interpreter
(part of jaxlib): every result must have the same bits.

usage: canonicalize_models.py MODELS NAME...
"""
import os
import pathlib
import subprocess
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from safetensors.numpy import load_file


def opt(path, *flags):
    done = subprocess.run(["partopt-opt", *flags, path], capture_output=True, text=True)
    return done.stdout if not done.returncode else sys.exit(done.stderr[:2000])


def run(text, inputs):
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        results = stablehlo.eval_module(module, [ir.DenseElementsAttr.get(each) for each in inputs])
        return [str(each) if each.is_splat else np.array(each).tobytes() for each in results]


for name in sys.argv[2:]:
    folder = pathlib.Path(sys.argv[1]) / name
    arrays = load_file(folder / "inputs.safetensors")
    inputs = [arrays[f"arg{index}"] for index in range(len(arrays))]
    model = folder / "model.mlir"
    before, after = opt(model), opt(model, "-canonicalize", "-cse", "-canonicalize")
    same = run(before, inputs) == run(after, inputs)
    print(f"{name}: {before.count(' = ')} ops, then {after.count(' = ')}: {'same bits' if same else 'different'}")
