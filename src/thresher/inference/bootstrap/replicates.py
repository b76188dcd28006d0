"""Replicates of a bootstrap, and the confidence limits that follow from them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher._internal.arguments import is_one_of, require_level, require_one_of
from thresher._internal.parallel import Progress, map_blocks
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, argument
from thresher.inference.bootstrap.draws import Resampling
from thresher.inference.bootstrap.sample import Resampled, Sample, Times
from thresher.inference.bootstrap.statistics import Statistic
from thresher.inference.interval import LOGIT, Interval, stretch_limits
from thresher.inference.intervals.auc import carried_by_few, delong_parts, exact_pairs
from thresher.ranking import Floats

_SQUARES_FIT = 1e150

LimitMethod: TypeAlias = Literal["percentile", "basic", "bca", "studentised"]


def quantiles(values: Floats, shares: tuple[float, float]) -> tuple[float, float]:
    """Two quantiles of replicates, without NaN.

    Infinite values are never averaged with finite ones.

    >>> quantiles(np.array([0.0, 1.0, 2.0, np.inf]), (0.5, 1.0))
    (1.5, inf)
    """
    seen = values[~np.isnan(values)]
    if not seen.size:
        return math.nan, math.nan
    ends = []
    for share in shares:
        low, high = (float(np.quantile(seen, share, method=side)) for side in ("lower", "higher"))
        part, apart = (share * (seen.size - 1)) % 1, high - low
        if low == high or not math.isfinite(low):
            ends.append(low)
        elif math.isfinite(apart) or math.isinf(high):
            ends.append(low + part * apart)
        else:  # two finite values may be further apart than any number is large
            ends.append(low * (1 - part) + high * part)
    return ends[0], ends[1]


def variance_of(values: Floats) -> float:
    """The variance of finite replicates; NaN if fewer than two are finite.

    Squares of values near the largest number are too large for one: their variance is then infinite.
    """
    finite = values[np.isfinite(values)]
    if finite.size < 2:
        return math.nan
    largest = float(np.abs(finite).max())
    if largest < _SQUARES_FIT:
        return float(finite.var(ddof=1))
    return float((finite / largest).var(ddof=1)) * largest * largest


def percentile_limits(values: Floats, level: float) -> tuple[float, float]:
    """The central quantiles of the replicates."""
    return quantiles(values, ((1 - level) / 2, (1 + level) / 2))


def basic_limits(values: Floats, estimate: float, level: float) -> tuple[float, float]:
    """Basic bootstrap limits: central quantiles mirrored in the estimate."""
    low, high = percentile_limits(values, level)
    return 2 * estimate - high, 2 * estimate - low


def acceleration(values: Floats, stratum: Floats, alike: Floats) -> float:
    """The acceleration of BCa limits: a sixth of the skewness of the influence.

    `values` have one unit left out each, of a `stratum`, and stand for so many units `alike`. With U = (n - 1)(mean -
    value) in a stratum of n units, Σ U³/n³ / (6 (Σ U²/n²)^1.5), both summed over strata.
    Source: Efron & Tibshirani 1993, 14.15, and for several samples as in SciPy.
    """
    cubes = squares = 0.0
    for number in range(int(stratum.max()) + 1):
        inside = stratum == number
        value, times = values[inside], alike[inside]
        n = times.sum()
        influence = (n - 1) / n * ((value * times).sum() / n - value)
        cubes += float((influence**3 * times).sum())
        squares += float((influence**2 * times).sum())
    skewness = cubes / (6 * squares**1.5) if squares > 0 else 0.0
    return skewness if math.isfinite(skewness) else 0.0


def bca_limits(values: Floats, estimate: float, acceleration: float, level: float) -> tuple[float, float]:
    """Bias-corrected and accelerated limits (Efron 1987).

    Replicates equal to the estimate count half as below it. Where all are on one side, the bias is taken as
    if half a replicate were on the other.
    """
    from scipy.special import ndtr, ndtri

    seen = values[~np.isnan(values)]
    if not seen.size:
        return math.nan, math.nan
    below = (np.count_nonzero(seen < estimate) + np.count_nonzero(seen <= estimate)) / 2
    bias = float(ndtri(min(max(below, 0.5), seen.size - 0.5) / seen.size))

    def share(z: float) -> float:
        moved = bias + z
        stretch = 1 - acceleration * moved
        return float(ndtr(bias + moved / stretch)) if stretch > 0 else float(moved > 0)

    z = float(ndtri((1 + level) / 2))
    return quantiles(seen, (share(-z), share(z)))


Answers: TypeAlias = dict[tuple[str, str], Floats]  # by model and name, a value for each replicate
PartsByModel: TypeAlias = dict[tuple[str, tuple[str, ...]], Floats]  # by model and names, a column for each replicate


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Statistics, by the names of their values, of every model of a sample."""

    sample: Sample
    statistics: Mapping[tuple[str, ...], Statistic]

    def statistic(self, name: str) -> Statistic:
        """The statistic that a value belongs to."""
        return next(statistic for names, statistic in self.statistics.items() if name in names)

    def require(self) -> None:
        """Raise where the sample itself cannot answer."""
        for order in self.sample.orders.values():
            ranking = Resampled.of(order, self.sample.cases).ranking()
            ranking.require_both_classes()
            for statistic in self.statistics.values():
                statistic.require(ranking)

    def parts(self, draws: Iterable[Times]) -> PartsByModel:
        """The parts of every statistic of every model on some draws.

        A draw holds one replicate or several.
        """
        columns: dict[tuple[str, tuple[str, ...]], list[Floats]] = {}
        for times in draws:
            for model, order in self.sample.orders.items():
                drawn = Resampled.of(order, times, model=model)
                for names, statistic in self.statistics.items():
                    parts = np.array(statistic.parts(drawn), dtype=np.float64)
                    if parts.shape[1:] != np.shape(drawn.Pos):
                        shapes = f"parts of shape {parts.shape[1:]} for replicates of shape {np.shape(drawn.Pos)}"
                        fix = "a number for each replicate: only the last axis of drawn.tp runs over groups"
                        raise ArgumentError(f"a statistic gives {shapes}", f"let parts(drawn) give {fix}")
                    columns.setdefault((model, names), []).append(parts.reshape(len(parts), -1))
        return {key: np.concatenate(each, axis=1) for key, each in columns.items()}

    def answers(self, blocks: Sequence[PartsByModel]) -> Answers:
        """The values of every statistic from the parts of all blocks."""
        answers: Answers = {}
        for model, names in blocks[0]:
            values = self.statistics[names].values(np.concatenate([parts[model, names] for parts in blocks], axis=1))
            for name, row in zip(names, values, strict=True):
                row.flags.writeable = False
                answers[model, name] = row
        return answers

    def draw(
        self, plan: Resampling, replicates: int, *, seed: int, threads: int | None, progress: Progress | None
    ) -> Answers:
        """The values on so many draws."""

        def block(rng: np.random.Generator, size: int) -> PartsByModel:
            return self.parts(plan.stacks(rng, size))

        items = sum(self.sample.items) * len(self.sample.orders) * plan.together
        return self.answers(map_blocks(block, replicates, items=items, seed=seed, threads=threads, progress=progress))

    def observed(self) -> Mapping[tuple[str, str], float]:
        """The values on the sample itself."""
        return {key: float(row[0]) for key, row in self.answers([self.parts([self.sample.cases])]).items()}


Scheme: TypeAlias = tuple[Resampling, Question]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Replicates(Tabular):
    """Every statistic of every model, on the sample and on each draw of it.

    `stratified` says of every value whether draws hold the numbers of positives and negatives fixed.

    >>> from thresher.inference import bootstrap
    >>> from thresher.ranking import Ranking
    >>> drawn = bootstrap(Ranking.parse("[20+,5-][10+,5-][20+,40-]"), ["auc"], replicates=500)
    >>> drawn
    Replicates(500 of auc, drawn class by class)
    >>> drawn.estimate("auc"), drawn.values("auc").size
    (0.71, 500)
    """

    question: Question
    schemes: tuple[Scheme, ...]
    replicates: int
    seed: int
    level: float
    estimates: Mapping[tuple[str, str], float]
    drawn: Answers
    _deletions: dict[bool, tuple[Answers, Floats, Floats]] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """What was computed."""
        return tuple(name for names in self.question.statistics for name in names)

    @property
    def models(self) -> tuple[str, ...]:
        """On which models."""
        return tuple(self.question.sample.orders)

    @property
    def stratified(self) -> Mapping[str, bool]:
        """By name, whether the class totals were held fixed in the draws."""
        return {name: self._scheme(name)[0].stratified for name in self.names}

    def estimate(self, name: str, model: str | None = None) -> float:
        """A value on the sample itself."""
        return self.estimates[self._key(name, model)]

    def values(self, name: str, model: str | None = None) -> Floats:
        """A value on every replicate; NaN where it is undefined.

        Replicate i is the same draw for all models, and for all values that are drawn in the same way.
        """
        return self.drawn[self._key(name, model)]

    def interval(
        self, name: str, model: str | None = None, *, level: float | None = None, method: LimitMethod = "percentile"
    ) -> Interval:
        """The confidence interval of a value.

        "percentile" reads it off the replicates; "basic" mirrors them in the estimate; "bca" corrects for bias and
        skewness with a jackknife; "studentised" divides by a standard error known for each replicate (the AUC's, by
        DeLong, on the logit scale), which is drawn once more from the same seed. Where all replicates agree, an
        AUC gets the exact limits of `auc_interval`; of anything else the note says that no spread is seen. Where few
        cases carry an AUC, its note says so: no bootstrap holds near an AUC of 1, and `auc_interval` does.
        """
        return self._interval(self._key(name, model), None, level, method)

    def difference(
        self, name: str, a: str, b: str, *, level: float | None = None, method: LimitMethod = "percentile"
    ) -> Interval:
        """The paired interval of a value of model `a` minus that of model `b`."""
        return self._interval(self._key(name, a), self._key(name, b), level, method)

    def bias(self, name: str, model: str | None = None) -> float:
        """The mean of the replicates minus the estimate."""
        return float(np.nanmean(self.values(name, model))) - self.estimate(name, model)

    def _brief(self) -> str:
        models = f" of {', '.join(self.models)}" if len(self.models) > 1 else ""
        fixed = [name for name, stratified in self.stratified.items() if stratified]
        if len(fixed) in (0, len(self.names)):
            how = "class by class" if fixed else "with the class mix"
        else:
            how = f"class by class for {', '.join(fixed)}, with the class mix for the others"
        return f"{self.replicates:,} of {', '.join(self.names)}{models}, drawn {how}"

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
            raise ArgumentError("there are several models", f"name one of {', '.join(self.models)}")
        key = self.models[0] if model is None else model, name
        if not (is_one_of(name, self.names) and is_one_of(key[0], self.models)):
            what = f"there is no {name!r} of {key[0]!r}"
            raise ArgumentError(what, f"take {', '.join(self.names)} of {', '.join(self.models)}")
        return key

    def _interval(
        self, key: tuple[str, str], minus: tuple[str, str] | None, level: float | None, method: LimitMethod
    ) -> Interval:
        """The interval of a value, less that of another model if there is one."""
        name, level = key[1], self.level if level is None else level
        require_level(level)
        require_one_of(method, ("percentile", "basic", "bca", "studentised"), name="method")
        if method == "bca" and not self.question.statistic(name).smooth:
            what = f"{name} jumps when the data change a little, so leaving out a case says nothing about its skewness"
            raise ArgumentError(what, f"pass {argument('method', 'percentile')}")
        estimate, values = self.estimates[key], self.drawn[key]
        if minus is not None:
            if method == "studentised":
                raise ArgumentError("a difference has no standard error here", f"pass {argument('method', 'bca')}")
            estimate -= self.estimates[minus]
            with np.errstate(invalid="ignore"):  # inf - inf is NaN, and left out
                values = values - self.drawn[minus]
        if method == "basic":
            limits = basic_limits(values, estimate, level)
        elif method == "percentile":
            limits = percentile_limits(values, level)
        elif method == "bca":
            limits = bca_limits(values, estimate, self._acceleration(key, minus), level)
        else:
            limits = self._studentised(key, level)
        absent = int(np.isnan(values).sum())
        notes = [f"undefined in {absent:,} of {values.size:,} replicates, which are left out"] if absent else []
        if name == "auc" and minus is None and limits[0] == limits[1]:
            exact = exact_pairs(estimate, 0.0, self._cases(), level)
            return replace(exact, note="; ".join([*notes, exact.note]))
        notes += self._carried_by_few(key) if minus is None else []
        reach = stretch_limits(estimate, *limits)
        if limits[0] == limits[1]:
            notes.append("all replicates agree, so the interval shows no spread and says nothing of how sure this is")
        elif limits[0] < limits[1] and reach != limits:
            excluding = f"{limits[0]:.4g} to {limits[1]:.4g}, exclude the estimate and were stretched to it"
            notes.append(f"limits from the replicates, {excluding}")
        return Interval(estimate, *reach, variance_of(values), level, f"{method} bootstrap", "; ".join(notes))

    def _acceleration(self, key: tuple[str, str], minus: tuple[str, str] | None = None) -> float:
        """The acceleration by the jackknife, computed once per resampling plan."""
        plan, asked = self._scheme(key[1])
        if plan.stratified not in self._deletions:
            stratum, alike, times = zip(*plan.deletions(), strict=True)
            numbers = np.array(stratum, dtype=np.float64), np.array(alike, dtype=np.float64)
            self._deletions[plan.stratified] = asked.answers([asked.parts(times)]), *numbers
        values, *strata = self._deletions[plan.stratified]
        return acceleration(values[key] if minus is None else values[key] - values[minus], *strata)

    def _scheme(self, name: str) -> Scheme:
        """How the values of a name were drawn."""
        return next(scheme for scheme in self.schemes if any(name in names for names in scheme[1].statistics))

    def _studentised(self, key: tuple[str, str], level: float) -> tuple[float, float]:
        model, name = key
        estimate, variance = self.estimates[key], self.question.statistic(name).variance
        plan, sample = self._scheme(name)[0], self.question.sample
        if variance is None or sample.weighted or sample.cluster is not None:
            what = f"the standard error of {name} is not known for each replicate"
            raise ArgumentError(what, f"pass {argument('method', 'bca')}")
        order = sample.orders[model]
        observed = variance(Resampled.of(order, sample.cases).ranking())
        if not (observed > 0 and 0 < estimate < 1):
            what = f"the standard error of {name} = {estimate:g} is 0 or unknown"
            raise ArgumentError(what, "use auc_interval(ranking)")
        drawn = np.array(
            plan.map(lambda times: variance(Resampled.of(order, times).ranking()), self.replicates, seed=self.seed)
        )
        values, centre = self.drawn[key], LOGIT.there(estimate)
        with np.errstate(divide="ignore", invalid="ignore"):
            error = np.sqrt(drawn) / (values * (1 - values))
            away = (np.log(values / (1 - values)) - centre) / error
        low, high = percentile_limits(away[np.isfinite(away)], level)
        spread = math.sqrt(observed) * LOGIT.slope(estimate)
        return LOGIT.back(centre - high * spread), LOGIT.back(centre - low * spread)

    def _carried_by_few(self, key: tuple[str, str]) -> list[str]:
        """A remark where the value is an AUC that few cases carry."""
        sample, (model, name) = self.question.sample, key
        if name != "auc" or sample.weighted:
            return []
        ranking = Resampled.of(sample.orders[model], sample.cases).ranking()
        note = carried_by_few(ranking, delong_parts(ranking))
        return [f"{note}, and those of auc_interval hold better"] if note else []

    def _cases(self) -> tuple[float, float]:
        """Independent positives and negatives: cases, or clusters that hold them."""
        sample = self.question.sample
        of_pos, of_neg = sample.cases if sample.cluster is None else (np.bincount(c) > 0 for c in sample.cluster)
        return float(np.sum(of_pos)), float(np.sum(of_neg))
