#!/usr/bin/env bash
# The README's first command: set-up, build, and the main job on a model of the
# repository. A GPT training step that was exported for one device runs on 8
# ranks: its plan's collectives, the loss falling over some steps, and the proof
# that the result equals the single-device one.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/setup.sh
if [ ! -f build/CMakeCache.txt ]; then
  cmake --preset release >/dev/null
fi
echo "== build (the first one takes 5 to 20 minutes; every tenth step is shown)"
# The build's own exit status counts, whatever is left of its output.
cmake --build build --target partopt -j "$(nproc)" | { grep -vE '^\[[0-9]*[1-9]/[0-9]+\]' || true; }

model=test/Models/gpt_train_small
partopt=build/bin/partopt
form=fsdp8

echo "== the plan of $model, fully sharded over 8 ranks"
$partopt explain $model/model_sharded_$form.mlir --section collectives

echo "== 10 steps on 8 ranks, the same batch again: the loss falls"
$partopt run $model/model_sharded_$form.mlir --inputs $model/inputs.safetensors --steps 10

echo "== one step against the expected results, written by JAX on one device"
$partopt run $model/model_sharded_$form.mlir --inputs $model/inputs.safetensors \
  --expect $model/expected.safetensors --rtol 1e-4 --atol 1e-5

echo "== one step against partopt's own unpartitioned program"
$partopt run $model/model_sharded_$form.mlir --inputs $model/inputs.safetensors --check
