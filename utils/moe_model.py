"""A mixture of experts' training step in JAX, in the forms in which tokens get to
their experts. Without limit of tokens, unless the form has one."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy


@dataclasses.dataclass
class Form:
    """Sizes and what the step computes."""
    form: str = "ragged"       # sorted, lax.ragged_dot; scatter: into places; masked: experts see all;
                               # dense: and nothing is masked; choice: experts choose tokens
    scan: bool = False         # over layers whose parameters are stacked
    layers: int = 1
    d: int = 16
    inner: int = 32
    experts: int = 8
    top: int = 2
    places: int = 12           # of each expert, in the form scatter
    seq: int = 8
    batch: int = 8
    bias: bool = False         # experts and router have biases
    optimizer: str = "momentum"  # sgd: without state


def route(x, layer, form):
    """Tokens (T, D) to weights (T, k) and experts (T, k)."""
    scores = x @ layer["gate"] + layer.get("gate_bias", 0)
    weights, chosen = jax.lax.top_k(jax.nn.softmax(scores, -1), form.top)
    return weights / weights.sum(-1, keepdims=True), chosen


def expert(x, layer):
    """(E, C, D) to (E, C, D)."""
    hidden = jnp.einsum("ecd,edf->ecf", x, layer["up"])
    if "up_bias" in layer:
        hidden = hidden + layer["up_bias"][:, None]
    return jnp.einsum("ecf,efd->ecd", jax.nn.silu(hidden), layer["down"])


def ragged(x, layer, form):
    weights, chosen = route(x, layer, form)
    order = jnp.argsort(chosen.reshape(-1))
    sizes = jnp.bincount(chosen.reshape(-1), length=form.experts)
    token = order // form.top
    hidden = jax.lax.ragged_dot(x[token], layer["up"], sizes)
    if "up_bias" in layer:
        hidden = hidden + layer["up_bias"][chosen.reshape(-1)[order]]
    made = jax.lax.ragged_dot(jax.nn.silu(hidden), layer["down"], sizes)
    return jnp.zeros_like(x).at[token].add(made * weights.reshape(-1)[order][:, None])


def scatter(x, layer, form):
    weights, chosen = route(x, layer, form)
    flat = chosen.reshape(-1)
    hot = jax.nn.one_hot(flat, form.experts, dtype=jnp.int32)
    place = ((jnp.cumsum(hot, 0) - hot) * hot).sum(-1)
    sent = jnp.zeros((form.experts, form.places, form.d)).at[flat, place].set(
        jnp.repeat(x, form.top, 0), mode="drop")
    made = expert(sent, layer).at[flat, place].get(mode="fill", fill_value=0)
    return (made.reshape(-1, form.top, form.d) * weights[..., None]).sum(1)


def masked(x, layer, form):
    weights, chosen = route(x, layer, form)
    hot = jax.nn.one_hot(chosen, form.experts)
    share = (hot * weights[..., None]).sum(1)
    sent = jnp.where(share.T[..., None] > 0, x[None], 0)
    return jnp.einsum("te,etd->td", share, expert(sent, layer))


def dense(x, layer, form):
    share = jax.nn.softmax(x @ layer["gate"], -1)
    hidden = jax.nn.silu(jnp.einsum("td,edf->etf", x, layer["up"]))
    return jnp.einsum("te,etd->td", share, jnp.einsum("etf,efd->etd", hidden, layer["down"]))


def choice(x, layer, form):
    weights, chosen = jax.lax.top_k(jax.nn.softmax(x @ layer["gate"], -1).T, form.places)
    made = expert(x[chosen], layer) * weights[..., None]
    return jnp.zeros_like(x).at[chosen.reshape(-1)].add(made.reshape(-1, form.d))


def loss_of(params, x, y, form):
    def step(x, layer):
        rows = x.reshape(-1, form.d)
        return x + globals()[form.form](rows, layer, form).reshape(x.shape), None
    if form.scan:
        x, _ = jax.lax.scan(step, x, params)
    else:
        for layer in params:
            x, _ = step(x, layer)
    return ((x - y) ** 2).mean()


def make_step(form, seed=0):
    """(function, arguments as NumPy arrays, positions of the donated ones)."""
    random = numpy.random.default_rng(seed)

    def normal(*shape, scale=0.3):
        return (random.standard_normal(shape) * scale).astype(numpy.float32)
    params = []
    for _ in range(form.layers):
        layer = {"gate": normal(form.d, form.experts), "up": normal(form.experts, form.d, form.inner),
                 "down": normal(form.experts, form.inner, form.d)}
        if form.bias:
            layer |= {"gate_bias": normal(form.experts), "up_bias": normal(form.experts, form.inner)}
        params.append(layer)
    if form.scan:
        params = jax.tree.map(lambda *layers: numpy.stack(layers), *params)
    x, y = (normal(form.batch, form.seq, form.d, scale=1) for _ in range(2))
    if form.optimizer == "sgd":
        def train_step(params, x, y):
            loss, grads = jax.value_and_grad(loss_of)(params, x, y, form)
            return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss
        return train_step, [params, x, y], (0,)

    def train_step(params, momentum, x, y):
        loss, grads = jax.value_and_grad(loss_of)(params, x, y, form)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, grads)
        return jax.tree.map(lambda p, m: p - 0.1 * m, params, momentum), momentum, loss
    momentum = jax.tree.map(lambda p: normal(*p.shape, scale=0.01), params)
    return train_step, [params, momentum, x, y], (0, 1)
