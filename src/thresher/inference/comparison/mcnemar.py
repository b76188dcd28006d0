"""`mcnemar`: which of two classifiers is right more often."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher._internal.arguments import require_level, require_one_of
from thresher._internal.results import Result
from thresher.inference.interval import Interval, normal_quantile
from thresher.inputs import columns_positive
from thresher.inputs.columns import Missing, column, complete

McNemarMethod: TypeAlias = Literal["exact", "mid-p", "chi-squared"]
_APART = "p and the limits disagree about 0; the limits are approximate, so go by p"


@dataclass(frozen=True, slots=True, repr=False)
class McNemarTest(Result):
    """How often only A, only B, both or neither were right, and a test of it.

    `interval` is that of the difference in accuracy, A minus B (Agresti & Min 2005: half a case is
    added to each of the four counts, so it has width even when the two never disagree). It is an
    approximation, and its note says where it and the test part about a difference of 0.
    """

    only_a: int
    only_b: int
    both: int
    neither: int
    statistic: float
    p_value: float
    method: McNemarMethod
    interval: Interval

    @property
    def difference(self) -> float:
        """Accuracy of A minus accuracy of B."""
        return self.interval.estimate

    def __str__(self) -> str:
        note = f"; {self.interval.note}" if self.interval.note else ""
        return (
            f"accuracy of a - b {self.interval}: only a right {self.only_a:,} times, only b {self.only_b:,} times,"
            f" p {self.p_value:.2g} ({self.method}){note}"
        )


def mcnemar(
    labels: Any,
    predictions_a: Any,
    predictions_b: Any,
    *,
    positive: Any = None,
    method: McNemarMethod = "exact",
    level: float = 0.95,
    missing: Missing = "raise",
) -> McNemarTest:
    """McNemar's (1947) test of two classifiers' predictions for the same cases.

    Only cases on which one is right and the other wrong count; were both right equally often, either would
    win such a case with probability ½. "exact" is that binomial test; "mid-p" counts half of the
    observed outcome and is less cautious (Fagerland, Lydersen & Laake 2013); "chi-squared" is the
    large-sample test without continuity correction. `statistic` is the smaller count, or chi squared.

    >>> labels = [1] * 10 + [0] * 10
    >>> a = [1] * 9 + [0] + [0] * 9 + [1]
    >>> b = [1] * 5 + [0] * 5 + [0] * 7 + [1] * 3
    >>> print(mcnemar(labels, a, b))
    accuracy of a - b 0.3000 [0.0664, 0.4791]: only a right 6 times, only b 0 times, p 0.031 (exact)
    """
    require_level(level)
    require_one_of(method, ("exact", "mid-p", "chi-squared"), name="method")
    arguments = {"labels": labels, "predictions_a": predictions_a, "predictions_b": predictions_b}
    columns = {name: column(values, name=name) for name, values in arguments.items()}
    complete_columns, _ = complete(columns, missing=missing)
    flags = columns_positive(dict(zip(columns, complete_columns, strict=True)), positive=positive)
    right_a, right_b = flags[1] == flags[0], flags[2] == flags[0]
    only_a, only_b = int(np.count_nonzero(right_a > right_b)), int(np.count_nonzero(right_b > right_a))
    both = int(np.count_nonzero(right_a & right_b))
    neither = flags[0].size - only_a - only_b - both
    statistic, p_value = _test(only_a, only_b, method)
    interval = _interval(only_a, only_b, flags[0].size, level)
    if (0 in interval) == (p_value < 1 - level):
        interval = replace(interval, note=_APART)
    return McNemarTest(only_a, only_b, both, neither, statistic, p_value, method, interval)


def _test(only_a: int, only_b: int, method: McNemarMethod) -> tuple[float, float]:
    from scipy.special import bdtr, chdtrc, gammaln

    apart, fewer = only_a + only_b, min(only_a, only_b)
    if not apart:
        return 0.0, 1.0
    if method == "chi-squared":
        statistic = (only_a - only_b) ** 2 / apart
        return statistic, float(chdtrc(1, statistic))
    p = 2 * float(bdtr(fewer, apart, 0.5))
    if method == "mid-p":
        chance = gammaln(apart + 1) - gammaln(fewer + 1) - gammaln(apart - fewer + 1) - apart * math.log(2)
        p -= math.exp(chance)
    return float(fewer), min(1.0, p)


def _interval(only_a: int, only_b: int, n: int, level: float) -> Interval:
    a, b, total = only_a + 0.5, only_b + 0.5, n + 2
    centre = (a - b) / total
    half = normal_quantile(level) * math.sqrt(max(0.0, a + b - (a - b) ** 2 / total)) / total
    difference = (only_a - only_b) / n
    variance = (only_a + only_b - (only_a - only_b) ** 2 / n) / n**2
    lower, upper = max(-1.0, min(difference, centre - half)), min(1.0, max(difference, centre + half))
    return Interval(difference, lower, upper, variance, level, "agresti-min")
