"""Prints the collectives of a partitioned program: one line per kind and axes
with count and wire bytes (what one device sends, by the ring formulas).

Usage: collectives_table.py MODEL.mlir [partopt options]
"""
import collections
import re
import subprocess
import sys

ELEMENT_BYTES = {"f64": 8, "f32": 4, "i32": 4, "ui32": 4, "bf16": 2, "f16": 2, "i1": 1}
LINE = re.compile(
    r"comm\.(all_reduce|all_gather|reduce_scatter|all_to_all|permute) \{(.*?)\}.* : \((.*)\) -> (.*)$")


def tensor_bytes(text):
    total = 0
    for shape in re.findall(r"tensor<(.*?)>", text):
        *sizes, element = shape.split("x")
        count = 1
        for size in sizes:
            count *= int(size)
        total += count * ELEMENT_BYTES[element]
    return total


def wire_bytes(kind, members, operands, results):
    share = (members - 1) / members
    return {"all_reduce": 2 * share * operands, "all_gather": share * results,
            "reduce_scatter": share * operands, "all_to_all": share * operands,
            "permute": operands}[kind]


def main():
    text = subprocess.run(
        ["partopt", "compile", *sys.argv[1:], "--compile-to", "partition", "-o", "-"],
        check=True, capture_output=True, text=True)
    counts, totals = collections.Counter(), collections.Counter()
    for line in text.stdout.splitlines():
        match = LINE.search(line.split(" loc(")[0])
        if not match:
            continue
        kind, axes, operands, results = match.groups()
        members = 1
        for whole, part in re.findall(r'=(\d+)|\)(\d+)', axes):
            members *= int(whole or part)
        names = ",".join(re.findall(r'"(\w+)"', axes))
        key = (kind, names)
        counts[key] += 1
        totals[key] += wire_bytes(kind, members, tensor_bytes(operands), tensor_bytes(results))
    for kind, names in sorted(counts):
        print(f"{kind} {names}: {counts[kind, names]} of {round(totals[kind, names])} bytes")
    print(f"total: {round(sum(totals.values()))} bytes")
    print(f"gathered: {text.stderr.count('it is gathered')}")


if __name__ == "__main__":
    main()
