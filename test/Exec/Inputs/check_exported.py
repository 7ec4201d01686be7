"""Exports a GPT's training step, with --form a mixture of experts', or a deep model's, and
runs it by strategies, each against JAX's results and the unpartitioned program's.

usage: check_exported.py SOURCE_ROOT FOLDER STRATEGY@MESH[@MICROBATCHES][:OPTION=VALUE] ...
         [-- [DEEP_MODEL] EXPORT_OPTION ...]

A STRATEGY without MESH, `none@`, runs the step as the exporter annotated it. With
:batch-statistics=micro and :steps=N results are those that the exporter's --micro
and --steps write.
Run by a Python that has JAX. DEEP_MODEL and EXPORT_OPTIONs are those of
utils/export_deep.py, utils/export_gpt.py and utils/export_moe.py.
"""
import subprocess
import sys


def main():
    root, folder, *rest = sys.argv[1:]
    cut = rest.index("--") if "--" in rest else len(rest)
    words, options = rest[:cut], rest[cut + 1:]
    exporter = ["export_moe.py" if "--form" in options else "export_gpt.py"]
    if options and not options[0].startswith("--"):
        exporter = ["export_deep.py", options.pop(0)]
    exporter[0] = f"{root}/utils/{exporter[0]}"
    subprocess.run([sys.executable, *exporter, folder, *options], check=True)
    failed = []
    for word in words:
        layout, *given = word.split(":")
        strategy, mesh, *micro = layout.split("@")
        expected = f"{folder}/expected{'_micro' if 'batch-statistics=micro' in given else ''}"
        if any(option.startswith("steps=") for option in given):
            expected += "_steps"
        given = [part for option in given for part in f"--{option}".split("=")]
        print(f"== {word}", flush=True)
        done = subprocess.run(
            ["partopt", "run", f"{folder}/model.mlir", "--strategy", strategy,
             *(["--mesh", mesh] if mesh else []), "--inputs", f"{folder}/inputs.safetensors",
             "--expect", f"{expected}.safetensors", "--rtol", "1e-4", "--atol", "1e-5", "--check",
             *(["--microbatches", micro[0]] if micro else []), *given])
        if done.returncode != 0:
            failed.append(f"{word}: exit {done.returncode}")
    sys.exit("\n".join(failed) if failed else 0)


if __name__ == "__main__":
    main()
