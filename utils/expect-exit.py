#!/usr/bin/env python3
"""Runs a command and passes when its exit status is exactly the expected one.

usage: expect-exit.py STATUS COMMAND...
"""
import subprocess
import sys


def main(expected, *command):
    status = subprocess.run(command).returncode
    if status == int(expected):
        return 0
    print(f"expected exit status {expected}, got {status}: {' '.join(command)}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
