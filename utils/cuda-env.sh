#!/usr/bin/env bash
# Prints the path of ptxas: $PARTOPT_PTXAS, in the PATH, of /usr/local/cuda, or
# what PyPI serves, which goes to .cache/cuda (bin and include). Prints nothing
# where there is none; tests that need it are then skipped.
set -uo pipefail
cd "$(dirname "$0")/.."

cache=$PWD/.cache/cuda
pins="nvidia-cuda-nvcc==13.0.88 nvidia-cuda-runtime==13.0.96"
find_ptxas() {
  PATH="$PATH:/usr/local/cuda/bin:$cache/bin" command -v "${PARTOPT_PTXAS:-ptxas}"
}
find_ptxas && exit 0

python=$(utils/test-env.sh) || exit 0
mkdir -p "$cache/bin"
# shellcheck disable=SC2086
"$python" -m pip install -q --disable-pip-version-check --target "$cache/packages" --no-deps $pins >&2 || {
  echo "note: no ptxas here, and none from PyPI" >&2
  exit 0
}
folder=$(dirname "$(dirname "$(find "$cache/packages" -name ptxas -type f | head -1)")")
ln -sfn "$folder/include" "$cache/include"
ln -sf "$folder/bin/ptxas" "$cache/bin/ptxas"
chmod +x "$folder/bin/ptxas"
find_ptxas
