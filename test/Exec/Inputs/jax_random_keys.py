"""Random keys of rng_bit_generator as JAX writes them: each implementation on one
device, and with its first argument split along dimension 0 and along dimension
1, against JAX's results: jax_random_keys.py WORKDIR [NAME...]
"""
import os
import sys

sys.path.insert(0, os.path.dirname(__file__))
import jax_order  # noqa: E402 (sets the number of devices)

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax_order import f  # noqa: E402


def draws(implementation):
    def program(scale, data):
        key, other = jax.random.split(jax.random.wrap_key_data(data, impl=implementation))
        return (jax.random.uniform(key, (6, 7), jnp.float32) * scale, jax.random.bits(other, (5, 3), jnp.uint8),
                jax.random.normal(other, (4,), jnp.float32), jax.random.randint(key, (9,), 0, 1000))

    return program


CASES = {name: (draws(name), f(6, 7), np.array([1, 2, 3, 4], np.uint32)) for name in ("rbg", "unsafe_rbg")}

if __name__ == "__main__":
    sys.exit(jax_order.main(CASES))
