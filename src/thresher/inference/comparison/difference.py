"""Differences of two numbers with limits, p-value and what they mean in practice."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher._internal.arguments import numbers_of, require_integer, require_level, require_number
from thresher._internal.results import Result
from thresher._internal.text import visible
from thresher.curves import auc, auc_bounds
from thresher.errors import ArgumentError, argument
from thresher.inference.bootstrap.replicates import percentile_limits
from thresher.inference.interval import Interval, limits_around, stretch_limits, student_quantile
from thresher.inference.intervals.auc import (
    NOTHING,
    AucCovariance,
    AucLimits,
    Matrix,
    delong_parts,
    satterthwaite,
    student_tail,
)
from thresher.ranking import Floats, Ranking, require_ranking

Verdict: TypeAlias = Literal["better", "worse", "higher", "lower", "practically equal", "undecided"]
Better: TypeAlias = Literal["higher", "lower", "neither"]
Pair: TypeAlias = tuple[str, str]
UNNAMED: Pair = ("a", "b")


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Result):
    """A minus B with limits, a test of no difference, and a verdict on A.

    The sign is that of the numbers: with a cost, a negative difference says that A is cheaper, so "better".
    `p_adjusted` allows for how many pairs were compared. `verdict` is "better" or "worse" when the limits lie beyond
    `margin` (and, among several pairs, the adjusted p-value agrees), "practically equal" when they lie within it, and
    otherwise "undecided". Where neither side is better, as of a calibration slope, it is "higher" or "lower".

    >>> difference = Difference("a", "b", 0.05, 0.01, 0.09, variance=0.0004, p_value=0.014, level=0.95, method="delong")
    >>> print(difference)
    a - b  0.0500 [0.0100, 0.0900]  p 0.014  better
    >>> print(difference.mirrored)
    b - a  -0.0500 [-0.0900, -0.0100]  p 0.014  worse
    """

    a: str
    b: str
    difference: float
    lower: float
    upper: float
    variance: float
    p_value: float
    level: float
    method: str
    p_adjusted: float = math.nan
    margin: float = 0.0
    better: Better = "higher"
    note: str = ""

    def __post_init__(self) -> None:
        lower, upper = limits_around(self.difference, self.lower, self.upper)
        object.__setattr__(self, "lower", lower)
        object.__setattr__(self, "upper", upper)
        if math.isnan(self.p_adjusted):
            object.__setattr__(self, "p_adjusted", self.p_value)

    @property
    def verdict(self) -> Verdict:
        """What the limits say about A, given the margin."""
        lower, upper = (-self.upper, -self.lower) if self.better == "lower" else (self.lower, self.upper)
        if -self.margin <= lower <= upper <= self.margin and self.margin > 0:
            return "practically equal"
        if self.p_adjusted > self.p_value and self.p_adjusted > 1 - self.level:
            return "undecided"
        if lower > self.margin:
            return "higher" if self.better == "neither" else "better"
        if upper < -self.margin:
            return "lower" if self.better == "neither" else "worse"
        return "undecided"

    @property
    def mirrored(self) -> Difference:
        """B minus A."""
        return replace(
            self, a=self.b, b=self.a, difference=0.0 - self.difference, lower=0.0 - self.upper, upper=0.0 - self.lower
        )

    @property
    def interval(self) -> Interval:
        """The difference as an `Interval`."""
        return Interval(self.difference, self.lower, self.upper, self.variance, self.level, self.method, self.note)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; numbers that JSON has no word for become None."""
        plain = {name: getattr(self, name) for name in (*self.__slots__, "verdict")}
        return {
            name: None if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in plain.items()
        }

    def _brief(self) -> str:
        return f"{self}, level={self.level:g}, method={self.method!r}"

    def __str__(self) -> str:
        if math.isnan(self.difference):
            return visible(f"{self.a} - {self.b}  undefined ({self.note})")
        p = f"p {shown_p(self.p_value)}"
        if self.p_adjusted > self.p_value:
            p += f" (adjusted {shown_p(self.p_adjusted)})"
        return visible(f"{self.a} - {self.b}  {self.interval}  {p}  {self.verdict}")


def shown_p(p: float) -> str:
    """A p-value in a few characters."""
    return "<0.0001" if p < 0.0001 else f"{p:.2g}"


def require_margin(margin: float) -> None:
    """Raise `ArgumentError` unless a margin is a number of at least 0."""
    require_number(margin, name="margin")
    if not 0 <= margin < math.inf:
        what, example = f"{argument('margin')} must be 0 or more, got {margin}", argument("margin", 0.01)
        fix = f"give the largest difference that would not matter, in units of the measure, e.g. {example}"
        raise ArgumentError(what, fix, parameter="margin")


def holm(p_values: Sequence[float], *, among: int = 0) -> list[float]:
    """P-values adjusted for how many there are, after Holm (1979).

    Calling what lies below 1 - level keeps the chance of any false alarm among them below it. Where they were picked
    from more p-values, `among` is how many.

    >>> [round(p, 10) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = numbers_of(p_values, name="p_values", dimensions=None)
    family = require_integer(among, name="among", least=0, fix="leave it out, or give the number of all p-values")
    if p.ndim != 1 or ((p < 0) | (p > 1)).any():
        raise ArgumentError("p-values are numbers from 0 to 1 in one list", "give e.g. [0.01, 0.04]")
    known = p[~np.isnan(p)]
    # The k-th smallest is multiplied by how many are not smaller, and none may fall below a smaller one's.
    others = max(0, family - known.size)
    multiplied = np.minimum(1.0, known * (others + (known[np.newaxis, :] >= known[:, np.newaxis]).sum(axis=1)))
    return [math.nan if math.isnan(one) else float(multiplied[known <= one].max()) for one in p]


def compare_unpaired(ranking_a: Ranking, ranking_b: Ranking, *, level: float = 0.95, margin: float = 0.0) -> Difference:
    """The difference of the AUCs of two independent samples, A minus B.

    For different cases: two hospitals, this year and last. For two models on the same rows use `compare`,
    because what they share would be counted against their difference here. The limits of both AUCs (as `auc_interval`)
    are combined so that squared distances add up (Zou & Donner 2008), which holds in small samples; p is the level at
    which they would just meet 0. `variance` is the sum of DeLong's. Limits of rankings that count ranges of scores are
    moved apart by as much as the AUCs are open.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> print(compare_unpaired(Ranking.parse("[30+,2-][15+,8-][5+,40-]"), spam_tree))
    a - b  0.1820 [0.0662, 0.2931]  p 0.0033  better
    """
    require_level(level)
    require_margin(margin)
    both = (ranking_a, ranking_b)
    for ranking in both:
        require_ranking(ranking)
        ranking.require_both_classes()
    parts = [delong_parts(ranking) for ranking in both]
    limits = [
        AucLimits.of(auc(ranking), part, (ranking.Pos, ranking.Neg)) for ranking, part in zip(both, parts, strict=True)
    ]
    spread = all(each.deviation for each in limits)

    def limits_of(difference: float) -> Difference:
        return difference_by_reach(
            difference,
            lambda tail: combined_reach(limits, (1, -1), ((1, 0), (0, 1)), tail),
            variance=math.fsum(sum(part) for part in parts),
            level=level,
            method="combined limits",
        )

    (a, b), (of_a, of_b) = (each.area for each in limits), (auc_bounds(ranking) for ranking in both)
    known = limits_of(a - b)
    notes = [] if spread else ["an AUC shows no spread; its limits are exact, for pairs"]
    if of_a.width or of_b.width:
        below, above = (a - of_a.lower) + (of_b.upper - b), (of_a.upper - a) + (b - of_b.lower)
        nearest = max(0.0, a - b - below) if a > b else min(0.0, a - b + above)
        moved = max(-1.0, known.lower - below), min(1.0, known.upper + above)
        known = replace(known, lower=moved[0], upper=moved[1], p_value=limits_of(nearest).p_value)
        notes.append("limits allow for what ranges of scores leave open")
    return replace(known, margin=margin, note="; ".join(notes))


def undefined_difference(names: Pair, *, level: float, method: str, note: str) -> Difference:
    """No number, and the reason."""
    return Difference(*names, math.nan, math.nan, math.nan, math.nan, math.nan, level, method, note=note)


def student_difference(
    difference: float, variance: float, names: Pair = UNNAMED, *, level: float, method: str, freedom: float, span: float
) -> Difference:
    """A difference with Student's limits, cut to ±span, and his two-sided test."""
    from scipy.special import stdtr

    deviation = math.sqrt(variance)
    half = student_quantile(level, freedom) * deviation
    p_value = float(2 * stdtr(freedom, -abs(difference) / deviation))
    limits = max(-span, difference - half), min(span, difference + half)
    return Difference(*names, difference, *limits, variance, p_value, level, method)


def pairs_difference(
    difference: float, variance: float, pairs: float, names: Pair = UNNAMED, *, level: float, span: float = 1.0
) -> Difference:
    """Conservative limits where DeLong's variance of a difference is 0 or undefined.

    Take as many disjoint pairs of a positive and a negative as the smaller class has cases, in each of
    which A does better than B by d in [-1, 1]. If their mean were m < d, all of them showing d has
    probability at most ((1 + m) / (1 + d)) ** pairs, since -1 and d are the furthest apart; likewise above.
    """
    share, d = ((1 - level) / 2) ** (1 / pairs), difference / span
    limits = span * min(d, (1 + d) * share - 1), span * max(d, 1 - (1 - d) * share)
    p_value = min(1.0, 2 * (1 + abs(d)) ** -pairs)
    note = f"DeLong's variance says nothing here; limits from {pairs:g} independent pairs, conservative"
    return Difference(*names, difference, *limits, variance, p_value, level, "exact pairs", note=note)


def bootstrap_difference(
    of_a: Floats, of_b: Floats, names: Pair = UNNAMED, *, level: float, span: float, cases: float
) -> Difference:
    """A paired difference with percentile limits.

    Each model's value on the data comes first, then those on joint resamples. The p-value is twice the smaller share
    of resamples on either side of 0, the data itself counted among them (Davison & Hinkley 1997). Where all resamples
    agree, limits are as far as `span` (the range of the measure) times what a share may be that did not show in
    `cases`.
    """
    with np.errstate(invalid="ignore"):  # an infinite ratio minus another
        away = of_a - of_b
    estimate, away = float(away[0]), away[1:]
    away = away[~np.isnan(away)]
    lower, upper, variance, p_value = math.nan, math.nan, math.nan, math.nan
    undefined = of_a.size - 1 - away.size
    note = f"undefined in {undefined:,} of {of_a.size - 1:,} resamples, which are left out" if undefined else ""
    if math.isnan(estimate):
        note = "the measure is undefined on the data"
    elif not away.size:
        note = "it is undefined on all resamples"
    else:
        smaller = min(np.count_nonzero(away <= 0), np.count_nonzero(away >= 0))
        p_value = min(1.0, 2 * (float(smaller) + 1) / (away.size + 1))
        lower, upper = stretch_limits(estimate, *percentile_limits(away, level))
        if not upper - lower > 1e-12 * max(1.0, abs(estimate)):
            unseen = span * (1 - ((1 - level) / 2) ** (1 / cases))
            lower, upper, p_value = estimate - unseen, estimate + unseen, math.nan if estimate else 1.0
            note = "all resamples agree; limits from what could stay unseen, conservative"
        if np.isfinite(away).all() and away.size > 1:
            variance = float(away.var(ddof=1))
    return Difference(*names, estimate, lower, upper, variance, p_value, level, "bootstrap, paired", note=note)


Reach: TypeAlias = Callable[[float], tuple[float, float]]  # a tail's distances from estimate to lower and upper limit
ROUNDING = 1e-12  # what is left of a variance by cancelling, relative to what was cancelled
_SMALLEST_TAIL = 1e-100
_STEPS = 10_000  # more than Brent's method can take: as many as halving takes, squared


def auc_contrast(
    difference: float, weights: Floats, spread: AucCovariance, names: Pair, *, level: float, clustered: bool = False
) -> Difference:
    """A contrast of correlated AUCs: a weighted sum with weights that sum to 0.

    Two models have weights (1, -1). On either side the wider of two limits counts. Student's has DeLong's variance,
    with the degrees of freedom that its parts by class have (Satterthwaite 1946): it keeps the level where models are
    equally good. It is symmetric, and the AUCs of good models vary asymmetrically; so the moderated limits of all AUCs
    are combined (`combined_reach`). Clusters have Student's alone, with one degree of freedom less than clusters hold
    the scarcer class. Where models never differ, disjoint pairs give conservative limits. The p-value is the level that
    would just reach 0.
    """
    variance, apart = float(weights @ spread.total @ weights), float(weights**2 @ np.diagonal(spread.total))
    span, pairs = float(weights[weights > 0].sum()), min(spread.cases)
    if not variance > ROUNDING * apart:
        held = min(span, max(-span, difference))
        return pairs_difference(held, max(variance, 0.0), pairs, names, level=level, span=span)
    if clustered:
        method = "obuchowski, paired"
        return student_difference(difference, variance, names, level=level, method=method, freedom=pairs - 1, span=span)
    parts = float(weights @ spread.of_pos @ weights), float(weights @ spread.of_neg @ weights)
    freedom, deviation = satterthwaite(parts, spread.cases), math.sqrt(variance)
    terms = np.flatnonzero(weights)
    limits = [
        AucLimits.of(float(spread.areas[i]), (float(spread.of_pos[i, i]), float(spread.of_neg[i, i])), spread.cases)
        for i in terms
    ]
    weight, correlation = weights[terms].tolist(), _correlation(spread.total[np.ix_(terms, terms)]).tolist()

    def reach(tail: float) -> tuple[float, float]:
        below, above = combined_reach(limits, weight, correlation, tail)
        student = student_tail(tail, freedom) * deviation
        return max(below, student), max(above, student)

    method = "delong, paired"
    return difference_by_reach(difference, reach, names, variance=variance, level=level, method=method, span=span)


def combined_reach(
    limits: Sequence[AucLimits], weights: Sequence[float], correlation: Sequence[Sequence[float]], tail: float
) -> tuple[float, float]:
    """How far the limits of a weighted sum lie below and above its estimate.

    They are combined from the limits of its terms. Squared distances add up (Zou & Donner 2008), less what terms that
    vary together take off each other. For d = a - b with correlation r ≥ 0, take shares r of both variances as one
    shock that moves both the same way, and the rest as moving each alone: (1 - r)(x² + y²) + r s², where x and y are
    the distances that lower d, and s is what the shock leaves, up or down, whichever is more. That is Zou's x² + y² -
    2rxy where limits are symmetric. Where they are not, his formula sets a's distance down against b's distance up,
    which no one shock makes, and is too wide.
    """
    below, above = [], []
    for each, weight in zip(limits, weights, strict=True):
        low, high = each.at(tail)
        down, up = abs(weight) * (each.area - low), abs(weight) * (high - each.area)
        below.append(down if weight > 0 else up)
        above.append(up if weight > 0 else down)
    return _combine(below, above, weights, correlation), _combine(above, below, weights, correlation)


def _combine(
    near: Sequence[float], far: Sequence[float], weights: Sequence[float], correlation: Sequence[Sequence[float]]
) -> float:
    """The distance of one limit of a weighted sum from its estimate.

    `near` are the terms' distances on the side in question, `far` those on the other.
    """
    square = 0.0
    for i, x in enumerate(near):
        square += x * x
        for j, y in enumerate(near[:i]):
            r, same_way = correlation[i][j], weights[i] * weights[j] > 0
            if same_way or r < 0:
                square += (2 if same_way else -2) * r * x * y
            else:
                left = max(abs(x - far[j]), abs(far[i] - y))
                square += r * (left * left - x * x - y * y)
    return math.sqrt(max(0.0, square))


def _correlation(covariance: Matrix) -> Matrix:
    """Correlations; 0 with an AUC that shows no spread, of which nothing is known."""
    variance = np.maximum(np.diagonal(covariance), 0.0)
    product, known = np.sqrt(np.outer(variance, variance)), variance > NOTHING
    correlation = np.divide(covariance, product, out=np.zeros_like(product), where=np.logical_and.outer(known, known))
    np.fill_diagonal(correlation, 1.0)
    return np.clip(correlation, -1.0, 1.0)


def difference_by_reach(
    away: float, reach: Reach, names: Pair = UNNAMED, *, variance: float, level: float, method: str, span: float = 1.0
) -> Difference:
    """A difference with the limits that `reach` gives, cut to ±span.

    The p-value is twice the tail at which a limit meets 0: p < 1 - level just when 0 lies outside the limits.
    """
    from scipy.optimize import brentq

    side = 0 if away > 0 else 1

    def beyond(exponent: float) -> float:
        # Student's tails with few degrees of freedom reach 1e99, and a search must not aim by such numbers.
        return min(reach(math.exp(exponent))[side] - abs(away), 1.0)

    most, least = math.log(0.5), math.log(_SMALLEST_TAIL)
    if away == 0 or beyond(most) >= 0:
        p_value = 1.0
    elif beyond(least) <= 0:
        p_value = 2 * _SMALLEST_TAIL
    else:
        p_value = 2 * math.exp(brentq(beyond, least, most, xtol=1e-12, maxiter=_STEPS))
    below, above = reach((1 - level) / 2)
    limits = max(-span, away - below), min(span, away + above)
    return Difference(*names, away, *limits, variance, p_value, level, method)
