"""Runs a StableHLO module's text through JAX exactly as it was exported: the
text is compiled by XLA as it is, without tracing anything again."""
import time

import jax
import numpy as np
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir


def parse(text):
    """The module, in a context of its own."""
    return ir.Module.parse(text, jax_mlir.make_ir_context())


class Step:
    """One compiled step of a module on one device. Donated arguments are
    copied by the caller's arrays, so `run` may be called with anything."""

    def __init__(self, text):
        module = parse(text)
        start = time.perf_counter()
        device = jax.devices("cpu")[0]
        options = xla_client.CompileOptions()
        self.executable = device.client.compile_and_load(
            str(module), xla_client.DeviceList((device,)), options)
        self.compile_seconds = time.perf_counter() - start
        self.device = device

    def run(self, arguments):
        """numpy arrays in, numpy arrays out, in the order of @main."""
        arrays = [jax.device_put(np.array(a), self.device) for a in arguments]
        results = self.executable.execute_sharded(arrays).disassemble_into_single_device_arrays()
        return [np.asarray(r[0]) for r in results]
