"""Steps that return a directional derivative beside the loss, against which result is the loss.

usage: jax_directional.py FOLDER

Every model with every loss, the derivative by every way of JAX, in both orders
of the two. Run by a Python that has JAX.
"""
import itertools
import os
import subprocess
import sys

import jax
import jax.numpy as jnp

tree_map = jax.tree.map

MODELS = {
    "linear": lambda p, x: x @ p["a"][:, :4],
    "tanh": lambda p, x: jnp.tanh(x @ p["a"]) @ p["b"],
    "relu": lambda p, x: jax.nn.relu(x @ p["a"]) @ p["b"],
}
LOSSES = {
    "squares": lambda z, y: jnp.mean((z - y) ** 2),
    "entropy": lambda z, y: -jnp.mean(jnp.sum(jax.nn.log_softmax(z) * y, -1)),
    "distance": lambda z, y: jnp.mean(jnp.abs(z - y)),
}


def stepped(p, g):
    return tree_map(lambda a, b: a - 0.1 * b, p, g)


def by_jvp(loss, p, v, x, y):
    value, slope = jax.jvp(lambda q: loss(q, x, y), (p,), (v,))
    return stepped(p, jax.grad(loss)(p, x, y)), value, slope


def recomputed(loss, p, v, x, y):
    return by_jvp(jax.checkpoint(loss), p, v, x, y)


def beside_gradient(loss, p, v, x, y):
    value, g = jax.value_and_grad(loss)(p, x, y)
    return stepped(p, g), value, jax.jvp(lambda q: loss(q, x, y), (p,), (v,))[1]


def through_gradient(loss, p, v, x, y):
    (value, g), (slope, _) = jax.jvp(lambda q: jax.value_and_grad(loss)(q, x, y), (p,), (v,))
    return stepped(p, g), value, slope


def linearised(loss, p, v, x, y):
    value, along = jax.linearize(lambda q: loss(q, x, y), p)
    return stepped(p, jax.grad(loss)(p, x, y)), value, along(v)


def along_inputs(loss, p, v, x, y):
    value, slope = jax.jvp(lambda q: loss(p, q, y), (x,), (x * x,))
    return stepped(p, jax.grad(loss)(p, x, y)), value, slope


WAYS = (by_jvp, recomputed, beside_gradient, through_gradient, linearised, along_inputs)
P = {"a": jax.ShapeDtypeStruct((8, 16), jnp.float32), "b": jax.ShapeDtypeStruct((16, 4), jnp.float32)}
X, Y = (jax.ShapeDtypeStruct((32, n), jnp.float32) for n in (8, 4))


def loss_found(path):
    """The number of the result with partopt.loss among the scalar results."""
    text = subprocess.run(["partopt", "compile", path, "--compile-to", "import"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    line = next(line for line in text.splitlines() if "@main(" in line)
    results = line.split(") -> (")[1].split("tensor<f32> ")[1:]
    assert len(results) == 2, line
    return ["partopt.loss" in r for r in results].index(True)


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    seen = 0
    for model, loss, way, order in itertools.product(MODELS, LOSSES, WAYS, (0, 1)):
        def step(p, v, x, y):
            new, *scalars = way(lambda q, a, b: LOSSES[loss](MODELS[model](q, a), b), p, v, x, y)
            return (new, *(scalars[::-1] if order else scalars))
        name = f"{model}_{loss}_{way.__name__}_{order}"
        path = os.path.join(folder, name + ".mlir")
        with open(path, "w") as file:
            file.write(jax.jit(step).lower(P, P, X, Y).as_text(debug_info=True))
        assert loss_found(path) == order, name
        seen += 1
    print(f"{seen} steps")


if __name__ == "__main__":
    main()
