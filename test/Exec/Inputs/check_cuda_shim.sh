#!/bin/sh
# usage: check_cuda_shim.sh FOLDER RTOL COMPILE-ARGS...
# Compiles a plan for the host, runs it there, and runs its kernels through the
# CUDA driver on the stand-in for a GPU: as graphs and without, with operations in
# drawn orders. Results must agree within RTOL, and nothing may race (which is
# exit 4). Prints a line for each run.
set -e
folder=$1 rtol=$2
shift 2
mkdir -p "$folder"
partopt compile "$@" -o "$folder/host.plan" > /dev/null
partopt-shim-plan "$folder/host.plan" "$folder/gpu.plan"
run="--inputs random:3 --steps 2 --quiet"
partopt-run "$folder/host.plan" $run --outputs "$folder/host.safetensors" > /dev/null
export PARTOPT_SHIM_KERNELS="$folder/gpu.plan.kernels"
for graph in on off; do
  for seed in 1 2; do
    PARTOPT_SHIM_SEED=$seed partopt-run "$folder/gpu.plan" --driver cuda $run --cuda-graph $graph \
      --expect "$folder/host.safetensors" --rtol "$rtol" --atol "$rtol"
  done
done
