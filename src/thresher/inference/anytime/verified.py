"""Precision, recall and cost where only some rows are labelled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_instance, require_level, require_number, require_one_of
from thresher._internal.results import Result
from thresher.errors import ArgumentError
from thresher.inference.anytime.counts import columns_of, require_count
from thresher.inference.anytime.mixture import mean_limits
from thresher.inference.interval import LOGIT, Interval, normal_quantile, undefined
from thresher.tables import Contingency, OperatingCondition
from thresher.tables.condition import require_condition

Measure: TypeAlias = Literal["fpr", "fnr", "tnr", "npv", "precision", "accuracy", "f1", "prevalence"]


@dataclass(frozen=True, slots=True, repr=False)
class VerifiedTable(Result):
    """Recall and specificity corrected for rows that were never verified.

    `apparent` in each interval is what the verified rows alone show.
    """

    recall: Interval
    specificity: Interval

    def _brief(self) -> str:
        return f"recall {self.recall}, specificity {self.specificity}"


def verified_table(
    *,
    tp: float,
    fp: float,
    fn: float,
    tn: float,
    called_unverified: float = 0,
    other_unverified: float = 0,
    level: float = 0.95,
) -> VerifiedTable:
    """Begg and Greenes' correction of a table of which some rows are verified.

    tp, fp, fn and tn count verified rows; whether a row is verified may depend on whether it was called, on nothing
    else that tells its class. Limits are theirs on the logit scale (1983), for one look.

    >>> verified_table(tp=231, fp=32, fn=27, tn=54, called_unverified=166, other_unverified=140)
    VerifiedTable(recall 0.8365 [0.7826, 0.8790], specificity 0.7384 [0.6555, 0.8072])
    """
    require_level(level)
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn, "called": called_unverified, "other": other_unverified}
    for name, value in cells.items():
        number = require_number(value, name=name)
        if not 0 <= number < math.inf:
            what = f"{name} must be finite and at least 0, got {number:g}"
            raise ArgumentError(what, "give counts of rows", parameter=name)
    if not (tp + fp and fn + tn):
        what = "no row is verified among those called, or among the others"
        raise ArgumentError(what, "verify some of both", parameter="tp" if not tp + fp else "fn")
    alarms, others = tp + fp + called_unverified, fn + tn + other_unverified
    ppv, miss = tp / (tp + fp), fn / (fn + tn)
    noise = 1 / alarms + 1 / others  # of the log-odds of being called
    recall = _corrected((alarms * ppv, others * miss), (tp, fp, fn, tn), noise, level)
    specificity = _corrected((others * (1 - miss), alarms * (1 - ppv)), (tn, fn, fp, tp), noise, level)
    return VerifiedTable(recall, specificity)


def recall_interval(tp: float | Interval, missed: Interval) -> Interval:
    """Limits of recall from true positives, counted or with limits, and missed ones.

    Alarms that are all labelled give `tp` as a number, and the limits are those of the missed alone. Two intervals hold
    together at the sum of what each may miss: give each half of it.

    >>> from thresher.inference import drawn_count_interval
    >>> print(recall_interval(180, drawn_count_interval(2, 500, 20_000)))
    0.6923 [0.3352, 0.9730]
    """
    positive = _as_interval(tp, missed)
    level = _joint_level(positive, missed, counted=not isinstance(tp, Interval))
    if not positive.upper + missed.upper > 0:
        return undefined(level, "there may be no positives")
    estimate = math.nan if math.isnan(missed.estimate) else _ratio(positive.estimate, missed.estimate)
    return Interval(
        estimate,
        _ratio(positive.lower, missed.upper),
        _ratio(positive.upper, missed.lower),
        math.nan,
        level,
        missed.method,
        missed.note,
    )


def measure_interval(
    measure: Measure, *, tp: float | Interval, alarms: float, missed: Interval, others: float
) -> Interval:
    """Limits of a measure of the table of which tp and missed have limits.

    Of `alarms` rows tp are positive, of `others` rows `missed`. Each of these measures rises or falls throughout with
    either number, so its limits lie at corners of theirs.

    >>> from thresher.inference import drawn_count_interval
    >>> missed = drawn_count_interval(2, 500, 20_000)
    >>> print(measure_interval("npv", tp=180, alarms=300, missed=missed, others=20_000))
    0.9960 [0.9821, 0.9998]
    """
    require_one_of(measure, get_args(Measure), name="measure")
    positive = _as_interval(tp, missed)
    _require_rows(positive, alarms, missed, others)
    level = _joint_level(positive, missed, counted=not isinstance(tp, Interval))

    def value(right: float, lost: float) -> float:
        table = Contingency(tp=right, fp=alarms - right, fn=lost, tn=others - lost)
        return float(getattr(table, measure))

    corners = [value(a, b) for a in (positive.lower, positive.upper) for b in (missed.lower, missed.upper)]
    unknown = math.isnan(positive.estimate + missed.estimate)
    estimate = math.nan if unknown else value(positive.estimate, missed.estimate)
    return Interval(estimate, min(corners), max(corners), math.nan, level, missed.method, missed.note)


def expected_cost_interval(
    condition: OperatingCondition, *, tp: float | Interval, alarms: float, missed: Interval, others: float
) -> Interval:
    """Limits of the cost per row, at the class mix of the rows themselves.

    Of `alarms` rows tp are positive, of `others` rows `missed`. The cost is linear in both, so its limits lie at their
    ends.

    >>> from thresher.inference import drawn_count_interval
    >>> costs = OperatingCondition(cost_ratio=20)
    >>> missed = drawn_count_interval(2, 500, 20_000)
    >>> print(expected_cost_interval(costs, tp=180, alarms=300, missed=missed, others=20_000))
    0.0847 [0.0108, 0.3576]
    """
    require_condition(condition)
    positive = _as_interval(tp, missed)
    rows = _require_rows(positive, alarms, missed, others)
    level = _joint_level(positive, missed, counted=not isinstance(tp, Interval))
    gain, loss = condition.cost_tp - condition.cost_fp, condition.cost_fn - condition.cost_tn
    fixed = alarms * condition.cost_fp + others * condition.cost_tn
    ends = [[gain * one.lower, gain * one.estimate, gain * one.upper] for one in (positive,)]
    ends.append([loss * one for one in (missed.lower, missed.estimate, missed.upper)])
    lower = sum(min(part[0], part[2]) for part in ends)
    upper = sum(max(part[0], part[2]) for part in ends)
    estimate = sum(part[1] for part in ends)
    estimate, lower, upper = ((fixed + part) / rows for part in (estimate, lower, upper))
    return Interval(estimate, lower, upper, math.nan, level, missed.method, missed.note)


def stratified_precision(
    k: npt.ArrayLike, n: npt.ArrayLike, unlabelled: npt.ArrayLike, *, level: float = 0.95
) -> Interval:
    """Precision of all alarms, from bands of the score of which some are reviewed.

    Review that takes the highest scores first does not draw at random from all alarms, but may do so within a band: the
    error is shared out over bands and their limits are added, weighted by their alarms. A band without review may hold
    anything.

    >>> print(stratified_precision([84, 12], [100, 20], [0, 180]))
    0.6800 [0.4316, 0.8838]
    """
    require_level(level)
    positive, labelled, waiting = columns_of(k=k, n=n, unlabelled=unlabelled)
    alarms = labelled + waiting
    if not ((positive >= 0) & (positive <= labelled) & (waiting >= 0) & (alarms > 0) & np.isfinite(alarms)).all():
        what = "every band has alarms, and of those labelled k are positive"
        raise ArgumentError(what, "give counts with 0 <= k <= n per band", parameter="k")
    lower, upper = mean_limits(positive, positive, labelled, level=1 - (1 - level) / alarms.size)
    least, most = positive / alarms, (positive + waiting) / alarms  # what the labels themselves leave open
    lower, upper = np.clip(lower, least, most), np.clip(upper, least, most)
    share = alarms / alarms.sum()
    rates = np.divide(positive, labelled, out=np.full(alarms.size, math.nan), where=labelled > 0)
    estimate = float(share @ rates)
    variance = float(share**2 @ np.divide(rates * (1 - rates), labelled, out=np.zeros(alarms.size), where=labelled > 0))
    return Interval(estimate, float(share @ lower), float(share @ upper), variance, level, "anytime", "by score band")


def _corrected(
    expected: tuple[float, float], cells: tuple[float, float, float, float], noise: float, level: float
) -> Interval:
    """The share of the first of two expected counts, with logit limits."""
    right, wrong = expected
    a, b, c, d = cells
    apparent = a / (a + c) if a + c else None
    if not right + wrong:
        return undefined(level, "no row of this class is expected")
    estimate = right / (right + wrong)
    if not (right and wrong):
        return Interval(estimate, 0.0, 1.0, math.nan, level, "begg-greenes", "too few verified rows", apparent)
    log_variance = noise + b / (a * (a + b)) + d / (c * (c + d))
    slope = estimate * (1 - estimate)
    lower, upper = LOGIT.limits(estimate, normal_quantile(level) * math.sqrt(log_variance) * slope)
    return Interval(estimate, lower, upper, log_variance * slope**2, level, "begg-greenes", "", apparent)


def _as_interval(value: float | Interval, missed: Interval) -> Interval:
    require_instance(missed, Interval, name="missed", fix="pass e.g. drawn_count_interval(...)")
    if isinstance(value, Interval):
        return value
    count = require_count(value, name="tp")
    return Interval(count, count, count, 0.0, missed.level, "counted")


def _require_rows(positive: Interval, alarms: float, missed: Interval, others: float) -> float:
    """All rows; refuse positives that do not fit among them."""
    for name, inside, rows in (("alarms", positive, alarms), ("others", missed, others)):
        if require_count(rows, name=name) < inside.upper * (1 - 1e-12):
            what = f"{rows:g} {name} cannot hold {inside.upper:g} positives"
            raise ArgumentError(what, "count all rows, labelled or not", parameter=name)
    if not alarms + others:
        raise ArgumentError("there are no rows", "count all rows, labelled or not", parameter="alarms")
    return alarms + others


def _joint_level(positive: Interval, missed: Interval, *, counted: bool) -> float:
    return missed.level if counted else 1 - (1 - positive.level) - (1 - missed.level)


def _ratio(tp: float, missed: float) -> float:
    """Recall; 0 where nothing is found, also if there may be nothing to find."""
    return tp / (tp + missed) if tp else 0.0
