"""Intervals for a model's areas, KS, log loss and calibration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from thresher.curves import KolmogorovSmirnov, average_precision, pr_area
from thresher.inference.influence import (
    SegmentInfluence,
    Variance,
    average_precision_influence,
    ks_influence,
    pr_area_influence,
    refinement_influence,
    row_influence,
    segment_influence,
    shorten_sample,
    variance_by_cases,
)
from thresher.inference.interval import LOGIT, Interval, normal_quantile, student_quantile
from thresher.inference.intervals.calibration import MOST_SEGMENTS, part_intervals
from thresher.inference.intervals.loss import log_loss_interval
from thresher.inference.intervals.rate import rate_interval
from thresher.inference.intervals.table import Table, count_calls, table_interval
from thresher.inference.rows import ScoredRows
from thresher.ranking import Flags, Ranking, reaches, shorten
from thresher.tables import OperatingCondition, Quantity

_NOTHING = 1e-30  # a variance no larger is rounding
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class ModelSample:
    """A model's rows, its ranking, and how numbers of it vary."""

    rows: ScoredRows
    name: str
    ranking: Ranking
    variance: Variance
    level: float

    @classmethod
    def of(
        cls, rows: ScoredRows, name: str, ranking: Ranking, level: float, *, most: int = MOST_SEGMENTS
    ) -> ModelSample:
        """Join a long ranking, which changes no spread to speak of."""
        return cls(rows, name, *shorten_sample(rows, name, ranking, most), level)

    @property
    def class_weights(self) -> tuple[float, float]:
        """What a case of each class weighs; uneven weights count as fewer cases."""
        if self.rows.class_weights is not None:
            return self.rows.class_weights
        if not self.rows.declared_mix or self.rows.weight is None:
            return 1.0, 1.0
        sides = (self.rows.weight[side] for side in (self.rows.positive, ~self.rows.positive))
        of_pos, of_neg = (float((weight**2).sum() / weight.sum()) for weight in sides)
        return of_pos, of_neg

    def rate(self, among: Flags, calls: Flags) -> Interval:
        """The interval for the share of calls among some rows."""
        # Rows that do not matter are made negatives, of which the true positive rate knows nothing.
        table = count_calls(among, calls, weight=self.rows.weight, cluster=self.rows.cluster)
        return table_interval(table, "tpr", level=self.level)


def model_intervals(
    model: ModelSample, estimates: Mapping[str, float], best: KolmogorovSmirnov, *, ks_gain: float = 0.0
) -> dict[str, Interval]:
    """Intervals by name for numbers of a model that belong to no threshold.

    `estimates` are the numbers of the ranking. "average_precision" and "pr_area" get the delta method on the logit
    scale; "ks" the limits of the two rates at its `best` split, estimate and lower limit lowered by `ks_gain`, what
    choosing that split gains in resamples. Where scores are probabilities there are "log_loss" and the parts of the
    Brier score: "miscalibration", "refinement" and "discrimination", freed of what the hull fits of noise, and
    "uncertainty". What the data themselves show is `apparent` where something was taken off.
    """
    intervals = {
        "average_precision": _area(model, average_precision_influence(model.ranking), estimates["average_precision"]),
        "pr_area": _area(model, pr_area_influence(model.ranking), estimates["pr_area"]),
        "ks": _ks(model, best, ks_gain),
    }
    if "log_loss" not in estimates:
        return intervals
    source, loss = model.ranking if model.rows.simple else model.rows, estimates["log_loss"]
    interval = log_loss_interval(source, model=model.name, level=model.level)
    if model.rows.simple and math.isfinite(loss) and interval.estimate > 0:
        by = loss / interval.estimate  # joined segments have nearly the same loss
        interval = replace(interval, estimate=loss, lower=interval.lower * by, upper=interval.upper * by)
    return intervals | {"log_loss": interval} | _parts(model, estimates)


def area_interval(ranking: Ranking, asked: Quantity, *, level: float) -> Interval:
    """The interval of a partial or precision-recall area of counts."""
    cases = float(min(ranking.Pos, ranking.Neg))
    if asked.within is not None:
        slopes = segment_influence(ranking, Quantity("partial_auc", asked.within))
        return _partial_interval(slopes.estimate, variance_by_cases(ranking)(slopes), cases, asked, level)
    near = shorten(ranking, MOST_SEGMENTS, keep="even")
    estimate = average_precision(ranking) if asked.name == "average_precision" else pr_area(ranking)
    variance = variance_by_cases(near)(segment_influence(near, asked))
    return _share_interval(estimate, variance, cases, level, method="delta")


def partial_area_interval(rows: ScoredRows, model: str, asked: Quantity, *, level: float) -> Interval:
    """The interval of a partial area, as a share of the most it could be."""
    influence = row_influence(rows, model, Quantity("partial_auc", asked.within))
    return _partial_interval(influence.estimate, influence.variance(rows.cluster), min(rows.cases), asked, level)


def _partial_interval(area: float, variance: float, cases: float, asked: Quantity, level: float) -> Interval:
    within = asked.within
    if within is None:
        raise AssertionError(asked)
    most = within.high - within.low
    variance /= most**2
    share = _share_interval(area / most, variance, cases, level, method="influence")
    start, stretch = 0.0, most
    if asked.name != "partial_auc":  # standardised areas are a straight function of plain ones (McClish 1989)
        low, high = (within.low, within.high) if within.rate == "fpr" else (1 - within.high, 1 - within.low)
        chance = (high**2 - low**2) / 2
        stretch = 0.5 * most / (most - chance)
        start = 0.5 - stretch * chance / most
    estimate, lower, upper = (start + stretch * end for end in (share.estimate, share.lower, share.upper))
    return Interval(estimate, lower, upper, variance * stretch**2, level, share.method, share.note)


def net_benefit_interval(
    rows: ScoredRows, model: str, asked: Quantity, *, prevalence: float | None, trained_at: float | None, level: float
) -> Interval:
    """The interval of a net benefit: a hit brings 1, a false alarm takes t / (1 - t).

    Calls are those of the probabilities at the class mix that it is stated at.
    """
    stated = rows.at_prevalence(prevalence, trained_at=trained_at)
    calls = stated.scores[model].astype(np.float64) >= (asked.probability or math.nan)
    table = count_calls(rows.positive, calls, weight=rows.weight, cluster=rows.cluster)
    return net_benefit_of(table, asked, prevalence=prevalence, level=level)


def net_benefit_of(table: Table, asked: Quantity, *, prevalence: float | None, level: float) -> Interval:
    """The interval of the net benefit of a table of calls."""
    at = asked.probability or math.nan
    gains = OperatingCondition(prevalence=prevalence, cost_fp=at / (1 - at), cost_fn=0, cost_tp=-1, cost_tn=0)
    cost = table_interval(table, gains, level=level)
    estimate, lower, upper = (0.0 - end for end in (cost.estimate, cost.upper, cost.lower))
    return Interval(estimate, lower, upper, cost.variance, level, cost.method, cost.note)


def _share_interval(share: float, variance: float, cases: float, level: float, *, method: str) -> Interval:
    """Limits of a share on the logit scale, with `cases` - 1 degrees of freedom.

    Where no spread is seen, they are those of a rate of so many cases.
    """
    share = min(1.0, max(0.0, share))
    if cases > 1 and variance > _NOTHING and 0 < share < 1:
        limits = LOGIT.limits(share, student_quantile(level, cases - 1) * math.sqrt(variance))
        return Interval(share, *limits, variance, level, method)
    rate = rate_interval(share * cases, cases, level=level, method="exact")
    note = f"no spread is seen; limits as for a rate of {cases:g} cases"
    return replace(rate, estimate=share, variance=variance, note=note)


def _area(model: ModelSample, slopes: SegmentInfluence, area: float) -> Interval:
    """The interval of an area under the precision-recall curve.

    At a declared mix in which positives are rarer than among the rows, a negative stands for many, and positives above
    all of those seen seem far more precise than they are: the lower limit allows for half a negative more above them.
    """
    interval = _share_interval(area, model.variance(slopes), min(model.rows.cases), model.level, method="delta")
    if not model.rows.declared_mix or interval.method != "delta":
        return interval
    tp, fp = (covered[1:] for covered in model.ranking.covered())
    drop = tp / (tp + fp) - tp / (tp + fp + model.class_weights[1] / 2)
    excess = float((model.ranking.pos * drop).sum() / model.ranking.Pos)
    if excess <= _ROUNDING or area - excess <= 0:
        return interval
    note = f"half a negative more above each positive takes {excess:.4f} off, which the lower limit allows for"
    variance = interval.variance * ((area - excess) / area) ** 2
    lower = _share_interval(area - excess, variance, min(model.rows.cases), model.level, method="delta").lower
    return replace(interval, lower=min(interval.lower, lower), note=note)


def _ks(model: ModelSample, best: KolmogorovSmirnov, gain: float) -> Interval:
    """Limits of tpr - fpr at the best split, combined as squares (Newcombe 1998).

    Clusters that hold both classes move both rates together, and stretch or shrink the distances accordingly.
    """
    positive, level = model.rows.positive, model.level
    calls = reaches(model.rows.scores[model.name].astype(np.float64), best.threshold)
    tpr, fpr = model.rate(positive, calls), model.rate(~positive, calls)
    if best.difference < 0:
        tpr, fpr = fpr, tpr
    below = math.hypot(tpr.estimate - tpr.lower, fpr.upper - fpr.estimate)
    above = math.hypot(tpr.upper - tpr.estimate, fpr.estimate - fpr.lower)
    variance, apart = model.variance(ks_influence(model.ranking)), tpr.variance + fpr.variance
    if model.rows.cluster is not None and apart > 0 and variance > 0:
        few = student_quantile(level, max(1.0, min(model.rows.cases) - 1)) / normal_quantile(level)
        stretch = few * math.sqrt(variance / apart)
        below, above = stretch * below, stretch * above
    gain = gain if gain > _ROUNDING else 0.0
    limits = max(0.0, best.statistic - below - gain), min(1.0, best.statistic + above)
    interval = Interval(best.statistic, *limits, variance, level, "wilson, combined")
    if not gain:
        return interval
    note = f"choosing the split gains {gain:.4f} in resamples, which is taken off"
    return replace(interval, estimate=max(0.0, best.statistic - gain), note=note, apparent=best.statistic)


def _parts(model: ModelSample, estimates: Mapping[str, float]) -> dict[str, Interval]:
    """The parts of the Brier score, as by `calibration_intervals`."""
    ranking, rows = model.ranking, model.rows
    class_weights = model.class_weights
    worth = 1.0 if rows.simple or rows.declared_mix else rows.units / float(ranking.total)
    refinement = refinement_influence(ranking)
    if rows.cluster is not None and (spread := model.variance(refinement)) > 0:
        of_pos, of_neg = class_weights
        as_cases = (refinement.pos**2 * ranking.pos * of_pos + refinement.neg**2 * ranking.neg * of_neg).sum()
        worth = float(as_cases) / spread

    mix = class_weights if rows.declared_mix else None
    unit = 1.0 if rows.declared_mix else rows.units / float(ranking.total)

    def by_cases(of: Ranking) -> Variance:
        return variance_by_cases(Ranking.of_segments(of.score, of.pos * unit, of.neg * unit), mix)

    def variance(expected: Ranking) -> Variance:
        """That of the cases expected, times the design effect of weights and clusters."""
        of_expected, of_cases = by_cases(expected), by_cases(ranking)
        if rows.alike_within_classes:
            return of_expected

        def with_design(slopes: SegmentInfluence) -> float:
            plain, spread = of_cases(slopes), model.variance(slopes)
            return of_expected(slopes) * spread / plain if plain else spread

        return with_design

    parts = part_intervals(
        ranking,
        estimates,
        units=rows.units,
        level=model.level,
        variance=variance,
        class_weights=class_weights,
        worth=worth,
    )
    return parts | {"uncertainty": _uncertainty(model, estimates["uncertainty"])}


def _uncertainty(model: ModelSample, estimate: float) -> Interval:
    """π (1 - π) over the limits of the prevalence π; a declared one has none."""
    if model.rows.declared_mix:
        return Interval(estimate, estimate, estimate, 0.0, model.level, "declared")
    share = model.rate(np.ones(len(model.rows), dtype=np.bool_), model.rows.positive)
    ends = share.lower * (1 - share.lower), share.upper * (1 - share.upper)
    upper = 0.25 if 0.5 in share else max(ends)
    variance = (1 - 2 * share.estimate) ** 2 * share.variance
    return Interval(estimate, min(*ends, estimate), max(upper, estimate), variance, model.level, "wilson")
