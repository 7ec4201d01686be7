"""Joins the programs of a pipeline's ranks into one program of one device, in the order
in which a schedule runs them, and compares its results with the original's.

usage: join_stages.py MODEL_DIR --schedule S --ranks P [--chunks V] --microbatches M
         [--options "MORE COMPILE OPTIONS"]

The model is compiled for one device up to its microbatches, cut and formed by
partopt-opt, and every rank's text is unrolled: its segments one by one, in the order
that `partopt bench schedule` gives. A rank that comes to a receive waits until the value
has been sent; when all wait, or something is sent or received twice, this fails. The
joined program is plain StableHLO, so running it with `partopt run --expect` shows that
cutting and any order of iterations keep the results. Also printed: values that cross.
"""
import argparse
import json
import re
import subprocess
import tempfile

NAME = re.compile(r"%[A-Za-z0-9_]+(?:#[0-9]+)?")
UP_AND_DOWN = {"zb-v", "v-half", "v-min", "dualpipev"}
FORM_LOOPS = ("func.func(partopt-expand-shard),canonicalize,cse,func.func(partopt-defer-factors,"
              "partopt-micro-statistics,partopt-shard-accumulators,partopt-form-time-loops)")


def chunks_of(lines):
    """Operations of a function's body, those with regions over several lines."""
    held, depth = [], 0
    for line in lines:
        held.append(line)
        plain = re.sub(r'"[^"]*"', "", line)
        depth += plain.count("{") + plain.count("(") - plain.count("}") - plain.count(")")
        if depth == 0:
            yield "\n".join(held)
            held = []


class Rank:
    """One rank's text: what is in front of its segments, these, and what is behind."""

    def __init__(self, number, header, lines):
        self.number, self.header = number, header
        self.arguments = dict(re.findall(
            r"(%arg\d+): [^{]*\{partopt\.argument = (\d+)", header.split("-> (")[0]))
        self.results = [int(r) for r in re.findall(r"partopt\.result = (\d+)", header)]
        self.before, self.behind, self.segments, self.values = [], [], {}, {}
        open_segment = None
        for op in chunks_of(lines):
            begin = re.search(r"partopt\.stage = (\d+) : i64, partopt\.stage_part = \"(\w)\"", op)
            if "comm.loop_begin" in op and begin:
                open_segment = (int(begin[1]), begin[2])
                self.segments[open_segment] = {"begin": op, "body": []}
            elif "comm.loop_end" in op and open_segment:
                self.segments[open_segment]["end"] = op
                open_segment = None
            elif open_segment:
                self.segments[open_segment]["body"].append(op)
            elif self.segments:
                self.behind.append(op)
            else:
                self.before.append(op)


class Joiner:
    def __init__(self, ranks, orders):
        self.ranks, self.orders = ranks, orders
        self.lines, self.sent, self.received, self.count = [], {}, set(), 0
        self.returned = {}

    def rename(self, text, values):
        def one(match):
            token = match[0]
            if token in values:
                return values[token]
            base, _, part = token.partition("#")
            if base in values:
                return values[base] + ("#" + part if part else "")
            self.count += 1
            values[base] = f"%v{self.count}"
            return values[base] + ("#" + part if part else "")
        return NAME.sub(one, text)

    def emit(self, rank, op, values, microbatch):
        """Writes one op; a generator that yields while the rank waits."""
        send = re.search(r"comm\.send .* channel = (\d+) (%\S+) :", op)
        receive = re.search(r"(%\S+) = comm\.recv .* channel = (\d+) :", op)
        if send:
            key = (send[1], microbatch)
            assert key not in self.sent, f"{key} is sent twice"
            self.sent[key] = values.get(send[2]) or self.rename(send[2], values)
        elif receive:
            key = (receive[2], microbatch)
            while key not in self.sent:
                yield
            assert key not in self.received, f"{key} is received twice"
            self.received.add(key)
            values[receive[1]] = self.sent[key]
        elif op.strip().startswith("return"):
            for number, value in zip(rank.results, NAME.findall(op.split(" : ")[0])):
                self.returned.setdefault(number, self.rename(value, values))
        else:
            # Names within regions are the op's own, so each copy gets new ones.
            own = {name for name in re.findall(r"%[A-Za-z0-9_]+(?=: tensor|, %\S+: tensor)", op)}
            inner = [n for n in re.findall(r"^\s*(%[A-Za-z0-9_]+)", op, re.M)]
            for name in own | set(inner):
                values.pop(name.split(":")[0], None)
            self.lines.append(self.rename(op, values))

    def segment(self, rank, key, microbatch, state):
        part = rank.segments[key]
        begin = part["begin"]
        names = re.match(r"\s*(%\w+)(?:, (%\w+)(?::(\d+))?)? = comm", begin)
        inits = NAME.findall(begin.split("=", 3)[2].split("{")[0].split("(", 1)[1].split(")")[0])
        carried = ([] if not names[2] else [names[2]] if not names[3]
                   else [f"{names[2]}#{i}" for i in range(int(names[3]))])
        values = state["made"].setdefault(microbatch, {})
        scope = Scope(values, rank.values)
        self.count += 1
        index = f"%v{self.count}"
        self.lines.append(f"{index} = stablehlo.constant dense<{microbatch}> : tensor<i32>")
        values[names[1]] = index
        held = state["held"].setdefault(
            key, [self.rename(i, rank.values) for i in inits])
        for name, value in zip(carried, held):
            values[name] = value
        for op in part["body"]:
            yield from self.emit(rank, op, scope, microbatch)
        nexts = NAME.findall(part["end"].split("comm.loop_end", 1)[1].split(" : ")[0])
        state["held"][key] = [self.rename(n, scope) for n in nexts]

    def run(self, rank):
        for op in rank.before:
            yield from self.emit(rank, op, rank.values, None)
        state = {"made": {}, "held": {}}
        for step in self.orders[rank.number]:
            for stage, part, microbatch in re.findall(r"(\d+)([FIWB])(\d+)", step):
                key = (int(stage), part)
                if key in rank.segments:
                    yield from self.segment(rank, key, int(microbatch), state)
        for key, part in rank.segments.items():
            names = re.match(r"\s*(%\w+)(?::(\d+))? = comm\.loop_end", part["end"])
            if names:
                finals = ([names[1]] if not names[2]
                          else [f"{names[1]}#{i}" for i in range(int(names[2]))])
                rank.values.update(zip(finals, state["held"][key]))
        for op in rank.behind:
            yield from self.emit(rank, op, rank.values, None)

    def join(self):
        waiting = [self.run(rank) for rank in self.ranks]
        while waiting:
            before = len(self.lines) + len(self.sent) + len(self.received)
            for one in list(waiting):
                try:
                    next(one)
                except StopIteration:
                    waiting.remove(one)
            after = len(self.lines) + len(self.sent) + len(self.received)
            assert not waiting or after != before, "all ranks wait for each other"
        assert set(self.sent) == self.received, "something is sent and not received"


class Scope(dict):
    """An iteration's values, above those of the whole program."""

    def __init__(self, inner, outer):
        super().__init__()
        self.inner, self.outer = inner, outer

    def __contains__(self, name):
        return name in self.inner or name in self.outer

    def __getitem__(self, name):
        return self.inner[name] if name in self.inner else self.outer[name]

    def get(self, name, default=None):
        return self[name] if name in self else default

    def __setitem__(self, name, value):
        self.inner[name] = value

    def pop(self, name, default=None):
        return self.inner.pop(name, default)


def compiled(options, folder):
    path, stages = f"{folder}/stages.mlir", options.ranks * options.chunks
    subprocess.run(["partopt", "compile", f"{options.model}/model.mlir", "--mesh", "data=1",
                    "--strategy", "ddp", "--microbatches", str(options.microbatches),
                    "--compile-to", "partition", "-o", path, *options.options.split()], check=True)
    fused = "false" if options.split else "true"
    up = "true" if options.schedule in UP_AND_DOWN else "false"
    subprocess.run(["partopt-opt", path, "-o", path, "--pass-pipeline=builtin.module("
                    f"{FORM_LOOPS},func.func(partopt-cut-stages{{stages={stages}}}),"
                    f"partopt-form-stages{{ranks={options.ranks} fused={fused} "
                    f"up-and-down={up}}},partopt-verify-stages)"], check=True)
    with open(path, encoding="utf-8") as file:
        return file.read().split("\n")


def ranks_of(lines):
    ranks, header, body = [], None, []
    for line in lines:
        if "func.func public" in line:
            header, body = line, []
        elif header and line == "  }":
            ranks.append(Rank(len(ranks), header, body))
            header = None
        elif header:
            body.append(line)
    return ranks


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--schedule", default="1f1b")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--chunks", type=int, default=1)
    parser.add_argument("--microbatches", type=int, default=4)
    parser.add_argument("--options", default="")
    options = parser.parse_args()
    order = json.loads(subprocess.run(
        ["partopt", "bench", "schedule", "--schedule", options.schedule, "-p",
         str(options.ranks), "-m", str(options.microbatches), "-v", str(options.chunks),
         "--times", "1,1,1", "--json"], check=True, capture_output=True).stdout)["order"]
    options.split = any("I" in step for rank in order for step in rank)
    with tempfile.TemporaryDirectory() as folder:
        ranks = ranks_of(compiled(options, folder))
        assert len(ranks) == options.ranks
        joiner = Joiner(ranks, order)
        types = {}
        for rank in ranks:
            for name, number in rank.arguments.items():
                rank.values[name] = f"%arg{number}"
                types[int(number)] = re.search(name + r": (tensor<[^>]*>)", rank.header)[1]
        joiner.join()
        write(folder, joiner, ranks, types)
        inloop = {c for c, m in joiner.sent if m is not None}
        print(f"{options.schedule} on {options.ranks} ranks: {len(inloop)} values per "
              f"microbatch, {len({c for c, m in joiner.sent if m is None})} behind")
        subprocess.run(["partopt", "run", f"{folder}/joined.mlir", "--inputs",
                        f"{options.model}/inputs.safetensors", "--expect",
                        f"{options.model}/expected.safetensors", "--rtol", "1e-4", "--atol",
                        "1e-5", "--quiet"], check=True)


def write(folder, joiner, ranks, types):
    results = {}
    for rank in ranks:
        outs = rank.header.split("-> (", 1)[1]
        for kind, number in re.findall(r"(tensor<[^>]*>) \{[^}]*?partopt\.result = (\d+)", outs):
            results[int(number)] = kind
    arguments = ", ".join(f"%arg{i}: {types[i]}" for i in sorted(types))
    assert sorted(types) == list(range(len(types))), "an argument is missing"
    assert sorted(joiner.returned) == list(range(len(joiner.returned))), "a result is missing"
    kinds = [results[i] for i in range(len(results))]
    values = [joiner.returned[i] for i in range(len(kinds))]
    with open(f"{folder}/joined.mlir", "w", encoding="utf-8") as file:
        file.write(f"func.func public @main({arguments}) -> ({', '.join(kinds)}) {{\n")
        file.write("\n".join(joiner.lines))
        file.write(f"\nreturn {', '.join(values)} : {', '.join(kinds)}\n}}\n")


if __name__ == "__main__":
    main()
