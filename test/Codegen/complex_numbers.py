"""Elementwise ops on complex numbers against numpy in long double and, at
special points, JAX: complex_numbers.py PARTOPT_KERNEL_TEST WORKDIR

Errors are measured against the size of the exact result, in units of the last
place of the parts' type, over small, ordinary and extreme arguments.
"""
import ctypes
import itertools
import os
import subprocess
import sys

import jax
import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
from kernels import aligned  # noqa: E402

jax.config.update("jax_enable_x64", True)
lax = jax.lax
COUNT = 6000
L = np.clongdouble
TYPES = {"complex<f32>": (np.complex64, np.float32), "complex<f64>": (np.complex128, np.float64)}


def logistic(z):
    with np.errstate(all="ignore"):
        return np.where(z.real < 0, np.exp(z) / (1 + np.exp(z)), 1 / (1 + np.exp(-z)))


def sign(z):
    scale = np.maximum(np.abs(z.real), np.abs(z.imag))
    z = z / np.where(scale == 0, 1, scale)
    return np.where(z == 0, z, z / np.where(z == 0, 1, np.abs(z)))


def cbrt(z):
    angle = np.arctan2(z.imag, z.real) / 3
    return np.cbrt(np.abs(z)) * (np.cos(angle) + 1j * np.sin(angle))


def expm1(z):
    """In the limit, exponentials are zero in every direction, as those of exp."""
    return np.where(z.real == -np.inf, np.asarray(-1, z.dtype), np.expm1(z))


def log1p(z):
    x, y = z.real, z.imag
    near = np.log1p(x * (2 + x) + y * y) / 2
    far = np.log(1 + z)
    result = np.empty_like(z)
    result.real, result.imag = np.where(np.abs(z) < 0.5, near, far.real), np.arctan2(y, 1 + x)
    return result


def power(z, w):
    return np.exp(w * np.log(z))


# Name: exact function, JAX's, kind of arguments, limit in units.
UNARY = {
    "negate": (np.negative, lax.neg, "wide", 0), "sign": (sign, lax.sign, "wide", 2),
    "exponential": (np.exp, lax.exp, "near", 4),
    "exponential_minus_one": (expm1, lax.expm1, "near", 4),
    "log": (np.log, lax.log, "wide", 4), "log_plus_one": (log1p, lax.log1p, "wide", 4),
    "sqrt": (np.sqrt, lax.sqrt, "wide", 4), "rsqrt": (lambda z: 1 / np.sqrt(z), lax.rsqrt, "wide", 6),
    "cbrt": (cbrt, None, "wide", 6), "sine": (np.sin, lax.sin, "near", 4),
    "cosine": (np.cos, lax.cos, "near", 4), "tan": (np.tan, lax.tan, "near", 8),
    "sinh": (np.sinh, lax.sinh, "near", 4), "cosh": (np.cosh, lax.cosh, "near", 4),
    "asin": (np.arcsin, lax.asin, "wide", 4), "acos": (np.arccos, lax.acos, "wide", 4),
    "atan": (np.arctan, lax.atan, "wide", 4), "asinh": (np.arcsinh, lax.asinh, "wide", 4),
    "acosh": (np.arccosh, lax.acosh, "wide", 4), "atanh": (np.arctanh, lax.atanh, "wide", 4),
    "tanh": (np.tanh, lax.tanh, "near", 8), "logistic": (logistic, lax.logistic, "near", 8)}
CHLO = {"sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "conj"}
BINARY = {
    "add": (np.add, lax.add, "middle", 2), "subtract": (np.subtract, lax.sub, "middle", 2),
    "multiply": (np.multiply, lax.mul, "middle", 4), "divide": (np.divide, lax.div, "wide", 6),
    "power": (power, lax.pow, "power", 60)}
POINTS = [complex(re, im) for re, im in itertools.product(
    [0.0, -0.0, 1.0, -1.0, 2.5, -2.5, np.inf, -np.inf, np.nan], repeat=2)]


def arguments(kind, dtype, rng):
    part = np.finfo(dtype).dtype
    top = 80 if part == np.float32 else 600
    half = COUNT // 2

    def parts():
        x = rng.standard_normal(COUNT)
        if kind == "wide":
            limit = 36 if part == np.float32 else 300
            x[:half] *= 10.0 ** rng.uniform(-limit, limit, half)
        elif kind == "middle":
            x[:half] *= 10.0 ** rng.uniform(-10, 10, half)
        elif kind == "near":
            x[:half] *= 10.0 ** rng.uniform(-12, np.log10(top / 5), half)
        return x
    z = parts() + 1j * parts()
    if kind in ("wide", "near"):  # around the unit circle and -1
        angle = rng.uniform(0, 2 * np.pi, 500)
        z[-1000:-500] = np.exp(1j * angle) * (1 + rng.standard_normal(500) * 1e-6)
        z[-500:] = -1 + np.exp(1j * angle) * (1 + rng.standard_normal(500) * 1e-6)
    return z.astype(dtype)


def function_text(name, t, count, result):
    tensor, other = f"tensor<{COUNT}x{t}>", f"tensor<{COUNT}x{result}>"
    arguments = ", ".join(f"%a{i}: {tensor}" for i in range(count))
    operands = ", ".join(f"%a{i}" for i in range(count))
    types = ", ".join([tensor] * count)
    text = f"stablehlo.{name} {operands} : ({types}) -> {other}"
    if name.startswith("compare"):
        text = f"stablehlo.compare {name[-2:]}, {operands}, FLOAT : ({types}) -> {other}"
    if name in CHLO:
        text = f"chlo.{name} {operands} : {tensor} -> {other}"
    symbol = f"k_{name}_{t}_{result}".translate(str.maketrans("<>", "__"))
    return symbol, (f"func.func @{symbol}({arguments}) -> {other} attributes {{partopt.kernel}} {{\n"
                    f"  %r = {text}\n  return %r : {other}\n}}\n")


def all_functions():
    for t, (dtype, part) in TYPES.items():
        real = t[8:11]
        for name in UNARY:
            yield name, t, 1, t, dtype
        for name in BINARY:
            yield name, t, 2, t, dtype
        for name in ("abs", "real", "imag"):
            yield name, t, 1, real, part
        yield "complex", real, 2, t, dtype
        yield "conj", t, 1, t, dtype
        yield "compare_EQ", t, 2, "i1", np.bool_
        yield "compare_NE", t, 2, "i1", np.bool_
        for other, target in (("complex<f32>", np.complex64), ("complex<f64>", np.complex128),
                              ("f32", np.float32), ("i32", np.int32), ("i1", np.bool_)):
            yield "convert", t, 1, other, target
            if "complex" not in other:
                yield "convert", other, 1, t, dtype


class Runner:
    def __init__(self, tool, workdir):
        os.makedirs(workdir, exist_ok=True)
        source, image = os.path.join(workdir, "c.mlir"), os.path.join(workdir, "c.so")
        self.symbols, self.failures, self.count = {}, 0, 0
        texts = {}
        for name, t, count, result, dtype in all_functions():
            symbol, text = function_text(name, t, count, result)
            self.symbols[name, t, result] = symbol, dtype
            texts[symbol] = text
        with open(source, "w") as file:
            file.write("".join(texts.values()))
        subprocess.run([tool, source, image], check=True)
        self.library = ctypes.CDLL(os.path.abspath(image))

    def run(self, name, t, result, columns):
        symbol, dtype = self.symbols[name, t, result]
        buffers = []
        for column in columns:
            buffer = aligned((COUNT,), column.dtype)
            buffer[...] = np.resize(column, COUNT)
            buffers.append(buffer)
        buffers.append(aligned((COUNT,), dtype))
        pointers = [b.ctypes.data for b in buffers]
        getattr(self.library, symbol)((ctypes.c_void_p * len(pointers))(*pointers))
        return buffers[-1][:len(columns[0])]

    def report(self, what, bad, columns, got, expected):
        self.count += 1
        if not np.any(bad):
            return
        self.failures += 1
        examples = [(*(c[i] for c in columns), got[i], expected[i]) for i in np.flatnonzero(bad)[:6]]
        print(f"FAIL {what}: {np.sum(bad)} values (arguments, got, expected) {examples}")


def check_exact(runner, name, t, function, kind, limit, columns):
    dtype, part = TYPES[t]
    got = runner.run(name, t, t, columns)
    with np.errstate(all="ignore"):
        exact = function(*(c.astype(L) for c in columns))
        rounded = exact.astype(dtype)
        size = np.abs(exact)
        unit = np.maximum(size * np.finfo(part).eps / 2, np.finfo(part).smallest_subnormal)
        error = np.abs(got.astype(L) - exact) / unit
        ordinary = (np.isfinite(rounded.real) & np.isfinite(rounded.imag) & np.isfinite(size)
                    & (size < np.finfo(part).max / 4))
        if name == "power":
            ordinary &= size > np.finfo(part).tiny
    bad = ordinary & ~(error <= 2 * limit)
    runner.report(f"{name} of {t}", bad, columns, got, rounded)
    print(f"{name} of {t}: at most {np.max(np.where(ordinary, error, 0)) / 2:.2f} units")


def kinds(x):
    """NaN, infinities with their sign, zeros, other numbers."""
    return np.where(np.isnan(x), 9, np.where(np.isinf(x), np.sign(x), np.where(x == 0, 4, 5)))


def differ(got, expected):
    return (kinds(got.real) != kinds(expected.real)) | (kinds(got.imag) != kinds(expected.imag))


def check_points(runner, name, t, exact, in_jax, columns, result=None):
    """What XLA gives, or C (numpy), which keeps some limits that XLA loses."""
    got = runner.run(name, t, result or t, columns)
    with np.errstate(all="ignore"):
        expected = np.asarray(in_jax(*[c.copy() for c in columns]))
        other = exact(*columns)
    bad = differ(got, expected) & differ(got, other)
    if name == "power":  # that of real numbers, where both are and z is positive
        z, w = columns
        bad &= ~((z.imag == 0) & (w.imag == 0) & (z.real > 0))
    runner.report(f"points of {name} of {t}", bad, [*columns, expected], got, other)


def main():
    runner = Runner(*sys.argv[1:])
    for t, (dtype, part) in TYPES.items():
        rng = np.random.default_rng(1)
        real = t[8:11]
        points = np.array(POINTS, dtype)
        pairs = np.array(list(itertools.product(POINTS, POINTS)), dtype)[:COUNT].T
        for table, count in ((UNARY, 1), (BINARY, 2)):
            for name, (function, in_jax, kind, limit) in table.items():
                columns = [arguments(kind, dtype, rng) for _ in range(count)]
                check_exact(runner, name, t, function, kind, limit, columns)
                if in_jax:
                    special = [points] if count == 1 else [c.copy() for c in pairs]
                    check_points(runner, name, t, function, in_jax, special)
        z, w = arguments("wide", dtype, rng), arguments("wide", dtype, rng)
        w[::3] = z[::3]
        with np.errstate(all="ignore"):
            for name, function in (("real", np.real), ("imag", np.imag)):
                got = runner.run(name, t, real, [z])
                runner.report(f"{name} of {t}", got != function(z), [z], got, function(z))
            size = np.abs(z.astype(L))
            got = runner.run("abs", t, real, [z])
            bad = ~(np.abs(got - size) <= size * np.finfo(part).eps * 1.01
                    + np.finfo(part).smallest_subnormal) & (size < np.finfo(part).max)
            runner.report(f"abs of {t}", bad, [z], got, size)
            check_points(runner, "abs", t, np.abs, lax.abs, [points], real)
            got = runner.run("complex", real, t, [z.real, w.imag])
            runner.report(f"complex to {t}", (got.real != z.real) | (got.imag != w.imag), [z, w], got, z)
            got = runner.run("conj", t, t, [z])
            runner.report(f"conj of {t}", got != np.conj(z), [z], got, np.conj(z))
            for name, function in (("compare_EQ", np.equal), ("compare_NE", np.not_equal)):
                for a, b in ((z, w), pairs):
                    got = runner.run(name, t, "i1", [a, b])
                    runner.report(f"{name} of {t}", got != function(a, b), [a, b], got, function(a, b))
            x = rng.standard_normal(COUNT) * 1000
            z = (x + 1j * rng.standard_normal(COUNT)).astype(dtype)
            z[::5] = 0
            z[1::5] = 1j
            for other, target in (("complex<f32>", np.complex64), ("complex<f64>", np.complex128),
                                  ("f32", np.float32), ("i32", np.int32), ("i1", np.bool_)):
                got = runner.run("convert", t, other, [z])
                expected = z.astype(target) if "complex" in other or other == "i1" else z.real.astype(target)
                runner.report(f"convert {t} to {other}", got != expected, [z], got, expected)
                if "complex" not in other:
                    got = runner.run("convert", other, t, [x.astype(target)])
                    expected = x.astype(target).astype(dtype)
                    runner.report(f"convert {other} to {t}", got != expected, [x], got, expected)
    print(f"{runner.count} checks, {runner.failures} failures")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
