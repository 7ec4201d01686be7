#!/usr/bin/env bash
# The whole suite under AddressSanitizer and UndefinedBehaviorSanitizer.
set -uo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=utils/tally.sh
. utils/tally.sh
utils/setup.sh || exit 1
PARTOPT_JAX_PYTHON=$(utils/test-env.sh) || exit 1
export PARTOPT_JAX_PYTHON
# shellcheck source=utils/sanitizer-options.sh
. utils/sanitizer-options.sh
build() { cmake --preset asan >/dev/null && cmake --build --preset asan -j "$(nproc)"; }
step "build (preset asan)" build || { summary; exit 1; }
run_suite build-asan
summary
