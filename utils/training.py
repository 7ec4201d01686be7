"""What the training steps of gpt_model, moe_model and stack_model share: optimizers,
and gradients of microbatches."""
import functools

import jax
import jax.numpy as jnp
import numpy

each = jax.tree.map


def clipped(grads, limit):
    norm = jnp.sqrt(sum((g * g).sum() for g in jax.tree.leaves(grads)))
    return each(lambda g: g * jnp.minimum(1, limit / (norm + 1e-6)), grads)


def adam(params, count, mu, nu, grads):
    """Adam with learning rate 1e-3, without weight decay."""
    count = count + 1
    mu = each(lambda m, g: 0.9 * m + 0.1 * g, mu, grads)
    nu = each(lambda v, g: 0.999 * v + 0.001 * g * g, nu, grads)
    first, second = 1 - 0.9 ** count, 1 - 0.999 ** count
    params = each(lambda p, m, v: p - 1e-3 * (m / first) / (jnp.sqrt(v / second) + 1e-8),
                  params, mu, nu)
    return params, count, mu, nu


def adam_state(params, random):
    """count, mu and nu, as after three steps."""
    mu, nu = (each(lambda p: (random.standard_normal(p.shape) * 1e-3).astype(p.dtype), params)
              for _ in range(2))
    return numpy.int32(3), mu, each(lambda v: v * v + 1e-6, nu)


def sgd(params, grads):
    return each(lambda p, g: p - 0.1 * g, params, grads)


def momentum_state(params, random):
    return each(lambda p: (random.standard_normal(p.shape) * 0.01).astype(p.dtype), params)


def in_microbatches(count, devices=1):
    """In place of jax.value_and_grad: the mean of the losses and gradients of `count`
    microbatches, each of which has a part of the rows of every device."""
    def rows(array, part):
        own = array.reshape(devices, count, -1, *array.shape[1:])[:, part]
        return own.reshape(-1, *array.shape[1:])

    def value_and_grad(loss):
        def mean(params, *batch, **options):
            made = [jax.value_and_grad(loss)(params, *(rows(a, part) for a in batch), **options)
                    for part in range(count)]
            return each(lambda *values: sum(values) / count, *made)
        return mean
    return value_and_grad


def regression(loss, params, x, y, form, random, value_and_grad):
    """(function, arguments as NumPy arrays, positions of the donated ones) of the step
    that fits loss(params, x, y, form=form)."""
    fit = functools.partial(value_and_grad(loss), form=form)

    def gradient(params, x, y):
        value, grads = fit(params, x, y)
        return value, clipped(grads, form.clip) if form.clip else grads

    if form.optimizer == "sgd":
        def train_step(params, x, y):
            value, grads = gradient(params, x, y)
            return sgd(params, grads), value
        return train_step, [params, x, y], (0,)

    if form.optimizer == "adam":
        def train_step(params, count, mu, nu, x, y):
            value, grads = gradient(params, x, y)
            return *adam(params, count, mu, nu, grads), value
        return train_step, [params, *adam_state(params, random), x, y], (0, 1, 2, 3)

    def train_step(params, momentum, x, y):
        value, grads = gradient(params, x, y)
        momentum = each(lambda m, g: 0.9 * m + g, momentum, grads)
        return sgd(params, momentum), momentum, value
    return train_step, [params, momentum_state(params, random), x, y], (0, 1)
