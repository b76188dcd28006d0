"""Static pictures of a check: control charts, intervals in rows, labels by age."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.text import count_text, interval_text, number_text, percent_text
from thresher.ranking import Floats
from thresher.report.static.svg import Box, Panel, Plot, colour, element, picture, short, text
from thresher.report.watching.charts import Chart
from thresher.watching import Check
from thresher.watching.check.summary import odds_text
from thresher.watching.periods import period_start, period_text
from thresher.watching.settings import ALARM_RATE

NOW, BEFORE, AIM = 0, 6, 1  # places of colours: today, the reference, promises and what is wrong
_WIDE = Box(left=14)
_UPPER, _LOWER = Box(top=12, bottom=186), Box(top=212, bottom=286)
_TOP = Box(top=12, bottom=146)
_BOTTOM = Box(top=162, bottom=274)
_MOST_ROWS = 12
_HEAD = 17  # pixels of the words above an interval
_LONGEST = 54  # letters that fit above an interval
_DECADES = 3.0  # times the alarm line, above which evidence is cut


def panels(check: Check) -> dict[str, list[Panel]]:
    """Every picture of the page, by the heading it is under."""
    return {
        "Promises over time": [_control(check, check.chart(name)) for name in check.promises],
        "What is known, and under which assumption": [*_ladders(check), _bands(check)],
        "Does the decision still hold?": [_class_ratio(check), _calibration(check), _calibration_path(check)],
        "What has moved": [_scores(check), *_columns(check), _volume(check)],
        "Labels": [_maturity(check), _cohorts(check), _queue(check)],
    }


@dataclass(frozen=True, slots=True)
class Row:
    """An interval with words above it; struck out where it may not be used."""

    label: str
    ends: tuple[float, float, float]
    place: int = NOW
    struck: bool = False
    remark: str = ""


@dataclass(slots=True)
class Intervals:
    """Intervals one below the other, on one axis."""

    rows: Sequence[Row]
    x: tuple[float, float]
    x_label: str
    lines: Mapping[float, str] = field(default_factory=dict)
    box: Box = _WIDE

    def parts(self) -> list[str]:
        """Axis, words and intervals."""
        plot = Plot(self.x, (0.0, float(max(len(self.rows), 1))), self.x_label, "", y_ticks={}, box=self.box)
        _, top, _, bottom = self.box
        for at, words in self.lines.items():
            if self.x[0] <= at <= self.x[1]:
                plot.drawn += _upright(plot, at, words)
        height = (bottom - top) / max(len(self.rows), 1)
        for n, row in enumerate(self.rows):
            y = top + n * height
            plot.drawn += self._row(plot, row, y + min(_HEAD, 0.5 * height), y + min(0.75 * height, _HEAD + 13))
        return plot.parts()

    def _row(self, plot: Plot, row: Row, words: float, y: float) -> Iterable[str]:
        struck = {"text_decoration": "line-through"} if row.struck else {}
        yield element("text", text(_cut(row.label)), x=self.box.left + 4, y=words - 3, class_="label", **struck)
        estimate, lower, upper = row.ends
        if row.remark and math.isnan(lower) and math.isnan(estimate):
            tip = element("title", text(row.remark))
            yield element("text", tip, text(_cut(row.remark)), x=self.box.left + 4, y=y + 3, class_="remark")
        if not math.isnan(lower):
            (low, high), _ = plot.screen(np.clip([lower, upper], *self.x), [0, 0])
            tip = element("title", text(f"{row.label}: {ends_text(row.ends)}"))
            bar = {"x": low, "y": y - 4, "width": max(high - low, 1.5), "height": 8, "rx": 4}
            yield element("rect", tip, **bar, fill=colour(row.place), fill_opacity=0.35)
            if upper > self.x[1]:
                beyond = text(f"to {number_text(upper, 2)} ▸")
                yield element("text", beyond, x=self.box.right - 6, y=y + 4, text_anchor="end", class_="label")
        if not math.isnan(estimate) and self.x[0] <= estimate <= self.x[1]:
            (px,), _ = plot.screen([estimate], [0])
            tip = element("title", text(f"{row.label}: {ends_text(row.ends)}"))
            yield element("circle", tip, cx=px, cy=y, r=4.2, fill=colour(row.place))


def _cut(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def ends_text(ends: tuple[float, float, float]) -> str:
    """An interval as text; limits alone where there is no estimate."""
    estimate, lower, upper = ends
    if math.isnan(lower):
        return "–" if math.isnan(estimate) else number_text(estimate)
    if math.isnan(estimate):
        return f"{number_text(lower, 2)} to {number_text(upper, 2)}"
    return interval_text(estimate, lower, upper)


def _panel(title: str, caption: str, *parts: str) -> Panel:
    return Panel(title, caption, picture(*parts, name=title))


def _words(words: str, **where: str | float) -> str:
    """Words over what is drawn, with a halo so that they can be read."""
    return element("text", text(words), class_="aim", fill=colour(AIM), **where)


def _upright(plot: Plot, at: float, words: str, *, high: bool = False) -> list[str]:
    """A dashed line at a value of x, with words next to it."""
    (px,), _ = plot.screen([at], [plot.y[0]])
    line = element(
        "path", d=f"M{px:.1f} {plot.box.top:g}V{plot.box.bottom:g}", stroke=colour(AIM), stroke_width=1.4,
        stroke_dasharray="5 3", fill="none",
    )  # fmt: skip
    anchor, dx = ("end", -4) if px > (plot.box.left + plot.box.right) / 2 else ("start", 4)
    label = _words(words, x=px + dx, y=plot.box.top + 10 if high else plot.box.bottom - 5, text_anchor=anchor)
    return [line, label] if words else [line]


def _across(plot: Plot, at: float, words: str) -> list[str]:
    """A dashed line at a value of y, with words on it."""
    _, (py,) = plot.screen([plot.x[0]], [at])
    line = element(
        "path", d=f"M{plot.box.left:g} {py:.1f}H{plot.box.right:g}", stroke=colour(AIM), stroke_width=1.4,
        stroke_dasharray="5 3", fill="none",
    )  # fmt: skip
    label = _words(words, x=plot.box.left + 4, y=py - 4)
    return [line, label] if words else [line]


def _dates(check: Check, ends: tuple[float, float], *, shown: bool = True, most: int = 4) -> dict[float, str]:
    """Ticks at periods, the words left out where another axis below has them."""
    first, last = ends
    step = max(1, math.ceil((last - first) / most))
    ticks = {}
    for number in range(math.ceil(first), math.floor(last) + 1, step):
        at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(
            microseconds=period_start(number, check.settings.period, None)
        )
        form = {"hour": f"{at.day} {at:%b %Hh}", "month": f"{at:%b %Y}"}.get(check.settings.period, f"{at.day} {at:%b}")
        ticks[float(number)] = form if shown else ""
    return ticks


def _span(check: Check, numbers: Sequence[float]) -> tuple[float, float]:
    """The periods of an axis."""
    if not len(numbers):
        return float(check.period) - 1, float(check.period)
    first = float(check.first_period if check.first_period is not None else numbers[0])
    return first - 1, max(float(max(numbers)) + 1, first + 1)


def _control(check: Check, chart: Chart) -> Panel:
    one = check.promises[chart.name]
    numbers = np.asarray(chart["number"], dtype=np.float64) - (chart.marks["stride"] - 1) / 2
    span = _span(check, chart["number"])
    dots, running = (_matrix(chart, names) for names in (("estimate", "lower", "upper"), ("running", "low", "high")))
    young = np.asarray(chart["young"], dtype=bool)
    settled = running[len(young) // 8 :]  # the first limits are wide, and would flatten the rest
    y = _range([dots[~young], settled, [[chart.marks["promise"]]]], within=_LIMITS.get(one.promise.quantity))
    plot = Plot(span, y, "", one.promise.name, x_ticks=_dates(check, span, shown=False), box=_UPPER)
    known = ~np.isnan(running[:, 1])
    if known.any():
        low, high = np.clip(running[known, 1], *y), np.clip(running[known, 2], *y)
        plot.area(numbers[known], low, high, place=NOW)
        plot.line(numbers[known], np.clip(running[known, 0], *y), place=NOW)
    for at, ends, faint, labels, name in zip(numbers, dots, young, chart["labels"], chart["first"], strict=True):
        plot.drawn += _dot(plot, float(at), ends, y, faint=bool(faint), tip=f"from {name}: {labels:,} counted")
    plot.drawn += _across(plot, chart.marks["promise"], f"promised {one.promise.relation} {one.promise.value:g}")
    below = _evidence(check, one.periods, one.log_path / math.log(10), chart.marks["alarm"], span)
    if not math.isnan(chart.marks["change"]) and chart.marks["alarm"] <= math.log10(max(one.evidence, 1e-300)):
        for each in (plot, below):
            words = (
                "" if each is plot else f"change about {period_text(int(chart.marks['change']), check.settings.period)}"
            )
            each.drawn += _upright(each, chart.marks["change"], words, high=True)
    each_dot = count_text(int(chart.marks["stride"]), check.settings.period)
    caption = f"A dot is {each_dot} alone; the band holds the mean since the start, however often one looks."
    if young.any():
        caption += " Grey: young, missing labels may be either."
    caption += " Below: evidence that the promise is broken."
    return _panel(str(one.promise), caption, *plot.parts(), *below.parts())


_LIMITS: dict[str, tuple[float, float]] = dict.fromkeys(
    ("precision", "tpr", "fpr", "tnr", "npv", "prevalence", ALARM_RATE), (0.0, 1.0)
)


def _evidence(check: Check, periods: Any, path: Floats, alarm: float, span: tuple[float, float]) -> Plot:
    """Evidence over time, to powers of ten, cut far above the alarm."""
    finite = path[np.isfinite(path)]
    high = min(max(float(finite.max(initial=0.0)), 0.0) * 1.05, _DECADES * alarm)
    y = (-1.0, max(high, alarm * 1.3))
    ticks = {0.0: "1", alarm: short(float(f"{10**alarm:.2g}"))}
    below = Plot(span, y, "", "evidence", y_ticks=ticks, x_ticks=_dates(check, span), box=_LOWER)
    below.drawn += _across(below, alarm, "" if alarm > y[1] else "alarm")
    if path.size:
        below.line(np.asarray(periods, dtype=np.float64), np.clip(np.where(np.isfinite(path), path, y[0]), *y), place=3)
        if path[-1] > y[1]:
            words = f"▲ {odds_text(10.0 ** min(path[-1], 300.0))}"
            below.drawn.append(_words(words, x=below.box.right, y=below.box.top - 4, text_anchor="end"))
    return below


def _matrix(chart: Chart, names: Sequence[str]) -> Floats:
    return np.array([chart[name] for name in names], dtype=np.float64).reshape(len(names), -1).T


def _range(values: Iterable[Any], *, within: tuple[float, float] | None = None) -> tuple[float, float]:
    """Ends of an axis on which numbers fit, with some margin."""
    flat = np.concatenate([np.asarray(each, dtype=np.float64).ravel() for each in values])
    finite = flat[np.isfinite(flat)]
    if not finite.size:
        return within or (0.0, 1.0)
    low, high = float(finite.min()), float(finite.max())
    margin = 0.08 * (high - low) or 0.5 * abs(high) or 1.0
    low, high = low - margin, high + margin
    return (low, high) if within is None else (max(low, within[0]), min(high, within[1]))


def _dot(plot: Plot, at: float, ends: Floats, y: tuple[float, float], *, faint: bool, tip: str) -> Iterable[str]:
    """An estimate with thin limits; what is young has bounds alone."""
    estimate, lower, upper = (float(end) for end in ends)
    tip = element("title", text(f"{tip}; {ends_text((estimate, lower, upper))}"))
    place = BEFORE if faint else NOW
    if not math.isnan(lower):
        (px, _), (low, high) = plot.screen([at, at], np.clip([lower, upper], *y))
        wide = {"stroke_width": 4, "stroke_opacity": 0.25} if faint else {"stroke_width": 1, "stroke_opacity": 0.4}
        yield element("path", tip, d=f"M{px:.1f} {low:.1f}V{high:.1f}", stroke=colour(place), fill="none", **wide)
    if not math.isnan(estimate) and y[0] <= estimate <= y[1]:
        (px,), (py,) = plot.screen([at], [estimate])
        yield element("circle", tip, cx=px, cy=py, r=2.4, fill=colour(place))


def _ladders(check: Check) -> list[Panel]:
    chart = check.chart("ladder")
    if not len(chart):
        return []
    drawn = []
    for title, promise, names in (
        ("Recall", "recall", ("estimate", "lower", "upper")),
        ("Cost per row", "expected_cost", ("cost", "cost_lower", "cost_upper")),
    ):
        ends = _matrix(chart, names)
        rows = [
            Row(
                f"{step}: {assumption}", _triple(each), BEFORE if step != "drawn labels" else NOW, bool(refuted),
                f"refuted: {refutation}" if refuted else "no limits",
            )
            for step, assumption, refuted, refutation, each in zip(
                chart["step"], chart["assumption"], chart["refuted"], chart["refutation"], ends, strict=True
            )
        ]  # fmt: skip
        x = (0.0, 1.0) if promise == "recall" else (0.0, _reach_of_costs(chart, ends))
        lines = {chart.marks[promise]: "promised"} if promise in chart.marks else {}
        caption = "From top to bottom more is assumed; what labels or scores refute is struck out."
        label = "recall of mature cohorts" if promise == "recall" else "cost of mature cohorts, per row"
        drawn.append(_panel(f"{title} by assumption", caption, *Intervals(rows, x, label, lines).parts()))
    return drawn


def _reach_of_costs(chart: Chart, ends: Floats) -> float:
    """The end of an axis that shows the narrow intervals; wider ones run out of it."""
    named = [float(end) for end in (chart.marks.get("expected_cost", math.nan), *ends[:, 0]) if math.isfinite(end)]
    widest = [float(end) for end in ends[:, 2] if math.isfinite(end)]
    return (min(4 * max(named), max(widest, default=1.0) * 1.05) if any(named) else max(widest, default=1.0)) or 1.0


def _triple(values: npt.ArrayLike) -> tuple[float, float, float]:
    estimate, lower, upper = (float(value) for value in np.asarray(values))
    return estimate, lower, upper


def _bands(check: Check) -> Panel:
    chart = check.chart("bands")
    ends = _matrix(chart, ("estimate", "lower", "upper"))
    rows = []
    for n, scores in enumerate(chart["scores"]):
        counts = f"{chart['positive'][n]:,} of {chart['reviewed'][n]:,} reviewed right"
        rows.append(Row(f"{scores}: {counts}", _triple(ends[n]), remark="none reviewed"))
    even = chart.marks["break_even"]
    lines = {} if math.isnan(even) else {even: f"alarms pay from {number_text(even)} on"}
    drawing = Intervals(rows, (0.0, 1.0), "precision of reviewed alarms", lines)
    parts = drawing.parts()
    for n, before in enumerate(chart["reference"]):
        if not math.isnan(before):
            height = (drawing.box.bottom - drawing.box.top) / max(len(rows), 1)
            (px,), _ = Plot(drawing.x, (0, 1), "", "", box=drawing.box).screen([before], [0])
            y = drawing.box.top + n * height + min(0.75 * height, _HEAD + 13)
            tip = element("title", text(f"reference: {number_text(before)}"))
            parts.append(element("path", tip, d=f"M{px:.1f} {y - 8:.1f}v16", stroke="currentColor", stroke_width=2))
    caption = "Limits hold at every look; the upright stroke is the reference. A band below the dashed line costs more"
    return _panel("Precision by score", f"{caption} than it saves.", *parts)


def _class_ratio(check: Check) -> Panel:
    chart, regret = check.chart("class_ratio"), check.chart("regret")
    ends = _matrix(chart, ("estimate", "lower", "upper"))
    refuted = bool(chart.marks["refuted"])
    rows = [
        Row(str(name), _triple(each), BEFORE)
        if name == "reference"
        else Row(str(name), _triple(each * np.nan if refuted else each), NOW, refuted, "no mix fits")
        for name, each in zip(chart["method"], ends, strict=True)
    ]
    x = float(regret["class_ratio"][0]), float(regret["class_ratio"][-1])
    upper = Intervals(rows, x, "", box=Box(left=54, top=12, bottom=160))
    below = Plot(
        x, (0.0, max(regret["regret"]) * 1.1 or 1.0), "class ratio, if classes score as before", "regret a row",
        box=Box(top=178),
    )  # fmt: skip
    shade = []
    low, high = chart.marks["holds_from"], chart.marks["holds_to"]
    if not math.isnan(low):
        (left, right), _ = below.screen(np.clip([low, high], *x), [0, 0])
        box = {"x": left, "y": 12, "width": max(right - left, 1.5), "height": below.box.bottom - 12}
        tip = element("title", text(f"the threshold is the cheapest from {number_text(low)} to {number_text(high)}"))
        shade = [element("rect", tip, **box, fill=colour(2), fill_opacity=0.16)]
    below.line(regret["class_ratio"], regret["regret"], place=3)
    caption = "Green: class ratios for which the threshold is the cheapest. Below: what keeping it costs too much."
    caption += " Scores refute that classes look as before." if refuted else " Not refuted by scores is not proven."
    return _panel("Class ratio and threshold", caption, *shade, *upper.parts(), *below.parts())


def _calibration(check: Check) -> Panel:
    chart = check.chart("calibration")
    reach = _reach([*chart["reference"], *chart["upper"]])
    plot = Plot((0.0, reach), (0.0, reach), "share of positives in the reference", "share of positives now")
    plot.line([0, reach], [0, reach])
    for at, *ends, labels in zip(
        *(chart[n] for n in ("reference", "estimate", "lower", "upper", "labels")), strict=True
    ):
        if not math.isnan(at):
            plot.drawn += _dot(plot, at, np.array(ends), plot.y, faint=labels < 30, tip=f"{labels:,} labels")
    caption = "A dot is a range of scores, with limits that hold at every look; on the line nothing has changed."
    tested = check.calibration
    if tested is not None:
        verdict = "refuted" if tested.refuted else "not refuted"
        caption += f" As calibrated as the reference: {verdict}. Grey: fewer than 30 labels."
    return _panel("Calibration", caption, *plot.parts())


def _reach(values: Iterable[float]) -> float:
    finite = [value for value in values if math.isfinite(value)]
    return min(1.0, max(finite, default=1.0) * 1.02)


def _calibration_path(check: Check) -> Panel:
    chart = check.chart("calibration_path")
    span = _span(check, chart["number"])
    plots = []
    for name, ideal, box in (("intercept", 0.0, _TOP), ("slope", 1.0, _BOTTOM)):
        ends = _matrix(chart, (name, f"{name}_lower", f"{name}_upper"))
        ends[np.isnan(ends[:, 1]) | np.isnan(ends[:, 2])] = np.nan
        y = _range([ends, [ideal - 0.1, ideal + 0.1]])
        ticks = _dates(check, span, shown=name == "slope")
        plot = Plot(span, y, "", name, x_ticks=ticks, box=box)
        plot.line(span, [ideal, ideal])
        known = ~np.isnan(ends[:, 1])
        numbers = np.asarray(chart["number"], dtype=np.float64)
        if known.any():
            plot.area(numbers[known], ends[known, 1], ends[known, 2], place=NOW)
            plot.line(numbers[known], ends[known, 0], place=NOW)
            for at, each in zip(numbers[known], ends[known], strict=True):
                plot.drawn += _dot(plot, float(at), each, y, faint=False, tip=name)
        plots += plot.parts()
    caption = "Of all labels since the start. Intercept 0 and slope 1: as in the reference. Limits hold at every look."
    return _panel("Intercept and slope of the calibration", caption, *plots)


def _scores(check: Check) -> Panel:
    chart = check.chart("scores")
    cells = len(chart)
    now, before = (np.asarray(chart[name], dtype=np.float64) for name in ("now", "reference"))
    high = float(np.nanmax([*now, *before])) * 1.1
    step = max(1, cells // 5)
    ticks = {float(n): f"{chart['from_score'][n]:.2g}" for n in range(1, cells, step)}
    plot = Plot((0.0, float(cells)), (0.0, high), "score from", "share of rows", x_ticks=ticks)
    first = next((n for n, alarm in enumerate(chart["alarm"]) if alarm), cells)
    (left, right), _ = plot.screen([first, cells], [0, 0])
    box = {"x": left, "y": plot.box.top, "width": right - left, "height": plot.box.bottom - plot.box.top}
    plot.drawn.append(element("rect", element("title", "alarms"), **box, fill=colour(AIM), fill_opacity=0.09))
    if not np.isnan(now).any():
        plot.bars(np.arange(cells + 1), now, place=NOW)
    edges = np.repeat(np.arange(cells + 1), 2)[1:-1]
    plot.line(edges, np.repeat(before, 2), dashes="")
    caption = "Blue: the last rows; line: the reference, whose ranges of scores these are. Shaded: alarms."
    if check.drift is not None:
        cut = chart["from_score"][min(int(chart.marks["cut"]) + 1, cells - 1)]
        share = f"{percent_text(check.drift.share)} now, {percent_text(check.drift.reference)} before"
        moved = "have moved" if check.drift.alarm else "have not moved by more than is tolerated"
        caption += f" Scores {moved}; furthest above {cut:.3g}: {share}."
    return _panel("Distribution of scores", caption, *plot.parts())


def _columns(check: Check) -> list[Panel]:
    chart = check.chart("columns")
    if not len(chart):
        return []
    values = [math.log10(max(value, 1e-9)) for value in chart["e_value"][:_MOST_ROWS]]
    most = max(*values, math.log10(chart.marks["bar"]), 1.0) * 1.15
    rows = []
    for name, cell, value, moved, share, before in zip(
        chart["column"], chart["cell"], values, chart["moved"], chart["share"], chart["reference"], strict=False
    ):
        words = f"{name}, {cell}: {percent_text(share)}, was {percent_text(before)}" + (" (moved)" if moved else "")
        rows.append(Row(words, (value, min(value, 0.0), max(value, 0.0)), AIM if moved else NOW))
    lines = {math.log10(chart.marks["bar"]): "moved from here on"}
    x = min(0.0, *values) - 0.2, most
    drawing = Intervals(rows, x, "evidence that the column has moved, powers of ten", lines)
    caption = "Columns by evidence; of those named as moved, few are expected to be named in error (e-BH)."
    return [_panel("Input columns", caption, *drawing.parts())]


def _volume(check: Check) -> Panel:
    chart = check.chart("volume")
    span = _span(check, chart["number"])
    edges = [period - 0.5 for period in (*_starts(check, chart), chart["number"][-1] + 1)] if len(chart) else [0.0, 1.0]
    rows = np.asarray(chart["rows"], dtype=np.float64)
    upper = Plot(
        span, (0.0, float(rows.max(initial=1)) * 1.1), "", "rows", x_ticks=_dates(check, span, shown=False), box=_TOP
    )
    if rows.size:
        upper.bars(edges, rows, place=BEFORE, opacity=0.25)
        due = np.asarray(chart["alarms"], dtype=np.float64)
        upper.bars(edges, due, place=NOW)
    rate = np.asarray(chart["alarm_rate"], dtype=np.float64)
    y = 0.0, float(np.nanmax([*rate, 1e-9])) * 1.15
    below = Plot(span, y, "", "alarm rate", x_ticks=_dates(check, span), box=_BOTTOM)
    below.line(np.asarray(chart["number"], dtype=np.float64), rate, place=NOW)
    counts = check.counts
    caption = f"Grey: rows; blue: alarms. {counts['orphans']:,} labels wait for their row, "
    caption += f"{counts['corrections']:,} labels were corrected."
    return _panel("Volume and alarm rate", caption, *upper.parts(), *below.parts())


def _starts(check: Check, chart: Chart) -> list[float]:
    stride = chart["number"][1] - chart["number"][0] if len(chart) > 1 else 1
    return [max(float(number - stride + 1), float(check.first_period or 0)) for number in chart["number"]]


def _maturity(check: Check) -> Panel:
    chart = check.chart("maturity")
    days = np.asarray(chart["days"], dtype=np.float64)
    most = float(max(days.max(initial=1.0), chart.marks.get("mature", 1.0) or 1.0))
    plot = Plot((0.0, most), (0.0, 1.0), "days since the score", "share labelled")
    if len(chart):
        share, lower, upper = (np.asarray(chart[name], dtype=np.float64) for name in ("share", "lower", "upper"))
        plot.area(days, lower, upper, place=NOW)
        plot.line(days, share, place=NOW)
        for name, place in (("positives", 1), ("negatives", 2)):
            values = np.asarray(chart[name], dtype=np.float64)
            if not np.isnan(values).all():
                plot.line(days, values, place=place)
                at = int(np.argmax(values >= 0.45 if place == 1 else values >= 0.7))
                (px,), (py,) = plot.screen([days[at]], [values[at]])
                plot.drawn.append(element("text", name, x=px + 8, y=py + 10, fill=colour(place)))
        if chart.marks["mature"] <= most:
            plot.drawn += _upright(plot, chart.marks["mature"], "judged from here on")
    caption = "Of rows that are due a label, the share that has one by an age (Kaplan-Meier)."
    if check.delays.test is not None and check.delays.test.differs:
        caption += " One class comes later than the other, so young cohorts are never judged."
    return _panel("When labels come", caption, *plot.parts())


def _cohorts(check: Check) -> Panel:
    chart = check.chart("cohorts")
    span = _span(check, chart["last"])
    days = sorted(set(chart["days"]))
    width = days[0] if days else 1.0
    plot = Plot(span, (0.0, days[-1] if days else 1.0), "", "days since the score", x_ticks=_dates(check, span))
    for number, last, age, share, name in zip(
        *(chart[column] for column in ("number", "last", "days", "share", "cohort")), strict=True
    ):
        (left, right), (low, high) = plot.screen([number, last + 1], [age - width, age])
        box = {"x": left, "y": high, "width": right - left + 0.2, "height": low - high}
        if math.isnan(share):
            continue
        tip = element("title", text(f"{name}: {percent_text(share)} by day {age:.0f}"))
        plot.drawn.append(element("rect", tip, **box, fill=colour(NOW), fill_opacity=0.06 + 0.7 * share))
    mature = chart.marks["mature"]
    if days and mature <= days[-1]:
        plot.drawn += _across(plot, mature, "")
    caption = "A column is a cohort, darker where more of its labels have come; what is empty is still to come."
    return _panel("Labels by cohort and age", caption, *plot.parts())


def _queue(check: Check) -> Panel:
    chart = check.chart("queue")
    rows = []
    for name, words in (("now", "recall in the stretch, labels so far"), ("expected", "with 200 more labels, about")):
        ends = tuple(chart.marks[f"{name}_{end}"] for end in ("estimate", "lower", "upper"))
        rows.append(Row(words, _triple(ends), NOW if name == "now" else 2, remark="not known yet"))
    for n, stratum in enumerate(chart["stratum"]):
        total, labelled = chart["rows"][n], chart["labelled"][n]
        share = labelled / total if total else 0.0
        words = f"{stratum}: {labelled:,} of {total:,}, {chart['positive'][n]:,} positive"
        rows.append(Row(words, (math.nan, 0.0, share), BEFORE))
    caption = "The last closed stretch: limits of its recall, and the labelled part of each range of scores below"
    parts = Intervals(rows, (0.0, 1.0), "recall; below, by score: share labelled").parts()
    return _panel("Review queue", f"{caption} the threshold.", *parts)


def evidence_bar(evidence: float, most: float) -> str:
    """Evidence as a bar from 1 to what an alarm needs, by powers of ten."""
    share = min(max(math.log10(max(evidence, 1.0)) / math.log10(most), 0.0), 1.0)
    full = {"x": 0, "y": 0, "height": 10, "rx": 3}
    ground = element("rect", **full, width=120, fill="currentColor", fill_opacity=0.12)
    bar = element("rect", **full, width=max(120 * share, 2), fill=colour(AIM if evidence >= most else NOW))
    name = f"evidence {share:.0%} of the way to an alarm" if evidence < most else "evidence enough for an alarm"
    return element(
        "svg", element("title", text(name)), ground, bar, class_="odds", viewBox="0 0 120 10", width=120, height=10,
        role="img",
    )  # fmt: skip
