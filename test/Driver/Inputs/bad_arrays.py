"""Writes variants of a safetensors file, each with one fault.

usage: bad_arrays.py INPUTS.safetensors FOLDER
"""
import json
import struct
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8:8 + size]), data[8 + size:]


def write(path, header, body):
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + body)


def without(header, body, *names):
    """The file without some arrays, and without holes."""
    kept, data = {}, b""
    for name, entry in header.items():
        if name == "__metadata__" or name in names:
            continue
        begin, end = entry["data_offsets"]
        kept[name] = {**entry, "data_offsets": [len(data), len(data) + end - begin]}
        data += body[begin:end]
    return kept, data


def variants(source, folder):
    header, body = read(source)

    def changed(**entries):
        return {**header, **entries}

    write(f"{folder}/missing", *without(header, body, "arg3"))
    at = len(body)
    write(f"{folder}/extra", changed(
        arg99={"dtype": "F32", "shape": [1], "data_offsets": [at, at + 4]}), body + bytes(4))
    kept, data = without(header, body, "arg8")
    at = len(data)
    kept["arg8"] = {"dtype": "F32", "shape": [32, 63], "data_offsets": [at, at + 32 * 63 * 4]}
    write(f"{folder}/shape", kept, data + bytes(32 * 63 * 4))
    write(f"{folder}/type", changed(arg8={**header["arg8"], "dtype": "I32"}), body)
    write(f"{folder}/truncated", header, body[:-100])
    with open(f"{folder}/header", "wb") as file:
        file.write(struct.pack("<Q", 1 << 60) + b"{}")


if __name__ == "__main__":
    variants(*sys.argv[1:])
