#!/usr/bin/env python3
"""Compile time and step time of partopt beside JAX/XLA:CPU on virtual
devices, as many as the file's mesh has, both sides in one run, in turns, on the
same model file.

What the figures mean:
  compile   from the file's text to something that can run: for partopt the
            whole of `partopt compile` (process start, parse, all phases, object
            code, plan file); for JAX XLA's compilation of the same file's module
  lower     for the GPT training steps, also what JAX does before that, from the
            Python function to StableHLO (gpt_step.py, which is held against the
            model's expected results first where these are stored). The ratio of
            compile times is partopt's to JAX's lowering and compiling; where
            lowering is not measured, to its compiling alone
  step      one step on all ranks; state is fed back; median over the steps after
            the warm-up
Each figure is min / median / max over the repetitions.

usage: compile_and_step.py [--model gpt_train_small] [--form fsdp2_tp4]
         [--repeat 5] [--steps 30] [--compile-only] [-o bench/results/NAME.json]
       compile_and_step.py --suite     every model of the table in README.md

Models are looked for in test/Models and, for the larger set, in
PARTOPT_SHARED/models and its big/. Arrays come from the model's
inputs.safetensors, else from the recipes in its args.json, else they are made up
from the signature.
"""
import argparse
import glob
import gzip
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHARED = os.environ.get("PARTOPT_SHARED", os.path.join(ROOT, "..", "shared"))

# What --suite measures: model, form, repetitions, steps (0: compile only).
SUITE = [
    ("mlp_train", "dp8", 5, 30), ("mlp_train", "tp4", 5, 30),
    ("mlp_train", "dp2_tp4", 5, 30), ("mlp_train", "fsdp8", 5, 30),
    ("gpt_train_small", "ddp8", 3, 30), ("gpt_train_small", "fsdp8", 3, 30),
    ("gpt_train_small", "fsdp2_tp4", 3, 30),
    ("gpt_infer", "tp4", 5, 30), ("moe_train", "ep8", 3, 30), ("moe_train", "dp2_ep4", 3, 30),
    ("resnet_train", "dp8", 3, 20), ("gpt_train", "ddp8", 3, 10),
    ("gpt_train", "fsdp2_tp4", 3, 10), ("gpt_train", "dp2_tp4_sp", 3, 10),
    ("gpt_mid", "ddp8", 1, 3), ("gpt_mid", "dp2_tp4", 1, 3),
    ("gpt_7b_48", "fsdp2_tp4", 1, 0),
]


def find_model(model, form):
    """(folder, model file) of the model's sharded form."""
    for folder in (os.path.join(ROOT, "test/Models", model), os.path.join(SHARED, "models", model),
                   os.path.join(SHARED, "models/big", model)):
        for name in (f"model_sharded_{form}.mlir", f"model_sharded_{form}.mlir.gz"):
            if os.path.exists(os.path.join(folder, name)):
                return folder, os.path.join(folder, name)
    sys.exit(f"there is no {model} in form {form}; is PARTOPT_SHARED set?")


def read_text(path):
    return (gzip.open if path.endswith(".gz") else open)(path, "rt").read()


def device_count(text):
    """The devices of the file's mesh."""
    mesh = re.search(r"sdy\.mesh @\w+ = <\[([^\]]*)\]", text).group(1)
    count = 1
    for size in re.findall(r'"=(\d+)', mesh):
        count *= int(size)
    return count


def make_inputs(folder, text, path):
    """The path of the model's arrays; `path` is written when there are none."""
    import numpy
    from safetensors.numpy import save_file
    stored = os.path.join(folder, "inputs.safetensors")
    if os.path.exists(stored):
        return stored
    recipes = os.path.join(folder, "args.json")
    if os.path.exists(recipes):
        subprocess.run([sys.executable, os.path.join(folder, "..", "gen_arrays.py"), recipes, path],
                       check=True)
        return path
    random = numpy.random.default_rng(1)
    head = text[text.index("@main("):]
    arrays = {}
    for index, shape, kind in re.findall(r"%arg(\d+): tensor<((?:\d+x)*)([a-z]+\d+)>",
                                         head[:head.index("->")]):
        extents = [int(n) for n in shape.split("x")[:-1]]
        arrays[f"arg{index}"] = (
            random.integers(0, 128, extents).astype(numpy.int32) if kind == "i32" else
            (0.02 * random.standard_normal(extents)).astype(numpy.float32))
        arrays[f"arg{index}"] = numpy.asarray(arrays[f"arg{index}"])
    # Second moments are squares.
    for name in re.findall(r"%arg(\d+): [^%]*?loc\(\"opt_state[^\"]*\.nu", head):
        arrays[f"arg{name}"] = arrays[f"arg{name}"] ** 2
    save_file(arrays, path)
    return path


def spread(values):
    return {"min": min(values), "median": statistics.median(values), "max": max(values),
            "n": len(values)}


def partopt_compile(partopt, model, plan):
    start = time.perf_counter()
    subprocess.run([partopt, "compile", model, "-o", plan, "--quiet"], check=True)
    return time.perf_counter() - start


def partopt_steps(partopt, plan, inputs, steps, warm_up):
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([partopt, "run", plan, "--inputs", inputs, "--steps", str(steps), "--quiet",
                        "--report-json", report.name], check=True, stdout=subprocess.DEVNULL)
        return json.load(open(report.name))["measured"]["step_s"][warm_up:]


class JaxSide:
    """The same file's module through XLA, one replica, one partition per device
    of its mesh."""

    def __init__(self, text, inputs, devices):
        os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={devices}"
        sys.path.insert(0, os.path.join(ROOT, "utils"))
        import jax
        import numpy
        from jax._src.lib import xla_client
        from safetensors.numpy import load_file
        import jax_module
        self.jax, self.np, self.client = jax, numpy, xla_client
        self.text = str(jax_module.parse(text))
        self.inputs = load_file(inputs) if inputs else None
        self.devices = jax.devices()[:devices]

    def compile(self):
        options = self.client.CompileOptions()
        build = options.executable_build_options
        options.num_partitions = build.num_partitions = len(self.devices)
        build.use_spmd_partitioning = True
        build.use_shardy_partitioner = True
        options.device_assignment = self.client.DeviceAssignment.create(
            self.np.arange(len(self.devices)).reshape(1, -1))
        build.device_assignment = options.device_assignment
        start = time.perf_counter()
        self.executable = self.devices[0].client.compile_and_load(
            self.text, self.client.DeviceList(tuple(self.devices)), options)
        return time.perf_counter() - start

    def steps(self, steps, warm_up):
        """Seconds per step. Every argument is placed by the executable's own
        shardings, and results are awaited each step, as partopt's are."""
        jax = self.jax
        shardings = [self._sharding(s) for s in self.executable.get_parameter_shardings()]
        count = len(shardings)
        aliases = aliased_results(self.text)
        arguments = [jax.device_put(self.inputs[f"arg{i}"], shardings[i]) for i in range(count)]
        seconds = []
        for _ in range(steps):
            start = time.perf_counter()
            outcome = self.executable.execute_sharded(arguments)
            shards = outcome.disassemble_into_single_device_arrays()
            for result in shards:
                for shard in result:
                    shard.block_until_ready()
            seconds.append(time.perf_counter() - start)
            for index, result in aliases.items():
                arguments[index] = jax.make_array_from_single_device_arrays(
                    self.inputs[f"arg{index}"].shape, shardings[index], shards[result])
        return seconds[warm_up:]

    def _sharding(self, op_sharding):
        return self.client.GSPMDSharding(self.client.DeviceList(tuple(self.devices)), op_sharding)


def aliased_results(text):
    """Argument -> result that takes its buffer, from tf.aliasing_output."""
    import re
    head = text[text.index("@main("):]
    head = head[:head.index("->")]
    aliases = {}
    for part in re.split(r"(?=%arg\d+: )", head)[1:]:
        match = re.search(r"tf\.aliasing_output = (\d+)", part)
        if match:
            aliases[int(re.match(r"%arg(\d+)", part).group(1))] = int(match.group(1))
    return aliases


def lowering(folder, options):
    """What measures JAX's lowering of the model, or None where nothing does."""
    if not options.model.startswith("gpt_train"):
        return None
    import gpt_step
    from safetensors.numpy import load_file
    expected = os.path.join(folder, "expected.safetensors")
    if os.path.exists(expected):
        gpt_step.check(folder, load_file(os.path.join(folder, "inputs.safetensors")),
                       load_file(expected))
    step = gpt_step.GptStep(folder, options.form)
    return lambda: step.seconds()[0]


def measure(options):
    folder, model = find_model(options.model, options.form)
    text = read_text(model)
    warm_up = max(1, options.steps // 5)
    figures = {"partopt_compile_s": [], "jax_compile_s": []}
    if options.steps:
        figures.update({"partopt_step_s": [], "jax_step_s": []})
    with tempfile.TemporaryDirectory() as work:
        inputs = make_inputs(folder, text, f"{work}/inputs.safetensors") if options.steps else None
        jax_side = JaxSide(text, inputs, device_count(text))
        lower = lowering(folder, options)
        if lower:
            figures["jax_lower_s"] = []
        plan = f"{work}/plan"
        for _ in range(options.repeat):
            figures["partopt_compile_s"].append(partopt_compile(options.partopt, model, plan))
            if lower:
                figures["jax_lower_s"].append(lower())
            figures["jax_compile_s"].append(jax_side.compile())
            if options.steps:
                figures["partopt_step_s"] += partopt_steps(options.partopt, plan, inputs,
                                                           options.steps, warm_up)
                figures["jax_step_s"] += jax_side.steps(options.steps, warm_up)
    result = {
        "model": options.model, "form": options.form, "devices": device_count(text),
        "cores": os.cpu_count(), "machine": platform.machine(),
        "jax": jax_side.jax.__version__,
        # Other work on the machine slows both sides; they ran in turns.
        "load_average": os.getloadavg()[0],
        **{name: spread(values) for name, values in figures.items()},
    }
    jax_compile = result["jax_compile_s"]["median"]
    if lower:
        jax_compile += result["jax_lower_s"]["median"]
    result["compile_ratio_partopt_to_jax"] = result["partopt_compile_s"]["median"] / jax_compile
    if options.steps:
        result["step_ratio_partopt_to_jax"] = (result["partopt_step_s"]["median"] /
                                               result["jax_step_s"]["median"])
    return result


def row(result):
    """One line of the table in README.md."""
    def cell(name, scale):
        if name not in result:
            return "-"
        values = result[name]
        return (f"{scale * values['median']:.3g} ({scale * values['min']:.3g}-"
                f"{scale * values['max']:.3g})")

    def ratio(kind):
        value = result.get(f"{kind}_ratio_partopt_to_jax")
        return f"{value:.2f}" if value is not None else "-"
    return " | ".join([f"| {result['model']} {result['form']}", cell("partopt_compile_s", 1),
                       cell("jax_lower_s", 1), cell("jax_compile_s", 1), ratio("compile"),
                       cell("partopt_step_s", 1e3), cell("jax_step_s", 1e3), ratio("step")]) + " |"


def table():
    print("| model | partopt compile s | JAX lower s | XLA compile s | ratio | partopt step ms "
          "| JAX step ms | ratio |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for path in sorted(glob.glob(os.path.join(ROOT, "bench/results/*.json"))):
        with open(path) as file:
            result = json.load(file)
        if "jax_compile_s" in result:
            print(row(result))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="gpt_train_small")
    parser.add_argument("--form", default="fsdp2_tp4")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--suite", action="store_true")
    parser.add_argument("--partopt", default=os.path.join(ROOT, "build/bin/partopt"))
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    if options.suite:
        # A process each: JAX fixes the number of devices when it starts.
        for model, form, repeat, steps in SUITE:
            subprocess.run([sys.executable, __file__, "--model", model, "--form", form, "--repeat",
                            str(repeat), "--steps", str(steps), "--partopt", options.partopt],
                           check=True, stdout=subprocess.DEVNULL)
            print(f"{model} {form} done", file=sys.stderr)
        return table()
    if options.compile_only:
        options.steps = 0
    result = measure(options)
    print(json.dumps(result, indent=1))
    output = options.output or os.path.join(
        ROOT, f"bench/results/{options.model}-{options.form}.json")
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with open(output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
