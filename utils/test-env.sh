#!/usr/bin/env bash
# Makes the Python environment of the tests (.cache/venv: JAX as an oracle,
# never needed by the product) and prints its interpreter's path.
# PARTOPT_JAX_PYTHON names an existing one instead.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -n "${PARTOPT_JAX_PYTHON:-}" ]; then
  echo "$PARTOPT_JAX_PYTHON"
  exit 0
fi

venv=$PWD/.cache/venv
pins="jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 safetensors==0.8.0 ml_dtypes==0.6.0"
if [ "$(cat "$venv/pins" 2>/dev/null || true)" != "$pins" ]; then
  rm -rf "$venv"
  mkdir -p .cache
  python3 -m venv "$venv" >&2
  for attempt in 1 2 3 4; do
    # shellcheck disable=SC2086
    if "$venv/bin/pip" install -q --disable-pip-version-check $pins >&2; then
      break
    fi
    [ "$attempt" -lt 4 ] || exit 1
    sleep $((attempt * 5))
  done
  echo "$pins" >"$venv/pins"
fi
echo "$venv/bin/python"
