#!/usr/bin/env python3
"""Makes random training steps and runs each by random strategies and options.

Every step and every choice is a pure function of its seed. `partopt run STEP
--strategy S --mesh M … --check` must exit 0 with the results of JAX on one
device, or 2: a refusal with a reason. Anything else is a fault of partopt,
whose step is kept. Run by a Python that has JAX.

  utils/fuzz_training.py --partopt build/bin/partopt --seeds 0:50 --runs 4
"""
import argparse
import collections
import os
import random
import re
import shutil
import subprocess
import sys

import jax

sys.path.insert(0, os.path.dirname(__file__))
from export_gpt import save  # noqa: E402
from random_model import RandomModel  # noqa: E402

AXES = {"ddp": ["data"], "zero1": ["data"], "zero2": ["data"], "zero3": ["data"],
        "hsdp": ["replica", "data"], "tp": ["model"], "tp+sp": ["model"], "cp": ["context"],
        "ep": ["expert"]}


def export(seed, folder):
    model = RandomModel(seed)
    arguments = model.arguments()
    # Every other step is exported without donation.
    donated = model.donated if seed % 2 == 0 else ()
    lowered = jax.jit(model.step, donate_argnums=donated).lower(*arguments)
    with open(os.path.join(folder, "model.mlir"), "w") as file:
        file.write(lowered.as_text(debug_info=True))
    save(os.path.join(folder, "inputs.safetensors"), "arg", jax.tree.leaves(arguments))
    save(os.path.join(folder, "expected.safetensors"), "out",
         jax.tree.leaves(jax.jit(model.step)(*arguments)))
    return model


def choose(random, model):
    """A strategy, a mesh for it and other options."""
    words = ["ddp", "zero3", "hsdp"] + (
        ["zero1", "zero2"] if model.optimizer in ("momentum", "adam", "adamw") else [])
    first = random.choice(words + [""])
    others = ["tp", "tp+sp"] + (["cp"] if "attention" in model.has else []) + (
        ["ep"] if "experts" in model.has else [])
    second = random.sample(others, random.choice([0, 1, 1, 2] if first else [1, 2]))
    if {"tp", "tp+sp"} <= set(second):
        second.remove("tp")
    if {"tp+sp", "cp"} <= set(second):
        second.remove("tp+sp")
    parts = ([first] if first else []) + second
    axes = [a for p in parts for a in AXES[p]]
    random.shuffle(axes)
    sizes, total = [], 1
    for _ in axes:
        sizes.append(random.choice([s for s in (1, 2, 3, 4, 8) if total * s <= 8]))
        total *= sizes[-1]
    options = ["--strategy", "+".join(parts), "--mesh",
               ",".join(f"{a}={s}" for a, s in zip(axes, sizes))]

    def maybe(chance, option, *values):
        if random.random() < chance:
            options.extend([option, random.choice(values)])
    if "experts" not in model.has or random.random() < 0.1:
        maybe(0.5, "--microbatches", "1", "2", "2", "3", "4")
    if "--microbatches" in options:
        if first[:1] in ("z", "h"):
            maybe(0.4, "--accumulate", "full", "sharded", "auto")
        maybe(0.5, "--batch-statistics", "exact")
    maybe(0.4, "--recompute", "none", "selective", "layer", "auto")
    maybe(0.3, "--reshard-after-forward", "yes", "no", "auto")
    maybe(0.2, "--wrap", "auto", "1KiB", "params")
    maybe(0.2, "--bucket", "auto", "1KiB", "100KiB")
    maybe(0.2, "--prefetch", "0", "1", "3")
    maybe(0.2, "--overlap", "off", "late", "on")
    if "cp" in second:
        maybe(0.8, "--cp-form", "ulysses", "gather", "ring", "ring")
    return options


def run(partopt, folder, options, limit):
    model = os.path.join(folder, "model.mlir")
    inputs = os.path.join(folder, "inputs.safetensors")
    command = [partopt, "run", model, "--quiet", "--inputs", inputs, *options, "--expect",
               os.path.join(folder, "expected.safetensors"), "--rtol", "2e-3", "--atol", "2e-4",
               "--check"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit,
                              env=dict(os.environ, PARTOPT_REPRODUCER_DIR=folder))
    except subprocess.TimeoutExpired:
        return None, "no exit"
    return done.returncode, done.stdout + done.stderr


def reason(output):
    """The first error, without what differs between steps."""
    lines = [l for l in output.splitlines() if "error" in l] or output.splitlines() or [""]
    return re.sub(r"\d+", "N", re.sub(r"^\S+: error: |error: ", "", lines[0]))[:160]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--partopt", default="build/bin/partopt")
    parser.add_argument("--seeds", default="0:20", metavar="FIRST:END")
    parser.add_argument("--runs", type=int, default=4, help="choices of options per step")
    parser.add_argument("--limit", type=float, default=120, help="seconds that one run may take")
    parser.add_argument("--keep", default="fuzz-training", help="folder of steps that failed")
    parser.add_argument("--reasons", action="store_true", help="count why runs were refused")
    args = parser.parse_args()
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    first, end = map(int, args.seeds.split(":"))
    passed = failed = 0
    refused = collections.Counter()
    for seed in range(first, end):
        folder = os.path.join(args.keep, f"seed{seed}")
        os.makedirs(folder, exist_ok=True)
        model = export(seed, folder)
        faults = 0
        for i in range(args.runs):
            options = choose(random.Random(seed * 1000 + i), model)
            status, output = run(args.partopt, folder, options, args.limit)
            if status == 0:
                passed += 1
            elif status == 2:
                refused[reason(output)] += 1
            else:
                faults += 1
                print(f"{folder}: exit {status}: {' '.join(options)}: {reason(output)}",
                      flush=True)
        failed += faults
        if not faults:
            shutil.rmtree(folder)
    if args.reasons:
        for text, count in refused.most_common():
            print(f"{count:5} {text}")
    print(f"{passed} passed, {failed} failed, {refused.total()} refused")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
