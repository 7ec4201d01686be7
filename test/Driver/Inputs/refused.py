"""Compiles every function of a file, alone and with its argument split, and
fails unless each ends with exit 2 and an error that has the op's line and name.

usage: refused.py FILE.mlir
"""
import re
import subprocess
import sys


def main():
    with open(sys.argv[1]) as file:
        lines = file.read().split("\n")
    starts = [i for i, line in enumerate(lines) if line.startswith("func.func")]
    faults = []
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        name = re.search(r"@(\w+)", lines[start])[1]
        for mesh in ("", 'sdy.mesh @mesh = <["x"=2]>\n'):
            head = lines[start].replace("@" + name, "@main")
            if mesh:
                rank = head.split("tensor<")[1].split(">")[0].count("x")
                dims = ", ".join(['{"x"}'] + ["{}"] * (rank - 1))
                head = head.replace(">)", f"> {{sdy.sharding = #sdy.sharding<@mesh, [{dims}]>}})", 1)
            text = mesh + "\n".join([head] + lines[start + 1:end])
            done = subprocess.run(["partopt", "compile", "-", "-o", "/dev/null"], input=text,
                                  capture_output=True, text=True)
            line = 3 if mesh else 2
            if done.returncode != 2 or not re.search(
                    rf"error: .*:{line}:\d+: .*stablehlo\.{name}'", done.stderr):
                faults.append(f"{name} {'split' if mesh else 'whole'}: exit {done.returncode}\n"
                              f"{done.stdout}{done.stderr}")
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
