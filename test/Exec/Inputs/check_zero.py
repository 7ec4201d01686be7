"""Runs an unannotated training step by a data-parallel strategy and holds its
report against the formulas of ZeRO.

usage: check_zero.py STRATEGY MODEL_DIR MESH [--other BYTES] [--cheaper]
         [partopt options...]

MESH is "data=N" or, for hsdp, "replica=R,data=N". With P bytes of parameters
(padding of shards included) it fails unless
  - the results equal the model's expected ones and the unpartitioned program's,
  - the wire bytes that the transport counted are at most what the strategy's
    collectives send by the ring formula, 2(N-1)/N P inside (3(N-1)/N P where
    parameters are gathered again) and 2(R-1)/R P/N across, plus 1 KiB for
    scalars and --other for what is no gradient, such as batch statistics, and
    at least the former without gathering again (--cheaper: a gradient may be
    summed where the activations are fewer bytes than it),
  - a device holds P, or P/N and padding, of parameters and optimizer state.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile


def sizes(mesh):
    axes = {name: int(size) for name, size in (part.split("=") for part in mesh.split(","))}
    return axes["data"], axes.get("replica", 1)


def argument_faults(arguments, stored, ranks):
    for argument in arguments:
        whole, held = argument["bytes_global"], argument["bytes_per_device"]
        shards = ranks if argument["role"] in stored else 1
        # Padding adds at most one row; tensors without a row per device stay.
        if argument["role"] in ("param", "opt") and not whole / shards <= held <= whole:
            yield f"{argument['name']}: {held} bytes of {whole} on a device"
    for role in stored:
        whole = sum(a["bytes_global"] for a in arguments if a["role"] == role)
        held = sum(a["bytes_per_device"] for a in arguments if a["role"] == role)
        print(f"{role}: {held} of {whole} bytes on a device")
        if held > 1.1 * whole / ranks + 1024:
            yield f"{role}: {held} bytes of {whole} on one of {ranks} devices"


def padded(arguments, stored, ranks):
    """Bytes of parameters as gathers and scatters move them: with the padding of
    shards, which is known from what is stored in shards."""
    whole, shards = 0, 0
    for argument in arguments:
        if argument["role"] == (stored[-1] if stored else "param"):
            whole += argument["bytes_global"]
            held = argument["bytes_per_device"]
            isShard = stored and held < argument["bytes_global"]
            shards += held * ranks if isShard else argument["bytes_global"]
    parameters = sum(a["bytes_global"] for a in arguments if a["role"] == "param")
    return parameters * shards / whole if whole else parameters


def faults(report, strategy, mesh, again, other, cheaper):
    ranks, replicas = sizes(mesh)
    stored = {"ddp": [], "zero1": ["opt"], "zero2": ["opt"]}.get(strategy, ["opt", "param"])
    parameters = padded(report["arguments"], stored, ranks)
    sent = report["measured"]["wire_bytes_sent"]
    shard = parameters / ranks if strategy == "hsdp" else parameters
    least = 2 * (ranks - 1) / ranks * parameters + 2 * (replicas - 1) / replicas * shard
    most = least + ((ranks - 1) / ranks * parameters if again else 0)
    print(f"{strategy} {mesh}: sent {max(sent)}, formula {least:.0f} to {most:.0f}, collectives "
          f"{ {kind: total['count'] for kind, total in report['totals'].items()} }")
    if not (least - 1024 <= min(sent) or cheaper) or max(sent) > most + other + 1024:
        yield f"{min(sent)} to {max(sent)} bytes sent, the formula has {least:.0f} to {most:.0f}"
    yield from argument_faults(report["arguments"], stored, ranks)
    for warning in report["warnings"]:
        if warning["code"] == "uneven_batch":
            continue
        yield f"{warning['loc']}: {warning['message']}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("strategy", "folder", "mesh"):
        parser.add_argument(name)
    parser.add_argument("--other", type=int, default=0)
    parser.add_argument("--cheaper", action="store_true")
    options, rest = parser.parse_known_args()
    strategy, folder, mesh = options.strategy, options.folder, options.mesh
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "report.json")
        status = subprocess.run(
            ["partopt", "run", f"{folder}/model.mlir", "--strategy", strategy, "--mesh", mesh,
             "--inputs", f"{folder}/inputs.safetensors", "--expect",
             f"{folder}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5", "--check",
             "--report-json", path, *rest]).returncode
        if status != 0:
            sys.exit(f"partopt run: exit {status}")
        with open(path) as file:
            found = list(faults(json.load(file), strategy, mesh, "yes" in rest, options.other,
                                options.cheaper))
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
