"""Cases of kernels.py and formed.py for convolutions: the forms that JAX and
PyTorch write, forward and gradients, and random ones in every attribute.

Their reference is XLA through JAX: StableHLO's interpreter ends the process on
windows that see nothing but padding."""
import random

import numpy as np


def shape_text(shape, element):
    return "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"


def output_size(size, kernel, stride, pad, lhs_dilation, rhs_dilation):
    dilated = (size - 1) * lhs_dilation + 1 if size else 0
    window = (kernel - 1) * rhs_dilation + 1 if kernel else 0
    total = dilated + sum(pad)
    return 0 if window > total else (total - window) // stride + 1


def convolution(dims, lhs, rhs, element="f32", stride=None, pad=None, lhs_dilation=None,
                rhs_dilation=None, reverse=None, groups=1, batch_groups=1, result=None):
    """(argument types, result type, text) of one convolution; `dims` is the
    three lists of roles, such as ("b01f", "01io", "b01f")."""
    n = len(dims[0]) - 2
    stride, lhs_dilation = stride or [1] * n, lhs_dilation or [1] * n
    rhs_dilation, reverse = rhs_dilation or [1] * n, reverse or [False] * n
    pad = pad or [(0, 0)] * n
    sizes = dict(zip(dims[0], lhs))
    kernel = dict(zip(dims[1], rhs))
    out = {"b": sizes["b"] // batch_groups, "f": kernel["o"]}
    for i in range(n):
        out[str(i)] = output_size(sizes[str(i)], kernel[str(i)], stride[i], pad[i],
                                  lhs_dilation[i], rhs_dilation[i])
    shape = [out[d] for d in dims[2]]
    a, b = shape_text(lhs, element), shape_text(rhs, element)
    r = shape_text(shape, result or element)
    roles = ["[" + ", ".join(d) + "]" for d in dims]
    flags = ", ".join(str(f).lower() for f in reverse)
    text = (f"%r = stablehlo.convolution(%a0, %a1) dim_numbers = {roles[0]}x{roles[1]}->{roles[2]}"
            f", window = {{stride = {stride}, pad = {[list(p) for p in pad]}, lhs_dilate = "
            f"{lhs_dilation}, rhs_dilate = {rhs_dilation}, reverse = [{flags}]}} "
            f"{{batch_group_count = {batch_groups} : i64, feature_group_count = {groups} : i64}} : "
            f"({a}, {b}) -> {r}\nreturn %r : {r}")
    return (a, b), r, text


NHWC = ("b01f", "01io", "b01f")
NCHW = ("bf01", "oi01", "bf01")
DATA = ("b01f", "01oi", "b01f")
WEIGHT = ("f01b", "i01o", "01bf")
ONES = [(1, 1), (1, 1)]

NAMED = {
    "same": (NHWC, (2, 7, 9, 5), (3, 3, 5, 18), dict(pad=ONES)),
    "wide": (NHWC, (2, 16, 16, 16), (3, 3, 16, 32), dict(pad=ONES)),
    "one_image": (NHWC, (1, 13, 14, 3), (3, 3, 3, 7), dict(pad=ONES)),
    "strided": (NHWC, (2, 8, 8, 6), (3, 3, 6, 16), dict(stride=[2, 2], pad=[(0, 1), (0, 1)])),
    "point": (NHWC, (2, 5, 6, 4), (1, 1, 4, 9), {}),
    "point_strided": (NHWC, (2, 5, 6, 4), (1, 1, 4, 9), dict(stride=[2, 2])),
    "whole": (NHWC, (3, 4, 5, 6), (4, 5, 6, 8), {}),
    "whole_bordered": (NHWC, (3, 4, 5, 6), (4, 5, 6, 8), dict(pad=ONES)),
    "data": (DATA, (2, 4, 4, 12), (3, 3, 5, 12), dict(pad=ONES)),
    "data_strided": (DATA, (2, 4, 4, 9), (3, 3, 16, 9),
                     dict(pad=[(2, 1), (2, 1)], lhs_dilation=[2, 2])),
    "data_point": (DATA, (2, 4, 4, 9), (1, 1, 6, 9), dict(pad=[(0, 1), (0, 1)], lhs_dilation=[2, 2])),
    "weight": (WEIGHT, (3, 8, 8, 7), (3, 8, 8, 18), dict(pad=ONES)),
    "weight_strided": (WEIGHT, (3, 8, 8, 7), (3, 4, 4, 18),
                       dict(pad=[(0, 1), (0, 1)], rhs_dilation=[2, 2])),
    "weight_point": (WEIGHT, (3, 8, 8, 7), (3, 4, 4, 18),
                     dict(pad=[(0, -1), (0, -1)], rhs_dilation=[2, 2])),
    "weight_large": (WEIGHT, (3, 48, 48, 5), (3, 48, 48, 16), dict(pad=ONES)),
    "torch": (NCHW, (2, 6, 9, 8), (10, 6, 3, 3), dict(pad=ONES)),
    "torch_weight": (("fb01", "io01", "bf01"), (3, 6, 8, 8), (3, 7, 8, 8), dict(pad=ONES)),
    "grouped": (NHWC, (2, 6, 6, 16), (3, 3, 4, 16), dict(pad=ONES, groups=4)),
    "depthwise": (NHWC, (2, 6, 7, 19), (3, 3, 1, 19), dict(pad=ONES, groups=19)),
    "depthwise_twice": (NHWC, (2, 6, 7, 5), (3, 3, 1, 10), dict(pad=ONES, groups=5)),
    "depthwise_weight": (("f01b", "i01o", "01bf"), (2, 6, 7, 19), (2, 6, 7, 19),
                         dict(pad=ONES, batch_groups=19)),
    "depthwise_torch": (NCHW, (2, 12, 6, 7), (12, 1, 3, 3), dict(pad=ONES, groups=12)),
    "batch_groups": (NHWC, (6, 5, 5, 4), (3, 3, 4, 8), dict(pad=ONES, batch_groups=2)),
    "flipped": (NHWC, (2, 6, 6, 4), (3, 2, 4, 8), dict(pad=ONES, reverse=[True, False])),
    "long_window": (NHWC, (2, 3, 24, 4), (1, 19, 4, 8), dict(pad=[(0, 0), (9, 9)])),
    "longer_window": (NHWC, (1, 1, 80, 2), (1, 71, 2, 8), dict(pad=[(0, 0), (35, 35)])),
    "only_border": (NHWC, (1, 2, 2, 3), (2, 2, 3, 4), dict(pad=[(5, 3), (3, 4)])),
    "far_dilated": (NHWC, (1, 3, 3, 2), (2, 2, 2, 4), dict(lhs_dilation=[5, 7], pad=[(2, 3), (1, 9)])),
    "no_spatial": (("bf", "io", "bf"), (5, 6), (6, 9), {}),
    "no_spatial_turned": (("fb", "oi", "fb"), (6, 5), (9, 6), {}),
    "line": (("b0f", "0io", "b0f"), (2, 17, 3), (5, 3, 8), dict(pad=[(4, 0)], rhs_dilation=[2])),
    "volume": (("b012f", "012io", "b012f"), (2, 4, 5, 6, 3), (2, 3, 2, 3, 8),
               dict(pad=[(1, 0), (1, 1), (0, 2)], stride=[1, 2, 2])),
    "empty_batch": (NHWC, (0, 5, 5, 3), (3, 3, 3, 8), {}),
    "empty_feature": (NHWC, (2, 5, 5, 0), (3, 3, 0, 8), {}),
    "empty_input": (NHWC, (2, 0, 5, 3), (2, 2, 3, 8), dict(pad=[(2, 3), (0, 0)])),
}


def random_form(rng):
    n = rng.choice([1, 2, 2, 2, 3])
    spatial = "".join(map(str, range(n)))
    dims = tuple("".join(rng.sample(roles, len(roles)))
                 for roles in ("bf" + spatial, "io" + spatial, "bf" + spatial))
    groups = rng.choice([1, 1, 1, 2, 3, 4])
    batch_groups = rng.choice([1, 1, 2, 3]) if groups == 1 else 1
    kernel = {"i": rng.choice([1, 2, 5]),
              "o": rng.choice([1, 1, 2, 3, 9]) * groups * batch_groups}
    sizes = {"b": rng.choice([1, 2, 3, 7]) * batch_groups, "f": kernel["i"] * groups}
    options = dict(stride=[], pad=[], lhs_dilation=[], rhs_dilation=[], reverse=[])
    for i in spatial:
        while True:
            sizes[i], kernel[i] = rng.randint(1, 9), rng.randint(1, 4)
            choice = dict(stride=rng.choice([1, 1, 2, 3]),
                          pad=(rng.randint(-2, 3), rng.randint(-2, 3)),
                          lhs_dilation=rng.choice([1, 1, 2, 3]),
                          rhs_dilation=rng.choice([1, 1, 2, 3]),
                          reverse=rng.random() < 0.3)
            dilated = (sizes[i] - 1) * choice["lhs_dilation"] + 1
            if dilated + sum(choice["pad"]) >= (kernel[i] - 1) * choice["rhs_dilation"] + 1:
                break
        for key, value in choice.items():
            options[key].append(value)
    return (dims, [sizes[d] for d in dims[0]], [kernel[d] for d in dims[1]],
            dict(options, groups=groups, batch_groups=batch_groups))


FORMS = {}


def reference(name, inputs, dtype):
    """The convolution of that case by XLA; booleans by counting."""
    from jax import lax
    import jax
    dims, lhs, rhs, options = FORMS[name]
    if 0 in (*lhs, *rhs):
        return None
    jax.config.update("jax_enable_x64", True)
    n = len(lhs) - 2
    order = [[roles.index(d) for d in first + "012"[:n]]
             for roles, first in zip(dims, ("bf", "oi", "bf"))]
    x, w = (a.astype(np.int32) if a.dtype == np.bool_ else a for a in inputs)
    flipped = [dims[1].index(str(i)) for i, on in enumerate(options.get("reverse", [])) if on]
    result = lax.conv_general_dilated(
        x, np.flip(w, flipped), options.get("stride", [1] * n), options.get("pad", [(0, 0)] * n),
        options.get("lhs_dilation"), options.get("rhs_dilation"),
        lax.ConvDimensionNumbers(*map(tuple, order)), options.get("groups", 1),
        options.get("batch_groups", 1), precision="highest",
        preferred_element_type=None if dtype == np.bool_ else dtype)
    return np.asarray(result).astype(dtype)


def add_convolutions(case):
    def add(name, form, element, **more):
        FORMS[name] = form
        dims, lhs, rhs, options = form
        arguments, result, text = convolution(dims, lhs, rhs, element, **options, **more)
        kind = "few" if element == "i1" else "unit"
        case(name, [(t, kind) for t in arguments], result, text)
    for name, form in NAMED.items():
        add(f"convolution_{name}", form, "f32")
    for element in ("f64", "bf16", "f16", "i8", "i16", "i32", "i64", "ui8", "ui32", "i1"):
        for name in ("same", "data_strided", "weight", "depthwise"):
            add(f"convolution_{name}_{element}", NAMED[name], element)
    add("convolution_wider_f32", NAMED["same"], "bf16", result="f32")
    rng = random.Random(7)
    for k in range(60):
        add(f"convolution_random_{k}", random_form(rng), rng.choice(["f32", "f32", "f64", "i32"]))


# operand, source, window, strides, padding
SCATTERS = {
    "nhwc": ((2, 7, 9, 5), (2, 3, 4, 5), (1, 3, 3, 1), (1, 2, 2, 1), None),
    "nchw": ((2, 3, 6, 8), (2, 3, 3, 4), (1, 1, 2, 2), (1, 1, 2, 2), None),
    "bordered": ((2, 6, 6, 3), (2, 4, 3, 3), (1, 2, 3, 1), (1, 2, 2, 1),
                 [(0, 0), (1, 1), (0, 1), (0, 0)]),
    "cropped": ((5, 9), (5, 3), (1, 2), (1, 2), [(0, 0), (-2, 0)]),
    "only_border": ((3,), (4,), (2,), (2,), [(4, 1)]),
    "all": ((4, 5), (1, 1), (4, 5), (1, 1), None),
    "gaps": ((9, 4), (3, 4), (1, 1), (4, 1), None),
}


def add_select_and_scatter(case):
    for name, (shape, source, window, strides, pad) in SCATTERS.items():
        for t, select, scatter in (("f32", "GE", "add"), ("bf16", "GE", "add"), ("f64", "LT", "add"),
                                   ("i32", "GE", "maximum"), ("ui8", "GT", "add")):
            a, u, s = shape_text(shape, t), shape_text(source, t), shape_text((), t)
            kind = "UNSIGNED" if t[0] == "u" else "SIGNED" if t[0] == "i" else "FLOAT"
            pads = f"dense<{[list(p) for p in pad]}>" if pad else "dense<0>"
            # The interpreter counts an initial value once more where an element is
            # selected, so sums start from zero.
            zero = "" if scatter != "add" else (
                f"%a2 = stablehlo.constant dense<{0 if 'i' in t else 0.0}> : {s}\n")
            text = zero + (
                '%r = "stablehlo.select_and_scatter"(%a0, %a1, %a2) <{padding = ' + pads +
                f" : tensor<{len(shape)}x2xi64>, window_dimensions = array<i64: "
                f"{', '.join(map(str, window))}>, window_strides = array<i64: "
                f"{', '.join(map(str, strides))}>}}> ({{\n^bb0(%x: {s}, %y: {s}):\n"
                f"  %c = stablehlo.compare {select}, %x, %y, {kind} : ({s}, {s}) -> tensor<i1>\n"
                f"  stablehlo.return %c : tensor<i1>\n}}, {{\n^bb0(%x: {s}, %y: {s}):\n"
                f"  %z = stablehlo.{scatter} %x, %y : {s}\n  stablehlo.return %z : {s}\n}}) : "
                f"({a}, {u}, {s}) -> {a}\nreturn %r : {a}")
            init = [] if zero else [(s, "unit")]
            case(f"scattered_window_{name}_{t}",
                 [(a, "few" if t != "f64" else "any"), (u, "unit"), *init], a, text)
