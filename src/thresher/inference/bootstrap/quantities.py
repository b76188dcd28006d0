"""Quantities of the grammar as statistics of a bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

import numpy as np

from thresher.calibration import decomposition, log_losses, squared_losses
from thresher.calibration.cox import calibration_intercept, calibration_slope
from thresher.choices import Choice, choose
from thresher.choices.objective import mix_factors
from thresher.curves import auc, average_precision, ks, partial_auc, pr_area
from thresher.errors import ArgumentError, InfeasibleError, MeasureError
from thresher.inference.bootstrap.sample import Parts, Resampled
from thresher.inference.bootstrap.statistics import (
    Auc,
    BestCost,
    CostAt,
    Decomposed,
    LeastCost,
    MeasureAt,
    Mix,
    OfProbabilities,
    OfRanking,
    Statistic,
    changes_with_mix,
)
from thresher.inference.intervals.lowess import calibration_distances
from thresher.ranking import Counts, Floats, Ranking, shorten
from thresher.tables import (
    MEASURES,
    MODEL_NUMBERS,
    Contingency,
    Measure,
    ModelNumber,
    OperatingCondition,
    Quantity,
    quantity,
    refusal,
)

ELSEWHERE = ("out_of_bag_cost", "saving")  # which evaluate(...) alone knows
_WITHIN_CLASSES = ("auc", "partial_auc", "standardised_partial_auc", "ks")
_FUNCTIONS_WITHIN_CLASSES = (auc, partial_auc)  # also where functools.partial holds their arguments
_FINE = 1 << 14  # segments of a replicate that a logistic regression tells apart


@dataclass(frozen=True)
class CaseMean(OfProbabilities):
    """The mean of a loss over cases, at a class mix."""

    asked: Quantity
    mix: Mix = field(default_factory=Mix)

    @property
    def names(self) -> tuple[str, ...]:
        """The quantity's text."""
        return (str(self.asked),)

    def parts(self, drawn: Resampled) -> Parts:
        """The sums over positives and over negatives, and the class totals."""
        order, score = drawn.order, self.mix.probabilities(drawn.order.score)
        of_pos, of_neg = CASE_MEANS[self.asked.name](score[order.pos.segment], score[order.neg.segment], self.asked)
        return _sum(of_pos, drawn.pos), _sum(of_neg, drawn.neg), drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """The mean over all cases, or of the classes' means at the declared mix."""
        of_pos, of_neg, Pos, Neg = parts
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.mix.class_ratio is None:
                return ((of_pos + of_neg) / (Pos + Neg))[np.newaxis]
            odds = self.mix.class_ratio
            return ((odds * of_pos / Pos + of_neg / Neg) / (1 + odds))[np.newaxis]


@dataclass(frozen=True)
class MeasureAtBest(Statistic):
    """A measure at the best threshold within constraints, or at the cheapest one.

    The threshold is sought again in every replicate. Where none meets the constraints, the value is as bad as can be.
    """

    asked: Quantity
    condition: OperatingCondition
    smooth: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, ...]:
        """The quantity's text."""
        return (str(self.asked),)

    @property
    def depends_on_mix(self) -> bool:
        """Unless the mix is declared, or rates within classes alone are compared."""
        within = [self.measure, *(limit.measure for limit in self.asked.limits)]
        mixed = not self.asked.limits or any(changes_with_mix(each) for each in within)
        return mixed and self.condition.class_ratio is None

    @property
    def measure(self) -> Measure:
        """The measure itself."""
        if self.asked.measure is None:
            raise AssertionError(self.asked)
        return self.asked.measure

    def parts(self, drawn: Resampled) -> Parts:
        """The value itself."""
        if self.asked.limits:
            values = [self._within(one) for one in drawn.each()]
        else:
            groups = BestCost(self.condition).best_groups(drawn)
            values = [self._after(one, group) for one, group in zip(drawn.each(), groups, strict=True)]
        return (np.reshape(values, np.shape(drawn.Pos)),)

    def _after(self, one: Resampled, group: int) -> float:
        """The measure where a group of positives is the last called positive."""
        tp, fp = (one.tp[group], one.fp_upto[group]) if group >= 0 else (0, 0)
        table = Contingency(tp=tp, fn=max(one.Pos - tp, 0), fp=fp, tn=max(one.Neg - fp, 0))
        if not (one.Pos and one.Neg):
            return math.nan
        return float(self.measure.of(table, class_ratio=self.condition.class_ratio))

    def _within(self, one: Resampled) -> float:
        """The best value of all splits that meet the constraints."""
        if not (one.Pos and one.Neg):
            return math.nan
        higher = self.measure.better == "higher"
        worst = self.measure.range[0 if higher else 1]
        if one.pos.dtype.kind == "f":  # sums of weights round, which `choose` takes care of
            try:
                table = best_choice(one.ranking(), self.asked, self.condition).table
            except (InfeasibleError, MeasureError):
                return worst
            return float(self.measure.of(table, class_ratio=self.condition.class_ratio))
        tp, fp = (np.cumsum(np.append(0, counts)) for counts in one.by_segment())
        allowed = np.ones(tp.size, dtype=np.bool_)
        for limit in self.asked.limits:
            allowed &= limit.holds(self._tables(limit.measure, one, tp, fp))
        values = self.measure.of(self._tables(self.measure, one, tp[allowed], fp[allowed]))
        if np.isnan(values).all():
            return worst
        return float(np.nanmax(values) if higher else np.nanmin(values))

    def _tables(self, known: Measure, one: Resampled, tp: Counts, fp: Counts) -> Contingency:
        """Tables at the condition's mix, as `choose` compares them."""
        up, down = 1.0, 1.0
        if self.condition.class_ratio is not None and known.depends_on_mix:
            up, down = mix_factors(self.condition.class_ratio, one.Pos, one.Neg)
        return Contingency(tp * up, (one.Pos - tp) * up, fp * down, (one.Neg - fp) * down)


Wanted: TypeAlias = str | Statistic | Callable[[Ranking], float]
_DECOMPOSITION = "decomposition"  # one fit, several quantities


def statistics_of(
    wanted: Wanted | Sequence[Wanted] | Mapping[str, Wanted],
    mix: Mix | None = None,
    condition: OperatingCondition | None = None,
) -> dict[tuple[str, ...], Statistic]:
    """Statistics by the names of their values, at a class mix and under a condition.

    Each is the text of a quantity ("auc", "net_benefit@0.05"), "decomposition", a `Statistic`, or a function of a
    ranking, which is taken to depend on the mix of the classes, but for `auc` and `partial_auc`;
    `OfRanking(name, function, depends_on_mix=False)` says otherwise. A text names its value; a mapping names them
    otherwise, and where a statistic has several values, the name comes before theirs.
    """
    at = Mix() if mix is None else mix
    entries: list[tuple[str | None, Any]]
    if isinstance(wanted, Mapping):
        entries = list(wanted.items())
    else:
        several = wanted if isinstance(wanted, Sequence) and not isinstance(wanted, str) else [wanted]
        entries = [(None, each) for each in several]
    statistics = []
    for name, each in entries:
        own_name = getattr(each, "__name__", "statistic") if name is None else name
        statistic = _statistic(each, own_name, at, condition)
        names = statistic.names
        if name is not None:
            names = (name,) if len(names) == 1 else tuple(f"{name} {part}" for part in names)
        elif isinstance(each, str) and each != _DECOMPOSITION:
            names = (each.strip(),)
        statistics.append((names, statistic))
    every = [name for names, _ in statistics for name in names]
    if not every:
        raise ArgumentError("there are no statistics", 'give e.g. ["auc"]')
    twice = [name for name in every if every.count(name) > 1]
    if twice:
        raise ArgumentError(
            f"two statistics are called {twice[0]!r}", 'name them: {"recall at 0.5": MeasureAt("recall", 0.5), ...}'
        )
    return dict(statistics)


def _statistic(wanted: Wanted, name: str, mix: Mix, condition: OperatingCondition | None) -> Statistic:
    if isinstance(wanted, str):
        return Decomposed(mix) if wanted == _DECOMPOSITION else quantity_statistic(quantity(wanted), mix, condition)
    if isinstance(wanted, type) or not (isinstance(wanted, Statistic) or callable(wanted)):
        raise ArgumentError(f"{wanted!r} is no statistic", "give a quantity, a Statistic or a function of a ranking")
    if isinstance(wanted, MeasureAt) and wanted.class_ratio is None:
        return replace(wanted, class_ratio=mix.class_ratio)
    if isinstance(wanted, Statistic):
        return wanted
    mixed = not mix.declared and getattr(wanted, "func", wanted) not in _FUNCTIONS_WITHIN_CLASSES
    return OfRanking(name, wanted, mix, depends_on_mix=mixed)


def quantity_statistic(asked: Quantity, mix: Mix, condition: OperatingCondition | None) -> Statistic:
    """The statistic that computes a quantity on every replicate.

    A measure without a place is that of the cheapest threshold under the condition, and one with constraints that of
    the best threshold within them, sought again in every replicate; where none meets them, it is as bad as can be.
    """
    if asked.of_several or asked.name in ELSEWHERE:
        why = "is of several classes" if asked.of_several else "needs a whole evaluation"
        examples = {"partial_auc": "partial_auc[fpr<=0.1]", "net_benefit": "net_benefit@0.05"}
        numbers = [examples.get(name, name) for name in MODEL_NUMBERS if name not in ELSEWHERE]
        raise refusal(f"{asked} {why}, so it is not resampled here", [*numbers, "decomposition", *MEASURES])
    costs = OperatingCondition() if condition is None else condition
    if asked.name == "auc":
        return Auc()
    if asked.name == "expected_cost":
        return LeastCost(costs) if asked.threshold is None else CostAt(asked.threshold, costs)
    if asked.name in CASE_MEANS:
        return CaseMean(asked, mix)
    if asked.measure is not None and asked.threshold is not None:
        return MeasureAt(asked.measure, asked.threshold, mix.class_ratio)
    if asked.measure is not None:
        return MeasureAtBest(asked, costs)
    known, of_ranking = asked.known, VALUES[asked.name]
    return OfRanking(
        str(asked),
        lambda ranking: of_ranking(ranking, asked),
        mix,
        depends_on_mix=asked.name not in _WITHIN_CLASSES and not mix.declared,
        smooth=asked.name not in ("ks", "e50", "e90"),
        probabilities=isinstance(known, ModelNumber) and known.needs == "probabilities",
    )


def best_choice(ranking: Ranking, asked: Quantity, condition: OperatingCondition) -> Choice:
    """The best threshold within the constraints, or the cheapest without any."""
    if not asked.limits:
        return choose(ranking, condition)
    if asked.better == "higher":
        return choose(ranking, condition, maximise=asked.measure, subject_to=asked.limits)
    return choose(ranking, condition, minimise=asked.measure, subject_to=asked.limits)


def _sum(each: Floats, counts: Any) -> Any:
    """Σ each · counts over the last axis, where 0 times infinity is 0."""
    endless = np.isinf(each)
    if not endless.any():
        return (counts * each).sum(axis=-1)
    finite = (counts * np.where(endless, 0.0, each)).sum(axis=-1)
    return np.where((counts[..., endless] > 0).any(axis=-1), math.inf, finite)


def _net_benefits(of_pos: Floats, of_neg: Floats, asked: Quantity) -> tuple[Floats, Floats]:
    at = asked.probability or math.nan
    return (of_pos >= at).astype(np.float64), -(of_neg >= at).astype(np.float64) * at / (1 - at)


def _partial_area(ranking: Ranking, asked: Quantity) -> float:
    within = asked.within
    if within is None:
        raise AssertionError(asked)
    ends, standardised = (within.low, within.high), asked.name != "partial_auc"
    if within.rate == "fpr":
        return partial_auc(ranking, fpr=ends, standardised=standardised)
    return partial_auc(ranking, tpr=ends, standardised=standardised)


def _brier_part(ranking: Ranking, asked: Quantity) -> float:
    return float(getattr(decomposition(ranking, bins="hull"), asked.name))


def _observed_expected(ranking: Ranking, _: Quantity) -> float:
    expected = float((ranking.pos + ranking.neg) @ ranking.score)
    return float(ranking.Pos) / expected if expected else math.nan


CASE_MEANS: Mapping[str, Callable[[Floats, Floats, Quantity], tuple[Floats, Floats]]] = MappingProxyType(
    {
        "brier": lambda of_pos, of_neg, _: squared_losses(of_pos, of_neg),
        "log_loss": lambda of_pos, of_neg, _: log_losses(of_pos, of_neg),
        "net_benefit": _net_benefits,
        "calibration_in_the_large": lambda of_pos, of_neg, _: (1 - of_pos, -of_neg),
    }
)
VALUES: Mapping[str, Callable[[Ranking, Quantity], float]] = MappingProxyType(
    {
        "partial_auc": _partial_area,
        "standardised_partial_auc": _partial_area,
        "average_precision": lambda ranking, _: average_precision(ranking),
        "pr_area": lambda ranking, _: pr_area(ranking),
        "ks": lambda ranking, _: ks(ranking).statistic,
        "miscalibration": _brier_part,
        "refinement": _brier_part,
        "discrimination": _brier_part,
        "uncertainty": _brier_part,
        "calibration_intercept": lambda ranking, _: calibration_intercept(shorten(ranking, _FINE, keep="even")),
        "calibration_slope": lambda ranking, _: calibration_slope(shorten(ranking, _FINE, keep="even")),
        "observed_expected": _observed_expected,
        "ici": lambda ranking, _: calibration_distances(ranking)[0],
        "e50": lambda ranking, _: calibration_distances(ranking)[1],
        "e90": lambda ranking, _: calibration_distances(ranking)[2],
    }
)
