"""Compares --sdy-propagation-pipeline with Shardy's, which comes with JAX.

usage: compare_propagation.py PARTOPT_OPT models FILE...
       compare_propagation.py PARTOPT_OPT random COUNT
       compare_propagation.py PARTOPT_OPT PASS COUNT

The last form compares one pass, after those that prepare for it.

The shardings of all arguments, results and ops must be the same; ops that only
compute constants are left out, since the two merge them in different order.
"""
import re
import subprocess
import sys

from jax._src.interpreters import mlir
from jaxlib.mlir import ir, passmanager

from random_programs import program

# Shardy's propagation pipeline without the passes for calls, up to its end.
SHARDY = ("symbol-dce,sdy-lift-inlined-meshes,sdy-remove-size-one-axes,sdy-constant-or-scalar-splitter,"
          "sdy-manual-axes-cleanup,sdy-add-data-flow-edges,sdy-apply-sharding-constraints,"
          "sdy-sharding-group-import,sdy-user-priority-propagate,sdy-propagate-to-func-results,"
          "func.func(sdy-constant-or-scalar-merger),func.func(sdy-sink-data-flow-edges),"
          "sdy-remove-sharding-groups,func.func(sdy-sharding-constraint-to-reshard),"
          "sdy-update-non-divisible-input-output-shardings,"
          "sdy-remove-sub-axes-in-input-output-shardings,sdy-close-shardings")
FEATURES = [(), ("uneven",), ("sub",), ("replicated",), ("priority",), ("control",), ("loop",)]
CONSTANTS = ("stablehlo.constant", "sdy.constant", "stablehlo.iota")


def partopt(opt, text, *flags):
    done = subprocess.run([opt, "-", *flags], input=text, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"partopt-opt failed:\n{done.stderr}\non\n{text}")
    return done.stdout


def is_constant(op, constants):
    """Whether the one result of `op` is computed from constants only."""
    if op.name in CONSTANTS:
        return True
    if op.name == "stablehlo.broadcast_in_dim" and not op.operands[0].type.shape:
        return True
    joins = op.name in ("stablehlo.concatenate", "stablehlo.transpose", "stablehlo.dot_general",
                        "stablehlo.gather") or op.name.startswith("sdy.")
    return (not joins and len(op.results) == 1 and len(op.operands) > 0 and len(op.regions) == 0
            and all(operand in constants for operand in op.operands))


def is_compared(op):
    if op.name == "func.func" or op.name.endswith("return") or op.name == "sdy.data_flow_edge":
        return False
    if op.name == "sdy.reshard" and not list(op.results[0].uses):
        return False
    tensors = [r.type for r in op.results if isinstance(r.type, ir.RankedTensorType)]
    return any(t.shape for t in tensors)


def shardings(module, kinds):
    """[(what, sharding)] of the entry's arguments, results (by `kinds`), ops."""
    func = next(op for op in module.body.operations if op.operation.name == "func.func")
    table, constants = [], set()
    for kind in kinds:
        for i, attrs in enumerate(func.attributes[kind] if kind in func.attributes else []):
            table.append((f"{kind} {i}", str(attrs["sdy.sharding"]) if "sdy.sharding" in attrs else "-"))

    def visit(op):
        if len(op.results) == 1 and is_constant(op, constants):
            constants.add(op.results[0])
        elif is_compared(op):
            found = [str(op.attributes[n]) for n in ("sdy.sharding", "sharding") if n in op.attributes]
            table.append((op.name, found[0] if found else "-"))
        return ir.WalkResult.ADVANCE

    func.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return table


def compare(opt, text, name, single=None):
    """Number of values and of differences, which are printed."""
    theirs_pipeline, flags, kinds = SHARDY, ["--sdy-propagation-pipeline"], ("arg_attrs", "res_attrs")
    if single:
        passes = ["sdy-constant-or-scalar-splitter", "sdy-apply-sharding-constraints", single]
        theirs_pipeline, flags, kinds = ",".join(passes), ["--" + p for p in passes], ("arg_attrs",)
    with mlir.make_ir_context():
        theirs = ir.Module.parse(text)
        passmanager.PassManager.parse(f"builtin.module({theirs_pipeline})").run(theirs.operation)
        expected = shardings(theirs, kinds)
        actual = shardings(ir.Module.parse(partopt(opt, text, *flags)), kinds)
    if [what for what, _ in expected] != [what for what, _ in actual]:
        print(f"{name}: not the same ops")
        return len(expected), len(expected)
    different = [(e, a) for e, a in zip(expected, actual) if e != a]
    for (what, e), (_, a) in different[:5]:
        print(f"{name}: {what}: Shardy {e}, partopt {a}")
    return len(expected), len(different)


def model_text(opt, path):
    """The model without calls and in ops that Shardy has rules for."""
    text = re.sub(r" to (:\d+|\d+:\d+)", "", open(path).read())
    text = partopt(opt, text, "--partopt-inline-calls")
    return re.sub(r"chlo.square (%\w+)( \{.*\})? : (tensor<[^>]*>) -> tensor<[^>]*>",
                  r"stablehlo.multiply \1, \1\2 : \3", text)


def main():
    opt, mode, *rest = sys.argv[1:]
    if mode == "models":
        cases = [(path, model_text(opt, path)) for path in rest]
    else:
        cases = [(f"{' '.join(f) or 'plain'} {seed}", program(seed, f))
                 for f in FEATURES for seed in range(int(rest[0]))]
    single = mode if mode.startswith("sdy-") else None
    if single:
        # One pass alone follows no edges of loops and keeps the text of priorities.
        cases = [case for case in cases if not re.search(r"while|barrier|[}]p\d", case[1])]
    values = different = 0
    for name, text in cases:
        n, d = compare(opt, text, name, single)
        values, different = values + n, different + d
    print(f"{len(cases)} programs, {values} values, {different} different")
    sys.exit(different > 0)


main()
