"""A GPT's training step in JAX, in the sizes and forms that tests and benchmarks
need. The plain form is the step of test/Models/gpt_train_small."""
import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy
from training import adam, adam_state, clipped, sgd


@dataclasses.dataclass
class Form:
    """Sizes and what the step computes."""
    layers: int = 2
    d: int = 32
    heads: int = 4
    kv_heads: int = 0          # fewer than heads: grouped-query attention; 0: as many
    head_dim: int = 0          # 0: d / heads
    inner: int = 0             # of the MLP; 0: 4 d
    vocab: int = 128
    seq: int = 16
    batch: int = 8
    loss: str = "mean"         # weighted: by a batch argument; masked: labels of -1 do not count
    optimizer: str = "adam"    # sgd: without state
    clip: float = 0.0          # of the gradients' global norm; 0: not clipped
    dtype: str = "f32"         # bf16: the loss is computed in bf16, from f32 parameters
    biases: int = 0            # 1: of queries, keys and values, in plain attention
    state: str = "random"      # zero: the optimizer's, before its first step
    scale: float = 0.02        # of the first parameters
    attention: str = "plain"   # grouped: heads of one key in a product; flat: rows of all positions;
                               # rotary: instead of learnt positions, masked by numbers of positions

    def __post_init__(self):
        self.kv_heads = self.kv_heads or self.heads
        self.head_dim = self.head_dim or self.d // self.heads
        self.inner = self.inner or 4 * self.d


def normalise(x, p):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p["g"] + p["b"]


def rotated(x):
    """Pairs of numbers turned by the position (b s h k)."""
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[1])[:, None] / 100.0 ** (jnp.arange(half) / half)
    cos, sin = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], -1)


def grouped_attention(q, k, v, mask):
    """Queries (b s h k), keys of fewer heads, which no copy is made of."""
    q = q.reshape(*q.shape[:2], k.shape[2], -1, q.shape[-1])
    scores = jnp.einsum("bshgk,bthk->bhgst", q, k) / math.sqrt(q.shape[-1])
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1)
    return jnp.einsum("bhgst,bthk->bshgk", weights, v).reshape(*q.shape[:2], -1, q.shape[-1])


def flat_attention(x, layer, mask):
    """As frameworks write it that multiply matrices only."""
    rows, (b, s, d) = x.reshape(-1, x.shape[-1]), x.shape
    heads, width = layer["o"].shape[:2]
    q, k, v = ((rows @ layer["qkv"][:, i].reshape(d, -1)).reshape(b, s, heads, width)
               .transpose(0, 2, 1, 3) for i in range(3))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(width)
    made = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1) @ v
    made = made.transpose(0, 2, 1, 3).reshape(b * s, heads * width)
    return (made @ layer["o"].reshape(heads * width, d)).reshape(b, s, d)


def attention(x, layer, mask, form="plain"):
    if form == "flat":
        return flat_attention(x, layer, mask)
    if "qkv" in layer:
        made = jnp.einsum("bsd,dthk->tbshk", x, layer["qkv"])
        q, k, v = made + layer["qkvb"][:, None, None] if "qkvb" in layer else made
    else:
        q = jnp.einsum("bsd,dhk->bshk", x, layer["q"])
        k, v = jnp.einsum("bsd,dthk->tbshk", x, layer["kv"])
        if form == "grouped":
            return jnp.einsum("bshk,hkd->bsd", grouped_attention(q, k, v, mask), layer["o"])
        groups = q.shape[2] // k.shape[2]
        k, v = (jnp.repeat(a, groups, axis=2) for a in (k, v))
    if form == "rotary":
        q, k = rotated(q), rotated(k)
    scores = jnp.einsum("bshk,bthk->bhst", q, k) / math.sqrt(q.shape[-1])
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1)
    return jnp.einsum("bshk,hkd->bsd", jnp.einsum("bhst,bthk->bshk", weights, v), layer["o"])


def loss_of(params, tokens, labels, *weights, constrain=lambda x: x, loss="mean", form="plain",
            dtype="f32"):
    if dtype == "bf16":
        params = jax.tree.map(lambda p: p.astype(jnp.bfloat16), params)
    x = params["tok"][tokens]
    x = constrain(x + params["pos"][None] if "pos" in params else x)
    place = jnp.arange(tokens.shape[1])
    mask = place[:, None] >= place if form == "rotary" else jnp.tril(
        jnp.ones((tokens.shape[1],) * 2, bool))
    for layer in params["layers"]:
        x = constrain(x + attention(normalise(x, layer["ln1"]), layer, mask, form))
        hidden = jax.nn.gelu(normalise(x, layer["ln2"]) @ layer["up"] + layer["upb"])
        x = constrain(x + hidden @ layer["down"] + layer["downb"])
    scores = jax.nn.log_softmax(normalise(x, params["lnf"]) @ params["tok"].T, -1)
    counted = labels >= 0
    picked = -jnp.take_along_axis(scores, jnp.where(counted, labels, 0)[..., None]
                                  if loss == "masked" else labels[..., None], -1)
    if loss == "mean":
        return picked.mean()
    weight = counted.astype(picked.dtype) if loss == "masked" else weights[0]
    return (picked[..., 0] * weight).sum() / weight.sum()


def gradient(params, *batch, clip=0, value_and_grad=jax.value_and_grad, **options):
    value, grads = value_and_grad(loss_of)(params, *batch, **options)
    return value, clipped(grads, clip) if clip else grads


def adam_step(params, count, mu, nu, *batch, **options):
    value, grads = gradient(params, *batch, **options)
    return *adam(params, count, mu, nu, grads), value


def sgd_step(params, *batch, **options):
    value, grads = gradient(params, *batch, **options)
    return sgd(params, grads), value


def make_params(form, random):
    def normal(*shape):
        return (random.standard_normal(shape) * form.scale).astype(numpy.float32)

    def norm():
        return {"g": 1 + normal(form.d), "b": normal(form.d)}
    layers = []
    for _ in range(form.layers):
        layer = {"ln1": norm(), "ln2": norm(), "o": normal(form.heads, form.head_dim, form.d),
                 "up": normal(form.d, form.inner), "upb": normal(form.inner),
                 "down": normal(form.inner, form.d), "downb": normal(form.d)}
        if form.kv_heads == form.heads:
            layer["qkv"] = normal(form.d, 3, form.heads, form.head_dim)
            if form.biases:
                layer["qkvb"] = numpy.zeros((3, form.heads, form.head_dim), numpy.float32)
        else:
            layer["q"] = normal(form.d, form.heads, form.head_dim)
            layer["kv"] = normal(form.d, 2, form.kv_heads, form.head_dim)
        layers.append(layer)
    made = {"layers": layers, "lnf": norm(), "pos": normal(form.seq, form.d),
            "tok": normal(form.vocab, form.d)}
    if form.attention == "rotary":
        del made["pos"]
    return made


def make_batch(form, random):
    """tokens and labels, and weights where the loss has them."""
    shape = (form.batch, form.seq)
    tokens, labels = (random.integers(0, form.vocab, shape).astype(numpy.int32) for _ in range(2))
    if form.loss == "masked":
        # Rows differ in how many labels count; one has none.
        lengths = random.integers(1, form.seq + 1, form.batch)
        lengths[form.batch // 2] = 0
        labels[numpy.arange(form.seq)[None] >= lengths[:, None]] = -1
    weights = [random.uniform(0, 1, shape).astype(numpy.float32)] if form.loss == "weighted" else []
    return [tokens, labels, *weights]


def make_step(form, seed=0, value_and_grad=jax.value_and_grad):
    """(function, arguments as NumPy arrays, positions of the donated ones)."""
    random = numpy.random.default_rng(seed)
    params, batch = make_params(form, random), make_batch(form, random)
    options = {"loss": form.loss, "clip": form.clip, "form": form.attention,
               "dtype": form.dtype, "value_and_grad": value_and_grad}
    if form.optimizer == "sgd":
        def train_step(params, *batch):
            return sgd_step(params, *batch, **options)
        return train_step, [params, *batch], (0,)

    def train_step(params, count, mu, nu, *batch):
        return adam_step(params, count, mu, nu, *batch, **options)
    state = adam_state(params, random)
    if form.state == "zero":
        state = jax.tree.map(numpy.zeros_like, state)
    return train_step, [params, *state, *batch], (0, 1, 2, 3)
