"""Runs a GPT's training step by cp or ddp+cp and holds what is sent against the
formulas of docs/RationaleStrategy.md.

usage: check_context.py MODEL_DIR MESH FORM --layers L --activation A
         [--keys K] [--rows R] [partopt options...]

A is the bytes of queries of one layer, over the whole batch and sequence, K those
of its keys (A by default). With n devices on the axis context and d on data, a
layer sends, forward and backward,
  ulysses  (n-1)/n (4 A + 4 K) / n / d
  gather   (n-1)/n 4 K / d
  ring     ((n-1)/n 4 K + 2 K) / d
and a ring under a causal mask, with R bytes of numbers per query and head (--rows),
what puts positions in zigzag order and back besides: (4 A + 4 K + 2 R) / n / d, half
of that with two devices. Also,
gradients of P bytes of parameters and the loss are all-reduced over both
axes, 2 (nd-1)/(nd) P; parameters that have a row per position over data alone. It
fails unless exactly this is sent, by these kinds only, the results equal the
expected ones and the unpartitioned program's, and no device holds a whole batch
argument.
"""
import argparse
import json
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("mesh")
    parser.add_argument("form", choices=("ulysses", "gather", "ring"))
    parser.add_argument("--layers", type=int, required=True)
    parser.add_argument("--activation", type=int, required=True)
    parser.add_argument("--keys", type=int)
    parser.add_argument("--rows", type=int)
    given, rest = parser.parse_known_args()
    sizes = {name: int(size) for name, size in
             (part.split("=") for part in given.mesh.split(","))}
    n, d = sizes["context"], sizes.get("data", 1)
    with tempfile.TemporaryDirectory() as work:
        command = ["partopt", "run", f"{given.folder}/model.mlir", "--strategy",
                   "ddp+cp" if "data" in sizes else "cp", "--mesh", given.mesh, "--inputs",
                   f"{given.folder}/inputs.safetensors", "--expect",
                   f"{given.folder}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5",
                   "--check", "--report-json", f"{work}/run.json", *rest]
        if subprocess.run(command).returncode != 0:
            sys.exit(f"{' '.join(command)} failed")
        with open(f"{work}/run.json") as file:
            report = json.load(file)
    params = [a for a in report["arguments"] if a["role"] == "param"]
    whole = sum(a["bytes_global"] for a in params if "context" not in a["sharding"])
    placed = sum(a["bytes_per_device"] for a in params if "context" in a["sharding"])
    queries, keys = given.activation, given.keys or given.activation
    moved = 4 * keys if given.form == "gather" else (4 * queries + 4 * keys) / n
    attention = given.layers * (n - 1) / n * moved / d
    if given.form == "ring":
        attention = given.layers * ((n - 1) / n * 4 * keys + 2 * keys) / d
        if given.rows:
            zigzag = (4 * queries + 4 * keys + 2 * given.rows) / n / (1 if n > 2 else 2)
            attention += given.layers * zigzag / d
    gradients = 2 * (n * d - 1) / (n * d) * (whole + 4) + 2 * (d - 1) / d * placed
    sent = max(report["measured"]["wire_bytes_sent"])
    print(f"{given.mesh} {given.form}: {sent} bytes sent, {attention:.0f} for attention and "
          f"{gradients:.0f} for gradients by the formula")
    # Each device's part of a ring is rounded to elements.
    if abs(sent - attention - gradients) > 64:
        sys.exit("not what the formula says")
    kinds = {one["kind"] for one in report["collectives"]}
    moves = {"ulysses": {"all_to_all"}, "gather": {"all_gather", "reduce_scatter"},
             "ring": {"permute"}}[given.form]
    if kinds != moves | {"all_reduce"}:
        sys.exit(f"collectives of the kinds {sorted(kinds)}")
    forms = [note for note in report["notes"] if note["code"] == "attention-form"]
    if len(forms) != given.layers or report["warnings"]:
        sys.exit(f"{len(forms)} notes, warnings {report['warnings']}")
    for argument in report["arguments"]:
        if argument["role"] == "batch" and argument["bytes_per_device"] * n * d != \
                argument["bytes_global"]:
            sys.exit(f"{argument['name']} is not split")


if __name__ == "__main__":
    main()
