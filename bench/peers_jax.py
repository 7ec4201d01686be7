"""JAX's side of peers.py: the step of utils/gpt_model.py on virtual devices of one
process, partitioned by XLA. Prints one line of JSON.

usage: peers_jax.py ddp|fsdp RANKS INPUTS SIZES STEPS
"""
import json
import os
import re
import sys
import time

kind, ranks, inputs, sizes, steps = sys.argv[1:]
ranks, steps = int(ranks), int(steps)
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={ranks}"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import numpy  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "utils"))
from gpt_model import Form, make_step  # noqa: E402


def spec(array, is_batch):
    if is_batch:
        return PartitionSpec("data")
    if kind == "fsdp":
        for dim, extent in enumerate(array.shape):
            if extent % ranks == 0:
                return PartitionSpec(*[None] * dim, "data")
    return PartitionSpec()


def wire_bytes(text):
    """What one device sends by the ring formula, from the compiled program."""
    total = 0
    for shapes, op in re.findall(r"= (.+?) (all-reduce|all-gather|reduce-scatter)(?:-start)?\(",
                                 text):
        size = sum(4 * numpy.prod([int(e) for e in dims.split(",") if e], dtype=float)
                   for dims in re.findall(r"f32\[([\d,]*)\]", shapes))
        total += size * {"all-reduce": 2 * (ranks - 1) / ranks, "all-gather": (ranks - 1) / ranks,
                         "reduce-scatter": ranks - 1}[op]
    return total


step, arguments, donated = make_step(Form(**json.loads(sizes)))
mesh = Mesh(numpy.array(jax.devices()[:ranks]), ("data",))
leaves, tree = jax.tree.flatten(arguments)
arrays = load_file(inputs)
shardings = [NamedSharding(mesh, spec(leaf, i >= len(leaves) - 2)) for i, leaf in enumerate(leaves)]
values = [jax.device_put(arrays[f"arg{i}"], s) for i, s in enumerate(shardings)]
arguments = list(jax.tree.unflatten(tree, values))
state = jax.tree.unflatten(tree, shardings)[:4]
compiled = jax.jit(step, donate_argnums=donated,
                   out_shardings=(*state, NamedSharding(mesh, PartitionSpec()))).lower(
    *arguments).compile()
seconds, losses = [], []
for _ in range(steps):
    begin = time.perf_counter()
    *new, loss = compiled(*arguments)
    jax.block_until_ready((new, loss))
    seconds.append(time.perf_counter() - begin)
    arguments[:4] = new
    losses.append(float(loss))
memory = compiled.memory_analysis()
print(json.dumps({"step_s": seconds, "losses": losses, "version": jax.__version__,
                  "peak_bytes_per_rank": memory.argument_size_in_bytes
                  + memory.temp_size_in_bytes + memory.output_size_in_bytes
                  - memory.alias_size_in_bytes,
                  "wire_bytes": wire_bytes(compiled.as_text())}))
