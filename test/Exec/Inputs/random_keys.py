"""Writes a program of JAX with keys of rng_bit_generator, its inputs and its
results: random_keys.py IMPLEMENTATION FOLDER
"""
import os
import sys

import jax
import jax.numpy as jnp
import numpy as np
from safetensors.numpy import save_file


def program(data, scale):
    key, other = jax.random.split(jax.random.wrap_key_data(data, impl=sys.argv[1]))
    return (jax.random.uniform(key, (6, 7), jnp.float32) * scale, jax.random.bits(other, (5, 3), jnp.uint8),
            jax.random.normal(other, (4,), jnp.float32), jax.random.randint(key, (9,), 0, 1000))


def main():
    folder = sys.argv[2]
    os.makedirs(folder, exist_ok=True)
    inputs = [np.array([1, 2, 3, 4], np.uint32), np.arange(42, dtype=np.float32).reshape(6, 7)]
    step = jax.jit(program)
    text = step.lower(*inputs).as_text()
    # The user of the bits is split, so that every device needs a part of them.
    mesh = 'sdy.mesh @mesh = <["x"=4]>\n'
    first = text.index("tensor<6x7xf32>") + len("tensor<6x7xf32>")
    text = text[:first] + ' {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}' + text[first:]
    start = text.index("func.func public @main")
    with open(f"{folder}/model.mlir", "w") as file:
        file.write(text[:start] + mesh + text[start:])
    save_file({f"arg{i}": a for i, a in enumerate(inputs)}, f"{folder}/inputs.safetensors")
    save_file({f"out{i}": np.asarray(r) for i, r in enumerate(step(*inputs))},
              f"{folder}/expected.safetensors")


if __name__ == "__main__":
    main()
