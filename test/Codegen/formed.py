"""Forms kernels out of small programs, runs them and compares with StableHLO's
reference interpreter: formed.py PARTOPT_OPT PARTOPT_KERNEL_TEST WORKDIR [NAME...]
"""
import ctypes
import os
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(__file__))
from kernel_cases import program_cases  # noqa: E402
from kernels import differs, module_text, random_array, reference  # noqa: E402
from program import execute, run  # noqa: E402


def main():
    opt, tool, workdir, *names = sys.argv[1:]
    os.makedirs(workdir, exist_ok=True)
    path = lambda name: os.path.join(workdir, name)  # noqa: E731
    cases = [c for c in program_cases() if not names or c[0] in names]
    with open(path("a.mlir"), "w") as file:
        for case in cases:
            file.write(module_text(case, "p_" + case[0], ""))
    text = run([opt, "--partopt-form-kernels", "--partopt-verify-kernel-form", path("a.mlir")],
               path("b.mlir"))
    subprocess.run([tool, path("b.mlir"), path("k.so"), "--time"], check=True)
    library = ctypes.CDLL(os.path.abspath(path("k.so")))
    failures = 0
    for index, case in enumerate(cases):
        name, arguments, results, _ = case
        rng = np.random.default_rng(index)
        inputs = [random_array(rng, t, kind) for t, kind in arguments]
        with np.errstate(all="ignore"):
            got = execute(text, "p_" + name, library, inputs)
            expected = reference(case, inputs)
        for r, (a, b, t) in enumerate(zip(got, expected, results)):
            problem = differs(name, a, b, t)
            if problem:
                failures += 1
                print(f"FAIL {name} result {r}: {problem}"[:1000])
    print(f"{len(cases)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
