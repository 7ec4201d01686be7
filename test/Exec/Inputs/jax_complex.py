"""Complex numbers and special functions as JAX writes them: each function on one
device, and with its first argument split along dimension 0 and along dimension 1,
against JAX's results: jax_complex.py WORKDIR [NAME...]
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import jax_order  # noqa: E402 (sets the number of devices)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax_order import f, i  # noqa: E402


def c(*shape):
    return (f(*shape) + 1j * f(*shape)).astype(np.complex64)


def rotary(x, angles):
    """Rotary embeddings by multiplication in the complex plane."""
    pairs = lax.complex(x[..., ::2], x[..., 1::2]) * jnp.exp(1j * angles)
    return jnp.stack([pairs.real, pairs.imag], -1).reshape(x.shape)


def normalised(w, x):
    h = jnp.einsum("bi,ij->bj", x, w)
    return h / (1 + jnp.abs(h)), jnp.sum(h, 0), jnp.prod(1 + h, 1)


def loss(w, x):
    return jnp.sum(jnp.abs(jnp.tanh(x @ w)) ** 2)[None]


CASES = {
    "arithmetic": (lambda x, y: (x + y, x - y, x * y, x / y, -x, jnp.conj(x), abs(x), jnp.sign(x)),
                   c(10, 6), c(10, 6)),
    "functions": (lambda x: (jnp.exp(x), jnp.expm1(x), jnp.log(x), jnp.log1p(x), jnp.sqrt(x), lax.rsqrt(x)),
                  c(10, 6)),
    "circular": (lambda x: (jnp.sin(x), jnp.cos(x), jnp.tan(x), jnp.arcsin(x), jnp.arccos(x), jnp.arctan(x)),
                 c(10, 6)),
    "hyperbolic": (lambda x: (jnp.sinh(x), jnp.cosh(x), jnp.tanh(x), jnp.arcsinh(x), jnp.arccosh(x),
                              jnp.arctanh(x)), c(10, 6)),
    "powers": (lambda x, y: (x ** y, x ** 3, x ** 1.5, jax.nn.sigmoid(x)), c(10, 6), c(10, 6)),
    "parts": (lambda x: (x.real, x.imag, jnp.angle(x), jnp.isfinite(x), x == x.T.T), c(10, 6)),
    "sums": (lambda x: (x.sum(0), x.sum(1), x.mean(0), x.prod(1), jnp.cumsum(x, 0), jnp.cumprod(x, 1)),
             c(10, 6)),
    "largest": (lambda x: (x.max(0), x.min(1), jnp.sort(x, 0)), c(10, 6)),
    "products": (lambda x, y: (x @ y, jnp.einsum("ij,kj->ik", x, x.conj()), jnp.vdot(x, x)[None]),
                 c(10, 6), c(6, 4)),
    "movement": (lambda x: (x.T, jnp.flip(x, 0), jnp.roll(x, 3, 1), jnp.pad(x, 2), x[2:7, ::2],
                            jnp.concatenate([x, x * 1j], 0), x.reshape(4, 15)), c(10, 6)),
    "indexing": (lambda x, k, v: (x[k], x.at[k].add(v), lax.dynamic_slice(x, (k[0], 0), (3, 6))),
                 c(10, 6), i(10, 5), c(5, 6)),
    "select": (lambda x, y, m: jnp.where(m > 0, x, y), c(10, 6), c(10, 6), f(10, 6)),
    "convolution": (lambda x, k: lax.conv_general_dilated(x, k, (1,), "SAME"), c(4, 3, 9), c(5, 3, 3)),
    "rotary": (rotary, f(10, 8), f(10, 4)),
    "normalised": (normalised, c(6, 4), c(10, 6)),
    "gradient": (jax.grad(lambda w, x: loss(w, x)[0]), c(6, 4), c(10, 6)),
    "special": (lambda x: (lax.lgamma(x), lax.digamma(x), lax.erfc(x), lax.bessel_i1e(x),
                           lax.erf_inv(jnp.tanh(x))), f(10, 6)),
    "zeta": (lambda x, n: (lax.zeta(2 + x, x + 0.5), lax.polygamma(n.astype(jnp.float32), x + 0.5)),
             np.abs(f(10, 6)), i(4, 10, 6)),
    "nextafter": (lax.nextafter, f(10, 6), f(10, 6)),
}

if __name__ == "__main__":
    sys.exit(jax_order.main(CASES))
