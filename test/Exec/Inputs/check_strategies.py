"""Runs a training step for five steps by strategies on eight ranks, each against the unpartitioned program.

usage: check_strategies.py MODEL_FOLDER STRATEGY@MESH[@MICROBATCHES] ...
         [-- DRIVER_OPTION ...]

Compares the results after one step with the folder's expected ones too. A failure names every strategy that failed.
"""
import subprocess
import sys

EXPECTED = ["--expect", "{}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5"]
STEPS = ["--steps", "5", "--check"]


def run(model, strategy, mesh, micro, extra):
    return subprocess.run(
        ["partopt", "run", f"{model}/model.mlir", "--strategy", strategy, "--mesh", mesh,
         "--inputs", f"{model}/inputs.safetensors", *micro, *extra]).returncode


def main():
    model, *rest = sys.argv[1:]
    cut = rest.index("--") if "--" in rest else len(rest)
    words, options = rest[:cut], rest[cut + 1:]
    failed = []
    for word in words:
        strategy, mesh, *micro = word.split("@")
        print(f"== {word}", flush=True)
        micro = (["--microbatches", micro[0]] if micro else []) + options
        for extra in EXPECTED, STEPS:
            code = run(model, strategy, mesh, micro, [e.format(model) for e in extra])
            if code != 0:
                failed.append(f"{word} {extra[0]}: exit {code}")
    sys.exit("\n".join(failed) if failed else 0)


if __name__ == "__main__":
    main()
