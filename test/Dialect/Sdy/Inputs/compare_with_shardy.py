"""Compares partopt's sdy text with Shardy's, which comes with JAX.

usage: compare_with_shardy.py PARTOPT_OPT FOLDER

Random shardings, many of them wrong: both must accept the same ones, and print
those that they accept alike, in pretty and in generic form.
"""
import random
import re
import subprocess
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir

AXES = [("x", 2), ("y", 4), ("z", 6), ("w", 8)]
CASES = 250


def axis(rng):
    name, size = rng.choice(AXES)
    if rng.random() < 0.6:
        return f'"{name}"'
    sub = rng.choice([2, 2, 2, 3, 4])
    pre = rng.choice([p for p in (1, 2, 3, 4) if size % (p * sub) == 0] or [1])
    return f'"{name}":({pre}){sub}'


def axes(rng, count):
    return [axis(rng) for _ in range(count)]


def dimension(rng):
    items = axes(rng, rng.choice([0, 0, 1, 1, 2]))
    if rng.random() < 0.3:
        items.append("?")
    priority = f"p{rng.randrange(3)}" if rng.random() < 0.2 else ""
    return "{" + ", ".join(items) + "}" + priority


def sharding(rng, rank):
    if rng.random() < 0.05:
        rank += 1
    text = "@mesh, [" + ", ".join(dimension(rng) for _ in range(rank)) + "]"
    for word in ("replicated", "unreduced"):
        if rng.random() < 0.2:
            text += f", {word}={{" + ", ".join(axes(rng, rng.choice([1, 2]))) + "}"
    return f"<{text}>"


def case(rng):
    rank = rng.randrange(4)
    kind = "tensor<" + "24x" * rank + "f32>"
    mesh = "sdy.mesh @mesh = <[" + ", ".join(f'"{n}"={s}' for n, s in AXES) + "]>\n"
    body = rng.choice([
        f"  %0 = sdy.sharding_constraint %arg0 {sharding(rng, rank)} : {kind}\n",
        f"  %0 = sdy.reshard %arg0 {sharding(rng, rank)} : {kind}\n",
        f"  %0 = stablehlo.negate %arg0 {{sdy.sharding = #sdy.sharding_per_value<[{sharding(rng, rank)}]>}} : {kind}\n",
    ])
    attr = f" {{sdy.sharding = #sdy.sharding{sharding(rng, rank)}}}" if rng.random() < 0.3 else ""
    return f"{mesh}func.func @f(%arg0: {kind}{attr}) {{\n{body}  return\n}}\n"


def by_shardy(text, generic):
    """Shardy's print, or None if it refuses."""
    context = mlir.make_ir_context()
    with context:
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError:
            return None
        return module.operation.get_asm(print_generic_op_form=generic)


def by_partopt(tool, path, generic):
    """partopt's print, or None if it refuses."""
    command = [tool, path] + (["-mlir-print-op-generic"] if generic else [])
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stdout if result.returncode == 0 else None


def normal(text):
    return None if text is None else re.sub(r"\n+", "\n", text).strip()


def main(tool, folder):
    rng = random.Random(20)
    accepted = 0
    for number in range(CASES):
        text = case(rng)
        path = f"{folder}/case.mlir"
        with open(path, "w") as file:
            file.write(text)
        generic = number % 2 == 1
        theirs, ours = normal(by_shardy(text, generic)), normal(by_partopt(tool, path, generic))
        if theirs != ours:
            sys.exit(f"case {number} differs:\n{text}\nShardy:\n{theirs}\n\npartopt:\n{ours}")
        accepted += theirs is not None
    print(f"{CASES} cases, {accepted} accepted by both, {CASES - accepted} refused by both")


if __name__ == "__main__":
    main(*sys.argv[1:])
