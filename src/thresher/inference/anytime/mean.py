"""Anytime limits of a mean from counts: mixture, portfolio, asymptotic."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_level, require_number, require_one_of
from thresher.errors import ArgumentError
from thresher.inference.anytime.counts import require_count, require_intrinsic_time, require_pair
from thresher.inference.anytime.mixture import INTRINSIC_TIME, mean_limits
from thresher.inference.interval import Interval
from thresher.ranking import Floats

MeanMethod: TypeAlias = Literal["anytime", "asymptotic"]

STAKES = np.array([0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.5, 0.7, 0.9])
_HALVINGS = 60


def mean_interval(
    total: float,
    n: float,
    *,
    unlabelled: float = 0,
    squares: float | None = None,
    within: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    method: MeanMethod = "anytime",
    intrinsic_time: float = INTRINSIC_TIME,
) -> Interval:
    """Limits of a running mean that hold at every look, from a sum of n values.

    Values lie `within` two bounds; `total` sums those that are known, and `unlabelled` of the n are not: they enter as
    the least and as the greatest value, and the estimate is the mean of the others. "anytime" is the mixture: exact,
    whatever the order of rows and however their mean drifts. The limits speak of the mean of what the rows were
    expected to be, given the past: which row is labelled next may depend on everything but its own unknown value. They
    are tightest when the variances of the values sum to `intrinsic_time`; fix it beforehand. "asymptotic" needs the sum
    of `squares` too, and many values (Waudby-Smith et al. 2024). Rows that belong together enter as one mean.

    >>> print(mean_interval(80, 100))
    0.8000 [0.6576, 0.9063]
    >>> print(mean_interval(80, 120, unlabelled=20))
    0.8000 [0.5262, 0.9228]
    >>> print(mean_interval(720, 1000, squares=720, method="asymptotic"))
    0.7200 [0.6769, 0.7631]
    """
    least, most = require_pair(within, name="within", fix="give (least, most)")
    _require_sum(total, n, unlabelled, (least, most))
    require_level(level)
    require_one_of(method, get_args(MeanMethod), name="method")
    require_intrinsic_time(intrinsic_time)
    known = n - unlabelled
    estimate = total / known if known else math.nan
    if method == "asymptotic":
        if squares is None or unlabelled:
            fix = "give squares=Σx², of rows that are all labelled"
            raise ArgumentError("asymptotic limits need the spread of all values", fix, parameter="squares")
        variance = max(0.0, require_count(squares, name="squares") / n - estimate**2)
        half = asymptotic_margin(variance, n, level=level)
        lower, upper = max(least, estimate - half), min(most, estimate + half)
        return Interval(estimate, lower, upper, variance / n, level, "asymptotic")
    low, high = total + unlabelled * least, total + unlabelled * most
    scale = most - least
    low, high = (min(max((each - n * least) / scale, 0.0), n) for each in (low, high))
    limits = mean_limits(low, high, n, level=level, intrinsic_time=intrinsic_time)
    lower, upper = (least + scale * float(limit) for limit in limits)
    note = f"{unlabelled:,.10g} of {n:,.10g} without a label count as either" if unlabelled else ""
    share = (estimate - least) / scale
    variance = scale**2 * share * (1 - share) / known if known else math.nan
    return Interval(estimate, lower, upper, variance, level, method, note)


def asymptotic_margin(variance: float, n: float, *, level: float = 0.95, best: float = 1000) -> float:
    """Half the width of the asymptotic confidence sequence, tightest at `best` values.

    σ √(2 (n ρ² + 1) / (n² ρ²) · log(√(n ρ² + 1) / α)), with ρ² = (-2 log α + log(1 - 2 log α)) / best.

    >>> round(asymptotic_margin(0.25, 1000), 4)
    0.048
    """
    log_alpha = math.log1p(-level)
    rho = (-2 * log_alpha + math.log(1 - 2 * log_alpha)) / best
    grown = n * rho + 1
    return math.sqrt(variance * 2 * grown / (n * n * rho) * (math.log(grown) / 2 - log_alpha))


def portfolio_interval(values: npt.ArrayLike, counts: npt.ArrayLike | None = None, *, level: float = 0.95) -> Interval:
    """Limits of a constant mean at every look, from counts per value in [0, 1].

    Wealth against m is Π (1 + θ (x - m)/m) and Π (1 - θ (x - m)/(1 - m)), averaged over stakes θ: a martingale where
    every value has the mean m given the past. Under drift it says nothing; use `mean_interval`. Read off a ranking, the
    values are squared errors: (1 - score)² of its positives and score² of its negatives.

    >>> print(portfolio_interval([0.04, 0.16, 0.81], [60, 30, 10]))
    0.1530 [0.0972, 0.2422]
    """
    require_level(level)
    value = numbers_of(values, name="values")
    count = np.ones(value.size) if counts is None else numbers_of(counts, name="counts")
    if value.shape != count.shape or not ((value >= 0) & (value <= 1)).all() or not (count >= 0).all():
        fix = "scale them by their least and greatest possible value"
        raise ArgumentError("values must lie in [0, 1], each with a count of at least 0", fix, parameter="values")
    n = float(count.sum())
    if not n > 0:
        raise ArgumentError("there are no values", "give at least one", parameter="counts")
    mean = float(value @ count) / n
    enough = -math.log1p(-level)
    lower, upper = (_edge(lambda m: _log_wealth(value, count, m) < enough, mean, end) for end in (0.0, 1.0))
    variance = max(0.0, float(value**2 @ count) / n - mean**2) / n
    return Interval(mean, lower, upper, variance, level, "portfolio", "for a constant mean")


def _log_wealth(value: Floats, count: Floats, m: float) -> float:
    """The mean of both families over all stakes; convex in m, at most 1 at the mean."""
    stakes = STAKES[:, None]
    above = np.log1p(stakes * (value - m) / m) @ count
    below = np.log1p(stakes * (m - value) / (1 - m)) @ count
    both = np.concatenate([above, below])
    return float(np.logaddexp.reduce(both) - math.log(both.size))


def _edge(within: Callable[[float], bool], inside: float, end: float) -> float:
    """The end of an interval between a point inside and an end of [0, 1]."""
    outside = end
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if middle == inside or within(middle) else (inside, middle)
    return outside


def _require_sum(total: float, n: float, unlabelled: float, within: tuple[float, float]) -> None:
    total, n, unlabelled = (
        require_number(each, name=name) for each, name in ((total, "total"), (n, "n"), (unlabelled, "unlabelled"))
    )
    least, most = within
    if not least < most:
        raise ArgumentError(
            f"values cannot lie within {least:g} and {most:g}", "give (least, most)", parameter="within"
        )
    if not (0 < n < math.inf and 0 <= unlabelled <= n):
        what = f"{unlabelled:g} unlabelled of {n:g} values is no sample"
        raise ArgumentError(what, "give n above 0 and 0 <= unlabelled <= n", parameter="n")
    known, slack = n - unlabelled, 1e-9 * (1 + abs(total))
    if not known * least - slack <= total <= known * most + slack:
        what = f"{known:g} values between {least:g} and {most:g} do not sum to {total:g}"
        raise ArgumentError(what, "check the sum, or give within=(least, most)", parameter="total")
