"""How long labels take: Kaplan-Meier, and whether delay tells the class."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_instance, require_level
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, EmptyError
from thresher.inference.interval import normal_quantile
from thresher.ranking import Floats

OF_PLATEAU = 0.95
MOST_GAP = 0.05  # between the delays of both classes, beyond which they differ
SIGNIFICANT = 0.05
FEWEST_LABELS = 30


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Maturity(Tabular):
    """The share of rows labelled by each age, with Greenwood limits.

    `plateau` is the share that is ever labelled, as far as one sees; `age_of_maturity` the first age at which the share
    reaches 95 % of it, NaN below 30 labels.
    """

    age: Floats
    share: Floats
    lower: Floats
    upper: Floats
    plateau: float
    age_of_maturity: float
    labels: float
    level: float

    def share_at(self, age: npt.ArrayLike) -> Floats:
        """The share labelled by any age; 0 before the first label."""
        place = np.searchsorted(self.age, np.asarray(age, dtype=np.float64), side="right")
        return np.concatenate([[0.0], self.share])[place]

    def _columns(self) -> Mapping[str, Any]:
        return {name: getattr(self, name) for name in ("age", "share", "lower", "upper")}

    def _brief(self) -> str:
        return f"{self.plateau:.4g} ever labelled, mature at age {self.age_of_maturity:g}, {self.labels:g} labels"


def maturity(age: npt.ArrayLike, labelled: npt.ArrayLike, waiting: npt.ArrayLike, *, level: float = 0.95) -> Maturity:
    """Kaplan-Meier's share of rows that are labelled by an age, from counts per age.

    Of the rows that are due a label, `labelled` got one at that age; `waiting` have none and are that old now. All of
    them were at risk there (Kaplan & Meier 1958). Limits are Greenwood's on the complementary log-log scale, for one
    age at one look.

    >>> delays = maturity([1, 2, 3, 10], labelled=[50, 30, 10, 0], waiting=[0, 5, 5, 10])
    >>> delays
    Maturity(0.8364 ever labelled, mature at age 3, 90 labels)
    >>> delays.share.round(3).tolist(), delays.share_at([2.5]).round(3).tolist()
    ([0.455, 0.727, 0.836, 0.836], [0.727])
    """
    require_level(level)
    ages, events, censored = _by_age(age, labelled, waiting)
    leaving = events + censored
    at_risk = np.cumsum(leaving[::-1])[::-1]
    remaining: Floats = np.cumprod(1 - events / at_risk, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        greenwood = np.cumsum(events / (at_risk * (at_risk - events)))
        spread = np.exp(normal_quantile(level) * np.sqrt(greenwood) / np.abs(np.log(remaining)))
        lower, upper = (1 - remaining**power for power in (1 / spread, spread))
    undefined = (remaining <= 0) | (remaining >= 1)
    lower, upper = (np.where(undefined, end, limit) for end, limit in ((0.0, lower), (1.0, upper)))
    share = 1 - remaining
    lower = np.maximum.accumulate(lower)  # what is labelled stays so
    labels, plateau = float(events.sum()), float(share[-1])
    reached = ages[share >= OF_PLATEAU * plateau]
    mature = float(reached[0]) if labels >= FEWEST_LABELS else math.nan
    return Maturity(ages, share, lower, upper, plateau, mature, labels, level)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DelayTest(Tabular):
    """Delays of positive and negative labels, and whether they differ.

    `pos` and `neg` are the shares of each class labelled by `age`, among those ever labelled; `gap` is their greatest
    distance and `p_value` that of the log-rank test, for one look. `differs` where the test refuses equal delays at 5 %
    or, of 30 labels of each class or more, the gap exceeds 0.05.
    """

    age: Floats
    pos: Floats
    neg: Floats
    gap: float
    p_value: float
    differs: bool

    def _brief(self) -> str:
        verdict = "delay tells the class" if self.differs else "delays look alike"
        return f"{verdict}: gap {self.gap:.3f}, p = {self.p_value:.2g}"


def delay_test(age: npt.ArrayLike, pos: npt.ArrayLike, neg: npt.ArrayLike) -> DelayTest:
    """Whether labels of one class come later, from labels per age of mature cohorts.

    Of young cohorts only the quick labels are known, and they would make every class look quick.

    >>> delay_test([1, 2, 5, 10], pos=[2, 3, 10, 20], neg=[40, 30, 10, 5])
    DelayTest(delay tells the class: gap 0.681, p = 8.6e-12)
    """
    ages, positives, negatives = _by_age(age, pos, neg)
    if not (positives.any() and negatives.any()):
        return DelayTest(ages, positives * math.nan, negatives * math.nan, math.nan, math.nan, differs=False)
    early, late = (np.cumsum(counts) / counts.sum() for counts in (positives, negatives))
    gap = float(np.abs(early - late).max())
    p_value = _log_rank(positives, negatives)
    enough = min(positives.sum(), negatives.sum()) >= FEWEST_LABELS
    differs = p_value < SIGNIFICANT or bool(enough and gap > MOST_GAP)
    return DelayTest(ages, early, late, gap, p_value, differs=differs)


def arrival_weights(delays: Maturity, age: npt.ArrayLike) -> Floats:
    """How many rows a label of each age stands for: 1 / the share labelled by then.

    Assumes that delays stay as they were and do not depend on the label. Ages below the first label have none.

    >>> delays = maturity([1, 2, 3], labelled=[50, 30, 20], waiting=[0, 0, 0])
    >>> arrival_weights(delays, [1, 3]).tolist()
    [2.0, 1.0]
    """
    require_instance(delays, Maturity, name="delays", fix="pass maturity(...)")
    share = delays.share_at(numbers_of(age, name="age", dimensions=None)) / delays.plateau
    return np.divide(1.0, share, out=np.full(np.shape(share), math.nan), where=share > 0)


def _log_rank(first: Floats, second: Floats) -> float:
    """The p-value of the two-sample log-rank test without censoring."""
    from scipy.special import chdtrc

    events = first + second
    at_risk, at_risk_first = (np.cumsum(counts[::-1])[::-1] for counts in (events, first))
    share = np.divide(at_risk_first, at_risk, out=np.zeros(events.size), where=at_risk > 0)
    excess = float((first - events * share).sum())
    correction = np.divide(at_risk - events, at_risk - 1, out=np.zeros(events.size), where=at_risk > 1)
    variance = float((events * share * (1 - share) * correction).sum())
    return float(chdtrc(1, excess**2 / variance)) if variance > 0 else 1.0


def _by_age(age: Any, first: Any, second: Any) -> tuple[Floats, Floats, Floats]:
    """Rising ages with two counts each; equal ages are added up."""
    columns = [numbers_of(each, name=name) for each, name in ((age, "age"), (first, "counts"), (second, "counts"))]
    if len({column.shape for column in columns}) > 1:
        raise ArgumentError("every age has two counts", "give lists of one length", parameter="age")
    if not all((np.isfinite(column) & (column >= 0)).all() for column in columns):
        raise ArgumentError(
            "ages and counts must be finite and at least 0", "check the times of labels", parameter="age"
        )
    ages, place = np.unique(columns[0], return_inverse=True)
    counts = [np.bincount(place, weights=column, minlength=ages.size).astype(np.float64) for column in columns[1:]]
    seen = (counts[0] + counts[1]) > 0
    if not seen.any():
        raise EmptyError("there are no rows of any age", "give a count above 0")
    return ages[seen], counts[0][seen], counts[1][seen]
