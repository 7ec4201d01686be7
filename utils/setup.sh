#!/usr/bin/env bash
# Installs every Debian 12 package that building and testing partopt needs, as
# root or through sudo. Quick and silent when all of them are present.
set -euo pipefail

packages=(
  # Compiler, linker and the libraries that partopt is built on.
  clang-19 lld-19 libmlir-19-dev mlir-19-tools llvm-19-dev llvm-19-tools
  liblld-19-dev libclang-rt-19-dev cmake ninja-build ccache
  # Libraries of the plan file, the runtime and the driver.
  libopenblas0-pthread flatbuffers-compiler libflatbuffers-dev
  libxxhash-dev nlohmann-json3-dev libtomlplusplus-dev zlib1g-dev libzstd-dev
  # Checks and tests.
  clang-format-19 clang-tidy-19 libgtest-dev python3 python3-venv git
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "error: these packages are missing and neither root nor sudo is at hand:" \
      "${missing[*]}" >&2
    exit 2
  }
  root=(sudo)
fi

echo "setup: installing ${missing[*]}"
# Mirrors answer with passing errors now and then, so each step has a few tries.
try() {
  local attempt
  for attempt in 1 2 3 4; do
    "$@" && return 0
    echo "setup: attempt $attempt of '$*' failed" >&2
    sleep $((attempt * 5))
  done
  return 1
}
export DEBIAN_FRONTEND=noninteractive
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3)

# The package index is refreshed only when it does not know a package yet.
known() {
  local package
  for package in "${missing[@]}"; do
    [ -n "$(apt-cache madison "$package" 2>/dev/null)" ] || return 1
  done
}
known || try "${apt[@]}" update
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 ||
    { tail -5 "$log" >&2; "${apt[@]}" update >/dev/null; return 1; }
}
try install
