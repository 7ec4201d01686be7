#!/usr/bin/env python3
"""The convolutions of a model, forward and gradients, beside oneDNN: one thread
each, both sides in one run, in turns.

What the figures mean, in microseconds per convolution, min / median / max over
the repetitions:
  partopt     the kernels that the convolution becomes, copies of the weights
              included
  oneDNN      the same arrays as they lie in the program (NHWC, HWIO), copies of
              the weights to its own layout included
  im2col      the windows copied into a matrix (or added back from one), and one
              product of OpenBLAS
  oneDNN any  oneDNN with layouts of its choice for everything, copies not
              counted: what a program in blocked layouts would pay

usage: convolutions.py [--model FILE.mlir] [--isa AVX2] [--repeat 5] [-o OUT.json]
Needs libdnnl-dev, and partopt-opt and partopt-kernel-test in build/bin.
"""
import argparse
import ctypes
import json
import os
import platform
import re
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BIN = os.path.join(ROOT, "build", "bin")
CONVOLUTION = re.compile(
    r"stablehlo\.convolution\((%\w+), (%\w+)\) dim_numbers = (\[[^=]*\]), window = \{stride = "
    r"\[(\d+), (\d+)\], pad = \[\[(-?\d+), (-?\d+)\], \[(-?\d+), (-?\d+)\]\], lhs_dilate = "
    r"\[(\d+), \d+\], rhs_dilate = \[(\d+), \d+\].*?: \(tensor<([\dx]+)xf32>, "
    r"tensor<([\dx]+)xf32>\) -> tensor<([\dx]+)xf32>")
KINDS = {"[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]": 0,
         "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]": 1,
         "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]": 2}
NAMES = ["forward", "data gradient", "weight gradient"]


class Case:
    """One convolution of the model: its text and oneDNN's view of it."""

    def __init__(self, line, match):
        self.text = line[line.index("stablehlo.convolution"):line.rindex(" loc(")]
        self.operands = match[1], match[2]
        self.kind = KINDS[match[3]]
        pad = [int(p) for p in match.groups()[5:9]]
        stride, self.lhs, self.rhs, self.out = int(match[4]), *(
            [int(n) for n in match[i].split("x")] for i in (12, 13, 14))
        if self.kind == 0:
            src, dst, weights = self.lhs, self.out, self.rhs
        elif self.kind == 1:
            src, dst, weights = self.out, self.lhs, self.rhs
            stride = int(match[10])
            pad = [weights[0] - 1 - pad[0], 0, weights[1] - 1 - pad[2], 0]
        else:
            src, dst, weights = self.lhs, self.rhs, self.out
            stride = int(match[11])
        low = pad[0], pad[2]
        high = [max(0, (dst[1 + d] - 1) * stride + weights[d] - src[1 + d] - low[d])
                for d in range(2)]
        self.sizes = [src[0], src[3], src[1], src[2], dst[3], dst[1], dst[2],
                      weights[0], weights[1], stride, *low, *high]
        self.flops = 2 * dst[0] * dst[1] * dst[2] * dst[3] * src[3] * weights[0] * weights[1]
        self.name = (f"{NAMES[self.kind]} {src[1]}x{src[2]}x{src[3]} -> {dst[1]}x{dst[2]}x{dst[3]}"
                     f", {weights[0]}x{weights[1]}/{stride}")

    def program(self, number):
        """The convolution as a function; a data gradient reverses its kernel."""
        a, b, r = ("tensor<" + "x".join(map(str, s)) + "xf32>"
                   for s in (self.lhs, self.rhs, self.out))
        text = self.text.replace("(" + ", ".join(self.operands) + ")", "(%a, %k)")
        reverse = f"  %k = stablehlo.reverse %b, dims = [0, 1] : {b}\n" if self.kind == 1 else ""
        if not reverse:
            text = text.replace("%k", "%b")
        return (f"func.func @c{number}(%a: {a}, %b: {b}) -> {r} {{\n{reverse}  %r = {text}\n"
                f"  return %r : {r}\n}}\n")


def read_cases(path):
    seen = {}
    for line in open(path):
        match = CONVOLUTION.search(line)
        if match:
            case = Case(line.rstrip(), match)
            seen.setdefault(case.name, case)
            seen[case.name].count = getattr(seen[case.name], "count", 0) + 1
    return list(seen.values())


class Timer:
    def __init__(self, folder, cases, budget):
        self.budget = ctypes.c_double(budget)
        path = os.path.join(folder, "timer.so")
        subprocess.run(["c++", "-O2", "-std=c++17", "-shared", "-fPIC", "-o", path,
                        os.path.join(ROOT, "bench", "convolution_timer.cpp"), "-ldnnl", "-l:libopenblas.so.0"],
                       check=True)
        self.timer = ctypes.CDLL(path)
        for function in (self.timer.time_kernels, self.timer.time_dnnl, self.timer.time_im2col):
            function.restype = ctypes.c_double
        source, formed, image = (os.path.join(folder, n) for n in ("a.mlir", "b.mlir", "k.so"))
        with open(source, "w") as file:
            file.writelines(case.program(i) for i, case in enumerate(cases))
        subprocess.run([os.path.join(BIN, "partopt-opt"), "--partopt-form-kernels", source,
                        "-o", formed], check=True)
        subprocess.run([os.path.join(BIN, "partopt-kernel-test"), formed, image], check=True)
        self.kernels, self.text, self.keep = ctypes.CDLL(image), open(formed).read(), []

    def buffer(self, tensor):
        count = 1
        for size in re.findall(r"(\d+)x", tensor):
            count *= int(size)
        raw = (ctypes.c_float * (count + 32))(*([0.5] * (count + 32)))
        self.keep.append(raw)
        return ctypes.addressof(raw) + -ctypes.addressof(raw) % 64

    def partopt(self, number):
        """A closure that times the kernels of function `number`."""
        header, body = re.search(rf"func\.func @c{number}\((.*?)\) -> .*?\{{\n(.*?)\n  \}}",
                                 self.text, re.S).groups()
        values = {name: self.buffer(t) for name, t in re.findall(r"(%\w+): (tensor<\S+?>)", header)}
        calls = []
        for line in body.split("\n"):
            call = re.search(r"(%\w+) = (?:func\.)?call @(\w+)\((.*?)\) : .*-> (tensor<\S+>)", line)
            if call:
                values[call[1]] = self.buffer(call[4])
                calls.append((call[2], [values[v] for v in call[3].split(", ")] + [values[call[1]]]))
            elif not line.strip().startswith("return"):
                view = re.search(r"(%\w+) = stablehlo.reshape (%\w+)", line)
                if not view:
                    raise ValueError("not a kernel: " + line)
                values[view[1]] = values[view[2]]
        functions = (ctypes.c_void_p * len(calls))(
            *[ctypes.cast(getattr(self.kernels, name), ctypes.c_void_p).value for name, _ in calls])
        arguments = [(ctypes.c_void_p * len(pointers))(*pointers) for _, pointers in calls]
        lists = (ctypes.c_void_p * len(calls))(*[ctypes.addressof(a) for a in arguments])
        self.keep.append(arguments)
        return lambda: self.timer.time_kernels(functions, lists, len(calls), self.budget)

    def dnnl(self, case, plain):
        sizes = (ctypes.c_int64 * 14)(*case.sizes)
        return lambda: self.timer.time_dnnl(case.kind, sizes, plain, self.budget)

    def im2col(self, case):
        sizes = (ctypes.c_int64 * 14)(*case.sizes)
        return lambda: self.timer.time_im2col(case.kind, sizes, self.budget)


def spread(values):
    micro = [v * 1e6 for v in values]
    return {"min": round(min(micro), 2), "median": round(statistics.median(micro), 2),
            "max": round(max(micro), 2), "n": len(micro)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default=os.path.join(ROOT, "test/Models/resnet_train/model.mlir"))
    parser.add_argument("--isa", default="AVX2", help="oneDNN's ONEDNN_MAX_CPU_ISA")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--budget", type=float, default=0.03, help="seconds per measurement")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                      ONEDNN_MAX_CPU_ISA=options.isa)
    cases = read_cases(options.model)
    with tempfile.TemporaryDirectory() as folder:
        timer = Timer(folder, cases, options.budget)
        sides = [[timer.partopt(i), timer.dnnl(case, 1), timer.dnnl(case, 0),
                  timer.im2col(case)]
                 for i, case in enumerate(cases)]
        times = [[[], [], [], []] for _ in cases]
        for _ in range(options.repeat):
            for row, measured in zip(sides, times):
                for side, values in zip(row, measured):
                    values.append(side())
    keys = ["partopt", "onednn", "onednn_any", "im2col"]
    rows = [{"name": case.name, "count": case.count, "flops": case.flops,
             **{key: spread(values) for key, values in zip(keys, measured)}}
            for case, measured in zip(cases, times)]
    total = {key: round(sum(r["count"] * r[key]["median"] for r in rows), 1) for key in keys}
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo")
                if line.startswith("model name")), platform.processor())
    report = {"cpu": cpu, "load": os.getloadavg()[0], "isa": options.isa, "unit": "us",
              "convolutions": rows, "step_total": total}
    for r in rows:
        print(f"{r['name']:58} x{r['count']}  " + "  ".join(
            f"{r[k]['median']:8.1f}" for k in keys) + f"  {r['flops'] / r['partopt']['median'] / 1e3:6.1f} GFLOP/s")
    print(f"{'all convolutions of a step':62} " + "  ".join(f"{total[k]:8.1f}" for k in keys))
    if options.output:
        with open(options.output, "w") as file:
            json.dump(report, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
