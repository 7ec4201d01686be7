"""Counts how often phases ran, and looks for one decision among a report's notes.

check_attempts.py REPORT.json DECISION PHASE=TIMES...
"""
import collections
import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
notes = [n["message"] for n in report["notes"] if n["code"] == "auto"]
assert any(n.startswith(sys.argv[2] + " (auto: ") for n in notes), notes
ran = collections.Counter(p["name"] for p in report["compile"]["phases"])
for text in sys.argv[3:]:
    phase, times = text.split("=")
    assert ran[phase] == int(times), (phase, ran)
