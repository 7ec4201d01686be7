"""Kernels whose forms for a GPU depend on sizes, on the emulated GPU against the
host's: gpu_kernels.py PARTOPT_KERNEL_TEST WORKDIR

Every kernel runs with three orders of threads, whose results are equal in every
bit: a barrier that is missing, or a sum whose order is left open, shows.
"""
import ctypes
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
from kernels import call, compiled, module_text, parse, random_array  # noqa: E402

SCALAR = "stablehlo.constant dense<{}> : tensor<{}>"


def reduce(shape, dims, op="add", element="f32", init="0.0"):
    kept = "x".join(str(n) for i, n in enumerate(shape) if i not in dims)
    source = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    result = f"tensor<{kept + 'x' if kept else ''}{element}>"
    body = (f"%c = {SCALAR.format(init, element)}\n"
            f"%0 = stablehlo.reduce(%a0 init: %c) applies stablehlo.{op} across dimensions = {list(dims)} : "
            f"({source}, tensor<{element}>) -> {result}\nreturn %0 : {result}")
    return [(source, "x")], [result], body


def transpose(shape, order, element):
    source = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    result = f"tensor<{'x'.join(str(shape[i]) for i in order)}x{element}>"
    body = (f"%0 = stablehlo.transpose %a0, dims = {list(order)} : ({source}) -> {result}\n"
            f"%1 = stablehlo.add %0, %a1 : {result}\nreturn %1 : {result}")
    return [(source, "x"), (result, "x")], [result], body


def softmax(rows, columns, element="f32"):
    wide, narrow = f"tensor<{rows}x{columns}x{element}>", f"tensor<{rows}x{element}>"
    low = "0xFF80" if element == "bf16" else "0xFF800000"
    body = f"""%low = {SCALAR.format(low, element)}
%zero = {SCALAR.format("0.0", element)}
%m = stablehlo.reduce(%a0 init: %low) applies stablehlo.maximum across dimensions = [1] : ({wide}, tensor<{element}>) -> {narrow}
%mb = stablehlo.broadcast_in_dim %m, dims = [0] : ({narrow}) -> {wide}
%d = stablehlo.subtract %a0, %mb : {wide}
%e = stablehlo.exponential %d : {wide}
%s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : ({wide}, tensor<{element}>) -> {narrow}
%sb = stablehlo.broadcast_in_dim %s, dims = [0] : ({narrow}) -> {wide}
%r = stablehlo.divide %e, %sb : {wide}
return %r, %s : {wide}, {narrow}"""
    return [(wide, "x")], [wide, narrow], body


def scatter_add(rows, width, updates):
    whole, part, at = f"tensor<{rows}x{width}xf32>", f"tensor<{updates}x{width}xf32>", f"tensor<{updates}x1xi32>"
    body = f"""%0 = "stablehlo.scatter"(%a0, %a1, %a2) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
^bb0(%x: tensor<f32>, %y: tensor<f32>):
  %s = stablehlo.add %x, %y : tensor<f32>
  stablehlo.return %s : tensor<f32>
}}) : ({whole}, {at}, {part}) -> {whole}
return %0 : {whole}"""
    return [(whole, "x"), (at, "index"), (part, "x")], [whole], body


def largest(rows, columns):
    """The largest element of a row and its place: a fold whose order counts."""
    wide, places, narrow = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}x{columns}xi32>", f"tensor<{rows}xf32>"
    result = f"tensor<{rows}xi32>"
    body = f"""%low = {SCALAR.format("0xFF800000", "f32")}
%none = {SCALAR.format("0", "i32")}
%i = stablehlo.iota dim = 1 : {places}
%r:2 = stablehlo.reduce(%a0 init: %low), (%i init: %none) across dimensions = [1] : ({wide}, {places}, tensor<f32>, tensor<i32>) -> ({narrow}, {result})
 reducer(%x: tensor<f32>, %y: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {{
  %g = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %v = stablehlo.select %g, %x, %y : tensor<i1>, tensor<f32>
  %w = stablehlo.select %g, %p, %q : tensor<i1>, tensor<i32>
  stablehlo.return %v, %w : tensor<f32>, tensor<i32>
}}
return %r#0, %r#1 : {narrow}, {result}"""
    return [(wide, "x")], [narrow, result], body


def first_set(shape, dims):
    """The first element of a row that is not zero: a fold whose order counts."""
    kept = "x".join(str(n) for i, n in enumerate(shape) if i not in dims)
    source, result = f"tensor<{'x'.join(map(str, shape))}xi32>", f"tensor<{kept + 'x' if kept else ''}i32>"
    body = f"""%c = {SCALAR.format("0", "i32")}
%r = stablehlo.reduce(%a0 init: %c) across dimensions = {list(dims)} : ({source}, tensor<i32>) -> {result}
 reducer(%x: tensor<i32>, %y: tensor<i32>) {{
  %z = stablehlo.constant dense<0> : tensor<i32>
  %e = stablehlo.compare NE, %x, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %s = stablehlo.select %e, %x, %y : tensor<i1>, tensor<i32>
  stablehlo.return %s : tensor<i32>
}}
return %r : {result}"""
    return [(source, "few")], [result], body


def minus_first(rows, columns):
    """The same within a row that goes on with it."""
    (((wide, _),), (narrow,), body) = first_set((rows, columns), [1])
    body = body[:body.rindex("return")] + f"""%b = stablehlo.broadcast_in_dim %r, dims = [0] : ({narrow}) -> {wide}
%d = stablehlo.subtract %a0, %b : {wide}
return %d : {wide}"""
    return [(wide, "few")], [wide], body


def row_sums_and_input(rows, columns):
    """An input that is returned beside rows."""
    (((wide, _),), (narrow,), body) = reduce((rows, columns), [1])
    body = body[:body.rindex("return")] + f"""%b = stablehlo.broadcast_in_dim %0, dims = [0] : ({narrow}) -> {wide}
%d = stablehlo.divide %a0, %b : {wide}
return %d, %a0 : {wide}, {wide}"""
    return [(wide, "high")], [wide, wide], body


def sort(shape, dim):
    whole = f"tensor<{'x'.join(map(str, shape))}xi32>"
    body = f"""%0:2 = "stablehlo.sort"(%a0, %a1) <{{dimension = {dim} : i64, is_stable = true}}> ({{
^bb0(%x: tensor<i32>, %y: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
  %l = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %l : tensor<i1>
}}) : ({whole}, {whole}) -> ({whole}, {whole})
return %0#0, %0#1 : {whole}, {whole}"""
    return [(whole, "few"), (whole, "x")], [whole, whole], body


def cumulative(shape, dim, isReverse, element):
    whole = f"tensor<{'x'.join(map(str, shape))}x{element}>"
    window = [n if i == dim else 1 for i, n in enumerate(shape)]
    pads = [([0, n - 1] if isReverse else [n - 1, 0]) if i == dim else [0, 0] for i, n in enumerate(shape)]
    zero = "0.0" if element[0] == "f" else "0"
    body = f"""%c = {SCALAR.format(zero, element)}
%0 = "stablehlo.reduce_window"(%a0, %c) <{{window_dimensions = array<i64: {str(window)[1:-1]}>, padding = dense<{pads}> : tensor<{len(shape)}x2xi64>}}> ({{
^bb0(%x: tensor<{element}>, %y: tensor<{element}>):
  %s = stablehlo.add %x, %y : tensor<{element}>
  stablehlo.return %s : tensor<{element}>
}}) : ({whole}, tensor<{element}>) -> {whole}
return %0 : {whole}"""
    return [(whole, "few" if element[0] == "i" else "x")], [whole], body


def pointwise(size, element):
    whole = f"tensor<{size}x{element}>"
    body = (f"%0 = stablehlo.multiply %a0, %a1 : {whole}\n%1 = stablehlo.add %0, %a0 : {whole}\n"
            f"return %1, %0 : {whole}, {whole}")
    return [(whole, "x")] * 2, [whole] * 2, body


CASES = {
    "flat_f32": pointwise(1 << 17, "f32"), "flat_odd": pointwise((1 << 18) + 3, "f32"),
    "flat_bf16": pointwise(3 << 17, "bf16"), "flat_i8": pointwise(1 << 18, "i8"),
    "turn": transpose((130, 77), (1, 0), "f32"), "turn_batch": transpose((3, 40, 5, 33), (0, 3, 2, 1), "bf16"),
    "turn_first": transpose((33, 4, 64), (2, 1, 0), "f64"),
    "rows_short": reduce((300, 7), [1]), "rows_96": reduce((37, 96), [1]), "rows_1000": reduce((5, 1000), [1]),
    "rows_many": reduce((5000, 64), [1]), "rows_split": reduce((2, 70000), [1]),
    "all": reduce((300, 401), [0, 1]), "all_bf16": reduce((64, 512), [0, 1], element="bf16"),
    "all_max": reduce((100003,), [0], "maximum", init="0xFF800000"), "all_i1": reduce((999,), [0], "and", "i1", "true"),
    "all_i64": reduce((9999,), [0], "add", "i64", "3"), "all_product": reduce((333,), [0], "multiply", init="2.0"),
    "columns": reduce((2000, 65), [0]), "columns_few": reduce((9000, 3), [0]), "columns_wide": reduce((9, 3000), [0]),
    "columns_f16": reduce((777, 33), [0], element="f16"), "middle": reduce((6, 501, 10), [1]),
    "outer": reduce((16, 30, 30, 24), [0, 1, 2]), "inner_kept": reduce((8, 5, 300), [0, 2]),
    "rows_and_input": row_sums_and_input(64, 100), "softmax_7": softmax(200, 7), "softmax_64": softmax(65, 64), "softmax_1000": softmax(3, 1000),
    "softmax_4096": softmax(2, 4096), "softmax_bf16": softmax(9, 512, "bf16"), "softmax_wide": softmax(2, 20000),
    "largest": largest(7, 1000), "largest_one": largest(1, 40000), "largest_many": largest(2000, 9),
    "first_rows": first_set((300, 50), [1]), "first_long": first_set((7, 1000), [1]), "first_split": first_set((2, 70000), [1]),
    "first_columns": first_set((2000, 65), [0]), "first_few": first_set((9000, 3), [0]), "first": first_set((64, 100), [0, 1]),
    "minus_first": minus_first(65, 64), "minus_first_long": minus_first(3, 1000),
    "scatter": scatter_add(9, 40, 300), "scatter_few": scatter_add(9, 40, 30), "scatter_thin": scatter_add(9, 1, 2000),
    "sort": sort((3000,), 0), "sort_lines": sort((3, 65, 4), 1),
    "sums": cumulative((5000,), 0, False, "i32"), "sums_back": cumulative((3, 700), 1, True, "f32"),
    "sums_columns": cumulative((300, 40), 0, False, "f32"),
}
# Rounding of sums in another order.
TOLERANCE = {"f32": 2e-5, "f64": 1e-13, "bf16": 2e-2, "f16": 4e-3}


def differs(got, expected, tensor_type):
    element = parse(tensor_type)[1]
    if element not in TOLERANCE:
        return not np.array_equal(got, expected)
    a, b = got.astype(np.float64), expected.astype(np.float64)
    return not np.allclose(a, b, rtol=TOLERANCE[element], atol=TOLERANCE[element] * np.abs(b).max(), equal_nan=True)


def main():
    tool, workdir = sys.argv[1:]
    text = "".join(module_text((name, *case), "k_" + name, "attributes {partopt.kernel}")
                   for name, case in CASES.items())
    os.environ.pop("PARTOPT_TEST_GPU_ARCH")
    host = compiled(tool, os.path.join(workdir, "host"), text)
    gpu = compiled(tool, os.path.join(workdir, "gpu"), text, "--gpu-arch", "emulated")
    seed = ctypes.CDLL(None).partopt_emulate_seed
    failures = 0
    for index, (name, (arguments, results, _)) in enumerate(CASES.items()):
        rng = np.random.default_rng(index)
        inputs = [random_array(rng, t, kind) for t, kind in arguments]
        expected = call(host, "k_" + name, inputs, results)
        runs = []
        for number in (0, 1, 7):
            seed(number)
            runs.append(call(gpu, "k_" + name, inputs, results))
        for i, tensor_type in enumerate(results):
            if any(run[i].tobytes() != runs[0][i].tobytes() for run in runs):
                print(f"{name}: result {i} depends on the order of threads")
            elif differs(runs[0][i], expected[i], tensor_type):
                print(f"{name}: result {i} is {runs[0][i]} instead of {expected[i]}")
            else:
                continue
            failures += 1
    print(f"{len(CASES)} kernels, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
