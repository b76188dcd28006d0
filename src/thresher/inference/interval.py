"""`Interval`: a number, how sure one may be of it, and how that was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

from thresher._internal.results import ReadOnlyFields, Result, Tabular, rows_of
from thresher.errors import ArgumentError

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class Interval(Result):
    """An estimate with lower and upper confidence limits, which hold it.

    `variance` is that of the estimate on its own scale; limits need not lie symmetrically around it. `note` says what
    a reader could not guess. Where a bias was taken off the estimate, `apparent` is what the data themselves show.
    Limits that exclude the estimate are refused; what only rounding puts outside is moved to it.

    >>> interval = Interval(0.71, 0.6, 0.8, variance=0.0026, level=0.95, method="wilson")
    >>> print(interval)
    0.7100 [0.6000, 0.8000]
    >>> 0.65 in interval, round(interval.width, 10), float(interval)
    (True, 0.2, 0.71)
    """

    estimate: float
    lower: float
    upper: float
    variance: float
    level: float
    method: str
    note: str = ""
    apparent: float | None = None

    def __post_init__(self) -> None:
        limits = limits_around(self.estimate, self.lower, self.upper)
        for name, limit in zip(("lower", "upper"), limits, strict=True):
            object.__setattr__(self, name, limit)

    @property
    def width(self) -> float:
        """Upper minus lower limit."""
        return self.upper - self.lower

    def to_dict(self) -> dict[str, Any]:
        """Plain data; numbers that JSON has no word for become None."""
        values = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: None if isinstance(each, float) and not math.isfinite(each) else each for name, each in values.items()
        }

    def __contains__(self, value: object) -> bool:
        return isinstance(value, Real) and self.lower <= float(value) <= self.upper

    def __float__(self) -> float:
        return self.estimate

    def _brief(self) -> str:
        apparent = "" if self.apparent is None else f", apparent={self.apparent:.4g}"
        return f"{self}, level={self.level:g}, method={self.method!r}{apparent}"

    def __str__(self) -> str:
        if math.isnan(self.estimate):
            return f"undefined ({self.note})" if self.note else "undefined"
        return f"{self.estimate:.4f} [{self.lower:.4f}, {self.upper:.4f}]"


def undefined(level: float, why: str) -> Interval:
    """No number, and the reason."""
    return Interval(math.nan, math.nan, math.nan, math.nan, level, "none", why)


def aligned_lines(intervals: Sequence[tuple[str, Interval]]) -> str:
    """A line per interval, its name before it."""
    width = max(len(name) for name, _ in intervals)
    return "\n".join(f"{name:<{width}}   {interval}" for name, interval in intervals)


def interval_columns(intervals: Iterable[tuple[Mapping[str, Any], Interval]]) -> dict[str, list[Any]]:
    """Columns of a frame with a row per interval and what names it."""
    shown = ("estimate", "lower", "upper", "level", "method")
    return rows_of([{**names, **{name: getattr(one, name) for name in shown}} for names, one in intervals])


class ClassIntervals(ReadOnlyFields, Tabular):
    """Intervals over classes: each field is one, or a mapping with one for each class."""

    __slots__ = ()

    def intervals(self) -> list[tuple[dict[str, Any], Interval]]:
        """Every interval with its name, and the class it is of, if it is of one."""
        rows: list[tuple[dict[str, Any], Interval]] = []
        for part in fields(self):  # type: ignore[arg-type]
            value = getattr(self, part.name)
            by_class = value if isinstance(value, Mapping) else {None: value}
            rows += [
                ({"quantity": part.name, "class": None if label is None else str(label)}, one)
                for label, one in by_class.items()
                if isinstance(one, Interval)
            ]
        return rows

    def _columns(self) -> Mapping[str, Any]:
        return interval_columns(self.intervals())


def limits_around(estimate: float, lower: float, upper: float) -> tuple[float, float]:
    """Move limits to the estimate by rounding; raise where they exclude it."""
    outside = max((gap for gap in (lower - estimate, estimate - upper, lower - upper) if gap > 0), default=0.0)
    if not outside:  # differences that are NaN, of what is undefined or infinite alike, exclude nothing
        return lower, upper
    if not outside <= _ROUNDING * (1 + abs(estimate)) < math.inf:
        what = f"the limits {lower:g} and {upper:g} exclude the estimate {estimate:g}"
        raise ArgumentError(what, "give the estimate that the limits belong to")
    return min(lower, estimate), max(upper, estimate)


def stretch_limits(estimate: float, lower: float, upper: float) -> tuple[float, float]:
    """Limits stretched to hold the estimate, which those of a resampling may exclude."""
    return min(lower, estimate), max(upper, estimate)  # NaN stays NaN in the first place


def normal_quantile(level: float) -> float:
    """The standard normal quantile of a two-sided interval: 1.96 at 0.95."""
    from scipy.special import ndtri

    return float(ndtri((1 + level) / 2))


def student_quantile(level: float, freedom: float) -> float:
    """Student's quantile of a two-sided interval, also for infinite freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2)) if math.isfinite(freedom) else normal_quantile(level)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale on which limits are symmetric: the way there, its slope, the way back."""

    there: Callable[[float], float]
    slope: Callable[[float], float]
    back: Callable[[float], float]

    def limits(self, estimate: float, deviation: float) -> tuple[float, float]:
        """Limits for a deviation on the estimate's own scale, laid out on this one."""
        centre, half = self.there(estimate), deviation * self.slope(estimate)
        return self.back(centre - half), self.back(centre + half)


LOG = Scale(math.log, lambda x: 1 / x, lambda x: math.exp(min(x, 709.0)))
LOGIT = Scale(
    lambda x: math.log(x / (1 - x)),
    lambda x: 1 / (x * (1 - x)),
    lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0,
)
