"""A mixture of experts' training step in JAX, in the forms in which tokens get to
their experts. Without limit of tokens, unless the form has one."""
import dataclasses

import jax
import jax.numpy as jnp
import numpy
from training import regression


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
    scale: float = 0.3         # of the first parameters
    balance: float = 0.0       # weight of the loss that balances experts; not in dense and choice
    optimizer: str = "momentum"  # adam; sgd: without state
    clip: float = 0.0          # of the gradients' global norm; 0: not clipped

    def __post_init__(self):
        if self.balance and self.form in ("dense", "choice"):
            raise ValueError(f"form {self.form} has no experts to balance")


def route(x, layer, form):
    """Tokens (T, D) to weights (T, k), experts (T, k), and by how much the experts'
    shares are out of balance, as Switch Transformers have it (None: not in the loss)."""
    scores = x @ layer["gate"] + layer.get("gate_bias", 0)
    share = jax.nn.softmax(scores, -1)
    weights, chosen = jax.lax.top_k(share, form.top)
    uneven = None
    if form.balance:
        first = jax.nn.one_hot(chosen[:, 0], form.experts)
        uneven = form.experts * (first.mean(0) * share.mean(0)).sum()
    return weights / weights.sum(-1, keepdims=True), chosen, uneven


def expert(x, layer):
    """(E, C, D) to (E, C, D)."""
    hidden = jnp.einsum("ecd,edf->ecf", x, layer["up"])
    if "up_bias" in layer:
        hidden = hidden + layer["up_bias"][:, None]
    return jnp.einsum("ecf,efd->ecd", jax.nn.silu(hidden), layer["down"])


def ragged(x, layer, form):
    weights, chosen, uneven = route(x, layer, form)
    order = jnp.argsort(chosen.reshape(-1))
    sizes = jnp.bincount(chosen.reshape(-1), length=form.experts)
    token = order // form.top
    hidden = jax.lax.ragged_dot(x[token], layer["up"], sizes)
    if "up_bias" in layer:
        hidden = hidden + layer["up_bias"][chosen.reshape(-1)[order]]
    made = jax.lax.ragged_dot(jax.nn.silu(hidden), layer["down"], sizes)
    made = jnp.zeros_like(x).at[token].add(made * weights.reshape(-1)[order][:, None])
    return made, uneven


def scatter(x, layer, form):
    weights, chosen, uneven = route(x, layer, form)
    flat = chosen.reshape(-1)
    hot = jax.nn.one_hot(flat, form.experts, dtype=jnp.int32)
    place = ((jnp.cumsum(hot, 0) - hot) * hot).sum(-1)
    sent = jnp.zeros((form.experts, form.places, form.d)).at[flat, place].set(
        jnp.repeat(x, form.top, 0), mode="drop")
    made = expert(sent, layer).at[flat, place].get(mode="fill", fill_value=0)
    return (made.reshape(-1, form.top, form.d) * weights[..., None]).sum(1), uneven


def masked(x, layer, form):
    weights, chosen, uneven = route(x, layer, form)
    hot = jax.nn.one_hot(chosen, form.experts)
    share = (hot * weights[..., None]).sum(1)
    sent = jnp.where(share.T[..., None] > 0, x[None], 0)
    return jnp.einsum("te,etd->td", share, expert(sent, layer)), uneven


def dense(x, layer, form):
    share = jax.nn.softmax(x @ layer["gate"], -1)
    hidden = jax.nn.silu(jnp.einsum("td,edf->etf", x, layer["up"]))
    return jnp.einsum("te,etd->td", share, jnp.einsum("etf,efd->etd", hidden, layer["down"])), None


def choice(x, layer, form):
    weights, chosen = jax.lax.top_k(jax.nn.softmax(x @ layer["gate"], -1).T, form.places)
    made = expert(x[chosen], layer) * weights[..., None]
    return jnp.zeros_like(x).at[chosen.reshape(-1)].add(made.reshape(-1, form.d)), None


def loss_of(params, x, y, form):
    def step(x, layer):
        rows = x.reshape(-1, form.d)
        made, uneven = globals()[form.form](rows, layer, form)
        return x + made.reshape(x.shape), uneven
    if form.scan:
        x, uneven = jax.lax.scan(step, x, params)
    else:
        uneven = []
        for layer in params:
            x, one = step(x, layer)
            uneven.append(one)
    loss = ((x - y) ** 2).mean()
    if form.balance:
        loss = loss + form.balance * (uneven.sum() if form.scan else sum(uneven))
    return loss


def make_step(form, seed=0, value_and_grad=jax.value_and_grad):
    """(function, arguments as NumPy arrays, positions of the donated ones)."""
    random = numpy.random.default_rng(seed)

    def normal(*shape, scale=form.scale):
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
    return regression(loss_of, params, x, y, form, random, value_and_grad)
