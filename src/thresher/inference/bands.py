"""Bands around curves: pointwise for ROC, precision-recall and net benefit, simultaneous for ROC."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.curves import net_benefit
from thresher.errors import ArgumentError
from thresher.inference.interval import normal_quantile, require_level
from thresher.inference.kinds import is_one_of, numbers_of
from thresher.inference.resampled import Resampled
from thresher.inference.resampling import Resampling, in_blocks, require_replicates
from thresher.inference.rows import Rows
from thresher.inference.sample import sample_of
from thresher.ranking import Floats, Ranking

Heights: TypeAlias = Callable[[Resampled], Floats]
POINTS = 101


@dataclass(frozen=True, slots=True, eq=False)
class Band:
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


def roc_band(
    source: Rows | Ranking,
    *,
    fpr: npt.ArrayLike | None = None,
    model: str | None = None,
    simultaneous: bool = False,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    threads: int | None = None,
) -> Band:
    """The band of the tpr over a grid of fpr, between limits that rise with fpr and stay within [0, 1].

    Pointwise limits are percentiles of the resampled curves. Simultaneous ones are estimate ± c · deviation, where c is
    the `level` quantile of the largest standardised distance of a resampled curve (sup-t). Deviations are never
    taken to be smaller than the binomial one of (tp + 1) / (Pos + 2), so no limit has zero width. Close to fpr 0
    the tpr depends on a few negatives only, and no bootstrap knows what lies beyond them.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> band = roc_band(spam_tree, fpr=[0.1, 0.5], replicates=500)
    >>> band.estimate, band.lower.round(2), band.upper.round(2)
    (array([0.4 , 0.75]), array([0.2 , 0.63]), array([0.62, 0.87]))
    """
    where = "roc_band(source, fpr=...)"
    x = _grid(np.linspace(0, 1, POINTS) if fpr is None else fpr, where)

    def heights(drawn: Resampled) -> Floats:
        fp, tp = drawn.curve()
        return np.interp(x, fp / drawn.Neg, tp) / drawn.Pos  # rates with rates: x · Neg may round past a count

    observed, drawn = _resampled(
        source, heights, model=model, level=level, replicates=replicates, seed=seed, threads=threads, where=where
    )
    estimate = heights(observed)
    shrunk = (estimate * observed.Pos + 1) / (observed.Pos + 2)
    least = np.sqrt(shrunk * (1 - shrunk) / (observed.Pos + 2))
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
    method = "sup-t bootstrap" if simultaneous else "percentile bootstrap"
    return Band(x, estimate, np.clip(lower, 0, 1), np.clip(upper, 0, 1), level, method, simultaneous)


def precision_recall_band(
    source: Rows | Ranking,
    *,
    recall: npt.ArrayLike | None = None,
    model: str | None = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    threads: int | None = None,
) -> Band:
    """The pointwise band of precision over a grid of recall, between splits as `precision_at`.

    Cases are drawn without fixing the class mix, since precision depends on it. Recall 0 has no precision: the
    default grid starts at 0.01. Where all draws agree, limits are Wilson's for the cases called positive.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> band = precision_recall_band(spam_tree, recall=[0.4, 1], replicates=500)
    >>> band.estimate, band.lower.round(2), band.upper.round(2)
    (array([0.8, 0.5]), array([0.65, 0.4 ]), array([0.93, 0.6 ]))
    """
    where = "precision_recall_band(source, recall=...)"
    x = _grid(np.linspace(0, 1, POINTS)[1:] if recall is None else recall, where)
    if (x == 0).any():
        raise ArgumentError("recall 0 has no precision", where, "start above 0")

    def heights(drawn: Resampled) -> Floats:
        fp, tp = drawn.curve()
        # Read backwards, so that of several splits with one recall the most precise counts.
        wrong = np.interp(-x, -tp[::-1] / drawn.Pos, fp[::-1])
        return x * drawn.Pos / (x * drawn.Pos + wrong)

    band = _pointwise(
        source, x, heights, model=model, level=level, replicates=replicates, seed=seed, threads=threads, where=where
    )
    called = x * _observed(source, model, where).Pos / band.estimate
    return _widened(band, *_wilson(band.estimate, called, level))


def net_benefit_band(
    source: Rows | Ranking,
    *,
    threshold: npt.ArrayLike | None = None,
    model: str | None = None,
    level: float = 0.95,
    replicates: int = 2000,
    seed: int = 0,
    threads: int | None = None,
) -> Band:
    """The pointwise band of the net benefit of acting on the model, by threshold probability, as `net_benefit`.

    Cases are drawn without fixing the class mix, since net benefit depends on it. Where all draws agree (nobody
    is above the threshold), limits are Wilson's for true and false positives per case, combined.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])
    >>> band = net_benefit_band(spam_tree, threshold=[0.5], replicates=500)
    >>> band.estimate, band.lower.round(2), band.upper.round(2)
    (array([0.2]), array([0.09]), array([0.31]))
    """
    where = "net_benefit_band(source, threshold=...)"
    observed = _observed(source, model, where)
    at = None if threshold is None else numbers_of(threshold, "threshold", where)
    x = net_benefit(observed.ranking(), threshold=at).threshold.copy()
    splits = [observed.standing.split(at) for at in x.tolist()]
    of_pos, of_neg = (np.array(side) for side in zip(*splits, strict=True))
    harm = x / (1 - x)

    def heights(drawn: Resampled) -> Floats:
        tp = np.concatenate([[0], drawn.tp])[of_pos]
        return (tp - drawn.fp[of_neg] * harm) / (drawn.Pos + drawn.Neg)

    band = _pointwise(
        source, x, heights, model=model, level=level, replicates=replicates, seed=seed, threads=threads, where=where
    )
    total = float(observed.Pos + observed.Neg)
    tp, fp = np.concatenate([[0], observed.tp])[of_pos] / total, observed.fp[of_neg] / total
    (least, most), (fewest, alarms) = _wilson(tp, total, level), _wilson(fp, total, level)
    below, above = np.hypot(tp - least, harm * (alarms - fp)), np.hypot(most - tp, harm * (fp - fewest))
    return _widened(band, band.estimate - below, band.estimate + above)


def _pointwise(
    source: Rows | Ranking,
    x: Floats,
    heights: Heights,
    *,
    model: str | None,
    level: float,
    replicates: int,
    seed: int,
    threads: int | None,
    where: str,
) -> Band:
    """Percentiles of curves drawn without fixing the class mix."""
    observed, drawn = _resampled(
        source,
        heights,
        model=model,
        level=level,
        replicates=replicates,
        seed=seed,
        threads=threads,
        where=where,
        stratified=False,
    )
    return Band(x, heights(observed), *_percentiles(drawn, level), level, "percentile bootstrap")


def _widened(band: Band, lower: Floats, upper: Floats) -> Band:
    """The band with these limits where all resampled curves agree: they are alike, not certain."""
    alike = band.upper - band.lower <= 1e-12
    lower, upper = np.where(alike, lower, band.lower), np.where(alike, upper, band.upper)
    return Band(band.x, band.estimate, lower, upper, band.level, band.method)


def _wilson(rate: Floats, cases: Floats | float, level: float) -> tuple[Floats, Floats]:
    """Wilson's limits, as `rate_interval`, of many rates."""
    z2 = normal_quantile(level) ** 2
    centre = (rate * cases + z2 / 2) / (cases + z2)
    half = np.sqrt(z2 * (cases * rate * (1 - rate) + z2 / 4)) / (cases + z2)
    return np.clip(centre - half, 0, rate), np.clip(centre + half, rate, 1)


def _resampled(
    source: Rows | Ranking,
    heights: Heights,
    *,
    model: str | None,
    level: float,
    replicates: int,
    seed: int,
    threads: int | None,
    where: str,
    stratified: bool | None = None,
) -> tuple[Resampled, Floats]:
    """The sample as the model sees it, and the curve's heights on every draw that holds both classes."""
    require_level(level, where)
    require_replicates(replicates, seed, threads, where)
    observed = _observed(source, model, where)
    plan = Resampling.of(sample_of(source, where=where), stratified=stratified)

    def block(rng: np.random.Generator, size: int) -> list[Floats]:
        draws = (Resampled.of(observed.standing, plan.times(rng)) for _ in range(size))
        return [heights(drawn) for drawn in draws if drawn.Pos and drawn.Neg]

    blocks = in_blocks(block, replicates, items=sum(plan.sample.items), seed=seed, threads=threads)
    found = [row for rows in blocks for row in rows]
    if not found:
        raise ArgumentError(
            f"none of {replicates:,} draws holds both classes", where, "give more cases of the rarer class"
        )
    return observed, np.array(found)


def _observed(source: Rows | Ranking, model: str | None, where: str) -> Resampled:
    sample = sample_of(source, where=where)
    if model is None and len(sample.standings) > 1:
        raise ArgumentError("there are several models", where, f"pass model= one of {', '.join(sample.standings)}")
    name = next(iter(sample.standings)) if model is None else model
    if not is_one_of(name, sample.standings):
        raise ArgumentError(f"there is no model {name!r}", where, f"pass one of {', '.join(sample.standings)}")
    return Resampled.of(sample.standings[name], sample.cases, model=name)


def _percentiles(drawn: Floats, level: float) -> tuple[Floats, Floats]:
    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return lower, upper


def _grid(values: npt.ArrayLike, where: str) -> Floats:
    grid = np.atleast_1d(numbers_of(values, "the grid", where))
    if grid.ndim != 1 or not ((grid >= 0) & (grid <= 1)).all() or (np.diff(grid) <= 0).any():
        raise ArgumentError("the grid must be rates in [0, 1], rising", where, "give e.g. np.linspace(0, 1, 101)")
    return grid
