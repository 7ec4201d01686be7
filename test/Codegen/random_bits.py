"""rng_bit_generator against XLA's CPU backend: random_bits.py PARTOPT_KERNEL_TEST WORKDIR

Every algorithm and length of state, all element types, shapes that divide into
blocks and such that do not; states whose counters carry. All must be equal.
"""
import os
import sys

import jax
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir

sys.path.insert(0, os.path.dirname(__file__))
from kernel_cases import tensor  # noqa: E402
from kernels import DTYPES, call, compiled  # noqa: E402

jax.config.update("jax_enable_x64", True)

FULL = 2**64 - 1
STATES = {2: [[7 << 32 | 5, FULL], [FULL, FULL - 1], [9, 3 << 33 | 5], [0, 0]],
          3: [[5 << 32 | 3, FULL - 1, FULL], [1, 2, 3], [FULL, FULL, 6]]}
KINDS = [("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3), ("DEFAULT", 2), ("DEFAULT", 3)]
# No even size, several, the largest one first and last; sizes of one; none.
SHAPES = [(), (1,), (2,), (3,), (4,), (7,), (64,), (101,), (1, 1), (3, 5), (5, 3), (5, 5), (1, 7), (7, 1),
          (3, 4), (4, 3), (3, 1, 5), (2, 3, 4), (3, 3, 3), (3, 5, 2), (0,), (0, 4), (3, 0), (9, 1, 9),
          (1, 2, 1), (3, 2, 5, 7), (1, 3, 5, 1, 4), (33, 31)]
TYPES = ["ui8", "i8", "ui16", "i16", "ui32", "i32", "ui64", "i64", "f32", "f64", "bf16", "f16"]


def all_cases():
    for kind in KINDS:
        for shape in SHAPES:
            every = shape in [(7,), (4, 3), (3, 5)]
            if every or kind[0] != "DEFAULT":
                for element in TYPES if every else ["ui8", "ui32", "ui64"]:
                    yield (*kind, shape, element)


def op(case, state, names):
    algorithm, length, shape, element = case
    types = f"{tensor((length,), 'ui64')}, {tensor(shape, element)}"
    return (f"  {names} = stablehlo.rng_bit_generator {state}, algorithm = {algorithm} : "
            f"({tensor((length,), 'ui64')}) -> ({types})\n")


def results(case):
    return [tensor((case[1],), "ui64"), tensor(case[2], case[3])]


def compile_kernels(tool, workdir, cases):
    text = ""
    for i, case in enumerate(cases):
        types = ", ".join(results(case))
        text += (f"func.func @k{i}(%s: {results(case)[0]}) -> ({types}) attributes {{partopt.kernel}} "
                 f"{{\n{op(case, '%s', '%r, %b')}  return %r, %b : {types}\n}}\n")
    return compiled(tool, workdir, text)


class Reference:
    """All cases of one length of state as one program of XLA."""

    def __init__(self, cases):
        text, names, types = "", [], []
        for i, case in enumerate(cases):
            text += op(case, "%s", f"%r{i}, %b{i}")
            names += [f"%r{i}", f"%b{i}"]
            types += results(case)
        text = (f"func.func @main(%s: {types[0]}) -> ({', '.join(types)}) {{\n{text}"
                f"  return {', '.join(names)} : {', '.join(types)}\n}}\n")
        self.backend = xla_bridge.get_backend("cpu")
        with jax_mlir.make_ir_context():
            self.program = self.backend.compile_and_load(
                ir.Module.parse(text), xla_client.DeviceList(tuple(self.backend.devices()[:1])),
                xla_client.CompileOptions())

    def run(self, state):
        arrays = self.program.execute_sharded([jax.device_put(state)])
        return [np.asarray(a[0]) for a in arrays.disassemble_into_single_device_arrays()]


def bits(array):
    """XLA returns floats as unsigned integers already."""
    return array.reshape(array.shape or (1,)).view(f"u{array.dtype.itemsize}")


def main():
    tool, workdir = sys.argv[1:]
    cases = list(all_cases())
    library = compile_kernels(tool, workdir, cases)
    failures = compared = 0
    for length, states in STATES.items():
        numbered = [(i, case) for i, case in enumerate(cases) if case[1] == length]
        reference = Reference([case for _, case in numbered])
        for state in states:
            state = np.array(state, np.uint64)
            expected = iter(reference.run(state))
            for i, case in numbered:
                got = call(library, f"k{i}", [state], results(case))
                for what, a, b in zip(("state", "bits"), got, expected):
                    assert what == "state" or a.dtype == DTYPES[case[3]]
                    compared += 1
                    if a.shape != b.shape or not np.array_equal(bits(a), bits(b)):
                        failures += 1
                        print(f"FAIL {what} of {case} from {state}: {a} instead of {b}"[:600])
    print(f"{len(cases)} kernels, {compared} results, {failures} failures")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
