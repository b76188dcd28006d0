"""`Replicates`: what a bootstrap found, and the intervals that follow from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.auc import exact_pairs
from thresher.inference.interval import LOGIT, Interval, require_level
from thresher.inference.kinds import is_one_of, require_one_of
from thresher.inference.limits import (
    Jackknife,
    LimitMethod,
    basic_limits,
    bca_limits,
    percentile_limits,
    quantiles,
    variance_of,
)
from thresher.inference.question import Answers, Question
from thresher.inference.resampled import Resampled
from thresher.inference.resampling import Resampling, in_blocks
from thresher.ranking import Floats
from thresher.results import Tabular

T = TypeVar("T")
_WHERE = "Replicates.interval(name, model, method)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replicates(Tabular):
    """Every statistic of every model, on the sample and on each draw of it.

    >>> from thresher.inference import bootstrap
    >>> from thresher.ranking import Ranking
    >>> found = bootstrap(Ranking.parse("[20+,5-][10+,5-][20+,40-]"), ["auc"], replicates=500)
    >>> found
    Replicates(500 of auc)
    >>> found.estimate("auc"), found.values("auc").size
    (0.71, 500)
    """

    question: Question
    plan: Resampling
    replicates: int
    seed: int
    level: float
    estimates: Mapping[tuple[str, str], float]
    drawn: Answers
    _memory: dict[str, Any] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """What was computed."""
        return self.question.names

    @property
    def models(self) -> tuple[str, ...]:
        """On which models."""
        return self.question.models

    def estimate(self, name: str, model: str | None = None) -> float:
        """A value on the sample itself."""
        return self.estimates[self._key(name, model)]

    def values(self, name: str, model: str | None = None) -> Floats:
        """A value on every replicate; NaN where it is undefined. Replicate i is the same draw for all."""
        return self.drawn[self._key(name, model)]

    def interval(
        self, name: str, model: str | None = None, *, level: float | None = None, method: LimitMethod = "percentile"
    ) -> Interval:
        """The confidence interval of a value.

        "percentile" reads it off the replicates; "basic" mirrors them in the estimate; "bca" corrects for bias and
        skewness with a jackknife; "studentised" divides by a standard error known for each replicate (the AUC's, by
        DeLong, on the logit scale), which is drawn once more from the same seed. Where all replicates agree, an
        AUC gets the exact limits of `auc_interval`; of anything else the note says that no spread is seen.
        """
        key = self._key(name, model)
        wanted = self._checked(name, level, method)
        if method == "studentised":
            limits = self._studentised(key, wanted)
        else:
            limits = self._limits(self.drawn[key], self.estimates[key], lambda: self._left_out()[key], wanted, method)
        if name == "auc" and limits[0] == limits[1]:
            found = exact_pairs(self.estimates[key], 0.0, self._cases(), wanted)
            left_out = _left_out_note(self.drawn[key])
            return replace(found, note=f"{left_out}; {found.note}") if left_out else found
        return self._interval(self.estimates[key], limits, self.drawn[key], wanted, method)

    def difference(
        self, name: str, a: str, b: str, *, level: float | None = None, method: LimitMethod = "percentile"
    ) -> Interval:
        """The interval of a value of model `a` minus that of model `b`, paired replicate by replicate."""
        one, other = self._key(name, a), self._key(name, b)
        wanted = self._checked(name, level, method)
        if method == "studentised":
            raise ArgumentError("a difference has no standard error here", _WHERE, 'pass method="bca"')
        estimate = self.estimates[one] - self.estimates[other]
        with np.errstate(invalid="ignore"):  # inf - inf is NaN, and left out
            values = self.drawn[one] - self.drawn[other]
        limits = self._limits(values, estimate, lambda: self._left_out()[one] - self._left_out()[other], wanted, method)
        return self._interval(estimate, limits, values, wanted, method)

    def bias(self, name: str, model: str | None = None) -> float:
        """The mean of the replicates minus the estimate."""
        return float(np.nanmean(self.values(name, model))) - self.estimate(name, model)

    def _brief(self) -> str:
        models = f" of {', '.join(self.models)}" if len(self.models) > 1 else ""
        return f"{self.replicates:,} of {', '.join(self.names)}{models}"

    def _columns(self) -> Mapping[str, Any]:
        keys = list(self.drawn)
        return {
            "replicate": np.tile(np.arange(self.replicates), len(keys)),
            "model": np.repeat(np.array([model for model, _ in keys], dtype=object), self.replicates),
            "quantity": np.repeat(np.array([name for _, name in keys], dtype=object), self.replicates),
            "value": np.concatenate(list(self.drawn.values())),
        }

    def _key(self, name: str, model: str | None) -> tuple[str, str]:
        if model is None and len(self.models) > 1:
            raise ArgumentError("there are several models", _WHERE, f"name one of {', '.join(self.models)}")
        key = self.models[0] if model is None else model, name
        if not (is_one_of(name, self.names) and is_one_of(key[0], self.models)):
            what = f"there is no {name!r} of {key[0]!r}"
            raise ArgumentError(what, _WHERE, f"take {', '.join(self.names)} of {', '.join(self.models)}")
        return key

    def _checked(self, name: str, level: float | None, method: str) -> float:
        wanted = self.level if level is None else level
        require_level(wanted, _WHERE)
        require_one_of(method, ("percentile", "basic", "bca", "studentised"), "method", _WHERE)
        if method == "bca" and not self.question.statistic(name).smooth:
            raise ArgumentError(
                f"{name} jumps when the data change a little, so leaving out a case says nothing about its skewness",
                _WHERE,
                'pass method="percentile"',
            )
        return wanted

    def _limits(
        self, values: Floats, estimate: float, left_out: Callable[[], Floats], level: float, method: LimitMethod
    ) -> tuple[float, float]:
        if method == "basic":
            return basic_limits(values, estimate, level)
        if method == "percentile":
            return percentile_limits(values, level)
        stratum, alike = self._units()
        return bca_limits(values, estimate, Jackknife(left_out(), stratum, alike).acceleration(), level)

    def _left_out(self) -> Answers:
        """All values with one unit of the sample left out at a time."""

        def found() -> Answers:
            return self.question.answers([self.question.parts(times for _, _, times in self.plan.deletions())])

        return self._kept("left out", found)

    def _units(self) -> tuple[Floats, Floats]:
        def found() -> tuple[Floats, Floats]:
            stratum, alike = zip(*((stratum, alike) for stratum, alike, _ in self.plan.deletions()), strict=True)
            return np.array(stratum, dtype=np.float64), np.array(alike, dtype=np.float64)

        return self._kept("units", found)

    def _studentised(self, key: tuple[str, str], level: float) -> tuple[float, float]:
        model, name = key
        estimate, variance = self.estimates[key], self.question.statistic(name).variance
        if variance is None or self.plan.sample.weighted or self.plan.sample.cluster is not None:
            raise ArgumentError(
                f"the standard error of {name} is not known for each replicate", _WHERE, 'pass method="bca"'
            )
        standing = self.question.sample.standings[model]
        observed = variance(Resampled.of(standing, self.plan.sample.cases).ranking())
        if not (observed > 0 and 0 < estimate < 1):
            raise ArgumentError(
                f"the standard error of {name} = {estimate:g} is 0 or unknown", _WHERE, "use auc_interval(ranking)"
            )

        def block(rng: np.random.Generator, size: int) -> Floats:
            draws = (Resampled.of(standing, times).ranking() for times in self.plan.each(rng, size))
            return np.array([variance(ranking) for ranking in draws])

        drawn = np.concatenate(in_blocks(block, self.replicates, items=sum(self.plan.sample.items), seed=self.seed))
        values = self.drawn[key]
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(drawn) / (values * (1 - values))
            away = (np.log(values / (1 - values)) - LOGIT.there(estimate)) / error
        low, high = quantiles(away[np.isfinite(away)], ((1 - level) / 2, (1 + level) / 2))
        spread = math.sqrt(observed) * LOGIT.slope(estimate)
        centre = LOGIT.there(estimate)
        return LOGIT.back(centre - high * spread), LOGIT.back(centre - low * spread)

    def _interval(
        self, estimate: float, limits: tuple[float, float], values: Floats, level: float, method: str
    ) -> Interval:
        variance = variance_of(values)
        note = _left_out_note(values)
        if limits[0] == limits[1]:
            agree = "all replicates agree, so the interval shows no spread and says nothing of how sure this is"
            note = f"{note}; {agree}" if note else agree
        return Interval(estimate, *limits, variance=variance, level=level, method=f"{method} bootstrap", note=note)

    def _cases(self) -> tuple[float, float]:
        """Independent positives and negatives: cases, or clusters that hold them."""
        sample = self.plan.sample
        of_pos, of_neg = sample.cases if sample.cluster is None else (np.bincount(c) > 0 for c in sample.cluster)
        return float(np.sum(of_pos)), float(np.sum(of_neg))

    def _kept(self, name: str, make: Callable[[], T]) -> T:
        if name not in self._memory:
            self._memory[name] = make()
        kept: T = self._memory[name]
        return kept


def _left_out_note(values: Floats) -> str:
    absent = int(np.isnan(values).sum())
    return f"undefined in {absent:,} of {values.size:,} replicates, which are left out" if absent else ""
