"""Attention in forms that a GPT's step does not have, each run by cp in all forms
against JAX and the unpartitioned program; the collectives beside gradients and the
loss are counted.

usage: jax_attention.py FOLDER

Run by a Python that has JAX.
"""
import collections
import json
import os
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy
from safetensors.numpy import save_file

CAUSAL = ("shifted", "library", "infinite")  # and positions that 2n divides
RANDOM = numpy.random.default_rng(0)


def normal(*shape):
    return (RANDOM.standard_normal(shape) * 0.3).astype(numpy.float32)


def layer():
    return {"q": normal(16, 4, 4), "k": normal(16, 4, 4), "v": normal(16, 4, 4),
            "o": normal(4, 4, 16)}


def attend(p, x, y, mask=None, bias=0):
    q, k, v = (jnp.einsum("bsd,dhk->bshk", a, p[name]) for a, name in
               ((x, "q"), (y, "k"), (y, "v")))
    scores = jnp.einsum("bshk,bthk->bhst", q, k) / 2 + bias
    scores = scores if mask is None else jnp.where(mask, scores, -1e9)
    made = jnp.einsum("bhst,bthk->bshk", jax.nn.softmax(scores, -1), v)
    return jnp.einsum("bshk,hkd->bsd", made, p["o"])


def padded(p, x, y, valid):
    out = x + attend(p, x, x, valid[:, None, None])
    return ((out - y) ** 2 * valid[..., None]).sum() / valid.sum()


def masked(p, x, y, mask):
    return ((x + attend(p, x, x, mask) - y) ** 2).mean()


def encoded(p, x, y, z):
    z = z + attend(p[0], z, z)
    x = x + attend(p[1], x, x)
    return ((x + attend(p[2], x, z) - y) ** 2).mean()


def relative(p, x, y):
    place = jnp.arange(x.shape[1])
    bias = p["bias"][:, place[:, None] - place + x.shape[1] - 1]
    return ((x + attend(p, x, x, bias=bias) - y) ** 2).mean()


def scanned(p, x, y):
    x, _ = jax.lax.scan(lambda x, p: (x + attend(p, x, x), None), x, p)
    return ((x - y) ** 2).mean()


def shifted(p, tokens):
    x, labels = p["tok"][tokens[:, :-1]], tokens[:, 1:]
    x = x + attend(p, x, x, jnp.tril(jnp.ones((x.shape[1],) * 2, bool)))
    scores = jax.nn.log_softmax(x @ p["tok"].T, -1)
    return -jnp.take_along_axis(scores, labels[..., None], -1).mean()


def library(p, x, y):
    """As jax.nn writes it, with its own layout and mask."""
    q, k, v = (jnp.einsum("bsd,dhk->bshk", x, p[name]) for name in "qkv")
    made = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    return ((x + jnp.einsum("bshk,hkd->bsd", made, p["o"]) - y) ** 2).mean()


def by_hand(p, x, y):
    """With a gradient of the maximum, and the division behind the product."""
    q, k, v = (jnp.einsum("bsd,dhk->bhsk", x, p[name]) for name in "qkv")
    scores = q @ k.swapaxes(-1, -2) / 2
    e = jnp.exp(scores - scores.max(-1, keepdims=True))
    made = (e @ v) / e.sum(-1, keepdims=True)
    return ((x + jnp.einsum("bhsk,hkd->bsd", made, p["o"]) - y) ** 2).mean()


def infinite(p, x, y):
    """Masked by -inf, so that whole blocks have no number."""
    mask = jnp.tril(jnp.ones((x.shape[1],) * 2, bool))
    q, k, v = (jnp.einsum("bsd,dhk->bshk", x, p[name]) for name in "qkv")
    scores = jnp.where(mask, jnp.einsum("bshk,bthk->bhst", q, k), -jnp.inf)
    made = jnp.einsum("bhst,bthk->bshk", jax.nn.softmax(scores, -1), v)
    return ((x + jnp.einsum("bshk,hkd->bsd", made, p["o"]) - y) ** 2).mean()


def cases():
    """name, loss, arguments, layers with as many queries as keys, others, and what
    moves besides: the padding mask to all queries, the table of biases."""
    x, y = normal(4, 8, 16), normal(4, 8, 16)
    valid = numpy.arange(8) < RANDOM.integers(3, 9, (4, 1))
    causal = numpy.tril(numpy.ones((8, 8), bool)) & valid[:, None, None]
    stacked = jax.tree.map(lambda *a: numpy.stack(a), layer(), layer(), layer())
    tokens = RANDOM.integers(0, 32, (4, 9)).astype(numpy.int32)
    return (("padded", padded, (layer(), x, y, valid), 1, 0, {"all_gather": 1}),
            ("masked", masked, (layer(), x, y, causal), 1, 0, {}),
            ("encoded", encoded, ([layer() for _ in range(3)], x, y, normal(4, 12, 16)), 2, 1, {}),
            ("relative", relative, (layer() | {"bias": normal(4, 15)}, x, y), 1, 0, None),
            ("scanned", scanned, (stacked, x, y), 3, 0, {}),
            ("library", library, (layer(), x, y), 1, 0, {}),
            ("by_hand", by_hand, (layer(), x, y), 1, 0, None),
            ("infinite", infinite, (layer(), x, y), 1, 0, {}),
            ("infinite7", infinite, (layer(), x[:, :7], y[:, :7]), 1, 0, {}),
            ("shifted", shifted, (layer() | {"tok": normal(32, 16)}, tokens), 1, 0, {}))


def export(folder, loss, arguments):
    def train_step(params, *batch):
        value, grads = jax.value_and_grad(loss)(params, *batch)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value
    os.makedirs(folder, exist_ok=True)
    lowered = jax.jit(train_step, donate_argnums=0).lower(*arguments)
    with open(f"{folder}/model.mlir", "w") as file:
        file.write(lowered.as_text(debug_info=True))
    for name, prefix, values in (("inputs", "arg", arguments),
                                 ("expected", "out", jax.jit(train_step)(*arguments))):
        save_file({f"{prefix}{i}": numpy.array(v, order="C")
                   for i, v in enumerate(jax.tree.leaves(values))}, f"{folder}/{name}.safetensors")


def run(folder, form):
    done = subprocess.run(
        ["partopt", "run", f"{folder}/model.mlir", "--strategy", "cp", "--mesh", "context=4",
         "--cp-form", form, "--inputs", f"{folder}/inputs.safetensors", "--expect",
         f"{folder}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5", "--check",
         "--report-json", f"{folder}/run.json"])
    if done.returncode != 0:
        sys.exit(f"{folder} {form}: exit {done.returncode}")
    with open(f"{folder}/run.json") as file:
        return json.load(file)["collectives"]


def main(root):
    for name, loss, arguments, selfs, others, besides in cases():
        export(f"{root}/{name}", loss, arguments)
        # Biases' gradients are gathered from gradients of all scores.
        forms = ("gather", "ulysses") if name == "relative" else ("gather", "ulysses", "ring")
        for form in ("gather",) if others else forms:
            found = collections.Counter(one["kind"] for one in run(f"{root}/{name}", form))
            del found["all_reduce"]
            # Of queries that other keys belong to, those keys.
            wanted = collections.Counter(
                {"all_to_all": 8 * selfs} if form == "ulysses" else
                # Keys and values in both loops, their gradients in one and home; under
                # the mask that is made from positions in halves, and moved to zigzag
                # order: eight tensors and numbers per query.
                {"permute": (36 if name in CAUSAL else 8) * selfs} if form == "ring" else
                {"all_gather": 2 * (selfs + others), "reduce_scatter": 2 * (selfs + others)})
            print(f"{name} {form}: {dict(found)}")
            if besides is not None and found != wanted + collections.Counter(besides):
                sys.exit(f"{name} {form}: {dict(found)}, not {dict(wanted)} and {besides}")


if __name__ == "__main__":
    main(sys.argv[1])
