"""Compiles a GPT's training step by cp as a ring and by gathering, and compares what
a device computes and holds.

usage: check_ring.py MODEL MESH --shape LAYERS,ROWS,HEADS,SEQ,WIDTH --causal yes|no
         [--memory FRACTION] [partopt options...]

One product of attention over all pairs of queries and keys takes U = ROWS HEADS SEQ
SEQ/n WIDTH multiplications per device, with n devices on the axis context (a ring
takes n blocks of ceil(SEQ/n) keys). A training step has two forward (scores, output)
and four backward; a ring makes scores again, which is one more, and under a causal
mask computes 2n+1 of 4n pairs of half blocks, of which the scores of one, in front of both
loops, are computed once. All devices run one program, so this is
each one's. Fails unless the products of the scheduled programs take exactly this, one
class of ranks runs them, nothing in the ring has the dimension of all keys, and
(--memory) the ring's temporaries are at most that fraction of the others'.
"""
import argparse
import json
import math
import re
import subprocess
import sys
import tempfile

DOT = re.compile(r"stablehlo\.dot_general .*batching_dims = \[.*contracting_dims = \[([\d, ]+)\] x "
                 r".*: \(tensor<([\dx]+)x\w+>, .*\) -> tensor<([\dx]+)x\w+>")


def sizes(text):
    return [int(size) for size in text.split("x")]


def products(text):
    """Multiplications of products with rows or heads in common, loops included."""
    total, trips = 0, 1
    for line in text.splitlines():
        if begin := re.search(r"comm\.loop_begin \"\w+\" = (\d+)", line):
            trips = int(begin[1])
        elif "comm.loop_end" in line:
            trips = 1
        elif dot := DOT.search(line):
            contracted = math.prod(sizes(dot[2])[int(d)] for d in dot[1].split(","))
            total += trips * contracted * math.prod(sizes(dot[3]))
    return total


def compiled(model, mesh, form, rest):
    command = ["partopt", "compile", model, "--strategy", "cp", "--mesh", mesh, "--cp-form", form,
               *rest]
    text = subprocess.run([*command, "--compile-to", "schedule"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([*command, "-o", f"{work}/plan", "--report-json", f"{work}/report"],
                       check=True, stdout=subprocess.DEVNULL)
        with open(f"{work}/report") as file:
            return text, json.load(file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("mesh")
    parser.add_argument("--shape", required=True)
    parser.add_argument("--causal", choices=("yes", "no"), required=True)
    parser.add_argument("--memory", type=float)
    given, rest = parser.parse_known_args()
    layers, rows, heads, seq, width = (int(size) for size in given.shape.split(","))
    n = int(given.mesh.split("=")[1])
    block = -(-seq // n)
    one = layers * rows * heads * block * width
    wanted = {"gather": 6 * one * seq, "ring": 7 * one * block * n}
    if given.causal == "yes":
        pair = layers * rows * heads * (block // 2) ** 2 * width
        wanted["ring"] = (7 * (2 * n + 1) - 1) * pair
    held = {}
    for form in wanted:
        text, report = compiled(given.model, given.mesh, form, rest)
        held[form] = report["memory"]["temporaries"]
        found = products(text)
        print(f"{form}: {found} multiplications, {held[form]} bytes of temporaries")
        if found != wanted[form]:
            sys.exit(f"{form}: {wanted[form]} multiplications by the formula")
        scores = re.search(rf"tensor<{rows}x{heads}x{block}x{seq}xf32>", text)
        if bool(scores) != (form == "gather"):
            sys.exit(f"{form}: scores of all keys {'found' if scores else 'not found'}")
    if given.memory and held["ring"] > given.memory * held["gather"]:
        sys.exit(f"the ring holds more than {given.memory} of what gathering does")


if __name__ == "__main__":
    main()
