"""Numbers of the pictures of a check: a chart each, as columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher._internal.results import ReadOnly, Tabular
from thresher.errors import ArgumentError
from thresher.inference import Interval, mean_interval, rate_interval, regret_interval
from thresher.inference.anytime.maturity import maturity
from thresher.ranking import Counts, Floats
from thresher.tables import OperatingCondition
from thresher.watching.check.assumptions import calibration_of_labels
from thresher.watching.check.promises import PromiseCheck
from thresher.watching.check.quantities import quantity_interval
from thresher.watching.cohorts import Cohorts
from thresher.watching.periods import HOUR, period_start, period_text
from thresher.watching.review import expected_audit
from thresher.watching.settings import OF_MISSES, Promise

if TYPE_CHECKING:
    from thresher.watching.check import Check

POINTS, MISSES = 60, 15  # dots of a chart over time, at most
MORE_LABELS = 200
_STRIDES = (1, 2, 7, 14, 28, 56, 112, 224, 448, 896, 1792, 3584)
_AGES = 12  # columns of the strip of maturity
_RATIOS = 41
_MOMENTS = 6  # of the path of calibration
_ANY = Promise("", "", ">=", 0.0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Chart(Tabular):
    """The numbers of a picture: columns of equal length, and marks such as a limit."""

    name: str
    title: str
    columns: Mapping[str, Any]
    marks: Mapping[str, float]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, column: str) -> Any:
        return self.columns[column]

    def frame(self) -> Any:
        """The columns as a data frame."""
        return self.to_frame()

    def _columns(self) -> Mapping[str, Any]:
        return self.columns

    def _brief(self) -> str:
        return f"{self.title!r}, {len(self):,} rows"


def chart(check: Check, name: str) -> Chart:
    """The numbers of one picture of a check.

    A name is that of a promise, for its control chart, or "bands", "ladder", "class_ratio", "regret", "calibration",
    "calibration_path", "maturity", "cohorts", "scores", "columns", "volume" or "queue".
    """
    if name in check.promises:
        return control_chart(check, check.promises[name])
    if name not in _CHARTS:
        known = ", ".join([*check.promises, *_CHARTS])
        raise ArgumentError(f"there is no chart {name!r}", f"ask for one of: {known}", parameter="name")
    return _CHARTS[name](check)


def control_chart(check: Check, one: PromiseCheck) -> Chart:
    """A promise over time: groups of periods alone, and the running mean.

    Wilson's limits of a group are for one look at it; the running ones hold at every look. Young groups have bounds
    alone: labels that are missing may be either.
    """
    evidence, promise = check.evidence, one.promise
    judged = evidence.cohorts_of(promise)
    every = judged if promise.of_every_row else evidence.every
    few = promise.quantity in OF_MISSES  # drawn labels are few, so groups are long
    first, last = _groups(check, every.periods, MISSES if few else POINTS)
    columns: dict[str, list[Any]] = {name: [] for name in ("labels", *_THREE, "running", "low", "high", "young")}
    last_judged = int(judged.periods[-1]) if judged.rows.size else -(2**62)
    for begin, end in zip(first, last, strict=True):
        young = end > last_judged
        group, until = every.of_periods(begin, end), judged.of_periods(int(first[0]), end)
        labels, alone = _alone(one, check, group, young=young)
        running = None if begin > last_judged else quantity_interval(promise, evidence, until)
        columns["labels"].append(labels)
        columns["young"].append(young)
        for column, value in zip((*_THREE, "running", "low", "high"), (*_ends(alone), *_ends(running)), strict=True):
            columns[column].append(value)
    path = one.log_path / math.log(10)
    periods = one.periods[: path.size]
    at = np.searchsorted(periods, np.array(last, dtype=np.int64), side="right") - 1
    known = np.flatnonzero(at >= 0)
    known = known[periods[at[known]] >= np.array(first, dtype=np.int64)[known]]
    log10 = np.full(at.size, np.nan)
    log10[known] = path[at[known]]
    marks = {
        "promise": promise.value,
        "alarm": math.log10(one.most),
        "change": math.nan if one.since is None else float(one.since),
        "stride": float(last[0] - first[0] + 1 if first else 1),
    }
    table = _named(check, first, last) | columns | {"log10_evidence": log10.tolist()}
    return _chart(promise.name, f"{promise}", table, marks)


_THREE = ("estimate", "lower", "upper")


def _alone(one: PromiseCheck, check: Check, group: Cohorts, *, young: bool) -> tuple[int, Interval | None]:
    """Labels of a group of periods, and its quantity from them alone."""
    evidence, quantity = check.evidence, one.promise.quantity
    if one.promise.of_every_row:
        rows = group.count()
        return rows, rate_interval(group.count(group.alarm), rows, level=evidence.level) if rows else None
    if quantity == "precision":
        k, n = group.count(group.alarm & group.positive), group.count(group.alarm & ~group.unknown)
        alarms = group.count(group.alarm)
        if young:  # the estimate would be of those labels that come early
            ends = (k / alarms, (k + alarms - n) / alarms) if alarms else (0.0, 1.0)
            return n, Interval(math.nan, *ends, math.nan, evidence.level, "worst case")
        return n, rate_interval(k, n, level=evidence.level) if n else None
    labels = group.count(group.due & ~group.unknown)
    if young or not group.count(group.drawn & ~group.unknown):
        return labels, None
    return labels, quantity_interval(one.promise, evidence, group)


def _groups(check: Check, periods: Counts, most: int = POINTS) -> tuple[list[int], list[int]]:
    """First and last periods of groups, of which there are at most so many."""
    if not periods.size:
        return [], []
    begin, end = int(periods[0]), int(periods[-1])
    enough = -(-(end - begin + 1) // most)
    strides = _STRIDES if check.settings.period == "day" else range(1, enough + 1)
    stride = next((each for each in strides if each >= enough), enough)
    first = [at for at in range(begin, end + 1, stride) if ((periods >= at) & (periods < at + stride)).any()]
    return first, [min(at + stride - 1, end) for at in first]


def _named(check: Check, first: list[int], last: list[int]) -> dict[str, list[Any]]:
    period = check.settings.period
    return {"first": [period_text(at, period) for at in first], "last": [period_text(at, period) for at in last]} | {
        "number": last
    }


def _ends(interval: Interval | None) -> tuple[float, float, float]:
    return (math.nan,) * 3 if interval is None else (interval.estimate, interval.lower, interval.upper)


def _chart(name: str, title: str, columns: Mapping[str, Any], marks: Mapping[str, float] | None = None) -> Chart:
    return Chart(name, title, ReadOnly(dict(columns)), ReadOnly(dict(marks or {})))


def _bands(check: Check) -> Chart:
    """Precision of reviewed alarms by range of scores, now and in the reference."""
    epoch, mature, level = check.epoch_of, check.evidence.mature, check.evidence.level
    strata = np.flatnonzero(epoch.alarm_strata())
    pos, neg = epoch.in_cells(epoch.reference)
    place = epoch.stratum_of(np.arange(epoch.cells))
    rows = []
    for stratum in strata.tolist():
        alarms = mature.take(mature.alarm & (mature.strata == stratum))
        k, n = alarms.count(alarms.positive), alarms.count(~alarms.unknown)
        before = pos[place == stratum].sum(), (pos + neg)[place == stratum].sum()
        ends = _ends(mean_interval(k, n, level=level) if n else None)
        reference = before[0] / before[1] if before[1] else math.nan
        rows.append((check.strata[stratum], alarms.count(), n, k, *ends, reference))
    names = ("scores", "alarms", "reviewed", "positive", *_THREE, "reference")
    condition = check.evidence.condition
    even = 1 / (1 + condition.cost_ratio) if math.isfinite(condition.cost_ratio) else math.nan
    return _chart("bands", "Precision by range of scores", _transposed(names, rows), {"break_even": even})


def _transposed(names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def _ladder(check: Check) -> Chart:
    """Recall and cost per row under ever stronger assumptions."""
    evidence = check.evidence
    rows: list[tuple[Any, ...]] = []
    if evidence.drawn_cohorts.count() and evidence.least:
        measured = (
            quantity_interval(replace(_ANY, quantity=quantity), evidence, evidence.drawn_cohorts)
            for quantity in ("tpr", "expected_cost")
        )
        recall, cost = map(_ends, measured)
        rows.append(("drawn labels", "rows without alarm are drawn", *recall, *cost, "", False))
    for step, of_cost in zip(check.ladder("recall"), check.ladder("expected_cost"), strict=True):
        ends = (*_ends(step.interval), *_ends(of_cost.interval))
        rows.append((f"step {step.step}", step.assumption, *ends, step.refutation, bool(step.refuted)))
    names = ("step", "assumption", *_THREE, "cost", "cost_lower", "cost_upper", "refutation", "refuted")
    marks = {one.promise.name: one.promise.value for one in check.promises.values()}
    return _chart("ladder", "What is known of recall and cost, by what is assumed", _transposed(names, rows), marks)


def _class_ratio(check: Check) -> Chart:
    """The class ratio from scores alone, next to that of the reference."""
    mix, state, epoch = check.mix, check.threshold_state, check.epoch_of
    before = float(epoch.reference.Pos / epoch.reference.Neg)
    rows: list[tuple[Any, ...]] = [("reference", before, math.nan, math.nan)]
    if mix is not None:
        rows += [(_METHODS[name], *_ends(one)) for name, one in mix.ratios.items()]
    marks = {
        "holds_from": math.nan if state.holds_from is None else state.holds_from,
        "holds_to": math.nan if state.holds_to is None else state.holds_to,
        "refuted": float(mix is not None and mix.test.refuted),
    }
    return _chart("class_ratio", "Class ratio", _transposed(("method", *_THREE), rows), marks)


_METHODS = {"mlls": "likeliest mix", "bbse": "alarm rate corrected", "feasible": "all that fit"}


def _regret(check: Check) -> Chart:
    """What keeping the threshold costs per row, at each class ratio."""
    epoch, condition = check.epoch_of, check.evidence.condition
    ends = [float(epoch.reference.Pos / epoch.reference.Neg)]
    state = check.threshold_state
    ends += [each for each in (state.holds_from, state.holds_to) if each is not None]
    if check.mix is not None:
        ends += [end for one in check.mix.ratios.values() for end in (one.lower, one.upper)]
    ends = [end for end in ends if math.isfinite(end) and end > 0] or [0.01, 1.0]
    ratios = np.geomspace(min(ends) / 1.5, max(ends) * 1.5, _RATIOS)
    values = [_regret_at(epoch.reference, epoch.decision.threshold, condition, ratio) for ratio in ratios.tolist()]
    return _chart("regret", "Regret of keeping the threshold", {"class_ratio": ratios.tolist(), "regret": values})


def _regret_at(reference: Any, threshold: float, condition: OperatingCondition, ratio: float) -> float:
    one = Interval(ratio, ratio, ratio, 0.0, 0.95, "given")
    return regret_interval(reference, threshold, condition, one).estimate


def _calibration(check: Check) -> Chart:
    """The share of positives by range of scores, now and in the reference."""
    epoch, mature = check.epoch_of, check.evidence.mature
    pos, neg = epoch.in_cells(epoch.reference)
    known = mature.take(mature.due & ~mature.unknown)
    k, n = known.by_cell(known.positive), known.by_cell()
    rows = []
    for cell in np.flatnonzero(n).tolist():
        ends = _ends(mean_interval(int(k[cell]), int(n[cell]), level=check.evidence.level))
        before = float(pos[cell] / (pos[cell] + neg[cell])) if pos[cell] + neg[cell] else math.nan
        rows.append((float(epoch.cell_scores[cell]), int(n[cell]), int(k[cell]), *ends, before))
    names = ("from_score", "labels", "positive", *_THREE, "reference")
    return _chart("calibration", "Calibration now and in the reference", _transposed(names, rows))


def _calibration_path(check: Check) -> Chart:
    """Intercept and slope of the labels so far, at moments since the start."""
    periods = check.evidence.mature.periods
    rows = []
    if periods.size:
        for end in np.unique(np.linspace(periods[0], periods[-1], _MOMENTS + 1).astype(np.int64)[1:]).tolist():
            until = check.evidence.mature.take(check.evidence.mature.period <= end)
            tested = calibration_of_labels(check.epoch_of, replace(check.evidence, mature=until))
            if tested is not None:
                name = period_text(end, check.settings.period)
                rows.append((name, end, *_ends(tested.intercept), *_ends(tested.slope), tested.evidence))
    both = [f"{part}{end}" for part in ("intercept", "slope") for end in ("", "_lower", "_upper")]
    names = ("until", "number", *both, "evidence")
    return _chart("calibration_path", "Intercept and slope of the calibration", _transposed(names, rows))


def _maturity(check: Check) -> Chart:
    """The share labelled by age, of all rows that are due and of each class."""
    ages, test = check.snapshot.ages, check.delays.test
    if not ages.rows.size:
        return _chart("maturity", "Share labelled by age", {name: [] for name in _AGE_NAMES})
    labelled = ages.label >= 0
    known = maturity(ages.hours, *(np.where(part, ages.rows, 0) for part in (labelled, ~labelled)))
    at = np.unique(np.searchsorted(known.age, np.linspace(0, known.age[-1], POINTS)).clip(0, known.age.size - 1))
    age = known.age[at]
    of_class = [np.full(age.size, np.nan)] * 2
    if test is not None:
        of_class = [_step(test.age, each, age) for each in (test.pos, test.neg)]
    values = (age / 24, known.share[at], known.lower[at], known.upper[at], *of_class)
    marks = {"mature": check.delays.age / 24, "plateau": known.plateau}
    return _chart("maturity", "Share labelled by age", dict(zip(_AGE_NAMES, values, strict=True)), marks)


_AGE_NAMES = ("days", "share", "lower", "upper", "positives", "negatives")


def _step(age: Floats, share: Floats, at: Floats) -> Floats:
    values = np.concatenate([[0.0], share])
    steps: Floats = values[np.searchsorted(age, at, side="right")]
    return steps


def _cohorts(check: Check) -> Chart:
    """Of each group of periods, the share labelled by an age; NaN if too young."""
    ages, settings = check.snapshot.ages, check.settings
    first, last = _groups(check, np.unique(ages.period))
    rows: list[tuple[Any, ...]] = []
    if first:
        horizon = check.delays.age if check.delays.age > 0 else float(ages.hours.max(initial=1)) or 1.0
        edges = np.linspace(0, 1.5 * horizon, _AGES + 1)[1:]
        for begin, end in zip(first, last, strict=True):
            here = (ages.period >= begin) & (ages.period <= end)
            due = int(ages.rows[here].sum())
            oldest = (check.as_of - period_start(end + 1, settings.period, settings.zone_info)) / HOUR
            for edge in edges.tolist():
                by_then = int(ages.rows[here & (ages.label >= 0) & (ages.hours <= edge)].sum())
                share = by_then / due if due and oldest >= edge else math.nan
                name = period_text(begin, settings.period)
                rows.append((name, begin, end, edge / 24, due, share))
    names = ("cohort", "number", "last", "days", "due", "share")
    return _chart("cohorts", "Labels by cohort and age", _transposed(names, rows), {"mature": check.delays.age / 24})


def _scores(check: Check) -> Chart:
    """Shares of rows by range of scores, now and in the reference."""
    epoch, every = check.epoch_of, check.evidence.every
    recent = every.take(every.period > check.period - check.settings.stretch)
    before = np.add(*epoch.in_cells(epoch.reference))
    now = recent.by_cell()
    lows = [math.nan, *epoch.cuts.tolist()]
    columns = {
        "from_score": lows,
        "alarm": [cell >= epoch.first_alarm for cell in range(epoch.cells)],
        "reference": (before / before.sum()).tolist(),
        "now": (now / now.sum()).tolist() if now.sum() else [math.nan] * epoch.cells,
        "rows": now.tolist(),
    }
    cut = math.nan if check.drift is None else float(check.drift.cut)
    return _chart("scores", "Distribution of scores", columns, {"cut": cut})


def _columns(check: Check) -> Chart:
    """Input columns by the evidence that they have moved."""
    cells = {one.name: one for one in check.epoch_of.columns}
    rows = []
    for name, one in sorted(check.columns.items(), key=lambda item: -item[1].e_value):
        _, counts = check.snapshot.columns[name]
        recent = counts[-check.settings.stretch :].sum(axis=0)
        total = max(int(recent.sum()), 1)
        missing, unseen = recent[-2] / total, recent[-1] / total
        cell = cells[name].cell_text(one.cut)
        ends = (one.share, one.reference, float(missing), float(unseen))
        rows.append((name, one.e_value, name in check.drifted, cell, *ends))
    names = ("column", "e_value", "moved", "cell", "share", "reference", "missing", "unseen")
    number = len(rows)
    alpha = 1 - check.settings.level
    bar = number / (alpha * max(len(check.drifted), 1)) if number else math.nan
    return _chart("columns", "Input columns", _transposed(names, rows), {"bar": bar})


def _volume(check: Check) -> Chart:
    """Rows, alarms and labels by group of periods."""
    table = check.cohorts
    periods = table["period"]
    first, last = _groups(check, periods)
    sums: dict[str, list[Any]] = {name: [] for name in ("rows", "alarms", "reviewed", "drawn", "drawn_labelled")}
    for begin, end in zip(first, last, strict=True):
        here = (periods >= begin) & (periods <= end)
        for name, values in sums.items():
            values.append(int(table[name][here].sum()))
    rate = [alarms / rows if rows else math.nan for alarms, rows in zip(sums["alarms"], sums["rows"], strict=True)]
    return _chart("volume", "Rows and alarms", _named(check, first, last) | sums | {"alarm_rate": rate})


def _queue(check: Check) -> Chart:
    """The queue of the last closed stretch by stratum."""
    queue, names = check.queue, check.strata
    columns = {
        "stratum": list(names[: queue.rows.size]),
        "rows": queue.rows.tolist(),
        "labelled": queue.labelled.tolist(),
        "positive": queue.positive.tolist(),
        "not_yet_usable": queue.waiting.tolist(),
    }
    now, later = check.audit, expected_audit(check.snapshot, MORE_LABELS)
    marks = {
        f"{name}_{end}": value
        for name, one in (("now", now), ("expected", later))
        for end, value in zip(_THREE, _ends(one), strict=True)
    }
    return _chart("queue", "Queue of rows to review", columns, marks)


_CHARTS: dict[str, Callable[[Check], Chart]] = {
    "bands": _bands,
    "ladder": _ladder,
    "class_ratio": _class_ratio,
    "regret": _regret,
    "calibration": _calibration,
    "calibration_path": _calibration_path,
    "maturity": _maturity,
    "cohorts": _cohorts,
    "scores": _scores,
    "columns": _columns,
    "volume": _volume,
    "queue": _queue,
}
