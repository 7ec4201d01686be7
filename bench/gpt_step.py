"""The training step of gpt_train and gpt_train_small as a user writes it in JAX,
so that what JAX needs from Python to an executable can be timed: tracing,
differentiation and lowering, which a StableHLO file has behind it.

Sizes, names and shardings come from the model's args.json. `check` holds the
step against the model's expected results: it is the same computation.
"""
import json
import math
import os
import re
import time

import jax
import jax.numpy as jnp
import numpy
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def normalise(x, p):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * p["g"] + p["b"]


def loss_of(params, tokens, labels, constrain):
    x = params["tok"][tokens] + params["pos"][None]
    x = constrain(x)
    mask = jnp.tril(jnp.ones((tokens.shape[1],) * 2, bool))
    for layer in params["layers"]:
        qkv = jnp.einsum("bsd,dthk->tbshk", normalise(x, layer["ln1"]), layer["qkv"])
        scores = jnp.einsum("bshk,bthk->bhst", qkv[0], qkv[1]) / math.sqrt(qkv.shape[-1])
        weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), -1)
        heads = jnp.einsum("bhst,bthk->bshk", weights, qkv[2])
        x = constrain(x + jnp.einsum("bshk,hkd->bsd", heads, layer["o"]))
        hidden = jax.nn.gelu(normalise(x, layer["ln2"]) @ layer["up"] + layer["upb"])
        x = constrain(x + hidden @ layer["down"] + layer["downb"])
    logits = normalise(x, params["lnf"]) @ params["tok"].T
    scores = jax.nn.log_softmax(logits, -1)
    return -jnp.take_along_axis(scores, labels[..., None], -1).mean()


def train_step(params, count, mu, nu, tokens, labels, constrain=lambda x: x):
    """Adam with learning rate 1e-3, without weight decay."""
    loss, grads = jax.value_and_grad(loss_of)(params, tokens, labels, constrain)
    count = count + 1
    each = jax.tree.map
    mu = each(lambda m, g: 0.9 * m + 0.1 * g, mu, grads)
    nu = each(lambda v, g: 0.999 * v + 0.001 * g * g, nu, grads)
    first, second = 1 - 0.9 ** count, 1 - 0.999 ** count
    params = each(lambda p, m, v: p - 1e-3 * (m / first) / (jnp.sqrt(v / second) + 1e-8),
                  params, mu, nu)
    return params, count, mu, nu, loss


def tree(entries, prefix):
    """The nested dictionaries and lists that names like params['layers'][0]['up']
    spell; `entries` are (name, value)."""
    root = {}
    for name, value in entries:
        if not name.startswith(prefix + "["):
            continue
        keys = [a or int(b) for a, b in re.findall(r"\['(\w+)'\]|\[(\d+)\]", name[len(prefix):])]
        node = root
        for key in keys[:-1]:
            node = node.setdefault(key, {})
        node[keys[-1]] = value

    def lists(node):
        if not isinstance(node, dict):
            return node
        node = {key: lists(value) for key, value in node.items()}
        return [node[i] for i in range(len(node))] if 0 in node else node
    return lists(root)


def arguments(names, values):
    entries = list(zip(names, values))
    rest = dict(entries)
    return (tree(entries, "params"), rest["opt_state[0].count"], tree(entries, "opt_state[0].mu"),
            tree(entries, "opt_state[0].nu"), rest["tokens"], rest["labels"])


class GptStep:
    """The step in one sharded form of the model in `folder`."""

    def __init__(self, folder, form):
        with open(os.path.join(folder, "args.json")) as text:
            self.model = json.load(text)
        form = self.model["strategies"][form]
        axes = form["mesh"]
        devices = jax.devices()[:math.prod(axes.values())]
        mesh = Mesh(numpy.array(devices).reshape(*axes.values()), tuple(axes))

        def sharding(text):
            return NamedSharding(mesh, PartitionSpec(*eval(text, {}, {})))
        self.names = [a["name"] for a in self.model["arguments"]]
        specs = [sharding(form["arguments"].get(name, "()")) for name in self.names]
        self.shardings = arguments(self.names, specs)
        act = form["constraints"].get("act")
        self.constrain = ((lambda x: jax.lax.with_sharding_constraint(x, sharding(act)))
                          if act else (lambda x: x))
        shapes = [jax.ShapeDtypeStruct(a["shape"], a["dtype"]) for a in self.model["arguments"]]
        self.shapes = arguments(self.names, shapes)

    def seconds(self):
        """(lowering, compiling): from the Python function to StableHLO, and from
        there to an executable. Nothing is taken from a cache."""
        jax.clear_caches()

        # A new function object each time: traces are kept by function.
        def step(*args):
            return train_step(*args, constrain=self.constrain)
        start = time.perf_counter()
        lowered = jax.jit(step, in_shardings=self.shardings, donate_argnums=(0, 1, 2, 3)).lower(
            *self.shapes)
        middle = time.perf_counter()
        self.compiled = lowered.compile()
        return middle - start, time.perf_counter() - middle


def check(folder, arrays, expected):
    """Asserts that one step on one device gives the model's expected results."""
    with open(os.path.join(folder, "args.json")) as text:
        model = json.load(text)
    names = [a["name"] for a in model["arguments"]]
    values = [arrays[f"arg{i}"] for i in range(len(names))]
    got = jax.tree.leaves(jax.jit(train_step)(*arguments(names, values)))
    assert len(got) == len(model["results"])
    for i, value in enumerate(got):
        numpy.testing.assert_allclose(value, expected[f"out{i}"], rtol=model["rtol"],
                                      atol=model["atol"], err_msg=model["results"][i]["name"])
