"""Cases of kernels.py for map and for collectives of a program for one device."""

TYPES = ["f32", "f64", "bf16", "f16", "i8", "i32", "ui16", "i64", "i1", "complex<f32>"]


def add_maps(case, tensor, reference_bodies):
    def add(name, shape, sources, target, region, kind="any"):
        arguments = [tensor(shape, s) for s in sources]
        r = tensor(shape, target)
        inputs = ", ".join(f"%a{i}" for i in range(len(sources)))
        scalars = ", ".join(f"%x{i}: tensor<{s}>" for i, s in enumerate(sources))
        dims = ", ".join(map(str, range(len(shape))))
        dims = f"array<i64: {dims}>" if shape else "array<i64>"
        case(name, [(a, kind) for a in arguments], r,
             f'%r = "stablehlo.map"({inputs}) <{{dimensions = {dims}}}> ({{\n^bb0({scalars}):\n'
             f"{region}stablehlo.return %v : tensor<{target}>\n"
             f"}}) : ({', '.join(arguments)}) -> {r}\nreturn %r : {r}")

    for t in TYPES:
        for k, shape in enumerate([(), (7,), (3, 5), (0, 4), (2, 1, 3)]):
            add(f"map_{t}_{k}", shape, [t, t], t,
                f"%s = stablehlo.add %x0, %x1 : tensor<{t}>\n"
                f"%v = stablehlo.multiply %s, %x1 : tensor<{t}>\n")
            add(f"map_returned_{t}_{k}", shape, [t], t,
                f"%v = stablehlo.reshape %x0 : (tensor<{t}>) -> tensor<{t}>\n")
    for t in ("f32", "i16", "ui64"):
        kind = "FLOAT" if t == "f32" else "UNSIGNED" if t[0] == "u" else "SIGNED"
        add(f"map_compare_{t}", (3, 5), [t, t], "i1",
            f"%v = stablehlo.compare LT, %x0, %x1, {kind} : (tensor<{t}>, tensor<{t}>) -> tensor<i1>\n")
    # Operands of several types; a constant; a function that costs something.
    add("map_mixed", (4, 9), ["i1", "bf16", "i32"], "f32",
        "%c = stablehlo.constant dense<1.5> : tensor<f32>\n"
        "%y = stablehlo.convert %x1 : (tensor<bf16>) -> tensor<f32>\n"
        "%z = stablehlo.convert %x2 : (tensor<i32>) -> tensor<f32>\n"
        "%t = stablehlo.tanh %y : tensor<f32>\n"
        "%p = stablehlo.multiply %t, %c : tensor<f32>\n"
        "%v = stablehlo.select %x0, %p, %z : tensor<i1>, tensor<f32>\n", "convert")
    add("map_nested", (3, 5), ["f32"], "f32",
        '%n = "stablehlo.map"(%x0) <{dimensions = array<i64>}> ({\n^bb0(%y: tensor<f32>):\n'
        "%e = stablehlo.exponential %y : tensor<f32>\nstablehlo.return %e : tensor<f32>\n"
        "}) : (tensor<f32>) -> tensor<f32>\n%v = stablehlo.negate %n : tensor<f32>\n")
    add("map_of_its_argument", (3, 5), ["f32", "i32"], "i32", "%v = stablehlo.negate %x1 : tensor<i32>\n")
    # A map between other ops, whose result is needed twice.
    a, s = tensor((5, 8), "f32"), tensor((5,), "f32")
    case("map_between_reduce", [(a, "unit")], a,
         f"%d = stablehlo.add %a0, %a0 : {a}\n"
         '%m = "stablehlo.map"(%d) <{dimensions = array<i64: 0, 1>}> ({\n^bb0(%x: tensor<f32>):\n'
         "%e = stablehlo.exponential %x : tensor<f32>\nstablehlo.return %e : tensor<f32>\n"
         f"}}) : ({a}) -> {a}\n"
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%t = stablehlo.reduce(%m init: %z) applies stablehlo.add across dimensions = [1] : "
         f"({a}, tensor<f32>) -> {s}\n"
         f"%b = stablehlo.broadcast_in_dim %t, dims = [0] : ({s}) -> {a}\n"
         f"%r = stablehlo.divide %m, %b : {a}\nreturn %r : {a}")
    add_collectives(case, tensor, reference_bodies)


def add_collectives(case, tensor, reference_bodies):
    """Device 0 keeps its value, or has zeros where nothing comes to it."""
    tables = {"permute": ("source_target_pairs", "dense<0> : tensor<1x2xi64>", "dense<> : tensor<0x2xi64>"),
              "broadcast": ("replica_groups", "dense<0> : tensor<1x1xi64>", "dense<> : tensor<0x1xi64>")}
    for t in TYPES:
        for k, shape in enumerate([(), (7,), (0, 4), (3, 5)]):
            a = tensor(shape, t)
            for op, (attribute, kept, cleared) in tables.items():
                for what, table in (("kept", kept), ("cleared", cleared)):
                    name = f"returned_{op}_{what}_{t}_{k}".replace("<", "_").replace(">", "")
                    case(name, [(a, "any")], a,
                         f'%r = "stablehlo.collective_{op}"(%a0) <{{{attribute} = {table}}}> : ({a}) -> {a}\n'
                         f"return %r : {a}")
                    zero = "(0.0, 0.0)" if "complex" in t else "false" if t == "i1" else \
                        "0.0" if "f" in t else "0"
                    reference_bodies[name] = (
                        f"%z = stablehlo.constant dense<{zero}> : tensor<{t}>\n"
                        + (f"%r = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<{t}>) -> {a}\n"
                           if what == "cleared" else f"%r = stablehlo.reshape %a0 : ({a}) -> {a}\n")
                        + f"return %r : {a}")
