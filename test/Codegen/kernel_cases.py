"""The cases of kernels.py: one kernel function per op, type and shape.

A case is (name, argument specs, result types, body). An argument spec is
(MLIR tensor type, kind of random data); the body refers to %a0, %a1, ... and
ends with the values that it returns.
"""

import random

from complex_cases import add_complex, add_complex_programs
from convolution_cases import add_convolutions, add_select_and_scatter
from map_cases import add_maps

FLOATS = ["f32", "f64", "bf16", "f16"]
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
INTS = SIGNED + UNSIGNED
SHAPES = [(), (1,), (7,), (3, 5), (2, 33), (0, 4), (1, 1, 17), (2, 3, 4, 5)]

cases = []
# What the reference runs for ops that it does not have.
REFERENCE_BODIES = {}


def tensor(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def case(name, arguments, results, body):
    if isinstance(results, str):
        results = [results]
    name = name.replace("<", "_").replace(">", "")
    cases.append((name, arguments, results, body))


def unary(op, types, kind="any", shapes=((7,), (3, 5), (0, 4), ()), result=None,
          dialect="stablehlo"):
    for t in types:
        for i, shape in enumerate(shapes):
            a = tensor(shape, t)
            r = tensor(shape, result) if result else a
            signature = f"({a}) -> {r}" if dialect == "stablehlo" else f"{a} -> {r}"
            case(f"{op}_{t}_{i}", [(a, kind)], r,
                 f"%r = {dialect}.{op} %a0 : {signature}\nreturn %r : {r}")


def binary(op, types, kinds=("any", "any"), shapes=((7,), (3, 5))):
    for t in types:
        for i, shape in enumerate(shapes):
            a = tensor(shape, t)
            case(f"{op}_{t}_{i}", [(a, kinds[0]), (a, kinds[1])], a,
                 f"%r = stablehlo.{op} %a0, %a1 : {a}\nreturn %r : {a}")


def elementwise():
    for op in ("add", "subtract", "multiply", "maximum", "minimum", "divide"):
        binary(op, FLOATS)
    for op in ("add", "subtract", "multiply", "maximum", "minimum"):
        binary(op, INTS)
    binary("divide", INTS, ("any", "nonzero"))
    binary("remainder", INTS, ("any", "nonzero"))
    binary("remainder", ["f32", "f64"])
    for op in ("and", "or", "xor"):
        binary(op, INTS + ["i1"])
    for op in ("add", "multiply", "maximum", "minimum"):
        binary(op, ["i1"])
    for op in ("shift_left", "shift_right_arithmetic", "shift_right_logical"):
        binary(op, INTS, ("any", "shift"))
    binary("power", ["f32", "f64"], ("positive", "any"))
    binary("power", SIGNED, ("small", "exponent"))
    binary("power", UNSIGNED, ("small", "exponent"))
    binary("atan2", ["f32", "f64"])
    for op in ("abs", "negate", "sign"):
        unary(op, FLOATS + SIGNED)
    unary("not", INTS + ["i1"])
    for op in ("popcnt", "count_leading_zeros"):
        unary(op, ["i32", "ui8", "i64"])
    for op in ("ceil", "floor", "round_nearest_afz", "round_nearest_even"):
        unary(op, FLOATS, "wide")
    for op in ("exponential", "exponential_minus_one", "tanh", "logistic", "cbrt"):
        unary(op, FLOATS, "special")
    for op in ("sine", "cosine", "tan"):
        unary(op, ["f32", "f64"])
    for op in ("log", "log_plus_one", "sqrt", "rsqrt"):
        unary(op, FLOATS, "positive")
    unary("is_finite", FLOATS, "special", result="i1")
    for t in FLOATS + INTS:
        for direction in ("EQ", "NE", "GE", "GT", "LE", "LT"):
            a, r = tensor((3, 5), t), tensor((3, 5), "i1")
            kind = ("FLOAT" if t in FLOATS else
                    "UNSIGNED" if t in UNSIGNED else "SIGNED")
            case(f"compare_{direction}_{t}", [(a, "few"), (a, "few")], r,
                 f"%r = stablehlo.compare {direction}, %a0, %a1, {kind} : "
                 f"({a}, {a}) -> {r}\nreturn %r : {r}")
    a, r = tensor((9,), "f32"), tensor((9,), "i1")
    case("compare_total", [(a, "special"), (a, "special")], r,
         f"%r = stablehlo.compare LT, %a0, %a1, TOTALORDER : ({a}, {a}) -> {r}\n"
         f"return %r : {r}")
    for source in FLOATS + INTS + ["i1"]:
        for target in FLOATS + INTS + ["i1"]:
            a, r = tensor((11,), source), tensor((11,), target)
            case(f"convert_{source}_{target}", [(a, "convert")], r,
                 f"%r = stablehlo.convert %a0 : ({a}) -> {r}\nreturn %r : {r}")
    for t in ("f32", "i32", "bf16"):
        a, p = tensor((3, 5), t), tensor((3, 5), "i1")
        s, q = tensor((), t), tensor((), "i1")
        case(f"select_{t}", [(p, "any"), (a, "any"), (a, "any")], a,
             f"%r = stablehlo.select %a0, %a1, %a2 : {p}, {a}\nreturn %r : {a}")
        case(f"select_scalar_{t}", [(q, "any"), (a, "any"), (a, "any")], a,
             f"%r = stablehlo.select %a0, %a1, %a2 : {q}, {a}\nreturn %r : {a}")
        case(f"clamp_{t}", [(s, "low"), (a, "any"), (s, "high")], a,
             f"%r = stablehlo.clamp %a0, %a1, %a2 : ({s}, {a}, {s}) -> {a}\n"
             f"return %r : {a}")
    a, r = tensor((5,), "f32"), tensor((5,), "i32")
    case("bitcast_convert", [(a, "any")], r,
         f"%r = stablehlo.bitcast_convert %a0 : ({a}) -> {r}\nreturn %r : {r}")
    for wide, narrow, parts in (("f32", "ui8", 4), ("ui64", "ui32", 2), ("f64", "f32", 2), ("i64", "bf16", 4),
                                ("f32", "f16", 2), ("ui16", "i8", 2), ("f64", "i16", 4), ("i64", "i8", 8)):
        for k, shape in enumerate([(), (7,), (3, 5), (2, 3, 4), (0, 4)]):
            a, r = tensor(shape, wide), tensor(shape + (parts,), narrow)
            for name, source, target in ((f"cut_{wide}_{narrow}", a, r), (f"join_{narrow}_{wide}", r, a)):
                case(f"bitcast_{name}_{k}", [(source, "any")], target,
                     f"%r = stablehlo.bitcast_convert %a0 : ({source}) -> {target}\nreturn %r : {target}")
    # Between other ops, across the dimension of the parts.
    a, m, r = tensor((6, 4), "f32"), tensor((6, 4, 2), "ui16"), tensor((2, 4, 6), "ui16")
    case("bitcast_transpose", [(a, "any")], r,
         f"%b = stablehlo.negate %a0 : {a}\n%c = stablehlo.bitcast_convert %b : ({a}) -> {m}\n"
         f"%r = stablehlo.transpose %c, dims = [2, 1, 0] : ({m}) -> {r}\nreturn %r : {r}")


def movement():
    for t in ("f32", "i1", "bf16", "f64", "i8", "complex<f32>", "complex<f64>"):
        def move(name, shape, result, text):
            a, r = tensor(shape, t), tensor(result, t)
            case(f"{name}_{t}", [(a, "any")], r,
                 f"%r = stablehlo.{text} : ({a}) -> {r}\nreturn %r : {r}")
        move("broadcast0", (), (3, 4), "broadcast_in_dim %a0, dims = []")
        move("broadcast1", (4,), (3, 4), "broadcast_in_dim %a0, dims = [1]")
        move("broadcast2", (1, 4), (3, 4), "broadcast_in_dim %a0, dims = [0, 1]")
        move("broadcast3", (3, 2), (2, 5, 3), "broadcast_in_dim %a0, dims = [2, 0]")
        move("reshape0", (3, 4), (12,), "reshape %a0")
        move("reshape1", (2, 3, 4), (6, 4), "reshape %a0")
        move("reshape2", (6, 4), (2, 12), "reshape %a0")
        move("reshape3", (1, 6, 1), (2, 1, 3), "reshape %a0")
        move("reshape4", (1,), (), "reshape %a0")
        move("reshape5", (0, 3), (3, 0), "reshape %a0")
        move("transpose0", (3, 5), (5, 3), "transpose %a0, dims = [1, 0]")
        move("transpose1", (2, 3, 4), (3, 2, 4), "transpose %a0, dims = [1, 0, 2]")
        move("transpose2", (2, 3, 4), (4, 2, 3), "transpose %a0, dims = [2, 0, 1]")
        move("transpose3", (33, 65), (65, 33), "transpose %a0, dims = [1, 0]")
        move("reverse", (3, 5), (3, 5), "reverse %a0, dims = [0, 1]")
        move("slice0", (5, 6), (2, 6), "slice %a0 [1:3, 0:6]")
        move("slice1", (5, 9), (3, 3), "slice %a0 [0:5:2, 1:9:3]")
        a, s = tensor((3, 4), t), tensor((), t)
        for name, low, high, interior, shape in (
                ("a", (1, 2), (0, 3), (0, 0), (4, 9)),
                ("b", (1, 0), (1, 1), (1, 2), (7, 11)),
                ("c", (-1, 0), (0, -2), (0, 0), (2, 2)),
                ("d", (-1, 1), (2, -1), (2, 1), (8, 7))):
            r = tensor(shape, t)
            case(f"pad_{name}_{t}", [(a, "any"), (s, "any")], r,
                 f"%r = stablehlo.pad %a0, %a1, low = {list(low)}, high = "
                 f"{list(high)}, interior = {list(interior)} : ({a}, {s}) -> {r}\n"
                 f"return %r : {r}")
        b, c, r = tensor((3, 2), t), tensor((3, 0), t), tensor((3, 10), t)
        case(f"concatenate_{t}", [(a, "any"), (c, "any"), (b, "any"), (a, "any")], r,
             f"%r = stablehlo.concatenate %a0, %a1, %a2, %a3, dim = 1 : "
             f"({a}, {c}, {b}, {a}) -> {r}\nreturn %r : {r}")
    for t in FLOATS + INTS + ["complex<f32>", "complex<f64>"]:
        r = tensor((3, 7), t)
        case(f"iota_{t}", [], r, f"%r = stablehlo.iota dim = 1 : {r}\nreturn %r : {r}")
    case("constant", [], ["tensor<2x3xf32>", "tensor<3xi1>", "tensor<2xbf16>"],
         "%r = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, -0.0]]> : tensor<2x3xf32>\n"
         "%s = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>\n"
         "%t = stablehlo.constant dense<1.5> : tensor<2xbf16>\n"
         "return %r, %s, %t : tensor<2x3xf32>, tensor<3xi1>, tensor<2xbf16>")
    case("returned_input", [("tensor<3xf32>", "any")], ["tensor<3xf32>"] * 2,
         "return %a0, %a0 : tensor<3xf32>, tensor<3xf32>")


def indexing():
    for t, index in (("f32", "i32"), ("bf16", "ui8"), ("i8", "i64"), ("i1", "ui64"),
                     ("complex<f32>", "i32"), ("complex<f64>", "i8")):
        a, s = tensor((5, 6), t), tensor((), index)
        r, u = tensor((2, 6), t), tensor((2, 3), t)
        for k in range(3):
            case(f"dynamic_slice_{t}_{k}", [(a, "any"), (s, "index"), (s, "index")], r,
                 f"%r = stablehlo.dynamic_slice %a0, %a1, %a2, sizes = [2, 6] : "
                 f"({a}, {s}, {s}) -> {r}\nreturn %r : {r}")
            case(f"dynamic_update_slice_{t}_{k}",
                 [(a, "any"), (u, "any"), (s, "index"), (s, "index")], a,
                 f"%r = stablehlo.dynamic_update_slice %a0, %a1, %a2, %a3 : "
                 f"({a}, {u}, {s}, {s}) -> {a}\nreturn %r : {a}")
        i = tensor((4, 3, 1), index)
        g = tensor((4, 3, 6), t)
        case(f"gather_rows_{t}", [(a, "any"), (i, "index")], g,
             '%r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<'
             "offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], "
             "index_vector_dim = 2>, slice_sizes = array<i64: 1, 6>}> : "
             f"({a}, {i}) -> {g}\nreturn %r : {g}")
        i, g = tensor((7, 2), index), tensor((7, 2, 3), t)
        case(f"gather_window_{t}", [(a, "any"), (i, "index")], g,
             '%r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<'
             "offset_dims = [1, 2], start_index_map = [1, 0], index_vector_dim = 1>, "
             f"slice_sizes = array<i64: 2, 3>}}> : ({a}, {i}) -> {g}\nreturn %r : {g}")
        b, i, g = tensor((2, 3, 8), t), tensor((2, 3, 1, 1), index), tensor((2, 3, 1), t)
        case(f"gather_batched_{t}", [(b, "any"), (i, "index")], g,
             '%r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<'
             "collapsed_slice_dims = [2], operand_batching_dims = [0, 1], "
             "start_indices_batching_dims = [0, 1], start_index_map = [2], "
             "index_vector_dim = 3>, slice_sizes = array<i64: 1, 1, 1>}> : "
             f"({b}, {i}) -> {g}\nreturn %r : {g}")
    for t, op in (("f32", "add"), ("i32", "add"), ("bf16", "maximum"), ("i1", "or"),
                  ("complex<f32>", "add"), ("complex<f64>", "multiply")):
        s = tensor((), t)
        region = (f"^bb0(%x: {s}, %y: {s}):\n  %z = stablehlo.{op} %x, %y : {s}\n"
                  f"  stablehlo.return %z : {s}\n")
        a, i, u = tensor((5, 6), t), tensor((4, 3, 1), "i32"), tensor((4, 3, 6), t)
        case(f"scatter_rows_{t}", [(a, "any"), (i, "index"), (u, "any")], a,
             '%r = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = '
             "#stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], "
             "scatter_dims_to_operand_dims = [0], index_vector_dim = 2>}> ({\n" + region +
             f"}}) : ({a}, {i}, {u}) -> {a}\nreturn %r : {a}")
        i, u = tensor((7, 2), "i32"), tensor((7, 2, 3), t)
        case(f"scatter_window_{t}", [(a, "any"), (i, "index"), (u, "any")], a,
             '%r = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = '
             "#stablehlo.scatter<update_window_dims = [1, 2], "
             "scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1>}> ({\n" + region +
             f"}}) : ({a}, {i}, {u}) -> {a}\nreturn %r : {a}")
        b, i, u = tensor((2, 3, 8), t), tensor((2, 3, 1, 1), "i32"), tensor((2, 3, 1), t)
        case(f"scatter_batched_{t}", [(b, "any"), (i, "index"), (u, "any")], b,
             '%r = "stablehlo.scatter"(%a0, %a1, %a2) <{scatter_dimension_numbers = '
             "#stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], "
             "scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], "
             "index_vector_dim = 3>}> ({\n" + region +
             f"}}) : ({b}, {i}, {u}) -> {b}\nreturn %r : {b}")


def random_numbers(rng):
    """Shapes and dimension numbers that a gather and a scatter have in common."""
    batching = rng.randrange(3)
    shape = [rng.randrange(1, 5) for _ in range(batching + rng.randrange(1, 4))]
    dims = list(range(len(shape)))
    operand_batching = sorted(rng.sample(dims, batching))
    free = [d for d in dims if d not in operand_batching]
    collapsed = sorted(rng.sample(free, rng.randrange(len(free) + 1)))
    window = [d for d in free if d not in collapsed]
    index_map = rng.sample(free, rng.randrange(len(free) + 1))
    sizes = [1 if d not in window else rng.randrange(1, shape[d] + 1) for d in dims]
    # The dimensions of the indices beside the index vector, shuffled.
    rest = [("batch", d) for d in operand_batching] + [("free", rng.randrange(1, 4))
                                                       for _ in range(rng.randrange(2))]
    rng.shuffle(rest)
    indices = [shape[n] if kind == "batch" else n for kind, n in rest]
    vector = rng.randrange(len(indices) + 1)
    implicit = len(index_map) == 1 and rng.random() < 0.3
    if implicit:
        vector = len(indices)
    else:
        indices.insert(vector, len(index_map))

    def place(i):
        return i if i < vector else i + (not implicit)
    indices_batching = [place(rest.index(("batch", d))) for d in operand_batching]
    count = len(rest) + len(window)
    offsets = sorted(rng.sample(range(count), len(window)))
    left, inner = [shape[n] if kind == "batch" else n for kind, n in rest], [sizes[d] for d in window]
    result = [inner.pop(0) if i in offsets else left.pop(0) for i in range(count)]
    return (shape, indices, result, sizes, offsets, collapsed, operand_batching, indices_batching,
            index_map, vector)


def random_indexing():
    for seed in range(60):
        rng = random.Random(seed)
        (shape, indices, result, sizes, offsets, collapsed, batching, indices_batching, index_map,
         vector) = random_numbers(rng)
        t, index = rng.choice(FLOATS + INTS + ["i1"]), rng.choice(INTS)
        a, i, r = tensor(shape, t), tensor(indices, index), tensor(result, t)
        is_sorted = "false" if index_map else "true"
        case(f"gather_random_{seed}", [(a, "any"), (i, "index")], r,
             '%r = "stablehlo.gather"(%a0, %a1) <{dimension_numbers = #stablehlo.gather<'
             f"offset_dims = {offsets}, collapsed_slice_dims = {collapsed}, "
             f"operand_batching_dims = {batching}, start_indices_batching_dims = "
             f"{indices_batching}, start_index_map = {index_map}, index_vector_dim = {vector}>, "
             f"slice_sizes = array<i64: {', '.join(map(str, sizes))}>, indices_are_sorted = "
             f"{is_sorted}}}> : ({a}, {i}) -> {r}\nreturn %r : {r}")
        types = [rng.choice(["i32", "f32", "ui8", "bf16", "i1"]) for _ in range(rng.randrange(1, 4))]
        scalars = [tensor((), t) for t in types]
        ops = ["add", "multiply", "maximum", "minimum", "second", "first"]
        body, returned = "", []
        for n, (t, s) in enumerate(zip(types, scalars)):
            op = rng.choice(ops)
            if op in ("second", "first"):
                returned.append(f"%{'y' if op == 'second' else 'x'}{n}")
            else:
                body += f"%z{n} = stablehlo.{op} %x{n}, %y{n} : {s}\n"
                returned.append(f"%z{n}")
        arguments = ", ".join([f"%x{n}: {s}" for n, s in enumerate(scalars)] +
                              [f"%y{n}: {s}" for n, s in enumerate(scalars)])
        inputs, updates = [tensor(shape, t) for t in types], [tensor(result, t) for t in types]
        count = len(types)
        operands = [f"%a{n}" for n in range(2 * count + 1)]
        case(f"scatter_random_{seed}",
             [(t, "few") for t in inputs] + [(i, "index")] + [(t, "few") for t in updates], inputs,
             f'%r:{count} = "stablehlo.scatter"({", ".join(operands)}) <{{scatter_dimension_numbers = '
             f"#stablehlo.scatter<update_window_dims = {offsets}, inserted_window_dims = {collapsed}, "
             f"input_batching_dims = {batching}, scatter_indices_batching_dims = {indices_batching}, "
             f"scatter_dims_to_operand_dims = {index_map}, index_vector_dim = {vector}>}}> ({{\n"
             f"^bb0({arguments}):\n{body}stablehlo.return {', '.join(returned)} : "
             f"{', '.join(scalars)}\n}}) : ({', '.join(inputs + [i] + updates)}) -> "
             f"({', '.join(inputs)})\nreturn {', '.join(f'%r#{n}' for n in range(count))} : "
             f"{', '.join(inputs)}")


def reductions():
    init = {"add": {"f": "0.0", "i": "0"}, "multiply": {"f": "1.0", "i": "1"},
            "maximum": {"f": "-1.0e4", "i": "0"}, "minimum": {"f": "1.0e4", "i": "9"}}
    for t in FLOATS + ["i32", "ui8", "i64"]:
        for op, values in init.items():
            for k, (shape, dims) in enumerate((
                    ((3, 5), [1]), ((3, 5), [0]), ((4, 3, 33), [2]),
                    ((4, 3, 33), [0, 1]), ((4, 3, 5), [0, 2]), ((4, 3, 5), [0, 1, 2]),
                    ((4, 3, 5), [1]), ((4, 0), [1]), ((4, 1), [1]), ((7,), []))):
                a, s = tensor(shape, t), tensor((), t)
                r = tensor([n for i, n in enumerate(shape) if i not in dims], t)
                value = values["i" if "i" in t else "f"]
                case(f"reduce_{op}_{t}_{k}", [(a, "unit")], r,
                     f"%c = stablehlo.constant dense<{value}> : {s}\n"
                     f"%r = stablehlo.reduce(%a0 init: %c) applies stablehlo.{op} across "
                     f"dimensions = {dims} : ({a}, {s}) -> {r}\nreturn %r : {r}")
    for op, value in (("and", "true"), ("or", "false")):
        case(f"reduce_{op}_i1", [("tensor<4x5xi1>", "any")], "tensor<4xi1>",
             f"%c = stablehlo.constant dense<{value}> : tensor<i1>\n"
             f"%r = stablehlo.reduce(%a0 init: %c) applies stablehlo.{op} across dimensions = [1]"
             " : (tensor<4x5xi1>, tensor<i1>) -> tensor<4xi1>\nreturn %r : tensor<4xi1>")
    case("argmax", [("tensor<4x9xf32>", "any")], ["tensor<4xf32>", "tensor<4xi32>"], """
%i = stablehlo.iota dim = 1 : tensor<4x9xi32>
%m = stablehlo.constant dense<-1.0e30> : tensor<f32>
%z = stablehlo.constant dense<0> : tensor<i32>
%r:2 = "stablehlo.reduce"(%a0, %i, %m, %z) <{dimensions = array<i64: 1>}> ({
^bb0(%x: tensor<f32>, %xi: tensor<i32>, %y: tensor<f32>, %yi: tensor<i32>):
  %g = stablehlo.compare GE, %x, %y, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %v = stablehlo.select %g, %x, %y : tensor<i1>, tensor<f32>
  %w = stablehlo.select %g, %xi, %yi : tensor<i1>, tensor<i32>
  stablehlo.return %v, %w : tensor<f32>, tensor<i32>
}) : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>""")
    for t in FLOATS + ["i32", "ui8"]:
        a, b, r = tensor((2, 3, 5), t), tensor((2, 5, 4), t), tensor((2, 3, 4), t)
        case(f"dot_batched_{t}", [(a, "unit"), (b, "unit")], r,
             "%r = stablehlo.dot_general %a0, %a1, batching_dims = [0] x [0], contracting_dims = "
             f"[2] x [1] : ({a}, {b}) -> {r}\nreturn %r : {r}")
        a, b, r = tensor((3, 5, 2), t), tensor((2, 3, 7), t), tensor((5, 7), t)
        case(f"dot_two_{t}", [(a, "unit"), (b, "unit")], r,
             "%r = stablehlo.dot_general %a0, %a1, contracting_dims = "
             f"[0, 2] x [1, 0] : ({a}, {b}) -> {r}\nreturn %r : {r}")


def window_case(name, shapes, types, inits, region, sizes, strides=None, base=None, dilation=None,
                padding=None):
    """A reduce_window of any number of operands."""
    shape, rank = shapes, len(shapes)
    ones = [1] * rank
    strides, base, dilation = strides or ones, base or ones, dilation or ones
    padding = padding or [(0, 0)] * rank
    result = []
    for n, w, s, b, d, (low, high) in zip(shape, sizes, strides, base, dilation, padding):
        room = (n and (n - 1) * b + 1) + low + high - ((w - 1) * d + 1)
        result.append(0 if room < 0 else room // s + 1)
    count = len(types)
    inputs = [tensor(shape, t) for t in types]
    scalars = [tensor((), t) for t in types]
    results = [tensor(result, t) for t in types]
    text = "".join(f"%c{i} = stablehlo.constant dense<{v}> : {t}\n"
                   for i, (v, t) in enumerate(zip(inits, scalars)))
    operands = ", ".join([f"%a{i}" for i in range(count)] + [f"%c{i}" for i in range(count)])
    arguments = ", ".join([f"%x{i}: {t}" for i, t in enumerate(scalars)] +
                          [f"%y{i}: {t}" for i, t in enumerate(scalars)])

    def array(values):
        return "array<i64: " + ", ".join(map(str, values)) + ">"
    pads = [list(p) for p in padding]
    text += (f'%r:{count} = "stablehlo.reduce_window"({operands}) <{{window_dimensions = '
             f"{array(sizes)}, window_strides = {array(strides)}, base_dilations = {array(base)}, "
             f"window_dilations = {array(dilation)}, padding = dense<{pads}> : "
             f"tensor<{rank}x2xi64>}}> ({{\n^bb0({arguments}):\n{region}"
             f"}}) : ({', '.join(inputs + scalars)}) -> ({', '.join(results)})\n"
             f"return {', '.join(f'%r#{i}' for i in range(count))} : {', '.join(results)}")
    case(name, [(t, "unit") for t in inputs], results, text)


def windows(types=None):
    init = {"add": ("0.0", "0"), "multiply": ("1.0", "1"), "maximum": ("0xFF800000", "0")}
    forms = [((9,), (3,), dict()), ((9,), (3,), dict(strides=[2], padding=[(1, 1)])),
             ((9,), (2,), dict(base=[2], dilation=[3], padding=[(-1, 2)])),
             ((9,), (9,), dict(padding=[(8, 0)])), ((9,), (9,), dict(padding=[(0, 8)])),
             ((9,), (9,), dict(padding=[(8, 8)])), ((40,), (33,), dict(padding=[(16, 16)])),
             ((400,), (40,), dict(padding=[(20, 19)])),
             ((400,), (40,), dict(strides=[3], base=[2], padding=[(-5, 7)])),
             ((3, 9), (3, 9), dict(padding=[(2, 0), (0, 8)])),
             ((3, 9), (1, 9), dict(padding=[(0, 0), (8, 0)])),
             ((5, 9), (5, 1), dict(padding=[(4, 0), (0, 0)])),
             ((5, 2, 9), (5, 1, 1), dict(padding=[(0, 4), (0, 0), (0, 0)])),
             ((5, 2, 1), (5, 1, 1), dict(padding=[(0, 4), (0, 0), (0, 0)])),
             ((3, 1100), (3, 1), dict(padding=[(2, 0), (0, 0)])),
             ((2, 7, 7, 8), (1, 3, 3, 1), dict(strides=[1, 2, 2, 1],
                                               padding=[(0, 0), (1, 1), (0, 1), (0, 0)])),
             ((2, 3, 7, 7), (1, 1, 2, 2), dict(strides=[1, 1, 2, 2])),
             ((12, 13), (9, 8), dict(padding=[(4, 4), (3, 4)])),
             ((4, 5), (1, 1), dict(strides=[2, 3])), ((4, 5), (1, 1), dict()),
             ((4, 5), (5, 1), dict()), ((0, 3), (2, 1), dict(padding=[(2, 2), (0, 0)])),
             ((6,), (2,), dict(padding=[(-2, -2)])), ((6,), (3,), dict(padding=[(5, -4)]))]
    for k, (shape, sizes, attributes) in enumerate(forms):
        for t in types or (FLOATS + ["i32", "ui8", "i64", "i1"] if k < 5 else ["f32", "bf16", "i32"]):
            for op, values in init.items():
                if t == "i1" and op == "multiply":
                    continue
                value = "false" if t == "i1" else values["f" not in t]
                value = {"0xFF800000": {"f64": "-1.0e4", "bf16": "-1.0e4", "f16": "-1.0e4"}.get(
                    t, value)}.get(value, value)
                region = (f"%z = stablehlo.{op} %x0, %y0 : tensor<{t}>\n"
                          f"stablehlo.return %z : tensor<{t}>\n")
                window_case(f"window_{op}_{t}_{k}", shape, [t], [value], region, sizes,
                            **attributes)
        # Not an identity: every padded element counts.
        region = "%z = stablehlo.add %x0, %y0 : tensor<f32>\nstablehlo.return %z : tensor<f32>\n"
        window_case(f"window_odd_init_{k}", shape, ["f32"], ["0.25"], region, sizes, **attributes)
        pair = ("%g = stablehlo.compare GE, %x0, %y0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                "%v = stablehlo.select %g, %x0, %y0 : tensor<i1>, tensor<f32>\n"
                "%w = stablehlo.select %g, %x1, %y1 : tensor<i1>, tensor<i32>\n"
                "stablehlo.return %v, %w : tensor<f32>, tensor<i32>\n")
        window_case(f"window_argmax_{k}", shape, ["f32", "i32"], ["0xFF800000", "0"], pair, sizes,
                    **attributes)


def sort_text(types, dim, compare, stable="true", operands=None):
    count = len(types)
    operands = operands or [f"%a{i}" for i in range(count)]
    scalars = [tensor((), t[7:-1].split("x")[-1]) for t in types]
    arguments = ", ".join(f"%{s}{i}: {t}" for i, t in enumerate(scalars) for s in "xy")
    return (f'%s:{count} = "stablehlo.sort"({", ".join(operands)}) <{{dimension = {dim} : i64, '
            f"is_stable = {stable}}}> ({{\n^bb0({arguments}):\n{compare}}}) : "
            f"({', '.join(types)}) -> ({', '.join(types)})\n")


def less(t, i=0, name="%l", direction="LT", kind=None):
    s = tensor((), t)
    kind = kind or ("FLOAT" if t in FLOATS else "UNSIGNED" if t[0] == "u" or t == "i1" else "SIGNED")
    return (f"{name} = stablehlo.compare {direction}, %x{i}, %y{i}, {kind} : "
            f"({s}, {s}) -> tensor<i1>\n")


def total_order(t, i=0, name="%l", direction="LT"):
    """The order of TOTALORDER, which the reference interpreter does not have, on
    the bits."""
    width = {"f64": 64, "f32": 32}.get(t, 16)
    s, n = tensor((), t), f"tensor<i{width}>"
    text = ""
    for v in "xy":
        v = f"{v}{i}"
        text += (f"%{v}b = stablehlo.bitcast_convert %{v} : ({s}) -> {n}\n"
                 f"%{v}w = stablehlo.constant dense<{width - 1}> : {n}\n"
                 f"%{v}m = stablehlo.constant dense<{2 ** (width - 1) - 1}> : {n}\n"
                 f"%{v}s = stablehlo.shift_right_arithmetic %{v}b, %{v}w : {n}\n"
                 f"%{v}f = stablehlo.and %{v}s, %{v}m : {n}\n"
                 f"%{v}k = stablehlo.xor %{v}b, %{v}f : {n}\n")
    return text + (f"{name} = stablehlo.compare {direction}, %x{i}k, %y{i}k, SIGNED : "
                   f"({n}, {n}) -> tensor<i1>\n")


def sorting(large, types=None):
    end = "stablehlo.return %l : tensor<i1>\n"
    for k, (shape, dim) in enumerate((((1,), 0), ((2,), 0), ((9,), -1), ((64,), 0), ((3, 5), 1),
                                      ((5, 3), 0), ((4, 7, 3), 1), ((0, 3), 0), ((3, 0), 0),
                                      ((3000,), 0), ((9000,), 0), ((9000, 3), 0), ((2, 9000), 1),
                                      ((3, 1), 1))):
        # A kernel of its own has no place for more than some thousand elements.
        if 9000 in shape and not large:
            continue
        for t in types or (FLOATS + INTS + ["i1"] if k < 8 else ["f32", "bf16", "i64"]):
            a = tensor(shape, t)
            if t in FLOATS:
                case(f"sort_total_{t}_{k}", [(a, "special")], a,
                     sort_text([a], dim, less(t, direction="GT", kind="TOTALORDER") + end) +
                     f"return %s : {a}")
                REFERENCE_BODIES[f"sort_total_{t}_{k}"] = (
                    sort_text([a], dim, total_order(t, direction="GT") + end) +
                    f"return %s : {a}")
            else:
                case(f"sort_{t}_{k}", [(a, "any")], a,
                     sort_text([a], dim, less(t) + end) + f"return %s : {a}")
        # Ties keep their order; the keys are the second operand.
        a, b, c = tensor(shape, "f32"), tensor(shape, "i8"), tensor(shape, "bf16")
        case(f"sort_pairs_{k}", [(a, "any"), (b, "small"), (c, "any")], [a, b, c],
             sort_text([a, b, c], dim, less("i8", 1, direction="GT") + end) +
             f"return %s#0, %s#1, %s#2 : {a}, {b}, {c}")
        # Two keys, the first one first.
        def lexical(second):
            return (sort_text([b, a], dim, less("i8", name="%p") + less("i8", name="%q", direction="EQ") +
                              second + "%t = stablehlo.and %q, %r : tensor<i1>\n"
                              "%l = stablehlo.or %p, %t : tensor<i1>\n" + end, "false") +
                    f"return %s#0, %s#1 : {b}, {a}")
        case(f"sort_lexical_{k}", [(b, "small"), (a, "few")], [b, a],
             lexical(less("f32", 1, name="%r", kind="TOTALORDER")))
        REFERENCE_BODIES[f"sort_lexical_{k}"] = lexical(total_order("f32", 1, name="%r"))
    # What is sorted and what becomes of it are computed on the way.
    a = tensor((6, 700), "f32")
    case("sort_between", [(a, "any")], a,
         f"%m = stablehlo.multiply %a0, %a0 : {a}\n" +
         sort_text([a], 0, less("f32") + end, operands=["%m"]) +
         f"%r = stablehlo.negate %s : {a}\nreturn %r : {a}")
    for k, (shape, count) in enumerate((((9,), 1), ((9,), 9), ((8, 16, 8), 2), ((3, 40), 7), ((2, 500), 500),
                                        ((0, 4), 2), ((3, 4), 0), ((1, 1), 1), ((2, 300), 33))):
        for t in types or FLOATS + INTS + ["i1"]:
            a, i, full = tensor(shape, t), tensor(shape[:-1] + (count,), "i32"), tensor(shape, "i32")
            v = tensor(shape[:-1] + (count,), t)
            name = f"top_k_{t}_{k}"
            case(name, [(a, "special" if t in FLOATS else "small" if k % 2 and t != "i1" else "any")],
                 [v, i], f"%v, %i = chlo.top_k(%a0, k = {count}) : {a} -> ({v}, {i})\n"
                 f"return %v, %i : {v}, {i}")
            limits = ", ".join(f"0:{n}" for n in shape[:-1] + (count,))
            REFERENCE_BODIES[name] = (
                f"%n = stablehlo.iota dim = {len(shape) - 1} : {full}\n" +
                sort_text([a, full], len(shape) - 1,
                          (total_order if t in FLOATS else less)(t, direction="GT") + end,
                          operands=["%a0", "%n"]) +
                f"%v = stablehlo.slice %s#0 [{limits}] : ({a}) -> {v}\n"
                f"%i = stablehlo.slice %s#1 [{limits}] : ({full}) -> {i}\n"
                f"return %v, %i : {v}, {i}")


def fused():
    x, r = "tensor<4x7x33xf32>", "tensor<4x7xf32>"
    constants = ("%ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
                 "%zero = stablehlo.constant dense<0.0> : tensor<f32>\n"
                 "%n = stablehlo.constant dense<33.0> : tensor<4x7xf32>\n")

    def over_rows(name, source, op="add", init="%zero"):
        return (f"{name} = stablehlo.reduce({source} init: {init}) applies stablehlo.{op} "
                f"across dimensions = [2] : ({x}, tensor<f32>) -> {r}\n")

    def spread(name, source):
        return f"{name} = stablehlo.broadcast_in_dim {source}, dims = [0, 1] : ({r}) -> {x}\n"
    case("softmax", [(x, "any")], x, constants + over_rows("%m", "%a0", "maximum", "%ninf") +
         spread("%mb", "%m") + f"%d = stablehlo.subtract %a0, %mb : {x}\n"
         f"%e = stablehlo.exponential %d : {x}\n" + over_rows("%s", "%e") +
         spread("%sb", "%s") + f"%r = stablehlo.divide %e, %sb : {x}\nreturn %r : {x}")
    case("layer_norm_gradients", [(x, "any"), (x, "any")],
         [x, r, "tensor<33xf32>", "tensor<f32>"],
         constants + over_rows("%s", "%a0") + f"%mean = stablehlo.divide %s, %n : {r}\n" +
         spread("%mb", "%mean") + f"%d = stablehlo.subtract %a0, %mb : {x}\n"
         f"%d2 = stablehlo.multiply %d, %d : {x}\n" + over_rows("%v", "%d2") +
         f"%q = stablehlo.rsqrt %v : {r}\n" + spread("%qb", "%q") +
         f"%y = stablehlo.multiply %d, %qb : {x}\n%g = stablehlo.multiply %y, %a1 : {x}\n"
         f"%c = stablehlo.reduce(%g init: %zero) applies stablehlo.add across dimensions = [0, 1]"
         f" : ({x}, tensor<f32>) -> tensor<33xf32>\n"
         f"%t = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0]"
         f" : (tensor<33xf32>, tensor<f32>) -> tensor<f32>\n"
         f"return %y, %mean, %c, %t : {x}, {r}, tensor<33xf32>, tensor<f32>")
    w = "tensor<6x5xf32>"
    case("two_layouts", [(w, "any")], [w, "tensor<5x6xf32>"],
         f"%e = stablehlo.exponential %a0 : {w}\n"
         f"%t = stablehlo.transpose %e, dims = [1, 0] : ({w}) -> tensor<5x6xf32>\n"
         f"return %e, %t : {w}, tensor<5x6xf32>")
    case("transposed_part", [("tensor<2x40x21xf32>", "any"), ("tensor<2x21x33xf32>", "any")],
         "tensor<2x21x33xf32>",
         "%s = stablehlo.slice %a0 [0:2, 5:38, 0:21] : (tensor<2x40x21xf32>) -> tensor<2x33x21xf32>\n"
         "%t = stablehlo.transpose %s, dims = [0, 2, 1] : (tensor<2x33x21xf32>) -> tensor<2x21x33xf32>\n"
         "%r = stablehlo.subtract %a1, %t : tensor<2x21x33xf32>\nreturn %r : tensor<2x21x33xf32>")
    case("two_transposed", [("tensor<9x3x17xf32>", "any"), ("tensor<17x9x3xf32>", "any")],
         "tensor<17x3x9xf32>",
         "%s = stablehlo.transpose %a0, dims = [2, 1, 0] : (tensor<9x3x17xf32>) -> tensor<17x3x9xf32>\n"
         "%t = stablehlo.transpose %a1, dims = [0, 2, 1] : (tensor<17x9x3xf32>) -> tensor<17x3x9xf32>\n"
         "%r = stablehlo.multiply %s, %t : tensor<17x3x9xf32>\nreturn %r : tensor<17x3x9xf32>")
    case("pads_added", [("tensor<4x3xf32>", "any")] * 2, "tensor<4x9xf32>",
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%p = stablehlo.pad %a0, %z, low = [0, 1], high = [0, 5], interior = [0, 0] : "
         "(tensor<4x3xf32>, tensor<f32>) -> tensor<4x9xf32>\n"
         "%q = stablehlo.pad %a1, %z, low = [0, 5], high = [0, 1], interior = [0, 0] : "
         "(tensor<4x3xf32>, tensor<f32>) -> tensor<4x9xf32>\n"
         "%r = stablehlo.add %p, %q : tensor<4x9xf32>\nreturn %r : tensor<4x9xf32>")
    case("mean_removed", [("tensor<6x5xf32>", "any")], [w, "tensor<f32>"],
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%n = stablehlo.constant dense<30.0> : tensor<f32>\n"
         f"%s = stablehlo.reduce(%a0 init: %z) applies stablehlo.add across dimensions = [0, 1] : "
         f"({w}, tensor<f32>) -> tensor<f32>\n%m = stablehlo.divide %s, %n : tensor<f32>\n"
         f"%b = stablehlo.broadcast_in_dim %m, dims = [] : (tensor<f32>) -> {w}\n"
         f"%r = stablehlo.subtract %a0, %b : {w}\nreturn %r, %m : {w}, tensor<f32>")


def dots():
    """Products in every order of their dimensions: (lhs, rhs, batching pairs,
    contracted pairs, permutation of the result or None)."""
    for k, (lhs, rhs, batch, contracted, turned) in enumerate((
            ((3, 5), (5, 4), [], [(1, 0)], None), ((5, 3), (5, 4), [], [(0, 0)], None),
            ((3, 5), (4, 5), [], [(1, 1)], None), ((5, 3), (4, 5), [], [(0, 1)], None),
            ((5,), (5, 4), [], [(0, 0)], None), ((3, 5), (5,), [], [(1, 0)], None),
            ((5,), (5,), [], [(0, 0)], None), ((3,), (4,), [], [], None),
            ((3, 1), (1, 4), [], [(1, 0)], None), ((2, 3), (2, 4), [(0, 0)], [], None),
            ((0, 5), (5, 4), [], [(1, 0)], None),
            ((2, 3, 5), (2, 5, 4), [(0, 0)], [(2, 1)], None),
            ((3, 2, 5), (5, 4, 2), [(1, 2)], [(2, 0)], None),
            ((2, 6, 3, 5), (2, 6, 3, 5), [(0, 0), (2, 2)], [(3, 3)], None),
            ((2, 6, 3, 5), (2, 3, 4, 6), [(0, 0), (2, 1)], [(1, 3)], None),
            ((3, 2, 5), (5, 2, 4), [], [(1, 1), (2, 0)], None),
            ((3, 2, 5), (2, 5, 4), [], [(2, 1), (1, 0)], None),
            ((2, 3, 4, 5), (6, 3, 4, 5), [], [(1, 1), (2, 2), (3, 3)], None),
            ((1, 3, 1, 5), (5, 1, 4), [], [(3, 0)], None),
            ((5, 3), (5, 4), [], [(0, 0)], (1, 0)), ((3, 5), (4, 5), [], [(1, 1)], (1, 0)),
            ((2, 3, 5), (2, 5, 4), [(0, 0)], [(2, 1)], (0, 2, 1)),
            ((3, 2, 5), (5, 4, 6), [], [(2, 0)], (2, 3, 0, 1)),
            ((3, 2, 5), (5, 4, 6), [], [(2, 0)], (3, 0, 2, 1)))):
        for t in ("f32", "bf16") if k % 3 else ("f32", "f64", "f16", "i32"):
            free = [n for i, n in enumerate(lhs) if i not in dict(batch + contracted)]
            rhs_used = [j for _, j in batch + contracted]
            free += [n for j, n in enumerate(rhs) if j not in rhs_used]
            shape = [lhs[i] for i, _ in batch] + free
            a, b, r = tensor(lhs, t), tensor(rhs, t), tensor(shape, t)

            def pairs(name, dims):
                left, right = [i for i, _ in dims], [j for _, j in dims]
                return f", {name} = {left} x {right}" if dims or name[0] == "c" else ""
            text = (f"%d = stablehlo.dot_general %a0, %a1{pairs('batching_dims', batch)}"
                    f"{pairs('contracting_dims', contracted)} : ({a}, {b}) -> {r}\n")
            if turned:
                out = tensor([shape[i] for i in turned], t)
                text += (f"%r = stablehlo.transpose %d, dims = {list(turned)} : ({r}) -> {out}\n"
                         f"return %r : {out}")
            else:
                out, text = r, text + f"return %d : {r}"
            case(f"dot_{k}_{t}", [(a, "unit"), (b, "unit")], out, text)


def program_cases():
    """Cases that are formed into kernels first."""
    movement()
    indexing()
    reductions()
    windows(["f32"])
    sorting(True, ["f32"])
    fused()
    dots()
    add_convolutions(case)
    add_select_and_scatter(case)
    add_complex_programs(case)
    return cases


def all_cases():
    elementwise()
    movement()
    indexing()
    random_indexing()
    reductions()
    windows()
    sorting(False)
    fused()
    add_convolutions(case)
    add_select_and_scatter(case)
    add_complex(case)
    add_maps(case, tensor, REFERENCE_BODIES)
    return cases
