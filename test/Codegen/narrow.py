"""Every elementwise op in bf16 and f16 on all 65536 values (two operands: on
random pairs of them) against StableHLO's reference interpreter, numpy for what
the interpreter does not have: narrow.py PARTOPT_KERNEL_TEST WORKDIR [NAME...]

Arithmetic must be equal bit for bit (computed in f32, rounded after every op);
functions may be one unit in the last place away, where the two sides round
different approximations.
"""
import ctypes
import math
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from scipy import special

sys.path.insert(0, os.path.dirname(__file__))
from kernels import DTYPES, call, module_text, reference  # noqa: E402
from program import execute, run  # noqa: E402

COUNT = 1 << 16
TYPES = ["bf16", "f16"]
# Ops of the interpreter: name, number of operands, largest error in ulps.
OPS = [("abs", 1, 0), ("negate", 1, 0), ("sign", 1, 0), ("ceil", 1, 0), ("floor", 1, 0),
       ("round_nearest_afz", 1, 0), ("round_nearest_even", 1, 0), ("sqrt", 1, 0),
       ("exponential", 1, 1), ("exponential_minus_one", 1, 1), ("log", 1, 1),
       ("log_plus_one", 1, 1), ("logistic", 1, 1), ("tanh", 1, 1), ("rsqrt", 1, 1), ("cbrt", 1, 1),
       ("sine", 1, 1), ("cosine", 1, 1), ("tan", 1, 1),
       ("add", 2, 0), ("subtract", 2, 0), ("multiply", 2, 0), ("divide", 2, 0),
       ("maximum", 2, 0), ("minimum", 2, 0), ("remainder", 2, 0), ("power", 2, 1), ("atan2", 2, 1)]


def elementwise(function):
    return np.vectorize(function, otypes=[np.float64])


def defined(function):
    def total(x):
        try:
            return function(x)
        except (ValueError, OverflowError):
            return np.nan
    return elementwise(total)


# Ops of chlo, which numpy and scipy compute in f64.
CHLO = {"acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
        "atan": np.arctan, "atanh": np.arctanh, "cosh": np.cosh, "sinh": np.sinh, "tan": np.tan,
        "erf": defined(math.erf), "square": lambda x: x * x, "erfc": special.erfc,
        "erf_inv": special.erfinv, "bessel_i1e": special.i1e,
        "lgamma": lambda x: np.where(np.isinf(x), np.inf, special.gammaln(x)),
        "digamma": lambda x: np.where((x <= 0) & (x == np.floor(x)), np.nan, special.digamma(x))}


# The interpreter composes this one of narrow ops, each with its rounding. Results
# below the smallest normal f32 may be 0.
COMPOSED = {"logistic": lambda x: 1 / (1 + np.exp(-x))}


def all_values(element):
    return np.arange(COUNT, dtype=np.uint16).view(DTYPES[element])


def order(values):
    """Neighbouring floats as neighbouring integers; zeros are one."""
    bits = values.view(np.uint16).astype(np.int64)
    return np.where(bits & 0x8000, -(bits & 0x7FFF), bits)


def ulps(got, expected):
    a, b = order(got), order(expected)
    both_nan = np.isnan(got.astype(np.float32)) & np.isnan(expected.astype(np.float32))
    one_nan = np.isnan(got.astype(np.float32)) ^ np.isnan(expected.astype(np.float32))
    return np.where(both_nan, 0, np.where(one_nan, 1 << 16, np.abs(a - b)))


def check_sums(tool, workdir):
    """Sums are rounded once: along every dimension, folded in registers or
    through memory, into small and large results."""
    failures = 0
    for element in TYPES:
        for shape, dims in (((3, 700), [1]), ((700, 3), [0]), ((40, 30, 20), [0, 2]),
                            ((300, 40000), [0]), ((4, 200, 10000), [1])):
            t, s = "x".join(map(str, shape)) + f"x{element}", f"tensor<{element}>"
            kept = [n for i, n in enumerate(shape) if i not in dims]
            r = f"tensor<{''.join(f'{n}x' for n in kept)}{element}>"
            text = (f"%z = stablehlo.constant dense<0.0> : {s}\n"
                    f"%r = stablehlo.reduce(%a0 init: %z) applies stablehlo.add across dimensions = "
                    f"{dims} : (tensor<{t}>, {s}) -> {r}\nreturn %r : {r}")
            case = ("sum", [(f"tensor<{t}>", "any")], [r], text)
            x = np.random.default_rng(1).random(shape).astype(DTYPES[element])
            got = formed(tool, workdir, case, [x])
            expected = x.astype(np.float64).sum(tuple(dims)).astype(DTYPES[element])
            worst = ulps(got.ravel(), expected.ravel()).max()
            if worst > 1:
                failures += 1
                print(f"FAIL sum of {t} over {dims}: {worst} ulps")
    return failures


def formed(tool, workdir, case, inputs):
    """The result of a program of one op, formed into kernels."""
    path = lambda name: os.path.join(workdir, name)  # noqa: E731
    with open(path("sum.mlir"), "w") as file:
        file.write(module_text(case, "main", ""))
    opt = os.path.join(os.path.dirname(shutil.which(tool) or tool), "partopt-opt")
    text = run([opt, "--partopt-form-kernels", path("sum.mlir")], path("formed.mlir"))
    image = tempfile.mktemp(suffix=".so", dir=workdir)
    subprocess.run([tool, path("formed.mlir"), image], check=True)
    return execute(text, "main", ctypes.CDLL(os.path.abspath(image)), inputs)[0]


def main():
    tool, workdir, *names = sys.argv[1:]
    os.makedirs(workdir, exist_ok=True)
    cases = []
    for element in TYPES:
        t = f"tensor<{COUNT}x{element}>"
        for op, count, limit in OPS:
            operands = ", ".join(f"%a{i}" for i in range(count))
            text = f"%r = stablehlo.{op} {operands} : {t}\nreturn %r : {t}"
            cases.append(((f"{op}_{element}", [(t, "any")] * count, [t], text), element, limit,
                          COMPOSED.get(op)))
        for op, function in CHLO.items():
            text = f"%r = chlo.{op} %a0 : {t} -> {t}\nreturn %r : {t}"
            cases.append(((f"chlo_{op}_{element}", [(t, "any")], [t], text), element,
                          0 if op == "square" else 1, function))
    cases = [c for c in cases if not names or c[0][0] in names]
    source, image = os.path.join(workdir, "narrow.mlir"), os.path.join(workdir, "narrow.so")
    with open(source, "w") as file:
        for case, *_ in cases:
            file.write(module_text(case, "k_" + case[0], "attributes {partopt.kernel}"))
    subprocess.run([tool, source, image, "--time"], check=True)
    library = ctypes.CDLL(os.path.abspath(image))
    failures = 0
    for case, element, limit, function in cases:
        rng = np.random.default_rng(len(case[0]))
        values = all_values(element)
        inputs = [values] if len(case[1]) == 1 else [rng.permutation(values) for _ in case[1]]
        with np.errstate(all="ignore"):
            got, = call(library, "k_" + case[0], inputs, case[2])
            if function:
                expected = function(inputs[0].astype(np.float64)).astype(DTYPES[element])
            else:
                expected, = reference(case, inputs)
        error = ulps(got, expected)
        if function in COMPOSED.values():
            error[np.abs(expected.astype(np.float64)) < 2.0 ** -126] = 0
        if error.max() > limit:
            failures += 1
            bad = np.flatnonzero(error > limit)
            examples = [(*(float(x[i]) for x in inputs), float(got[i]), float(expected[i]))
                        for i in bad[:4]]
            print(f"FAIL {case[0]}: {len(bad)} values, up to {error.max()} ulps: {examples}")
    failures += check_sums(tool, workdir)
    print(f"{len(cases)} kernels, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
