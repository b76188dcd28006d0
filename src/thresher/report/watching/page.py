"""The page of a check: verdicts, pictures and their numbers in one HTML file."""

from __future__ import annotations

import math
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from thresher._internal.atomic import write_file
from thresher._internal.text import count_text, interval_text, number_text
from thresher.report.page import asset, environment, packaged, policy
from thresher.report.static.tables import Table
from thresher.report.watching.charts import Chart
from thresher.report.watching.panels import evidence_bar, panels
from thresher.version import __version__
from thresher.watching import Check
from thresher.watching.check.promises import PromiseCheck
from thresher.watching.check.summary import asked, facts, headline, limits, odds_text, reasons, spoken
from thresher.watching.periods import moment_text, period_text

_SIGNS = {"broken": "✕", "holds": "✓", "undecided": "?"}
_WORDS = {"broken": "broken", "holds": "holds", "undecided": "not known yet"}
_CHARTS = (
    "ladder", "bands", "class_ratio", "regret", "calibration", "calibration_path", "scores", "columns", "volume",
    "maturity", "cohorts", "queue",
)  # fmt: skip


class VerdictTile(NamedTuple):
    """A promise on the first screen."""

    verdict: str
    sign: str
    word: str
    promise: str
    value: str
    limits: str
    all: str
    bar: str
    odds: str


def watch_page(check: Check) -> str:
    """The page of a check, as one text of HTML without any script.

    A content security policy names the one style by its SHA-256 and forbids everything else. Every picture has its
    numbers as a table below.
    """
    templates, markup = environment()
    style = asset("page.css") + packaged("watching/page.css")
    html: str = templates.get_template("watching/page.html.jinja").render(
        title=check.watch,
        version=__version__,
        policy=policy("", style),
        style=markup(style),
        state=check.state.replace(" ", "-"),
        lead=headline(check),
        why=list(reasons(check)),
        steps=check.next_steps,
        about=_about(check),
        tiles=[_tile(check, one) for one in check.promises.values()],
        verdicts=[_verdicts(check), _else_known(check)],
        cautions=check.cautions,
        panels=[(heading, drawn) for heading, drawn in panels(check).items() if drawn],
        tables=[_table(check.chart(name)) for name in (*check.promises, *_CHARTS)],
        markup=markup,
    )
    return html


def write_watch_page(check: Check, path: str | PathLike[str]) -> None:
    """Write the page to a file, completely or not at all."""
    write_file(path, watch_page(check))


def _about(check: Check) -> str:
    counts, period = check.counts, check.settings.period
    start = f"{period_text(check.first_period, period)} to " if check.first_period is not None else ""
    return (
        f"{start}{_moment(check.as_of)} · {counts['rows']:,} rows, {count_text(counts['alarms'], 'alarm')},"
        f" {counts['labelled']:,} labels · model {check.model}, alarm from {check.threshold:.3g} on ·"
        f" false alarms: {check.settings.false_alarms} {period}s"
    )


def _moment(at: int) -> str:
    """A moment as people write it, to the minute."""
    return moment_text(at).replace("T", " ")[:16] + " UTC"


def _tile(check: Check, one: PromiseCheck) -> VerdictTile:
    shown, since = one.interval, "since the start"
    if one.verdict == "broken" and one.recent is not None and one.since is not None:
        shown, since = one.recent, f"since about {period_text(one.since, check.settings.period)}"
    known = not math.isnan(shown.estimate)
    value = interval_text(shown.estimate, shown.lower, shown.upper).split(" ")[0] if known else "–"
    ends = "no limits yet" if math.isnan(shown.lower) else f"{limits(shown)} {since}"
    enough = one.evidence >= one.most
    against = f"{odds_text(one.evidence)} against it" if one.evidence >= 1 else "none against it"
    return VerdictTile(
        one.verdict,
        _SIGNS[one.verdict],
        _WORDS[one.verdict],
        f"{spoken(one)}, {asked(one)} promised",
        value,
        ends,
        "" if shown is one.interval else limits(one.interval),
        evidence_bar(one.evidence, one.most),
        against if enough else f"{against}, alarm at {odds_text(one.most)}",
    )


def _verdicts(check: Check) -> Table:
    head = ("promise", "verdict", "now", "since the start", "evidence", "more labels", "because")
    rows = []
    for one in check.promises.values():
        recent = "–"
        if one.recent is not None and one.since is not None and one.verdict == "broken":
            recent = f"{limits(one.recent)} since {period_text(one.since, check.settings.period)}"
        needed = "–" if one.needed is None else f"about {one.needed:,}"
        words = _WORDS[one.verdict]
        rows.append(
            (str(one.promise), words, recent, limits(one.interval), odds_text(one.evidence), needed, one.because)
        )
    caption = "Limits since the start hold however often one looks; now begins where evidence is strongest, by choice"
    return Table(f"Every promise. {caption}", head, rows)


def _else_known(check: Check) -> Table:
    shown = {"", "next", "!"}  # elsewhere on the page
    rows = [(name, words) for name, words in facts(check) if name not in shown and not name.startswith("step")]
    return Table("What else is known", ("", "now"), rows)


def _table(chart: Chart) -> Table:
    names = [name for name in chart.columns if name != "number"]
    columns = [[_cell(value) for value in np.asarray(chart[name]).tolist()] for name in names]
    rows = list(zip(*columns, strict=True))
    marks = [
        f"{name.replace('_', ' ')} {number_text(value)}"
        for name, value in chart.marks.items()
        if _is_caption(name, value)
    ]
    caption = f"{chart.title} ({', '.join(marks)})" if marks else chart.title
    return Table(caption, [name.replace("_", " ") for name in names], rows, folded=True)


def _is_caption(name: str, value: float) -> bool:
    return name not in ("change", "stride", "alarm", "refuted", "cut", "bar") and not math.isnan(value)


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return "–" if math.isnan(value) else number_text(float(value))
    return str(value)
