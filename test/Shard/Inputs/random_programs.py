"""Random small programs with random shardings, for comparing propagation.

`program(seed, features)` gives the text of one module. Features are words:
uneven, sub (sub-axes), replicated, priority, control (barriers, dynamic slices),
loop.
"""
import random

AXES = [("x", 2), ("y", 2), ("z", 4)]


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Program:
    def __init__(self, seed, features):
        self.rng = random.Random(f"{seed} {sorted(features)}")
        self.features = features
        self.sizes = [2, 3, 4, 6, 7, 8, 12] if "uneven" in features else [2, 4, 8]
        self.lines = []
        self.values = []  # (name, shape)
        self.count = 0

    # -- shardings --------------------------------------------------------

    def sharding(self, rank, open_chance=0.5):
        rng = self.rng
        names = [name for name, _ in rng.sample(AXES, rng.randint(0, 3))]
        axes = [f'"{name}"' for name in names]
        if "sub" in self.features:
            axes = [rng.choice(['"z":(1)2', '"z":(2)2', a]) if a == '"z"' else a for a in axes]
        dims = [[] for _ in range(rank)]
        replicated = []
        for axis in axes:
            if rank and rng.random() < 0.75:
                rng.choice(dims).append(axis)
            elif "replicated" in self.features and rng.random() < 0.5:
                replicated.append(axis)
        text = ", ".join(self.dimension(dim, rng.random() < open_chance) for dim in dims)
        tail = f", replicated={{{', '.join(sorted(replicated))}}}" if replicated else ""
        return f"<@mesh, [{text}]{tail}>"

    def dimension(self, axes, is_open):
        text = "{" + ", ".join(axes + ["?"] * is_open) + "}"
        if "priority" in self.features and (axes or is_open) and self.rng.random() < 0.4:
            text += f"p{self.rng.randint(0, 2)}"
        return text

    def annotated(self, shape, chance):
        if self.rng.random() >= chance:
            return tensor(shape)
        return f"{tensor(shape)} {{sdy.sharding = #sdy.sharding{self.sharding(len(shape))}}}"

    # -- values -----------------------------------------------------------

    def add(self, text, shape, keep=True):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        if keep:
            self.values.append((name, shape))
        return name

    def pick(self, accept=lambda shape: True):
        found = [value for value in self.values if accept(value[1])]
        return self.rng.choice(found) if found else None

    def zero(self, kind):
        value = "0" if kind == "i32" else "0.0"
        return self.add(f"stablehlo.constant dense<{value}> : tensor<{kind}>", [], keep=False)

    # -- ops: each makes one value out of earlier ones --------------------

    def negate(self, v, shape):
        self.add(f"stablehlo.negate {v} : {tensor(shape)}", shape)

    def plus(self, v, shape):
        w, _ = self.pick(lambda other: other == shape)
        self.add(f"stablehlo.add {v}, {w} : {tensor(shape)}", shape)

    def select(self, v, shape):
        w, _ = self.pick(lambda other: other == shape)
        t, b = tensor(shape), tensor(shape, "i1")
        p = self.add(f"stablehlo.compare LT, {v}, {w} : ({t}, {t}) -> {b}", shape, keep=False)
        self.add(f"stablehlo.select {p}, {v}, {w} : {b}, {t}", shape)

    def constant(self, v, shape):
        self.add(f"stablehlo.constant dense<1.0> : {tensor(shape)}", shape)

    def constraint(self, v, shape):
        sharding = self.sharding(len(shape))
        self.add(f"sdy.sharding_constraint {v} {sharding} : {tensor(shape)}", shape)

    def dot(self, v, shape):
        if not shape:
            return
        d = self.rng.randrange(len(shape))
        w, other = self.pick(lambda s: shape[d] in s)
        e = self.rng.choice([i for i, size in enumerate(other) if size == shape[d]])
        lhs, rhs = [], []
        for i, size in enumerate(shape):
            for j, size2 in enumerate(other):
                free = i != d and j != e and i not in lhs and j not in rhs
                if free and size == size2 and self.rng.random() < 0.3:
                    lhs.append(i)
                    rhs.append(j)
        out = [shape[i] for i in lhs]
        out += [size for i, size in enumerate(shape) if i != d and i not in lhs]
        out += [size for j, size in enumerate(other) if j != e and j not in rhs]
        if len(out) > 4:
            return
        batch = f"batching_dims = {lhs} x {rhs}, " if lhs else ""
        self.add(f"stablehlo.dot_general {v}, {w}, {batch}contracting_dims = [{d}] x [{e}] : "
                 f"({tensor(shape)}, {tensor(other)}) -> {tensor(out)}", out)

    def reshape(self, v, shape):
        primes = []
        for size in shape:
            p = 2
            while size > 1:
                while size % p == 0:
                    primes.append(p)
                    size //= p
                p += 1
        if self.rng.random() < 0.5:
            self.rng.shuffle(primes)
        out = []
        for p in primes:
            if out and (self.rng.random() < 0.5 or len(out) == 4):
                out[-1] *= p
            else:
                out.append(p)
        if self.rng.random() < 0.2:
            out.insert(self.rng.randint(0, len(out)), 1)
        self.add(f"stablehlo.reshape {v} : ({tensor(shape)}) -> {tensor(out)}", out)

    def transpose(self, v, shape):
        order = self.rng.sample(range(len(shape)), len(shape))
        out = [shape[i] for i in order]
        self.add(f"stablehlo.transpose {v}, dims = {order} : ({tensor(shape)}) -> {tensor(out)}", out)

    def broadcast(self, v, shape):
        if len(shape) > 3:
            return
        place = self.rng.randint(0, len(shape))
        out = shape[:place] + [self.rng.choice(self.sizes)] + shape[place:]
        dims = [i for i in range(len(out)) if i != place]
        self.add(f"stablehlo.broadcast_in_dim {v}, dims = {dims} : ({tensor(shape)}) -> {tensor(out)}", out)

    def reduce(self, v, shape):
        if not shape:
            return
        d = self.rng.randrange(len(shape))
        out = shape[:d] + shape[d + 1:]
        self.add(f"stablehlo.reduce({v} init: {self.zero('f32')}) applies stablehlo.add across "
                 f"dimensions = [{d}] : ({tensor(shape)}, tensor<f32>) -> {tensor(out)}", out)

    def slice(self, v, shape):
        d = self.rng.randrange(len(shape)) if shape else 0
        if not shape or shape[d] < 2:
            return
        out = shape[:d] + [self.rng.randint(1, shape[d] - 1)] + shape[d + 1:]
        ranges = ", ".join(f"0:{size}" for size in out)
        self.add(f"stablehlo.slice {v} [{ranges}] : ({tensor(shape)}) -> {tensor(out)}", out)

    def pad(self, v, shape):
        if not shape:
            return
        low = [0] * len(shape)
        low[self.rng.randrange(len(shape))] = self.rng.randint(1, 4)
        out = [size + more for size, more in zip(shape, low)]
        none = [0] * len(shape)
        self.add(f"stablehlo.pad {v}, {self.zero('f32')}, low = {low}, high = {none}, interior = {none} : "
                 f"({tensor(shape)}, tensor<f32>) -> {tensor(out)}", out)

    def concatenate(self, v, shape):
        if not shape:
            return
        w, _ = self.pick(lambda other: other == shape)
        d = self.rng.randrange(len(shape))
        out = shape[:d] + [2 * shape[d]] + shape[d + 1:]
        self.add(f"stablehlo.concatenate {v}, {w}, dim = {d} : "
                 f"({tensor(shape)}, {tensor(shape)}) -> {tensor(out)}", out)

    def barrier(self, v, shape):
        self.add(f"stablehlo.optimization_barrier {v} : {tensor(shape)}", shape)

    def dynamic_slice(self, v, shape):
        if not shape:
            return
        d = self.rng.randrange(len(shape))
        out = shape[:d] + [max(1, shape[d] // 2)] + shape[d + 1:]
        index = self.zero("i32")
        indices, kinds = ", ".join([index] * len(shape)), ", ".join(["tensor<i32>"] * len(shape))
        self.add(f"stablehlo.dynamic_slice {v}, {indices}, sizes = {out} : "
                 f"({tensor(shape)}, {kinds}) -> {tensor(out)}", out)

    def loop(self, v, shape):
        w, _ = self.pick(lambda other: other == shape)
        n, t = self.count, tensor(shape)
        start = self.zero("i32")
        self.lines.append(f"""\
  %w{n}:3 = stablehlo.while(%index{n} = {start}, %left{n} = {v}, %right{n} = {w}) : tensor<i32>, {t}, {t}
   cond {{
    %end{n} = stablehlo.constant dense<5> : tensor<i32>
    %p{n} = stablehlo.compare LT, %index{n}, %end{n} : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p{n} : tensor<i1>
  }} do {{
    %one{n} = stablehlo.constant dense<1> : tensor<i32>
    %j{n} = stablehlo.add %index{n}, %one{n} : tensor<i32>
    %sum{n} = stablehlo.add %left{n}, %right{n} : {t}
    stablehlo.return %j{n}, %sum{n}, %right{n} : tensor<i32>, {t}, {t}
  }}""")
        self.values += [(f"%w{n}#1", shape), (f"%w{n}#2", shape)]

    # -- the whole --------------------------------------------------------

    def text(self):
        rng = self.rng
        ops = [self.negate, self.plus, self.plus, self.dot, self.dot, self.reshape, self.transpose,
               self.broadcast, self.reduce, self.slice, self.concatenate, self.constant, self.constraint,
               self.select, self.pad]
        if "control" in self.features:
            ops += [self.barrier, self.dynamic_slice]
        if "loop" in self.features:
            ops += [self.loop] * 2
        arguments = []
        for i in range(rng.randint(2, 4)):
            shape = [rng.choice(self.sizes) for _ in range(rng.randint(1, 3))]
            if self.values and rng.random() < 0.5:
                shape = list(rng.choice(self.values)[1])
            arguments.append(f"%a{i}: {self.annotated(shape, 0.7)}")
            self.values.append((f"%a{i}", shape))
        for _ in range(rng.randint(3, 12)):
            rng.choice(ops)(*self.pick())
        # Every value is a result: what nobody uses may be dropped.
        kinds = ", ".join(self.annotated(shape, 0.3) for _, shape in self.values)
        names = ", ".join(name for name, _ in self.values)
        types = ", ".join(tensor(shape) for _, shape in self.values)
        mesh = ", ".join(f'"{name}"={size}' for name, size in AXES)
        body = "\n".join(self.lines)
        return (f"sdy.mesh @mesh = <[{mesh}]>\nfunc.func @main({', '.join(arguments)}) -> ({kinds}) {{\n"
                f"{body}\n  return {names} : {types}\n}}\n")


def program(seed, features):
    return Program(seed, features).text()
