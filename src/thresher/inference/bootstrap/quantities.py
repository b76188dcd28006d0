"""Quantities as statistics of a bootstrap: parsed by the one grammar, computed on every replicate at a declared mix."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

import numpy as np

from thresher.calibration import adjust_prevalence, decomposition, recalibrated
from thresher.calibration.cox import calibration_intercept, calibration_slope
from thresher.choices import Choice, choose
from thresher.curves import average_precision, ks, partial_auc, pr_area
from thresher.errors import InfeasibleError, MeasureError, OneClassError, ProbabilityError
from thresher.inference.bootstrap.sample import Parts, Resampled
from thresher.inference.bootstrap.statistics import Auc, BestCost, CostAt, Decomposed, MeasureAt, changes_with_mix
from thresher.inference.joining import joined
from thresher.inference.lowess import calibration_distances
from thresher.ranking import Floats, Ranking, as_number
from thresher.tables import MEASURES, MODEL_NUMBERS, ModelNumber, OperatingCondition, Quantity, refusal

Value: TypeAlias = Callable[[Ranking, Quantity], float]
ELSEWHERE = ("out_of_bag_cost", "saving")  # which evaluate(...) alone knows
_WITHIN_CLASSES = ("auc", "partial_auc", "standardised_partial_auc", "ks")
_FINE = 1 << 14  # segments of a replicate that a logistic regression tells apart


@dataclass(frozen=True, slots=True)
class Mix:
    """The class mix that numbers are stated at; a class ratio of None is that of the data.

    `trained_at` is the prevalence that probabilities were made for; None means that of the data, `of_data`. Where no
    class ratio is declared, they are restated from `trained_at` to `of_data`, and no case is re-weighted.

    >>> mix = Mix.of(OperatingCondition(prevalence=0.1), None).at(0.5)
    >>> mix.ranking(Ranking([0.8, 0.2], [3, 1], [1, 3]), probabilities=True).score.round(4)
    array([0.3077, 0.027 ])
    """

    class_ratio: float | None = None
    trained_at: float | None = None
    of_data: float = math.nan

    @classmethod
    def of(cls, condition: OperatingCondition | None, trained_at: Any) -> Mix:
        """The mix that a condition declares."""
        if trained_at is not None and not 0 < as_number(trained_at) < 1:
            what = f"trained_at must lie between 0 and 1, got {trained_at!r}"
            raise ProbabilityError(what, "give the prevalence that probabilities were made for, e.g. 0.5")
        return cls(None if condition is None else condition.class_ratio, trained_at)

    @property
    def declared(self) -> bool:
        """Whether it is another than the data's."""
        return self.class_ratio is not None

    @property
    def restates(self) -> bool:
        """Whether probabilities are restated."""
        if self.trained_at is None or math.isnan(self.prevalence):
            return False
        return self.trained_at != self.prevalence

    @property
    def prevalence(self) -> float:
        """The proportion of positives: that of the data where none is declared."""
        return self.of_data if self.class_ratio is None else self.class_ratio / (1 + self.class_ratio)

    def at(self, prevalence: float) -> Mix:
        """The same with the data's prevalence: a resample must not restate probabilities by its own."""
        return Mix(self.class_ratio, prevalence if self.trained_at is None else self.trained_at, prevalence)

    def ranking(self, ranking: Ranking, *, probabilities: bool) -> Ranking:
        """A ranking with its cases re-weighted to the mix and, where asked for, its probabilities restated."""
        if self.class_ratio is None:
            return recalibrated(ranking, self.probabilities) if probabilities and self.restates else ranking
        if not probabilities:
            return ranking.at_class_ratio(self.class_ratio)
        return adjust_prevalence(ranking, self.prevalence, trained_at=self.trained_at)

    def probabilities(self, score: Floats) -> Floats:
        """Probabilities restated for the mix."""
        if self.trained_at is None or not self.restates:
            return score
        return adjust_prevalence(score, self.prevalence, trained_at=self.trained_at)


@dataclass(frozen=True, slots=True)
class CaseMean:
    """A mean over cases of what a positive and a negative of each probability count, at the mix.

    >>> from thresher.tables import quantity
    >>> CaseMean(quantity("net_benefit@0.2")).names
    ('net_benefit@0.2',)
    """

    asked: Quantity
    mix: Mix = field(default_factory=Mix)
    smooth: ClassVar[bool] = True
    variance: ClassVar[None] = None

    @property
    def names(self) -> tuple[str, ...]:
        """The quantity's text."""
        return (str(self.asked),)

    @property
    def depends_on_mix(self) -> bool:
        """Whether the class mix that is drawn matters."""
        return not self.mix.declared

    def require(self, ranking: Ranking) -> None:
        """Probabilities."""
        ranking.require_probabilities()

    def parts(self, drawn: Resampled) -> Parts:
        """The sums over positives and over negatives, and the class totals."""
        order = drawn.order
        of_pos, of_neg = CASE_MEANS[self.asked.name](self.mix.probabilities(order.score), self.asked)
        sums = _sum(of_pos[order.pos.segment], drawn.pos), _sum(of_neg[order.neg.segment], drawn.neg)
        return *sums, drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """The mean over all cases, or of the classes' means at the declared mix."""
        of_pos, of_neg, Pos, Neg = parts
        with np.errstate(divide="ignore", invalid="ignore"):
            if not self.mix.declared:
                return ((of_pos + of_neg) / (Pos + Neg))[np.newaxis]
            share = self.mix.prevalence
            return (share * of_pos / Pos + (1 - share) * of_neg / Neg)[np.newaxis]


@dataclass(frozen=True, slots=True)
class RankingQuantity:
    """Any other quantity, computed on each replicate's ranking at the mix; NaN where a class is missing."""

    asked: Quantity
    value: Value
    mix: Mix = field(default_factory=Mix)
    smooth: bool = True
    depends_on_mix: bool = True
    variance: ClassVar[None] = None

    @property
    def names(self) -> tuple[str, ...]:
        """The quantity's text."""
        return (str(self.asked),)

    @property
    def of_probabilities(self) -> bool:
        """Whether scores have to be probabilities."""
        known = self.asked.known
        return isinstance(known, ModelNumber) and known.needs == "probabilities"

    def require(self, ranking: Ranking) -> None:
        """Probabilities, where it is of them; otherwise nothing beyond both classes."""
        if self.of_probabilities:
            ranking.require_probabilities()

    def parts(self, drawn: Resampled) -> Parts:
        """The value itself."""
        return (np.reshape([self._of(one) for one in drawn.each()], np.shape(drawn.Pos)),)

    def _of(self, one: Resampled) -> float:
        try:
            return float(self.value(self.mix.ranking(one.ranking(), probabilities=self.of_probabilities), self.asked))
        except OneClassError:
            return math.nan

    def values(self, parts: Floats) -> Floats:
        """The values as they are."""
        return parts


@dataclass(frozen=True, slots=True)
class DecomposedAt:
    """The parts of the Brier score at a mix, or of restated probabilities.

    >>> DecomposedAt(Mix(class_ratio=0.1)).names
    ('miscalibration', 'discrimination', 'refinement')
    """

    mix: Mix
    names: ClassVar[tuple[str, ...]] = Decomposed.names
    smooth: ClassVar[bool] = True
    variance: ClassVar[None] = None

    @property
    def depends_on_mix(self) -> bool:
        """Unless it is declared."""
        return not self.mix.declared

    def require(self, ranking: Ranking) -> None:
        """Probabilities."""
        ranking.require_probabilities()

    def parts(self, drawn: Resampled) -> Parts:
        """The values themselves."""
        values = np.array([self._of(one) for one in drawn.each()])
        return tuple(np.reshape(each, np.shape(drawn.Pos)) for each in values.T)

    def _of(self, one: Resampled) -> list[float]:
        try:
            parts = decomposition(self.mix.ranking(one.ranking(), probabilities=True), segments="hull")
        except OneClassError:
            return [math.nan] * len(self.names)
        return [float(getattr(parts, name)) for name in self.names]

    def values(self, parts: Floats) -> Floats:
        """The values as they are."""
        return parts


@dataclass(frozen=True, slots=True)
class LeastCost(BestCost):
    """The lowest expected cost that any threshold reaches, without that threshold."""

    names: ClassVar[tuple[str, ...]] = ("expected_cost",)

    def values(self, parts: Floats) -> Floats:
        """Expected cost."""
        return BestCost.values(self, parts)[:1]


def quantity_statistic(asked: Quantity, mix: Mix, condition: OperatingCondition | None) -> Any:
    """The statistic that computes a quantity on every replicate.

    A measure without a place is that of the cheapest threshold under the condition, and one with constraints that of
    the best threshold within them, looked for in every replicate anew; where none meets them, it is as bad as can be.
    """
    if asked.of_class is not None or asked.name in ELSEWHERE:
        why = "is of one class of several" if asked.of_class is not None else "needs a whole evaluation"
        raise refusal(f"{asked} {why}, so it is not resampled here", _known())
    costs = OperatingCondition() if condition is None else condition
    if asked.name == "auc":
        return Auc()
    if asked.name == "expected_cost":
        return LeastCost(costs) if asked.threshold is None else CostAt(asked.threshold, costs)
    if asked.measure is not None and asked.threshold is not None:
        return MeasureAt(asked.measure, asked.threshold, mix.class_ratio)
    if asked.measure is not None:
        within = [asked.measure, *(limit.measure for limit in asked.limits)]
        mixed = not mix.declared and (not asked.limits or any(changes_with_mix(each) for each in within))
        return RankingQuantity(asked, best_value(asked, costs), Mix(), smooth=False, depends_on_mix=mixed)
    if asked.name in CASE_MEANS:
        return CaseMean(asked, mix)
    smooth, mixed = asked.name not in ("ks", "e50", "e90"), not mix.declared and asked.name not in _WITHIN_CLASSES
    return RankingQuantity(asked, VALUES[asked.name], mix, smooth=smooth, depends_on_mix=mixed)


def best_choice(ranking: Ranking, asked: Quantity, condition: OperatingCondition) -> Choice:
    """Where a measure is taken: the best threshold within its constraints, or the cheapest one without."""
    if not asked.limits:
        return choose(ranking, condition)
    if asked.better == "higher":
        return choose(ranking, condition, maximise=asked.measure, subject_to=asked.limits)
    return choose(ranking, condition, minimise=asked.measure, subject_to=asked.limits)


def best_value(asked: Quantity, condition: OperatingCondition) -> Value:
    """The measure at that threshold, at the condition's class ratio; the worst possible where nothing meets it."""
    known = asked.measure
    if known is None:
        raise AssertionError(asked)
    worst = known.range[0] if known.better == "higher" else known.range[1]

    def value(ranking: Ranking, _: Quantity) -> float:
        try:
            table = best_choice(ranking, asked, condition).table
        except (InfeasibleError, MeasureError):
            return worst
        return float(known.of(table, class_ratio=condition.class_ratio))

    return value


def _known() -> list[str]:
    numbers = (name for name in MODEL_NUMBERS if name not in ELSEWHERE)
    examples = {"partial_auc": "partial_auc[fpr<=0.1]", "net_benefit": "net_benefit@0.05"}
    return [*(examples.get(name, name) for name in numbers), "decomposition", *MEASURES]


def _sum(each: Floats, counts: Any) -> Any:
    """Σ each · counts over the last axis, where 0 times infinity is 0."""
    endless = np.isinf(each)
    if not endless.any():
        return (counts * each).sum(axis=-1)
    finite = (counts * np.where(endless, 0.0, each)).sum(axis=-1)
    return np.where((counts[..., endless] > 0).any(axis=-1), math.inf, finite)


def _log_losses(p: Floats, _: Quantity) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore"):
        return -np.log(p), -np.log1p(-p)


def _benefits(p: Floats, asked: Quantity) -> tuple[Floats, Floats]:
    at = asked.probability or math.nan
    called = (p >= at).astype(np.float64)
    return called, -called * at / (1 - at)


def _partial(ranking: Ranking, asked: Quantity) -> float:
    within = asked.within
    if within is None:
        raise AssertionError(asked)
    ends, standardised = (within.low, within.high), asked.name != "partial_auc"
    if within.rate == "fpr":
        return partial_auc(ranking, fpr=ends, standardised=standardised)
    return partial_auc(ranking, tpr=ends, standardised=standardised)


def _part(ranking: Ranking, asked: Quantity) -> float:
    return float(getattr(decomposition(ranking, segments="hull"), asked.name))


def _expected(ranking: Ranking, _: Quantity) -> float:
    expected = float((ranking.pos + ranking.neg) @ ranking.score)
    return float(ranking.Pos) / expected if expected else math.nan


CASE_MEANS: Mapping[str, Callable[[Floats, Quantity], tuple[Floats, Floats]]] = MappingProxyType(
    {
        "brier": lambda p, _: ((1 - p) ** 2, p**2),
        "log_loss": _log_losses,
        "net_benefit": _benefits,
        "calibration_in_the_large": lambda p, _: (1 - p, -p),
    }
)
VALUES: Mapping[str, Value] = MappingProxyType(
    {
        "partial_auc": _partial,
        "standardised_partial_auc": _partial,
        "average_precision": lambda ranking, _: average_precision(ranking),
        "pr_area": lambda ranking, _: pr_area(ranking),
        "ks": lambda ranking, _: ks(ranking).statistic,
        "miscalibration": _part,
        "refinement": _part,
        "discrimination": _part,
        "uncertainty": _part,
        "calibration_intercept": lambda ranking, _: calibration_intercept(joined(ranking, most=_FINE)[0]),
        "calibration_slope": lambda ranking, _: calibration_slope(joined(ranking, most=_FINE)[0]),
        "observed_expected": _expected,
        "ici": lambda ranking, _: calibration_distances(ranking)[0],
        "e50": lambda ranking, _: calibration_distances(ranking)[1],
        "e90": lambda ranking, _: calibration_distances(ranking)[2],
    }
)
