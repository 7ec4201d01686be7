"""Runs an exported step whose layers are stacked as pipelines, and holds what each rank
has of the stacks, and what it sends, against its share of the layers.

usage: check_stacks.py FOLDER LAYERS STRATEGY@MESH@MICROBATCHES[:OPTION=VALUE] ...

FOLDER is check_exported.py's; stacks are the parameters and optimizer state with "layers"
in their names. Fails unless
  - every rank has rows of a stack, in parts (one per stage) that are all of its LAYERS
    rows, each once, none larger than an even cut's by more than one,
  - the stages' parameters are all that devices hold of parameters,
  - a device holds the rows' share of the stack's bytes, less where the strategy shards it,
  - no message behind the loops, that is sent once per step, has more than two numbers; of
    one microbatch these are told by their phase.
"""
import json
import os
import subprocess
import sys
import tempfile


def report_of(folder, word):
    layout, *given = word.split(":")
    strategy, mesh, micro = layout.split("@")
    with tempfile.TemporaryDirectory() as temporary:
        path = os.path.join(temporary, "report.json")
        subprocess.run(
            ["partopt", "run", f"{folder}/model.mlir", "--strategy", strategy, "--mesh", mesh,
             "--microbatches", micro, "--inputs", f"{folder}/inputs.safetensors",
             "--report-json", path, *(part for one in given for part in f"--{one}".split("="))],
            check=True, stdout=subprocess.DEVNULL)
        with open(path) as file:
            return json.load(file)


def rows_by_rank(argument):
    rows = {}
    for part in argument["held_by"]:
        begin, end = map(int, part["rows"].split(":")) if part["rows"] else (0, None)
        rows.setdefault(part["ranks"], []).append((begin, end, part["bytes_per_device"]))
    return rows


def stack_faults(argument, layers, ranks):
    rows = rows_by_rank(argument)
    if len(rows) != ranks:
        yield f"is on {list(rows)}"
    parts = sorted(part for parts in rows.values() for part in parts)
    if any(end is None for _, end, _ in parts):
        yield f"is whole on {list(rows)}"
        return
    if [begin for begin, _, _ in parts] + [layers] != [0] + [end for _, end, _ in parts]:
        yield f"has the rows {parts}"
    if any(end - begin > layers // len(parts) + 1 for begin, end, _ in parts):
        yield f"has unlike parts {parts}"
    row_bytes = parts[0][2] // (parts[0][1] - parts[0][0])
    if row_bytes > argument["bytes_global"] // layers:
        yield f"takes {row_bytes} bytes a row"
    for rank, own in rows.items():
        count = sum(end - begin for begin, end, _ in own)
        if sum(held for _, _, held in own) != count * row_bytes:
            yield f"takes {own} on {rank}"


def faults(report, layers):
    ranks = next(axis["size"] for axis in report["mesh"] if axis["axis"] == "pipe")
    stacks = [argument for argument in report["arguments"] if "layers" in argument["name"]]
    if not stacks:
        yield "no argument is a stack"
    for argument in stacks:
        for fault in stack_faults(argument, layers, ranks):
            yield f"{argument['name']} {fault}"
    held = sum(part["bytes_per_device"] for argument in report["arguments"]
               if argument["role"] == "param" for part in argument["held_by"])
    of_stages = [stage["parameter_bytes"] for stage in report["stages"]]
    if sum(of_stages) != held:
        yield f"stages have {of_stages} bytes of parameters, devices {held}"
    is_whole = all(axis["size"] == 1 for axis in report["mesh"] if axis["kind"] == "time")
    for one in report["collectives"]:
        is_late = one["phase"] == "update" if is_whole else one["per_step"] == 1
        if one["kind"] == "send" and is_late and one["payload_bytes"] > 8:
            yield f"{one['payload_bytes']} bytes are sent behind the loops, {one['loc']}"


def main():
    folder, layers, *words = sys.argv[1:]
    failed = []
    for word in words:
        failed += [f"{word}: {fault}" for fault in faults(report_of(folder, word), int(layers))]
    sys.exit("\n".join(failed) if failed else 0)


if __name__ == "__main__":
    main()
