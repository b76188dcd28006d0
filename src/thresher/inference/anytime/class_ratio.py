"""The class ratio of rows without labels, if their classes look as in a reference.

All three answers assume label shift: scores of positives and of negatives are distributed as in the reference, and only
their mix F_T = π F₁ + (1 - π) F₀ differs. An empty feasible set refutes that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_integer, require_level, require_one_of, require_seed
from thresher._internal.results import Result
from thresher.errors import ArgumentError
from thresher.inference.interval import Interval, normal_quantile, undefined
from thresher.ranking import Floats, Ranking, require_ranking, splits_at

RatioMethod: TypeAlias = Literal["feasible", "bbse", "mlls"]
Cells: TypeAlias = tuple[Floats, Floats, Floats]  # of positives, negatives and target

CELLS = 8
REPLICATES = 200
_HALVINGS = 50
_FEWEST_ERRORS = 3  # tpr - fpr must be so many of its standard errors
_ASSUMED = "if the classes score as in the reference"


@dataclass(frozen=True, slots=True, eq=False)
class _Sample:
    """Shares at or above each score, in reference and target, and sizes."""

    tpr: Floats
    fpr: Floats
    share: Floats
    Pos: float
    Neg: float
    n: float


def class_ratio_interval(
    reference: Ranking,
    scores: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    *,
    method: RatioMethod = "mlls",
    threshold: float | None = None,
    anytime: bool = False,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Interval:
    """Limits of Pos / Neg among rows of which only the scores are known.

    `counts` says how many rows have each score. "feasible" takes every prevalence π at which the scores are nowhere
    further from π F₁ + (1 - π) F₀ than the margins of the three samples (Dvoretzky, Kiefer & Wolfowitz), at every look
    where `anytime` (Howard & Ramdas 2022); it is undefined where there is none, and label shift is refuted. "bbse"
    corrects the share called at a `threshold` for tpr and fpr (Rogan & Gladen 1978; Lipton et al. 2018). "mlls" is the
    likeliest mix over eight cells of the score (Saerens et al. 2002), less its bias, with limits by resampling.

    >>> reference = Ranking.parse("[60+,5-][25+,15-][10+,30-][5+,50-]", score=[0.9, 0.6, 0.4, 0.1])
    >>> scores, rows = [0.9, 0.6, 0.4, 0.1], [80, 85, 130, 205]
    >>> for method in ("feasible", "bbse", "mlls"):
    ...     print(class_ratio_interval(reference, scores, rows, method=method, threshold=0.6))
    0.2500 [0.0000, 1.1953]
    0.2500 [0.0900, 0.4651]
    0.2422 [0.1151, 0.4019]
    """
    require_level(level)
    require_one_of(method, get_args(RatioMethod), name="method")
    score, count = _target(reference, scores, counts)
    if method == "mlls":
        require_integer(replicates, name="replicates", least=20, fix="e.g. 200")
        require_seed(seed)
        prevalence = _mlls(_in_cells(reference, score, count, CELLS), level=level, replicates=replicates, seed=seed)
    elif method == "bbse":
        if threshold is None:
            raise ArgumentError(
                "the share called needs a threshold", "give threshold=decision.threshold", parameter="threshold"
            )
        prevalence = _bbse(_at(reference, score, count, np.array([threshold])), level)
    else:
        prevalence = _feasible(_everywhere(reference, score, count), level, anytime=anytime)
    return _as_ratio(prevalence)


@dataclass(frozen=True, slots=True, repr=False)
class LabelShiftTest(Result):
    """Whether scores without labels can be a mix of the reference's classes.

    `gap` is the greatest distance of the scores from the nearest mix, `noticeable` the one that would have refuted
    label shift by the feasible set. `p_value` is that of the fit of the mix over cells, for one look. Not refuted is
    not true: positives that score lower are taken for fewer positives.
    """

    gap: float
    noticeable: float
    p_value: float
    refuted: bool
    n: float

    def _brief(self) -> str:
        verdict = "refuted" if self.refuted else "not refuted"
        return (
            f"{verdict}: gap {self.gap:.3f}, p = {self.p_value:.2g};"
            f" {self.n:,.0f} scores would have noticed a gap of {self.noticeable:.3f}"
        )


def label_shift_test(
    reference: Ranking,
    scores: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    *,
    level: float = 0.95,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> LabelShiftTest:
    """Test whether the classes look as in the reference.

    Two tests have half of the error each: the feasible set of `class_ratio_interval` is empty, or the best mix fits the
    counts in cells of the score worse than it does when label shift holds, by resampling.

    >>> reference = Ranking.parse("[60+,5-][25+,15-][10+,30-][5+,50-]", score=[0.9, 0.6, 0.4, 0.1])
    >>> label_shift_test(reference, [0.9, 0.6, 0.4, 0.1], [800, 850, 1300, 2050])
    LabelShiftTest(not refuted: gap 0.000, p = 1; 5,000 scores would have noticed a gap of 0.189)
    >>> label_shift_test(reference, [0.9, 0.6, 0.4, 0.1], [2300, 200, 200, 2300]).refuted
    True
    """
    require_level(level)
    require_integer(replicates, name="replicates", least=20, fix="e.g. 200")
    require_seed(seed)
    score, count = _target(reference, scores, counts)
    sample, half = _everywhere(reference, score, count), (1 + level) / 2
    multiple, prevalence = _least_multiple(sample, half)
    mix = prevalence * sample.tpr + (1 - prevalence) * sample.fpr
    gap = float(np.abs(sample.share - mix).max())
    p_value = _fit(_in_cells(reference, score, count, 2 * CELLS), replicates=replicates, seed=seed)
    refuted = multiple > 1 or p_value < 1 - half
    of_target, of_pos, of_neg = _margins(sample, half, anytime=False)
    noticeable = float(of_target + prevalence * of_pos + (1 - prevalence) * of_neg)
    return LabelShiftTest(gap, noticeable, p_value, refuted, sample.n)


def _feasible(sample: _Sample, level: float, *, anytime: bool) -> Interval:
    """Every prevalence with no gap above the margins; the estimate has the least."""
    lower, upper = _inside(sample, _margins(sample, level, anytime=anytime))
    if lower > upper:
        return undefined(level, "label shift is refuted: no mix of the reference's classes is near enough")
    _, estimate = _least_multiple(sample, level, anytime=anytime)
    method = "feasible, anytime" if anytime else "feasible"
    return Interval(estimate, lower, upper, math.nan, level, method, _ASSUMED)


def _least_multiple(sample: _Sample, level: float, *, anytime: bool = False) -> tuple[float, float]:
    """Least multiple of the margins with a feasible prevalence, and that one."""
    margins = _margins(sample, level, anytime=anytime)
    low, high = 0.0, 1.0
    while (ends := _inside(sample, margins * high))[0] > ends[1]:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        trial = _inside(sample, margins * middle)
        if trial[0] > trial[1]:
            low = middle
        else:
            high, ends = middle, trial
    return high, (ends[0] + ends[1]) / 2


def _inside(sample: _Sample, margins: Floats) -> tuple[float, float]:
    """Prevalences at which |F_T - π F₁ - (1 - π) F₀| <= ε_T + π ε₁ + (1 - π) ε₀."""
    of_target, of_pos, of_neg = margins
    gap, reach = sample.share - sample.fpr, sample.tpr - sample.fpr
    constant = np.concatenate([gap, -gap]) - of_target - of_neg
    slope = np.concatenate([reach, -reach]) + of_pos - of_neg
    if (constant[slope == 0] > 0).any():
        return 1.0, 0.0
    rising, falling = slope > 0, slope < 0
    lower = float(np.max(constant[rising] / slope[rising], initial=0.0))
    upper = float(np.min(constant[falling] / slope[falling], initial=1.0))
    return lower, upper


def _margins(sample: _Sample, level: float, *, anytime: bool) -> Floats:
    """Margins of target, positives and negatives, each at a third of the error."""
    alpha = (1 - level) / 3
    margins = np.array([math.sqrt(math.log(2 / alpha) / (2 * size)) for size in (sample.n, sample.Pos, sample.Neg)])
    if anytime:
        iterated = math.log(math.log(math.e * max(sample.n, 1.0)) + 1e-300) if sample.n > 1 else 0.0
        margins[0] = 0.85 * math.sqrt((max(iterated, 0.0) + 0.8 * math.log(1612 / alpha)) / sample.n)
    return margins


def _bbse(sample: _Sample, level: float) -> Interval:
    tpr, fpr, share = (float(each[0]) for each in (sample.tpr, sample.fpr, sample.share))
    of_tpr, of_fpr = tpr * (1 - tpr) / sample.Pos, fpr * (1 - fpr) / sample.Neg
    reach = tpr - fpr
    if not reach > _FEWEST_ERRORS * math.sqrt(of_tpr + of_fpr):
        what = f"tpr {tpr:.3g} and fpr {fpr:.3g} at this threshold are too close to tell the classes by"
        raise ArgumentError(what, "take a threshold that separates them, or method='mlls'", parameter="threshold")
    prevalence = (share - fpr) / reach
    spread = share * (1 - share) / sample.n + prevalence**2 * of_tpr + (1 - prevalence) ** 2 * of_fpr
    return _normal(prevalence, spread / reach**2, level, "bbse")


def _mlls(counts: Cells, *, level: float, replicates: int, seed: int) -> Interval:
    """The likeliest prevalence over cells; bias and spread by resampling."""
    pos, neg, target = counts
    likeliest = float(_likeliest(pos, neg, target))
    rng = np.random.default_rng(seed)
    again = _likeliest(*(_draw(rng, each.sum(), each, replicates) for each in counts))
    estimate = 2 * likeliest - float(again.mean())
    return _normal(estimate, float(again.var(ddof=1)), level, "mlls")


def _likeliest(pos: Floats, neg: Floats, target: Floats) -> Floats:
    """Maximise Σ target · log(π p₁ + (1 - π) p₀), concave in π: bisect its slope."""
    first, second = (each / each.sum(axis=-1, keepdims=True) for each in (pos, neg))
    low, high = np.zeros(target.shape[:-1]), np.ones(target.shape[:-1])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        mix = middle[..., None] * first + (1 - middle[..., None]) * second
        slope = np.divide(target * (first - second), mix, out=np.zeros(mix.shape), where=mix > 0).sum(axis=-1)
        low, high = np.where(slope > 0, middle, low), np.where(slope > 0, high, middle)
    likeliest: Floats = (low + high) / 2
    return likeliest


def _fit(counts: Cells, *, replicates: int, seed: int) -> float:
    """The share of resampled mixes that fit as badly, by Pearson's statistic."""
    pos, neg, target = counts
    rng = np.random.default_rng(seed)

    def misfit(pos: Floats, neg: Floats, target: Floats) -> Floats:
        prevalence = _likeliest(pos, neg, target)[..., None]
        first, second = (each / each.sum(axis=-1, keepdims=True) for each in (pos, neg))
        expected = (prevalence * first + (1 - prevalence) * second) * target.sum(axis=-1, keepdims=True)
        away: Floats = ((target - expected) ** 2 / (expected + 0.5)).sum(axis=-1)
        return away

    prevalence = float(_likeliest(pos, neg, target))
    mix = prevalence * pos / pos.sum() + (1 - prevalence) * neg / neg.sum()
    parts = ((pos.sum(), pos), (neg.sum(), neg), (target.sum(), mix))
    null = misfit(*(_draw(rng, size, part, replicates) for size, part in parts))
    return float((1 + np.count_nonzero(null >= misfit(pos, neg, target))) / (1 + replicates))


def _draw(rng: np.random.Generator, size: float, weight: Floats, replicates: int) -> Floats:
    drawn: Floats = rng.multinomial(round(size), weight / weight.sum(), replicates).astype(np.float64)
    return drawn


def _in_cells(reference: Ranking, score: Floats, count: Floats, cells: int) -> Cells:
    """Counts in cells that hold equal shares of the reference's classes."""
    weight = reference.pos / reference.Pos + reference.neg / reference.Neg
    middle = np.cumsum(weight) - weight / 2
    cell = np.minimum((middle * cells / 2).astype(np.int64), cells - 1)
    last = np.flatnonzero(np.diff(cell))  # the lowest score of each cell but the last
    edges = reference.score[last][::-1]
    of_target = last.size - np.searchsorted(edges, score, side="right")
    of_reference = np.concatenate([[0], np.cumsum(np.diff(cell) > 0)])
    size = last.size + 1
    pos, neg, target = (
        np.bincount(place, weights=values, minlength=size).astype(np.float64)
        for place, values in ((of_reference, reference.pos), (of_reference, reference.neg), (of_target, count))
    )
    return pos, neg, target


def _at(reference: Ranking, score: Floats, count: Floats, thresholds: Floats) -> _Sample:
    tp, fp = reference.covered()
    split = splits_at(reference.score, thresholds)
    order = np.argsort(-score, kind="stable")
    above = np.concatenate([[0.0], np.cumsum(count[order])])[splits_at(score[order], thresholds)]
    n = float(count.sum())
    return _Sample(tp[split] / reference.Pos, fp[split] / reference.Neg, above / n, reference.Pos, reference.Neg, n)


def _everywhere(reference: Ranking, score: Floats, count: Floats) -> _Sample:
    return _at(reference, score, count, np.union1d(reference.score, score))


def _normal(prevalence: float, variance: float, level: float, method: str) -> Interval:
    """Symmetric limits, as far as they are shares."""
    half = normal_quantile(level) * math.sqrt(variance)
    estimate, lower, upper = (min(max(prevalence + side * half, 0.0), 1.0) for side in (0, -1, 1))
    return Interval(estimate, lower, upper, variance, level, method, _ASSUMED)


def _as_ratio(prevalence: Interval) -> Interval:
    """The same limits of Pos / Neg."""
    if math.isnan(prevalence.estimate):
        return prevalence

    def ratio(share: float) -> float:
        return share / (1 - share) if share < 1 else math.inf

    estimate, lower, upper = (ratio(each) for each in (prevalence.estimate, prevalence.lower, prevalence.upper))
    variance = prevalence.variance / (1 - prevalence.estimate) ** 4 if prevalence.estimate < 1 else math.nan
    return Interval(estimate, lower, upper, variance, prevalence.level, prevalence.method, prevalence.note)


def _target(reference: Ranking, scores: npt.ArrayLike, counts: npt.ArrayLike | None) -> tuple[Floats, Floats]:
    require_ranking(reference, both_classes=True)
    score = numbers_of(scores, name="scores")
    count = np.ones(score.size) if counts is None else numbers_of(counts, name="counts")
    if score.shape != count.shape or not count.sum() > 0 or not (count >= 0).all() or np.isnan(score).any():
        what = f"{score.size} scores and {count.size} counts do not belong together, or there are no rows"
        raise ArgumentError(what, "give a count of at least 0 per score, none missing", parameter="scores")
    return score, count
