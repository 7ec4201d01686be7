"""Writes training steps in which statistics of the parameters and gradients of all layers
have a part, of as many stages as a pipeline has.

usage: export_statistics.py SOURCE_ROOT STEP FOLDER [--steps N]

STEP is
  lamb      an update as long as the parameter, by layer
  averaged  parameters' moving averages, and how far they are from the parameters
  norms     results: each parameter's and gradient's norm, and the norms of all of them
  scaled    the learning rate is the ratio of all parameters' norm and all gradients'
  decayed   the norm of all parameters, not squared, is a part of the loss
  divided   the layers' input is divided by the norm of all parameters
"""
import dataclasses
import sys

import jax
import jax.numpy as jnp
import numpy

root, step_name = sys.argv[1], sys.argv.pop(2)
del sys.argv[1]
sys.path.insert(0, f"{root}/utils")
import stack_model  # noqa: E402
from export_gpt import main  # noqa: E402

each = jax.tree.map


@dataclasses.dataclass
class Form(stack_model.Form):
    step: str = step_name


def norm(tree):
    return jnp.sqrt(sum((leaf * leaf).sum() for leaf in jax.tree.leaves(tree)))


def loss_of(params, x, y, form):
    if form.step == "divided":
        x = x / norm(params)
    loss = stack_model.loss_of(params, x, y, form)
    return loss + 0.01 * norm(params) if form.step == "decayed" else loss


def lamb(p, m):
    return p - 0.01 * norm(p) / (norm(m) + 1e-6) * m


def make_step(form, seed=0, value_and_grad=jax.value_and_grad):
    random = numpy.random.default_rng(seed)
    params = stack_model.make_params(form, random)
    other = each(lambda p: (random.standard_normal(p.shape) * 0.1).astype(p.dtype), params)
    x, y = (random.standard_normal((form.batch, width)).astype(numpy.float32)
            for width in (form.d, form.outputs))

    def train_step(params, other, x, y):
        loss, grads = value_and_grad(lambda *a: loss_of(*a, form))(params, x, y)
        if form.step == "lamb":
            other = each(lambda m, g: 0.9 * m + g, other, grads)
            return each(lamb, params, other), other, loss
        rate = 0.1
        if form.step == "scaled":
            rate = 0.01 * norm(params) / norm(grads)
        new = each(lambda p, g: p - rate * g, params, grads)
        if form.step == "norms":
            return new, other, loss, each(norm, params), each(norm, grads), norm(params), norm(grads), norm(new)
        if form.step == "averaged":
            other = each(lambda a, p: 0.99 * a + 0.01 * p, other, new)
            return new, other, loss, norm(each(lambda a, p: a - p, other, new))
        return new, other, loss

    return train_step, [params, other, x, y], (0, 1)


main(Form, make_step, {})
