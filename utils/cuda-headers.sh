#!/usr/bin/env bash
# Makes .cache/cuda-headers: the headers of the CUDA driver, cuBLASLt and NCCL from
# PyPI's wheels, for machines without a CUDA Toolkit. Prints the folder for
# -DPARTOPT_CUDA_ROOT. Libraries are left out: without a GPU nothing loads them.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/.cache/cuda-headers
pins="nvidia-cuda-runtime==13.0.96 nvidia-cublas==13.1.0.3 nvidia-nccl-cu13==2.28.9"
if [ "$(cat "$folder/pins" 2>/dev/null || true)" != "$pins" ]; then
  rm -rf "$folder" && mkdir -p "$folder/include"
  python=$(utils/test-env.sh)
  wheels=$(mktemp -d)
  trap 'rm -rf "$wheels"' EXIT
  # shellcheck disable=SC2086
  "$python" -m pip download -q --no-deps -d "$wheels" $pins >&2
  "$python" - "$wheels" "$folder/include" <<'PY'
import os, shutil, sys, zipfile
wheels, folder = sys.argv[1:]
for name in os.listdir(wheels):
    with zipfile.ZipFile(os.path.join(wheels, name)) as wheel:
        for member in wheel.namelist():
            if "/include/" in member and not member.endswith("/"):
                path = os.path.join(folder, member.split("/include/", 1)[1])
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with wheel.open(member) as source, open(path, "wb") as out:
                    shutil.copyfileobj(source, out)
PY
  echo "$pins" >"$folder/pins"
fi
echo "$folder"
