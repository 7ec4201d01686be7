"""Writes a training step whose layers a scan runs over stacked parameters."""
import jax
import jax.numpy as jnp

LAYERS, WIDTH, HIDDEN, ROWS, CLASSES = 4, 16, 32, 8, 8


def loss_of(params, x, y):
    def layer(h, p):
        return h + jnp.tanh(h @ p["w1"] + p["b1"]) @ p["w2"], None

    h, _ = jax.lax.scan(layer, x, params["layers"])
    return jnp.mean((h @ params["head"] - y) ** 2)


def step(params, opt_state, x, y):
    loss, gradient = jax.value_and_grad(loss_of)(params, x, y)
    moments = jax.tree.map(lambda m, g: 0.9 * m + g, opt_state, gradient)
    return jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), moments, loss


params = {"layers": {"w1": jnp.zeros((LAYERS, WIDTH, HIDDEN)), "b1": jnp.zeros((LAYERS, HIDDEN)),
                     "w2": jnp.zeros((LAYERS, HIDDEN, WIDTH))},
          "head": jnp.zeros((WIDTH, CLASSES))}
moments = jax.tree.map(jnp.zeros_like, params)
batch = jnp.zeros((ROWS, WIDTH)), jnp.zeros((ROWS, CLASSES))
print(jax.jit(step, donate_argnums=(0, 1)).lower(params, moments, *batch).as_text(debug_info=True))
