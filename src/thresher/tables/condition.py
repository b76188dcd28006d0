"""Operating conditions: costs of errors and the class mix in use."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any, Self, overload

import numpy as np

from thresher._internal.arguments import as_number, require_instance, require_number, short_repr
from thresher._internal.json import FieldError, fields, not_written, number, numbers, or_none
from thresher._internal.results import read_only
from thresher.errors import ConditionError, argument
from thresher.inputs.labels import listed
from thresher.ranking import EXACT_INTEGERS, Floats, Ranking, Segments, require_mix, require_ranking, require_segments
from thresher.tables.confusion import ConfusionMatrix
from thresher.tables.contingency import Contingency, ratio, require_table
from thresher.tables.costs import LEAST_COST, MOST_COST, CostMatrix

_SIMPLE = 10**6
_FIXES = {
    "class_ratio": "give Pos / Neg at deployment, e.g. 0.01 for 1 positive per 100",
    "cost_ratio": "give the cost of a miss in false alarms, e.g. 10",
}
_FOR_CLASSES = (
    "give OperatingCondition(costs=CostMatrix(...)); of two classes, condition.cost_matrix(positive=..., negative=...)"
)
_ROUNDED = 1e-12  # weights this close to 1 say that the mix is that of the data
_PARTS = ("class_ratio", "cost_fp", "cost_fn", "cost_tp", "cost_tn")


@dataclass(frozen=True, slots=True, init=False)
class OperatingCondition:
    """Class ratio and costs at deployment.

    Declare the class mix by `class_ratio` (Pos / Neg) or `prevalence`; None means 'as in the data'. Declare the costs
    by `cost_ratio` (cost_fn / cost_fp), in units of one false positive, or by name. Costs of right calls are
    subtracted: what matters is cost_fp - cost_tn and cost_fn - cost_tp.

    Conditions of k classes have `costs`, a `CostMatrix`, and the `mix`: the share of each class at deployment.

    >>> OperatingCondition(class_ratio=0.75, cost_ratio=2).slope_roc
    0.6666666666666666
    >>> OperatingCondition(prevalence=0.2, cost_fp=1, cost_fn=10)
    OperatingCondition(prevalence=0.2, cost_ratio=10)
    >>> OperatingCondition(costs=CostMatrix.equal("abc"), mix={"a": 0.5, "b": 0.25, "c": 0.25}).mix["a"]
    0.5
    """

    class_ratio: float | None
    cost_fp: float
    cost_fn: float
    cost_tp: float
    cost_tn: float
    costs: CostMatrix | None
    _shares: tuple[float, ...] | None
    _as_prevalence: bool = field(compare=False)

    def __init__(
        self,
        class_ratio: float | None = None,
        cost_ratio: float | None = None,
        *,
        prevalence: float | None = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        cost_tp: float = 0,
        cost_tn: float = 0,
        costs: CostMatrix | None = None,
        mix: Mapping[Any, float] | None = None,
    ) -> None:
        required = {"cost_tp": cost_tp, "cost_tn": cost_tn}
        optional = {"cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": prevalence}
        ratios = {"class_ratio": class_ratio, "cost_ratio": cost_ratio}
        if costs is not None or mix is not None:
            named = [name for name, part in (ratios | optional | required).items() if part]
            self._fill_for_classes(costs, mix, named)
            return
        for name, part in (optional | ratios | required).items():
            if part is not None or name in required:
                size = require_number(part, name=name, fix="give one", error=ConditionError)
                if name in ratios and not 0 < size < math.inf:
                    what = f"{argument(name)} must be above 0" + (" and finite" if size == math.inf else "")
                    raise ConditionError(f"{what}, got {short_repr(part)}", _FIXES[name], parameter=name)
        fp, fn = _costs_of_errors(cost_ratio, cost_fp, cost_fn, cost_tp, cost_tn)
        odds = _class_ratio(class_ratio, prevalence)
        _require_moderate(odds, fp, fn, cost_tp, cost_tn)
        declared: tuple[Any, ...] = (odds, fp, fn, cost_tp, cost_tn)
        plain = (part if part is None or isinstance(part, int) else float(part) for part in declared)
        parts: dict[str, Any] = dict(zip(_PARTS, plain, strict=True))
        of_classes = {"costs": None, "_shares": None}
        for name, part in (parts | of_classes | {"_as_prevalence": prevalence is not None}).items():
            object.__setattr__(self, name, part)

    def _fill_for_classes(self, costs: Any, mix: Any, others: list[str]) -> None:
        if costs is None:
            what = f"a {argument('mix')} without {argument('costs')} names classes that nothing costs"
            fix = f"give {argument('costs')} too, e.g. CostMatrix.equal([...])"
            raise ConditionError(what, f"{fix}; of two classes, declare class_ratio or prevalence", parameter="mix")
        fix = 'give e.g. CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}})'
        require_instance(costs, CostMatrix, "a CostMatrix", name="costs", fix=fix)
        if others:
            what = f"both {argument('costs')} of named classes and {argument(others[0])} of two classes are given"
            raise ConditionError(what, "give one or the other", parameter=others[0])
        shares = None if mix is None else tuple(require_mix(mix, costs.classes).tolist())
        parts = dict.fromkeys((*_PARTS, "_as_prevalence"))  # None, so that no two-class arithmetic goes unnoticed
        for name, part in (parts | {"costs": costs, "_shares": shares}).items():
            object.__setattr__(self, name, part)

    @classmethod
    def from_cost_matrix(cls, costs: CostMatrix, *, positive: Any, mix: Mapping[Any, float] | None = None) -> Self:
        """The condition of two classes that has these costs; `cost_matrix` goes back.

        >>> OperatingCondition.from_cost_matrix(CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}}), positive="spam")
        OperatingCondition(class_ratio=as in the data, cost_fp=10, cost_fn=1)
        """
        require_instance(costs, CostMatrix, "a cost matrix", name="costs", fix="give a CostMatrix of two classes")
        if len(costs.actions) != 2:
            what = f"a threshold decides between two classes, and costs are of the actions {listed(costs.actions)}"
            raise ConditionError(what, "pass choose(segments, OperatingCondition(costs=...)) what has more")
        i = costs.for_classes(costs.classes).classes.index(positive) if positive in costs.classes else None
        if i is None:
            raise ConditionError(f"{positive!r} is not among the classes {listed(costs.classes)}", "give one of them")
        (tp, fn), (fp, tn) = costs.costs[np.ix_([i, 1 - i], [i, 1 - i])].tolist()
        prevalence = None if mix is None else float(require_mix(mix, costs.classes)[i])
        return cls(prevalence=prevalence, cost_fp=fp, cost_fn=fn, cost_tp=tp, cost_tn=tn)

    def cost_matrix(self, *, positive: Any, negative: Any) -> CostMatrix:
        """The costs of two classes by name, the positive class first.

        >>> print(OperatingCondition(cost_fp=10, cost_fn=1).cost_matrix(positive="spam", negative="ham"))
        actual   action: spam   ham
        spam                0     1
        ham                10     0
        """
        require_two_classes(self)
        costs = [[self.cost_tp, self.cost_fn], [self.cost_fp, self.cost_tn]]
        return CostMatrix.from_array(costs, [positive, negative], rows="actual")

    @property
    def mix(self) -> Mapping[Any, float] | None:
        """The declared share of each class; None when as in the data, or of two classes."""
        if self.costs is None or self._shares is None:
            return None
        mix: Mapping[Any, float] = read_only(dict(zip(self.costs.classes, self._shares, strict=True)))
        return mix

    @property
    def cost_ratio(self) -> float:
        """What a miss costs in false alarms: (cost_fn - cost_tp) / (cost_fp - cost_tn)."""
        return float(self.exact_cost_ratio)

    @property
    def exact_cost_ratio(self) -> Fraction:
        """The cost ratio as the simplest fractions of the costs given: 0.3 / 0.1 is 3."""
        require_two_classes(self)
        miss, alarm = simplest(self.cost_fn) - simplest(self.cost_tp), simplest(self.cost_fp) - simplest(self.cost_tn)
        return miss / alarm

    @property
    def prevalence(self) -> float | None:
        """The proportion of positives at deployment; None when as in the data."""
        return None if self.shares is None else self.shares[0]

    @property
    def shares(self) -> tuple[float, float] | None:
        """The proportions of positives and negatives; None when as in the data.

        Each is one quotient: 1 minus a prevalence near 1 has few digits left.

        >>> OperatingCondition(class_ratio=3).shares
        (0.75, 0.25)
        """
        odds = self.class_ratio
        return None if odds is None else (odds / (1 + odds), 1 / (1 + odds))

    @property
    def mix_text(self) -> str:
        """The class mix in words, in the form it was declared in.

        >>> OperatingCondition(prevalence=0.01).mix_text, OperatingCondition(class_ratio=0.25).mix_text
        ('1 % positive', 'class ratio 0.25')
        >>> OperatingCondition().mix_text
        'the mix of the data'
        """
        if self.mix is not None:
            return ", ".join(f"{100 * share:.4g} % {name}" for name, share in self.mix.items())
        if self.class_ratio is None or self.prevalence is None:
            return "the mix of the data"
        share = f"{100 * self.prevalence:.4g} % positive"
        return share if self._as_prevalence else f"class ratio {self.class_ratio:.4g}"

    @property
    def slope_roc(self) -> float:
        """Slope of equal-cost lines in ROC space: 1 / (cost_ratio · class_ratio)."""
        require_two_classes(self)
        if self.class_ratio is None:
            fix = f"use condition.for_data(ranking).slope_roc, or declare {argument('class_ratio')}"
            raise ConditionError("the class ratio is as in the data, so the ROC slope depends on the data", fix)
        return float(1 / (self.exact_cost_ratio * simplest(self.class_ratio)))

    def slope_coverage(self, ranking: Ranking) -> float:
        """Slope of equal-cost lines in the coverage space of a ranking.

        >>> from thresher.ranking import Ranking
        >>> spam_tree = Ranking.parse("[20+,10-][10+,10-][20+,80-]")
        >>> OperatingCondition(cost_ratio=4).slope_coverage(spam_tree)
        0.25
        >>> OperatingCondition(cost_ratio=4, class_ratio=1).slope_coverage(spam_tree)
        0.125
        """
        require_two_classes(self)
        require_ranking(ranking, both_classes=True)
        if self.class_ratio is None:
            return float(1 / self.exact_cost_ratio)
        return self.slope_roc * ranking.class_ratio

    def for_data(self, data: Ranking | Segments) -> OperatingCondition:
        """The same condition, with the class mix of the data if none was declared.

        Of segments also with the costs in the order of their classes. A class that is to have a share and has no cases
        in the data is refused.
        """
        if self.costs is not None:
            return self._for_segments(self.costs, data)
        if isinstance(data, Segments):
            require_class_condition(self, data.classes)
        require_ranking(data, both_classes=self.class_ratio is None)
        if self.class_ratio is not None or isinstance(data, Segments):
            return self
        declared: dict[str, Any] = self.to_dict() | {"class_ratio": data.class_ratio}
        return OperatingCondition(**declared)

    def _for_segments(self, costs: CostMatrix, segments: Any) -> OperatingCondition:
        if isinstance(segments, Ranking):
            require_two_classes(self)
        require_segments(segments)
        ordered = costs.for_classes(segments.classes)
        if self.mix is None:
            return OperatingCondition(costs=ordered, mix=dict(zip(ordered.classes, segments.mix, strict=True)))
        absent = [
            name
            for name, cases in zip(ordered.classes, segments.cases.tolist(), strict=True)
            if not cases and self.mix[name]
        ]
        if absent:
            what = f"the mix gives class {absent[0]!r} a share, and no case is of it"
            raise ConditionError(what, "give data with cases of that class, or a mix without it", parameter="mix")
        return OperatingCondition(costs=ordered, mix=self.mix)

    def class_weights(self, segments: Segments) -> Floats:
        """What a case of each class counts at deployment: its share by that in the data.

        All are 1 where the mix is that of the data.

        >>> from thresher.ranking import Segments
        >>> two = Segments.parse("[8,2][1,9]", probability=[[.8, .2], [.2, .8]], classes="ab")
        >>> OperatingCondition(costs=CostMatrix.equal("ab"), mix={"a": 0.9, "b": 0.1}).class_weights(two).tolist()
        [2.0, 0.181...]
        """
        resolved = self.for_data(segments)
        if self._shares is None or resolved._shares is None:
            return np.ones(len(segments.classes))
        data = segments.mix
        weights = np.divide(resolved._shares, data, out=np.zeros(len(data)), where=data > 0)
        return np.where(np.abs(weights - 1) < _ROUNDED, 1.0, weights)

    @overload
    def expected_cost(self, table: ConfusionMatrix) -> float: ...
    @overload
    def expected_cost(self, table: Contingency) -> Any: ...
    def expected_cost(self, table: Contingency | ConfusionMatrix) -> Any:
        """Cost per case of a table's decisions, at the class mix of the condition.

        Counts are divided once, so costs in whole numbers, or simple fractions, give the nearest float.

        >>> OperatingCondition(cost_fp=1, cost_fn=2).expected_cost(Contingency(tp=30, fn=20, fp=5, tn=45))
        0.45
        >>> even = OperatingCondition(costs=CostMatrix.equal("ab"), mix={"a": 0.5, "b": 0.5})
        >>> even.expected_cost(ConfusionMatrix([[8, 2], [0, 90]], classes="ab"))
        0.1
        """
        if self.costs is not None:
            if isinstance(table, Contingency):
                require_two_classes(self)
            return self._expected_class_cost(self.costs, table)
        if isinstance(table, ConfusionMatrix):
            what = "the condition is of two classes without names, and the table is a confusion matrix"
            raise ConditionError(what, f"pass matrix.one_vs_rest(...), or {_FOR_CLASSES}", parameter="condition")
        require_table(table)
        if (exact := self._exact_expected_cost(table)) is not None:
            return exact
        of_pos, of_neg = self.shares or (table.prevalence, ratio([table.Neg], [table.total]))
        positive = table.tpr * self.cost_tp + table.fnr * self.cost_fn
        negative = table.fpr * self.cost_fp + table.tnr * self.cost_tn
        return of_pos * positive + of_neg * negative

    def _expected_class_cost(self, costs: CostMatrix, matrix: Any) -> float:
        by_class = costs.cost_by_class(matrix)
        if self._shares is None:
            return float(by_class.sum() / matrix.total) if matrix.total else math.nan
        cases = matrix.actual[[matrix.classes.index(name) for name in costs.classes]]
        share = np.array(self._shares)
        used = share > 0  # a class without cases leaves the cost undefined where it has a share
        with np.errstate(invalid="ignore"):
            return float((share[used] * by_class[used] / cases[used]).sum())

    def _exact_expected_cost(self, table: Contingency) -> Any:
        """Expected cost by one division of integers, None where that would round."""
        cells = [_integers(cell) for cell in (table.tp, table.fn, table.fp, table.tn)]
        totals = np.asarray(table.Pos), np.asarray(table.Neg)
        if any(cell is None for cell in cells) or not all(n.size and 0 < n.min() == n.max() for n in totals):
            return None
        Pos, Neg = (int(total.flat[0]) for total in totals)
        odds = self.class_ratio
        mix = Fraction(1) if odds is None or odds == Pos / Neg else simplest(odds) * Neg / Pos
        costs = [simplest(cost) for cost in (self.cost_tp, self.cost_fn, self.cost_fp, self.cost_tn)]
        unit = math.lcm(*(cost.denominator for cost in costs))
        weights = (mix.numerator, mix.numerator, mix.denominator, mix.denominator)
        per_case = [int(cost * unit) * weight for cost, weight in zip(costs, weights, strict=True)]
        total = unit * (mix.numerator * Pos + mix.denominator * Neg)
        if max(total, max(map(abs, per_case)) * (Pos + Neg)) >= EXACT_INTEGERS:
            return None  # of one table as of arrays, so that both give the same
        return sum(cost * cell for cost, cell in zip(per_case, cells, strict=True)) / total

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back.

        Of k classes the shares of the mix are in the order of the classes of `costs`.
        """
        if self.costs is not None:
            return {"costs": self.costs.to_dict(), "mix": None if self._shares is None else list(self._shares)}
        return {name: getattr(self, name) for name in _PARTS}

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote.

        >>> condition = OperatingCondition(costs=CostMatrix.equal("ab"), mix={"a": 0.1, "b": 0.9})
        >>> OperatingCondition.from_dict(condition.to_dict()) == condition
        True
        """
        kind: dict[str, Any] = {"of": "OperatingCondition", "kind": "an operating condition"}
        of_classes = isinstance(value, Mapping) and "costs" in value
        readers: dict[str, Any] = {"costs": CostMatrix.from_dict, "mix": or_none(numbers(0, 1))}
        if not of_classes:
            readers = dict.fromkeys(_PARTS, number()) | {"class_ratio": or_none(number(0, strictly=True))}
        try:
            parts = fields(value, readers)
        except FieldError as error:
            raise not_written(f"{error}", **kind) from None
        if of_classes and (shares := parts["mix"]) is not None:
            names = parts["costs"].classes
            if len(shares) != len(names):
                raise not_written(f'"mix" has {len(shares)} shares, and there are {len(names)} classes', **kind)
            parts["mix"] = dict(zip(names, shares, strict=True))
        return cls(**parts)

    def __repr__(self) -> str:
        if self.costs is not None:
            mix = "as in the data" if self.mix is None else repr(dict(self.mix))
            return f"OperatingCondition(costs of {listed(self.costs.classes)}, mix={mix})"
        if self.cost_fp == 1 and not self.cost_tp and not self.cost_tn:
            costs = f"cost_ratio={self.cost_fn:g}"
        else:
            costs = ", ".join(f"{name}={getattr(self, name):g}" for name in _PARTS[1:] if getattr(self, name))
        if self._as_prevalence:
            return f"OperatingCondition(prevalence={self.prevalence:g}, {costs})"
        odds = "as in the data" if self.class_ratio is None else f"{self.class_ratio:g}"
        return f"OperatingCondition(class_ratio={odds}, {costs})"


@lru_cache(maxsize=1024)
def simplest(number: Any) -> Fraction:
    """The simplest fraction that a float stands for: 3/7 and not its 53-bit neighbour.

    So ties that a person sees in costs such as 0.1 and 0.3 are ties, and not decided by rounding.
    """
    exact = Fraction(number) if isinstance(number, Rational) else Fraction(float(number))  # also of half floats
    simple = exact.limit_denominator(_SIMPLE)
    return simple if float(simple) == float(number) else exact


def _integers(cell: Any) -> Any:
    """A cell as integers, None if it holds anything else."""
    if not isinstance(cell, np.ndarray):
        return int(cell) if float(cell).is_integer() else None
    if cell.dtype.kind != "f":
        return cell
    return cell.astype(np.int64) if (cell == np.rint(cell)).all() else None


def _costs_of_errors(
    cost_ratio: float | None, cost_fp: float | None, cost_fn: float | None, cost_tp: float, cost_tn: float
) -> tuple[float, float]:
    if cost_ratio is not None:
        if cost_fp is not None or cost_fn is not None or cost_tp or cost_tn:
            single = ", ".join(map(argument, ("cost_fp", "cost_fn", "cost_tp", "cost_tn")))
            what = f"both {argument('cost_ratio')} and single costs ({single}) are given"
            raise ConditionError(what, "give one or the other")
        return 1, cost_ratio
    fp, fn = (1 if cost is None else cost for cost in (cost_fp, cost_fn))
    for name, cost in (("cost_fp", fp), ("cost_fn", fn), ("cost_tp", cost_tp), ("cost_tn", cost_tn)):
        if not math.isfinite(as_number(cost)):
            what = f"{argument(name)} must be finite, got {short_repr(cost)}"
            raise ConditionError(what, "give what one such case costs", parameter=name)
    for wrong, right, names in ((fp, cost_tn, ("cost_fp", "cost_tn")), (fn, cost_tp, ("cost_fn", "cost_tp"))):
        if wrong <= right:
            what = f"{argument(names[0])} minus {argument(names[1])} must be above 0, got {wrong - right:g}"
            fix = "check which cost is which; benefits of right calls are negative costs"
            raise ConditionError(f"{what}: a wrong call may not be as cheap as a right one", fix)
    return fp, fn


def _class_ratio(class_ratio: float | None, prevalence: float | None) -> float | None:
    if prevalence is None:
        return class_ratio
    if class_ratio is not None:
        what = f"both {argument('class_ratio')} and {argument('prevalence')} are given"
        raise ConditionError(what, "give one of them")
    if not 0 < prevalence < 1:
        what = f"{argument('prevalence')} must lie strictly between 0 and 1, got {short_repr(prevalence)}"
        raise ConditionError(what, "e.g. 0.02", parameter="prevalence")
    share = simplest(prevalence)
    return float(share / (1 - share))


def _require_moderate(odds: float | None, fp: float, fn: float, tp: float, tn: float) -> None:
    """Refuse ratios and costs of errors whose squares floats do not hold."""
    alarm, miss = simplest(fp) - simplest(tn), simplest(fn) - simplest(tp)
    sizes = {"class ratio": odds, "cost of a false alarm": alarm, "cost of a miss": miss, "cost ratio": miss / alarm}
    for name, size in sizes.items():
        if size is not None and not LEAST_COST <= size <= MOST_COST:
            what = f"the {name} lies outside {LEAST_COST:g} to {MOST_COST:g}, beyond which floats lose squares"
            raise ConditionError(what, "give costs in another unit, and leave out what costs next to nothing")


def require_condition(value: Any, hint: str = "") -> None:
    """Refuse what is no operating condition of two classes."""
    fix = f"give e.g. OperatingCondition(cost_ratio=5){hint}"
    require_instance(value, OperatingCondition, "an operating condition", name="condition", fix=fix)
    require_two_classes(value)


def required_costs(condition: OperatingCondition) -> CostMatrix:
    """The costs of a condition that is known to be of k classes."""
    if condition.costs is None:
        raise TypeError("a condition of k classes has costs")
    return condition.costs


def require_class_condition(value: Any, classes: Sequence[Any]) -> None:
    """Refuse what is no operating condition of k named classes."""
    fix = "give e.g. OperatingCondition(costs=CostMatrix.equal([...]))"
    require_instance(value, OperatingCondition, "an operating condition", name="condition", fix=fix)
    if value.costs is None:
        what = f"the condition is of two classes without names, and the data have {listed(classes)}"
        raise ConditionError(what, _FOR_CLASSES, parameter="condition")


def require_two_classes(condition: OperatingCondition) -> None:
    """Refuse a condition of k named classes where one of two is positive."""
    if condition.costs is not None:
        what = f"the condition has costs of {listed(condition.costs.classes)}, and two classes are needed here"
        fix = "pass choose(segment(labels, probabilities), condition), or evaluate(labels, matrix, condition=...)"
        one = "; of two classes, OperatingCondition.from_cost_matrix(costs, positive=...)"
        raise ConditionError(what, fix + one, parameter="condition")
