"""Twenty steps of gpt_train_small, twice: the file's own batch again and again,
whose loss must fall at every step, and 20 batches with JAX's 20 losses beside
them, each within 1e-4, and JAX's final parameters and moments.

usage: check_steps.py MODEL_FILE MODEL_DIR [partopt options...]
"""
import json
import re
import subprocess
import sys


def losses(model, folder, *options):
    done = subprocess.run(["partopt", "run", model, "--inputs", f"{folder}/inputs.safetensors",
                           "--steps", "20", *options], stdout=subprocess.PIPE, text=True)
    print(done.stdout)
    if done.returncode != 0:
        sys.exit(f"partopt run: exit {done.returncode}")
    found = [float(x) for x in re.findall(r"^step \d+\s+loss (\S+)", done.stdout, re.MULTILINE)]
    if len(found) != 20:
        sys.exit(f"{len(found)} losses for 20 steps")
    return found


def main(model, folder, *options):
    same = losses(model, folder, *options)
    for step, (before, after) in enumerate(zip(same, same[1:])):
        if not after < before:
            sys.exit(f"the loss rises from {before} to {after} at step {step + 1}")
    with open(f"{folder}/batches.losses.json") as file:
        expected = json.load(file)["losses"]
    found = losses(model, folder, "--batches", f"{folder}/batches", "--expect",
                   f"{folder}/batches.final.safetensors", "--rtol", "1e-4", "--atol", "1e-5",
                   *options)
    worst = max(abs(got - want) / abs(want) for got, want in zip(found, expected))
    print(f"worst relative difference of a loss: {worst:.2e}")
    if worst > 1e-4:
        sys.exit("a loss is not JAX's")


if __name__ == "__main__":
    main(*sys.argv[1:])
