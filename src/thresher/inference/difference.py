"""`Difference`: A minus B, how sure one may be of it, and what that means in practice."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.interval import Interval, limits_around, stretched, student_quantile
from thresher.inference.kinds import numbers_of, require_numbers
from thresher.inference.limits import percentile_limits
from thresher.ranking import Floats
from thresher.results import Result
from thresher.visible import visible

Verdict: TypeAlias = Literal["better", "worse", "higher", "lower", "practically equal", "undecided"]
Better: TypeAlias = Literal["higher", "lower", "neither"]


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Result):
    """A minus B with limits, a test of no difference, and a verdict on A.

    The sign is that of the numbers: with a cost, a negative difference says that A is cheaper, and the
    verdict is then "better". `p_adjusted` allows for how many pairs were looked at. `verdict` is
    "better" or "worse" when the limits lie wholly beyond `margin` (and, among several pairs,
    the adjusted p-value agrees), "practically equal" when they lie wholly within it,
    otherwise "undecided": absence of proof is no proof of equality. Where neither side is better, as of a calibration
    slope, it is "higher" or "lower".

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
        above: Verdict = "higher" if self.better == "neither" else "better"
        below: Verdict = "lower" if self.better == "neither" else "worse"
        if lower > self.margin:
            return above
        return below if upper < -self.margin else "undecided"

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
    """Raise `ArgumentError` unless a margin of practical equality is a number of at least 0."""
    require_numbers({"margin": margin})
    if not 0 <= margin < math.inf:
        raise ArgumentError(
            f"margin must be 0 or more, got {margin}",
            fix="give the largest difference that would not matter, in units of the measure, e.g. margin=0.01",
        )


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values adjusted for how many there are, after Holm (1979).

    Calling what lies below 1 - level keeps the chance of any false alarm among them below it.

    >>> [round(p, 10) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p = numbers_of(p_values, "p_values")
    if p.ndim != 1 or ((p < 0) | (p > 1)).any():
        raise ArgumentError("p-values are numbers from 0 to 1 in one list", "give e.g. [0.01, 0.04]")
    known = p[~np.isnan(p)]
    # The k-th smallest is multiplied by how many are not smaller, and none may fall below a smaller one's.
    multiplied = np.minimum(1.0, known * (known[np.newaxis, :] >= known[:, np.newaxis]).sum(axis=1))
    return [math.nan if math.isnan(one) else float(multiplied[known <= one].max()) for one in p]


def normal_difference(
    names: tuple[str, str],
    difference: float,
    variance: float,
    *,
    level: float,
    method: str,
    margin: float,
    freedom: float = math.inf,
    span: float = 1.0,
) -> Difference:
    """A difference of AUCs with limits cut to ±span and its two-sided test; normal unless freedom is finite."""
    from scipy.special import ndtr, stdtr

    deviation = math.sqrt(variance)
    half, z = student_quantile(level, freedom) * deviation, -abs(difference) / deviation
    return Difference(
        *names,
        difference,
        max(-span, difference - half),
        min(span, difference + half),
        variance=variance,
        p_value=float(2 * (stdtr(freedom, z) if math.isfinite(freedom) else ndtr(z))),
        level=level,
        method=method,
        margin=margin,
    )


def pairs_difference(
    names: tuple[str, str],
    difference: float,
    variance: float,
    pairs: float,
    *,
    level: float,
    margin: float,
    span: float = 1.0,
) -> Difference:
    """Conservative limits where DeLong's variance of a difference is 0 or undefined.

    Take as many disjoint pairs of a positive and a negative as the smaller class has cases, in each of
    which A does better than B by d in [-1, 1]. If their mean were m < d, all of them showing d has
    probability at most ((1 + m) / (1 + d)) ** pairs, since -1 and d are the furthest apart; likewise above.
    """
    share, d = ((1 - level) / 2) ** (1 / pairs), difference / span
    return Difference(
        *names,
        difference,
        span * min(d, (1 + d) * share - 1),
        span * max(d, 1 - (1 - d) * share),
        variance=variance,
        p_value=min(1.0, 2 * (1 + abs(d)) ** -pairs),
        level=level,
        method="exact pairs",
        margin=margin,
        note=f"DeLong's variance says nothing here; limits from {pairs:g} independent pairs, conservative",
    )


def bootstrap_difference(
    names: tuple[str, str],
    of_a: Floats,
    of_b: Floats,
    *,
    level: float,
    margin: float,
    better: Better,
    span: float,
    cases: float,
) -> Difference:
    """A difference with percentile limits, from values on the data (first) and on joint resamples of it.

    The p-value is twice the smaller share of resamples on either side of 0, the data itself
    counted among them (Davison & Hinkley 1997). Where all resamples agree, limits are as far as `span` (the
    range of the measure) times what a share may be that did not show in `cases`.
    """
    with np.errstate(invalid="ignore"):  # an infinite ratio minus another
        away = of_a - of_b
    estimate, away = float(away[0]), away[1:]
    away = away[~np.isnan(away)]
    told: dict[str, Any] = {"level": level, "method": "bootstrap, paired", "margin": margin, "better": better}
    if math.isnan(estimate) or not away.size:
        nothing = "the measure is undefined on the data" if math.isnan(estimate) else "it is undefined on all resamples"
        return Difference(*names, estimate, math.nan, math.nan, math.nan, math.nan, note=nothing, **told)
    undefined = of_a.size - 1 - away.size
    note = f"undefined in {undefined:,} of {of_a.size - 1:,} resamples, which are left out" if undefined else ""
    smaller = min(np.count_nonzero(away <= 0), np.count_nonzero(away >= 0))
    p_value = min(1.0, 2 * (float(smaller) + 1) / (away.size + 1))
    lower, upper = stretched(estimate, *percentile_limits(away, level))
    if not upper - lower > 1e-12 * max(1.0, abs(estimate)):
        unseen = span * (1 - ((1 - level) / 2) ** (1 / cases))
        lower, upper, p_value = estimate - unseen, estimate + unseen, math.nan if estimate else 1.0
        note = "all resamples agree; limits from what could stay unseen, conservative"
    variance = float(away.var(ddof=1)) if np.isfinite(away).all() and away.size > 1 else math.nan
    return Difference(*names, estimate, lower, upper, variance, p_value, note=note, **told)
