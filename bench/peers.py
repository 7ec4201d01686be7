#!/usr/bin/env python3
"""partopt beside PyTorch (DistributedDataParallel and FSDP2 over gloo, a process a
rank) and JAX/XLA:CPU (virtual devices of one process) on the same GPT training
step, from the same arrays, in turns in one run. One thread a rank.

What the figures mean:
  step    seconds per step after the warm-up, median and range over the rounds
  memory  of the rank that needs most: partopt's arguments and arena, counted in
          its allocator; what a PyTorch process grew by over its imports
          (ru_maxrss, so with its caches and gloo's buffers); XLA's own analysis
  bytes   that a rank sends per step by the ring formula: partopt's and XLA's
          counted in the program, PyTorch's from the sizes of its parameters
          (DDP reduces all gradients; FSDP2 gathers twice and reduce-scatters)
All sides must agree on the loss of every step (2e-4 relative), or this fails.

PyTorch is installed once from peers-requirements.txt into .cache/peers-venv.
usage: peers.py [--size small|large] [--ranks 4] [--rounds 3] [--steps 12]
         [--partopt BIN] [-o bench/results/peers-SIZE.json]
"""
import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".cache", "peers-venv")
TORCH = os.path.join(VENV, "bin", "python")
JAX = os.environ.get("PARTOPT_JAX_PYTHON", os.path.join(ROOT, ".cache", "venv", "bin", "python"))
# small: the sizes of gpt_train; large: parameters of 19 MB, more work per byte.
SIZES = {"small": {"layers": 4, "d": 128, "heads": 4, "vocab": 512, "seq": 64, "batch": 8},
         "large": {"layers": 6, "d": 256, "heads": 8, "vocab": 1024, "seq": 128, "batch": 8}}
# Rewrites the exported arrays so that Adam begins without a past, as PyTorch's does.
FRESH = """
import sys, numpy
from safetensors.numpy import load_file, save_file
path, count = sys.argv[1], int(sys.argv[2])
arrays = load_file(path)
for i in range(count, 3 * count + 1):
    arrays[f"arg{i}"] = numpy.zeros_like(arrays[f"arg{i}"])
save_file(arrays, path)
"""


def install():
    if not os.path.exists(TORCH):
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([TORCH, "-m", "pip", "install", "-q", "-r",
                        os.path.join(ROOT, "bench", "peers-requirements.txt")], check=True)


def parameters(size):
    d, layers = size["d"], size["layers"]
    each = 4 * d * d + 8 * d * d + 9 * d
    return layers * each + 2 * d + (size["seq"] + size["vocab"]) * d


def run_partopt(options, folder, kind, size):
    plan, report = os.path.join(folder, kind + ".plan"), os.path.join(folder, kind + ".json")
    if not os.path.exists(plan):
        subprocess.run([options.partopt, "compile", os.path.join(folder, "model.mlir"), "--mesh",
                        f"data={options.ranks}", "--strategy", kind, "-o", plan], check=True)
    done = subprocess.run([options.partopt, "run", plan, "--inputs",
                           os.path.join(folder, "inputs.safetensors"), "--steps",
                           str(options.steps), "--report-json", report], check=True,
                          capture_output=True, text=True)
    with open(report, encoding="utf-8") as file:
        result = json.load(file)
    measured = result["measured"]
    return {"step_s": measured["step_s"],
            "losses": [float(line.split("loss")[1].split()[0])
                       for line in done.stdout.splitlines() if line.startswith("step ")],
            "peak_bytes_per_rank": max(a + b for a, b in zip(measured["arena_bytes"],
                                                             measured["resident_bytes"])),
            "wire_bytes": sum(t["wire_bytes"] for t in result["totals"].values()),
            "version": result["partopt"]}


def run_torch(options, folder, kind, size):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = os.path.join(ROOT, "bench", "peers_torch.py")
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    ranks = [subprocess.Popen([TORCH, script, kind, str(rank), str(options.ranks), str(port),
                               os.path.join(folder, "inputs.safetensors"), json.dumps(size),
                               str(options.steps)], stdout=subprocess.PIPE, text=True,
                              env=environment) for rank in range(options.ranks)]
    outputs = [rank.communicate()[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        sys.exit(f"error: PyTorch's {kind} failed")
    result = json.loads(outputs[0].splitlines()[-1])
    passes = 2 if kind == "ddp" else 3
    result["wire_bytes"] = passes * (options.ranks - 1) / options.ranks * 4 * parameters(size)
    return result


def run_jax(options, folder, kind, size):
    done = subprocess.run([JAX, os.path.join(ROOT, "bench", "peers_jax.py"), kind,
                           str(options.ranks), os.path.join(folder, "inputs.safetensors"),
                           json.dumps(size), str(options.steps)], check=True, capture_output=True,
                          text=True)
    return json.loads(done.stdout.splitlines()[-1])


def check_losses(results):
    want = results[0]["runs"][0]["losses"]
    for side in results:
        for run in side["runs"]:
            for step, (a, b) in enumerate(zip(want, run["losses"])):
                if abs(a - b) > 2e-4 * abs(a):
                    sys.exit(f"error: step {step}: {side['side']} {side['kind']} has the loss {b}, "
                             f"partopt {a}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="small")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--partopt", default=os.path.join(ROOT, "build/bin/partopt"))
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    install()
    size = SIZES[options.size]
    results = [{"side": side, "kind": kind, "runs": []} for kind in ("ddp", "fsdp")
               for side in ("partopt", "torch", "jax")]
    sides = {"partopt": run_partopt, "torch": run_torch, "jax": run_jax}
    with tempfile.TemporaryDirectory() as folder:
        flags = [part for name, value in size.items() for part in (f"--{name}", str(value))]
        subprocess.run([JAX, os.path.join(ROOT, "utils", "export_gpt.py"), folder, *flags],
                       check=True)
        subprocess.run([TORCH, "-c", FRESH, os.path.join(folder, "inputs.safetensors"),
                        str(10 * size["layers"] + 4)], check=True)
        for _ in range(options.rounds):
            for one in results:
                one["runs"].append(sides[one["side"]](options, folder, one["kind"], size))
    check_losses(results)
    table = []
    print(f"{options.ranks} ranks, {size}\n| side | strategy | step ms | memory MB | bytes sent MB |"
          "\n| --- | --- | --- | --- | --- |")
    for one in results:
        steps = [s for run in one["runs"] for s in run["step_s"][2:]]
        memory = max(run["peak_bytes_per_rank"] for run in one["runs"])
        table.append({"side": one["side"], "version": one["runs"][0]["version"],
                      "kind": one["kind"], "step_median_s": statistics.median(steps),
                      "step_min_s": min(steps), "step_max_s": max(steps), "steps": len(steps),
                      "peak_bytes_per_rank": memory, "wire_bytes": one["runs"][0]["wire_bytes"]})
        last = table[-1]
        print(f"| {one['side']} {last['version']} | {one['kind']} | "
              f"{last['step_median_s'] * 1e3:.1f} ({last['step_min_s'] * 1e3:.1f}-"
              f"{last['step_max_s'] * 1e3:.1f}) | {memory / 1e6:.1f} | "
              f"{last['wire_bytes'] / 1e6:.2f} |")
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump({"size": size, "ranks": options.ranks, "cores": os.cpu_count(),
                       "load_average": os.getloadavg()[0], "results": table}, file, indent=1)
            file.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
