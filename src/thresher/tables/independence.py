"""Tests of independence of predictions and actual classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeAlias, TypeVar, get_args

import numpy as np

from thresher._internal.arguments import require_one_of
from thresher._internal.results import Result
from thresher.errors import ArgumentError, OneClassError, WeightError
from thresher.ranking import Counts, Floats
from thresher.tables.confusion import ConfusionMatrix
from thresher.tables.contingency import Contingency, require_table

Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
Table = TypeVar("Table", Contingency, ConfusionMatrix)


@dataclass(frozen=True, slots=True, repr=False)
class ChiSquaredTest(Result, Generic[Table]):
    """χ² of a table against that of independent predictions, and its p-value."""

    statistic: float
    p_value: float
    degrees_of_freedom: int
    expected: Table

    def __str__(self) -> str:
        freedom = f"{self.degrees_of_freedom} degree{'s' if self.degrees_of_freedom > 1 else ''} of freedom"
        return f"χ² {self.statistic:.4g} on {freedom}, p {self.p_value:.3g}"


@dataclass(frozen=True, slots=True, repr=False)
class FisherTest(Result):
    """The odds ratio of a table, and the p-value of independent predictions."""

    odds_ratio: float
    p_value: float
    alternative: Alternative
    expected: Contingency

    @property
    def statistic(self) -> float:
        """The odds ratio, by the name that every test has."""
        return self.odds_ratio

    def __str__(self) -> str:
        return f"odds ratio {self.odds_ratio:.4g}, p {self.p_value:.3g} ({self.alternative})"


def chi_squared(table: Table, *, correction: bool = False) -> ChiSquaredTest[Table]:
    """Pearson's χ² test that predictions are independent of the actual classes.

    Σ (observed - expected)² / expected, with (k - 1)² degrees of freedom. Predictions worse than chance depend on the
    classes as well. The p-value is an approximation, fair when all expected counts are about 5 or more; below that ask
    `fisher`. Weights count as that many independent cases. `correction=True` moves each cell of a 2×2 table by up to ½
    towards the expected one (Yates 1934), which is off here and on by default in SciPy.

    >>> test = chi_squared(Contingency(tp=30, fn=20, fp=10, tn=40))
    >>> print(test)
    χ² 16.67 on 1 degree of freedom, p 4.46e-05
    >>> test.expected
    Contingency(tp=20.0, fn=30.0, fp=20.0, tn=30.0)
    """
    from scipy.special import chdtrc

    if not isinstance(table, ConfusionMatrix):
        require_table(table)
    observed = _observed(table)
    k = len(observed)
    if correction and k != 2:
        raise ArgumentError(f"Yates' correction is for 2×2 tables, and this one is {k}×{k}", "leave correction=False")
    expected = table.independent()
    distance = np.abs(observed - _cells(expected))
    if correction:
        distance = np.maximum(distance - 0.5, 0)
    statistic = float((distance**2 / _cells(expected)).sum())
    freedom = (k - 1) ** 2
    return ChiSquaredTest(statistic, float(chdtrc(freedom, statistic)), freedom, expected)


def fisher(table: Contingency, *, alternative: Alternative = "two-sided") -> FisherTest:
    """Fisher's exact test that predictions are independent of the classes (1922).

    Exact for the given marginals at any size. "greater" asks whether positives are called positive more often than
    chance would, "less" whether less often; "two-sided" adds up all tables that are no more likely than this one. The
    odds ratio is that of the sample, tp tn / (fp fn), not the conditional maximum-likelihood one that R prints.

    >>> print(fisher(Contingency(tp=3, fn=1, fp=1, tn=3)))
    odds ratio 9, p 0.486 (two-sided)
    >>> print(fisher(Contingency(tp=3, fn=1, fp=1, tn=3), alternative="greater"))
    odds ratio 9, p 0.243 (greater)
    """
    from scipy.stats import fisher_exact

    if isinstance(table, ConfusionMatrix):
        raise ArgumentError("Fisher's test is for 2×2 tables, got ConfusionMatrix", "give matrix.one_vs_rest(c)")
    require_table(table)
    observed = _observed(table)
    require_one_of(alternative, get_args(Alternative), name="alternative")
    if not (observed == np.floor(observed)).all():
        what = f"an exact test counts whole cases, and the table holds {observed.ravel().tolist()}"
        raise WeightError(what, "give unweighted counts, or use chi_squared(table)")
    _, p_value = fisher_exact(observed.astype(np.int64), alternative=alternative)
    return FisherTest(float(table.dor), float(p_value), alternative, table.independent())


def _cells(table: Contingency | ConfusionMatrix) -> Counts:
    if isinstance(table, ConfusionMatrix):
        return table.counts
    return np.array([[table.tp, table.fn], [table.fp, table.tn]])


def _observed(table: Contingency | ConfusionMatrix) -> Floats:
    """The cells as a square of numbers without an empty row or column."""
    if isinstance(table, Contingency) and any(np.ndim(cell) for cell in (table.tp, table.fn, table.fp, table.tn)):
        what = "a test of independence needs one table, and the cells of this one are arrays"
        fix = "test a single table, e.g. contingency_at(ranking, threshold) or coverage(ranking).at(split)"
        raise ArgumentError(what, fix)
    cells = _cells(table)
    if not np.isfinite(cells).all():
        raise ArgumentError(f"a cell is not a number: {cells.tolist()}", "give a table of counts")
    names = table.classes if isinstance(table, ConfusionMatrix) else ("positive", "negative")
    if len(names) < 2:
        raise OneClassError(f"there is only one class, {names[0]!r}", "give a table with two classes or more")
    for axis, happens in ((1, "actually"), (0, "predicted")):
        empty = [str(name) for name, total in zip(names, cells.sum(axis=axis).tolist(), strict=True) if not total]
        if empty:
            what = f"no case is {happens} {' or '.join(empty)}, so there is nothing to depend on"
            raise OneClassError(what, "give a table in which every class occurs and is predicted at least once")
    return cells
