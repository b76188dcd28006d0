"""Planning a study: its power, and how many cases it needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thresher._internal.arguments import require_between, require_level, require_number
from thresher._internal.results import Result
from thresher.errors import ArgumentError, InfeasibleError, argument
from thresher.inference.interval import LOGIT, normal_quantile
from thresher.inference.intervals.auc import AucLimits, hanley_mcneil_variance

MOST = 10**9
_HALVINGS = 40
_NOISE = 5  # quantiles that stand for the spread of an estimated variance
_QUANTILES = 512  # at which the chance of a perfect sample is read


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """So many positives and negatives, and the probability that they are enough.

    `achieved` is the lesser of two probabilities, of two shapes of the classes; with the other shape the same cases
    often do far better.
    """

    Pos: int
    Neg: int
    achieved: float

    @property
    def total(self) -> int:
        """All cases."""
        return self.Pos + self.Neg


def auc_power(auc: float, Pos: float, Neg: float, *, null: float = 0.5, level: float = 0.95) -> float:
    """The chance that a study of this size finds its AUC to differ from `null`.

    That is the chance that `auc_interval` will exclude `null`, with the limits that it will use. It depends on the
    shape of the classes, which nobody knows beforehand: the lesser chance counts, of normal classes of one spread
    and of exponential ones (Hanley & McNeil 1982). Near an AUC of 1 most samples are perfect, and show no more than
    that none of so many pairs was lost: to exceed 0.99 they need 368 pairs, however good the model is.

    >>> round(auc_power(0.7, 40, 40), 4)
    0.8722
    """
    _require_study({"auc": auc, "null": null}, level, Pos, Neg)
    return min(_Study(auc, Pos, Neg, level, shape).power(null) for shape in _SHAPES)


def compare_power(
    auc_a: float, auc_b: float, Pos: float, Neg: float, *, correlation: float = 0.0, level: float = 0.95
) -> float:
    """The chance that a study of this size finds the AUCs of two models to differ.

    `correlation` is that of the two estimated AUCs on the same cases, often 0.3 to 0.8; 0 is for
    different cases. Without a difference both AUCs are taken to be their mean (Hanley & McNeil 1983).

    >>> round(compare_power(0.85, 0.80, 100, 100, correlation=0.6), 4)
    0.4729
    """
    _require_study({"auc_a": auc_a, "auc_b": auc_b}, level, Pos, Neg)
    require_between(correlation, -1, 1, name="correlation", fix="e.g. correlation=0.5")
    a, b = hanley_mcneil_variance(auc_a, Pos, Neg), hanley_mcneil_variance(auc_b, Pos, Neg)
    same = 2 * (1 - correlation) * hanley_mcneil_variance((auc_a + auc_b) / 2, Pos, Neg)
    return _power(abs(auc_a - auc_b), same, a + b - 2 * correlation * math.sqrt(a * b), level)


def auc_sample_size(
    auc: float,
    *,
    null: float = 0.5,
    power: float = 0.8,
    width: float | None = None,
    assurance: float = 0.8,
    class_ratio: float = 1.0,
    level: float = 0.95,
) -> SampleSize:
    """The fewest cases that show an AUC to differ, or pin it down well enough.

    With `width`, enough cases that `auc_interval` will be no wider than that with probability `assurance`, whatever
    `null` and `power` say; the expected width alone would be exceeded by half of all studies. Otherwise enough to show
    with that `power` that the AUC differs from `null`. `class_ratio` is Pos / Neg of the planned data, and `achieved`
    the probability that so many cases give, of the less favourable of two shapes; `auc_power` says what it assumes.

    >>> auc_sample_size(0.7, power=0.9)
    SampleSize(Pos=44, Neg=44, achieved=0.902254)
    >>> auc_sample_size(0.8, width=0.1, class_ratio=0.25).total
    685
    """
    _require_study({"auc": auc, "null": null}, level)
    require_number(class_ratio, name="class_ratio")
    if not (class_ratio > 0 and math.isfinite(class_ratio)):
        raise ArgumentError(
            f"{argument('class_ratio')} must be above 0, got {class_ratio}", "give Pos / Neg, e.g. 0.25"
        )
    if width is not None:
        require_between(width, 0, 1, name="width", fix="e.g. width=0.1")
        require_between(assurance, 0, 1, name="assurance", fix="e.g. assurance=0.8")

        def narrow_enough(Pos: int, Neg: int) -> float:
            return min(_Study(auc, Pos, Neg, level, shape).assurance(width) for shape in _SHAPES)

        return _fewest(narrow_enough, assurance, class_ratio)
    fix = "e.g. auc=0.8, null=0.5, power=0.8"
    if auc == null:
        raise ArgumentError(f"auc and null are both {auc}", fix)
    require_between(power, 0, 1, name="power", fix=fix)
    return _fewest(lambda Pos, Neg: auc_power(auc, Pos, Neg, null=null, level=level), power, class_ratio)


def exponential_pairs(area: float) -> tuple[float, float]:
    """How often one positive beats two negatives, and two positives one negative.

    Of exponential classes of that AUC (Hanley & McNeil 1982).
    """
    return 2 * area * area / (1 + area), area / (2 - area)


def normal_pairs(area: float) -> tuple[float, float]:
    """The same of normal classes of one spread.

    Φ₂(z, z; ½) with Φ(z) the AUC, by Owen's T.
    """
    from scipy.special import ndtri, owens_t

    z = float(ndtri(area))
    both = area - 2 * float(owens_t(z, 1 / math.sqrt(3)))
    return both, both


def exponential_separation(area: float, Pos: float, Neg: float) -> float:
    """The chance that exponential classes of that AUC give a perfect sample.

    Then every positive beats every negative. The lowest positive is exponential with rate r = Pos (1 - AUC) / AUC, so
    the chance is r·B(Neg + 1, r).
    """
    from scipy.special import betaln

    rate = Pos * (1 - area) / area
    return math.exp(float(betaln(Neg + 1, rate)) + math.log(rate))


def normal_separation(area: float, Pos: float, Neg: float) -> float:
    """The same of normal classes, as a mean over quantiles of the lowest positive."""
    from scipy.special import log_ndtr, ndtri

    quantile = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    lowest = math.sqrt(2) * ndtri(area) + ndtri(-np.expm1(np.log1p(-quantile) / Pos))
    return float(np.exp(Neg * log_ndtr(lowest)).mean())


@dataclass(frozen=True)
class _Shape:
    """A family of classes by their AUC.

    `pairs` are how often one positive beats two negatives and two positives one; `separation` how often a sample is
    perfect.
    """

    pairs: Callable[[float], tuple[float, float]]
    separation: Callable[[float, float, float], float]


_SHAPES = _Shape(exponential_pairs, exponential_separation), _Shape(normal_pairs, normal_separation)


@dataclass(frozen=True)
class _Study:
    """A planned study: what `auc_interval` will say of classes of a certain shape.

    The estimated AUC is taken to be normal on the logit scale. The limits follow from it and from the variance that
    will be estimated, which is taken to be that of the shape at the estimated AUC, times chi-squared noise. The ends of
    that distribution are the samples without any pair lost, or won, which have exact limits.
    """

    area: float
    Pos: float
    Neg: float
    level: float
    shape: _Shape

    def power(self, null: float) -> float:
        """The probability that the limits exclude `null`."""
        above = _first(lambda area: self._limits(area)[0] > null)
        below = _first(lambda area: self._limits(area)[1] >= null)
        enough = self._limits(1.0)[0] > null, self._limits(0.0)[1] < null
        return self._chance(above, below, enough=enough)

    def assurance(self, width: float) -> float:
        """The probability that the limits are no further apart; they are furthest at 1/2."""
        from scipy.special import chdtri

        chance, enough = 0.0, 1 - self._limits(1.0)[0] <= width
        for i in range(_NOISE):
            noise = float(chdtri(self._freedom, (i + 0.5) / _NOISE)) / self._freedom

            def narrow(area: float, noise: float = noise) -> bool:
                low, high = self._limits(area, noise)
                return high - low <= width

            above, below = 0.5, 0.5
            if not narrow(0.5):
                above = _first(narrow, 0.5)
                below = 1 - _first(lambda area: narrow(1 - area), 0.5)
            chance += self._chance(above, below, enough=(enough, enough))
        return chance / _NOISE

    def _chance(self, above: float, below: float, *, enough: tuple[bool, bool]) -> float:
        """The chance of estimates from somewhere up, and of others from somewhere down.

        Samples at the very ends, with no pair lost and with none won, count if they are `enough`.
        """
        best = self.shape.separation(self.area, self.Pos, self.Neg)
        worst = self.shape.separation(1 - self.area, self.Neg, self.Pos)
        between = max(0.0, self._beyond(above) - best) + max(0.0, 1 - self._beyond(below) - worst)
        return min(between, max(0.0, 1 - best - worst)) + best * enough[0] + worst * enough[1]

    def _limits(self, area: float, noise: float = 1.0) -> tuple[float, float]:
        """The limits that `auc_interval` gives an estimated AUC."""
        of_pos, of_neg = self._parts(area)
        return AucLimits.of(area, (of_pos * noise, of_neg * noise), (self.Pos, self.Neg)).at((1 - self.level) / 2)

    def _parts(self, area: float) -> tuple[float, float]:
        """The variance of an AUC: what positives and what negatives contribute."""
        one_positive, one_negative = (often - area * area for often in self.shape.pairs(area))
        single = (area * (1 - area) - one_positive - one_negative) / (self.Pos * self.Neg)
        return one_positive / self.Pos + single / 2, one_negative / self.Neg + single / 2

    def _beyond(self, area: float) -> float:
        """The probability that the estimate is larger."""
        from scipy.special import ndtr

        deviation = math.sqrt(sum(self._parts(self.area))) * LOGIT.slope(self.area)
        return float(ndtr((LOGIT.there(self.area) - LOGIT.there(area)) / deviation))

    @cached_property
    def _freedom(self) -> float:
        """As how many degrees of freedom the estimated variance spreads.

        A variance from n cases with kurtosis κ spreads like chi-squared with 2n / (κ - 1) degrees. Placements of
        exponential classes are powers of uniform numbers; they are skewed more than those of normal ones.
        """
        odds = self.area / (1 - self.area)
        parts = self._parts(self.area)
        squares = [
            part**2 * (_kurtosis(power) - 1) / (2 * cases)
            for part, power, cases in zip(parts, (odds, 1 / odds), (self.Pos, self.Neg), strict=True)
        ]
        return sum(parts) ** 2 / sum(squares)


def _kurtosis(power: float) -> float:
    """The kurtosis of a power of a uniform number."""
    first, second, third, fourth = (1 / (1 + k * power) for k in (1, 2, 3, 4))
    variance = second - first**2
    return (fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4) / variance**2


def _first(holds: Callable[[float], bool], low: float = 0.0) -> float:
    """The least AUC from which on something holds; next to 1 if it never does."""
    high = 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return min(max((low + high) / 2, 1e-12), 1 - 1e-12)


def _power(difference: float, null_variance: float, variance: float, level: float) -> float:
    from scipy.special import ndtr

    reach, deviation = normal_quantile(level) * math.sqrt(null_variance), math.sqrt(variance)
    return float(ndtr((difference - reach) / deviation) + ndtr((-difference - reach) / deviation))


def _fewest(chance: Callable[[int, int], float], promised: float, class_ratio: float) -> SampleSize:
    """The fewest cases that give the promised chance, by doubling and halving."""

    def sizes(rarer: int) -> tuple[int, int]:
        other = max(2, math.ceil(rarer * max(class_ratio, 1 / class_ratio) - 1e-9))
        return (rarer, other) if class_ratio <= 1 else (other, rarer)

    high = 2
    while chance(*sizes(high)) < promised:
        high *= 2
        if high > MOST:
            raise InfeasibleError(f"more than {MOST:,} cases of a class would be needed", "ask for less")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if chance(*sizes(middle)) >= promised else (middle, high)
    Pos, Neg = sizes(high)
    return SampleSize(Pos, Neg, chance(Pos, Neg))


def _require_study(areas: dict[str, float], level: float, Pos: float = 1.0, Neg: float = 1.0) -> None:
    require_level(level)
    for name, area in areas.items():
        require_between(area, 0, 1, name=name, fix="e.g. 0.8")
    require_number(Pos, name="Pos")
    require_number(Neg, name="Neg")
    if not (Pos >= 1 and Neg >= 1 and math.isfinite(Pos + Neg)):
        raise ArgumentError(f"{Pos} positives and {Neg} negatives are too few to plan with", "give at least 1 each")
