"""Bands around curves: ROC, precision-recall, net benefit and reliability."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_integer, require_level, require_one_of
from thresher._internal.parallel import map_blocks
from thresher._internal.results import Tabular
from thresher.calibration.reliability import quantile_splits
from thresher.curves import NetBenefit, net_benefit
from thresher.errors import ArgumentError
from thresher.inference.bootstrap.draws import Resampling, require_replicates
from thresher.inference.bootstrap.isotonic import pooled_at, pools
from thresher.inference.bootstrap.sample import Resampled, Sample, Times, sample_of
from thresher.inference.interval import normal_quantile
from thresher.inference.intervals.calibration import null_labels
from thresher.inference.intervals.table import Table, count_calls, mean_cost_limits
from thresher.inference.rows import ScoredRows, one_model
from thresher.ranking import Counts, Floats, Indices, Ranking, require_ranking
from thresher.tables import Contingency, contingency_at


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Band(Tabular):
    """A curve with lower and upper limits over `x`.

    A pointwise band holds the truth at any one x with probability `level`, a simultaneous one at all of them at once:
    both asymptotically. In small samples, and where few cases decide, percentiles hold it less often.
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

    def to_dict(self) -> dict[str, Any]:
        """The columns as lists; undefined numbers become None."""
        columns = {name: getattr(self, name) for name in ("x", "estimate", "lower", "upper")}
        plain = {name: [None if np.isnan(v) else v for v in values.tolist()] for name, values in columns.items()}
        return plain | {"level": self.level, "method": self.method, "simultaneous": self.simultaneous}


POINTS = 101
Limits: TypeAlias = tuple[Floats, Floats]


@dataclass(frozen=True, slots=True, eq=False)
class DrawnCurve:
    """How a curve over `x` and its limits are computed from bootstrap draws.

    `heights` gives the curve of one draw, `limits` the limits from the curves of all draws. A draw that lacks a class
    has no such curve, unless `of_one_class` says that it has.
    """

    x: Floats
    estimate: Floats
    heights: Callable[[Resampled], Floats]
    limits: Callable[[Floats], Limits]
    method: str = "percentile bootstrap"
    simultaneous: bool = False
    of_one_class: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """A plan for drawing bootstrap replicates of one model's curves.

    `observed` is the sample itself, in the model's order. With a declared `class_ratio` each draw is weighted to it.
    """

    source: ScoredRows | Ranking
    _: KW_ONLY
    level: float
    replicates: int
    seed: int
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

    def band(self, curve: DrawnCurve, *, stratified: bool | None) -> Band:
        """The band of one curve."""
        return self.bands({"": curve}, stratified=stratified)[""]

    def bands(self, curves: Mapping[str, DrawnCurve], *, stratified: bool | None) -> dict[str, Band]:
        """The bands of several curves, from the same bootstrap draws."""
        plan = Resampling.of(self.sample, stratified=stratified)

        def heights_on(times: Times) -> dict[str, Floats]:
            drawn = Resampled.of(self.observed.order, times)
            both = bool(drawn.Pos and drawn.Neg)
            if both and self.class_ratio is not None:
                drawn = drawn.at_class_ratio(self.class_ratio)
            return {name: curve.heights(drawn) for name, curve in curves.items() if both or curve.of_one_class}

        draws = plan.map(heights_on, self.replicates, seed=self.seed, threads=self.threads)
        bands = {}
        for name, curve in curves.items():
            heights = [drawn[name] for drawn in draws if name in drawn]
            if not heights:
                what = f"none of {self.replicates:,} draws holds both classes"
                raise ArgumentError(what, "give more cases of the rarer class")
            limits = curve.limits(np.array(heights))
            bands[name] = Band(curve.x, curve.estimate, *limits, self.level, curve.method, curve.simultaneous)
        return bands


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
    resampled curve (sup-t). Deviations are never taken to be smaller than the binomial one of (tp + 1) / (Pos + 2), so
    no limit has zero width. Close to fpr 0 the tpr depends on a few negatives only, and no bootstrap knows what lies
    beyond them.

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
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    threads: int | None = None,
) -> Band:
    """Pointwise confidence band of precision over recall.

    Between splits precision is interpolated as by `precision_at`. Cases are drawn without fixing the class mix, since
    precision depends on it. Recall 0 has no precision: the default grid starts at 0.01. Where all draws agree, limits
    are Wilson's for the cases called positive.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> band = precision_recall_band(spam_tree, recall=[0.4, 1], replicates=500)
    >>> band.estimate, band.lower.round(2), band.upper.round(2)
    (array([0.8, 0.5]), array([0.65, 0.4 ]), array([0.93, 0.6 ]))
    """
    draws = Draws(source, level=level, replicates=replicates, seed=seed, threads=threads, model=model)
    return draws.band(precision_recall_curve(draws, recall), stratified=False)


def net_benefit_band(
    source: ScoredRows | Ranking,
    *,
    threshold: npt.ArrayLike | None = None,
    model: str | None = None,
    class_ratio: float | None = None,
    level: float = 0.95,
) -> Band:
    """Pointwise confidence band of net benefit over the threshold probability.

    Limits are those of `interval` for a table's mean cost, where a hit brings 1 and a false alarm takes t / (1 - t):
    nothing is drawn. The class mix is uncertain too, since net benefit depends on it, unless a `class_ratio` is
    declared; scores must then be probabilities at that mix.

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
    return Band(curve.threshold.copy(), curve.model.copy(), *limits, level, "score")


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
        if simultaneous:
            deviation = np.maximum(drawn.std(axis=0), least)
            largest = (np.abs(drawn - estimate) / deviation).max(axis=1)
            reach = max(float(np.quantile(largest, level)), normal_quantile(level))  # one point alone needs as much
            lower, upper = estimate - reach * deviation, estimate + reach * deviation
        else:
            lower, upper = _percentiles(drawn, level)
            half = normal_quantile(level) * least
            lower, upper = np.minimum(lower, estimate - half), np.maximum(upper, estimate + half)
        lower = np.where(x == 0, 0.0, lower)  # nobody has seen how many negatives lie above all others
        lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
        return np.clip(lower, 0, 1), np.clip(upper, 0, 1)

    method = "sup-t bootstrap" if simultaneous else "percentile bootstrap"
    return DrawnCurve(x, estimate, heights, limits, method, simultaneous)


def precision_recall_curve(draws: Draws, recall: npt.ArrayLike | None = None) -> DrawnCurve:
    """What `precision_recall_band` asks of every draw."""
    x = _grid(np.linspace(0, 1, POINTS)[1:] if recall is None else recall)
    if (x == 0).any():
        raise ArgumentError("recall 0 has no precision", "start above 0")

    def heights(drawn: Resampled) -> Floats:
        fp, tp = drawn.curve()
        # Read backwards, so that of several splits with one recall the most precise counts.
        wrong = np.interp(-x, -tp[::-1] / drawn.Pos, fp[::-1])
        return x * drawn.Pos / (x * drawn.Pos + wrong)

    estimate, level = heights(draws.observed), draws.level
    otherwise = _wilson(estimate, x * draws.observed.Pos / estimate, level)
    return DrawnCurve(x, estimate, heights, _percentiles_or(otherwise, estimate, level))


def _percentiles(drawn: Floats, level: float) -> Limits:
    """The limits that hold the middle `level` of the draws at every place of a curve."""
    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return lower, upper


def _percentiles_or(otherwise: Limits, estimate: Floats, level: float) -> Callable[[Floats], Limits]:
    """Percentile limits, or other ones where all draws agree, which proves nothing."""

    def limits(drawn: Floats) -> Limits:
        lower, upper = _percentiles(drawn, level)
        alike = upper - lower <= 1e-12
        lower, upper = np.where(alike, otherwise[0], lower), np.where(alike, otherwise[1], upper)
        return np.minimum(lower, estimate), np.maximum(upper, estimate)

    return limits


def _wilson(rate: Floats, cases: Counts | float, level: float) -> Limits:
    """Wilson's limits, as `rate_interval`, of many rates."""
    z2 = normal_quantile(level) ** 2
    centre = (rate * cases + z2 / 2) / (cases + z2)
    half = np.sqrt(z2 * (cases * rate * (1 - rate) + z2 / 4)) / (cases + z2)
    return np.clip(centre - half, 0, rate), np.clip(centre + half, rate, 1)


def _grid(values: npt.ArrayLike) -> Floats:
    grid = np.atleast_1d(numbers_of(values, name="the grid", dimensions=None))
    if grid.ndim != 1 or not ((grid >= 0) & (grid <= 1)).all() or (np.diff(grid) <= 0).any():
        raise ArgumentError("the grid must be rates in [0, 1], rising", "give e.g. np.linspace(0, 1, 101)")
    return grid


Kind: TypeAlias = Literal["confidence", "consistency"]


def reliability_band(
    ranking: Ranking,
    kind: Kind = "confidence",
    *,
    points: int = POINTS,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
) -> Band:
    """Pointwise band of the reliability diagram from isotonic regression.

    No bins are needed: the estimate at a score is the proportion of positives in its pool of the hull. A "confidence"
    band resamples cases and surrounds the estimate; where all draws agree, it is that of the pool's own cases. Its
    coverage is asymptotic, and lower where pools are small. A "consistency" band draws the labels from the scores and
    surrounds the diagonal: an estimate that leaves it is hard to explain by chance were the scores true probabilities
    (Dimitriadis, Gneiting & Jordan 2021). `x` holds distinct scores, rising: all of them, or `points` that share the
    cases out evenly.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> band = reliability_band(spam_tree, "consistency", replicates=500)
    >>> band.estimate.round(4), band.lower.round(2), band.upper.round(2)
    (array([0.3333, 0.6667, 0.8   ]), array([0.18, 0.37, 0.76]), array([0.41, 0.8 , 1.  ]))
    """
    require_one_of(kind, ("confidence", "consistency"), name="kind")
    require_ranking(ranking)
    require_integer(points, name="points", least=1, fix="give e.g. points=101")
    if kind == "confidence":
        draws = Draws(ranking, level=level, replicates=replicates, seed=seed, threads=threads)
        return draws.band(reliability_curve(draws, ranking, points), stratified=False)
    require_level(level)
    require_replicates(replicates, seed, threads)
    ranking.require_both_classes()
    segment = _shown_segments(ranking, points)
    draw = null_labels(ranking)

    def block(rng: np.random.Generator, size: int) -> list[Floats]:
        return [pooled_at(ranking.score, *draw(rng), segment) for _ in range(size)]

    drawn = np.concatenate(map_blocks(block, replicates, items=len(ranking), seed=seed, threads=threads))
    estimate = pooled_at(ranking.score, ranking.pos, ranking.neg, segment)
    return Band(ranking.score[segment], estimate, *_percentiles(drawn, level), level, "consistency resampling")


def reliability_curve(draws: Draws, ranking: Ranking, points: int = POINTS) -> DrawnCurve:
    """What the confidence band of a ranking's reliability asks of every draw of cases."""
    ranking.require_probabilities()
    segment = _shown_segments(ranking, points)
    estimate = pooled_at(ranking.score, *draws.observed.by_segment(), segment)  # at the declared mix
    seen, edge = pools(ranking.pos, ranking.neg)  # the same at every mix
    pool = np.searchsorted(seen[edge[:-1]], segment, side="right") - 1
    pos, neg = (np.add.reduceat(counts[seen], edge[:-1])[pool] for counts in (ranking.pos, ranking.neg))
    odds = 1.0 if draws.class_ratio is None else draws.class_ratio * ranking.Neg / ranking.Pos
    lower, upper = (p * odds / (1 - p + p * odds) for p in _wilson(pos / (pos + neg), pos + neg, draws.level))
    return DrawnCurve(
        x=ranking.score[segment],
        estimate=estimate,
        heights=lambda drawn: pooled_at(ranking.score, *drawn.by_segment(), segment),
        limits=_percentiles_or((lower, upper), estimate, draws.level),
        method="confidence resampling",
        of_one_class=True,
    )


def _shown_segments(ranking: Ranking, points: int) -> Indices:
    """The segments to show, by rising score: all, or some at even shares of cases."""
    every = np.arange(len(ranking))
    return (every if len(ranking) <= points else quantile_splits(ranking, points)[1:] - 1)[::-1]
