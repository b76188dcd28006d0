"""Statistics of a bootstrap: what is computed on every replicate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeAlias, runtime_checkable

import numpy as np

from thresher._internal.arguments import as_number, require_number
from thresher.calibration import adjust_prevalence, recalibrate, squared_losses
from thresher.choices.objective import TIED_WEIGHTS
from thresher.errors import ArgumentError, OneClassError, ProbabilityError, argument
from thresher.inference.bootstrap.isotonic import pooled_impurity
from thresher.inference.bootstrap.sample import Parts, Resampled
from thresher.inference.intervals.auc import auc_variance
from thresher.ranking import Floats, Ranking
from thresher.tables import Contingency, Measure, OperatingCondition, measure
from thresher.tables.condition import require_condition, simplest

Threshold: TypeAlias = float | Mapping[str, float]
_FITS_INT64 = 2**62


@runtime_checkable
class Statistic(Protocol):
    """One or several numbers computed on every bootstrap replicate.

    `parts` are a few numbers per replicate, `values` the statistics computed from them. What depends on
    the mix of the classes is drawn with it, as the mix varies in samples too.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its values."""

    @property
    def smooth(self) -> bool:
        """Whether it is a smooth function of the data, as BCa limits assume."""
        return True

    @property
    def depends_on_mix(self) -> bool:
        """Whether it changes with the class ratio while both classes stay as they are."""
        return True

    @property
    def variance(self) -> Callable[[Ranking], float] | None:
        """The variance of the estimate on a ranking, where it is known."""
        return None

    def require(self, ranking: Ranking) -> None:
        """Raise where the sample cannot answer; by default both classes are enough."""
        ranking.require_both_classes()

    def parts(self, drawn: Resampled) -> Parts:
        """A few numbers of one replicate, or of several, in arrays."""

    def values(self, parts: Floats) -> Floats:
        """Values from parts: a row per name, a column per replicate."""
        return parts


@dataclass(frozen=True, slots=True)
class Mix:
    """The class mix at which numbers are stated; None means that of the data.

    `trained_at` is the prevalence that probabilities were made for. Where no class ratio is declared, they are restated
    from `trained_at` to `of_data`, the prevalence of the sample and not of a resample, and no case is re-weighted.
    """

    class_ratio: float | None = None
    trained_at: float | None = None
    of_data: float = math.nan

    @classmethod
    def of(cls, condition: OperatingCondition | None, trained_at: Any, of_data: float = math.nan) -> Mix:
        """The class mix that a condition declares.

        By default probabilities are taken to be for the mix of the data.
        """
        if trained_at is not None and not 0 < as_number(trained_at) < 1:
            what = f"{argument('trained_at')} must lie between 0 and 1, got {trained_at!r}"
            raise ProbabilityError(what, "give the prevalence that probabilities were made for, e.g. 0.5")
        class_ratio = None if condition is None else condition.class_ratio
        return cls(class_ratio, of_data if trained_at is None else trained_at, of_data)

    @property
    def declared(self) -> bool:
        """Whether it is another than the data's."""
        return self.class_ratio is not None

    @property
    def restates(self) -> bool:
        """Whether probabilities are restated."""
        return self.trained_at not in (None, self.prevalence) and not math.isnan(self.prevalence)

    @property
    def prevalence(self) -> float:
        """The proportion of positives: that of the data where none is declared."""
        return self.of_data if self.class_ratio is None else self.class_ratio / (1 + self.class_ratio)

    def ranking(self, ranking: Ranking, *, probabilities: bool) -> Ranking:
        """A ranking weighted to the mix; on request, its probabilities restated for it."""
        if self.class_ratio is None:
            return recalibrate(ranking, self.probabilities) if probabilities and self.restates else ranking
        if not probabilities:
            return ranking.at_class_ratio(self.class_ratio)
        return adjust_prevalence(ranking, self.prevalence, trained_at=self.trained_at)

    def probabilities(self, score: Floats) -> Floats:
        """Probabilities restated for the mix."""
        if self.trained_at is None or not self.restates:
            return score
        return adjust_prevalence(score, self.prevalence, trained_at=self.trained_at)


@dataclass(frozen=True)
class Auc(Statistic):
    """The area under the ROC curve, as `auc`."""

    names: ClassVar[tuple[str, ...]] = ("auc",)
    depends_on_mix: ClassVar[bool] = False

    @property
    def variance(self) -> Callable[[Ranking], float]:
        """DeLong's."""
        return auc_variance

    def parts(self, drawn: Resampled) -> Parts:
        """Twice the pairs lost plus those tied, and the class totals."""
        pairs, most = (float(np.max(counts)) * float(np.max(drawn.Neg)) for counts in (drawn.Pos, drawn.pos))
        pos = drawn.pos if pairs < _FITS_INT64 else drawn.pos.astype(np.float64)
        if pos.dtype == np.int32 and most > np.iinfo(np.int32).max:
            pos = pos.astype(np.int64)
        lost = (pos * drawn.fp_upto).sum(axis=-1)
        shared = drawn.fp_above is not drawn.fp_upto
        return lost + ((pos * drawn.fp_above).sum(axis=-1) if shared else lost), drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """The share of pairs won, a tie counting half."""
        lost, Pos, Neg = parts
        pairs = 2 * Pos * Neg
        return np.clip(_ratio(pairs - lost, pairs), 0.0, 1.0)[np.newaxis]


class OfProbabilities(Statistic):
    """A statistic of scores that are probabilities, stated at a mix."""

    mix: Mix

    @property
    def depends_on_mix(self) -> bool:
        """Unless it is declared."""
        return not self.mix.declared

    def require(self, ranking: Ranking) -> None:
        """Probabilities."""
        ranking.require_probabilities()


@dataclass(frozen=True)
class Decomposed(OfProbabilities):
    """Calibration and refinement loss of the Brier score, at a class mix.

    Pools are those of the hull, as in `decomposition(..., bins="hull")`. Both are biased in small samples, and
    resamples double the bias: see `calibration_intervals`.
    """

    mix: Mix = field(default_factory=Mix)
    names: ClassVar[tuple[str, ...]] = ("miscalibration", "discrimination", "refinement")

    def parts(self, drawn: Resampled) -> Parts:
        """Squared errors, impurity of the pools and class totals, at the mix."""
        if self.mix.class_ratio is not None:
            drawn = drawn.at_class_ratio(self.mix.class_ratio)
        order, score = drawn.order, self.mix.probabilities(drawn.order.score)
        of_pos, of_neg = squared_losses(score[order.pos.segment], score[order.neg.segment])
        squares = (of_pos * drawn.pos).sum(axis=-1) + (of_neg * drawn.neg).sum(axis=-1)
        impurity = [pooled_impurity(*one.by_segment()) for one in drawn.each()]
        return squares, np.reshape(impurity, np.shape(drawn.Pos)), drawn.Pos, drawn.Neg

    def values(self, parts: Floats) -> Floats:
        """Losses per case."""
        squares, impurity, Pos, Neg = parts
        total = Pos + Neg
        if self.mix.declared:
            total[Pos * Neg == 0] = 0  # a draw that lacks a class has no value at another mix
        brier, refinement, uncertainty = _ratio(squares, total), _ratio(impurity, total), _ratio(Pos * Neg, total**2)
        return np.stack([np.maximum(0.0, brier - refinement), np.maximum(0.0, uncertainty - refinement), refinement])


class _Cost(Statistic):
    """An expected cost, which depends on the mix unless the condition declares one."""

    condition: OperatingCondition

    @property
    def depends_on_mix(self) -> bool:
        """Unless the condition declares the mix."""
        return self.condition.class_ratio is None


@dataclass(frozen=True)
class BestCost(_Cost):
    """The lowest expected cost of any threshold, and that threshold.

    >>> BestCost(OperatingCondition(cost_ratio=5)).names
    ('best_cost', 'best_threshold')
    """

    condition: OperatingCondition = field(default_factory=OperatingCondition)
    names: ClassVar[tuple[str, ...]] = ("best_cost", "best_threshold")
    smooth: ClassVar[bool] = False
    _odds: tuple[Any, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        require_condition(self.condition)
        odds = self.condition.exact_cost_ratio
        if self.condition.class_ratio is not None:
            odds *= simplest(self.condition.class_ratio)
        object.__setattr__(self, "_odds", (odds.numerator, odds.denominator))

    def parts(self, drawn: Resampled) -> Parts:
        """The table at the best threshold, and the threshold."""
        points: list[tuple[float, float, float]] = []
        for one, group in zip(drawn.each(), self.best_groups(drawn), strict=True):
            if not (one.Pos and one.Neg):
                points.append((0.0, 0.0, math.nan))
            elif group < 0:
                points.append((0.0, 0.0, math.inf))
            else:
                points.append((one.tp[group], one.fp_upto[group], one.threshold_after(group)))
        tp, fp, threshold = np.array(points).T.reshape(3, *np.shape(drawn.Pos))
        return tp, fp, drawn.Pos, drawn.Neg, threshold

    def best_groups(self, drawn: Resampled) -> list[int]:
        """The last group of positives above the cheapest threshold, per replicate.

        It is -1 for none, and the middle one of ties. Only the split after a score that positives were drawn at can be
        best, or the one that calls nothing positive.
        """
        Pos, Neg = np.atleast_1d(drawn.Pos), np.atleast_1d(drawn.Neg)
        alike = (Pos == Pos[0]).all() and (Neg == Neg[0]).all()
        if self.condition.class_ratio is not None and not alike:
            return [group for one in drawn.each() for group in self.best_groups(one)]
        pos, tp, fp = (np.atleast_2d(counts) for counts in (drawn.pos, drawn.tp, drawn.fp_upto))
        miss, alarm = self._odds  # what a miss and a false alarm cost, up to a common factor
        if self.condition.class_ratio is not None:
            miss, alarm = miss * Neg[0].item(), alarm * Pos[0].item()
            if isinstance(miss, int):
                common = math.gcd(miss, alarm) or 1
                miss, alarm = miss // common, alarm // common
        most = alarm * max(Neg.max().item(), 1) + miss * max(Pos.max().item(), 1)
        exact = tp.dtype.kind == "i" and most < _FITS_INT64
        if not exact:
            miss, alarm = float(miss), float(alarm)
        elif most > np.iinfo(tp.dtype).max:
            tp, fp = tp.astype(np.int64), fp.astype(np.int64)
        loss = tp * -miss
        loss += fp if alarm == 1 else fp * alarm
        limit = np.minimum(loss.min(axis=1), 0) + (0 if exact else TIED_WEIGHTS * (alarm * Neg + miss * Pos))
        row, group = np.divmod(np.flatnonzero(loss <= limit[:, np.newaxis]), tp.shape[1])
        there = pos[row, group] > 0
        row, group = row[there], group[there]
        ends = np.searchsorted(row, np.arange(len(tp) + 1))
        best = []
        for start, end, none in zip(ends[:-1], ends[1:], (limit >= 0).tolist(), strict=True):
            tied = [-1, *group[start:end].tolist()] if none else group[start:end].tolist()
            best.append(tied[(len(tied) - 1) // 2])
        return best

    def values(self, parts: Floats) -> Floats:
        """Expected cost and threshold."""
        tp, fp, Pos, Neg, threshold = parts
        return np.stack([self.condition.expected_cost(counts_table(tp, fp, Pos, Neg)), threshold])


@dataclass(frozen=True)
class LeastCost(BestCost):
    """The lowest expected cost that any threshold reaches, without that threshold."""

    names: ClassVar[tuple[str, ...]] = ("expected_cost",)

    def values(self, parts: Floats) -> Floats:
        """Expected cost."""
        return BestCost.values(self, parts)[:1]


class _AtThreshold(Statistic):
    """What the table at a fixed threshold says, or at one fixed threshold per model."""

    threshold: Threshold

    def __post_init__(self) -> None:
        by_model = self.threshold if isinstance(self.threshold, Mapping) else {"threshold": self.threshold}
        for name, value in by_model.items():
            require_number(value, name=str(name))

    def parts(self, drawn: Resampled) -> Parts:
        """The table at the threshold."""
        threshold = self.threshold
        if isinstance(threshold, Mapping):
            if drawn.model not in threshold:
                what = f"there is no threshold for model {drawn.model!r}, only for {', '.join(map(repr, threshold))}"
                raise ArgumentError(what, "give one threshold, or one per model by its name")
            threshold = threshold[drawn.model]
        return *drawn.at(threshold), drawn.Pos, drawn.Neg


@dataclass(frozen=True)
class CostAt(_AtThreshold, _Cost):
    """The expected cost at a fixed threshold, or at one fixed threshold per model.

    >>> CostAt(0.5, OperatingCondition(cost_ratio=5)).names
    ('cost',)
    """

    threshold: Threshold
    condition: OperatingCondition = field(default_factory=OperatingCondition)
    names: ClassVar[tuple[str, ...]] = ("cost",)

    def __post_init__(self) -> None:
        super().__post_init__()
        require_condition(self.condition)

    def values(self, parts: Floats) -> Floats:
        """Expected cost."""
        return np.asarray(self.condition.expected_cost(counts_table(*parts)), dtype=np.float64)[np.newaxis]


@dataclass(frozen=True)
class MeasureAt(_AtThreshold):
    """A measure at a fixed threshold, one for all models or one per model.

    >>> MeasureAt("sensitivity", 0.5).names
    ('tpr',)
    """

    measure: str | Measure
    threshold: Threshold
    class_ratio: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The measure's name."""
        return (measure(self.measure).name,)

    @property
    def depends_on_mix(self) -> bool:
        """Unless it is a rate within a class, or the class ratio is declared."""
        return self.class_ratio is None and changes_with_mix(self.measure)

    def values(self, parts: Floats) -> Floats:
        """The measure of every table; NaN where it is undefined."""
        values = measure(self.measure).of(counts_table(*parts), class_ratio=self.class_ratio)
        return np.asarray(values, dtype=np.float64)[np.newaxis]


@dataclass(frozen=True)
class OfRanking(Statistic):
    """Any function from a ranking to a number.

    A replicate that it refuses for want of a class counts as NaN. Pass `depends_on_mix=False` where it depends on the
    distributions within classes alone, not on their mix. `probabilities` says whether scores are restated for the mix;
    None leaves that to the scores of the sample.

    >>> OfRanking("segments", len).names
    ('segments',)
    """

    name: str
    function: Callable[[Ranking], float]
    mix: Mix = field(default_factory=Mix)
    depends_on_mix: bool = True
    smooth: bool = True
    probabilities: bool | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The name given."""
        return (self.name,)

    def require(self, ranking: Ranking) -> None:
        """Refuse scores outside [0, 1] if it needs probabilities, and non-numeric values."""
        if self.probabilities is not None:
            if self.probabilities:
                ranking.require_probabilities()
            return
        value = self.function(self._at_mix(ranking, ranking.score))
        try:
            float(value)
        except (TypeError, ValueError):
            what = f"the statistic {self.name!r} gives {value!r}, which is no number"
            raise ArgumentError(what, "give a function that makes one number of a ranking") from None

    def parts(self, drawn: Resampled) -> Parts:
        """The value itself."""
        return (np.reshape([self._value(one) for one in drawn.each()], np.shape(drawn.Pos)),)

    def _value(self, one: Resampled) -> float:
        try:
            return float(self.function(self._at_mix(one.ranking(), one.order.score)))
        except OneClassError:
            return math.nan

    def _at_mix(self, ranking: Ranking, scores: Floats) -> Ranking:
        """A replicate at the mix, its scores restated if the sample's are probabilities."""
        inside = bool(scores[0] <= 1 and scores[-1] >= 0)
        return self.mix.ranking(ranking, probabilities=inside if self.probabilities is None else self.probabilities)


def _ratio(part: Floats, total: Floats) -> Floats:
    return np.divide(part, total, out=np.full_like(part, np.nan), where=total > 0)


def changes_with_mix(asked: str | Measure) -> bool:
    """Whether a measure depends on prevalence when tpr and fpr are fixed."""
    known, table = measure(asked), Contingency(tp=30, fn=20, fp=10, tn=40)
    return not math.isclose(known.of(table), known.of(table, class_ratio=3), rel_tol=1e-9)


def counts_table(tp: Floats, fp: Floats, Pos: Floats, Neg: Floats) -> Contingency:
    """The tables of all replicates; rounding of weights must not make a cell negative.

    A replicate of one class chooses no threshold, so its tp is NaN: its table is empty.
    """
    cells = tp, np.maximum(Pos - tp, 0.0), fp, np.maximum(Neg - fp, 0.0)
    return Contingency(*(np.where(np.isnan(tp), 0.0, cell) for cell in cells))
