#!/usr/bin/env python3
"""Sizes of the house: .cpp files up to 400 lines (800 with an entry below that
says why), headers 200, .td 400, lit files 250, functions about 60.

usage: check-sizes.py [ROOT]
"""
import re
import subprocess
import sys

LIMITS = ((r"^test/.*\.(mlir|test)$", 250), (r"\.td$", 400), (r"\.h$", 200), (r"\.cpp$", 400))
# Model files are data, as their exporter wrote them.
EXEMPT = re.compile(r"^test/Models/")
# Over the usual size, each with its reason; never over 800.
LARGER = {}
FUNCTION_LIMIT = 60


def functions(lines):
    """Yields (name, first line, length) of functions at namespace scope, found
    by the house's formatting: a body opens on a line that ends in '{' and
    closes with '}' in the same column."""
    start, name = None, None
    for number, line in enumerate(lines, 1):
        if start is None:
            head = re.match(r"^[A-Za-z_].*\)(?: const)?(?: noexcept)?(?: override)? \{$", line)
            tail = re.match(r"^ {4,}.*\)(?: const)? \{$", line)
            if head and not line.startswith(("namespace", "class", "struct", "enum", "TEST")):
                start, name = number, line
            elif tail and number > 1 and re.match(r"^[A-Za-z_]", lines[number - 2]):
                start, name = number - 1, lines[number - 2]
        elif line == "}":
            yield name.strip(), start, number - start + 1
            start = None


def main(root="."):
    paths = subprocess.run(["git", "-C", root, "ls-files"], check=True, text=True,
                           capture_output=True).stdout.split("\n")
    faults = []
    for path in paths:
        limit = next((limit for pattern, limit in LIMITS if re.search(pattern, path)), None)
        if limit is None or EXEMPT.search(path):
            continue
        with open(f"{root}/{path}", encoding="utf-8") as file:
            lines = file.read().split("\n")
        if lines and lines[-1] == "":
            lines.pop()
        allowed = min(LARGER.get(path, limit), 800)
        if len(lines) > allowed:
            faults.append(f"{path}: {len(lines)} lines, at most {allowed}")
        if path.endswith((".cpp", ".h")):
            for name, start, length in functions(lines):
                if length > FUNCTION_LIMIT:
                    faults.append(f"{path}:{start}: function of {length} lines, at most "
                                  f"{FUNCTION_LIMIT}: {name[:60]}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
