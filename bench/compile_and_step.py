#!/usr/bin/env python3
"""Compile time and step time of partopt beside JAX/XLA:CPU on 8 virtual
devices, both sides in one run, in turns, on the same model file.

What the figures mean:
  compile   from the file's text to something that can run: for partopt the
            whole of `partopt compile` (process start, parse, all phases, object
            code, plan file); for JAX only XLA's compilation of the same file's
            module: the lowering from Python is done already
  step      one step on 8 ranks; state is fed back; median over the steps after
            the warm-up
Each figure is min / median / max over the repetitions.

usage: compile_and_step.py [--model gpt_train_small] [--form fsdp2_tp4]
         [--repeat 5] [--steps 30] [-o bench/results/NAME.json]
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DEVICES = 8


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
    """The same file's module through XLA, one replica, DEVICES partitions."""

    def __init__(self, model, inputs):
        os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
        sys.path.insert(0, os.path.join(ROOT, "utils"))
        import jax
        import numpy
        from jax._src.lib import xla_client
        from safetensors.numpy import load_file
        import jax_module
        self.jax, self.np, self.client = jax, numpy, xla_client
        self.text = str(jax_module.parse(open(model).read()))
        self.inputs = load_file(inputs)
        self.devices = jax.devices()[:DEVICES]

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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="gpt_train_small")
    parser.add_argument("--form", default="fsdp2_tp4")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--partopt", default=os.path.join(ROOT, "build/bin/partopt"))
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    folder = os.path.join(ROOT, "test/Models", options.model)
    model = f"{folder}/model_sharded_{options.form}.mlir"
    inputs = f"{folder}/inputs.safetensors"
    warm_up = max(1, options.steps // 5)

    jax_side = JaxSide(model, inputs)
    figures = {name: [] for name in ("partopt_compile_s", "jax_compile_s", "partopt_step_s",
                                     "jax_step_s")}
    with tempfile.TemporaryDirectory() as folder:
        plan = f"{folder}/plan"
        for _ in range(options.repeat):
            figures["partopt_compile_s"].append(partopt_compile(options.partopt, model, plan))
            figures["jax_compile_s"].append(jax_side.compile())
            figures["partopt_step_s"] += partopt_steps(options.partopt, plan, inputs,
                                                       options.steps, warm_up)
            figures["jax_step_s"] += jax_side.steps(options.steps, warm_up)
    result = {
        "model": options.model, "form": options.form, "devices": DEVICES,
        "cores": os.cpu_count(), "machine": platform.machine(),
        "jax": jax_side.jax.__version__,
        # Other work on the machine slows both sides; they ran in turns.
        "load_average": os.getloadavg()[0],
        **{name: spread(values) for name, values in figures.items()},
    }
    for kind in ("compile", "step"):
        result[f"{kind}_ratio_partopt_to_jax"] = (result[f"partopt_{kind}_s"]["median"] /
                                                  result[f"jax_{kind}_s"]["median"])
    print(json.dumps(result, indent=1))
    output = options.output or os.path.join(
        ROOT, f"bench/results/{options.model}-{options.form}.json")
    os.makedirs(os.path.dirname(output), exist_ok=True)
    with open(output, "w") as file:
        json.dump(result, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
