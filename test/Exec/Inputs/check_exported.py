"""Exports a GPT's training step, or with --form a mixture of experts', and runs it by strategies, each against JAX's
results and the unpartitioned program's.

usage: check_exported.py SOURCE_ROOT FOLDER STRATEGY@MESH[@MICROBATCHES][:OPTION=VALUE] ...
         [-- EXPORT_OPTION ...]

A STRATEGY without MESH, `none@`, runs the step as the exporter annotated it.
Run by a Python that has JAX. EXPORT_OPTIONs are those of utils/export_gpt.py
and utils/export_moe.py.
"""
import subprocess
import sys


def main():
    root, folder, *rest = sys.argv[1:]
    cut = rest.index("--") if "--" in rest else len(rest)
    words, options = rest[:cut], rest[cut + 1:]
    exporter = "export_moe.py" if "--form" in options else "export_gpt.py"
    subprocess.run([sys.executable, f"{root}/utils/{exporter}", folder, *options], check=True)
    failed = []
    for word in words:
        layout, *given = word.split(":")
        strategy, mesh, *micro = layout.split("@")
        given = [part for option in given for part in f"--{option}".split("=")]
        print(f"== {word}", flush=True)
        done = subprocess.run(
            ["partopt", "run", f"{folder}/model.mlir", "--strategy", strategy,
             *(["--mesh", mesh] if mesh else []), "--inputs", f"{folder}/inputs.safetensors", "--expect",
             f"{folder}/expected.safetensors", "--rtol", "1e-4", "--atol", "1e-5", "--check",
             *(["--microbatches", micro[0]] if micro else []), *given])
        if done.returncode != 0:
            failed.append(f"{word}: exit {done.returncode}")
    sys.exit("\n".join(failed) if failed else 0)


if __name__ == "__main__":
    main()
