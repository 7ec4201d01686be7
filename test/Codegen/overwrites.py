"""Runs every kernel of kernels.py, and some with several results, with results
written over the inputs that partopt-mark-overwrites permits, one pair at a time
and all results at once, and compares bit for bit with results of their own:
overwrites.py PARTOPT_OPT PARTOPT_KERNEL_TEST WORKDIR
"""
import ctypes
import os
import re
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
from kernel_cases import all_cases  # noqa: E402
from kernels import aligned, call, module_text, random_array  # noqa: E402

T = "tensor<6x40xf32>"
ROW = "tensor<40xf32>"

ADAM = f"""
%b = stablehlo.constant dense<0.9> : {T}
%c = stablehlo.constant dense<0.1> : {T}
%m0 = stablehlo.multiply %b, %a1 : {T}
%g0 = stablehlo.multiply %c, %a3 : {T}
%m = stablehlo.add %m0, %g0 : {T}
%v0 = stablehlo.multiply %b, %a2 : {T}
%g1 = stablehlo.multiply %a3, %g0 : {T}
%v = stablehlo.add %v0, %g1 : {T}
%s = stablehlo.sqrt %v : {T}
%d = stablehlo.divide %m, %s : {T}
%p = stablehlo.subtract %a0, %d : {T}
return %p, %m, %v : {T}, {T}, {T}"""

# Row by row: a row is read twice before it is written.
SOFTMAX = f"""
%low = stablehlo.constant dense<0xFF800000> : tensor<f32>
%zero = stablehlo.constant dense<0.0> : tensor<f32>
%m = stablehlo.reduce(%a0 init: %low) applies stablehlo.maximum across dimensions = [1] : ({T}, tensor<f32>) -> tensor<6xf32>
%mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<6xf32>) -> {T}
%d = stablehlo.subtract %a0, %mb : {T}
%e = stablehlo.exponential %d : {T}
%s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : ({T}, tensor<f32>) -> tensor<6xf32>
%sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<6xf32>) -> {T}
%r = stablehlo.divide %e, %sb : {T}
return %r : {T}"""

# The whole input is read before the first element is written.
TOTAL = f"""
%zero = stablehlo.constant dense<0.0> : tensor<f32>
%s = stablehlo.reduce(%a0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : ({T}, tensor<f32>) -> tensor<f32>
%sb = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> {T}
%r = stablehlo.divide %a0, %sb : {T}
return %r : {T}"""

# Two results of one input; the first is returned twice.
BOTH = f"""
%r = stablehlo.negate %a0 : {T}
%q = stablehlo.multiply %a0, %a1 : {T}
return %r, %q, %r : {T}, {T}, {T}"""

SHIFTED = """
%r = stablehlo.reverse %a0, dims = [0] : tensor<40xf32>
%q = stablehlo.add %r, %a0 : tensor<40xf32>
return %q : tensor<40xf32>"""

# name, case, pairs (argument, result) that must be permitted and must not
EXTRA = [
    (("over_adam", [(T, "any")] * 3 + [(T, "positive")], [T] * 3, ADAM),
     {(0, 0), (1, 1), (2, 2)}, {(3, 1)}),
    (("over_softmax", [(T, "any")], [T], SOFTMAX), {(0, 0)}, set()),
    (("over_total", [(T, "any")], [T], TOTAL), {(0, 0)}, set()),
    (("over_both", [(T, "any"), (T, "any")], [T] * 3, BOTH), {(1, 1), (0, 1)}, {(0, 0), (0, 2)}),
    (("over_shifted", [(ROW, "any")], [ROW], SHIFTED), set(), {(0, 0)}),
]

SQUARE = "tensor<8x8xf32>"
MOVES = {
    "reverse0": "%z = stablehlo.reverse %y, dims = [0]",
    "reverse1": "%z = stablehlo.reverse %y, dims = [1]",
    "transpose": "%z = stablehlo.transpose %y, dims = [1, 0]",
    "shift": "%z = stablehlo.pad %y, %zero, low = [0, 2], high = [0, -2], interior = [0, 0]",
    "shift_rows": "%z = stablehlo.pad %y, %zero, low = [-3, 0], high = [3, 0], interior = [0, 0]",
    "roll": f"""%p = stablehlo.slice %y [0:8, 0:6] : ({SQUARE}) -> tensor<8x6xf32>
%q = stablehlo.slice %y [0:8, 6:8] : ({SQUARE}) -> tensor<8x2xf32>
%z = stablehlo.concatenate %q, %p, dim = 1""",
    "column": f"""%p = stablehlo.slice %y [0:8, 0:1] : ({SQUARE}) -> tensor<8x1xf32>
%z = stablehlo.broadcast_in_dim %p, dims = [0, 1]""",
    "row": f"""%p = stablehlo.slice %y [2:3, 0:8] : ({SQUARE}) -> tensor<1x8xf32>
%z = stablehlo.broadcast_in_dim %p, dims = [0, 1]""",
    "sum": f"""%p = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : ({SQUARE}, tensor<f32>) -> tensor<8xf32>
%z = stablehlo.broadcast_in_dim %p, dims = [0]""",
}
MOVE_TYPES = {"shift": f"({SQUARE}, tensor<f32>) -> {SQUARE}",
              "shift_rows": f"({SQUARE}, tensor<f32>) -> {SQUARE}",
              "roll": f"(tensor<8x2xf32>, tensor<8x6xf32>) -> {SQUARE}",
              "column": f"(tensor<8x1xf32>) -> {SQUARE}", "row": f"(tensor<1x8xf32>) -> {SQUARE}",
              "sum": f"(tensor<8xf32>) -> {SQUARE}", "transpose": f"({SQUARE}) -> {SQUARE}",
              "reverse0": SQUARE, "reverse1": SQUARE}


def moved_cases():
    """A result and the same elements elsewhere, in every order of results: what
    one result is computed from again must not be gone."""
    for move, text in MOVES.items():
        body = f"""
%zero = stablehlo.constant dense<0.0> : tensor<f32>
%y = stablehlo.tanh %a0 : {SQUARE}
{text} : {MOVE_TYPES[move]}
%w = stablehlo.exponential %z : {SQUARE}
%u = stablehlo.negate %y : {SQUARE}
"""
        for results in ("y z", "z y", "y w", "w y", "u w", "w u", "y u w", "w u y", "z w y"):
            names = results.split()
            yield ("over_" + move + "_" + "".join(names), [(SQUARE, "any")],
                   [SQUARE] * len(names),
                   body + "return " + ", ".join("%" + n for n in names) + " : "
                   + ", ".join([SQUARE] * len(names)))


def permitted(tool, cases, path):
    """Argument and result pairs by kernel."""
    with open(path, "w") as file:
        for case in cases:
            file.write(module_text(case, "k_" + case[0], "attributes {partopt.kernel}"))
    text = subprocess.run([tool, "--partopt-mark-overwrites", path], check=True,
                          capture_output=True, text=True).stdout
    pairs = {}
    for line in text.splitlines():
        found = re.search(r"func\.func @k_(\w+)\((.*)\) ->", line)
        if not found:
            continue
        pairs[found[1]] = {
            (int(argument), int(result))
            for argument, results in re.findall(
                r"%arg(\d+): [^%]*?may_be_overwritten_by = array<i64: ([\d, ]+)>", found[2])
            for result in results.split(", ")}
    return pairs


def choices(pairs):
    """Every pair alone, and as many disjoint ones together as there are."""
    picked = [frozenset([p]) for p in sorted(pairs)]
    together, used = [], set()
    for argument, result in sorted(pairs, key=lambda p: (p[0] != p[1], p)):
        if ("a", argument) not in used and ("r", result) not in used:
            together.append((argument, result))
            used |= {("a", argument), ("r", result)}
    if len(together) > 1:
        picked.append(frozenset(together))
    return picked


def variant(case, name, pairs):
    text = module_text(case, name, "attributes {partopt.kernel}")
    for argument, result in pairs:
        text = re.sub(rf"(%a{argument}: tensor<(?:[^<>]|<[^>]*>)*>)",
                      rf"\1 {{partopt.may_be_overwritten_by = array<i64: {result}>, "
                      rf"partopt.overwritten_by = {result} : i64}}", text, count=1)
    return text


def call_over(library, name, inputs, results, pairs):
    """Like call, with the outputs of `pairs` at their inputs' addresses."""
    buffers = []
    for array in inputs:
        buffer = aligned(array.shape, array.dtype)
        buffer[...] = array
        buffers.append(buffer)
    outputs = [buffers[dict((r, a) for a, r in pairs)[i]]
               if i in {r for _, r in pairs} else
               aligned(result.shape, result.dtype) for i, result in enumerate(results)]
    pointers = [b.ctypes.data for b in buffers + outputs]
    getattr(library, name)((ctypes.c_void_p * len(pointers))(*pointers))
    return outputs


def main():
    opt, tool, workdir = sys.argv[1:]
    os.makedirs(workdir, exist_ok=True)
    cases = list(all_cases()) + [case for case, _, _ in EXTRA] + list(moved_cases())
    pairs = permitted(opt, cases, os.path.join(workdir, "cases.mlir"))
    failures = 0
    for case, wanted, refused in EXTRA:
        got = pairs.get(case[0], set())
        if not wanted <= got or refused & got:
            failures += 1
            print(f"FAIL {case[0]}: permits {sorted(got)}, wanted {sorted(wanted)}, "
                  f"never {sorted(refused)}")
    runs = [(index, case, choice) for index, case in enumerate(cases)
            for choice in choices(pairs.get(case[0], set()))]
    source, image = os.path.join(workdir, "over.mlir"), os.path.join(workdir, "over.so")
    with open(source, "w") as file:
        for index, case in enumerate(cases):
            if pairs.get(case[0]):
                file.write(module_text(case, f"k{index}", "attributes {partopt.kernel}"))
        for number, (_, case, choice) in enumerate(runs):
            file.write(variant(case, f"over{number}", choice))
    subprocess.run([tool, source, image], check=True)
    library = ctypes.CDLL(os.path.abspath(image))
    for number, (index, case, choice) in enumerate(runs):
        rng = np.random.default_rng(index)
        inputs = [random_array(rng, t, kind) for t, kind in case[1]]
        expected = call(library, f"k{index}", inputs, case[2])
        got = call_over(library, f"over{number}", inputs, expected, choice)
        if any(a.tobytes() != b.tobytes() for a, b in zip(got, expected)):
            failures += 1
            print(f"FAIL {case[0]} with {sorted(choice)}")
    print(f"{len(runs)} calls over their inputs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
