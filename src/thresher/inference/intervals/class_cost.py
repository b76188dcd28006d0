"""Intervals for what decisions among k classes cost, from the costs of the cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from thresher._internal.arguments import require_instance, require_level
from thresher._internal.results import ReadOnlyFields
from thresher.cautions import Caution
from thresher.errors import ArgumentError
from thresher.inference.class_rows import ClassifiedRows
from thresher.inference.interval import Interval, student_quantile, undefined
from thresher.inference.intervals.auc import satterthwaite
from thresher.ranking import Floats, Indices, Segments
from thresher.tables import ConfusionMatrix, CostMatrix, OperatingCondition
from thresher.tables.condition import required_costs

_ROUNDING = 1e-28  # of a variance, relative to the square of the largest cost
_NO_SPREAD = "no case differs from another, so the interval shows no spread and says nothing of how sure this is"
_UNSEEN = "every case costs the same; the upper limit is what an error that was not seen may cost"
_NO_PROBABILITY = "a case has probability 0 for every class that has a share of the mix"


@dataclass(frozen=True, slots=True)
class UnseenError:
    """An action that no case of a class met, its cost, and what it may cost per case.

    Of n cases without an event, up to 3/n of all may have it (the rule of three, at 95 %): `limit` is the cost times
    that, times the share of the class. No resample of the data contains such a case (Margineantu & Dietterich 2000).
    """

    actual: object
    action: object
    cost: float
    cases: float
    limit: float


@dataclass(frozen=True, slots=True, eq=False)
class CaseCosts(ReadOnlyFields):
    """What each case costs under a rule, and what its probabilities foretold.

    Entry i stands for `cases[i]` cases (one, if None) of the class `actual[i]` for which `actions[i]` was taken. Means
    are those of the data, or, where `mix` declares the shares of the classes, of the means of the classes, and then
    costs vary within classes only. Limits are Student's. `weight` and `cluster` widen them.

    >>> from thresher.ranking import Segments
    >>> leaves = Segments.parse("[8,1,1][1,6,3][0,2,8]",
    ...     probability=[[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]], classes="abc")
    >>> equal = OperatingCondition(costs=CostMatrix.equal("abc"))
    >>> costs = CaseCosts.of_segments(leaves, equal, np.array([0, 1, 2]))
    >>> print(costs.interval())
    0.2667 [0.0987, 0.4346]
    >>> print(costs.foretold_minus_paid())
    0.0667 [-0.0984, 0.2317]
    >>> print(costs.minus(CaseCosts.of_segments(leaves, equal, np.array([0, 1, 1]))))
    -0.2000 [-0.4057, 0.0057]
    """

    costs: CostMatrix
    actual: Indices
    actions: Indices
    foretold: Floats
    mix: Floats | None
    cases: Floats | None = None
    weight: Floats | None = None
    cluster: Indices | None = None

    @classmethod
    def of_segments(cls, segments: Segments, condition: OperatingCondition, actions: Indices) -> Self:
        """The cases of segments, with the place of the action for each segment.

        Weights are read as numbers of cases.
        """
        costs, mix, factor = _at_deployment(segments, condition)
        segment, actual = np.nonzero(segments.counts)
        foretold = _foretold(segments.probability, costs, actions, factor)
        cases = segments.counts[segment, actual].astype(np.float64)
        return cls(costs, actual, actions[segment], foretold[segment], mix, cases)

    @classmethod
    def of_rows(cls, rows: ClassifiedRows, model: str, condition: OperatingCondition, actions: Indices) -> Self:
        """The rows of one model, with the place of the action for each row."""
        costs, mix, factor = _at_deployment(rows.class_mix, condition)
        foretold = _foretold(rows.matrices[model], costs, actions, factor)
        return cls(costs, rows.index, actions, foretold, mix, None, rows.weight, rows.cluster)

    @classmethod
    def of_confusion(cls, matrix: ConfusionMatrix, condition: OperatingCondition) -> Self:
        """The cases of a confusion matrix, of which nothing was foretold."""
        require_instance(
            matrix, ConfusionMatrix, "a confusion matrix", fix="make one: ConfusionMatrix(counts, classes)"
        )
        require_instance(condition, OperatingCondition, "a condition", fix="make a th.OperatingCondition with costs")
        mixed = Segments(np.eye(len(matrix.classes)), np.diag(matrix.actual), classes=matrix.classes)
        costs, mix, _ = _at_deployment(mixed, condition)
        costs.cost_by_class(matrix)  # refuses actions without costs
        actual, column = np.nonzero(matrix.counts)
        place = np.array([costs.actions.index(name) for name in matrix.actions])
        cases = matrix.counts[actual, column].astype(np.float64)
        return cls(costs, actual, place[column], np.full(len(actual), math.nan), mix, cases)

    @property
    def paid(self) -> Floats:
        """The cost of each entry's action for its class."""
        paid: Floats = self.costs.costs[self.actual, self.actions]
        return paid

    @property
    def mean(self) -> float:
        """The expected cost per case, without limits."""
        mass = self._mass()
        of_class = np.bincount(self.actual, weights=mass * self.paid, minlength=len(self.costs.classes))
        if self.mix is None:
            return float(of_class.sum() / mass.sum())
        used = self.mix > 0
        cases = np.bincount(self.actual, weights=mass, minlength=used.size)
        return float((self.mix[used] * of_class[used] / cases[used]).sum())

    def interval(self, *, level: float = 0.95) -> Interval:
        """The expected cost per case.

        Where every case costs the same, an error that was not seen sets the upper limit.
        """
        interval = self._mean(self.paid, level)
        unseen = self.unseen_errors(level=level)
        if interval.variance > 0 or math.isnan(interval.variance) or not unseen:
            return interval
        upper = interval.estimate + unseen[0].limit
        return Interval(interval.estimate, interval.estimate, upper, 0.0, level, "rule of three", _UNSEEN)

    def minus(self, other: CaseCosts, *, level: float = 0.95) -> Interval:
        """What this rule costs more per case than another on the same cases."""
        if not np.array_equal(self.actual, other.actual):
            raise ArgumentError("the two rules are of different cases", "give costs of the same rows, in one order")
        return self._mean(self.paid - other.paid, level)

    def foretold_minus_paid(self, *, level: float = 0.95) -> Interval:
        """What the probabilities say that the decisions cost, minus what they cost.

        Below 0 where probabilities are too sure of themselves: decisions cost more than the model foretells.
        """
        return self._mean(self.foretold - self.paid, level)

    def unseen_errors(self, *, level: float = 0.95) -> tuple[UnseenError, ...]:
        """Actions that no case of a class met and that would cost it, the dearest first.

        >>> matrix = ConfusionMatrix([[90, 10], [0, 20]], classes=["ham", "spam"])
        >>> condition = OperatingCondition(costs=CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}}))
        >>> CaseCosts.of_confusion(matrix, condition).unseen_errors()
        (UnseenError(actual='spam', action='ham', cost=1.0, cases=20.0, limit=0.024...),)
        """
        require_level(level)
        k, a = self.costs.costs.shape
        seen = np.bincount(self.actual * a + self.actions, weights=self.cases, minlength=k * a).reshape(k, a) > 0
        regret, cases, share = self.costs.regret.costs, self._independent_cases(), self.shares()
        with np.errstate(divide="ignore", invalid="ignore"):
            limit = regret * (share * -math.log(1 - level) / cases)[:, np.newaxis]
        cells = np.argwhere(~seen & (limit > 0))
        classes, actions = self.costs.classes, self.costs.actions
        errors = [
            UnseenError(classes[i], actions[j], float(regret[i, j]), float(cases[i]), float(limit[i, j]))
            for i, j in cells.tolist()
        ]
        return tuple(sorted(errors, key=lambda error: -error.limit))

    def cautions(self, *, level: float = 0.95) -> tuple[Caution, ...]:
        """The error that was not seen, where it may cost more than the limits show."""
        interval, unseen = self.interval(level=level), self.unseen_errors(level=level)
        if not unseen or not unseen[0].limit > interval.upper - interval.estimate:
            return ()
        worst = unseen[0]
        what = f"none of {worst.cases:,.10g} cases of {worst.actual!r} met {worst.action!r}, which costs {worst.cost:g}"
        text = f"{what}; it may cost up to {worst.limit:.4g} per case, more than the limits show"
        return (Caution("unseen-error", text),)

    def shares(self) -> Floats:
        """The share of each class: as declared, or that of the data."""
        if self.mix is not None:
            return self.mix
        of_class = np.bincount(self.actual, weights=self._mass(), minlength=len(self.costs.classes))
        return np.asarray(of_class / of_class.sum(), dtype=np.float64)

    def _mass(self) -> Floats:
        """What each entry weighs in means of the data."""
        cases = np.ones(self.actual.size) if self.cases is None else self.cases
        return cases if self.weight is None else cases * self.weight

    def _independent_cases(self) -> Floats:
        """Independent cases of each class: clusters, or Kish's (1965) number of rows."""
        k = len(self.costs.classes)
        if self.cluster is not None:
            pairs = np.unique(self.cluster * k + self.actual)
            return np.bincount(pairs % k, minlength=k).astype(np.float64)
        if self.weight is None:
            return np.bincount(self.actual, weights=self.cases, minlength=k).astype(np.float64)
        sums, squares = (np.bincount(self.actual, weights=each, minlength=k) for each in (self.weight, self.weight**2))
        return np.divide(sums * sums, squares, out=np.zeros(k), where=squares > 0)

    def _mean(self, values: Floats, level: float) -> Interval:
        """Student's interval for the mean of values, stratified where a mix is declared."""
        require_level(level)
        k, mass = len(self.costs.classes), self._mass()
        if self.mix is None:
            stratum, share = np.zeros(self.actual.size, dtype=np.int64), np.ones(1)
        else:
            stratum, share = self.actual, self.mix
        of_stratum = np.bincount(stratum, weights=mass, minlength=share.size)
        used = share > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.bincount(stratum, weights=mass * values, minlength=share.size) / of_stratum
            per_case = (share / of_stratum)[stratum]
        estimate = float((share[used] * means[used]).sum())
        if math.isnan(estimate):
            return undefined(level, _NO_PROBABILITY)
        influence = np.where(used[stratum], per_case * (values - means[stratum]), 0.0)
        if self.weight is not None:
            influence = influence * self.weight
        number = np.ones(self.actual.size) if self.cases is None else self.cases
        n: Floats = np.bincount(stratum, weights=number, minlength=share.size).astype(np.float64)
        if (lone := used & ~(n > 1)).any():
            whose = f"class {self.costs.classes[int(lone.argmax())]!r} has" if share.size == k else "there is"
            note = f"{whose} one case, which shows no spread"
            return Interval(estimate, math.nan, math.nan, math.nan, level, "none", note)
        squares = np.bincount(stratum, weights=number * influence**2, minlength=share.size)
        parts = np.where(used, squares * n / np.maximum(n - 1, 1e-9), 0.0)
        variance, freedom = self._with_clusters(float(parts.sum()), parts[used], n[used], influence)
        largest = float(np.abs(values).max())
        if variance <= _ROUNDING * largest * largest:
            return Interval(estimate, estimate, estimate, 0.0, level, "moments", _NO_SPREAD)
        reach = student_quantile(level, freedom) * math.sqrt(variance)
        return Interval(estimate, estimate - reach, estimate + reach, variance, level, "moments")

    def _with_clusters(self, variance: float, parts: Floats, n: Floats, influence: Floats) -> tuple[float, float]:
        """The variance by rows or by clusters, the larger, and its degrees of freedom."""
        freedom = satterthwaite(parts.tolist(), n.tolist()) if variance > 0 else float(n.sum() - 1)
        if self.cluster is None:
            return variance, freedom
        units = int(self.cluster.max()) + 1
        if units < 2:
            raise ArgumentError("one cluster has no spread", "give at least two clusters, or leave them out")
        sums = np.bincount(self.cluster, weights=influence)
        return max(variance, float(sums @ sums) * units / (units - 1)), min(freedom, units - 1.0)


def least_costs(rows: ClassifiedRows, model: str, condition: OperatingCondition) -> CaseCosts:
    """What taking the action of least expected cost costs for the rows of one model."""
    costs, weights = required_costs(condition.for_data(rows.class_mix)), condition.class_weights(rows.class_mix)
    return CaseCosts.of_rows(rows, model, condition, costs.decide(rows.matrices[model], weights=weights))


def _at_deployment(segments: Segments, condition: OperatingCondition) -> tuple[CostMatrix, Floats | None, Floats]:
    """Costs in the order of the classes, the declared mix, what a case of each counts."""
    resolved = condition.for_data(segments)
    if resolved.costs is None or resolved.mix is None:
        raise TypeError("a condition of k classes has costs and, of data, a mix")
    declared = None if condition.mix is None else np.array([resolved.mix[name] for name in segments.classes])
    return resolved.costs, declared, condition.class_weights(segments)


def _foretold(probability: Floats, costs: CostMatrix, actions: Indices, factor: Floats) -> Floats:
    """The expected cost of each row's action by its probabilities, at another mix."""
    likelihood = probability * factor
    with np.errstate(invalid="ignore", divide="ignore"):
        expected: Floats = (likelihood * costs.costs.T[actions]).sum(axis=1) / likelihood.sum(axis=1)
    return expected
