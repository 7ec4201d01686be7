"""Reads the page of `partopt report` beside the report of the same prediction.

usage: check_report.py PAGE R.json [ACTIONS of rank 0] [of rank 1] …

ACTIONS are "F4I4W4": how many turns of each kind the rank's class has; or "all12".
"""
import json
import re
import sys
from html.parser import HTMLParser

VOID = {"meta", "br"}
CHART_END = 150 + 1100  # where the step ends in drawings


class Page(HTMLParser):
    """Sections, drawn boxes by class of ranks, memory peaks, and table rows."""

    def __init__(self, text):
        super().__init__()
        self.open, self.sections, self.boxes, self.peaks, self.rows = [], [], {}, {}, {}
        self.seconds, self.group = None, None
        self.feed(text)
        assert not self.open, self.open

    def handle_starttag(self, tag, attributes):
        get = dict(attributes).get
        if tag not in VOID:
            self.open.append(tag)
        if tag == "section":
            self.sections.append(get("id"))
        elif tag == "svg" and get("class") == "gantt":
            self.seconds = float(get("data-seconds"))
        elif tag == "g":
            self.group = get("data-class") if get("class") == "rank" else None
            if get("class") == "memory":
                self.peaks[int(get("data-class"))] = int(get("data-peak"))
        elif tag == "rect" and self.group is not None:
            self.boxes.setdefault(int(self.group), []).append(
                (get("class"), float(get("x")), float(get("width")), int(get("data-count") or 1)))
        elif tag == "tr":
            self.rows.setdefault(self.sections[-1], []).append([])
        elif tag in ("td", "th"):
            self.rows[self.sections[-1]][-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[self.sections[-1]][-1][-1] += data


def check_segments(boxes, wanted):
    """As many turns as the schedule has, one behind the other; the narrowest is half a
    pixel wide."""
    for kind, number in re.findall(r"([FBIW])(\d+)", wanted):
        drawn = sum(count for css, _, _, count in boxes if css == f"segment {kind}")
        assert drawn == int(number), (kind, drawn, number)
    drawn = sum(count for css, _, _, count in boxes if css.startswith("segment"))
    assert drawn == sum(int(number) for number in re.findall(r"\d+", wanted)), (drawn, wanted)
    turns = [(x, width) for css, x, width, _ in boxes if css.startswith("segment")]
    assert all(x + width <= after + 0.52 for (x, width), (after, _) in zip(turns, turns[1:])), turns


def main(page_path, report_path, *actions):
    with open(page_path, encoding="utf-8") as file:
        text = file.read()
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    assert not re.search(r"http|<script|<link|src=|url\(", text), "the page needs something else"
    page = Page(text)
    for section in ("summary", "timeline", "memory", "communication", "shardings", "collectives"):
        assert section in page.sections, page.sections
    assert ("stages" in page.sections) == bool(actions), page.sections

    step = report["time"]["predicted_step_s"]
    assert abs(page.seconds - step) <= 1e-6 * step, (page.seconds, step)
    ends = [x + width for boxes in page.boxes.values() for css, x, width, _ in boxes
            if css not in ("lane", "stream")]
    assert max(ends) <= CHART_END + 1 and max(ends) >= CHART_END - 1, max(ends)
    for rank, wanted in enumerate(actions):
        check_segments(page.boxes[rank], wanted)

    peaks = report["memory"]["peak_bytes_per_device"]
    assert [page.peaks[i] for i in range(len(peaks))] == peaks, (page.peaks, peaks)
    listed = page.rows.get("collectives", [[]])[1:]
    assert len(listed) == len(report["collectives"]), listed
    sent = [int(row[6]) for row in page.rows.get("communication", [])[1:] if row[3:4] == ["all"]]
    totals = sum(kind["wire_bytes"] for kind in report["totals"].values())
    assert max(sent, default=0) == round(totals), (sent, totals)


if __name__ == "__main__":
    main(*sys.argv[1:])
