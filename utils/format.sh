#!/usr/bin/env bash
# clang-format-19 over every C++ file of the project; --check only reports.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files '*.cpp' '*.h')
[ ${#files[@]} -gt 0 ] || exit 0
if [ "${1:-}" = --check ]; then
  clang-format-19 --dry-run -Werror "${files[@]}" 2>&1 | grep -E 'error:' | cut -d: -f1 | sort | uniq -c >/tmp/partopt-format.$$ || true
  if [ -s /tmp/partopt-format.$$ ]; then
    echo "not formatted (utils/format.sh does it):"
    cat /tmp/partopt-format.$$
    rm -f /tmp/partopt-format.$$
    exit 1
  fi
  rm -f /tmp/partopt-format.$$
else
  clang-format-19 -i "${files[@]}"
fi
