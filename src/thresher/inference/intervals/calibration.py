"""Intervals for calibration and refinement loss, and a test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.parallel import Progress, map_blocks
from thresher._internal.results import Result, Tabular
from thresher.calibration import brier, decomposition, squared_losses
from thresher.calibration.calibration_error import ErrorBins
from thresher.calibration.meanings import Of
from thresher.errors import ArgumentError, WeightError, argument
from thresher.inference.bootstrap.draws import require_replicates
from thresher.inference.bootstrap.isotonic import pooled_impurity, pools
from thresher.inference.bootstrap.replicates import percentile_limits
from thresher.inference.influence import (
    Variance,
    brier_influence,
    refinement_influence,
    uncertainty_influence,
    variance_by_cases,
)
from thresher.inference.interval import Interval, interval_columns, stretch_limits, student_quantile
from thresher.inference.intervals.class_calibration import ClassCalibrationTest, Statistic, class_calibration_test
from thresher.inference.intervals.loss import brier_interval
from thresher.ranking import Counts, Floats, Ranking, Segments, require_ranking, shorten

MOST_SEGMENTS, MOST_GROUPS = 1 << 14, 1 << 11
REPLICATES = 200


def null_labels(ranking: Ranking) -> Callable[[np.random.Generator], tuple[Counts, Counts]]:
    """A way to draw labels per segment from the probabilities that are its scores."""
    ranking.require_probabilities()
    cases = ranking.pos + ranking.neg
    if ranking.weighted and np.mod(cases, 1).any():
        raise WeightError(
            "weights that are not whole do not say how many labels there were to draw", "rank without weights"
        )
    counts, score = cases.astype(np.int64), ranking.score
    alone = int(counts.max()) == 1  # comparing is faster than a binomial each

    def draw(rng: np.random.Generator) -> tuple[Counts, Counts]:
        pos = (rng.random(counts.size) < score).astype(np.int64) if alone else rng.binomial(counts, score)
        return pos, counts - pos

    return draw


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationIntervals(Tabular):
    """Intervals for the losses of probabilities, over the hull's pools.

    Brier score = calibration + refinement, and calibration is CORP's miscalibration.
    """

    brier: Interval
    calibration: Interval
    refinement: Interval
    discrimination: Interval

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns([({"quantity": part.name}, getattr(self, part.name)) for part in fields(self)])


def calibration_intervals(
    ranking: Ranking, *, level: float = 0.95, replicates: int = REPLICATES, seed: int = 0
) -> CalibrationIntervals:
    """Intervals for the Brier score and its parts.

    The hull fits the labels it is judged by, so calibration loss is estimated too high and refinement loss too low. How
    much is seen where the truth is known: labels are drawn `replicates` times from the hull's own shares, straight
    between its pools, and the hull is fitted again. The mean gain of those fits is taken off; what the data show, gain
    and all, is `apparent`. Limits are those at which the estimate is as far off as chance allows: the variance of a
    mean squared distance grows with the distance itself (delta method), on top of that of the gain, so they reach
    further up than down and calibrated scores may have no calibration loss. The Brier score is unbiased and
    gets the limits of `brier_interval`. Weights of a ranking are read as numbers of cases.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> losses = calibration_intervals(spam_tree)
    >>> print(losses.brier, "|", losses.calibration, "| apparent", round(losses.calibration.apparent, 4))
    0.2105 [0.1698, 0.2579] | 0.0000 [0.0000, 0.0282] | apparent 0.0038
    """
    require_level(level)
    require_replicates(replicates, seed, None)
    require_ranking(ranking)
    parts = decomposition(ranking, bins="hull")
    near = shorten(ranking, MOST_SEGMENTS, keep="even")
    apparent = {name: getattr(parts, name) for name in ("miscalibration", "refinement", "discrimination")}
    units = float(ranking.total)
    intervals = part_intervals(near, apparent, units=units, level=level, replicates=replicates, seed=seed)
    return CalibrationIntervals(
        brier=brier_interval(ranking, level=level),
        calibration=intervals["miscalibration"],
        refinement=intervals["refinement"],
        discrimination=intervals["discrimination"],
    )


def part_intervals(
    ranking: Ranking,
    apparent: Mapping[str, float],
    *,
    units: float,
    level: float,
    variance: Callable[[Ranking], Variance] = variance_by_cases,
    class_weights: tuple[float, float] = (1.0, 1.0),
    worth: float = 1.0,
    replicates: int = REPLICATES,
    seed: int = 0,
) -> dict[str, Interval]:
    """The intervals of `calibration_intervals` for a sample of any design.

    `apparent` are the parts over the hull's pools. `variance` tells of the expected ranking how its numbers vary;
    each case is `worth` so many independent ones, of which there are `units`. `class_weights` are those that bring
    positives and negatives to a declared mix. Estimates add up to the Brier score: no more is taken off than there is.
    """
    expected, few = _expected(ranking, units), shorten(ranking, MOST_GROUPS, keep="even")
    share = _smooth_shares(ranking, few.score, units)
    gains = noise_gains(few, share, worth=worth, class_weights=class_weights, replicates=replicates, seed=seed)
    joined = pooled_impurity(few.pos, few.neg) / float(few.total)  # fewer groups leave less noise to fit
    gain, quantile = float(gains.mean()), student_quantile(level, max(1.0, units - 1))
    below = quantile * float(gains.std(ddof=1)) if gains.size > 1 else 0.0
    above = max(below, percentile_limits(gains, level)[1] - gain)  # gains are skewed to the right
    gain += max(0.0, joined - apparent["refinement"])
    refinement, spread = refinement_influence(expected), variance(expected)
    slopes = {
        "miscalibration": brier_influence(expected) - refinement,
        "refinement": refinement,
        "discrimination": uncertainty_influence(expected) - refinement,
    }
    intervals = {}
    for name, each in slopes.items():
        sign = -1.0 if name == "refinement" else 1.0
        excess = sign * min(gain, apparent["miscalibration"])
        estimate = min(1.0, max(0.0, apparent[name] - excess))
        delta = spread(each)
        noise = (above, below) if sign > 0 else (below, above)
        limits = _limits(apparent[name] - sign * gain, delta, each.estimate, noise, quantile)
        note = f"fitting noise moves it by {excess:+.4f}, which is taken off" if excess else ""
        total = delta + float(gains.var())
        raw = apparent[name] if excess else None
        intervals[name] = Interval(estimate, *stretch_limits(estimate, *limits), total, level, "score", note, raw)
    return intervals


def noise_gains(
    ranking: Ranking,
    share: Floats,
    *,
    worth: float = 1.0,
    class_weights: tuple[float, float] = (1.0, 1.0),
    replicates: int = REPLICATES,
    seed: int = 0,
) -> Floats:
    """How much closer than true shares the hull comes to labels drawn from them.

    A proportion p of cases brought to a declared mix varies as p (1 - p) (p·w- + (1 - p)·w+) over their weight.
    """
    from scipy.optimize import isotonic_regression

    of_pos, of_neg = class_weights
    weight = np.add(ranking.pos, ranking.neg, dtype=np.float64)
    drawn = np.maximum(1, np.rint((ranking.pos / of_pos + ranking.neg / of_neg) * worth)).astype(np.int64)
    stretch = np.sqrt(drawn * (share * of_neg + (1 - share) * of_pos) / (weight * worth))
    rng, gains = np.random.default_rng(seed), np.empty(replicates)
    for place in range(replicates):
        noise = (rng.binomial(drawn, share) / drawn - share) * stretch
        away = share + noise - isotonic_regression(share + noise, weights=weight, increasing=False).x
        gains[place] = weight @ (noise**2 - away**2)
    return gains / float(weight.sum())


def _expected(ranking: Ranking, units: float) -> Ranking:
    """The counts that smooth shares expect in segments; class totals stay."""
    cases, share = np.add(ranking.pos, ranking.neg, dtype=np.float64), _smooth_shares(ranking, ranking.score, units)
    pos, neg = cases * share, cases * (1 - share)
    return Ranking.of_segments(
        ranking.score, pos * (float(ranking.Pos) / pos.sum()), neg * (float(ranking.Neg) / neg.sum())
    )


def _smooth_shares(ranking: Ranking, score: Floats, units: float) -> Floats:
    """The hull's shares at some scores, straight between the mean scores of its pools.

    One case more that has the prevalence keeps all of them off 0 and 1.
    """
    seen, edge = pools(ranking.pos, ranking.neg)
    cases = np.add(ranking.pos, ranking.neg, dtype=np.float64)
    pos, weight, total = (
        np.add.reduceat(counts[seen], edge[:-1]) for counts in (ranking.pos, cases, cases * ranking.score)
    )
    share = np.interp(-score, -total / weight, pos / weight)
    smooth: Floats = (share * units + ranking.prevalence) / (units + 1)
    return smooth


def _limits(
    estimate: float, variance: float, at: float, noise: tuple[float, float], quantile: float
) -> tuple[float, float]:
    """Limits of a mean whose variance grows with it: `variance` where it is `at`.

    They solve (estimate - x)² = quantile² · variance · x / at + noise², with the noise that may lie in an estimate
    which is too high for the lower limit, and in one too low for the upper. Scores that were fitted to these labels
    fit them better than any truth explains: no x solves it, and the noise alone is the upper limit.
    """
    if math.isnan(variance):
        return 0.0, 1.0
    shift = quantile**2 * variance / at / 2 if at > 0 else 0.0
    lower, upper = (
        estimate + shift + side * math.sqrt(max(0.0, shift * (shift + 2 * estimate) + reach**2))
        for side, reach in zip((-1, 1), noise, strict=True)
    )
    return min(1.0, max(0.0, lower)), min(1.0, upper if upper > 0 else noise[1])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CalibrationTest(Result):
    """Whether the scores could be the true probabilities.

    `miscalibration` is CORP's, next to what labels drawn from the scores would show (`null`, with its mean and central
    limits at `level`); `p_value` is the share of those that reach it. `z` is Spiegelhalter's
    statistic, with its own two-sided p-value.
    """

    miscalibration: float
    null_mean: float
    null_lower: float
    null_upper: float
    p_value: float
    z: float
    z_p_value: float
    level: float
    null: Floats

    def _brief(self) -> str:
        return (
            f"miscalibration {self.miscalibration:.4f}; if calibrated, {self.null_mean:.4f}"
            f" ({self.level:.0%}: {self.null_lower:.4f} to {self.null_upper:.4f}), p = {self.p_value:.2g};"
            f" z = {self.z:.2f}, p = {self.z_p_value:.2g}"
        )


@overload
def calibration_test(
    ranking: Ranking,
    *,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> CalibrationTest: ...


@overload
def calibration_test(
    ranking: Segments,
    *,
    of: Of | None = None,
    statistic: Statistic | None = None,
    bins: ErrorBins | None = None,
    count: int | None = None,
    bandwidth: float | None = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> ClassCalibrationTest: ...


def calibration_test(
    ranking: Ranking | Segments,
    *,
    of: Of | None = None,
    statistic: Statistic | None = None,
    bins: ErrorBins | None = None,
    count: int | None = None,
    bandwidth: float | None = None,
    level: float = 0.95,
    replicates: int = 1000,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> CalibrationTest | ClassCalibrationTest:
    """Test whether the scores are the true probabilities.

    Miscalibration is never 0 on finite data, so it is shown with its null distribution: labels are drawn from
    the scores and the hull fitted again each time. It notices any monotone distortion. Spiegelhalter's z compares the
    Brier score with what the scores themselves expect, Σ (y - p)(1 - 2p) / √(Σ (1 - 2p)² p (1 - p)), and notices over-
    or underconfidence best (Spiegelhalter 1986); it is undefined when every score is 0, ½ or 1.

    Of k classes, `of` says which meaning of calibrated is tested: that of each "class" (the default), of the "top"
    label, or of whole vectors ("canonical"). The statistic is "miscalibration" over the hull (whole vectors have none),
    the "calibration" loss over distinct scores or vectors, the "ece" with `bins` and `count`, the "skce" with
    `bandwidth`, or any function of segments. Labels drawn from the vectors show how it comes out if they are true, so
    that the p-value needs no large samples. The default is miscalibration; of whole vectors the calibration loss where
    there are five cases or more to a vector, and otherwise the SKCE.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> calibration_test(spam_tree, replicates=500)
    CalibrationTest(miscalibration 0.0038; if calibrated, 0.0052 (95%: 0.0003 to 0.0167), p = 0.51; z = 1.37, p = 0.17)
    >>> leaves = [[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]]
    >>> three = Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=leaves, classes="abc")
    >>> calibration_test(three, of="canonical", replicates=500)
    ClassCalibrationTest(calibration 0.0067, canonical; if calibrated, 0.02... p = 0.9...; z = ..., p = ...)
    """
    if isinstance(ranking, Segments):
        return class_calibration_test(
            ranking,
            of=of,
            statistic=statistic,
            bins=bins,
            count=count,
            bandwidth=bandwidth,
            level=level,
            replicates=replicates,
            seed=seed,
            threads=threads,
            progress=progress,
        )
    options = {"of": of, "statistic": statistic, "bins": bins, "count": count, "bandwidth": bandwidth}
    if asked := [name for name, value in options.items() if value is not None]:
        what = f"{argument(asked[0])} is an option for k classes, and a ranking has two"
        raise ArgumentError(what, "leave it out, or pass segments", parameter=asked[0])
    require_level(level)
    require_replicates(replicates, seed, threads, progress)
    require_ranking(ranking)
    draw = null_labels(ranking)
    of_pos, of_neg = squared_losses(ranking.score, ranking.score)

    def block(rng: np.random.Generator, size: int) -> list[float]:
        losses = []
        for _ in range(size):
            pos, neg = draw(rng)
            squares = float((of_pos * pos + of_neg * neg).sum())
            losses.append(max(0.0, squares - pooled_impurity(pos, neg)) / ranking.total)
        return losses

    null = np.concatenate(
        map_blocks(block, replicates, items=len(ranking), seed=seed, threads=threads, progress=progress)
    )
    null.flags.writeable = False
    # With one class there is one pool, whose proportion is 0 or 1.
    both = ranking.Pos and ranking.Neg
    estimate = decomposition(ranking, bins="hull").miscalibration if both else brier(ranking)
    lower, upper = percentile_limits(null, level)
    reached = int(np.count_nonzero(null >= estimate * (1 - 1e-9) - 1e-15))
    score, cases = ranking.score, ranking.pos + ranking.neg
    lean = 1 - 2 * score  # Spiegelhalter's
    spread = float((lean**2 * score * (1 - score) * cases).sum())
    z = float(((ranking.pos - score * cases) * lean).sum()) / math.sqrt(spread) if spread > 0 else math.nan
    return CalibrationTest(
        miscalibration=estimate,
        null_mean=float(null.mean()),
        null_lower=lower,
        null_upper=upper,
        p_value=(1 + reached) / (1 + replicates),
        z=z,
        z_p_value=math.erfc(abs(z) / math.sqrt(2)),
        level=level,
        null=null,
    )
