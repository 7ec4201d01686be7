#!/usr/bin/env python3
"""Makes small random sharded programs and runs each against one device.

Every program is a pure function of its seed: a random mesh of one to three
axes, arguments and results with random open and closed shardings, and a chain
of random StableHLO ops with sharding constraints between them. `partopt run
PROGRAM --inputs random:SEED --check` must exit 0 on each; anything else, or no
exit within the limit, is a fault of partopt, whose program is kept.

  utils/fuzz_programs.py --partopt build/bin/partopt --seeds 0:200 --keep DIR
  utils/fuzz_programs.py --print 17          # the program of one seed
  utils/fuzz_programs.py --ops 3 --seeds 0:50  # shorter programs: smaller faults

With --jax (and an interpreter that has jax and safetensors), the results are
compared with XLA's on one device instead, so faults of the unpartitioned
program show too.

With --microbatches M, argument 0 is the batch and is computed in M parts. Exit
2 is then a refusal, which is no fault as long as some programs run.
"""

import argparse
import os
import random
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# Values above this many elements are not made: programs stay quick.
LARGEST = 1500


class Value:
    """One SSA value. `exact` values have the same bits on every layout, so
    comparing them gives the same truth on every layout."""

    def __init__(self, name, shape, kind, exact=True):
        self.name, self.shape, self.kind = name, tuple(shape), kind
        self.exact = exact

    @property
    def type(self):
        return tensor(self.shape, self.kind)


def tensor(shape, kind):
    return "tensor<" + "".join(f"{d}x" for d in shape) + kind + ">"


def count(shape):
    total = 1
    for d in shape:
        total *= d
    return total


def zero(kind):
    return {"i1": "false", "i32": "0"}.get(kind, "0.000000e+00")


class Program:
    """Writes one random program; each `try_*` method appends one op, or does
    nothing where no value suits it."""

    def __init__(self, seed, ops):
        self.rng = random.Random(seed)
        self.lines, self.values, self.serial = [], [], 0
        axes = self.rng.choice([1, 1, 2, 2, 3])
        most = {1: 8, 2: 4, 3: 2}[axes]
        self.mesh = [(name, self.rng.randint(1, most))
                     for name in ["x", "y", "z"][:axes]]
        self.arguments = []
        for i in range(self.rng.randint(1, 4)):
            kind = self.rng.choice(["f32"] * 5 + ["i32"] * 2 + ["bf16", "i1"])
            value = Value(f"%arg{i}", self.shape(), kind)
            self.arguments.append((value, self.sharding(value.shape)))
            self.values.append(value)
        methods = [getattr(self, m) for m in sorted(dir(self))
                   if m.startswith("try_")]
        for _ in range(ops):
            self.rng.choice(methods)()

    # Random parts.

    def shape(self):
        rank = self.rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
        empty = self.rng.random() < 0.03
        shape = [self.rng.choice([1, 2, 3, 4, 4, 5, 6, 7, 8, 8, 9])
                 for _ in range(rank)]
        if empty and shape:
            shape[self.rng.randrange(rank)] = 0
        while count(shape) > LARGEST:
            shape[self.rng.randrange(rank)] = 2
        return shape

    def sharding(self, shape, always=False):
        """Attribute text, or None for a value without annotation."""
        if not always and self.rng.random() < 0.25:
            return None
        axes = [name for name, _ in self.mesh]
        self.rng.shuffle(axes)
        dims = [[] for _ in shape]
        for axis in axes:
            if shape and self.rng.random() < 0.7:
                self.rng.choice(dims).append(f'"{axis}"')
        texts = []
        for dim in dims:
            if self.rng.random() < 0.3:
                dim = dim + ["?"]
            texts.append("{" + ", ".join(dim) + "}")
        return f"<@mesh, [{', '.join(texts)}]>"

    def pick(self, kinds=None, where=lambda v: True):
        """A value, one of the last ones more often than not."""
        fitting = [v for v in self.values
                   if (kinds is None or v.kind in kinds) and where(v)]
        if not fitting:
            return None
        return self.rng.choice(fitting[-4:] if self.rng.random() < 0.7
                               else fitting)

    def add(self, text, shape, kind, exact=True):
        value = Value(f"%{self.serial}", shape, kind, exact)
        self.serial += 1
        self.lines.append(f"{value.name} = {text}")
        self.values.append(value)
        return value

    def constant(self, shape, kind, text=None):
        if text is None:
            text = {"i1": "true", "i32": "2"}.get(kind, "5.000000e-01")
        return self.add(f"stablehlo.constant dense<{text}> : "
                        f"{tensor(shape, kind)}", shape, kind)

    def partner(self, value):
        """A value of the same type, made where there is none."""
        other = self.pick([value.kind], lambda v: v.shape == value.shape and
                          v is not value)
        return other or self.constant(value.shape, value.kind)

    # Elementwise ops.

    def try_binary(self):
        v = self.pick()
        if not v:
            return
        ops = {"i1": ["and", "or"], "i32": ["add", "subtract", "maximum"]}
        op = self.rng.choice(ops.get(v.kind, ["add", "subtract", "multiply",
                                              "maximum", "minimum"]))
        w = self.partner(v)
        self.add(f"stablehlo.{op} {v.name}, {w.name} : {v.type}", v.shape,
                 v.kind, v.exact and w.exact)

    try_binary_again = try_binary

    def try_unary(self):
        v = self.pick(["f32", "bf16"])
        if v:
            op = self.rng.choice(["negate", "abs", "tanh"])
            self.add(f"stablehlo.{op} {v.name} : {v.type}", v.shape, v.kind,
                     False)

    def try_convert(self):
        v = self.pick(where=lambda v: v.exact)
        if not v:
            return
        kind = self.rng.choice([k for k in ["f32", "i32", "bf16"]
                                if k != v.kind])
        if kind == "i32" and v.kind != "i1":
            return
        self.add(f"stablehlo.convert {v.name} : ({v.type}) -> "
                 f"{tensor(v.shape, kind)}", v.shape, kind)

    def try_select(self):
        v = self.pick(where=lambda v: v.exact and v.kind != "i1")
        if not v:
            return
        w = self.partner(v)
        if not w.exact:
            return
        direction = self.rng.choice(["LT", "GE", "EQ", "NE"])
        kind = "SIGNED" if v.kind == "i32" else "FLOAT"
        p = self.add(f"stablehlo.compare {direction}, {v.name}, {w.name}, "
                     f"{kind} : ({v.type}, {w.type}) -> "
                     f"{tensor(v.shape, 'i1')}", v.shape, "i1")
        if self.rng.random() < 0.7:
            self.add(f"stablehlo.select {p.name}, {v.name}, {w.name} : "
                     f"{p.type}, {v.type}", v.shape, v.kind)

    def try_iota(self):
        shape = self.shape()
        if shape:
            kind = self.rng.choice(["f32", "i32"])
            self.add(f"stablehlo.iota dim = {self.rng.randrange(len(shape))} : "
                     f"{tensor(shape, kind)}", shape, kind)

    # Ops that move data.

    def try_broadcast(self):
        v = self.pick(where=lambda v: len(v.shape) < 4)
        if not v:
            return
        rank = self.rng.randint(len(v.shape), 4)
        dims = sorted(self.rng.sample(range(rank), len(v.shape)))
        shape = [self.rng.choice([1, 2, 3, 5, 8]) for _ in range(rank)]
        for d, size in zip(dims, v.shape):
            shape[d] = size if size != 1 or self.rng.random() < .5 else 4
        if count(shape) <= LARGEST:
            self.add(f"stablehlo.broadcast_in_dim {v.name}, dims = {dims} : "
                     f"({v.type}) -> {tensor(shape, v.kind)}", shape, v.kind,
                     v.exact)

    def try_reshape(self):
        v = self.pick()
        if not v:
            return
        shape = list(v.shape)
        for _ in range(self.rng.randint(1, 3)):
            way = self.rng.choice(["one", "drop", "split", "merge"])
            at = self.rng.randint(0, len(shape))
            if way == "one" and len(shape) < 5:
                shape.insert(at, 1)
            elif way == "drop" and 1 in shape:
                shape.remove(1)
            elif way == "merge" and at + 1 < len(shape):
                shape[at:at + 2] = [shape[at] * shape[at + 1]]
            elif way == "split" and at < len(shape) and len(shape) < 5:
                parts = [f for f in range(1, shape[at] + 1)
                         if shape[at] % f == 0]
                if parts:
                    f = self.rng.choice(parts)
                    shape[at:at + 1] = [f, shape[at] // f]
        self.add(f"stablehlo.reshape {v.name} : ({v.type}) -> "
                 f"{tensor(shape, v.kind)}", shape, v.kind, v.exact)

    try_reshape_again = try_reshape

    def try_transpose(self):
        v = self.pick(where=lambda v: len(v.shape) > 1)
        if v:
            order = list(range(len(v.shape)))
            self.rng.shuffle(order)
            shape = [v.shape[d] for d in order]
            self.add(f"stablehlo.transpose {v.name}, dims = {order} : "
                     f"({v.type}) -> {tensor(shape, v.kind)}", shape, v.kind,
                     v.exact)

    def try_slice(self):
        v = self.pick(where=lambda v: v.shape)
        if not v:
            return
        ranges, shape = [], []
        for size in v.shape:
            start = self.rng.randint(0, size) if self.rng.random() < .5 else 0
            limit = self.rng.randint(start, size)
            if limit == start and self.rng.random() < .9:
                start, limit = 0, size
            step = self.rng.choice([1, 1, 1, 2, 3])
            ranges.append(f"{start}:{limit}" + (f":{step}" * (step > 1)))
            shape.append((limit - start + step - 1) // step)
        self.add(f"stablehlo.slice {v.name} [{', '.join(ranges)}] : "
                 f"({v.type}) -> {tensor(shape, v.kind)}", shape, v.kind,
                 v.exact)

    def try_pad(self):
        v = self.pick(where=lambda v: v.shape)
        if not v:
            return
        low = [self.rng.choice([0, 0, 1, 2]) for _ in v.shape]
        high = [self.rng.choice([0, 0, 1, 3]) for _ in v.shape]
        inner = [self.rng.choice([0, 0, 0, 1]) for _ in v.shape]
        shape = [max(0, l + h + d + max(0, d - 1) * i)
                 for l, h, d, i in zip(low, high, v.shape, inner)]
        if count(shape) > LARGEST:
            return
        c = self.constant([], v.kind)
        self.add(f"stablehlo.pad {v.name}, {c.name}, low = {low}, high = {high}"
                 f", interior = {inner} : ({v.type}, {c.type}) -> "
                 f"{tensor(shape, v.kind)}", shape, v.kind, v.exact)

    def try_concatenate(self):
        v = self.pick(where=lambda v: v.shape)
        if not v:
            return
        d = self.rng.randrange(len(v.shape))
        parts = [v]
        for _ in range(self.rng.randint(0, 2)):
            w = self.pick([v.kind], lambda w: len(w.shape) == len(v.shape) and
                          all(a == b for i, (a, b) in
                              enumerate(zip(w.shape, v.shape)) if i != d))
            parts.append(w)
        shape = list(v.shape)
        shape[d] = sum(p.shape[d] for p in parts)
        if count(shape) <= LARGEST:
            self.add(f"stablehlo.concatenate "
                     f"{', '.join(p.name for p in parts)}, dim = {d} : "
                     f"({', '.join(p.type for p in parts)}) -> "
                     f"{tensor(shape, v.kind)}", shape, v.kind,
                     all(p.exact for p in parts))

    # Ops that combine elements.

    def without_signs(self, v):
        """bf16 sums that cancel are all rounding: no tolerance fits them."""
        if v.kind != "bf16":
            return v
        return self.add(f"stablehlo.abs {v.name} : {v.type}", v.shape, v.kind,
                        False)

    def try_reduce(self):
        v = self.pick(where=lambda v: v.shape)
        if not v:
            return
        op, init = {"i1": ("and", "true"), "i32": ("add", "0")}.get(
            v.kind, self.rng.choice([("add", zero(v.kind)),
                                     ("maximum", "0xFF800000"),
                                     ("minimum", "0x7F800000")]))
        if op == "add":
            v = self.without_signs(v)
        if v.kind == "bf16":
            init = {"maximum": "0xFF80", "minimum": "0x7F80"}.get(op, init)
        dims = sorted(self.rng.sample(range(len(v.shape)),
                                      self.rng.randint(1, len(v.shape))))
        shape = [s for d, s in enumerate(v.shape) if d not in dims]
        # An empty maximum is infinite, and infinities make NaN later.
        if op in ("maximum", "minimum") and count(v.shape) == 0:
            return
        c = self.constant([], v.kind, init)
        self.values.pop()
        self.add(f"stablehlo.reduce({v.name} init: {c.name}) applies "
                 f"stablehlo.{op} across dimensions = {dims} : ({v.type}, "
                 f"{c.type}) -> {tensor(shape, v.kind)}", shape, v.kind,
                 v.exact and v.kind in ("i1", "i32"))

    try_reduce_again = try_reduce

    def try_dot(self):
        v = self.pick(["f32", "bf16"], lambda v: v.shape)
        if not v:
            return
        dims = list(range(len(v.shape)))
        self.rng.shuffle(dims)
        batch = dims[:self.rng.choice([0, 0, 1, 2])]
        rest = dims[len(batch):]
        contracted = rest[:self.rng.choice([0, 1, 1, 2])]
        w = [("b", d) for d in batch] + [("c", d) for d in contracted]
        w += [("f", self.rng.choice([1, 3, 4, 5]))
              for _ in range(self.rng.choice([0, 1, 1, 2]))]
        self.rng.shuffle(w)
        wshape = [v.shape[d] if role != "f" else d for role, d in w]
        shape = [v.shape[d] for d in batch]
        shape += [s for d, s in enumerate(v.shape)
                  if d not in batch and d not in contracted]
        shape += [d for role, d in w if role == "f"]
        if count(shape) > LARGEST or count(wshape) > LARGEST or len(shape) > 5:
            return
        other = self.pick([v.kind], lambda o: list(o.shape) == wshape)
        if not other:
            other = self.constant(wshape, v.kind)
            if self.rng.random() < .5 and wshape:
                i = self.add(f"stablehlo.iota dim = "
                             f"{self.rng.randrange(len(wshape))} : "
                             f"{tensor(wshape, v.kind)}", wshape, v.kind)
                other = self.add(f"stablehlo.multiply {i.name}, {other.name} : "
                                 f"{i.type}", wshape, v.kind)
        v, other = self.without_signs(v), self.without_signs(other)
        text = f"stablehlo.dot_general {v.name}, {other.name}, "
        if batch:
            theirs = [w.index(("b", d)) for d in batch]
            text += f"batching_dims = {batch} x {theirs}, "
        theirs = [w.index(("c", d)) for d in contracted]
        text += f"contracting_dims = {contracted} x {theirs}"
        self.add(f"{text} : ({v.type}, {other.type}) -> "
                 f"{tensor(shape, v.kind)}", shape, v.kind, False)

    try_dot_again = try_dot

    # Ops for which the order along a dimension matters.

    def try_window(self):
        v = self.pick(["f32", "bf16", "i32"], lambda v: v.shape and count(v.shape))
        if not v:
            return
        op, init = self.rng.choice([("add", zero(v.kind)), ("maximum", None)])
        init = init or {"f32": "0xFF800000", "bf16": "0xFF80",
                        "i32": "-2147483648"}[v.kind]
        if op == "add":
            v = self.without_signs(v)
        rank = len(v.shape)
        sizes, strides, padding = [1] * rank, [1] * rank, [[0, 0] for _ in range(rank)]
        d = self.rng.randrange(rank)
        if self.rng.random() < 0.7:
            sizes[d] = v.shape[d]
            padding[d][self.rng.randrange(2)] = v.shape[d] - 1
        else:
            sizes[d] = self.rng.randint(1, v.shape[d])
            strides[d] = self.rng.choice([1, 1, 2])
            # Windows of padding alone are infinite, which makes NaN later.
            padding[d] = [self.rng.randint(0, sizes[d] - 1) for _ in range(2)]
        shape = [(n + l + h - w) // s + 1
                 for n, w, s, (l, h) in zip(v.shape, sizes, strides, padding)]
        c = self.constant([], v.kind, init)
        self.values.pop()
        lists = [", ".join(map(str, x)) for x in (sizes, strides)]
        self.add(f'"stablehlo.reduce_window"({v.name}, {c.name}) <{{window_dimensions = '
                 f"array<i64: {lists[0]}>, window_strides = array<i64: {lists[1]}>, padding = "
                 f"dense<{padding}> : tensor<{rank}x2xi64>}}> ({{ ^bb0(%wa: {c.type}, %wb: "
                 f"{c.type}): %wc = stablehlo.{op} %wa, %wb : {c.type} stablehlo.return %wc : "
                 f"{c.type} }}) : ({v.type}, {c.type}) -> {tensor(shape, v.kind)}", shape, v.kind,
                 v.exact and (op == "maximum" or v.kind == "i32"))

    def try_sort(self):
        v = self.pick(["f32", "bf16", "i32"], lambda v: v.shape)
        if not v:
            return
        d = self.rng.randrange(len(v.shape))
        s = tensor((), v.kind)
        kind = "SIGNED" if v.kind == "i32" else "TOTALORDER"
        self.add(f'"stablehlo.sort"({v.name}) <{{dimension = {d} : i64}}> ({{ ^bb0(%sa: {s}, '
                 f"%sb: {s}): %sc = stablehlo.compare LT, %sa, %sb, {kind} : ({s}, {s}) -> "
                 f"tensor<i1> stablehlo.return %sc : tensor<i1> }}) : ({v.type}) -> {v.type}",
                 v.shape, v.kind, v.exact)

    def try_top_k(self):
        v = self.pick(["f32", "bf16", "i32"], lambda v: v.shape and v.shape[-1])
        if not v:
            return
        k = self.rng.randint(1, v.shape[-1])
        shape = list(v.shape[:-1]) + [k]
        types = f"{tensor(shape, v.kind)}, {tensor(shape, 'i32')}"
        name = f"%{self.serial}"
        self.serial += 1
        self.lines.append(f"{name}:2 = chlo.top_k({v.name}, k = {k}) : {v.type} -> ({types})")
        self.values.append(Value(f"{name}#0", shape, v.kind, v.exact))
        if v.exact:
            self.values.append(Value(f"{name}#1", shape, "i32"))

    # Tables that are read and added to by row numbers.

    def try_embedding(self):
        table = self.pick(["f32", "bf16", "i32"],
                          lambda v: v.shape and v.shape[0] > 0)
        if not table:
            return
        ids = self.shape()[:2]
        i = self.add(f"stablehlo.iota dim = 0 : {tensor(ids + [1], 'i32')}",
                     ids + [1], "i32")
        # JAX clamps out-of-range rows; some indices here are out of range.
        scale = self.constant(ids + [1], "i32", self.rng.choice("1123"))
        i = self.add(f"stablehlo.multiply {i.name}, {scale.name} : {i.type}",
                     i.shape, "i32")
        rows = list(table.shape[1:])
        shape = ids + rows
        if count(shape) > LARGEST:
            return
        offset = list(range(len(ids), len(shape)))
        row = self.add(
            f'"stablehlo.gather"({table.name}, {i.name}) <{{dimension_numbers ='
            f" #stablehlo.gather<offset_dims = {offset}, collapsed_slice_dims "
            f"= [0], start_index_map = [0], index_vector_dim = {len(ids)}>, "
            f"slice_sizes = array<i64: {', '.join(map(str, [1] + rows))}>}}> : "
            f"({table.type}, {i.type}) -> {tensor(shape, table.kind)}", shape,
            table.kind, table.exact)
        if self.rng.random() < .5:
            self.scatter(table, i, row, offset, len(ids))

    def scatter(self, table, ids, row, window, vector):
        kind = tensor([], table.kind)
        self.add(
            f'"stablehlo.scatter"({table.name}, {ids.name}, {row.name}) '
            f"<{{scatter_dimension_numbers = #stablehlo.scatter<"
            f"update_window_dims = {window}, inserted_window_dims = [0], "
            f"scatter_dims_to_operand_dims = [0], index_vector_dim = {vector}>}}"
            f"> ({{\n    ^bb0(%a: {kind}, %b: {kind}):\n      "
            f"%s = stablehlo.add %a, %b : {kind}\n      "
            f"stablehlo.return %s : {kind}\n    }}) : ({table.type}, {ids.type}"
            f", {row.type}) -> {table.type}", table.shape, table.kind,
            table.kind == "i32" and table.exact)

    def try_constraint(self):
        v = self.pick()
        if v:
            self.add(f"sdy.sharding_constraint {v.name} "
                     f"{self.sharding(v.shape, always=True)} : {v.type}",
                     v.shape, v.kind, v.exact)

    try_constraint_again = try_constraint

    # The whole text.

    def text(self):
        body = "".join(f"  {line}\n" for line in self.lines)
        # What nothing reads is a result, so no op is dead; a few are read too.
        results = [v for v in self.values
                   if not re.search(re.escape(v.name) + r"(?!\w)(?! =)", body) or
                   self.rng.random() < .1]

        def annotated(type_, sharding):
            return type_ + (f" {{sdy.sharding = #sdy.sharding{sharding}}}"
                            if sharding else "")

        mesh = ", ".join(f'"{name}"={size}' for name, size in self.mesh)
        arguments = ", ".join(f"{v.name}: {annotated(v.type, s)}"
                              for v, s in self.arguments)
        types = ", ".join(annotated(v.type, self.sharding(v.shape))
                          for v in results)
        return (f"sdy.mesh @mesh = <[{mesh}]>\n"
                f"func.func public @main({arguments}) -> ({types}) {{\n{body}"
                f"  return {', '.join(v.name for v in results)} : "
                f"{', '.join(v.type for v in results)}\n}}\n")


def without_shardings(text):
    """The program as XLA takes it."""
    text = re.sub(r"^sdy.mesh .*\n", "", text)
    text = re.sub(r" \{sdy.sharding = #sdy.sharding<.*?\]>\}", "", text)
    return re.sub(r"sdy.sharding_constraint (%[\w#]+) <.*?\]> : (\S+)",
                  r"stablehlo.reshape \1 : (\2) -> \2", text)


def write_expected(path, text, program, seed):
    """Inputs and XLA's results for `text` beside `path`."""
    import jax_module
    import ml_dtypes
    import numpy as np
    from safetensors.numpy import save_file
    kinds = {"f32": np.float32, "i32": np.int32, "i1": np.bool_,
             "bf16": ml_dtypes.bfloat16}
    rng = np.random.default_rng(seed)
    arrays = [np.asarray(rng.standard_normal(v.shape) * 3).astype(kinds[v.kind])
              if v.kind != "i1" else np.asarray(rng.random(v.shape) < .5)
              for v, _ in program.arguments]
    results = jax_module.Step(without_shardings(text)).run(arrays)
    save_file({f"arg{i}": a for i, a in enumerate(arrays)}, path + ".inputs")
    save_file({f"out{i}": np.array(a, order="C")
               for i, a in enumerate(results)}, path + ".expected")


def run(partopt, path, seed, limit, jax, microbatches):
    """The exit status (None for no exit within `limit` seconds) and output."""
    command = [partopt, "run", path, "--quiet"]
    if microbatches:
        command += ["--microbatches", str(microbatches), "--arg-role", "arg0=batch"]
    if jax:
        command += ["--inputs", path + ".inputs", "--expect",
                    path + ".expected", "--rtol", "0.05", "--atol", "0.05"]
    else:
        command += ["--inputs", f"random:{seed}", "--check"]
    environment = dict(os.environ,
                       PARTOPT_REPRODUCER_DIR=os.path.dirname(path))
    try:
        done = subprocess.run(command, capture_output=True, text=True,
                              timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return None, "no exit"
    return done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partopt", default="build/bin/partopt")
    parser.add_argument("--seeds", default="0:100", metavar="FIRST:END")
    parser.add_argument("--ops", type=int, default=8, help="ops per program")
    parser.add_argument("--limit", type=float, default=20,
                        help="seconds that one program may take")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--jax", action="store_true",
                        help="compare with XLA instead of --check")
    parser.add_argument("--microbatches", type=int, metavar="M")
    parser.add_argument("--keep", default="fuzz-failures",
                        help="folder of the programs that failed")
    parser.add_argument("--print", type=int, metavar="SEED")
    args = parser.parse_args()
    if args.print is not None:
        sys.stdout.write(Program(args.print, args.ops).text())
        return 0

    os.makedirs(args.keep, exist_ok=True)
    first, end = map(int, args.seeds.split(":"))

    def one(seed):
        path = os.path.join(args.keep, f"seed{seed}-ops{args.ops}.mlir")
        program = Program(seed, args.ops)
        text = program.text()
        with open(path, "w") as file:
            file.write(text)
        if args.jax:
            write_expected(path, text, program, seed)
        status, output = run(args.partopt, path, seed, args.limit, args.jax,
                             args.microbatches)
        refused = status == 2 and args.microbatches
        if status == 0 or refused:
            for name in [path] + ([path + ".inputs", path + ".expected"]
                                  if args.jax else []):
                os.remove(name)
            return "refused" if refused else "passed"
        last = [l for l in output.splitlines() if "error" in l] or [output]
        print(f"{path}: exit {status}: {last[0][:300]}", flush=True)
        return "failed"

    with ThreadPoolExecutor(args.jobs) as pool:
        outcomes = list(pool.map(one, range(first, end)))
    passed, refused, failed = map(outcomes.count, ("passed", "refused", "failed"))
    print(f"{passed} passed, {failed} failed" + (f", {refused} refused" if refused else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
