"""`calibration_report`: how far probabilities are from frequencies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.results import Tabular
from thresher.calibration import adjust_prevalence
from thresher.calibration.cox import recalibration
from thresher.errors import ArgumentError
from thresher.inference.bootstrap.draws import multiplicities, require_replicates
from thresher.inference.bootstrap.replicates import variance_of
from thresher.inference.bootstrap.sample import sort_rows
from thresher.inference.influence import (
    Variance,
    segment_influence,
    segments_of_rows,
    shorten_sample,
    variance_by_cases,
)
from thresher.inference.interval import LOG, Interval, interval_columns, student_quantile, undefined
from thresher.inference.intervals.lowess import MOST_GROUPS, Smoother, distances
from thresher.inference.rows import ScoredRows, one_model
from thresher.ranking import Floats, Ranking, merge_at, shorten, splits_to_keep
from thresher.tables import OperatingCondition, quantity
from thresher.tables.condition import require_condition

Draws: TypeAlias = Callable[[int, np.random.Generator], Iterator[tuple[Floats, Floats]]]
REPLICATES = 200
DISTANCES = ("ici", "e50", "e90")
_NAMES = {  # by field of the report: the quantity, and its words
    "intercept": ("calibration_intercept", "calibration intercept"),
    "slope": ("calibration_slope", "calibration slope"),
    "in_the_large": ("calibration_in_the_large", "calibration in the large"),
    "observed_expected": ("observed_expected", "observed : expected"),
    "ici": ("ici", "ICI"),
    "e50": ("e50", "E50"),
    "e90": ("e90", "E90"),
}
_EXACT_SEGMENTS = 1 << 17  # more are joined, which moves a slope by less than 1e-9
_AT_ONCE = 1 << 22  # units times replicates that are drawn together
_NOTHING = 1e-24
_FACTORS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0, 6.0)  # by which distances are shrunk and stretched


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationReport(Tabular):
    """How well calibrated probabilities are, each number with its limits.

    `intercept` (slope fixed at 1), `in_the_large` (prevalence minus mean probability) and `observed_expected` (their
    ratio) say whether they are right on average; `slope` whether they are as extreme as they should be; `ici`, `e50`
    and `e90` how far they lie from a smooth calibration curve, on average, for half and for nine tenths of the cases.

    >>> report = calibration_report(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3]))
    >>> print(report)
    calibration intercept       0.0271 [-0.4693, 0.5234]
    calibration slope           0.7148 [0.3204, 1.1092]
    calibration in the large    0.0050 [-0.0870, 0.0970]
    observed : expected         1.0101 [0.8403, 1.2142]
    ICI                         0.0035 [0.0000, 0.1571]
    E50                         0.0000 [0.0000, 0.1728]
    E90                         0.0000 [0.0000, 0.2752]
    """

    intercept: Interval
    slope: Interval
    in_the_large: Interval
    observed_expected: Interval
    ici: Interval
    e50: Interval
    e90: Interval

    @property
    def numbers(self) -> Mapping[str, Interval]:
        """The same by the names that quantities have."""
        return MappingProxyType({name: getattr(self, field) for field, (name, _) in _NAMES.items()})

    def to_dict(self) -> dict[str, Any]:
        """Plain data by the names that quantities have."""
        return {name: interval.to_dict() for name, interval in self.numbers.items()}

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns([({"quantity": name}, interval) for name, interval in self.numbers.items()])

    def __str__(self) -> str:
        return "\n".join(f"{words:<24}    {getattr(self, field)}" for field, (_, words) in _NAMES.items())


def calibration_report(
    source: Ranking | ScoredRows,
    *,
    model: str | None = None,
    condition: OperatingCondition | None = None,
    trained_at: float | None = None,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> CalibrationReport:
    """Intercept, slope, O:E, ICI and more of probabilities, with limits.

    Intercept and slope are those of a logistic regression on the log-odds (Cox 1958), with Wald limits whose variance
    is a sandwich (Huber 1967): it holds where the regression itself does not fit, and allows for weights and clusters.
    Distances from the calibration curve are smoothed by lowess (Austin & Steyerberg 2019) and resampled with the
    windows held fixed. A curve fitted to noise lies too far away: estimate and limits are distances that with noise
    show as much as was seen, and `apparent` is what was seen. They speak of the smooth curve, which is flatter than a
    sharply bent truth. At a declared mix without `trained_at`, probabilities are restated from the
    prevalence of the data, and limits of intercept, O:E and calibration in the large allow for it being an
    estimate; where it was set by design, give it as `trained_at`.

    Parameters
    ----------
    source
        A ranking whose scores are probabilities, or `ScoredRows.of(labels, scores, ...)`.
    model
        Which model of rows that hold several.
    condition, trained_at
        A declared class mix at which all of it is stated, and the prevalence that probabilities were made for. Without
        a declared mix they are restated for the prevalence of the data.
    level, replicates, seed
        Of the limits.

    Examples
    --------
    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> print(calibration_report(spam_tree).slope)
    0.7148 [0.3204, 1.1092]
    """
    require_level(level)
    require_replicates(replicates, seed, None)
    if condition is not None:
        require_condition(condition)
    prevalence = None if condition is None else condition.prevalence
    if isinstance(source, Ranking):
        sample = _ranking_sample(source, prevalence, trained_at)
    elif isinstance(source, ScoredRows):
        name = one_model(source.scores, model)
        rows = sort_rows(source).at_prevalence(prevalence, trained_at=trained_at)
        sample = _rows_sample(rows, name, rows.ranking(name))
    else:
        raise ArgumentError(
            f"a report is of a ranking or of rows, and this is {type(source).__name__}",
            fix="give th.rank(labels, probabilities) or th.inference.ScoredRows.of(labels, probabilities)",
        )
    return _report(sample, level=level, replicates=replicates, seed=seed)


def calibration_numbers(rows: ScoredRows, model: str, ranking: Ranking, *, level: float) -> Mapping[str, Interval]:
    """The numbers of the report of one model's rows and their ranking."""
    if rows.weight is not None:  # weights added up in another order would be drawn otherwise
        ranking = rows.ranking(model)
    return _report(_rows_sample(rows, model, ranking), level=level, replicates=REPLICATES, seed=0).numbers


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """A ranking at its mix, how its numbers vary, and how it is drawn again.

    `drawn(replicates, rng)` gives positives and negatives of each of the groups, a row per replicate.
    """

    ranking: Ranking
    variance: Variance
    groups: Ranking
    drawn: Draws
    units: float
    estimated_prior: bool


def _ranking_sample(ranking: Ranking, prevalence: float | None, trained_at: float | None) -> _Sample:
    ranking.require_both_classes()
    ranking.require_probabilities()
    stated, class_weights = ranking, None
    if prevalence is not None or trained_at is not None:
        to = ranking.prevalence if prevalence is None else prevalence
        stated = adjust_prevalence(ranking, to, trained_at=trained_at)
    if prevalence is not None:
        class_weights = stated.Pos / ranking.Pos, stated.Neg / ranking.Neg
    return _counted_sample(stated, class_weights, estimated_prior=prevalence is not None and trained_at is None)


def _rows_sample(rows: ScoredRows, model: str, ranking: Ranking) -> _Sample:
    ranking.require_probabilities()
    if rows.alike_within_classes:
        return _counted_sample(ranking, rows.class_weights, estimated_prior=rows.estimated_prior)
    near, variance = shorten_sample(rows, model, ranking, _EXACT_SEGMENTS)
    groups, drawn = _row_draws(rows, model, ranking)
    return _Sample(near, variance, groups, drawn, float(rows.clusters), rows.estimated_prior)


def _counted_sample(stated: Ranking, class_weights: tuple[float, float] | None, *, estimated_prior: bool) -> _Sample:
    """A sample of independent cases that weigh alike within each class."""
    stated = shorten(stated, _EXACT_SEGMENTS, keep="even")
    groups = shorten(stated, MOST_GROUPS, keep="even")
    up, down = class_weights or (1.0, 1.0)

    def drawn(replicates: int, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        sides = [groups.pos / up, groups.neg / down]
        times = []
        for cases in [np.concatenate(sides)] if class_weights is None else sides:
            total = float(cases.sum())
            draws = max(1, round(total))  # as many cases as there are, to the nearest whole number
            times.append(rng.multinomial(draws, cases / total, size=replicates) * (total / draws))
        both = np.concatenate(times, axis=1)
        yield both[:, : len(groups)] * up, both[:, len(groups) :] * down

    variance, units = variance_by_cases(stated, class_weights), float(stated.Pos / up + stated.Neg / down)
    return _Sample(stated, variance, groups, drawn, units, estimated_prior)


def _row_draws(rows: ScoredRows, model: str, ranking: Ranking) -> tuple[Ranking, Draws]:
    """Few groups of scores, and how rows or clusters that are drawn again fill them."""
    from scipy.sparse import csr_array

    split = splits_to_keep(ranking, MOST_GROUPS, keep="even")
    groups = merge_at(ranking, split, at_means=True)
    weight = np.ones(len(rows)) if rows.weight is None else rows.weight
    cell = segments_of_rows(rows, model, ranking, split) + np.where(rows.positive, 0, len(groups))
    units = np.arange(len(rows)) if rows.cluster is None else rows.cluster
    content = csr_array((weight, (units, cell)), shape=(rows.clusters, 2 * len(groups)))
    strata = [content]
    if rows.declared_mix and rows.cluster is None:
        strata = [content[np.flatnonzero(side)] for side in (rows.positive, ~rows.positive)]

    def to_total(cells: Floats, total: float) -> Floats:
        """Each resample scaled to a total; NaN where no cluster of the class is drawn."""
        sums = cells.sum(axis=1, keepdims=True)
        return cells * np.divide(total, sums, out=np.full_like(sums, math.nan), where=sums > 0)

    def drawn(replicates: int, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        at_once = max(1, _AT_ONCE // rows.clusters)
        for start in range(0, replicates, at_once):
            size = min(at_once, replicates - start)
            cells = sum(multiplicities(part.shape[0], size, rng).astype(np.float64) @ part for part in strata)
            pos, neg = cells[:, : len(groups)], cells[:, len(groups) :]
            if rows.declared_mix:
                pos, neg = to_total(pos, float(ranking.Pos)), to_total(neg, float(ranking.Neg))
            yield pos, neg

    return groups, drawn


def distance_replicates(rows: ScoredRows, model: str, name: str, replicates: int, seed: int) -> Floats:
    """A distance from the calibration curve on the rows, then on every resample."""
    groups, drawn = _row_draws(rows, model, rows.ranking(model))
    smoother, row = Smoother.of(groups), DISTANCES.index(name)
    data = (groups.pos.astype(np.float64)[np.newaxis], groups.neg.astype(np.float64)[np.newaxis])
    draws = chain([data], drawn(replicates, np.random.default_rng(seed)))
    return np.concatenate([smoother.distances(pos, neg)[row] for pos, neg in draws])


def _report(sample: _Sample, *, level: float, replicates: int, seed: int) -> CalibrationReport:
    moments = ("intercept", "slope", "in_the_large", "observed_expected")
    intervals = {field: _moment_interval(sample, _NAMES[field][0], level) for field in moments}
    return CalibrationReport(**intervals, **_distances(sample, level, replicates, seed))


def _moment_interval(sample: _Sample, name: str, level: float) -> Interval:
    """The interval of a number whose variance follows from its slopes.

    Where the data's prevalence was estimated, restated log-odds move against it one to one: an intercept by 1, a mean
    probability by -p(1 - p) of its cases. A slope does not change.
    """
    slopes, ranking = segment_influence(sample.ranking, quantity(name)), sample.ranking
    if sample.estimated_prior and name != "calibration_slope":
        cases, p = ranking.pos + ranking.neg, ranking.score
        steep, expected = float((cases * p * (1 - p)).sum()), float((cases * p).sum())
        by_prior = {
            "calibration_intercept": 1.0,
            "calibration_in_the_large": steep / float(ranking.total),
            "observed_expected": slopes.estimate * steep / expected if expected else math.nan,
        }
        slopes = replace(slopes, by_prior=by_prior[name])
    estimate, cox = slopes.estimate, name in ("calibration_intercept", "calibration_slope")
    if not math.isfinite(estimate):
        fit = recalibration(ranking, slope=name == "calibration_slope") if cox else None
        return undefined(level, "every probability is 0" if fit is None else fit.reason)
    variance = sample.variance(slopes)
    half = student_quantile(level, max(1.0, sample.units - 1)) * math.sqrt(variance)
    if cox and math.isnan(variance):
        note = "one case of a class shows no spread within it, so there are no limits"
        return Interval(estimate, math.nan, math.nan, variance, level, "none", note)
    if cox:
        return Interval(estimate, estimate - half, estimate + half, variance, level, "sandwich")
    unseen, note = _unseen(sample, variance, level)
    if name == "calibration_in_the_large":
        limits = max(-1.0, estimate - half - unseen), min(1.0, estimate + half + unseen)
        return Interval(estimate, *limits, variance, level, "moments", note)
    if unseen:
        away = unseen * estimate / float(ranking.prevalence)
        return Interval(estimate, max(0.0, estimate - away), estimate + away, variance, level, "moments", note)
    return Interval(estimate, *LOG.limits(estimate, half), variance, level, "moments, log")


def _distances(sample: _Sample, level: float, replicates: int, seed: int) -> dict[str, Interval]:
    """The intervals of ICI, E50 and E90: what else could have shown such distances.

    The curve's distances from the scores are shrunk or stretched by a factor, and the noise of resamples is laid over
    them. The limits are those of the factors under which the distance that was seen is no rarer than the level allows;
    under the estimate's, half of the resamples show more. Noise at a factor is that of labels as frequent as it says.
    A factor moves every part of the curve alike. Few positives leave its shape open too, and there the median and the
    90th percentile may lie anywhere that resamples show: limits hold the percentiles of the resamples as well.
    """
    smoother, groups = Smoother.of(sample.groups), sample.groups
    pos, neg = groups.pos.astype(np.float64), groups.neg.astype(np.float64)
    away, cases = smoother.fit(pos, neg) - smoother.score, pos + neg
    seen = distances(away, cases)
    noise, drawn_cases = _noise(sample, smoother, away, replicates, seed)

    def spread(factor: float) -> float:
        curve = np.clip(smoother.score + factor * away, 0, 1)
        return math.sqrt(float((cases * curve * (1 - curve)).sum() / cases.sum()) + 1 / sample.units)

    shown = [distances(factor * away + noise * (spread(factor) / spread(1)), drawn_cases) for factor in _FACTORS]
    shares = (1 - level) / 2, 0.5, (1 + level) / 2
    quantiles = np.quantile(shown, shares, axis=2)
    low, middle, high = np.maximum.accumulate(quantiles, axis=1)
    least, _, most = quantiles[:, _FACTORS.index(1.0)]
    intervals: list[Interval] = []
    for place, (name, apparent) in enumerate(zip(DISTANCES, seen.tolist(), strict=True)):
        lower, estimate, upper = (
            min(1.0, apparent * float(np.interp(apparent, shows[:, place], _FACTORS, left=0.0)))
            for shows in (high, middle, low)
        )
        variance = variance_of(shown[_FACTORS.index(1.0)][place])
        unseen, note = _unseen(sample, variance, level)
        note = note or f"fitting noise moves it by {apparent - estimate:+.4f}, which is taken off"
        if name == "e90" and estimate < intervals[-1].estimate:  # a 90th percentile lies no lower than the median
            estimate, note = intervals[-1].estimate, f"{note}; raised to E50"
        lower, upper = min(lower, estimate, least[place]), max(upper, estimate, apparent, most[place])
        limits = max(0.0, lower - unseen), min(1.0, upper + unseen)
        intervals.append(Interval(estimate, *limits, variance, level, "resampled test", note, apparent))
    ici, e50, e90 = intervals
    e50, e90 = replace(e50, lower=min(e50.lower, e90.lower)), replace(e90, upper=max(e50.upper, e90.upper))
    return {"ici": ici, "e50": e50, "e90": e90}


def _noise(sample: _Sample, smoother: Smoother, away: Floats, replicates: int, seed: int) -> tuple[Floats, Floats]:
    """How far the curves of resamples lie from that of the data, and their cases.

    Resamples without a class have no curve at a declared mix, and are left out; without any other, there is no noise.
    """
    apart, cases = [np.empty((0, away.size))], [np.empty((0, away.size))]
    for pos, neg in sample.drawn(replicates, np.random.default_rng(seed)):
        complete = ~np.isnan(pos).any(axis=1) & ~np.isnan(neg).any(axis=1)
        cases.append(pos[complete] + neg[complete])
        apart.append(np.where(cases[-1] > 0, smoother.fit(pos[complete], neg[complete]) - smoother.score - away, 0.0))
    if not sum(map(len, cases)):
        return np.zeros((1, away.size)), np.add(sample.groups.pos, sample.groups.neg, dtype=np.float64)[np.newaxis]
    return np.concatenate(apart), np.concatenate(cases)


def _unseen(sample: _Sample, variance: float, level: float) -> tuple[float, str]:
    """What could stay unseen where no spread is seen: limits have width."""
    if variance > _NOTHING:
        return 0.0, ""
    share = 1 - ((1 - level) / 2) ** (1 / max(1.0, sample.units))
    return share, "no spread is seen; limits from what could stay unseen, conservative"
