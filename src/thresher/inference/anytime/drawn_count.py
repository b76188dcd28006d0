"""How many positives there are among rows of which a drawn part is labelled.

Closed stretch: the prior-posterior ratio of the number K of positives in N rows, of which the first n in a random
order hold k positives,

    R(K) = BetaBin(k; n, a, b) / Hypergeometric(k; N, K, n),    limits {K : R(K) < 1/α},

is a martingale in n at the true K (Waudby-Smith & Ramdas 2020). Ratios of strata multiply, in whatever order the
strata are drawn from. Stream: drawn labels, weighted by their propensities, are values in [0, 1] of all rows, and the
limits are those of their mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy.typing as npt

from thresher._internal.arguments import require_level, require_number, require_one_of
from thresher.errors import ArgumentError
from thresher.inference.anytime.counts import columns_of, require_intrinsic_time, require_pair
from thresher.inference.anytime.mixture import mean_limits
from thresher.inference.interval import Interval, stretch_limits

DrawMethod: TypeAlias = Literal["anytime", "exact"]

PRIOR = (0.5, 50.0)  # beta-binomial: positives are rare among rows that were not called
RARE = 5.0  # the intrinsic time of drawn misses
_HALVINGS = 200


def drawn_count_interval(
    k: npt.ArrayLike,
    n: npt.ArrayLike,
    total: npt.ArrayLike,
    *,
    level: float = 0.95,
    method: DrawMethod = "anytime",
    prior: tuple[float, float] = PRIOR,
) -> Interval:
    """Limits of the number of positives in `total` rows, of which n are drawn.

    k of the n are positive. They are the first of a random order, whose any prefix is a simple random sample: one may
    look after every label, and draw on. Lists are strata; how many to draw from which may depend on everything seen. A
    stratum that is certain to be labelled in full is better left out, and its positives added. "exact" inverts the
    hypergeometric distribution for one look at one stratum.

    >>> print(drawn_count_interval(2, 500, 20_000))
    80.0000 [5.0000, 357.0000]
    >>> print(drawn_count_interval(2, 500, 20_000, method="exact"))
    80.0000 [11.0000, 284.0000]
    >>> print(drawn_count_interval([2, 9], [500, 100], [20_000, 1000]))
    170.0000 [37.0000, 645.0000]
    """
    require_level(level)
    require_one_of(method, get_args(DrawMethod), name="method")
    strata = _strata(k, n, total, prior)
    estimate = sum(one.estimate for one in strata)
    variance = sum(one.variance for one in strata)
    if method == "exact":
        if len(strata) > 1:
            what = "exact limits are those of one stratum"
            raise ArgumentError(what, 'leave out method="exact" for several', parameter="method")
        lower, upper = _exact_limits(strata[0], (1 - level) / 2)
    else:
        enough = -math.log1p(-level)
        upper = _largest(strata, enough)
        mirrored = [one.mirrored() for one in strata]
        lower = sum(one.rows for one in strata) - _largest(mirrored, enough)
    limits = stretch_limits(estimate, lower, upper)
    return Interval(estimate, *limits, variance, level, method, "" if len(strata) == 1 else f"{len(strata)} strata")


def stream_count_interval(
    drawn: float,
    rows: float,
    *,
    propensity: float,
    unlabelled: float = 0.0,
    level: float = 0.95,
    intrinsic_time: float = RARE,
) -> Interval:
    """Limits of the number of positives in a stream that is sampled for labels.

    Each of the `rows` so far was drawn with a probability of at least `propensity`, fixed before its label is
    known. `drawn` is the number of positives among the drawn, each counted propensity / its own probability;
    `unlabelled` is the same sum over drawn rows that have no label yet, which enter as negative and as positive. The
    limits hold at every look, however the share of positives drifts: only the draw is left to chance.

    >>> print(stream_count_interval(2, 20_000, propensity=0.025))
    80.0000 [2.0000, 391.1226]
    """
    require_level(level)
    require_intrinsic_time(intrinsic_time)
    _require_stream(drawn, rows, propensity, unlabelled)
    if not rows:
        return Interval(0.0, 0.0, 0.0, 0.0, level, "anytime", "no rows")
    lower, upper = mean_limits(drawn, min(drawn + unlabelled, rows), rows, level=level, intrinsic_time=intrinsic_time)
    scale = rows / propensity
    note = "drawn rows without a label count as either" if unlabelled else ""
    estimate = min(drawn / propensity, float(rows))
    variance = drawn * (1 - propensity) / propensity**2
    limits = max(float(lower) * scale, drawn), min(float(upper) * scale, rows)  # no fewer than were seen
    return Interval(estimate, *limits, variance, level, "anytime", note)


@dataclass(frozen=True, slots=True)
class _Stratum:
    """k positives among the first n of `rows` in random order."""

    k: int
    n: int
    rows: int
    log_prior: float

    @property
    def least(self) -> int:
        return self.k

    @property
    def greatest(self) -> int:
        return self.rows - (self.n - self.k)

    @property
    def estimate(self) -> float:
        """The share found of all rows; not a number where none is drawn."""
        return self.rows * self.k / self.n if self.n else math.nan

    @property
    def variance(self) -> float:
        if not self.n:
            return math.inf if self.rows else 0.0
        share = self.k / self.n
        return self.rows * (self.rows - self.n) * share * (1 - share) / self.n

    def mirrored(self) -> _Stratum:
        """The same with negatives for positives."""
        return _Stratum(self.n - self.k, self.n, self.rows, self.log_prior)

    def log_ratio(self, count: int) -> float:
        """Logarithm of R(count)."""
        return self.log_prior - _log_hypergeometric(self.k, self.n, self.rows, count)

    def step(self, count: int) -> float:
        """Growth of log R from count to count + 1, which rises with the count."""
        gone = math.log1p(-self.n / (self.rows - count) + self.k / (self.rows - count))
        return math.log1p(-self.k / (count + 1)) - gone

    def reached(self, slope: float) -> int:
        """The greatest count up to which every step is at most `slope`."""
        low, high = self.least, self.greatest
        while low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if self.step(middle) <= slope else (low, middle)
        return low


def _largest(strata: list[_Stratum], enough: float) -> int:
    """The greatest sum of counts whose least sum of log ratios stays below `enough`.

    Steps are taken in rising order, as in every separable convex allocation: bisect the greatest step taken, then take
    the few that are equal to it.
    """

    def total(slope: float) -> float:
        return sum(one.log_ratio(one.reached(slope)) for one in strata)

    if total(math.inf) < enough:
        return sum(one.greatest for one in strata)
    low, high = 0.0, 1.0  # with slope 0 every stratum is at its most likely count
    while total(high) < enough:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if total(middle) < enough else (low, middle)
    counts = [one.reached(low) for one in strata]
    spent = sum(one.log_ratio(count) for one, count in zip(strata, counts, strict=True))
    ends = [one.reached(high) for one in strata]
    next_steps = sorted(one.step(count) for one, count, end in zip(strata, counts, ends, strict=True) if count < end)
    taken = 0
    while taken < len(next_steps) and spent + next_steps[taken] < enough:
        spent += next_steps[taken]
        taken += 1
    return sum(counts) + taken


def _exact_limits(one: _Stratum, tail: float) -> tuple[int, int]:
    """Counts that leave at least `tail` on either side, for one look."""
    from scipy.stats import hypergeom

    def first(holds: Callable[[int], bool], low: int, high: int) -> int:
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if holds(middle) else (middle + 1, high)
        return low

    below = first(lambda count: hypergeom.sf(one.k - 1, one.rows, count, one.n) > tail, one.least, one.greatest)
    above = first(lambda count: hypergeom.cdf(one.k, one.rows, count, one.n) <= tail, one.least, one.greatest + 1) - 1
    return below, above


def _log_hypergeometric(k: int, n: int, rows: int, count: int) -> float:
    return _log_choose(count, k) + _log_choose(rows - count, n - k) - _log_choose(rows, n)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _strata(k: npt.ArrayLike, n: npt.ArrayLike, total: npt.ArrayLike, prior: tuple[float, float]) -> list[_Stratum]:
    columns = columns_of(k=k, n=n, total=total)
    a, b = require_pair(prior, name="prior", fix="e.g. (0.5, 50)")
    if not (a > 0 and b > 0):
        raise ArgumentError(f"the prior BetaBin({a:g}, {b:g}) has no shape", "e.g. (0.5, 50)", parameter="prior")
    strata = []
    for positives, drawn, rows in zip(*(column.tolist() for column in columns), strict=True):
        if not (0 <= positives <= drawn <= rows < math.inf and all(map(float.is_integer, (positives, drawn, rows)))):
            what = f"{positives:g} positives in {drawn:g} drawn of {rows:g} rows are no counts"
            raise ArgumentError(what, "give whole numbers with 0 <= k <= n <= total", parameter="k")
        log_prior = (
            _log_choose(int(drawn), int(positives)) + _log_beta(positives + a, drawn - positives + b) - _log_beta(a, b)
        )
        strata.append(_Stratum(int(positives), int(drawn), int(rows), log_prior))
    return strata


def _require_stream(drawn: float, rows: float, propensity: float, unlabelled: float) -> None:
    numbers = {"drawn": drawn, "rows": rows, "unlabelled": unlabelled}
    for name, value in numbers.items():
        if not 0 <= require_number(value, name=name) < math.inf:
            raise ArgumentError(f"{name} must be at least 0, got {value:g}", "give a count", parameter=name)
    if not 0 < require_number(propensity, name="propensity") <= 1:
        what = f"propensity must be above 0 and at most 1, got {propensity:g}"
        raise ArgumentError(what, "give the least probability with which a row was drawn", parameter="propensity")
    if drawn + unlabelled > rows * (1 + 1e-12):
        what = f"{drawn:g} positives and {unlabelled:g} unlabelled do not fit into {rows:g} rows"
        raise ArgumentError(what, "weigh each by propensity / its own probability", parameter="drawn")
