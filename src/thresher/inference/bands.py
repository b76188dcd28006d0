"""Bands around curves: pointwise for ROC, precision-recall and net benefit, simultaneous for ROC."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher.curves import net_benefit
from thresher.errors import ArgumentError
from thresher.inference.band import Band
from thresher.inference.drawn_curves import DrawnCurve, Draws, percentiles
from thresher.inference.interval import normal_quantile
from thresher.inference.kinds import numbers_of
from thresher.inference.resampled import Resampled
from thresher.inference.rows import Rows
from thresher.ranking import Floats, Ranking

POINTS = 101


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
    (array([0.4 , 0.75]), array([0.18, 0.63]), array([0.63, 0.87]))
    """
    draws = Draws.of(source, model=model, level=level, replicates=replicates, seed=seed, threads=threads)
    return draws.band(roc_curve(draws, fpr, simultaneous=simultaneous), stratified=None)


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
    draws = Draws.of(source, model=model, level=level, replicates=replicates, seed=seed, threads=threads)
    return draws.band(precision_recall_curve(draws, recall), stratified=False)


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
    draws = Draws.of(source, model=model, level=level, replicates=replicates, seed=seed, threads=threads)
    return draws.band(net_benefit_curve(draws, threshold), stratified=False)


def roc_curve(draws: Draws, fpr: npt.ArrayLike | None = None, *, simultaneous: bool = False) -> DrawnCurve:
    """What `roc_band` asks of every draw."""
    x = _grid(np.linspace(0, 1, POINTS) if fpr is None else fpr)
    level, observed = draws.level, draws.observed

    def heights(drawn: Resampled) -> Floats:
        fp, tp = drawn.curve()
        return np.interp(x, fp / drawn.Neg, tp) / drawn.Pos  # rates with rates: x · Neg may round past a count

    def band(drawn: Floats) -> Band:
        estimate = heights(observed)
        shrunk = (estimate * observed.Pos + 1) / (observed.Pos + 2)
        least = np.sqrt(shrunk * (1 - shrunk) / (observed.Pos + 2))
        if simultaneous:
            deviation = np.maximum(drawn.std(axis=0), least)
            largest = (np.abs(drawn - estimate) / deviation).max(axis=1)
            reach = max(float(np.quantile(largest, level)), normal_quantile(level))  # one point alone needs as much
            lower, upper = estimate - reach * deviation, estimate + reach * deviation
        else:
            lower, upper = percentiles(drawn, level)
            half = normal_quantile(level) * least
            lower, upper = np.minimum(lower, estimate - half), np.maximum(upper, estimate + half)
        lower = np.where(x == 0, 0.0, lower)  # nobody has seen how many negatives lie above all others
        lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
        method = "sup-t bootstrap" if simultaneous else "percentile bootstrap"
        return Band(x, estimate, np.clip(lower, 0, 1), np.clip(upper, 0, 1), level, method, simultaneous)

    return DrawnCurve(heights, band)


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

    def band(drawn: Floats) -> Band:
        estimate = heights(draws.observed)
        called = x * draws.observed.Pos / estimate
        return _widened(x, estimate, drawn, _wilson(estimate, called, draws.level), draws.level)

    return DrawnCurve(heights, band)


def net_benefit_curve(draws: Draws, threshold: npt.ArrayLike | None = None) -> DrawnCurve:
    """What `net_benefit_band` asks of every draw."""
    observed, level = draws.observed, draws.level
    at = None if threshold is None else numbers_of(threshold, "threshold")
    x = net_benefit(observed.ranking(), threshold=at).threshold.copy()
    splits = [observed.standing.split(at) for at in x.tolist()]
    of_pos, of_neg = (np.array(side) for side in zip(*splits, strict=True))
    harm = x / (1 - x)

    def heights(drawn: Resampled) -> Floats:
        tp = np.concatenate([[0], drawn.tp])[of_pos]
        return (tp - drawn.fp[of_neg] * harm) / (drawn.Pos + drawn.Neg)

    def band(drawn: Floats) -> Band:
        estimate, total = heights(observed), float(observed.Pos + observed.Neg)
        tp, fp = np.concatenate([[0], observed.tp])[of_pos] / total, observed.fp[of_neg] / total
        (least, most), (fewest, alarms) = _wilson(tp, total, level), _wilson(fp, total, level)
        below, above = np.hypot(tp - least, harm * (alarms - fp)), np.hypot(most - tp, harm * (fp - fewest))
        return _widened(x, estimate, drawn, (estimate - below, estimate + above), level)

    return DrawnCurve(heights, band)


def _widened(x: Floats, estimate: Floats, drawn: Floats, limits: tuple[Floats, Floats], level: float) -> Band:
    """Percentiles of the curves drawn, and these limits where all of them agree: they are alike, not certain."""
    lower, upper = percentiles(drawn, level)
    alike = upper - lower <= 1e-12
    lower, upper = np.where(alike, limits[0], lower), np.where(alike, limits[1], upper)
    lower, upper = np.minimum(lower, estimate), np.maximum(upper, estimate)
    return Band(x, estimate, lower, upper, level, "percentile bootstrap")


def _wilson(rate: Floats, cases: Floats | float, level: float) -> tuple[Floats, Floats]:
    """Wilson's limits, as `rate_interval`, of many rates."""
    z2 = normal_quantile(level) ** 2
    centre = (rate * cases + z2 / 2) / (cases + z2)
    half = np.sqrt(z2 * (cases * rate * (1 - rate) + z2 / 4)) / (cases + z2)
    return np.clip(centre - half, 0, rate), np.clip(centre + half, rate, 1)


def _grid(values: npt.ArrayLike) -> Floats:
    grid = np.atleast_1d(numbers_of(values, "the grid"))
    if grid.ndim != 1 or not ((grid >= 0) & (grid <= 1)).all() or (np.diff(grid) <= 0).any():
        raise ArgumentError("the grid must be rates in [0, 1], rising", "give e.g. np.linspace(0, 1, 101)")
    return grid
