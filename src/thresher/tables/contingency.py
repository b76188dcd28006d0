"""Contingency tables: one threshold, or all of them when the cells are arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import reduce
from operator import add, attrgetter
from typing import Any, Literal, Self, TypeAlias, get_args, overload

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import (
    as_number,
    as_numbers,
    describe,
    require_instance,
    require_one_of,
    short_repr,
)
from thresher._internal.parallel import fill_chunks
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError, LengthError, OneClassError, WeightError
from thresher.inputs import columns_positive
from thresher.inputs.arrow import Column
from thresher.inputs.columns import Missing, column, complete
from thresher.inputs.rank import checked_weights
from thresher.ranking import MOST_CASES, Floats, Ranking, require_ranking, splits_at

# A cell and whatever is computed from cells: one number, or an array with one entry per split.
Cell: TypeAlias = Any

Rows: TypeAlias = Literal["actual", "predicted"]

_CELLS = ("tp", "fn", "fp", "tn")


def ratio(above: Sequence[Cell], below: Sequence[Cell], combine: Callable[[Cell, Cell], Cell] = add) -> Cell:
    """Cells added, or combined otherwise, over others: NaN for 0/0, infinite for x/0.

    Columns are taken chunk by chunk, so that what they combine to stays in the processor's cache.

    >>> ratio([np.array([30, 0])], [np.array([30, 0]), np.array([10, 0])])
    array([0.75,  nan])
    """
    arrays = [cell for cell in (*above, *below) if isinstance(cell, np.ndarray)]
    if arrays and arrays[0].ndim == 1:

        def fill(piece: slice, out: Floats) -> None:
            numerator, denominator = (
                reduce(combine, [cell[piece] if np.ndim(cell) else cell for cell in cells]) for cells in (above, below)
            )
            with np.errstate(divide="ignore", invalid="ignore"):
                np.divide(numerator, denominator, out=out)

        return fill_chunks(arrays[0].size, fill)
    numerator, denominator = reduce(combine, above), reduce(combine, below)
    if arrays:
        with np.errstate(divide="ignore", invalid="ignore"):
            return numerator / denominator
    if denominator == 0:
        return math.nan if numerator == 0 or math.isnan(numerator) else math.copysign(math.inf, numerator)
    return numerator / denominator


def _times(one: Cell, other: Cell) -> Cell:
    """A product that does not overflow, as int64 does near 3e9 cases of each class."""
    arrays = isinstance(one, np.ndarray) or isinstance(other, np.ndarray)
    return np.multiply(one, other, dtype=np.float64) if arrays else one * other


def _sum(terms: str, meaning: str) -> Any:
    """A sum of two cells, as a property."""
    cells = attrgetter(*terms.split())
    return property(lambda table: add(*cells(table)), doc=meaning)


def _rate(above: str, below: str, meaning: str, *, combine: Callable[[Cell, Cell], Cell] = add) -> Any:
    """A measure that divides one sum of cells and totals by another, as a property."""
    over, under = above.split(), below.split()

    def value(table: Contingency) -> Cell:
        return ratio([getattr(table, name) for name in over], [getattr(table, name) for name in under], combine)

    return property(value, doc=meaning)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Contingency(Tabular):
    """Actual against predicted classes: tp fn / fp tn.

    Cells are counts (or weights), scalar or arrays of one shape. Every measure is a single division of whole numbers
    where its formula allows, so equal tables give equal floats. 0/0 is NaN, never 0; `describe` says why in words.

    >>> spam = Contingency(tp=30, fn=20, fp=10, tn=40)
    >>> spam.accuracy, spam.tpr, spam.precision
    (0.7, 0.6, 0.75)
    >>> print(spam)
               pred. +   pred. -   total
    actual +        30        20      50
    actual -        10        40      50
    total           40        60     100
    >>> Contingency(tp=0, fn=1, fp=0, tn=999).precision
    nan
    """

    tp: Cell
    fn: Cell
    fp: Cell
    tn: Cell

    def __post_init__(self) -> None:
        cells = [_cell(getattr(self, name), name) for name in _CELLS]
        shapes = {np.shape(cell) for cell in cells if np.ndim(cell)}
        if len(shapes) > 1:
            raise LengthError(f"cells have different shapes: {sorted(shapes)}", "give four scalars or arrays alike")
        for name, cell in zip(_CELLS, cells, strict=True):
            object.__setattr__(self, name, cell)

    @overload
    @staticmethod
    def of(*, decimals: None = None, **words: float) -> Contingency: ...
    @overload
    @staticmethod
    def of(*, decimals: int, **words: float) -> list[Contingency]: ...
    @staticmethod
    def of(*, decimals: int | None = None, **words: float) -> Contingency | list[Contingency]:
        """The table of which four independent numbers are known, exactly.

        Each of tp fn fp tn, Pos Neg total predicted_positive predicted_negative, tpr fpr tnr fnr, precision npv
        accuracy prevalence f1 says something linear about the cells, so four of them that are independent tell all;
        more must agree. A rate is the simplest fraction that it stands for: 0.8 is 4/5. With `decimals`, rates were
        rounded to so many, and the answer is a list of all tables of whole cases that print so.

        >>> Contingency.of(tpr=0.8, fpr=0.4, Pos=75, Neg=25)
        Contingency(tp=60, fn=15, fp=10, tn=15)
        >>> Contingency.of(tpr=0.67, fpr=0.25, Pos=3, Neg=4, decimals=2)
        [Contingency(tp=2, fn=1, fp=1, tn=3)]
        """
        from thresher.tables.reconstruction import contingencies_printing, contingency_of

        return contingency_of(words) if decimals is None else contingencies_printing(words, decimals)

    @classmethod
    def from_array(cls, counts: Any, *, rows: Rows | None = None, order: Sequence[str] | None = None) -> Self:
        """A table of two rows and columns, which say what they are.

        There is no default: `rows` are the "actual" or the "predicted" classes, and `order` is ("+", "-") where
        positives come first, ("-", "+") where they come last, as in scikit-learn's [[tn, fp], [fn, tp]].

        >>> Contingency.from_array([[15, 10], [15, 60]], rows="actual", order=("-", "+"))
        Contingency(tp=60, fn=15, fp=10, tn=15)
        """
        require_rows(rows)
        fix = 'say what comes first in the array: order=("+", "-") or order=("-", "+")'
        require_one_of(
            "".join(order or ()) if isinstance(order, list | tuple) else order, ("+-", "-+"), name="order", fix=fix
        )
        array = as_numbers(counts)
        if array.shape != (2, 2):
            raise LengthError(f"counts have shape {array.shape}", "give two rows of two numbers")
        plain = np.asarray(counts) if rows == "actual" else np.asarray(counts).T
        first = list(order or ()).index("+")
        return cls(*(plain[i, j].item() for i in (first, 1 - first) for j in (first, 1 - first)))

    Pos = _sum("tp fn", "Actual positives.")
    Neg = _sum("fp tn", "Actual negatives.")
    total = _sum("Pos Neg", "All cases.")
    predicted_positive = _sum("tp fp", "Cases called positive.")
    predicted_negative = _sum("fn tn", "Cases called negative.")
    prevalence = _rate("Pos", "total", "Proportion of actual positives.")
    class_ratio = _rate("Pos", "Neg", "Actual positives per actual negative.")
    predicted_positive_rate = _rate("tp fp", "total", "Proportion of cases called positive.")
    accuracy = _rate("tp tn", "total", "Proportion of cases called right.")
    error_rate = _rate("fp fn", "total", "Proportion of cases called wrong.")
    tpr = recall = sensitivity = _rate("tp", "Pos", "Proportion of actual positives called positive.")
    tnr = specificity = _rate("tn", "Neg", "Proportion of actual negatives called negative.")
    fpr = _rate("fp", "Neg", "Proportion of actual negatives called positive.")
    fnr = _rate("fn", "Pos", "Proportion of actual positives called negative.")
    precision = ppv = _rate("tp", "tp fp", "Proportion of positive calls that are right.")
    npv = _rate("tn", "fn tn", "Proportion of negative calls that are right.")
    false_discovery_rate = _rate("fp", "tp fp", "Proportion of positive calls that are wrong.")
    false_omission_rate = _rate("fn", "fn tn", "Proportion of negative calls that are wrong.")
    f1 = _rate("tp tp", "tp tp fp fn", "Harmonic mean of precision and recall.")
    jaccard = _rate("tp", "tp fp fn", "True positives among all cases that are positive or called so.")
    lr_plus = _rate("tp Neg", "fp Pos", "Likelihood ratio of a positive call: tpr / fpr.", combine=_times)
    lr_minus = _rate("fn Neg", "tn Pos", "Likelihood ratio of a negative call: fnr / tnr.", combine=_times)
    dor = _rate("tp tn", "fp fn", "Diagnostic odds ratio: lr_plus / lr_minus.", combine=_times)
    lift = _rate(
        "tp total", "predicted_positive Pos", "Precision relative to calling cases positive at random.", combine=_times
    )

    @property
    def average_recall(self) -> Cell:
        """Mean of the recalls of both classes."""
        right = _times(self.tp, self.Neg) + _times(self.tn, self.Pos)
        return ratio([right], [2 * _times(self.Pos, self.Neg)])

    @property
    def balanced_error_rate(self) -> Cell:
        """Mean of the error rates of both classes."""
        wrong = _times(self.fn, self.Neg) + _times(self.fp, self.Pos)
        return ratio([wrong], [2 * _times(self.Pos, self.Neg)])

    @property
    def youden_j(self) -> Cell:
        """True positive rate minus false positive rate."""
        return ratio([self._beyond_chance], [_times(self.Pos, self.Neg)])

    @property
    def markedness(self) -> Cell:
        """Precision plus negative predictive value minus one."""
        return ratio([self._beyond_chance], [_times(self.predicted_positive, self.predicted_negative)])

    @property
    def g_mean(self) -> Cell:
        """Geometric mean of the recalls of both classes."""
        return _root(ratio([self.tp, self.tn], [self.Pos, self.Neg], _times))

    def f_beta(self, beta: float) -> Cell:
        """Weighted mean of precision and recall; recall counts beta times as much.

        >>> Contingency(tp=600, fn=300, fp=100, tn=9000).f_beta(1)
        0.75
        """
        weight = as_number(beta)
        square = weight * weight
        if not (weight > 0 and 0 < square < math.inf):
            raise ArgumentError(f"beta must be above 0, got {beta}", "give e.g. 2 to favour recall")
        return ratio([(1 + square) * self.tp], [(1 + square) * self.tp + square * self.fn + self.fp])

    @property
    def mcc(self) -> Cell:
        """Correlation of actual and predicted class (Matthews 1975)."""
        marginals = self.predicted_positive, self.predicted_negative, self.Pos, self.Neg
        return ratio([self._beyond_chance], [_root(reduce(_times, marginals))])

    @property
    def kappa(self) -> Cell:
        """Agreement beyond chance (Cohen 1960)."""
        most = _times(self.predicted_positive, self.Neg) + _times(self.predicted_negative, self.Pos)
        return ratio([2 * self._beyond_chance], [most])

    @property
    def _beyond_chance(self) -> Cell:
        """The determinant tp · tn - fp · fn."""
        return _times(self.tp, self.tn) - _times(self.fp, self.fn)

    balanced_accuracy = average_recall
    informedness = youden_j
    phi = mcc

    @property
    def proportions(self) -> Contingency:
        """The table with cells as proportions of all cases."""
        return _table(Contingency, *(ratio([getattr(self, name)], [self.total]) for name in _CELLS))

    def at_class_ratio(self, class_ratio: float) -> Contingency:
        """The table that these rates give at another ratio of Pos to Neg, same total.

        >>> Contingency(tp=60, fn=15, fp=10, tn=15).at_class_ratio(1).precision
        0.66...
        """
        if not 0 < as_number(class_ratio) < math.inf:
            fix = "give Pos / Neg at deployment, e.g. 0.01 for one positive per hundred negatives"
            raise ArgumentError(f"class_ratio must be above 0, got {class_ratio}", fix)
        Pos = self.total * (class_ratio / (1 + class_ratio))
        Neg = self.total * (1 / (1 + class_ratio))
        cells = self.tpr * Pos, self.fnr * Pos, self.fpr * Neg, self.tnr * Neg
        return _table(Contingency, *cells)

    def independent(self) -> Contingency:
        """Expected counts if predictions ignored the actual class, same marginals.

        >>> Contingency(tp=30, fn=20, fp=10, tn=40).independent()
        Contingency(tp=20.0, fn=30.0, fp=20.0, tn=30.0)
        """
        products = (
            _times(actual, calls)
            for actual in (self.Pos, self.Neg)
            for calls in (self.predicted_positive, self.predicted_negative)
        )
        return _table(Contingency, *(ratio([product], [self.total]) for product in products))

    def dominates(self, other: Contingency) -> Any:
        """Whether tpr and fpr are at least as good as another's, and one is better.

        Rates are compared by cross-multiplying, so tables of different sizes compare exactly.

        >>> Contingency(tp=30, fn=20, fp=10, tn=40).dominates(Contingency(tp=20, fn=30, fp=20, tn=30))
        True
        """
        require_table(other)
        if not all(np.all(total) for total in (self.Pos, self.Neg, other.Pos, other.Neg)):
            what = "a table without actual positives or negatives has no place to compare"
            raise OneClassError(what, "compare tables of both classes")
        tpr_gain = _times(self.tp, other.Pos) - _times(other.tp, self.Pos)
        fpr_gain = _times(other.fp, self.Neg) - _times(self.fp, other.Neg)
        better = (tpr_gain >= 0) & (fpr_gain >= 0) & ((tpr_gain > 0) | (fpr_gain > 0))
        return better if np.ndim(better) else bool(better)

    def describe(self, measure: str) -> str:
        """A measure of a single table in words, with the reason when it is undefined.

        >>> Contingency(tp=0, fn=1, fp=0, tn=999).describe("precision")
        'precision undefined: nothing is predicted positive'
        """
        from thresher.tables.measures import measure as named

        known = named(measure)
        value = known.of(self)
        if np.ndim(value):
            what = f"this table has {np.size(value):,} splits, and only one can be put into words"
            raise ArgumentError(what, "describe the table of one split, e.g. coverage(ranking).at(1)")
        return f"{known.name} undefined: {known.undefined}" if math.isnan(value) else f"{known.name} {value:.4g}"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            np.array_equal(getattr(self, part.name), getattr(other, part.name)) for part in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]

    def _repr_html_(self) -> str:
        from thresher.report.notebook import contingency_html

        return contingency_html(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructor makes arrays read-only on the other side too, but it refuses a table that is undefined.
        columns = tuple(getattr(self, part.name) for part in fields(self))
        defined = not any(np.isnan(getattr(self, name)).any() for name in _CELLS)
        return (type(self), columns) if defined else (_table, (type(self), *columns))

    def _brief(self) -> str:
        with np.printoptions(threshold=6, edgeitems=2, linewidth=999):
            return ", ".join(f"{name}={getattr(self, name)}" for name in _CELLS)

    def _columns(self) -> Mapping[str, Any]:
        columns = np.broadcast_arrays(*(getattr(self, part.name) for part in fields(self)))
        return {part.name: np.atleast_1d(column).ravel() for part, column in zip(fields(self), columns, strict=True)}

    def text(self, *, rows: Rows = "actual") -> str:
        """The table as text, with the actual or the predicted classes as rows.

        >>> print(Contingency(tp=60, fn=15, fp=10, tn=15).text(rows="predicted"))
                  actual +   actual -   total
        pred. +         60         10      70
        pred. -         15         15      30
        total           75         25     100
        """
        require_rows(rows)
        if any(np.ndim(getattr(self, name)) for name in _CELLS):
            return repr(self)
        sides = ("actual", "pred.") if rows == "actual" else ("pred.", "actual")
        cells = np.array([[self.tp, self.fn, self.Pos], [self.fp, self.tn, self.Neg]], dtype=object)
        cells = np.vstack([cells, cells.sum(axis=0)])
        table = (cells if rows == "actual" else cells.T).tolist()
        names = [f"{sides[0]} +", f"{sides[0]} -", "total"]
        grid: list[list[Any]] = [["", f"{sides[1]} +", f"{sides[1]} -", "total"]]
        grid += [[name, *row] for name, row in zip(names, table, strict=True)]
        texts = [[cell if isinstance(cell, str) else f"{cell:,.10g}" for cell in row] for row in grid]
        first = len(names[0])
        width = max(len(grid[0][1]), *(len(text) for row in texts[1:] for text in row[1:]))
        last = max(len(row[3]) for row in texts)
        return "\n".join(f"{a:<{first}}   {b:>{width}}   {c:>{width}}   {d:>{last}}".rstrip() for a, b, c, d in texts)

    def __str__(self) -> str:
        return self.text()


def contingency(
    labels: Any, predictions: Any, *, positive: Any = None, weights: Any = None, missing: Missing = "raise"
) -> Contingency:
    """Count actual against predicted classes.

    >>> contingency(["spam", "ham", "spam"], ["spam", "spam", "ham"], positive="spam")
    Contingency(tp=1, fn=1, fp=1, tn=0)
    """
    (label, prediction), weight, _ = complete_columns(labels, predictions, weights, missing)
    actual, predicted = columns_positive({"labels": label, "predictions": prediction}, positive=positive)
    cells = (actual & predicted, actual & ~predicted, ~actual & predicted, ~actual & ~predicted)
    return Contingency(*(np.count_nonzero(cell) if weight is None else weight[cell].sum() for cell in cells))


def contingency_at(ranking: Ranking, threshold: npt.ArrayLike) -> Contingency:
    """The table at a threshold, or the tables at an array of thresholds.

    Cases with score >= threshold are called positive; at +inf nothing is, also no score of +inf.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    >>> contingency_at(spam_tree, 0)
    Contingency(tp=30, fn=20, fp=10, tn=40)
    """
    require_ranking(ranking)
    at = as_numbers(threshold)
    if np.isnan(at).any():
        what = f"a threshold is a number that scores reach or miss, got {describe(threshold)}"
        raise ArgumentError(what, "give a number; +inf calls nothing positive, -inf everything")
    return table_of(ranking, splits_at(ranking.score, at))


def table_of(ranking: Ranking, split: Any) -> Contingency:
    """The table of a split, or the tables of an array of splits."""
    tp, fp = (covered[split] for covered in ranking.covered())
    fn, tn = ranking.uncovered(split)
    return Contingency(tp=tp, fn=fn, fp=fp, tn=tn)


def table_of_fractions(tp: Fraction, fn: Fraction, fp: Fraction, tn: Fraction) -> Contingency:
    """A table of exact cells: measures without a root are exact fractions too.

    >>> table_of_fractions(Fraction(2), Fraction(1), Fraction(1, 3), Fraction(1)).precision
    Fraction(6, 7)
    """
    return _table(Contingency, tp, fn, fp, tn)


def require_table(value: Any) -> None:
    """Refuse what is no contingency table."""
    fix = "pass Contingency(tp=..., fn=..., fp=..., tn=...) or contingency(labels, predictions)"
    require_instance(value, Contingency, "a contingency table", fix=fix)


def require_rows(rows: Any) -> None:
    """Refuse an array whose rows are neither actual nor predicted classes."""
    fix = 'say what a row is: rows="actual" or rows="predicted"'
    require_one_of(rows, get_args(Rows), name="rows", fix=fix)


def complete_columns(
    labels: Any, predictions: Any, weights: Any, missing: Missing
) -> tuple[list[Column], Floats | None, int]:
    """Labels and predictions of complete rows, their weights, and the rows left out."""
    values = {"labels": labels, "predictions": predictions} | ({} if weights is None else {"weights": weights})
    columns, dropped = complete({name: column(each, name=name) for name, each in values.items()}, missing=missing)
    return columns[:2], None if weights is None else checked_weights(columns[2]), dropped


def _table(kind: type[Contingency], *cells: Cell) -> Contingency:
    """A table of computed cells, of which some are NaN without cases of a class."""
    table = object.__new__(kind)
    for part, cell in zip(fields(kind), cells, strict=True):
        object.__setattr__(table, part.name, _freeze(cell))
    return table


def _cell(value: Any, name: str) -> Cell:
    """A count or weight, or a read-only array of them."""
    try:
        array = np.asarray(value)
    except ValueError:  # lists of different lengths
        array = np.array(None)
    bad = [] if array.dtype.kind in "biuf" else [value]
    kind = np.float64 if array.dtype.kind == "f" else np.int64  # narrow counts would wrap when added
    if kind is np.float64:
        with np.errstate(over="ignore"):  # a long double beyond float64 is infinite, which no count is
            array = array.astype(kind, copy=False)
    if not bad and array.size and not (array.min() >= 0 and array.max() <= MOST_CASES):
        bad = array[~((array >= 0) & (array <= MOST_CASES))].tolist()
    if bad:
        what = f"{name} is {short_repr(bad[0])}, and a cell holds a count or weight from 0 to {MOST_CASES:.2g}"
        raise WeightError(what, "give counts of cases")
    return _freeze(array.astype(kind, copy=array.flags.writeable)) if array.ndim else array.astype(kind).item()


def _freeze(cell: Cell) -> Cell:
    if isinstance(cell, np.ndarray):
        cell.flags.writeable = False
    return cell


def _root(value: Cell) -> Cell:
    return np.sqrt(value) if isinstance(value, np.ndarray) else math.sqrt(value)
