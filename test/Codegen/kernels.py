"""Runs the kernel of every case and compares it with StableHLO's reference
interpreter: kernels.py PARTOPT_KERNEL_TEST WORKDIR [NAME...]

Integers, booleans and moved floats must be equal bit for bit; computed floats
agree within a few units in the last place of their type.
"""
import ctypes
import os
import re
import subprocess
import sys

import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

sys.path.insert(0, os.path.dirname(__file__))
from convolution_cases import FORMS, reference as xla_convolution  # noqa: E402
from kernel_cases import REFERENCE_BODIES, all_cases  # noqa: E402

DTYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16,
          "complex<f32>": np.complex64, "complex<f64>": np.complex128,
          "f16": np.float16, "i1": np.bool_,
          **{f"i{n}": getattr(np, f"int{n}") for n in (8, 16, 32, 64)},
          **{f"ui{n}": getattr(np, f"uint{n}") for n in (8, 16, 32, 64)}}
# Rounding errors of a few operations; sums of some dozens of elements.
TOLERANCE = {"f32": 1e-6, "f64": 1e-14, "bf16": 3e-2, "f16": 4e-3,
             "complex<f32>": 1e-6, "complex<f64>": 1e-14}
EXACT = re.compile(r"broadcast|reshape|transpose|reverse|slice|pad|concat|iota|constant|gather|"
                   r"select|clamp|sort|top_k|returned|bitcast|compare|abs|negate|sign_|maximum|minimum")


def parse(tensor_type):
    dims, element = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", tensor_type).groups()
    return tuple(map(int, dims.split("x")[:-1])), element


def part_type(tensor_type):
    """The type of the real parts of a tensor of complex numbers; else None."""
    match = re.fullmatch(r"(.*)complex<(f\d\d)>>", tensor_type)
    return match and match[1] + match[2] + ">"


def random_array(rng, tensor_type, kind):
    shape, element = parse(tensor_type)
    dtype = DTYPES[element]
    if part_type(tensor_type):
        parts = [random_array(rng, part_type(tensor_type), kind) for _ in range(2)]
        return (parts[0] + 1j * parts[1]).astype(dtype)
    if element == "i1":
        return rng.random(shape) < 0.5
    if "i" in element:
        info = np.iinfo(dtype)
        low, high = {"shift": (0, info.bits), "nonzero": (1, info.max), "index": (0, 9),
                     "small": (0 if element[0] == "u" else -3, 4), "exponent": (0, 5),
                     "few": (0, 3), "unit": (0, 4), "low": (-2, 0), "high": (1, 3),
                     "convert": (max(info.min, -1000), min(info.max, 1000)),
                     }.get(kind, (info.min, info.max))
        if kind == "index" and element[0] != "u":
            low = -3
        return rng.integers(low, high, shape, dtype, endpoint=kind in ("any", "nonzero"))
    values = rng.standard_normal(shape) * 2
    if kind == "positive":
        values = np.abs(values) + 0.1
    elif kind == "few":
        values = rng.integers(0, 3, shape).astype(np.float64)
        values = np.where(values == 2, np.nan, values)
    elif kind == "unit":
        values = rng.standard_normal(shape)
    elif kind in ("wide", "convert"):
        values = rng.standard_normal(shape) * 50
        if kind == "convert":
            values = np.abs(values)
    elif kind == "special":
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-3, -30.0, 30.0, 1e-30])
        values = np.where(rng.random(shape) < 0.5, rng.choice(special, shape), values)
    elif kind == "low":
        values = -np.abs(values)
    elif kind == "high":
        values = np.abs(values)
    return np.asarray(values).astype(dtype)


def module_text(case, name, attributes):
    _, arguments, results, body = case
    inputs = ", ".join(f"%a{i}: {t}" for i, (t, _) in enumerate(arguments))
    outputs = ", ".join(results)
    return f"func.func @{name}({inputs}) -> ({outputs}) {attributes} {{\n{body}\n}}\n"


def compiled(tool, workdir, text, *options):
    """The library of the kernels in `text`."""
    os.makedirs(workdir, exist_ok=True)
    source, image = os.path.join(workdir, "kernels.mlir"), os.path.join(workdir, "kernels.so")
    with open(source, "w") as file:
        file.write(text)
    subprocess.run([tool, source, image, *options], check=True)
    return ctypes.CDLL(os.path.abspath(image))


def aligned(shape, dtype):
    """A buffer as the executor gives it; filled with bytes that must go."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.full(size + 64, 0xA5, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + size].view(dtype).reshape(shape)


def call(library, name, inputs, results):
    buffers = []
    for array in inputs:
        buffer = aligned(array.shape, array.dtype)
        buffer[...] = array
        buffers.append(buffer)
    outputs = [aligned(*(lambda s, e: (s, DTYPES[e]))(*parse(t))) for t in results]
    pointers = [b.ctypes.data for b in buffers + outputs]
    getattr(library, name)((ctypes.c_void_p * len(pointers))(*pointers))
    return outputs


def attribute(array, tensor_type):
    if array.size == 0:
        return ir.Attribute.parse(f"dense<> : {tensor_type}")
    context_types = {np.dtype(ml_dtypes.bfloat16): ir.BF16Type}
    if array.dtype == np.bool_:
        boolean = ir.IntegerType.get_signless(1)
        return ir.DenseElementsAttr.get([ir.IntegerAttr.get(boolean, int(v)) for v in array.flat],
                                        ir.RankedTensorType.get(array.shape, boolean))
    if array.dtype in context_types:
        return ir.DenseElementsAttr.get(array.view(np.uint16), shape=array.shape,
                                        type=context_types[array.dtype].get())
    if array.dtype.kind == "u":
        return ir.DenseElementsAttr.get(
            array, shape=array.shape, type=ir.IntegerType.get_unsigned(8 * array.itemsize))
    return ir.DenseElementsAttr.get(array, shape=array.shape)


# Element types that the Python bindings read as another, wider one.
READ_AS = {"bf16": "f32", "f16": "f32", "i1": "i8"}


def values(attr, tensor_type):
    shape, element = parse(tensor_type)
    element = READ_AS.get(element, element)
    if 0 in shape:
        return np.zeros(shape, DTYPES[element])
    if attr.is_splat:
        return np.full(shape, attr.get_splat_value().value).astype(DTYPES[element])
    return np.array(attr).reshape(shape)


def widened(case):
    """The case with conversions of the results that cannot be read."""
    name, arguments, results, body = case
    body = REFERENCE_BODIES.get(name, body)
    *lines, last = body.rstrip().split("\n")
    names = last.removeprefix("return ").split(" : ")[0].split(", ")
    types = []
    for i, (value, t) in enumerate(zip(names, results)):
        shape, element = parse(t)
        if element in READ_AS:
            wide = t.replace(element + ">", READ_AS[element] + ">")
            lines.append(f"%w{i} = stablehlo.convert {value} : ({t}) -> {wide}")
            names[i], t = f"%w{i}", wide
        types.append(t)
    lines.append(f"return {', '.join(names)} : {', '.join(types)}")
    return name, arguments, types, "\n".join(lines)


def in_parts(case, inputs):
    """The case on real and imaginary parts: the bindings have no complex arrays."""
    name, arguments, results, body = case
    body = REFERENCE_BODIES.get(name, body)
    *lines, last = body.rstrip().split("\n")
    first, new_arguments, new_inputs = [], [], []
    for i, ((t, kind), array) in enumerate(zip(arguments, inputs)):
        place = len(new_arguments)
        part = part_type(t)
        if part:
            first.append(f"%c{i} = stablehlo.complex %a{place}, %a{place + 1} : {t}")
            new_arguments += [(part, kind)] * 2
            new_inputs += [array.real.copy(), array.imag.copy()]
        else:
            first.append(f"%c{i} = stablehlo.reshape %a{place} : ({t}) -> {t}")
            new_arguments.append((t, kind))
            new_inputs.append(array)
    lines = [re.sub(r"%a(\d+)", r"%c\1", line) for line in lines]
    last = re.sub(r"%a(\d+)", r"%c\1", last)
    names = last.removeprefix("return ").split(" : ")[0].split(", ")
    new_names, types = [], []
    for i, (value, t) in enumerate(zip(names, results)):
        part = part_type(t)
        for op in ("real", "imag") if part else ():
            lines.append(f"%{op}{i} = stablehlo.{op} {value} : ({t}) -> {part}")
        new_names += [f"%real{i}", f"%imag{i}"] if part else [value]
        types += [part] * 2 if part else [t]
    lines.append(f"return {', '.join(new_names)} : {', '.join(types)}")
    return ("in_parts", new_arguments, types, "\n".join(first + lines)), new_inputs


def joined(parts, results):
    parts = iter(parts)
    return [(next(parts) + 1j * next(parts)).astype(DTYPES[parse(t)[1]]) if part_type(t)
            else next(parts) for t in results]


def reference(case, inputs):
    if any(part_type(t) for t in [t for t, _ in case[1]] + case[2]) and case[0] not in FORMS:
        parts, values_of_parts = in_parts(case, inputs)
        return joined(reference(parts, values_of_parts), case[2])
    if case[0] in FORMS:
        shape, element = parse(case[2][0])
        result = xla_convolution(case[0], inputs, DTYPES[element])
        return [np.zeros(shape, DTYPES[element]) if result is None else result]
    with jax_mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(module_text(widened(case), "main", ""))
        results = stablehlo.eval_module(module, [attribute(a, t) for a, (t, _) in zip(inputs, case[1])])
        return [values(ir.DenseElementsAttr(r), t).astype(DTYPES[parse(t)[1]])
                for r, t in zip(results, case[2])]


def differs(name, got, expected, tensor_type):
    element = parse(tensor_type)[1]
    if element not in TOLERANCE or EXACT.search(name):
        same = (got == expected) | ((got != got) & (expected != expected))
        return not np.all(same) and f"{got} instead of {expected}"
    wide = np.complex128 if "complex" in element else np.float64
    a, b = got.astype(wide), expected.astype(wide)
    # The reference rounds every partial sum; kernels round the sum.
    is_sum = re.search("reduce|dot|convolution|window", name)
    tolerance = TOLERANCE[element] * (4 if is_sum else 1)
    floor = tolerance
    if "convolution" in name and b.size:
        floor = max(floor, 4 * tolerance * np.abs(b).max())
    if np.allclose(a, b, rtol=tolerance, atol=floor, equal_nan=True):
        return False
    return f"worst {np.nanmax(np.abs(a - b))}: {got} instead of {expected}"


def main():
    tool, workdir, *names = sys.argv[1:]
    os.makedirs(workdir, exist_ok=True)
    cases = [c for c in all_cases() if not names or c[0] in names]
    source, image = os.path.join(workdir, "cases.mlir"), os.path.join(workdir, "cases.so")
    with open(source, "w") as file:
        for case in cases:
            file.write(module_text(case, "k_" + case[0], "attributes {partopt.kernel}"))
    subprocess.run([tool, source, image, "--time"], check=True)
    library = ctypes.CDLL(os.path.abspath(image))
    failures = 0
    for index, case in enumerate(cases):
        name, arguments, results, _ = case
        rng = np.random.default_rng(index)
        inputs = [random_array(rng, t, kind) for t, kind in arguments]
        with np.errstate(all="ignore"):
            got = call(library, "k_" + name, inputs, results)
            expected = reference(case, inputs)
            for r, (a, b, t) in enumerate(zip(got, expected, results)):
                text = differs(name, a, b, t)
                if text:
                    failures += 1
                    print(f"FAIL {name} result {r}: {text}; inputs {inputs}"[:1500], flush=True)
    print(f"{len(cases)} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
