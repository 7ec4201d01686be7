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
import sys
import time

import jax
import numpy
from jax.sharding import Mesh, NamedSharding, PartitionSpec

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "utils"))
from gpt_model import adam_step  # noqa: E402


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
            return adam_step(*args, constrain=self.constrain)
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
    got = jax.tree.leaves(jax.jit(adam_step)(*arguments(names, values)))
    assert len(got) == len(model["results"])
    for i, value in enumerate(got):
        numpy.testing.assert_allclose(value, expected[f"out{i}"], rtol=model["rtol"],
                                      atol=model["atol"], err_msg=model["results"][i]["name"])
