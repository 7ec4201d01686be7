"""Fourier transforms of all kinds and lengths against numpy's in long double:
fourier.py WORKDIR

One program per element type holds all cases. Errors are measured against the
root mean square of the exact result, in units of eps sqrt(log2 of the length):
one wrong root of unity is some thousands of them.
"""
import os
import subprocess
import sys

import numpy as np
from safetensors.numpy import load_file, save_file

sys.path.insert(0, os.path.dirname(__file__))
from kernel_cases import tensor as text  # noqa: E402

LENGTHS = [1, 2, 3, 4, 5, 7, 8, 12, 30, 31, 32, 60, 61, 64, 65, 66, 97, 100, 127, 128, 131, 256, 509, 1000,
           1009, 1018, 2187, 4096, 4099, 8190, 65536, 131072, 5 * 131071]
LIMIT = 1.5
REALS = {"f32": np.float32, "f64": np.float64}


def cases():
    """Kind, shape of the whole result of a forward transform, number of lengths."""
    for kind in ("FFT", "IFFT", "RFFT", "IRFFT"):
        for n in LENGTHS:
            yield kind, (n,), 1
            if n <= 1009:
                yield kind, (3, n), 1
        for n in (6, 64, 97, 131, 256):
            yield kind, (2, 17, n), 1
            yield kind, (5, n), 2
            yield kind, (n, 7), 2
        for shape in ((1, 1), (64, 64), (66, 80), (3, 131, 140), (2, 3, 1, 12)):
            yield kind, shape, 2
        for shape in ((4, 5, 6), (2, 7, 1, 9), (1, 2, 2, 2), (2, 33, 34, 66)):
            yield kind, shape, 3


def halved(shape):
    return (*shape[:-1], shape[-1] // 2 + 1)


def exact(kind, x, lengths):
    axes = tuple(range(-len(lengths), 0))
    x = x.astype(np.longdouble if kind == "RFFT" else np.clongdouble)
    if kind == "IRFFT":
        return np.fft.irfftn(x, lengths, axes)
    return {"FFT": np.fft.fftn, "IFFT": np.fft.ifftn, "RFFT": np.fft.rfftn}[kind](x, lengths, axes)


class Program:
    """A program of independent ops; complex numbers go in and out as two reals,
    since files have no complex numbers of two f64."""

    def __init__(self):
        self.arguments, self.lines, self.results, self.inputs, self.joins = [], [], [], {}, []

    def argument(self, array, element):
        parts = [array.real, array.imag] if np.iscomplexobj(array) else [array]
        names = []
        for part in parts:
            name = f"arg{len(self.arguments)}"
            self.arguments.append(f"%{name}: {text(array.shape, element)}")
            self.inputs[name] = np.ascontiguousarray(part)
            names.append("%" + name)
        if len(parts) == 1:
            return names[0]
        value = names[0] + "c"
        self.lines.append(f"{value} = stablehlo.complex {', '.join(names)} : {text(array.shape, f'complex<{element}>')}")
        return value

    def result(self, value, shape, element, is_complex):
        self.joins.append((len(self.results), is_complex))
        wide, part = text(shape, f"complex<{element}>"), text(shape, element)
        for op in ("real", "imag") if is_complex else ():
            self.lines.append(f"{value}_{op} = stablehlo.{op} {value} : ({wide}) -> {part}")
            self.results.append((f"{value}_{op}", part))
        if not is_complex:
            self.results.append((value, part))

    def run(self, path):
        model, given, got = path + ".mlir", path + ".in.safetensors", path + ".out.safetensors"
        types = ", ".join(t for _, t in self.results)
        body = "".join(f"  {line}\n" for line in self.lines)
        with open(model, "w") as file:
            file.write(f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{\n{body}"
                       f"  return {', '.join(r for r, _ in self.results)} : {types}\n}}\n")
        save_file(self.inputs, given)
        subprocess.run(["partopt", "run", model, "--inputs", given, "--outputs", got], check=True)
        outputs = load_file(got)
        return [outputs[f"out{i}"] + (1j * outputs[f"out{i + 1}"] if is_complex else 0)
                for i, is_complex in self.joins]


def main():
    workdir, failures, count = sys.argv[1], 0, 0
    os.makedirs(workdir, exist_ok=True)
    rng = np.random.default_rng(0)
    for real, dtype in REALS.items():
        program, expected = Program(), []
        for i, (kind, shape, rank) in enumerate(cases()):
            lengths = shape[-rank:]
            x = rng.standard_normal(halved(shape) if kind == "IRFFT" else shape).astype(dtype)
            if kind != "RFFT":
                x = x + 1j * rng.standard_normal(x.shape).astype(dtype)
            expected.append((kind, shape, rank, exact(kind, x, lengths)))
            given = text(x.shape, real if kind == "RFFT" else f"complex<{real}>")
            to = halved(shape) if kind == "RFFT" else shape
            result = text(to, real if kind == "IRFFT" else f"complex<{real}>")
            program.lines.append(f"%r{i} = stablehlo.fft {program.argument(x, real)}, type = {kind}, "
                                 f"length = {list(lengths)} : ({given}) -> {result}")
            program.result(f"%r{i}", to, real, kind != "IRFFT")
        worst = 0
        outputs = program.run(os.path.join(workdir, real))
        for got, (kind, shape, rank, reference) in zip(outputs, expected):
            count += 1
            unit = np.finfo(dtype).eps * np.sqrt(np.mean(np.abs(reference) ** 2))
            unit *= np.sqrt(1 + np.log2(np.prod(shape[-rank:])))
            errors = np.abs(got - reference) / unit
            error, single = np.sqrt(np.mean(errors ** 2)), np.max(errors)
            worst = max(worst, error)
            if not (error < LIMIT and single < 8 * LIMIT):
                failures += 1
                print(f"FAIL {kind} of {shape}, {rank} lengths, {real}: mean error {error:.2f}, worst {single:.2f}")
        print(f"{real}: mean errors of at most {worst:.2f} units")
    print(f"{count} transforms, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
