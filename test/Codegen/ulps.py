"""Errors of the expanded functions in units of the last place, over the whole
range of f32: ulps.py PARTOPT_KERNEL_TEST WORKDIR

Reference: numpy in f64. Also checks zeros, infinities, NaN and denormals.
"""
import ctypes
import os
import subprocess
import sys

import numpy as np
import scipy.special

sys.path.insert(0, os.path.dirname(__file__))
from kernels import call  # noqa: E402

FUNCTIONS = {"exponential": np.exp, "exponential_minus_one": np.expm1, "log": np.log,
             "log_plus_one": np.log1p, "tanh": np.tanh, "rsqrt": lambda x: 1 / np.sqrt(x),
             "logistic": lambda x: 1 / (1 + np.exp(-x)), "erf": scipy.special.erf,
             "erfc": scipy.special.erfc}
# The documented bounds: the expansions', and a division more for the rest.
LIMITS = {"logistic": 4.0, "rsqrt": 1.5, "erfc": 4.0}
CHLO = {"erf", "erfc"}
LIMIT = 2.0
COUNT = 1 << 18


def samples():
    """Every 2^14th float, and many around where functions change."""
    bits = np.arange(0, 1 << 32, 1 << 14, dtype=np.uint64).astype(np.uint32)
    wide = bits.view(np.float32)
    rng = np.random.default_rng(0)
    near = [np.float32(s * 10.0 ** rng.uniform(-9, 2)) for s in rng.choice([-1, 1], COUNT)]
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-39, 88.7, 88.8, -87.4,
                        -103.9, -104.1, 3.4e38, 1.0, -1.0], np.float32)
    return np.resize(np.concatenate([special, wide, np.array(near, np.float32)]), 2 * COUNT)


def main():
    tool, workdir = sys.argv[1:]
    os.makedirs(workdir, exist_ok=True)
    source, image = os.path.join(workdir, "f.mlir"), os.path.join(workdir, "f.so")
    tensor = f"tensor<{2 * COUNT}xf32>"
    with open(source, "w") as file:
        for name in FUNCTIONS:
            file.write(f"func.func @{name}(%x: {tensor}) -> {tensor} attributes {{partopt.kernel}} "
                       f"{{\n  %r = {'chlo' if name in CHLO else 'stablehlo'}.{name} %x : {tensor}"
                       f"{f' -> {tensor}' if name in CHLO else ''}\n  return %r : {tensor}\n}}\n")
    subprocess.run([tool, source, image], check=True)
    library = ctypes.CDLL(os.path.abspath(image))
    x = samples()
    failed = False
    for name, function in FUNCTIONS.items():
        with np.errstate(all="ignore"):
            got = call(library, name, [x], [tensor])[0].astype(np.float64)
            exact = function(x.astype(np.float64))
            rounded = exact.astype(np.float32)
            ulp = np.spacing(np.maximum(np.abs(rounded), np.float32(1e-45))).astype(np.float64)
            error = np.abs(got - exact) / ulp
        # Results below the smallest normal number may be 0: quotients of overflow.
        finite = np.isfinite(rounded) & ((np.abs(exact) >= 2.0 ** -126) | (name not in LIMITS))
        same = ((got == rounded) | (np.isnan(got) & np.isnan(rounded))
                | (np.abs(got) >= 3.4028e38) & (np.abs(exact) >= 3.4028e38))
        zeros = (x == 0) & (rounded == 0)
        bad = ~np.isfinite(rounded) & ~same | zeros & (np.signbit(got) != np.signbit(rounded))
        worst = np.where(finite, error, 0).max()
        limit = LIMITS.get(name, LIMIT)
        at = x[np.argmax(np.where(finite, error, 0))]
        print(f"{name}: at most {worst:.2f} ulp (at {at!r}), {bad.sum()} wrong special values"
              + (f", e.g. {x[bad][:5]} -> {got[bad][:5]}" if bad.any() else ""))
        failed |= worst > limit or bad.any()
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
