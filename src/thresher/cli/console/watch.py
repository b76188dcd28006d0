"""A check on the terminal, and as a text file for Prometheus."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from thresher.cli.console.screen import BAD, FAINT, GOOD, MIND, cautions_text, heading, name_text
from thresher.cli.console.screen import table as grid_of
from thresher.watching import Check, Review
from thresher.watching.summary import cells, facts, headline

_STYLES = {"broken": BAD, "holds": GOOD, "undecided": MIND}


def check_blocks(check: Check) -> Iterator[Any]:
    """Promises as a table, then what else there is to know, and what to do next."""
    counts, period = check.counts, check.settings.period
    aside = f"{counts['rows']:,} rows, {counts['alarms']:,} alarms; budget {check.settings.false_alarms} {period}s"
    yield heading(headline(check), aside)
    if check.promises:
        rows: list[list[Any]] = []
        for one in check.promises.values():
            promise, recent, every, verdict, evidence, _ = cells(one, period)
            rows.append([promise, Text(recent), Text(every), Text(verdict, style=_STYLES[one.verdict]), Text(evidence)])
        yield grid_of(["promise", "now", "all", "verdict", "evidence"], rows)
        yield [Text(f"{one.promise}: {one.because}", style=FAINT) for one in check.promises.values()]
    yield [name_text(f"{name:<12} {text}") for name, text in facts(check) if name != "!"]
    yield cautions_text(check.cautions)


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
    alarms = {alarm.promise for alarm in check.alarms if alarm.acknowledged is None}
    gauge(
        "alarm", "1 while a promise is broken.", {p: p in alarms or o.verdict == "broken" for p, o in promises.items()}
    )
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
