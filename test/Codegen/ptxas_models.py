"""Assembles every kernel of some models for several architectures and fails
where a register is spilled or a thread needs local memory:
  ptxas_models.py PARTOPT PTXAS WORKDIR MODEL...
"""
import os
import re
import subprocess
import sys

ARCHITECTURES = {"sm_80": "80", "sm_90": "90", "sm_100": "90"}
ENTRY = re.compile(r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores, "
                   r"(\d+) bytes spill loads.*?Used (\d+) registers", re.S)


def main():
    partopt, ptxas, workdir, *models = sys.argv[1:]
    failures = 0
    for model in models:
        name = os.path.basename(os.path.dirname(model))
        kept = os.path.join(workdir, name)
        os.makedirs(kept, exist_ok=True)
        subprocess.run([partopt, "compile", model, "--driver", "cuda", "--gpu-arch", "sm_90", "--keep-kernels", kept,
                        "-o", os.path.join(kept, "plan"), "--quiet"], check=True)
        for arch, compute in ARCHITECTURES.items():
            ptx = os.path.join(kept, f"kernels.compute_{compute}.ptx")
            out = subprocess.run([ptxas, "-v", f"-arch={arch}", ptx, "-o", os.path.join(kept, "cubin")], check=True,
                                 capture_output=True, text=True)
            entries = ENTRY.findall(out.stderr + out.stdout)
            with open(ptx) as file:
                expected = file.read().count(".entry ")
            bad = [entry for entry in entries if any(int(n) for n in entry[1:4])]
            for entry in bad:
                print(f"{name} {arch} {entry[0]}: stack {entry[1]}, spill stores {entry[2]}, loads {entry[3]} bytes")
            most = max(int(entry[4]) for entry in entries)
            print(f"{name} {arch}: {len(entries)} of {expected} grids, {len(bad)} spill, at most {most} registers")
            failures += len(bad) + (len(entries) != expected)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
