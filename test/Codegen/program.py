"""Runs a program in kernel form step by step, its kernels compiled and its
products by numpy, and compares the results with those of JAX:
  program.py PARTOPT_OPT PARTOPT_KERNEL_TEST WORKDIR MODEL INPUTS EXPECTED

A plain reading of the text is enough here: a program in kernel form has calls,
products and reshapes only.
"""
import ctypes
import os
import re
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file

sys.path.insert(0, os.path.dirname(__file__))
from kernels import call, parse  # noqa: E402

TENSOR = r"tensor<(?:[^<>]|<[^>]*>)*>"


def run(command, output):
    with open(output, "w") as file:
        subprocess.run(command, check=True, stdout=file)
    with open(output) as file:
        return file.read()


def function(text, name):
    header, body = re.search(r"func.func (?:public )?@" + name + r"\((.*?)\) -> ([^\n]*) \{\n(.*?)\n  \}",
                             text, re.S).group(1, 3)
    arguments = re.findall(r"(%arg\d+): (" + TENSOR + ")", header)
    return arguments, body.split("\n")


def product(line, env):
    x, y = (env[v] for v in re.search(r"dot_general (%\S+), (%\S+),", line).groups())
    dims = re.search(r"contracting_dims = \[(\d)\] x \[(\d)\]", line).groups()
    if int(dims[0]) != x.ndim - 1:
        x = np.swapaxes(x, -1, -2)
    if int(dims[1]) != y.ndim - 2:
        y = np.swapaxes(y, -1, -2)
    return np.matmul(x, y)


def execute(text, name, library, inputs):
    arguments, lines = function(text, name)
    env = {name: array for (name, _), array in zip(arguments, inputs)}
    for line in lines:
        line = line.strip()
        if line.startswith("return"):
            return [env[v] for v in re.search(r"return (.*?) :", line)[1].split(", ")]
        target, rest = line.split(" = ", 1)
        types = re.findall(TENSOR, rest.rsplit("->", 1)[1]) if "->" in rest else []
        if rest.startswith("call"):
            name, operands = re.search(r"call @(\w+)\((.*?)\)", rest).groups()
            operands = [env[v] for v in operands.split(", ")] if operands else []
            results = call(library, name, operands, types)
        elif rest.startswith("stablehlo.reshape"):
            value = env[re.search(r"reshape (%\S+)", rest)[1]]
            results = [value.reshape(parse(types[0])[0])]
        else:
            results = [product(rest, env)]
        base = target.split(":")[0]
        env.update({base: results[0], **{f"{base}#{i}": r for i, r in enumerate(results)}})
    raise ValueError("no return")


def main():
    opt, tool, workdir, model, inputs, wanted = sys.argv[1:]
    os.makedirs(workdir, exist_ok=True)
    path = lambda name: os.path.join(workdir, name)  # noqa: E731
    original = run([opt, "--partopt-import", "--partopt-drop-shardings", model], path("a.mlir"))
    form = "--partopt-form-kernels" + ("=gpu=true" if "PARTOPT_TEST_GPU_ARCH" in os.environ else "")
    text = run([opt, form, path("a.mlir")], path("b.mlir"))
    subprocess.run([tool, path("b.mlir"), path("k.so"), "--time"], check=True)
    library = ctypes.CDLL(os.path.abspath(path("k.so")))
    arguments = len(function(original, "main")[0])
    loaded, expected = load_file(inputs), load_file(wanted)
    got = execute(text, "main", library, [loaded[f"arg{i}"] for i in range(arguments)])
    worst = 0
    for i, result in enumerate(got):
        reference = expected[f"out{i}"].astype(np.float64)
        scale = max(np.abs(reference).max(), 1e-30)
        error = np.abs(result.astype(np.float64) - reference).max() / scale
        worst = max(worst, error)
        if not error < 1e-4:
            print(f"result {i}: error {error} of the largest magnitude")
    print(f"{len(got)} results, worst error {worst}")
    return 0 if worst < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
