"""Steps whose state goes around without being trained, against its role.

usage: jax_carried_state.py FOLDER

The state is what stands between the parameters and the batch; CASES say its
roles. Each step is exported with donation, and without where that is enough to
see what goes around. Run by a Python that has JAX.
"""
import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp

tree_map = jax.tree.map


def spec(*shape, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(shape, dtype)


PARAMETERS = {"a": spec(8, 16), "b": spec(16, 4)}
BATCH = (spec(32, 8), spec(32, 4))
SCALAR = spec()


def forward(p, x):
    return jnp.tanh(x @ p["a"]) @ p["b"]


def squares(p, x, y):
    return jnp.mean((forward(p, x) - y) ** 2)


def entropy(p, x, y, scale=1.0):
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(forward(p, x) * scale) * y, -1))


def stepped(p, g, rate=0.1, decay=1.0):
    return tree_map(lambda a, b: decay * a - rate * b, p, g)


def loss_scale(reported):
    def step(p, scale, good, x, y):
        def scaled(q):
            loss = squares(q, x, y)
            return loss * scale, loss
        (value, loss), g = jax.value_and_grad(scaled, has_aux=True)(p)
        g = tree_map(lambda a: a / scale, g)
        finite = jnp.all(jnp.array([jnp.all(jnp.isfinite(a)) for a in jax.tree.leaves(g)]))
        p = tree_map(lambda a, b: jnp.where(finite, a, b), stepped(p, g), p)
        grown = jnp.where(good >= 2000, jnp.minimum(scale * 2, 2.0 ** 24), scale)
        scale_next = jnp.where(finite, grown, jnp.maximum(scale / 2, 1.0))
        good = jnp.where(finite & (good < 2000), good + 1, 0)
        return p, scale_next, good, reported(value, loss, scale)
    return step


def loss_average(of_loss):
    def step(p, average, x, y):
        def total(q):
            loss = squares(q, x, y)
            return of_loss(loss, average), loss
        (value, loss), g = jax.value_and_grad(total, has_aux=True)(p)
        return stepped(p, g), 0.99 * average + 0.01 * loss, value
    return step


def step_count(p, t, x, y):
    def total(q):
        return squares(q, x, y) + jnp.minimum(1.0, t / 1000) * jnp.mean(q["a"] ** 2)
    loss, g = jax.value_and_grad(total)(p)
    return stepped(p, g, 0.1 / jnp.sqrt(t + 1)), t + 1, loss


def annealed(p, scale, x, y):
    loss, g = jax.value_and_grad(entropy)(p, x, y, scale)
    return stepped(p, g), scale * 0.9999, loss


def input_mean(p, mean, x, y):
    loss, g = jax.value_and_grad(squares)(p, x - mean, y)
    return stepped(p, g), 0.9 * mean + 0.1 * jnp.mean(x, 0), loss


def target_network(p, target, x, y):
    loss, g = jax.value_and_grad(lambda q: jnp.mean((forward(q, x) - forward(target, x)) ** 2))(p)
    p = stepped(p, g)
    return p, tree_map(lambda a, b: 0.99 * a + 0.01 * b, target, p), loss


def codebook(p, code, x, y):
    def total(q):
        z = x @ q["a"]
        nearest = jnp.argmin(jnp.sum((z[:, None] - code[None]) ** 2, -1), -1)
        z_code = z + jax.lax.stop_gradient(code[nearest] - z)
        return jnp.mean((z_code @ q["b"] - y) ** 2) + jnp.mean((z - code[nearest]) ** 2), (z, nearest)
    (loss, (z, nearest)), g = jax.value_and_grad(total, has_aux=True)(p)
    hot = jax.nn.one_hot(nearest, 6)
    return stepped(p, g), 0.99 * code + 0.01 * (hot.T @ z) / (jnp.sum(hot, 0)[:, None] + 1), loss


def routing_bias(p, bias, x, y):
    def total(q):
        scores = x @ q["a"]
        picked = jnp.argmax(scores + bias, -1)
        h = jnp.take_along_axis(scores, picked[:, None], 1) * jnp.ones((1, 16))
        return jnp.mean((h @ q["b"] - y) ** 2), picked
    (loss, picked), g = jax.value_and_grad(total, has_aux=True)(p)
    load = jnp.sum(jax.nn.one_hot(picked, 16), 0)
    return stepped(p, g), bias + 1e-3 * jnp.sign(jnp.mean(load) - load), loss


def power_iteration(p, u, x, y):
    def total(q):
        w = jax.lax.stop_gradient(q["a"])
        v = w @ u / jnp.linalg.norm(w @ u)
        new_u = v @ w / jnp.linalg.norm(v @ w)
        return squares({**q, "a": q["a"] / (v @ q["a"] @ new_u)}, x, y), new_u
    (loss, u), g = jax.value_and_grad(total, has_aux=True)(p)
    return stepped(p, g), u, loss


def temperature(wrapped, decay):
    def step(p, t, x, y):
        loss, (g, gt) = jax.value_and_grad(wrapped(
            lambda q, t: entropy(q, x, y, jnp.exp(t))), (0, 1))(p, t)
        return stepped(p, g, decay=decay), decay * t - 0.1 * gt, loss
    return step


def output_bias(p, b, x, y):
    loss, (g, gb) = jax.value_and_grad(lambda q, b: squares(q, x, y - b), (0, 1))(p, b)
    return stepped(p, g, decay=0.999), 0.999 * b - 0.1 * gb, loss


# The step, its state, the roles of the state, and whether they are found without
# donation too.
SCALE = (SCALAR, spec(dtype=jnp.int32))
CASES = {
    "scale_divided": (loss_scale(lambda v, l, s: v / s), SCALE, ["opt", "opt"], True),
    "scale_scaled": (loss_scale(lambda v, l, s: v), SCALE, ["opt", "opt"], True),
    "scale_beside": (loss_scale(lambda v, l, s: l), SCALE, ["opt", "opt"], False),
    "average": (loss_average(lambda l, a: l), (SCALAR,), ["state"], True),
    "baseline": (loss_average(lambda l, a: (l - a) ** 2), (SCALAR,), ["state"], True),
    "normalised": (loss_average(lambda l, a: l / a), (SCALAR,), ["state"], True),
    "step_count": (step_count, (SCALAR,), ["opt"], False),
    "annealed": (annealed, (SCALAR,), ["opt"], False),
    "input_mean": (input_mean, (spec(8),), ["state"], True),
    "target_network": (target_network, (PARAMETERS,), ["state", "state"], True),
    "codebook": (codebook, (spec(6, 16),), ["state"], True),
    "routing_bias": (routing_bias, (spec(16),), ["state"], True),
    "power_iteration": (power_iteration, (spec(16),), ["state"], False),
    "temperature": (temperature(lambda f: f, 1.0), (SCALAR,), ["param"], True),
    "temperature_decayed": (temperature(jax.checkpoint, 0.999), (SCALAR,), ["param"], True),
    "output_bias": (output_bias, (spec(4),), ["param"], True),
}


def roles(path, text):
    with open(path, "w") as file:
        file.write(text)
    subprocess.run(["partopt", "explain", path, "--report-json", path + ".json"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path + ".json") as file:
        return [a["role"] for a in json.load(file)["arguments"]]


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    for name, (step, state, want, without_donation) in CASES.items():
        for donated in (True, False) if without_donation else (True,):
            count = 1 + len(state)
            lowered = jax.jit(lambda *a: step(*a), keep_unused=True,  # noqa: B023
                              donate_argnums=tuple(range(count)) if donated else ()
                              ).lower(PARAMETERS, *state, *BATCH)
            have = roles(os.path.join(folder, f"{name}_{donated}.mlir"), lowered.as_text())
            assert have == ["param"] * 2 + want + ["batch"] * 2, (name, donated, have)
    print(f"{len(CASES)} steps")


if __name__ == "__main__":
    main()
