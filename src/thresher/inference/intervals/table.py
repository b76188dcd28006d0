"""Intervals for every measure of a contingency table: rates as rates, the others by the delta method."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from thresher._internal.arguments import require_level
from thresher.errors import ArgumentError
from thresher.inference.interval import FISHER, LOG, LOGIT, Interval, Scale, normal_quantile
from thresher.inference.intervals.rate import RateMethod, rate_interval
from thresher.tables import MEASURES, Contingency, Measure, measure, require_table

# What of how many: attributes of a table whose ratio is the rate.
RATES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "accuracy": (("tp", "tn"), ("tp", "fn", "fp", "tn")),
    "error_rate": (("fn", "fp"), ("tp", "fn", "fp", "tn")),
    "prevalence": (("tp", "fn"), ("tp", "fn", "fp", "tn")),
    "predicted_positive_rate": (("tp", "fp"), ("tp", "fn", "fp", "tn")),
    "tpr": (("tp",), ("tp", "fn")),
    "fnr": (("fn",), ("tp", "fn")),
    "tnr": (("tn",), ("fp", "tn")),
    "fpr": (("fp",), ("fp", "tn")),
    "precision": (("tp",), ("tp", "fp")),
    "false_discovery_rate": (("fp",), ("tp", "fp")),
    "npv": (("tn",), ("fn", "tn")),
    "false_omission_rate": (("fn",), ("fn", "tn")),
    "jaccard": (("tp",), ("tp", "fn", "fp")),
}
CELLS = ("tp", "fn", "fp", "tn")
# Measures of tpr and fpr alone, which no class mix changes.
WITHIN_CLASSES = ("tpr", "fnr", "tnr", "fpr")
_STEP = 1e-5
_ROUNDING = 1e-12


def measure_interval(
    table: Contingency,
    of: str | Measure,
    *,
    class_ratio: float | None = None,
    level: float = 0.95,
    method: RateMethod = "wilson",
) -> Interval:
    """The interval for any registered measure of one table, as counted or at a declared class ratio.

    A rate is k of n cases and gets `method`. Every other measure gets the delta method under
    multinomial sampling of cases, on the scale that suits its range: logit for [0, 1], Fisher's z for
    [-1, 1], log for ratios. Where the estimate sits at an end of its range, half a case is added to every
    cell first (Haldane 1956), and the note says so. An undefined measure stays undefined, with its reason.

    At a declared `class_ratio` only tpr and fpr were sampled: their limits are carried through the measure one at a
    time, and the two distances combined so that squares add up (Zou & Donner 2008).

    >>> spam = Contingency(tp=30, fn=20, fp=10, tn=40)
    >>> print(measure_interval(spam, "recall"))
    0.6000 [0.4618, 0.7239]
    >>> print(measure_interval(spam, "mcc"))
    0.4082 [0.2180, 0.5686]
    >>> print(measure_interval(spam, "precision", class_ratio=1/99))
    0.0294 [0.0162, 0.0519]
    >>> print(measure_interval(Contingency(tp=0, fn=1, fp=0, tn=9), "precision"))
    undefined (nothing is predicted positive)
    """
    require_level(level)
    require_table(table)
    known = measure(of)
    if any(not isinstance(getattr(table, cell), int | float) for cell in CELLS):
        raise ArgumentError("the table holds many splits", "give the table of one threshold")
    if class_ratio is not None and known.name not in WITHIN_CLASSES:
        rates = [measure_interval(table, rate, level=level, method=method) for rate in ("tpr", "fpr")]
        return interval_at_class_ratio(table, known, class_ratio, rates[0], rates[1])
    estimate = within_range(known, float(known.of(table)))
    if math.isnan(estimate):
        return Interval(estimate, estimate, estimate, math.nan, level, "none", known.undefined)
    if known.name in RATES:
        k, n = (sum(getattr(table, cell) for cell in cells) for cells in RATES[known.name])
        return rate_interval(k, n, level=level, method=method)
    return _delta(table, known, estimate, level)


def table_intervals(
    table: Contingency, *, class_ratio: float | None = None, level: float = 0.95, method: RateMethod = "wilson"
) -> dict[str, Interval]:
    """The interval for every registered measure of one table, by name, as `measure_interval`.

    >>> intervals = table_intervals(Contingency(tp=30, fn=20, fp=10, tn=40))
    >>> print(intervals["accuracy"], intervals["recall"] == intervals["tpr"])
    0.7000 [0.6042, 0.7811] True
    """
    require_table(table)
    of_table = {"class_ratio": class_ratio, "level": level, "method": method}
    return ByMeasure((name, measure_interval(table, name, **of_table)) for name in MEASURES)  # type: ignore[arg-type]


class ByMeasure(dict[str, Interval]):
    """Intervals by the names of measures, to be looked up by their synonyms too; unknown ones get the nearest.

    >>> ByMeasure({"tpr": measure_interval(Contingency(tp=3, fn=1, fp=0, tn=2), "tpr")})["sensitivity"].estimate
    0.75
    """

    def __missing__(self, name: str) -> Interval:
        known = measure(name).name
        if known not in self:
            raise KeyError(name)
        return self[known]


def interval_at_class_ratio(
    table: Contingency, known: Measure, class_ratio: float, tpr: Interval, fpr: Interval, *, stretch: float = 1.0
) -> Interval:
    """The interval for a measure at a declared class ratio, from the intervals of the two rates it depends on.

    `stretch` widens it where tpr and fpr do not vary independently, as in clusters that hold both classes.

    >>> table = Contingency(tp=30, fn=20, fp=10, tn=40)
    >>> tpr, fpr = (measure_interval(table, rate) for rate in ("tpr", "fpr"))
    >>> print(interval_at_class_ratio(table, measure("accuracy"), 1 / 99, tpr, fpr))
    0.7980 [0.6689, 0.8847]
    """
    level = tpr.level
    estimate = within_range(known, float(known.of(table, class_ratio=class_ratio)))
    if math.isnan(estimate):
        return Interval(estimate, estimate, estimate, math.nan, level, "none", known.undefined)
    if known.name in ("prevalence", "class_ratio"):
        return Interval(estimate, estimate, estimate, 0.0, level, "declared")

    def value(hits: float, alarms: float) -> float:
        cells = hits * class_ratio, (1 - hits) * class_ratio, alarms, 1 - alarms
        return float(known.of(Contingency(*cells)))

    by_tpr = [value(end, fpr.estimate) for end in (tpr.lower, tpr.upper)]
    by_fpr = [value(tpr.estimate, end) for end in (fpr.lower, fpr.upper)]
    if not math.isfinite(estimate):  # a ratio over a rate of 0: the careful ends of both rates say how large it is
        ends = value(tpr.lower, fpr.upper), value(tpr.upper, fpr.lower)
        return Interval(estimate, min(*ends, estimate), estimate, math.nan, level, "rates, combined")
    distances = [[(end - estimate) for end in ends if not math.isnan(end)] for ends in (by_tpr, by_fpr)]
    below, above = (
        stretch * math.hypot(*(max(0.0, *(side * distance for distance in each), 0.0) for each in distances))
        for side in (-1, 1)
    )
    low, high = known.range
    cells = [float(getattr(table, cell)) for cell in CELLS]
    variance = stretch**2 * _variance(cells, lambda other: known.of(other, class_ratio=class_ratio))
    limits = max(low, estimate - below), min(high, estimate + above)
    return Interval(estimate, min(limits[0], estimate), max(limits[1], estimate), variance, level, "rates, combined")


def within_range(known: Measure, value: float) -> float:
    """A value of a measure, one that rounding keeps from an end of its range, or beyond it, put there.

    Weights of tables without errors have correlations of 0.9999999999999999 as well as of 1.0000000000000002.

    >>> within_range(measure("mcc"), -1.0000000000000002), within_range(measure("mcc"), 0.3)
    (-1.0, 0.3)
    """
    for end in known.range:
        if math.isfinite(end) and abs(value - end) <= _ROUNDING:
            return float(end)
    return value


def slopes(cells: Sequence[float], value: Callable[[Contingency], Any]) -> list[float]:
    """How a value of a table grows with each of its cells; 0 for an empty cell, whose cases do not vary.

    >>> [round(slope, 6) for slope in slopes([30, 20, 10, 40], lambda table: table.tpr)]
    [0.008, -0.012, 0.0, 0.0]
    """
    found = []
    for i, cell in enumerate(cells):
        if cell == 0:
            found.append(0.0)
            continue
        up, down = ([*cells[:i], cell * (1 + sign * _STEP), *cells[i + 1 :]] for sign in (1, -1))
        found.append(float(value(Contingency(*up)) - value(Contingency(*down))) / (2 * _STEP * cell))
    return found


def _delta(table: Contingency, known: Measure, estimate: float, level: float) -> Interval:
    cells, note, centre = [float(getattr(table, cell)) for cell in CELLS], "", estimate
    variance = _variance(cells, known.of) if math.isfinite(estimate) and estimate not in known.range else 0.0
    if not (variance > 0 and math.isfinite(variance)):
        cells = [cell + 0.5 for cell in cells]
        note = "half a case added to every cell"
        centre, variance = float(known.of(Contingency(*cells))), _variance(cells, known.of)
    lower, upper = _scale(known).limits(centre, normal_quantile(level) * math.sqrt(variance))
    return Interval(estimate, min(lower, estimate), max(upper, estimate), variance, level, "delta", note)


def _variance(cells: list[float], value: Callable[[Contingency], Any]) -> float:
    """Delta-method variance: gradient · multinomial covariance · gradient."""
    along = slopes(cells, value)
    squares = sum(slope * slope * cell for slope, cell in zip(along, cells, strict=True))
    product = sum(slope * cell for slope, cell in zip(along, cells, strict=True))
    return squares - product * product / sum(cells)


def _scale(known: Measure) -> Scale:
    if known.range[0] < 0:
        return FISHER
    return LOGIT if known.range[1] == 1 else LOG
