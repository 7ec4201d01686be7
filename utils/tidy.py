"""clang-tidy-19 over every file of a build, several files per run.

Most of a run is spent on MLIR's headers, so the files of one folder with equal
flags are checked together, as one translation unit that includes them. Files
that cannot share one (two of them define the same name) are found by the
compiler and checked alone. Together, a using-declaration of one file counts as
used when another one has its name; files named on the command line are therefore
checked one by one.

usage: tidy.py BUILD_DIR [FILE...]     (all files of the build without FILE)
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

GROUP = 12  # files per run: a folder's libraries, and memory stays below 2 GiB
FILTER = r".*/(include/partopt|dialects|runtime|lib|tools|test|bench)/.*\.(h|cpp)$"


def load(build, wanted):
    """(file, folder, flags) of each translation unit of the project's own."""
    with open(os.path.join(build, "compile_commands.json")) as text:
        entries = json.load(text)
    units = {}
    for entry in entries:
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]))
        if path.startswith("..") or path.split(os.sep)[0].startswith("build"):
            continue
        if wanted and path not in wanted:
            continue
        words = shlex.split(entry["command"])
        while words[0].endswith("ccache") or words[0] in ("env", "cmake", "-E") or "=" in words[0]:
            words.pop(0)
        flags, skip = [], False
        for word in words[1:]:
            if skip or word in ("-o", "-c"):
                skip = word == "-o"
            elif os.path.realpath(os.path.join(entry["directory"], word)) != os.path.realpath(path):
                flags.append(word)
        units[path] = (entry["directory"], tuple(flags))
    return units


def check(paths, directory, flags, folder):
    """The problems that clang-tidy finds in `paths`, read as one unit, and
    whether it could read them."""
    if len(paths) == 1:
        source = os.path.abspath(paths[0])
    else:
        source = os.path.join(folder, f"{abs(hash(paths))}.cpp")
        with open(source, "w") as text:
            text.writelines(f'#include "{os.path.abspath(p)}" // NOLINT\n' for p in paths)
    run = subprocess.run(
        ["clang-tidy-19", "--quiet", "--warnings-as-errors=*", f"--header-filter={FILTER}",
         f"--config-file={os.path.abspath('.clang-tidy')}",
         source, "--", *flags], capture_output=True, text=True, cwd=directory)
    lines = [line for line in run.stdout.splitlines() if re.search(r": (error|warning): ", line)]
    readable = not any("clang-diagnostic" in line for line in lines)
    if run.returncode != 0 and not lines:
        lines, readable = [f"{paths[0]}: clang-tidy-19 failed: {run.stderr[-300:]}"], len(paths) == 1
    return lines, readable


def check_group(paths, directory, flags, folder):
    lines, readable = check(paths, directory, flags, folder)
    if readable or len(paths) == 1:
        return lines
    half = len(paths) // 2
    return (check_group(paths[:half], directory, flags, folder) +
            check_group(paths[half:], directory, flags, folder))


def main():
    units = load(sys.argv[1], set(sys.argv[2:]))
    alike = {}
    for path, (directory, flags) in sorted(units.items()):
        alike.setdefault((os.path.dirname(path), directory, flags), []).append(path)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        size = 1 if sys.argv[2:] else GROUP
        groups = [(tuple(paths[i:i + size]), directory, flags, folder)
                  for (_, directory, flags), paths in alike.items()
                  for i in range(0, len(paths), size)]
        found = set()
        for lines in pool.map(lambda group: check_group(*group), groups):
            found.update(lines)
    for line in sorted(found):
        print(line)
    print(f"tidy: {len(units)} files in {len(groups)} groups, {len(found)} problems")
    sys.exit(1 if found or not units else 0)


main()
