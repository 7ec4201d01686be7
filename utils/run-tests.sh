#!/usr/bin/env bash
# The README's second command: set-up, build with warnings as errors, and every
# test. The last line sums them: "N passed, N failed, N skipped". Exit 1 when
# anything failed.
#   --no-tsan   leave out the runtime's tests under ThreadSanitizer
#   --no-asan   leave out import, driver and runtime under AddressSanitizer and
#               UndefinedBehaviorSanitizer
set -uo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=utils/tally.sh
. utils/tally.sh

tsan=1 asan=1
for argument in "$@"; do
  case $argument in
    --no-tsan) tsan=0 ;;
    --no-asan) asan=0 ;;
    *) echo "error: unknown option '$argument'; there are --no-tsan and --no-asan" >&2; exit 2 ;;
  esac
done

jobs=$(nproc)
utils/setup.sh || exit 1
PARTOPT_JAX_PYTHON=$(utils/test-env.sh) || exit 1
export PARTOPT_JAX_PYTHON
# The CUDA driver is built and tested without a GPU, against a toolkit if there is one
# and NCCL beside it.
toolkit=/usr/local/cuda/include
[ -n "${CUDA_HOME:-}" ] ||
  { [ -e $toolkit/cuda.h ] && { [ -e $toolkit/nccl.h ] || [ -e /usr/include/nccl.h ]; }; } ||
  { CUDA_HOME=$(utils/cuda-headers.sh) && export CUDA_HOME; } ||
  echo "note: no CUDA headers, so the CUDA driver is left out" >&2

section "checks of the sources"
step "format" utils/format.sh --check
step "layering" python3 utils/check-layering.py
step "sizes" python3 utils/check-sizes.py

section "build"
build() {
  cmake --preset "$1" >"$2.log" 2>&1 && cmake --build --preset "$1" -j "$jobs" >>"$2.log" 2>&1 ||
    { grep -E 'error|FAILED|warning' "$2.log" | head -40; tail -40 "$2.log"; return 1; }
}
mkdir -p .cache
if ! step "build (preset ci)" build ci .cache/build-ci; then
  summary
  exit 1
fi
step "clang-tidy of changed files" utils/tidy.sh

section "tests"
run_suite build
if [ "$tsan" = 1 ]; then
  section "runtime under ThreadSanitizer"
  step "build (preset tsan)" build tsan .cache/build-tsan && run_suite build-tsan
fi
if [ "$asan" = 1 ]; then
  section "import, driver and runtime under AddressSanitizer and UndefinedBehaviorSanitizer"
  # shellcheck source=utils/sanitizer-options.sh
  . utils/sanitizer-options.sh
  step "build (preset asan)" build asan .cache/build-asan &&
    LIT_FILTER='(Dialect|Import|Driver)/|Exec/(plan-file|small-programs|mlp_train)' \
      run_suite build-asan -E "^op-cases"
fi

summary
