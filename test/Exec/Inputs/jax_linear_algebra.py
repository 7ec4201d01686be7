"""Fourier transforms and linear algebra as JAX writes them: each function on one
device, and with its first argument split along dimension 0 and along dimension
1, against JAX's results: jax_linear_algebra.py WORKDIR [NAME...]
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import jax_order  # noqa: E402 (sets the number of devices)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax_order import f  # noqa: E402


def c(*shape):
    return (f(*shape) + 1j * f(*shape)).astype(np.complex64)


def filtered(x, k):
    return jnp.fft.irfft(jnp.fft.rfft(x, n=24) * jnp.fft.rfft(k, n=24), n=24)


def solve(a, b, **form):
    a = a + 4 * jnp.eye(a.shape[-1], dtype=a.dtype)
    return lax.linalg.triangular_solve(a, b, **form)


def spd_factor(a):
    return jnp.linalg.cholesky(a @ a.mT + 2 * jnp.eye(a.shape[-1]))


CASES = {
    "fft": (lambda x: (jnp.fft.fft(x), jnp.fft.ifft(x), jnp.fft.fft2(x), jnp.fft.fft(x, axis=0)), c(10, 6)),
    "rfft": (lambda x: (jnp.fft.rfft(x), jnp.fft.irfft(jnp.fft.rfft(x), n=7), jnp.fft.rfftn(x)), f(10, 7)),
    "ifftn": (lambda x: jnp.fft.ifftn(x, axes=(1, 2, 3)), c(3, 4, 5, 6)),
    "filtered": (filtered, f(10, 16), f(10, 9)),
    "filtered_gradient": (jax.grad(lambda x, k: (filtered(x, k) ** 2).sum()), f(10, 16), f(10, 9)),
    "long": (lambda x: (jnp.fft.fft(x, norm="ortho"), jnp.fft.irfft(x)), c(3, 211)),
    "solve_left": (lambda a, b: (solve(a, b, left_side=True, lower=True),
                                 solve(a, b, left_side=True, lower=True, transpose_a=True)), f(6, 4, 4), f(6, 4, 3)),
    "solve_right": (lambda a, b: (solve(a, b, unit_diagonal=True),
                                  solve(a, b, transpose_a=True, conjugate_a=True)), c(6, 4, 4), c(6, 3, 4)),
    "cholesky": (lambda a: (spd_factor(a), lax.linalg.cholesky(a[:, :2, :2] @ a[:, :2, :2].mT)), f(6, 4, 4)),
    "cholesky_gradient": (jax.grad(lambda a: (spd_factor(a) ** 2).sum()), f(6, 4, 4)),
    "solve_gradient": (jax.grad(lambda a, b: (solve(a, b, left_side=True, lower=True) ** 2).sum()),
                       f(6, 4, 4), f(6, 4, 3)),
}

if __name__ == "__main__":
    sys.exit(jax_order.main(CASES, platform="tpu"))
