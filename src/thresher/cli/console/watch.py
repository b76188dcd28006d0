"""A check on the terminal, and as a text file for Prometheus."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from rich.table import Table
from rich.text import Text

from thresher._internal.text import count_text
from thresher.cli.console.screen import BAD, FAINT, GOOD, MIND, cautions_text, heading, name_text
from thresher.cli.console.screen import table as grid_of
from thresher.ranking import Floats
from thresher.watching import Check, Review
from thresher.watching.check.summary import cells, facts, headline
from thresher.watching.settings import SCORES

_STYLES = {"broken": BAD, "holds": GOOD, "undecided": MIND}


def check_blocks(check: Check) -> Iterator[Any]:
    """Promises as a table, then what else there is to know, and what to do next."""
    counts, period = check.counts, check.settings.period
    budget = f"false alarms: {check.settings.false_alarms} {period}s"
    about = f"{counts['rows']:,} rows, {count_text(counts['alarms'], 'alarm')}; {budget}"
    yield [name_text(f"{check.watch}: {headline(check)}", "bold"), Text(about, style=FAINT)]
    if check.promises:
        rows: list[list[Any]] = []
        for one in check.promises.values():
            promise, recent, every, verdict, evidence, _ = cells(one, period)
            now = Text(recent.replace(" since ", "\nsince "))  # narrow enough for 80 columns
            rows.append([promise, Text(verdict, style=_STYLES[one.verdict]), now, Text(every), Text(evidence)])
        yield grid_of(["promise", "verdict", "now", "since the start", "evidence"], rows)
        yield [
            Text.assemble(sparkline(one.log_path, math.log(one.most)), f" {one.promise}: {one.because}", style=FAINT)
            for one in check.promises.values()
        ]
    grid = Table.grid(padding=(0, 2))
    for name, words in facts(check):
        if name != "!":
            grid.add_row(Text(name, style="bold" if name == "next" else ""), name_text(words))
    yield grid
    yield cautions_text(check.cautions)


def sparkline(path: Floats, alarm: float, width: int = 20) -> str:
    """Logarithms of evidence over time in braille, from none to an alarm.

    >>> sparkline(np.array([-1.0, 0.0, 2.0, 4.0, 8.0, 8.0]), 8.0, width=3)
    '⣀⣠⣿'
    """
    if not path.size:
        return ""
    finite = np.clip(np.where(np.isfinite(path), path, 0.0) / alarm, 0.0, 1.0)
    ends = np.linspace(0, path.size, 2 * width + 1).round().astype(np.int64)
    tops = [finite[start : max(stop, start + 1)] for start, stop in pairwise(ends.tolist())]
    dots = [max(1, math.ceil(4 * float(part.max(initial=0.0)))) for part in tops]
    pairs = zip(dots[::2], dots[1::2], strict=True)
    return "".join(chr(0x2800 + _LEFT[left] + _RIGHT[right]) for left, right in pairs)


_LEFT, _RIGHT = (0, 0x40, 0x44, 0x46, 0x47), (0, 0x80, 0xA0, 0xB0, 0xB8)  # dots filled from below


def review_blocks(review: Review) -> Iterator[Any]:
    """Rows to label next."""
    yield heading(f"{len(review):,} rows to label", f"stretch {review.stretch}")
    lines = zip(review.id, review.time, review.score.tolist(), review.stratum, review.reason, strict=True)
    rows: list[list[Any]] = [
        [name, Text(time), f"{score:.4g}", Text(stratum), Text(reason)] for name, time, score, stratum, reason in lines
    ]
    yield grid_of(["id", "time", "score", "stratum", "reason"], rows)
    if review.now is not None and review.expected is not None:
        yield name_text(f"recall of the stretch now {review.now}, expected afterwards {review.expected}")


def prometheus_text(check: Check) -> str:
    """Gauges of a check in Prometheus' text format."""
    lines: list[str] = []

    def gauge(name: str, about: str, values: dict[str | None, float]) -> None:
        full = f"thresher_watch_{name}"
        lines.append(f"# HELP {full} {about}")
        lines.append(f"# TYPE {full} gauge")
        for promise, value in values.items():
            labels = f'watch="{_escaped(check.watch)}"'
            labels += "" if promise is None else f',promise="{_escaped(promise)}"'
            lines.append(f"{full}{{{labels}}} {_number(value)}")

    promises = check.promises
    for name, about in (("estimate", "Estimate"), ("lower", "Lower limit"), ("upper", "Upper limit")):
        gauge(name, f"{about} of a promised quantity.", {p: getattr(one.interval, name) for p, one in promises.items()})
    gauge("evidence", "Evidence against a promise.", {p: one.evidence for p, one in promises.items()})
    alarms = {alarm.promise for alarm in check.alarms if alarm.acknowledged is None and alarm.epoch == check.epoch}
    alarms |= {name for name, one in promises.items() if one.verdict == "broken"}
    names = (*promises, SCORES)
    gauge("alarm", "1 while a promise is broken, or scores have moved.", {name: name in alarms for name in names})
    for name, count in (("rows", "rows"), ("labels", "labelled"), ("orphans", "orphans")):
        gauge(name, f"How many {name} there are.", {None: check.counts[count]})
    times = {"row": check.last_row, "label": check.last_label, "check": check.as_of}
    for name, at in times.items():
        if at is not None:
            gauge(f"last_{name}_timestamp_seconds", f"When the last {name} was.", {None: at / 1e6})
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return repr(float(value)) if math.isfinite(value) else ("+Inf" if value > 0 else "-Inf")
