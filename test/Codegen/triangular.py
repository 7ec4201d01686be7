"""Cholesky factors and triangular solves of all kinds against substitution in
long double: triangular.py WORKDIR

What must not be read is NaN. Errors are measured against the largest element of
the exact result, in units of eps sqrt(n).
"""
import itertools
import os
import sys

import ml_dtypes
import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
from fourier import Program, text  # noqa: E402

TYPES = ["f32", "f64", "bf16", "f16", "complex<f32>", "complex<f64>"]
DTYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "f16": np.float16}
LIMIT = 1.5
rng = np.random.default_rng(0)


def part(t):
    return t[8:11] if "complex" in t else t


def rounded(x, t):
    """To numbers of the type, held in those of the program's arguments."""
    dtype = DTYPES[part(t)]
    if "complex" in t:
        return x.real.astype(dtype) + 1j * x.imag.astype(dtype)
    return x.astype(dtype).astype(np.float32 if t in ("bf16", "f16") else dtype)


def random(shape, t):
    x = rng.standard_normal(shape)
    return x + 1j * rng.standard_normal(shape) if "complex" in t else x


def wide(x):
    return x.astype(np.clongdouble if np.iscomplexobj(x) else np.longdouble)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def factor(a):
    """The lower factor by columns; of the lower triangle alone."""
    a = wide(a)
    r = np.zeros_like(a)
    for j in range(a.shape[-1]):
        # No einsum: of nothing, in long doubles, numpy's is not always zero.
        rest = a[..., j:, j] - (r[..., j:, :j] * np.conj(r[..., j, None, :j])).sum(-1)
        with np.errstate(all="ignore"):
            r[..., j:, j] = rest / np.sqrt(rest[..., :1].real)
        r[..., j, j] = np.sqrt(rest[..., 0].real)
    return r


def solved(a, b, lower):
    """a x = b by rows."""
    a, x = wide(a), wide(b)
    n = a.shape[-1]
    for i in range(n) if lower else reversed(range(n)):
        known = slice(0, i) if lower else slice(i + 1, n)
        rest = x[..., i, :] - (a[..., i, known, None] * x[..., known, :]).sum(-2)
        x[..., i, :] = rest / a[..., i, i][..., None]
    return x


class Cases:
    def __init__(self, t):
        self.t, self.program, self.checks = t, Program(), []

    def argument(self, array):
        """An argument of the type; narrow floats come in as f32."""
        if self.t not in ("bf16", "f16"):
            return self.program.argument(array, part(self.t))
        value = self.program.argument(array, "f32")
        self.program.lines.append(f"{value}n = stablehlo.convert {value} : ({text(array.shape, 'f32')}) -> "
                                  f"{text(array.shape, self.t)}")
        return value + "n"

    def result(self, shape, op, name, reference, scale):
        value = f"%r{len(self.checks)}"
        self.program.lines.append(f"{value} = {op}")
        element = part(self.t)
        if self.t in ("bf16", "f16"):
            self.program.lines.append(f"{value}w = stablehlo.convert {value} : ({text(shape, self.t)}) -> "
                                      f"{text(shape, 'f32')}")
            value, element = value + "w", "f32"
        self.program.result(value, shape, element, "complex" in self.t)
        self.checks.append((f"{name} of {text(shape, self.t)}", reference, scale))

    def cholesky(self, batch, n, lower):
        shape = (*batch, n, n)
        g = random(shape, self.t) / max(n, 1)
        a = rounded(g @ adjoint(g) + np.eye(n), self.t)
        if "complex" in self.t:  # of the diagonal, only the real part counts
            a = a + 1j * np.eye(n, dtype=a.real.dtype)
        reference = factor(a if lower else adjoint(a))
        used = np.tril(np.ones((n, n), bool))
        if a.size and batch and n > 1:
            # One matrix has a pivot below zero, one a NaN in the used triangle.
            a[0, ..., n - 1, n - 1] -= 2
            reference[0] = np.nan
            if batch[0] > 2:
                a[1, ..., n // 2, n // 2] = np.nan
                reference[1] = np.nan
        a = np.where(used if lower else used.T, a, np.nan).astype(a.dtype)
        reference = reference if lower else adjoint(reference)
        op = (f"stablehlo.cholesky {self.argument(a)}, lower = {str(lower).lower()} : {text(shape, self.t)}")
        self.result(shape, op, f"cholesky lower {lower}", reference, n)

    def solve(self, batch, n, m, left, lower, unit, transpose):
        a = random((*batch, n, n), self.t) / (2 * max(n, 1))
        diagonal = random((*batch, n, 1), self.t)
        a = rounded(np.where(np.eye(n, dtype=bool), diagonal / np.abs(diagonal) * 1.5, a), self.t)
        shape = (*batch, n, m) if left else (*batch, m, n)
        b = rounded(random(shape, self.t), self.t)
        used = np.tril(np.ones((n, n), bool), -1 if unit else 0)
        used = used if lower else used.T
        full = np.where(np.eye(n, dtype=bool) & unit, 1, np.where(used, a, 0))
        if transpose != "NO_TRANSPOSE":
            full = adjoint(full) if transpose == "ADJOINT" else np.swapaxes(full, -1, -2)
        is_lower = lower == (transpose == "NO_TRANSPOSE")
        if left:
            reference = solved(full, b, is_lower)
        else:
            turned = solved(np.swapaxes(full, -1, -2), np.swapaxes(b, -1, -2), not is_lower)
            reference = np.swapaxes(turned, -1, -2)
        a = np.where(used, a, np.nan).astype(a.dtype)
        op = (f'"stablehlo.triangular_solve"({self.argument(a)}, {self.argument(b)}) <{{left_side = '
              f'{str(left).lower()}, lower = {str(lower).lower()}, transpose_a = #stablehlo<transpose {transpose}>, '
              f'unit_diagonal = {str(unit).lower()}}}> : ({text(a.shape, self.t)}, {text(shape, self.t)}) -> '
              f'{text(shape, self.t)}')
        self.result(shape, op, f"solve {n} left {left} lower {lower} unit {unit} {transpose}", reference, n)

    def run(self, path):
        failures, worst = 0, 0
        eps = float(ml_dtypes.finfo(DTYPES[part(self.t)]).eps)
        for got, (name, reference, n) in zip(self.program.run(path), self.checks):
            is_nan = np.isnan(reference)
            good = np.all(np.isnan(got) == is_nan) and np.all((got == 0) | (reference != 0))
            size = np.max(np.abs(np.where(is_nan, 0, reference)), initial=0)
            error = np.max(np.abs(np.where(is_nan, 0, got - reference)), initial=0)
            # Narrow floats compute in f32 and are rounded once.
            unit = size * eps * (1 if self.t in ("bf16", "f16") else np.sqrt(n))
            units = error / unit if unit else 0
            worst = max(worst, units)
            if not good or units > (0.51 if self.t in ("bf16", "f16") else LIMIT):
                failures += 1
                print(f"FAIL {name}: {units:.2f} units, NaN and zeros {'right' if good else 'wrong'}")
        print(f"{self.t}: {len(self.checks)} cases, at most {worst:.2f} units, {failures} failures")
        return failures


def main():
    workdir, failures = sys.argv[1], 0
    os.makedirs(workdir, exist_ok=True)
    for t in TYPES:
        cases = Cases(t)
        for lower in (True, False):
            for n in (0, 1, 2, 3, 5, 8, 17, 64, 100, 131):
                cases.cholesky((), n, lower)
            for batch, n in (((3,), 5), ((3,), 33), ((4, 2), 7), ((2, 1, 3), 4), ((0,), 3)):
                cases.cholesky(batch, n, lower)
        forms = itertools.product((True, False), (True, False), (True, False),
                                  ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"))
        for form in forms:
            for batch, n, m in (((), 1, 1), ((), 5, 1), ((), 1, 4), ((), 7, 9), ((), 64, 33), ((), 33, 1),
                                ((3,), 6, 5), ((2, 2), 3, 1), ((), 3, 0), ((0,), 3, 2)):
                cases.solve(batch, n, m, *form)
        failures += cases.run(os.path.join(workdir, t.translate(str.maketrans("<>", "__"))))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
