"""Runs the deep models as pipelines: every schedule with every number of stages and
microbatches, alone and mixed with other strategies on eight ranks. Five steps must equal
JAX's on one device and the unpartitioned program's, or the compiler must refuse with a reason.

usage: sweep_pipelines.py FOLDER [--models A,B] [--ranks 2,4,8] [--microbatches 1,2,...]
                          [--schedules A,B] [--mixtures yes|no|only] [--part I/N] [--driver cuda]

FOLDER takes the exported models, which stay there for the next time. With --part 2/4 every
fourth case is run, from the second. With --driver cuda kernels are compiled for a GPU, and
nothing runs. Run by a Python that has JAX; `partopt` is found in PATH. The last line counts;
the exit status is 1 where a case failed.
"""
import argparse
import itertools
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ["gpt_deep", "mlp_deep", "moe_deep", "skip", "scan"]
SCHEDULES = ("gpipe 1f1b eager-1f1b interleaved looped-bfs zb-h1 zb-h2 interleaved-zb zb-v "
             "v-half v-min dualpipe dualpipev auto").split()
# By the ranks of the pipeline: what eight devices are besides.
MIXTURES = {
    2: [("ddp", "data=4"), ("fsdp", "data=4"), ("zero1", "data=4"), ("zero2", "data=2"),
        ("tp", "model=4"), ("tp+sp", "model=2"), ("fsdp+tp", "data=2,model=2"),
        ("cp", "context=2"), ("fsdp+cp+tp", "data=2,context=1,model=2"), ("ep", "expert=4")],
    4: [("ddp", "data=2"), ("fsdp", "data=2"), ("tp", "model=2"), ("tp+sp", "model=2"),
        ("cp", "context=2"), ("ep", "expert=2")],
}


def fits(model, words):
    """Attention and experts are not in every model."""
    if "ep" in words:
        return model == "moe_deep"
    if "cp" in words or "sp" in words:
        return model in ("gpt_deep", "scan")
    return True


def cases(options):
    for model, ranks, microbatches in itertools.product(
            options.models, options.ranks, options.microbatches):
        layouts = [("pp", f"pipe={ranks}")] if options.mixtures != "only" else []
        if options.mixtures != "no":
            layouts += [(f"pp+{words}", f"pipe={ranks},{mesh}")
                        for words, mesh in MIXTURES.get(ranks, [])
                        if fits(model, words.split("+"))]
        for (strategy, mesh), schedule in itertools.product(layouts, options.schedules):
            yield model, strategy, mesh, microbatches, schedule


def export(folder, model):
    target = folder / model
    if not (target / "model.mlir").exists():
        subprocess.run([sys.executable, ROOT / "utils" / "export_deep.py", model, target,
                        "--steps", "5"], check=True)
    return target


def run(options, case):
    """None where it went well, "" where it was refused, else what went wrong."""
    model, strategy, mesh, microbatches, schedule = case
    folder = options.folder / model
    command = ["partopt", "run", folder / "model.mlir", "--strategy", strategy, "--mesh", mesh,
               "--microbatches", str(microbatches), "--schedule", schedule]
    if model == "moe_deep" and microbatches > 1:
        command += ["--batch-statistics", "micro"]
    if options.driver == "cuda":
        command[1] = "compile"
        command += ["--driver", "cuda", "-o", os.devnull]
    else:
        command += ["--inputs", folder / "inputs.safetensors", "--steps", "5", "--check", "--quiet"]
        if "--batch-statistics" not in command:
            command += ["--expect", folder / "expected_steps.safetensors", "--rtol", "1e-4",
                        "--atol", "1e-5"]
    with tempfile.TemporaryDirectory() as work:
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=work, timeout=600)
        except subprocess.TimeoutExpired:
            return "does not end"
    if done.returncode == 0:
        return None
    lines = done.stderr.strip().splitlines() or [""]
    if done.returncode == 2 and "internal" not in done.stderr and lines[0].startswith("error: "):
        options.reasons.setdefault(lines[0], case)
        return ""
    return f"exit {done.returncode}: {lines[0]}"


def names(text):
    return text.split(",")


def numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--models", type=names, default=MODELS)
    parser.add_argument("--ranks", type=numbers, default=[2, 4, 8])
    parser.add_argument("--microbatches", type=numbers, default=[1, 2, 4, 8, 16, 32])
    parser.add_argument("--schedules", type=names, default=SCHEDULES)
    parser.add_argument("--mixtures", choices=["yes", "no", "only"], default="no")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--driver", choices=["host", "cuda"], default="host")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    options.reasons = {}
    for model in options.models:
        export(options.folder, model)
    part, parts = (int(number) for number in options.part.split("/"))
    passed = refused = 0
    failed = []
    for case in itertools.islice(cases(options), part - 1, None, parts):
        wrong = run(options, case)
        passed += wrong is None
        refused += wrong == ""
        if wrong:
            failed.append(case)
            print("failed:", *case, wrong, flush=True)
    for reason, case in options.reasons.items():
        print("refused:", *case, reason)
    print(f"{passed} passed, {refused} refused, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
