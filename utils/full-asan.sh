#!/usr/bin/env bash
# The whole suite under AddressSanitizer and UndefinedBehaviorSanitizer.
set -uo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=utils/tally.sh
. utils/tally.sh
utils/setup.sh || exit 1
PARTOPT_JAX_PYTHON=$(utils/test-env.sh) || exit 1
export PARTOPT_JAX_PYTHON
# libMLIR and libLLVM are not instrumented, so containers that cross that border,
# and their bump allocators that headers poison here and the libraries use there,
# would be reported falsely; one-time allocations of LLVM are not leaks.
export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS:-}
build() { cmake --preset asan >/dev/null && cmake --build --preset asan -j "$(nproc)"; }
step "build (preset asan)" build || { summary; exit 1; }
run_suite build-asan
summary
