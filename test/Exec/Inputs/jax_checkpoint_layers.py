"""Writes a training step whose layers jax.checkpoint computes again.

usage: jax_checkpoint_layers.py layers|scan|around [TYPE [POLICY]]
  layers  each layer is a checkpoint of its own
  scan    the same, by a scan over stacked parameters
  around  one checkpoint around such a scan
Layers cast their weights to TYPE (float32) where they use them. POLICY says what
is kept, as jax.checkpoint_policies calls it.
"""
import sys

import jax
import jax.numpy as jnp

LAYERS, WIDTH, HIDDEN, ROWS, CLASSES = 3, 16, 32, 8, 8
form, = sys.argv[1:2]
dtype = sys.argv[2] if len(sys.argv) > 2 else "float32"
policy = getattr(jax.checkpoint_policies, sys.argv[3]) if len(sys.argv) > 3 else None


def layer(h, p):
    w1, b1, w2, gain = (p[name].astype(dtype) for name in ("w1", "b1", "w2", "gain"))
    scaled = h * jax.lax.rsqrt((h * h).mean(-1, keepdims=True) + 1e-5) * gain
    return h + jnp.tanh(scaled @ w1 + b1) @ w2


def loss_of(params, x, y):
    again = jax.checkpoint(layer, policy=policy)
    h = x.astype(dtype)
    if form == "layers":
        for p in params["layers"]:
            h = again(h, p)
    else:
        one = layer if form == "around" else again

        def scanned(h, stack):
            return jax.lax.scan(lambda h, p: (one(h, p), None), h, stack)[0]

        h = (jax.checkpoint(scanned) if form == "around" else scanned)(h, params["layers"])
    return jnp.mean((h @ params["head"].astype(dtype) - y) ** 2)


def step(params, x, y):
    loss, gradient = jax.value_and_grad(loss_of)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradient), loss


each = {"w1": jnp.zeros((WIDTH, HIDDEN)), "b1": jnp.zeros(HIDDEN),
        "w2": jnp.zeros((HIDDEN, WIDTH)), "gain": jnp.zeros(WIDTH)}
params = {"layers": [each] * LAYERS if form == "layers" else
          jax.tree.map(lambda w: jnp.stack([w] * LAYERS), each),
          "head": jnp.zeros((WIDTH, CLASSES))}
batch = jnp.zeros((ROWS, WIDTH)), jnp.zeros((ROWS, CLASSES))
print(jax.jit(step, donate_argnums=0).lower(params, *batch).as_text(debug_info=True))
