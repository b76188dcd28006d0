"""Bands around curves: ROC, precision-recall and net benefit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_level
from thresher._internal.results import Tabular
from thresher.curves import NetBenefit, net_benefit
from thresher.errors import ArgumentError
from thresher.inference.bands.region import Limits, Operating
from thresher.inference.bootstrap.draws import Resampling, require_replicates
from thresher.inference.bootstrap.sample import Resampled, Sample, Times, sample_of
from thresher.inference.interval import normal_quantile
from thresher.inference.intervals.table import Table, count_calls, mean_cost_limits
from thresher.inference.rows import ScoredRows, one_model
from thresher.ranking import Floats, Ranking
from thresher.tables import Contingency, contingency_at


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Tabular):
    """A curve with lower and upper limits over `x`.

    A pointwise band holds the truth at any one x with probability `level`; somewhere along the curve even a right model
    leaves it, in up to half of all samples. A simultaneous one holds the entire curve with probability `level`.
    """

    x: Floats
    estimate: Floats
    lower: Floats
    upper: Floats
    level: float
    method: str
    simultaneous: bool = False

    def __post_init__(self) -> None:
        for column in (self.x, self.estimate, self.lower, self.upper):
            column.flags.writeable = False

    def widen(self, limits: Limits, method: str) -> Band:
        """A simultaneous band with these limits, nowhere narrower than this pointwise one."""
        lower, upper = np.minimum(self.lower, limits[0]), np.maximum(self.upper, limits[1])
        return Band(self.x, self.estimate, lower, upper, self.level, method, simultaneous=True)

    def to_dict(self) -> dict[str, Any]:
        """The columns as lists; undefined numbers become None."""
        columns = {name: getattr(self, name) for name in ("x", "estimate", "lower", "upper")}
        plain = {name: [None if np.isnan(v) else v for v in values.tolist()] for name, values in columns.items()}
        return plain | {"level": self.level, "method": self.method, "simultaneous": self.simultaneous}


POINTS = 101
EXACT = "exact rates, simultaneous"
POINTWISE = "pointwise: a right model leaves it somewhere in up to half of all samples"


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCurve:
    """How a curve over `x` and its limits are computed from bootstrap draws.

    `heights` gives the curve of one draw, `limits` the limits from the curves of all draws.
    """

    x: Floats
    estimate: Floats
    heights: Callable[[Resampled], Floats]
    limits: Callable[[Floats], Limits]
    method: str = "percentile bootstrap"
    simultaneous: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """A plan for drawing bootstrap replicates of one model's curves.

    `observed` is the sample itself, in the model's order. With a declared `class_ratio` each draw is weighted to it.
    """

    source: ScoredRows | Ranking
    _: KW_ONLY
    level: float
    replicates: int = 2000
    seed: int = 0
    threads: int | None = None
    model: str | None = None
    class_ratio: float | None = None
    sample: Sample = field(init=False)
    observed: Resampled = field(init=False)

    def __post_init__(self) -> None:
        require_level(self.level)
        require_replicates(self.replicates, self.seed, self.threads)
        sample = sample_of(self.source)
        name = one_model(sample.orders, self.model)
        observed = Resampled.of(sample.orders[name], sample.cases, model=name)
        if self.class_ratio is not None:
            observed = observed.at_class_ratio(self.class_ratio)
        object.__setattr__(self, "sample", sample)
        object.__setattr__(self, "observed", observed)

    def operating(self, tp: Floats, fp: Floats) -> Operating:
        """The rates at some splits, with what is needed for their limits."""
        observed, source = self.observed, self.source
        cases, units = (
            (source.cases, source.units)
            if isinstance(source, ScoredRows)
            else ((float(source.Pos), float(source.Neg)), float(source.total))
        )
        odds = float(observed.Pos / observed.Neg)
        return Operating(tp / observed.Pos, fp / observed.Neg, cases, units, odds, self.class_ratio is not None)

    def band(self, curve: DrawnCurve, *, stratified: bool | None) -> Band:
        """The band of a curve; draws that lack a class have none and are left out."""

        def heights_on(times: Times) -> Floats | None:
            drawn = Resampled.of(self.observed.order, times)
            if not (drawn.Pos and drawn.Neg):
                return None
            return curve.heights(drawn if self.class_ratio is None else drawn.at_class_ratio(self.class_ratio))

        plan = Resampling.of(self.sample, stratified=stratified)
        draws = plan.map(heights_on, self.replicates, seed=self.seed, threads=self.threads)
        heights = [each for each in draws if each is not None]
        if not heights:
            what = f"none of {self.replicates:,} draws holds both classes"
            raise ArgumentError(what, "give more cases of the rarer class")
        limits = curve.limits(np.array(heights))
        return Band(curve.x, curve.estimate, *limits, self.level, curve.method, curve.simultaneous)


def roc_band(
    source: ScoredRows | Ranking,
    *,
    fpr: npt.ArrayLike | None = None,
    model: str | None = None,
    simultaneous: bool = False,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    threads: int | None = None,
) -> Band:
    """Confidence band of the true positive rate over the false positive rate.

    Limits rise with fpr and stay within [0, 1]. Pointwise limits are percentiles of the resampled curves. Simultaneous
    ones are estimate ± c · deviation, where c is the `level` quantile of the largest standardised distance of a
    resampled curve (sup-t), and nowhere narrower than pointwise ones. Deviations are never taken to be smaller than the
    binomial one of (tp + 1) / (Pos + 2), so no limit has zero width. Close to fpr 0 the tpr depends on a few negatives
    only, and no bootstrap knows what lies beyond them.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> band = roc_band(spam_tree, fpr=[0.1, 0.5], replicates=500)
    >>> band.estimate, band.lower.round(2), band.upper.round(2)
    (array([0.4 , 0.75]), array([0.18, 0.63]), array([0.63, 0.87]))
    """
    draws = Draws(source, level=level, replicates=replicates, seed=seed, threads=threads, model=model)
    return draws.band(roc_curve(draws, fpr, simultaneous=simultaneous), stratified=None)


def precision_recall_band(
    source: ScoredRows | Ranking,
    *,
    recall: npt.ArrayLike | None = None,
    model: str | None = None,
    simultaneous: bool = False,
    level: float = 0.95,
) -> Band:
    """Confidence band of precision over recall.

    Between splits precision is interpolated as by `precision_at`. Recall 0 has no precision: the default grid starts at
    0.01. Limits follow from those of the false positive rate at a recall and of the class mix, without
    resampling; they err on the wide side at the ends of the curve, where few cases decide. Simultaneous ones come from
    exact limits of both rates at all thresholds and hold the entire curve at least as often as `level` says.
    Weighted or clustered rows count as many cases as they are worth.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> band = precision_recall_band(spam_tree, recall=[0.4, 1])
    >>> band.estimate, band.lower.round(2), band.upper.round(2)
    (array([0.8, 0.5]), array([0.61, 0.4 ]), array([0.93, 0.6 ]))
    """
    return precision_band(Draws(source, level=level, model=model), recall, simultaneous=simultaneous)


def net_benefit_band(
    source: ScoredRows | Ranking,
    *,
    threshold: npt.ArrayLike | None = None,
    model: str | None = None,
    class_ratio: float | None = None,
    simultaneous: bool = False,
    level: float = 0.95,
) -> Band:
    """Confidence band of net benefit over the threshold probability.

    Limits are those of `interval` for a table's mean cost, where a hit brings 1 and a false alarm takes t / (1 - t):
    nothing is drawn. The class mix is uncertain too, since net benefit depends on it, unless a `class_ratio` is
    declared; scores must then be probabilities at that mix. Simultaneous limits follow from exact ones of both rates
    and of the prevalence.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])
    >>> band = net_benefit_band(spam_tree, threshold=[0.5])
    >>> band.estimate, band.lower.round(2), band.upper.round(2)
    (array([0.2]), array([0.08]), array([0.32]))
    """
    require_level(level)
    tables: Sequence[Table]
    if isinstance(source, ScoredRows) and not source.simple:
        name = one_model(source.scores, model)
        ranking, score = source.ranking(name), source.scores[name].astype(np.float64)
        curve = _net_benefit_at(ranking, threshold, class_ratio)
        tables = [
            count_calls(source.positive, score >= at, weight=source.weight, cluster=source.cluster)
            for at in curve.threshold
        ]
    else:
        ranking = source.ranking(one_model(source.scores, model)) if isinstance(source, ScoredRows) else source
        sample_of(ranking)  # weights that are not whole are no sample
        curve = _net_benefit_at(ranking, threshold, class_ratio)
        at = contingency_at(ranking, curve.threshold)
        tables = [Contingency(*cells) for cells in np.stack([at.tp, at.fn, at.fp, at.tn], axis=1).tolist()]
    harm, prevalence = curve.threshold / (1 - curve.threshold), None
    if class_ratio is not None:
        prevalence = class_ratio / (1 + class_ratio)
    gains = np.stack([np.ones_like(harm), np.zeros_like(harm), -harm, np.zeros_like(harm)], axis=1)
    lower, upper = mean_cost_limits(tables, gains, prevalence=prevalence, level=level)
    limits = np.minimum(lower, curve.model), np.maximum(upper, curve.model)
    band = Band(curve.threshold.copy(), curve.model.copy(), *limits, level, "score")
    if not simultaneous:
        return band
    draws = Draws(source, level=level, model=model, class_ratio=class_ratio)
    tp, fp = np.array([draws.observed.at(each) for each in band.x.tolist()], dtype=np.float64).T
    return band.widen(draws.operating(tp, fp).simultaneous_net_benefit_limits(harm, level), EXACT)


def _net_benefit_at(ranking: Ranking, threshold: npt.ArrayLike | None, class_ratio: float | None) -> NetBenefit:
    at = None if threshold is None else numbers_of(threshold, name="threshold", dimensions=None)
    return net_benefit(ranking if class_ratio is None else ranking.at_class_ratio(class_ratio), threshold=at)


def roc_curve(draws: Draws, fpr: npt.ArrayLike | None = None, *, simultaneous: bool = False) -> DrawnCurve:
    """What `roc_band` asks of every draw."""
    x = _grid(np.linspace(0, 1, POINTS) if fpr is None else fpr)
    level, Pos = draws.level, draws.observed.Pos

    def heights(drawn: Resampled) -> Floats:
        fp, tp = drawn.curve()
        return np.interp(x, fp / drawn.Neg, tp) / drawn.Pos  # rates with rates: x · Neg may round past a count

    estimate = heights(draws.observed)

    def limits(drawn: Floats) -> Limits:
        shrunk = (estimate * Pos + 1) / (Pos + 2)
        least = np.sqrt(shrunk * (1 - shrunk) / (Pos + 2))
        lower, upper = _percentiles(drawn, level)
        half = normal_quantile(level) * least
        if simultaneous:
            deviation = np.maximum(drawn.std(axis=0), least)
            largest = (np.abs(drawn - estimate) / deviation).max(axis=1)
            half = max(float(np.quantile(largest, level)), normal_quantile(level)) * deviation  # no less than one alone
        lower, upper = np.minimum(lower, estimate - half), np.maximum(upper, estimate + half)
        lower = np.where(x == 0, 0.0, lower)  # nobody has seen how many negatives lie above all others
        lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
        return np.clip(lower, 0, 1), np.clip(upper, 0, 1)

    method = "sup-t bootstrap" if simultaneous else "percentile bootstrap"
    return DrawnCurve(x, estimate, heights, limits, method, simultaneous)


def precision_band(draws: Draws, recall: npt.ArrayLike | None = None, *, simultaneous: bool = False) -> Band:
    """The band of `precision_recall_band`, at the mix of the draws; nothing is drawn."""
    x = _grid(np.linspace(0, 1, POINTS)[1:] if recall is None else recall)
    if (x == 0).any():
        raise ArgumentError("recall 0 has no precision", "start above 0")
    fp, tp = draws.observed.curve()
    operating, level = draws.operating(tp, fp), draws.level
    estimate, limits = operating.precision(x), operating.precision_limits(x, level)
    band = Band(
        x, estimate, np.minimum(limits[0], estimate), np.maximum(limits[1], estimate), level, "wilson, combined"
    )
    return band.widen(operating.simultaneous_precision_limits(x, level), EXACT) if simultaneous else band


def _percentiles(drawn: Floats, level: float) -> Limits:
    """The limits that hold the middle `level` of the draws at every place of a curve."""
    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return lower, upper


def _grid(values: npt.ArrayLike) -> Floats:
    grid = np.atleast_1d(numbers_of(values, name="the grid", dimensions=None))
    if grid.ndim != 1 or not ((grid >= 0) & (grid <= 1)).all() or (np.diff(grid) <= 0).any():
        raise ArgumentError("the grid must be rates in [0, 1], rising", "give e.g. np.linspace(0, 1, 101)")
    return grid
