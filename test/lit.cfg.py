"""Configuration of the lit tests; test/CMakeLists.txt fills in the paths.

Substitutions beside the tools' names:
  %exit N CMD...   runs CMD and passes when it exits with exactly N
  %build_root      the build folder
  %models          the project's own copies of the models
  %shared_models   the larger set of models (feature `shared`)
  %jax_python      a Python with JAX (feature `jax`)
  %on_emulated_gpu runs a command whose kernels are for the emulated GPU
  %ptxas           NVIDIA's assembler (feature `ptxas`)
"""
import os
import shutil

import lit.formats

config.name = "partopt"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Models", "Inputs", "cases", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_root, "test")

path = [os.path.join(config.build_root, "bin"), config.llvm_bin, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "OPENBLAS_CORETYPE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

source = config.source_root
config.substitutions += [
    ("%exit", f"python3 {source}/utils/expect-exit.py"),
    ("%models", os.path.join(source, "test", "Models")),
    ("%source_root", source),
    ("%build_root", config.build_root),
]

config.substitutions.append((
    "%on_emulated_gpu",
    f"env PARTOPT_TEST_GPU_ARCH=emulated LD_PRELOAD={config.build_root}/lib/libpartopt-emulated-gpu.so"))
ptxas = (os.environ.get("PARTOPT_PTXAS") or shutil.which("ptxas")
         or shutil.which("ptxas", path="/usr/local/cuda/bin")
         or shutil.which("ptxas", path=os.path.join(source, ".cache", "cuda", "bin")))
if ptxas:
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
    config.environment["PARTOPT_PTXAS"] = ptxas

shared = os.environ.get("PARTOPT_SHARED", os.path.join(source, "..", "shared"))
if os.path.isdir(os.path.join(shared, "models")):
    config.available_features.add("shared")
    config.substitutions.append(("%shared_models", os.path.join(os.path.abspath(shared), "models")))

jax_python = os.environ.get("PARTOPT_JAX_PYTHON", os.path.join(source, ".cache", "venv", "bin", "python"))
if os.path.exists(jax_python):
    config.available_features.add("jax")
    config.substitutions.append(("%jax_python", jax_python))
