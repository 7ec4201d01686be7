"""Ops for which the order along a dimension matters, as JAX writes them: each
function on one device, and with its first argument split along dimension 0 and
along dimension 1, against JAX's results: jax_order.py WORKDIR [NAME...]
"""
import os
import subprocess
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_PLATFORMS"] = "cpu"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402

rng = np.random.default_rng(0)


def f(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def i(high, *shape):
    return rng.integers(0, high, shape).astype(np.int32)


def pool(x, init, op, size, stride):
    return lax.reduce_window(x, init, op, (1, size, size, 1), (1, stride, stride, 1), "SAME")


CASES = {
    # A value, and the same elements elsewhere in their rows, both used by products.
    "rolled": (lambda x: (lambda h: (h @ x.T, jnp.roll(h, 1, -1) @ x.T, h[:, ::-1] @ x.T,
                                     h[:, :1] * h))(jnp.tanh(x @ x.T @ x)), f(10, 6)),
    "cumsum": (lambda x: (jnp.cumsum(x, 0), jnp.cumsum(x, 1)), f(10, 6)),
    "cumprod": (lambda x: jnp.cumprod(x, 0), f(10, 6)),
    "cummax": (lambda x: (lax.cummax(x, 0, reverse=True), lax.cummax(x, 1)), f(10, 6)),
    "cumlogsumexp": (lambda x: (lax.cumlogsumexp(x, 0), lax.cumlogsumexp(x, 1, reverse=True)), f(10, 6)),
    "sort": (lambda x: (jnp.sort(x, 0), jnp.sort(x, 1, descending=True)), f(10, 6)),
    "argsort": (lambda x: jnp.argsort(x, 1), i(4, 10, 8)),
    "argsort_long": (lambda x: jnp.argsort(x, 1), f(4, 40000)),
    "lexsort": (lambda x, y: jnp.lexsort((x, y)), i(4, 30), i(3, 30)),
    "median": (lambda x: jnp.median(x, 1), f(10, 6)),
    "top_k": (lambda x: lax.top_k(x, 3), f(10, 6)),
    "top_k_bf16": (lambda x: lax.top_k(x, 3), f(10, 6).astype(ml_dtypes.bfloat16)),
    "top_k_i8": (lambda x: lax.top_k(x, 3), i(9, 10, 6).astype(np.int8)),
    "top_k_gradient": (jax.grad(lambda x: (lax.top_k(x, 3)[0] ** 2).sum()), f(10, 6)),
    "max_pool": (lambda x: pool(x, -jnp.inf, lax.max, 3, 2), f(4, 8, 9, 8)),
    "average_pool_gradient": (jax.grad(lambda x: (pool(x, 0.0, lax.add, 3, 2) ** 2).sum()), f(4, 8, 8, 8)),
    "moving_sum": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 50), (1, 1), "SAME"), f(4, 300)),
    "take_along": (lambda x, k: jnp.take_along_axis(x, k, 1), f(10, 6), i(6, 10, 4)),
    "take_along_gradient": (jax.grad(lambda x, k: (jnp.take_along_axis(x, k, 1) ** 2).sum()), f(10, 6),
                            i(6, 10, 4)),
    "take_clip": (lambda x, k: jnp.take(x, k, 0, mode="clip"), f(10, 6), i(14, 9)),
    "take_fill": (lambda x, k: jnp.take(x, k, 0, mode="fill", fill_value=-1.0), f(10, 6), i(14, 9)),
    "at_set": (lambda x, k, v: x.at[k].set(v), f(10, 6), np.array([3, 1, 7], np.int32), f(3, 6)),
    "at_max": (lambda x, k, v: x.at[k].max(v), f(10, 6), i(10, 8), f(8, 6)),
    "at_multiply": (lambda x, k, v: x.at[:, k].multiply(v), f(10, 6), i(6, 8), f(10, 8)),
    "at_pairs": (lambda x, a, b, v: x.at[a, b].add(v), f(10, 6), i(10, 8), i(6, 8), f(8)),
    "segment_sum": (lambda x, k: jax.ops.segment_sum(x, k, num_segments=7), f(12, 6), i(7, 12)),
    "windows": (lambda x, s: jax.vmap(lambda q: lax.dynamic_slice(x, (q, 0), (3, 6)))(s), f(10, 6), i(9, 5)),
    "bincount": (lambda x: jnp.bincount(x, length=9), i(9, 40)),
    "unique": (lambda x: jnp.unique(x, size=8, fill_value=-1), i(6, 20)),
}


def annotated(function, spec):
    mesh = Mesh(np.array(jax.devices()), ("x",))

    def call(first, *rest):
        if first.ndim >= len(spec):
            first = lax.with_sharding_constraint(first, NamedSharding(mesh, spec))
        return function(first, *rest)
    return call


def main(cases, platform="cpu"):
    """`platform`: whose operations the programs are written with; for "cpu" some
    are calls of functions of JAX's own."""
    workdir, *names = sys.argv[1:]
    os.makedirs(workdir, exist_ok=True)
    failures = 0
    for name, (function, *arguments) in cases.items():
        if names and name not in names:
            continue
        path = lambda file: os.path.join(workdir, name + file)  # noqa: E731
        results = jax.tree.leaves(jax.jit(function)(*arguments))
        save_file({f"arg{k}": np.ascontiguousarray(a) for k, a in enumerate(arguments)}, path(".in.safetensors"))
        save_file({f"out{k}": np.ascontiguousarray(np.asarray(a)) for k, a in enumerate(results)},
                  path(".out.safetensors"))
        for form, spec in (("", None), ("-0", PartitionSpec("x")), ("-1", PartitionSpec(None, "x"))):
            traced = jax.jit(annotated(function, spec) if spec else function).trace(*arguments)
            lowered = traced.lower(lowering_platforms=(platform,))
            with open(path(form + ".mlir"), "w") as file:
                file.write(lowered.as_text())
            run = subprocess.run(["partopt", "run", path(form + ".mlir"), "--inputs", path(".in.safetensors"),
                                  "--expect", path(".out.safetensors"), "--rtol", "1e-5", "--atol", "1e-5"],
                                 capture_output=True, text=True)
            if run.returncode:
                failures += 1
                print(f"FAIL {name}{form}: exit {run.returncode}\n{run.stdout}{run.stderr}")
    print(f"{len(cases)} functions, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(CASES))
