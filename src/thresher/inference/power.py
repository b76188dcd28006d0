"""Planning a study: its power, and how many cases it needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from thresher._internal.arguments import require_between, require_level, require_number
from thresher._internal.results import Result
from thresher.errors import ArgumentError, InfeasibleError, argument
from thresher.inference.interval import normal_quantile
from thresher.inference.intervals.auc import hanley_mcneil_variance, logit_interval

MOST = 10**9


@dataclass(frozen=True, slots=True, repr=False)
class SampleSize(Result):
    """So many positives and negatives, and the power or width they achieve."""

    Pos: int
    Neg: int
    achieved: float

    @property
    def total(self) -> int:
        """All cases."""
        return self.Pos + self.Neg


def auc_power(auc: float, Pos: float, Neg: float, *, null: float = 0.5, level: float = 0.95) -> float:
    """The chance that a study of this size finds its AUC to differ from `null`.

    Two-sided test at 1 - level, with Hanley & McNeil's (1982) variance under either AUC.

    >>> round(auc_power(0.7, 40, 40), 4)
    0.8931
    """
    _require_study({"auc": auc, "null": null}, level, Pos, Neg)
    return _power(abs(auc - null), hanley_mcneil_variance(null, Pos, Neg), hanley_mcneil_variance(auc, Pos, Neg), level)


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
    class_ratio: float = 1.0,
    level: float = 0.95,
) -> SampleSize:
    """The fewest cases that show an AUC to differ, or pin it down well enough.

    With `width`, enough cases that the interval is expected to be no wider than that (whatever `null` and
    `power` say); otherwise enough to show with that `power` that it differs from `null`. `class_ratio` is Pos /
    Neg of the planned data.

    >>> auc_sample_size(0.7, power=0.9)
    SampleSize(Pos=41, Neg=41, achieved=0.900791)
    >>> auc_sample_size(0.8, width=0.1, class_ratio=0.25).total
    600
    """
    _require_study({"auc": auc, "null": null}, level)
    require_number(class_ratio, name="class_ratio")
    if not (class_ratio > 0 and math.isfinite(class_ratio)):
        raise ArgumentError(
            f"{argument('class_ratio')} must be above 0, got {class_ratio}", "give Pos / Neg, e.g. 0.25"
        )
    if width is not None:
        require_between(width, 0, 1, name="width", fix="e.g. width=0.1")

        def expected_width(Pos: int, Neg: int) -> float:
            variance = hanley_mcneil_variance(auc, Pos, Neg)
            return logit_interval(auc, variance, (Pos, Neg), level, method="hanley-mcneil").width

        return _fewest(expected_width, lambda wide: wide <= width, class_ratio)
    fix = "e.g. auc=0.8, null=0.5, power=0.8"
    if auc == null:
        raise ArgumentError(f"auc and null are both {auc}", fix)
    require_between(power, 0, 1, name="power", fix=fix)
    return _fewest(
        lambda Pos, Neg: auc_power(auc, Pos, Neg, null=null, level=level),
        lambda achieved: achieved >= power,
        class_ratio,
    )


def _power(difference: float, null_variance: float, variance: float, level: float) -> float:
    from scipy.special import ndtr

    reach, deviation = normal_quantile(level) * math.sqrt(null_variance), math.sqrt(variance)
    return float(ndtr((difference - reach) / deviation) + ndtr((-difference - reach) / deviation))


def _fewest(value: Callable[[int, int], float], enough: Callable[[float], bool], class_ratio: float) -> SampleSize:
    """The fewest cases for which the value is enough, by doubling and halving."""

    def sizes(rarer: int) -> tuple[int, int]:
        other = max(2, math.ceil(rarer * max(class_ratio, 1 / class_ratio) - 1e-9))
        return (rarer, other) if class_ratio <= 1 else (other, rarer)

    high = 2
    while not enough(value(*sizes(high))):
        high *= 2
        if high > MOST:
            raise InfeasibleError(f"more than {MOST:,} cases of a class would be needed", "ask for less")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(value(*sizes(middle))) else (middle, high)
    Pos, Neg = sizes(high)
    return SampleSize(Pos, Neg, value(Pos, Neg))


def _require_study(areas: dict[str, float], level: float, Pos: float = 1.0, Neg: float = 1.0) -> None:
    require_level(level)
    for name, area in areas.items():
        require_between(area, 0, 1, name=name, fix="e.g. 0.8")
    require_number(Pos, name="Pos")
    require_number(Neg, name="Neg")
    if not (Pos >= 1 and Neg >= 1 and math.isfinite(Pos + Neg)):
        raise ArgumentError(f"{Pos} positives and {Neg} negatives are too few to plan with", "give at least 1 each")
