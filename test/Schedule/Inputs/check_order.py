"""What starts before what in a plan's text (partopt compile --compile-to plan).

usage: check_order.py ddp|fsdp PLAN.mlir

ddp: every bucket's all_reduce starts before any product of the backward pass
that follows its last operand, and all but the last buckets before backward
products that come after, which it does not hold up.
fsdp: the parameters of a unit are on their way before the unit in front of it is
used, forward.
"""
import re
import sys

LINE = re.compile(r"^\s+(?:%(?P<event>\w+) = )?plan\.(?P<op>\w+)(?P<rest>.*)$")


def buffers(kind, text):
    found = re.search(kind + r"\(([^)]*)\)", text)
    return re.findall(r"%\w+", found.group(1)) if found else []


class Step:
    def __init__(self, line):
        match = LINE.match(line)
        self.op, rest = match["op"], match["rest"]
        self.event, self.text = match["event"], rest
        self.reads, self.writes = buffers("reads", rest), buffers("writes", rest)
        self.kind = rest.split()[0] if self.op == "collective_start" else None
        phase = re.search(r"phase (\w+)>", rest)
        self.phase = phase[1] if phase else None


def read(path):
    with open(path, encoding="utf-8") as file:
        steps = [Step(line) for line in file if LINE.match(line)]
    return [s for s in steps if s.op in ("launch", "gemm", "copy", "collective_start", "wait")]


def products(steps, begin, end):
    """Backward products among steps [begin, end)."""
    return [i for i in range(begin, end) if steps[i].op == "gemm" and steps[i].phase == "backward"]


def wait_of(steps, start):
    for i in range(start + 1, len(steps)):
        if steps[i].op == "wait" and "%" + steps[start].event in steps[i].text.split():
            return i
    raise AssertionError(f"no wait for %{steps[start].event}")


def check_ddp(steps):
    starts = [i for i, s in enumerate(steps) if s.kind == "all_reduce" and len(s.reads) > 1]
    assert len(starts) >= 3, f"{len(starts)} buckets"
    for bucket, start in enumerate(starts):
        ready = max(i for i in range(start) if set(steps[i].writes) & set(steps[start].reads))
        held = products(steps, ready + 1, start)
        assert not held, f"bucket {bucket}: products {held} run between its gradients and its start"
        beside = products(steps, start, wait_of(steps, start))
        assert beside or bucket == len(starts) - 1, f"bucket {bucket}: nothing of backward beside it"
    print(f"{len(starts)} buckets start when their gradients are there")


def check_fsdp(steps):
    starts = [i for i, s in enumerate(steps) if s.kind == "all_gather" and s.phase == "forward"]
    assert len(starts) >= 3, f"{len(starts)} gathers"
    for this, following in zip(starts, starts[1:]):
        used = next(i for i in range(wait_of(steps, this) + 1, len(steps))
                    if set(steps[i].reads) & set(steps[this].writes))
        assert following < used, (f"the gather at {following} starts behind the use at {used} of the "
                                  f"one at {this}")
    print(f"{len(starts)} gathers start before the unit in front is used")


if __name__ == "__main__":
    {"ddp": check_ddp, "fsdp": check_fsdp}[sys.argv[1]](read(sys.argv[2]))
