"""What a step in microbatches touches, and how large its plan is.

usage: check_loops.py bytes PLAN@MICROBATCHES PLAN@MICROBATCHES PLAN@MICROBATCHES
       check_loops.py size PLAN PLAN FILE FILE
       check_loops.py no-more PLAN PLAN FILE FILE

Plans are texts of --compile-to plan. `bytes`: with as many rows per microbatch,
the bytes that a step reads and writes grow by the same amount from one microbatch
to the next, and no loop copies what it carries. `size`: two plans have the same ops,
and files that differ by digits only. `no-more`: the second has as many loops and
collectives and no more of anything (small microbatches fuse further).
"""
import collections
import os
import re
import sys


class Plan:
    def __init__(self, path):
        self.buffers, self.lines = {}, []
        with open(path) as file:
            for line in file:
                line = line.split(" loc(")[0].strip()
                if found := re.match(r"(%\d+) = plan\.buffer\s+\w+\[\d+ : (\d+)\]", line):
                    self.buffers[found[1]] = int(found[2])
                elif "plan." in line:
                    self.lines.append(line)

    def touched(self):
        """Bytes per step, and those that loops copy at the end of an iteration."""
        total = copied = 0
        trips = 1
        for line in self.lines:
            lists = re.findall(r"(?:reads|writes)\(([^)]*)\)", line)
            names = [[n for n in text.split(", ") if n] for text in lists]
            if found := re.search(r'plan\.loop_begin "\w+" = (\d+)', line):
                trips = int(found[1])
            elif "plan.loop_end" in line:
                copied += trips * sum(self.buffers[b] for a, b in zip(*names) if a != b)
                trips = 1
            elif found := re.search(r"partopt\.work = array<i64: \d+, \d+, (\d+)", line):
                total += trips * int(found[1])
            else:
                total += trips * sum(self.buffers[n] for part in names for n in part)
        return total, copied

    def kinds(self):
        """How often each kind of op comes, with kernels and buffers."""
        ops = collections.Counter(re.search(r"plan\.(\w+)", line)[1] for line in self.lines)
        ops["buffers"] = len(self.buffers)
        ops["kernels"] = len({k for line in self.lines
                              for k in re.findall(r"plan\.launch @(\w+)", line)})
        return ops


def check_bytes(cases):
    points = []
    for case in cases:
        path, count = case.split("@")
        touched, copied = Plan(path).touched()
        print(f"{count} microbatches touch {touched} bytes, loops copy {copied}")
        assert copied == 0, "a loop copies what it carries"
        points.append((int(count), touched))
    slopes = {(y1 - y0) / (x1 - x0) for (x0, y0), (x1, y1) in zip(points, points[1:])}
    print(f"per microbatch: {sorted(slopes)}")
    assert len(slopes) == 1 and min(slopes) > 0, "not linear in the microbatches"


def check_size(few, many, file_few, file_many, same):
    a, b = Plan(few).kinds(), Plan(many).kinds()
    sizes = [os.path.getsize(path) for path in (file_few, file_many)]
    print(f"{dict(a)} in {sizes[0]} bytes, {dict(b)} in {sizes[1]} bytes")
    assert a["loop_begin"] > 0 and a["loop_begin"] == b["loop_begin"]
    assert a["collective_start"] == b["collective_start"]
    assert a == b if same else all(b[kind] <= a[kind] for kind in b), (a, b)
    assert sizes[1] <= sizes[0] * 1.02 and (not same or sizes[0] <= sizes[1] * 1.02), sizes


def main():
    if sys.argv[1] == "bytes":
        check_bytes(sys.argv[2:])
    else:
        check_size(*sys.argv[2:], same=sys.argv[1] == "size")


if __name__ == "__main__":
    main()
