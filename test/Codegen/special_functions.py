"""Special functions of chlo against exact values, scipy and JAX:
special_functions.py PARTOPT_KERNEL_TEST WORKDIR

Exact values (special_values.py) hold within some units in the last place of
every element type, or of the largest term where the function has a zero near.
Random arguments are compared with scipy; at special points (poles, zeros,
infinities, NaN, arguments out of the domain) the results are JAX's.
"""
import itertools
import os
import sys

import jax
import numpy as np
import scipy.special

sys.path.insert(0, os.path.dirname(__file__))
from kernels import DTYPES, call, compiled  # noqa: E402
from special_values import VALUES  # noqa: E402

jax.config.update("jax_enable_x64", True)

COUNT = 4096
JAX = {"lgamma": jax.lax.lgamma, "digamma": jax.lax.digamma, "erfc": jax.lax.erfc,
       "bessel_i1e": jax.lax.bessel_i1e, "erf_inv": jax.lax.erf_inv, "zeta": jax.lax.zeta,
       "polygamma": jax.lax.polygamma, "next_after": jax.lax.nextafter}
BINARY = {"zeta", "polygamma", "next_after"}
SCIPY = {"lgamma": scipy.special.gammaln, "digamma": scipy.special.digamma,
         "erfc": scipy.special.erfc, "bessel_i1e": scipy.special.i1e,
         "erf_inv": scipy.special.erfinv, "zeta": scipy.special.zeta,
         "polygamma": lambda n, x: scipy.special.polygamma(n.astype(int), x)}
# Units in the last place of exact values; those of f64 are sums of some terms.
LIMITS = {"f64": 8, "f32": 1, "bf16": 1, "f16": 1}
POWERS = {"f64": 1000}  # powers of large numbers: zeta and polygamma
INF, NAN = np.inf, np.nan
POINTS = [0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 2.0, -2.0, -3.0, -4.0, 0.5, 1.5, -1.5, 1e-30, -1e-30,
          1e30, -1e30, 5.0, 30.0, -30.0]


def compile_kernels(tool, workdir, cases):
    text = ""
    for name, t, count in cases:
        tensor = f"tensor<{COUNT}x{t}>"
        arguments = ", ".join(f"%a{i}: {tensor}" for i in range(count))
        operands = ", ".join(f"%a{i}" for i in range(count))
        types = ", ".join([tensor] * count)
        text += (f"func.func @k_{name}_{t}({arguments}) -> {tensor} attributes {{partopt.kernel}} "
                 f"{{\n  %r = chlo.{name} {operands} : {types} -> {tensor}\n  return %r : {tensor}\n}}\n")
    return compiled(tool, workdir, text)


class Runner:
    def __init__(self, library):
        self.library, self.failures = library, 0

    def run(self, name, t, columns):
        """The kernel on columns of any length up to COUNT."""
        length = len(columns[0])
        inputs = [np.resize(np.asarray(c, np.float64).astype(DTYPES[t]), COUNT) for c in columns]
        result, = call(self.library, f"k_{name}_{t}", inputs, [f"tensor<{COUNT}x{t}>"])
        return [i[:length] for i in inputs], result[:length]

    def report(self, what, bad, columns, got, expected):
        if not np.any(bad):
            return
        self.failures += 1
        examples = [(*(float(c[i]) for c in columns), float(got[i]), float(expected[i]))
                    for i in np.flatnonzero(bad)[:6]]
        print(f"FAIL {what}: {np.sum(bad)} values (arguments, got, expected) {examples}")


def spacing(t, values):
    """The unit in the last place of `values` in type `t`, as f64."""
    digits = {"f64": 52, "f32": 23, "bf16": 7, "f16": 10}[t]
    lowest = {"f64": -1022, "f32": -126, "bf16": -126, "f16": -14}[t]
    _, exponent = np.frexp(values)
    return np.ldexp(1.0, np.maximum(exponent - 1, lowest) - digits)


def check_values(runner, name, t):
    """Only arguments that the type has, and values in its range."""
    rows = np.array(VALUES[name])
    columns, expected = list(rows.T[:-1]), rows.T[-1]
    exact = np.all([c.astype(DTYPES[t]).astype(np.float64) == c for c in columns], axis=0)
    inputs, got = runner.run(name, t, columns)
    got = got.astype(np.float64)
    with np.errstate(all="ignore"):
        rounded = expected.astype(DTYPES[t]).astype(np.float64)
        limit = max(LIMITS[t], POWERS.get(t, 0) if name in ("zeta", "polygamma") else 0)
        # Sums of positive and negative terms have no more digits than the terms.
        scale = np.maximum(np.abs(expected), 1.0 if name in ("digamma", "lgamma") else 0)
        if name in ("zeta", "polygamma"):
            scale = np.where(columns[-1] < 0, np.maximum(scale, 1.0), scale)
        error = np.abs(got - expected) / spacing(t, scale)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    bad = exact & ~same & ~(error <= limit)
    runner.report(f"value of {name}_{t}", bad, inputs, got, expected)
    print(f"{name}_{t}: {exact.sum()} values, at most {np.max(np.where(exact & ~same, error, 0)):.2f} ulp")


def arguments(name, rng):
    if name == "zeta":
        return [1 + np.exp(rng.uniform(-3, 4, COUNT)), np.exp(rng.uniform(-3, 6, COUNT))]
    if name == "polygamma":
        return [rng.integers(0, 30, COUNT).astype(np.float64), np.exp(rng.uniform(-3, 6, COUNT))]
    if name == "erf_inv":
        return [np.tanh(rng.standard_normal(COUNT) * 4)]
    x = rng.standard_normal(COUNT) * np.exp(rng.uniform(-3, 4, COUNT))
    if name == "digamma":  # scipy loses digits at the poles
        x = np.where((x < 0) & (np.abs(x - np.round(x)) < 1e-2), 0.5, x)
    return [x]


def check_random(runner, name, t):
    inputs, got = runner.run(name, t, arguments(name, np.random.default_rng(3)))
    with np.errstate(all="ignore"):
        wide = [i.astype(np.float64) for i in inputs]
        expected = SCIPY[name](*wide)
        if name == "digamma":
            expected = np.where((wide[0] <= 0) & (wide[0] == np.floor(wide[0])), np.nan, expected)
        rounded = expected.astype(DTYPES[t]).astype(np.float64)
        got = got.astype(np.float64)
        tolerance = {"f64": 1e-11 if name in ("zeta", "polygamma") else 1e-12, "f32": 1.3e-7,
                     "bf16": 8e-3, "f16": 1e-3}[t]
        floor = tolerance * (name in ("lgamma", "digamma")) * 10 + spacing(t, np.zeros(1))
        if name == "erf_inv" and t == "f32":
            tolerance = 1e-4  # the tail, where 1 - x^2 is a few roundings of f32
        bad = ~((np.abs(got - expected) <= tolerance * np.abs(expected) + floor)
                | (got == rounded) | (np.isnan(got) & np.isnan(expected)))
    runner.report(f"random {name}_{t}", bad, inputs, got, expected)


def check_points(runner, name, t):
    pairs = list(itertools.product(POINTS, POINTS)) if name in BINARY else [(p,) for p in POINTS]
    inputs, got = runner.run(name, t, list(np.array(pairs).T))
    expected = np.asarray(JAX[name](*inputs))
    a, b = got.astype(np.float64), expected.astype(np.float64)
    if name == "next_after":
        bits = f"u{expected.dtype.itemsize}"
        bad = (got.view(bits) != expected.view(bits)) & ~(np.isnan(a) & np.isnan(b))
        return runner.report(f"point of {name}_{t}", bad, inputs, a, b)

    def kind(x):
        return np.where(np.isnan(x), 2, np.where(np.isinf(x), np.sign(x) * 3, 0))
    bad = kind(a) != kind(b)
    if name in ("zeta", "polygamma"):  # there XLA divides infinities
        bad &= ~((np.abs(inputs[0].astype(np.float64)) > 1e29) & np.isfinite(inputs[0]))
    runner.report(f"point of {name}_{t}", bad, inputs, a, b)


def main():
    tool, workdir = sys.argv[1:]
    cases = [(name, t, 2 if name in BINARY else 1) for name in JAX for t in LIMITS]
    runner = Runner(compile_kernels(tool, workdir, cases))
    for name, t, _ in cases:
        check_points(runner, name, t)
        if name in VALUES:
            check_values(runner, name, t)
        if name in SCIPY:
            check_random(runner, name, t)
    print(f"{len(cases)} functions, {runner.failures} failures")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
