"""Runs experts in microbatches and holds them against one device.

usage: check_expert_microbatches.py MODEL_DIR ROW_DEVICES MICROBATCHES [partopt options...]

With exact statistics, what a step changes of each parameter is that of one device
over the whole batch; with statistics of microbatches that of one device whose
microbatches hold the same rows (--check). Steps change parameters by far less
than their size, so the changes are compared, up to the parameters' rounding.
Bytes on the wire are at most those of the whole batch and 2 KiB for statistics.
"""
import json
import struct
import subprocess
import sys
import tempfile


def load(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    arrays = {}
    for name, about in json.loads(data[8:8 + size]).items():
        if name != "__metadata__" and about["dtype"] == "F32":
            begin, end = about["data_offsets"]
            arrays[name] = (about["shape"], struct.unpack(
                f"<{(end - begin) // 4}f", data[8 + size + begin:8 + size + end]))
    return arrays


def run(folder, options, work):
    command = ["partopt", "run", f"{folder}/model.mlir", "--inputs", f"{folder}/inputs.safetensors",
               "--outputs", f"{work}/outputs.safetensors", "--report-json", f"{work}/report.json"]
    subprocess.run(command + options, check=True, stdout=subprocess.DEVNULL)
    with open(f"{work}/report.json") as file:
        return load(f"{work}/outputs.safetensors"), json.load(file)


def changes(results, inputs):
    """By number, what results differ from the arguments of their shape by."""
    for name, (shape, values) in results.items():
        old = inputs.get(name.replace("out", "arg"))
        if old and old[0] == shape:
            yield name, [a - b for a, b in zip(values, old[1])], max(map(abs, old[1]))


def main():
    folder, count, options = sys.argv[1], sys.argv[3], sys.argv[4:]
    micro = options + ["--microbatches", count]
    inputs = load(f"{folder}/inputs.safetensors")
    with tempfile.TemporaryDirectory() as work:
        one, _ = run(folder, [], work)
        _, whole = run(folder, options, work)
        exact, parts = run(folder, micro + ["--batch-statistics", "exact", "--check"], work)
        run(folder, micro + ["--batch-statistics", "micro", "--steps", "3", "--check"], work)
    compared = 0
    for (name, wanted, size), (_, got, _) in zip(changes(one, inputs), changes(exact, inputs)):
        error = max(abs(a - b) for a, b in zip(wanted, got))
        largest = max(map(abs, wanted))
        assert error <= 1e-4 * largest + 2.0 ** -22 * size, (name, error, largest)
        compared += largest > 0
    assert compared >= 4, compared
    sent, sent_whole = (max(r["measured"]["wire_bytes_sent"]) for r in (parts, whole))
    print(f"{compared} parameters change alike; {sent} bytes sent, {sent_whole} for the whole batch")
    assert sent <= sent_whole + 2048


if __name__ == "__main__":
    main()
