# Sourced by the test scripts: runs steps and suites and sums their results
# from the JUnit files that ctest and lit write.
passed=0 failed=0 skipped=0 failures=()

section() { printf '== %s\n' "$*"; }

# step NAME COMMAND...: one check that counts as one test.
step() {
  local name=$1 started=$SECONDS
  shift
  if "$@"; then
    passed=$((passed + 1))
    printf 'ok      %s (%d s)\n' "$name" $((SECONDS - started))
  else
    failed=$((failed + 1))
    failures+=("$name")
    printf 'FAILED  %s (%d s)\n' "$name" $((SECONDS - started))
    return 1
  fi
}

# run_suite BUILD_DIR [CTEST_ARGUMENT...]: ctest, whose entry "lit" stands for the
# lit tests; those are counted one by one from lit's own file. LIT_FILTER, where
# it is set, selects some of them.
run_suite() {
  local dir=$1 started=$SECONDS line
  shift
  rm -f "$dir/ctest.xml" "$dir/test/lit.xml"
  ctest --test-dir "$dir" --output-junit ctest.xml --output-on-failure -j "$(nproc)" \
    --timeout 900 --no-tests=error "$@" >"$dir/ctest.log" 2>&1 || true
  line=$(python3 utils/sum-results.py "$dir/ctest.xml" "$dir/test/lit.xml" "$dir/test-failures.txt")
  read -r p f s <<<"$line"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  printf '%s: %d passed, %d failed, %d skipped (%d s)\n' "$dir" "$p" "$f" "$s" $((SECONDS - started))
  if [ "$f" -ne 0 ]; then
    mapfile -t -O "${#failures[@]}" failures <"$dir/test-failures.txt"
    tail -n 200 "$dir/ctest.log"
    return 1
  fi
}

# The failed names and the one honest line; the status is the script's.
summary() {
  local name
  for name in ${failures[@]+"${failures[@]}"}; do printf 'failed: %s\n' "$name"; done
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
  [ "$failed" -eq 0 ]
}
