#!/usr/bin/env bash
# clang-tidy-19, warnings as errors, with the checks of .clang-tidy.
#   utils/tidy.sh             files changed since the parent commit, or since
#                             PARTOPT_TIDY_BASE (what CI runs)
#   utils/tidy.sh --all       every file
#   utils/tidy.sh FILE...     these files
# Needs a configured build folder (build/compile_commands.json) whose generated
# headers exist.
set -euo pipefail
cd "$(dirname "$0")/.."
limit=0
if [ "${1:-}" = --all ]; then
  exec python3 utils/tidy.py build
elif [ $# -gt 0 ]; then
  files=("$@")
else
  base=${PARTOPT_TIDY_BASE:-HEAD~1}
  git rev-parse -q --verify "$base" >/dev/null || { echo "tidy: no commit $base to compare with"; exit 0; }
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp')
  limit=24 # about 10 s each; a wider change is checked by --all
fi
# Only files that this configuration builds have a compile command.
known=()
for file in ${files[@]+"${files[@]}"}; do
  grep -q "\"$PWD/$file\"" build/compile_commands.json && known+=("$file")
done
[ ${#known[@]} -gt 0 ] || { echo "tidy: no changed file"; exit 0; }
if [ "$limit" -gt 0 ] && [ ${#known[@]} -gt "$limit" ]; then
  echo "tidy: ${#known[@]} files changed, the first $limit are checked; utils/tidy.sh --all checks every file"
  known=("${known[@]:0:$limit}")
fi
python3 utils/tidy.py build "${known[@]}"
