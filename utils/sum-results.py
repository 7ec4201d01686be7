#!/usr/bin/env python3
"""Sums ctest's and lit's JUnit files: prints "PASSED FAILED SKIPPED" and writes
the names of the failed tests to a file, one a line.

usage: sum-results.py CTEST.xml LIT.xml FAILURES.txt
"""
import os
import sys
import xml.etree.ElementTree as ElementTree


def outcomes(path):
    """Yields (name, 'passed' | 'failed' | 'skipped') of each test case."""
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
        status = case.get("status", "")
        skipped = case.find("skipped")
        if skipped is not None and "not selected" in skipped.get("message", ""):
            continue  # LIT_FILTER: not meant to run
        if case.find("failure") is not None or case.find("error") is not None or status == "fail":
            yield name, "failed"
        elif skipped is not None or status in ("notrun", "disabled"):
            yield name, "skipped"
        else:
            yield name, "passed"


def main(ctest, lit, failures):
    results = []
    if not os.path.exists(ctest):
        results.append(("ctest wrote no results", "failed"))
    else:
        entries = dict(outcomes(ctest))
        # ctest's own classname equals its name; "lit" is the whole lit run.
        lit_entry = [name for name in entries if name.split(".")[-1] == "lit"]
        if lit_entry and os.path.exists(lit):
            entries.pop(lit_entry[0])
            results += outcomes(lit)
        results += entries.items()
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for _, outcome in results:
        count[outcome] += 1
    with open(failures, "w") as file:
        file.writelines(f"{name}\n" for name, outcome in results if outcome == "failed")
    print(count["passed"], count["failed"], count["skipped"])


if __name__ == "__main__":
    main(*sys.argv[1:])
