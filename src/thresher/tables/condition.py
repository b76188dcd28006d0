"""Operating conditions: costs of errors and the class mix in use."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from numbers import Rational
from typing import Any

import numpy as np

from thresher._internal.arguments import as_number, require_instance, require_number, short_repr
from thresher.errors import ConditionError, argument
from thresher.ranking import EXACT_INTEGERS, Ranking, require_ranking
from thresher.tables.contingency import Contingency, ratio, require_table

_SIMPLE = 10**6
_FIXES = {
    "class_ratio": "give Pos / Neg at deployment, e.g. 0.01 for 1 positive per 100",
    "cost_ratio": "give the cost of a miss in false alarms, e.g. 10",
}
_PARTS = ("class_ratio", "cost_fp", "cost_fn", "cost_tp", "cost_tn")


@dataclass(frozen=True, slots=True, init=False)
class OperatingCondition:
    """Class ratio and costs at deployment.

    Declare the class mix by `class_ratio` (Pos / Neg) or `prevalence`; None means 'as in the data'. Declare the costs
    by `cost_ratio` (cost_fn / cost_fp), in units of one false positive, or by name. Costs of right calls are
    subtracted: what matters is cost_fp - cost_tn and cost_fn - cost_tp.

    >>> OperatingCondition(class_ratio=0.75, cost_ratio=2).slope_roc
    0.6666666666666666
    >>> OperatingCondition(prevalence=0.2, cost_fp=1, cost_fn=10)
    OperatingCondition(prevalence=0.2, cost_ratio=10)
    """

    class_ratio: float | None
    cost_fp: float
    cost_fn: float
    cost_tp: float
    cost_tn: float
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
    ) -> None:
        required = {"cost_tp": cost_tp, "cost_tn": cost_tn}
        optional = {"cost_fp": cost_fp, "cost_fn": cost_fn, "prevalence": prevalence}
        ratios = {"class_ratio": class_ratio, "cost_ratio": cost_ratio}
        for name, number in (optional | ratios | required).items():
            if number is not None or name in required:
                size = require_number(number, name=name, fix="give one", error=ConditionError)
                if name in ratios and not 0 < size < math.inf:
                    what = f"{argument(name)} must be above 0" + (" and finite" if size == math.inf else "")
                    raise ConditionError(f"{what}, got {short_repr(number)}", _FIXES[name], parameter=name)
        fp, fn = _costs_of_errors(cost_ratio, cost_fp, cost_fn, cost_tp, cost_tn)
        odds = _class_ratio(class_ratio, prevalence)
        costs: tuple[Any, ...] = (odds, fp, fn, cost_tp, cost_tn)
        numbers = (part if part is None or isinstance(part, int) else float(part) for part in costs)
        parts = dict(zip(_PARTS, numbers, strict=True))
        for name, part in (parts | {"_as_prevalence": prevalence is not None}).items():
            object.__setattr__(self, name, part)

    @property
    def cost_ratio(self) -> float:
        """What a miss costs in false alarms: (cost_fn - cost_tp) / (cost_fp - cost_tn)."""
        ratio = self.exact_cost_ratio
        return math.inf if ratio > sys.float_info.max else float(ratio)

    @property
    def exact_cost_ratio(self) -> Fraction:
        """The cost ratio as the simplest fractions of the costs given: 0.3 / 0.1 is 3."""
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
    def mix(self) -> str:
        """The class mix in words, in the form it was declared in.

        >>> OperatingCondition(prevalence=0.01).mix, OperatingCondition(class_ratio=0.25).mix, OperatingCondition().mix
        ('1 % positive', 'class ratio 0.25', 'the mix of the data')
        """
        if self.class_ratio is None or self.prevalence is None:
            return "the mix of the data"
        share = f"{100 * self.prevalence:.4g} % positive"
        return share if self._as_prevalence else f"class ratio {self.class_ratio:.4g}"

    @property
    def slope_roc(self) -> float:
        """Slope of equal-cost lines in ROC space: 1 / (cost_ratio · class_ratio)."""
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
        require_ranking(ranking, both_classes=True)
        if self.class_ratio is None:
            return float(1 / self.exact_cost_ratio)
        return self.slope_roc * ranking.class_ratio

    def for_data(self, ranking: Ranking) -> OperatingCondition:
        """The same condition, with the class ratio of the data if none was declared."""
        require_ranking(ranking, both_classes=self.class_ratio is None)
        if self.class_ratio is not None:
            return self
        return OperatingCondition(**(self.to_dict() | {"class_ratio": ranking.class_ratio}))

    def expected_cost(self, table: Contingency) -> Any:
        """Cost per case of a table's decisions, at the class ratio of the condition.

        Counts are divided once, so costs in whole numbers, or simple fractions, give the nearest float.

        >>> OperatingCondition(cost_fp=1, cost_fn=2).expected_cost(Contingency(tp=30, fn=20, fp=5, tn=45))
        0.45
        """
        require_table(table)
        if (exact := self._exact_expected_cost(table)) is not None:
            return exact
        of_pos, of_neg = self.shares or (table.prevalence, ratio([table.Neg], [table.total]))
        positive = table.tpr * self.cost_tp + table.fnr * self.cost_fn
        negative = table.fpr * self.cost_fp + table.tnr * self.cost_tn
        return of_pos * positive + of_neg * negative

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
        """Plain data that `OperatingCondition(**...)` reads back."""
        return {name: getattr(self, name) for name in _PARTS}

    def __repr__(self) -> str:
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


def require_condition(value: Any, hint: str = "") -> None:
    """Refuse what is no operating condition."""
    fix = f"give e.g. OperatingCondition(cost_ratio=5){hint}"
    require_instance(value, OperatingCondition, "an operating condition", name="condition", fix=fix)
