"""Compiles a pipeline into less and less memory: schedule auto fits as long as an order can,
what a refusal advises does fit, and the report says what was chosen from.

usage: check_pipeline_memory.py MODEL RANKS MICROBATCHES
"""
import json
import re
import subprocess
import sys
import tempfile

folder = tempfile.mkdtemp()
command = []


def compile(*options):
    """Its exit code, and its error or its report."""
    done = subprocess.run([*command, *options, "--report-json", f"{folder}/r.json"], capture_output=True, text=True)
    if done.returncode != 0:
        return done.returncode, done.stderr
    with open(f"{folder}/r.json", encoding="utf-8") as file:
        return 0, json.load(file)


def bytes_of(text):
    number, unit = re.fullmatch(r"([0-9.]+) ?([KM]iB)", text).groups()
    return float(number) * {"KiB": 1 << 10, "MiB": 1 << 20}[unit]


def peak(report):
    return max(report["memory"]["peak_bytes_per_device"])


def choice(report):
    return next(note["message"] for note in report["notes"] if note["code"] == "pipeline")


def check_auto():
    """Memory from ample to a tenth too little; returns the least that an order needs."""
    _, ample = compile("--schedule", "auto")
    places = [r"one stage per rank", r"2 stages per rank, around", r"2 stages per rank, down and up"]
    for place in places:
        assert re.search(place + r": [0-9.e+]+ us predicted, [0-9.]+ [KM]iB per device", choice(ample)), choice(ample)
    times = {part: float(re.search(part + r": ([0-9.e+]+) us", choice(ample))[1]) for part in places}
    taken = re.match(r"--schedule auto takes ([^:]*):", choice(ample))[1]
    assert times[taken] == min(times.values()), choice(ample)

    code, message = compile("--schedule", "auto", "--device-memory", "1KiB")
    assert code != 0
    least = re.search(r"with --device-memory ([0-9]+[KM]iB).* it fits", message)[1]
    times = [ample["time"]["predicted_step_s"]]
    for part in (0.7, 0.4, 0.0):
        memory = int(bytes_of(least) + part * (peak(ample) - bytes_of(least)))
        code, report = compile("--schedule", "auto", "--device-memory", str(memory))
        assert code == 0, (memory, report)
        assert peak(report) <= memory, (peak(report), memory)
        assert "with room for" in choice(report), choice(report)
        times.append(report["time"]["predicted_step_s"])
        print(memory, peak(report), times[-1])
    # Less room is no gain: what is refused is why the time grows.
    assert times[-1] > times[0], times
    code, message = compile("--schedule", "auto", "--device-memory", str(int(bytes_of(least) * 0.9)))
    assert code != 0 and re.search(r"it needs [0-9.]+ [KM]iB per device of stage rank [0-9]+ and", message), message
    return message


def check_named():
    _, gpipe = compile("--schedule", "gpipe")
    _, smaller = compile("--schedule", "1f1b")
    assert peak(smaller) < peak(gpipe)
    memory = str(peak(smaller))
    code, message = compile("--schedule", "gpipe", "--device-memory", memory)
    assert code != 0, gpipe
    print(message)
    name, needs = re.search(r"  --schedule (\S+) fits: it needs ([0-9.]+ [KM]iB)", message).groups()
    code, report = compile("--schedule", name, "--device-memory", memory)
    assert code == 0 and abs(peak(report) - bytes_of(needs)) <= 0.01 * peak(report), (report, needs)
    code, message = compile("--schedule", "gpipe", "--device-memory", "1KiB")
    assert code != 0 and "  no other schedule by its name fits" in message, message
    needed = re.search(r"  with --device-memory ([0-9]+[KM]iB) ", message)[1]
    assert compile("--schedule", "gpipe", "--device-memory", needed)[0] == 0


def main(model, ranks, microbatches):
    command.extend(["partopt", "compile", model, "--strategy", "pp", "--mesh", f"pipe={ranks}", "--microbatches",
                    microbatches, "-o", f"{folder}/p.plan", "--quiet"])
    message = check_auto()
    print(message)
    memory = re.search(r"and ([0-9.]+) ([KM]iB) are there", message)
    memory = str(int(bytes_of(" ".join(memory.groups()))))
    found = re.search(r" or --microbatches ([0-9]+)", message)
    if found:
        assert compile("--schedule", "auto", "--device-memory", memory, "--microbatches", found[1])[0] == 0, message
    if " or --recompute layer" in message:
        assert compile("--schedule", "auto", "--device-memory", memory, "--recompute", "layer")[0] == 0, message
    check_named()


if __name__ == "__main__":
    main(*sys.argv[1:])
