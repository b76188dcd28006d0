"""Covariate shift: columns that differ between test rows and deployment."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import chdtrc
from scipy.stats import hypergeom, ks_2samp

from thresher._internal.arguments import require_level, require_names, require_number
from thresher._internal.results import Result, Tabular
from thresher._internal.text import visible
from thresher.cautions import Caution
from thresher.errors import ArgumentError, ColumnError, argument
from thresher.evaluation.summary import text_table
from thresher.inference import holm
from thresher.inference.comparison.difference import shown_p
from thresher.inputs.columns import named
from thresher.learning.data.column_types import category_texts
from thresher.learning.data.frame import column_of, frame

_LEAST = 5  # expected rows of a category, below which it is joined with others
_EXACT = 250_000  # products of sizes up to which the test of Kolmogorov and Smirnov is exact
_SHOWN = 3
_GAP = "missing"


@dataclass(frozen=True, slots=True, repr=False)
class ColumnShift(Result):
    """A column in two tables: where their shares differ most, and by how much.

    `share` of the first table's rows and `share_at_deployment` of the other's are as `value` says. The p-value is
    adjusted for the number of columns.
    """

    name: str
    kind: Literal["number", "category"]
    value: str
    share: float
    share_at_deployment: float
    p_value: float

    @property
    def gap(self) -> float:
        """The difference of the shares, without its sign."""
        return abs(self.share - self.share_at_deployment)

    def __str__(self) -> str:
        return f"{self.name!r} ({self.value}: {self.share:.0%} here, {self.share_at_deployment:.0%} there)"


@dataclass(frozen=True, slots=True, repr=False)
class CovariateShift(Tabular):
    """Columns of two tables, and those that surely `differ` beyond the tolerance.

    `absent` are columns that one of the tables has and the other lacks.
    """

    columns: tuple[ColumnShift, ...]
    rows: tuple[int, int]
    absent: tuple[str, ...]
    level: float
    tolerance: float

    @property
    def differ(self) -> tuple[ColumnShift, ...]:
        """The columns that differ, the largest difference first."""
        surely = [each for each in self.columns if each.p_value < 1 - self.level and each.gap > self.tolerance]
        return tuple(sorted(surely, key=lambda each: -each.gap))

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """The caution that these rows do not represent those at deployment."""
        if not self.differ:
            return ()
        shown = "; ".join(map(str, self.differ[:_SHOWN]))
        more = f"; and {len(self.differ) - _SHOWN} more" if len(self.differ) > _SHOWN else ""
        what = f"{len(self.differ)} of {len(self.columns)} columns differ from deployment: {shown}{more}"
        return (Caution("unrepresentative-test", what),)

    def __str__(self) -> str:
        head = ["column", "where they differ most", "these rows", "deployment", "p"]
        lines = [
            [
                visible(each.name),
                each.value,
                f"{each.share:.1%}",
                f"{each.share_at_deployment:.1%}",
                shown_p(each.p_value),
            ]
            for each in sorted(self.columns, key=lambda each: (each.p_value, -each.gap))
        ]
        names = [each.name for each in self.differ]
        words = f"Surely different by more than {self.tolerance:.0%}: {named(names) if names else 'none'}."
        absent = [f"In one table only: {named(self.absent)}."] if self.absent else []
        return "\n".join([text_table([head, *lines]), words, *absent])

    def _brief(self) -> str:
        return f"{len(self.differ)} of {len(self.columns)} columns differ"

    def _columns(self) -> Mapping[str, Any]:
        names = ("name", "kind", "value", "share", "share_at_deployment", "gap", "p_value")
        return {name: [getattr(each, name) for each in self.columns] for name in names}


class _Difference(NamedTuple):
    """The largest difference of shares of one column, before adjustment."""

    value: str
    shares: tuple[float, float]
    p_value: float


def covariate_shift(
    data: Any, deployment: Any, *, columns: Sequence[str] | None = None, level: float = 0.95, tolerance: float = 0.05
) -> CovariateShift:
    """Which columns of test rows differ from those of the rows at deployment.

    Numbers and dates are compared by the test of Kolmogorov and Smirnov, categories by χ² (those with fewer than five
    expected rows joined), and gaps by Fisher's exact test; two p-values of a column are doubled. Holm's adjustment
    bounds the chance that any column is named wrongly by 1 - level. A column is named only if some share differs by
    more than the `tolerance`, too, since of many rows every trifle is sure. Columns are compared one by one: how they
    go together may differ where none of them does.

    Parameters
    ----------
    data, deployment
        Two tables of named columns, e.g. the rows a model was tested on and rows from where it is used.
    columns
        Those to compare; all that both tables have by default.
    level, tolerance
        How sure a difference must be, and the difference of shares that does not matter.

    Examples
    --------
    >>> tested = {"age": list(range(20, 60)) * 5, "town": ["Oslo", "Rome"] * 100}
    >>> used = {"age": list(range(30, 70)) * 5, "town": ["Oslo", "Rome"] * 100}
    >>> print(covariate_shift(tested, used))
    column  where they differ most  these rows  deployment        p
    age                 at most 41       55.0%       30.0%  <0.0001
    town                      Oslo       50.0%       50.0%        1
    Surely different by more than 5%: 'age'.
    """
    require_level(level)
    fix = f"give the difference of shares that does not matter, e.g. {argument('tolerance', 0.05)}"
    if not 0 <= require_number(tolerance, name="tolerance", fix=fix) < 1:
        what = f"{argument('tolerance')} must lie from 0 to below 1, got {tolerance}"
        raise ArgumentError(what, fix, parameter="tolerance")
    first, second = frame(data), frame(deployment)
    if columns is not None:
        for name in require_names(columns, name="columns"):
            for table in (first, second):
                column_of(table, name)
    shared = [name for name in first.columns if name in second.columns and (columns is None or name in columns)]
    if not shared:
        what = f"the tables have no column in common: {named(list(first.columns))} and {named(list(second.columns))}"
        raise ColumnError(what, "give two tables of the same columns")
    differences = [_compare(first[name], second[name]) for name in shared]
    adjusted = holm([each.p_value for _, each in differences])
    absent = [] if columns is not None else [n for n in first.columns if n not in second.columns]
    absent += [] if columns is not None else [n for n in second.columns if n not in first.columns]
    shifts = [
        ColumnShift(name, kind, each.value, *each.shares, p_value)
        for name, (kind, each), p_value in zip(shared, differences, adjusted, strict=True)
    ]
    return CovariateShift(tuple(shifts), (len(first), len(second)), tuple(absent), level, tolerance)


def _compare(one: Any, other: Any) -> tuple[Literal["number", "category"], _Difference]:
    """The largest difference of a column in two tables."""
    import pandas as pd

    def holds(test: Any) -> bool:
        return bool(test(one.dtype) and test(other.dtype))

    dates = holds(pd.api.types.is_datetime64_any_dtype)
    if not dates and not (
        holds(pd.api.types.is_numeric_dtype) and not any(map(pd.api.types.is_bool_dtype, (one, other)))
    ):
        texts = [category_texts(each) for each in (one, other)]
        gap = _GAP
        while any((each == gap).any() for each in texts):  # a category of this name is no gap
            gap = f"({gap})"
        return "category", _of_categories(*(each.fillna(gap).tolist() for each in texts))
    gaps = [int(each.isna().sum()) for each in (one, other)]
    sizes = len(one), len(other)
    differences = list(_of_gaps(gaps, sizes))
    if gaps[0] < sizes[0] and gaps[1] < sizes[1]:
        present = [each.dropna() for each in (one, other)]
        if dates:
            present = [pd.to_datetime(each, utc=True).dt.tz_localize(None) for each in present]
        differences.append(_of_numbers(*(each.to_numpy() for each in present)))
    least = min(differences, key=lambda each: each.p_value, default=_Difference("", (0.0, 0.0), 1.0))
    return "number", least._replace(p_value=min(1.0, len(differences) * least.p_value))


def _of_numbers(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> _Difference:
    """The largest difference of cumulative shares, by Kolmogorov and Smirnov."""
    values = np.unique(np.concatenate([one, other]))
    codes = [np.searchsorted(values, each) for each in (one, other)]  # ranks suit dates and large integers, too
    result = ks_2samp(*codes, method="exact" if one.size * other.size <= _EXACT else "asymp")
    at = values[int(result.statistic_location)]
    words = f"{at:.6g}" if values.dtype.kind in "iuf" else _time_text(at)
    shares = tuple(float((each <= result.statistic_location).mean()) for each in codes)
    return _Difference(f"at most {words}", (shares[0], shares[1]), float(result.pvalue))


def _time_text(time: np.datetime64) -> str:
    return str(time.astype("datetime64[s]")).removesuffix("T00:00:00").replace("T", " ")


def _of_gaps(gaps: Sequence[int], sizes: Sequence[int]) -> Iterator[_Difference]:
    """The difference of missing shares, by Fisher's test, where something is missing."""
    if any(gaps):
        yield _Difference(_GAP, (gaps[0] / sizes[0], gaps[1] / sizes[1]), _fisher(gaps[0], gaps[1], *sizes))


def _fisher(one: int, other: int, size: int, size_other: int) -> float:
    """The two-sided p-value of Fisher's exact test, twice that of the nearer side."""
    drawn = hypergeom(size + size_other, one + other, size)
    return float(min(1.0, 2 * min(drawn.cdf(one), drawn.sf(one - 1))))


def _of_categories(one: list[str], other: list[str]) -> _Difference:
    """The largest difference of the share of a category, by χ²."""
    names, codes = np.unique(np.array([*one, *other], dtype=object).astype(str), return_inverse=True)
    sides = np.repeat([0, 1], [len(one), len(other)])
    counts = np.bincount(codes * 2 + sides, minlength=2 * names.size).reshape(-1, 2).astype(np.float64)
    shares = counts / counts.sum(axis=0)
    most = int(np.abs(shares[:, 0] - shares[:, 1]).argmax())
    table = _join_rare(counts)
    value, pair = visible(str(names[most])), (float(shares[most, 0]), float(shares[most, 1]))
    if len(table) < 2:
        return _Difference(value, pair, 1.0)
    if len(table) == 2:
        return _Difference(value, pair, _fisher(int(table[0, 0]), int(table[0, 1]), len(one), len(other)))
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    return _Difference(value, pair, float(chdtrc(len(table) - 1, ((table - expected) ** 2 / expected).sum())))


def _join_rare(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Counts with categories joined, the rarest first, until each expects enough rows.

    What is joined depends on the totals of both tables alone, so that it favours no difference.
    """
    totals, share = counts.sum(axis=1), float(counts.sum(axis=0).min() / counts.sum())
    order = np.argsort(totals, kind="stable")
    enough = _LEAST / share if share else math.inf
    rare = int(np.count_nonzero(totals < enough))
    while rare and rare < len(order) and totals[order[:rare]].sum() < enough:
        rare += 1
    joined = counts[order[:rare]].sum(axis=0, keepdims=True)
    return np.vstack([joined, counts[order[rare:]]]) if rare else counts
