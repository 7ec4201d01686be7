"""Steps as JAX exports them without donation, against what goes around in them.

usage: jax_next_values.py SOURCE_ROOT FOLDER

Each step, and some that are made up (utils/random_model.py), is exported with the names of its arguments and without. CASES say
which arguments are which results in the next step, as pytrees: with names, then
without (None: nothing may be paired). Run by a Python that has JAX.
"""
import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
from jax.flatten_util import ravel_pytree

sys.path.insert(0, os.path.join(sys.argv[1], "utils"))
from random_model import RandomModel  # noqa: E402

tree_map = jax.tree.map


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


PARAMETERS = {"emb": spec(32, 16), "l0": {"w": spec(16, 16), "b": spec(16)},
              "l1": {"w": spec(16, 16), "b": spec(16)}, "out": spec(16, 32)}
BATCH = (spec(8, 4, dtype=jnp.int32), spec(8, 4, dtype=jnp.int32))
COUNT = spec(dtype=jnp.int32)


def forward(p, x):
    h = p["emb"][x]
    for layer in ("l0", "l1"):
        h = h + jnp.tanh(h @ p[layer]["w"] + p[layer]["b"])
    return h @ p["out"]


def loss_of(p, batch):
    x, y = batch
    logits = jax.nn.log_softmax(forward(p, x))
    return -jnp.mean(jnp.take_along_axis(logits, y[..., None], -1))


def gradients_with_penalty(params, batch):
    def penalised(p, b):
        return loss_of(p, b) + 0.01 * sum(jnp.sum(a ** 2) for a in jax.tree.leaves(p))
    return jax.value_and_grad(penalised)(params, batch)


def adam(params, mu, nu, count, batch):
    loss, g = jax.value_and_grad(loss_of)(params, batch)
    norm = jnp.sqrt(sum(jnp.sum(a ** 2) for a in jax.tree.leaves(g)))
    g = tree_map(lambda a: a / jnp.maximum(norm, 1.0), g)
    count = count + 1
    mu = tree_map(lambda m, a: 0.9 * m + 0.1 * a, mu, g)
    nu = tree_map(lambda v, a: 0.99 * v + 0.01 * a * a, nu, g)
    t = count.astype(jnp.float32)
    params = tree_map(lambda p, m, v: p - 1e-3 * (m / (1 - 0.9 ** t) / (
        jnp.sqrt(v / (1 - 0.99 ** t)) + 1e-8) + 0.01 * p), params, mu, nu)
    return params, mu, nu, count, loss, norm


def whole_state(state, batch):
    params, mu, nu, count, loss, _ = adam(state["params"], state["mu"], state["nu"],
                                          state["step"], batch)
    return {"params": params, "mu": mu, "nu": nu, "step": count}, loss


def master_copy(params, opt_state, batch):
    loss, g = jax.value_and_grad(loss_of)(params, batch)
    whole = tree_map(lambda m, a: m - 0.1 * a.astype(jnp.float32), opt_state, g)
    return tree_map(lambda a: a.astype(jnp.bfloat16), whole), whole, loss


def averaged(params, ema_params, batch):
    loss, g = jax.value_and_grad(loss_of)(params, batch)
    params = tree_map(lambda p, a: p - 0.1 * a, params, g)
    return params, tree_map(lambda e, p: 0.99 * e + 0.01 * p, ema_params, params), loss


def flat_vector(params, opt_state, batch):
    loss, g = jax.value_and_grad(loss_of)(params, batch)
    vector, restore = ravel_pytree(params)
    moment = 0.9 * opt_state + ravel_pytree(g)[0]
    return restore(vector - 0.1 * moment), moment, loss


def orthogonal(params, m, batch):
    loss, g = jax.value_and_grad(loss_of)(params, batch)
    m = tree_map(lambda m, a: 0.9 * m + a, m, g)

    def iterate(a):
        x = a / (jnp.linalg.norm(a) + 1e-6)
        return 1.5 * x - 0.5 * x @ x.T @ x if a.ndim > 1 else a
    return loss, tree_map(lambda p, u: p - 0.1 * iterate(u), params, m), m


def evaluated(params, batch):
    return loss_of(params, batch), forward(params, batch[0])


def embedded(params, x):
    return x + params["position"]


def recurrent(params, cache, x):
    h = jnp.tanh(cache["h"] @ params["w"] + x @ params["u"])
    return h @ params["o"], {"h": h, "c": 0.5 * cache["c"] + h}


def narrow(tree):
    return tree_map(lambda s: jax.ShapeDtypeStruct(s.shape, jnp.bfloat16), tree)


SIZE = sum(s.size for s in jax.tree.leaves(PARAMETERS))
SQUARE = spec(16, 16)
# The step, its arguments, and for each argument the result that it becomes; the
# last says whether that is found without names too.
CASES = {
    "gradients": (gradients_with_penalty, (PARAMETERS, BATCH), {}, True),
    "adam": (adam, (PARAMETERS,) * 3 + (COUNT, BATCH), {0: 0, 1: 1, 2: 2, 3: 3}, True),
    "whole_state": (whole_state, ({"params": PARAMETERS, "mu": PARAMETERS, "nu": PARAMETERS,
                                   "step": COUNT}, BATCH), {0: 0}, True),
    "master_copy": (master_copy, (narrow(PARAMETERS), PARAMETERS, BATCH), {0: 0, 1: 1}, False),
    "averaged": (averaged, (PARAMETERS, PARAMETERS, BATCH), {0: 0, 1: 1}, True),
    "flat_vector": (flat_vector, (PARAMETERS, spec(SIZE), BATCH), {0: 0, 1: 1}, False),
    "orthogonal": (orthogonal, (PARAMETERS, PARAMETERS, BATCH), {0: 1, 1: 2}, True),
    "evaluated": (evaluated, (PARAMETERS, BATCH), {}, True),
    "embedded": (embedded, ({"position": spec(8, 4)}, spec(8, 4)), {}, True),
    "recurrent": (recurrent, ({"w": SQUARE, "u": SQUARE, "o": SQUARE},
                              {"h": spec(8, 16), "c": spec(8, 16)}, spec(8, 16)), {1: 1}, False),
}


def numbered(trees):
    """The trees with their leaves' numbers in the signature."""
    leaves, structure = jax.tree.flatten(trees)
    return jax.tree.unflatten(structure, range(len(leaves)))


def wanted(step, arguments, pairs):
    before, after = numbered(arguments), numbered(jax.eval_shape(step, *arguments))
    return {leaf: result for a, r in pairs.items()
            for leaf, result in zip(jax.tree.leaves(before[a]), jax.tree.leaves(after[r]))}


def found(path, text):
    with open(path, "w") as file:
        file.write(text)
    subprocess.run(["partopt", "explain", path, "--report-json", path + ".json"], check=True,
                   stdout=subprocess.DEVNULL)
    with open(path + ".json") as file:
        return {a["index"]: a["next_result"] for a in json.load(file)["arguments"]
                if a["next_result"] is not None}


def check(folder, name, step, arguments, want, without_names):
    lowered = jax.jit(step).lower(*arguments)
    for suffix, debug_info in (("", True), (".noloc", False)):
        have = found(os.path.join(folder, f"{name}{suffix}.mlir"),
                     lowered.as_text(debug_info=debug_info))
        print(f"{name}{suffix}: {len(have)} of {len(want)}")
        # What nothing tells stays open, but nothing is paired wrongly.
        assert have == want or (not debug_info and not without_names
                                and have.items() <= want.items()), (name, suffix, have, want)


def main():
    folder = sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    for name, (step, arguments, pairs, without_names) in CASES.items():
        check(folder, name, step, arguments, wanted(step, arguments, pairs), without_names)
    for seed in range(12):
        model = RandomModel(seed)
        arguments = model.arguments()
        before = numbered(arguments)
        kept = [leaf for i in model.donated for leaf in jax.tree.leaves(before[i])]
        # Its results begin with what is donated.
        check(folder, f"random{seed}", model.step, arguments,
              {leaf: result for result, leaf in enumerate(kept)}, False)


if __name__ == "__main__":
    main()
