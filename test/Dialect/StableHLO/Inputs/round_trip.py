"""Reads every model of a folder with partopt-opt and compares what it writes.

usage: round_trip.py FOLDER

For each *.mlir and *.mlir.gz: printed, read and printed again it is the same
text; through the generic form too. A file that JAX printed without locations
or in the generic form comes back byte for byte.
"""
import gzip
import pathlib
import subprocess
import sys


def opt(text, *flags):
    done = subprocess.run(["partopt-opt", *flags], input=text, capture_output=True)
    if done.returncode:
        sys.exit(done.stderr.decode()[:2000])
    return done.stdout


def same(name, what, left, right):
    # MLIR's printer ends a file with one more line feed than JAX does.
    if left.rstrip(b"\n") == right.rstrip(b"\n"):
        return
    pairs = zip(left.split(b"\n"), right.split(b"\n"))
    for number, (old, new) in enumerate(pairs, start=1):
        if old != new:
            sys.exit(f"{name}, line {number}: {what} differs:\n{old[:300]}\n{new[:300]}")
    sys.exit(f"{name}: {what} differs in length")


def check(path):
    name = str(path)
    read = gzip.open if path.suffix == ".gz" else open
    with read(path, "rb") as file:
        text = file.read()
    pretty = opt(text)
    same(name, "the text printed twice", pretty, opt(pretty))
    generic = opt(text, "--mlir-print-op-generic")
    same(name, "the text by way of the generic form", pretty, opt(generic))
    if ".noloc." in name:
        same(name, "the pretty text", text, pretty)
    if ".generic." in name:
        same(name, "the generic text", text, generic)


folder = pathlib.Path(sys.argv[1])
files = sorted([*folder.rglob("*.mlir"), *folder.rglob("*.mlir.gz")])
for each in files:
    check(each)
print(f"{len(files)} models come back")
