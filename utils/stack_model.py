"""A training step of a stack of MLP layers in JAX, in the forms in which values get
from layer to layer."""
import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy
from training import regression


@dataclasses.dataclass
class Form:
    """Sizes and what the step computes."""
    form: str = "residual"     # plain: without sums; add, concat: as a U-Net, layer i's output and
                               # layer L-1-i's input; scan: residual, parameters stacked
    layers: int = 8
    d: int = 32
    inner: int = 64
    outputs: int = 8
    batch: int = 32
    optimizer: str = "adam"    # sgd, momentum
    clip: float = 0.0          # of the gradients' global norm; 0: not clipped

    def joins(self, index):
        """The layer whose output this one's input takes in, which is not the one before."""
        source = self.layers - 1 - index
        return source if self.form in ("add", "concat") and source < index - 1 else None


def mlp(x, layer):
    return jax.nn.gelu(x @ layer["up"] + layer["upb"]) @ layer["down"] + layer["downb"]


def loss_of(params, x, y, form):
    def residual(x, layer):
        return x + mlp(x, layer), None

    if form.form == "scan":
        x, _ = jax.lax.scan(residual, x, params["layers"])
    elif form.form == "residual":
        for layer in params["layers"]:
            x, _ = residual(x, layer)
    else:
        made = []
        for index, layer in enumerate(params["layers"]):
            joined = form.joins(index)
            if joined is not None and form.form == "add":
                x = x + made[joined]
            elif joined is not None:
                x = jnp.concatenate([x, made[joined]], -1)
            x = mlp(x, layer)
            made.append(x)
    return ((x @ params["head"] - y) ** 2).mean()


def make_params(form, random):
    """Values keep their size from layer to layer."""
    def normal(*shape, scale):
        return (random.standard_normal(shape) * scale).astype(numpy.float32)
    down = 1 / math.sqrt(form.inner)
    down *= 1 / math.sqrt(form.layers) if form.form in ("residual", "scan") else 1.5
    layers = []
    for index in range(form.layers):
        width = form.d * (2 if form.form == "concat" and form.joins(index) is not None else 1)
        layers.append({"up": normal(width, form.inner, scale=1 / math.sqrt(width)),
                       "upb": normal(form.inner, scale=0.1),
                       "down": normal(form.inner, form.d, scale=down),
                       "downb": normal(form.d, scale=0.1)})
    if form.form == "scan":
        layers = jax.tree.map(lambda *each: numpy.stack(each), *layers)
    return {"layers": layers, "head": normal(form.d, form.outputs, scale=1 / math.sqrt(form.d))}


def make_step(form, seed=0, value_and_grad=jax.value_and_grad):
    """(function, arguments as NumPy arrays, positions of the donated ones)."""
    random = numpy.random.default_rng(seed)
    params = make_params(form, random)
    x, y = (random.standard_normal((form.batch, width)).astype(numpy.float32)
            for width in (form.d, form.outputs))
    return regression(loss_of, params, x, y, form, random, value_and_grad)
