"""Cases of kernels.py with complex numbers in memory: sums, products, windows,
sorting, tables, and what mixes them with real numbers."""

TYPES = ["complex<f32>", "complex<f64>"]


def tensor(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def reductions(case):
    init = {"add": "(0.0, 0.0)", "multiply": "(1.0, 0.0)"}
    for t in TYPES:
        s = tensor((), t)
        for op, value in init.items():
            for k, (shape, dims) in enumerate((
                    ((3, 5), [1]), ((3, 5), [0]), ((4, 3, 33), [2]), ((4, 3, 9), [0, 1]),
                    ((4, 3, 5), [0, 2]), ((4, 3, 5), [0, 1, 2]), ((4, 0), [1]), ((4, 1), [1]),
                    ((7,), []))):
                a = tensor(shape, t)
                r = tensor([n for i, n in enumerate(shape) if i not in dims], t)
                case(f"reduce_{op}_{t}_{k}", [(a, "unit")], r,
                     f"%c = stablehlo.constant dense<{value}> : {s}\n"
                     f"%r = stablehlo.reduce(%a0 init: %c) applies stablehlo.{op} across "
                     f"dimensions = {dims} : ({a}, {s}) -> {r}\nreturn %r : {r}")
        # The largest by its real part, as JAX writes it.
        a, real = tensor((4, 9), t), tensor((), t[8:11])
        case(f"reduce_largest_{t}", [(a, "unit")], tensor((4,), t),
             f"%c = stablehlo.constant dense<(-9.0, 0.0)> : {s}\n"
             '%r = "stablehlo.reduce"(%a0, %c) <{dimensions = array<i64: 1>}> ({\n'
             f"^bb0(%x: {s}, %y: {s}):\n  %u = stablehlo.real %x : ({s}) -> {real}\n"
             f"  %v = stablehlo.real %y : ({s}) -> {real}\n"
             f"  %g = stablehlo.compare GT, %u, %v, FLOAT : ({real}, {real}) -> tensor<i1>\n"
             f"  %w = stablehlo.select %g, %x, %y : tensor<i1>, {s}\n"
             f"  stablehlo.return %w : {s}\n}}) : ({a}, {s}) -> {tensor((4,), t)}\n"
             f"return %r : {tensor((4,), t)}")


def products(case):
    for t in TYPES:
        for name, left, right, result, batching, contracting in (
                ("matrix", (3, 5), (5, 4), (3, 4), "", "[1] x [0]"),
                ("batched", (2, 3, 5), (2, 5, 4), (2, 3, 4), "batching_dims = [0] x [0], ", "[2] x [1]"),
                ("two", (3, 5, 2), (2, 3, 7), (5, 7), "", "[0, 2] x [1, 0]"),
                ("outer", (3,), (4,), (3, 4), "", "[] x []"),
                ("inner", (9,), (9,), (), "", "[0] x [0]")):
            a, b, r = tensor(left, t), tensor(right, t), tensor(result, t)
            case(f"dot_{name}_{t}", [(a, "unit"), (b, "unit")], r,
                 f"%r = stablehlo.dot_general %a0, %a1, {batching}contracting_dims = {contracting} : "
                 f"({a}, {b}) -> {r}\nreturn %r : {r}")


def windows(case):
    for t in TYPES:
        s = tensor((), t)
        for op, value in (("add", "(0.0, 0.0)"), ("multiply", "(1.0, 0.0)"), ("add", "(0.5, -0.25)")):
            for k, (n, size, low, high) in enumerate(((9, 3, 0, 0), (9, 3, 1, 1), (9, 9, 8, 0), (9, 9, 0, 8),
                                                      (40, 33, 16, 16))):
                a, r = tensor((n,), t), tensor((n + low + high - size + 1,), t)
                case(f"window_{op}{value[3]}_{t}_{k}", [(a, "unit")], r,
                     f"%c = stablehlo.constant dense<{value}> : {s}\n"
                     '%r = "stablehlo.reduce_window"(%a0, %c) <{window_dimensions = array<i64: '
                     f"{size}>, padding = dense<[[{low}, {high}]]> : tensor<1x2xi64>}}> ({{\n"
                     f"^bb0(%x: {s}, %y: {s}):\n  %z = stablehlo.{op} %x, %y : {s}\n"
                     f"  stablehlo.return %z : {s}\n}}) : ({a}, {s}) -> {r}\nreturn %r : {r}")


def others(case):
    for t in TYPES:
        real = t[8:11]
        s, f = tensor((), t), tensor((), real)
        for shape, dim in (((9,), 0), ((5, 3), 0), ((3, 70), 1)):
            a, i = tensor(shape, t), tensor(shape, "i32")
            case(f"sort_{t}_{len(shape)}{dim}", [(a, "any"), (i, "any")], [a, i],
                 f'%r:2 = "stablehlo.sort"(%a0, %a1) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n'
                 f"^bb0(%x: {s}, %y: {s}, %m: tensor<i32>, %n: tensor<i32>):\n"
                 f"  %u = stablehlo.real %x : ({s}) -> {f}\n  %v = stablehlo.real %y : ({s}) -> {f}\n"
                 f"  %l = stablehlo.compare LT, %u, %v, FLOAT : ({f}, {f}) -> tensor<i1>\n"
                 f"  stablehlo.return %l : tensor<i1>\n}}) : ({a}, {i}) -> ({a}, {i})\n"
                 f"return %r#0, %r#1 : {a}, {i}")
        a, b, p = tensor((4, 5), t), tensor((4, 5), real), tensor((4, 5), "i1")
        row = tensor((5,), t)
        case(f"constant_table_{t}", [(a, "any")], a,
             f"%c = stablehlo.constant dense<[(1.0, 2.0), (3.0, -4.0), (0.0, 5.0), (-1.0, 0.5), (7.0, 8.0)]>"
             f" : {row}\n%d = stablehlo.broadcast_in_dim %c, dims = [1] : ({row}) -> {a}\n"
             f"%r = stablehlo.multiply %a0, %d : {a}\nreturn %r : {a}")
        case(f"select_{t}", [(p, "any"), (a, "any"), (a, "any")], a,
             f"%r = stablehlo.select %a0, %a1, %a2 : {p}, {a}\nreturn %r : {a}")
        case(f"select_scalar_{t}", [("tensor<i1>", "any"), (a, "any"), (a, "any")], a,
             f"%r = stablehlo.select %a0, %a1, %a2 : tensor<i1>, {a}\nreturn %r : {a}")
        case(f"norm_{t}", [(a, "any"), (b, "any")], [tensor((4,), real), a],
             f"%z = stablehlo.constant dense<0.0> : {f}\n"
             f"%i = stablehlo.constant dense<0.0> : {b}\n"
             f"%w = stablehlo.complex %a1, %i : {a}\n%m = stablehlo.multiply %a0, %w : {a}\n"
             f"%x = stablehlo.real %m : ({a}) -> {b}\n%y = stablehlo.imag %m : ({a}) -> {b}\n"
             f"%xx = stablehlo.multiply %x, %x : {b}\n%yy = stablehlo.multiply %y, %y : {b}\n"
             f"%q = stablehlo.add %xx, %yy : {b}\n"
             f"%n = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [1] : "
             f"({b}, {f}) -> {tensor((4,), real)}\nreturn %n, %m : {tensor((4,), real)}, {a}")


def add_complex(case):
    reductions(case)
    products(case)
    windows(case)
    others(case)


def add_complex_programs(case):
    """Products that become real ones, and a convolution, which has no kernel of
    its own for complex numbers."""
    products(case)
    for t in TYPES:
        x, k, r = tensor((2, 7, 2), t), tensor((3, 2, 3), t), tensor((2, 7, 3), t)
        case(f"complex_convolution_{t}", [(x, "unit"), (k, "unit")], r,
             "%r = stablehlo.convolution(%a0, %a1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = "
             "{pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
             f"({x}, {k}) -> {r}\nreturn %r : {r}")
