"""Compares the sharding rules of all ops of models with Shardy's.

usage: compare_rules.py PARTOPT_OPT FILE...

Ops that Shardy has no rule for are counted apart. A reversed dimension of size 1
passes through here; Shardy calls it a permutation.
"""
import re
import subprocess
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager


def rules(module):
    """[(op, rule text or None)] in program order."""
    table = []

    def visit(op):
        has = "sdy.sharding_rule" in op.attributes
        table.append((op.name, str(op.attributes["sdy.sharding_rule"]) if has else None))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return table


def compare(opt, path):
    text = re.sub(r" to (:\d+|\d+:\d+)", "", open(path).read())
    done = subprocess.run([opt, "-", "--partopt-print-sharding-rules"], input=text, text=True,
                          capture_output=True, check=True)
    with mlir.make_ir_context():
        theirs = ir.Module.parse(text)
        passmanager.PassManager.parse(
            "builtin.module(func.func(sdy-populate-op-sharding-rules))").run(theirs.operation)
        expected, actual = rules(theirs), rules(ir.Module.parse(done.stdout))
    same = different = more = 0
    for (name, e), (_, a) in zip(expected, actual, strict=True):
        if e is None:
            more += a is not None
        elif e == a or (name == "stablehlo.reverse" and "=1" in e):
            same += 1
        else:
            different += 1
            print(f"{path}: {name}: Shardy {e}, partopt {a}")
    return same, different, more


def main():
    opt, *paths = sys.argv[1:]
    same, different, more = map(sum, zip(*(compare(opt, path) for path in paths)))
    print(f"{same} rules equal, {different} different, {more} where Shardy has none")
    sys.exit(different > 0)


main()
