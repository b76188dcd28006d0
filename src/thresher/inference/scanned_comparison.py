"""`compare_scan`: models whose scores are columns of a table, compared pair by pair without moving its rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.choices import OperatingCondition, choose
from thresher.errors import ArgumentError
from thresher.inference.comparison import fixed_thresholds
from thresher.inference.difference import bootstrap_difference, require_rope
from thresher.inference.interval import require_level
from thresher.inference.pairwise import Comparison, Correction
from thresher.inference.placements import AucCovariance
from thresher.inference.resampling import require_replicates
from thresher.ranking import Floats
from thresher.sources.columns import Missing
from thresher.sources.database import TableName, opened, require_table_columns
from thresher.sources.filters import Filter, filtered
from thresher.sources.paired import Calls, PlacementSums, call_counts, placement_sums
from thresher.sources.paired_rows import PairedRows, paired_rows
from thresher.sources.progress import Listener
from thresher.sources.scan import scan_models
from thresher.sources.tally import Wanted
from thresher.tables import Contingency

_WHERE = "compare_scan(source, label=..., scores=[...])"
_MOST_MODELS = 16
_MOST_NUMBERS = 1 << 23  # drawn at once


def compare_scan(
    source: Any,
    *,
    label: str,
    scores: Sequence[str],
    table: TableName | None = None,
    positive: Any = None,
    weight: str | None = None,
    cluster: str | None = None,
    where: Filter | None = None,
    measure: str | OperatingCondition = "auc",
    thresholds: Mapping[str, float] | None = None,
    level: float = 0.95,
    rope: float = 0.0,
    correction: Correction = "holm",
    seed: int = 0,
    replicates: int = 2000,
    missing: Missing = "raise",
    progress: Listener | None = None,
) -> Comparison:
    """Compare models that scored the same rows of a table, inside the engine that holds them.

    AUCs are compared by DeLong's covariance (1988), with `weight` a column of sampling weights and `cluster` one that
    says which rows belong together (Obuchowski 1997): mid-ranks are made by window functions, and only sums leave the
    engine. Under an `OperatingCondition` expected costs are compared at `thresholds`, or at each model's best one from
    a scan of the same rows; the calls of all models are counted together and resampled jointly, as `compare` does with
    rows, which takes weights and no clusters. Sources and filters are those of `scan`, everything else is as in
    `compare`.

    >>> import ibis, pyarrow
    >>> mails = pyarrow.table({
    ...     "spam": [1, 1, 0, 1, 1, 0, 1, 1, 0, 0],
    ...     "tree": [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13],
    ...     "logit": [.8, .9, .2, .7, .6, .1, .5, .2, .4, .3],
    ... })
    >>> print(compare_scan(ibis.memtable(mails), label="spam", scores=["tree", "logit"])["tree", "logit"])
    tree - logit  -0.1458 [-0.5566, 0.2649]  p 0.49  undecided
    """
    require_level(level, _WHERE)
    require_rope(rope, _WHERE)
    if isinstance(scores, str) or len(set(scores)) != len(scores) or not 2 <= len(scores) <= _MOST_MODELS:
        raise ArgumentError(f"scores must name 2 to 16 columns, got {scores!r}", _WHERE, 'e.g. scores=["a", "b"]')
    condition = measure if isinstance(measure, OperatingCondition) else None
    if condition is None and measure != "auc":
        raise ArgumentError(f"there is no comparison by {measure!r} in an engine", _WHERE, 'pick "auc" or a condition')
    if condition is not None and cluster is not None:
        fix = "compare by AUC, or compare(...) rows that fit in memory"
        raise ArgumentError("clusters cannot be drawn again inside an engine", _WHERE, fix)
    require_replicates(replicates, seed, None, _WHERE)
    if correction not in ("holm", "none"):
        raise ArgumentError(f"there is no correction {correction!r}", _WHERE, 'pick "holm" or "none"')
    at = fixed_thresholds(measure, thresholds, tuple(scores), _WHERE)
    wanted = Wanted(label, tuple(scores), weight)
    empty = Comparison(
        names=wanted.scores,
        measure="auc" if condition is None else "expected cost",
        better="higher" if condition is None else "lower",
        estimates={},
        differences={},
        covariance=None,
        pairs=math.nan,
        level=level,
        rope=rope,
        correction=correction,
        clustered=cluster is not None,
    )
    with opened(source, table=table, where=_WHERE) as engine:
        beside = [] if cluster is None else [cluster]
        named = [*wanted.columns, *beside, *(where if isinstance(where, Mapping) else ())]
        require_table_columns(engine.table, named, place=engine.place, where=_WHERE)
        rows = paired_rows(
            replace(engine, table=filtered(engine.table, where, where=_WHERE)),
            wanted,
            cluster=cluster,
            positive=positive,
            missing=missing,
            listener=progress,
            where=_WHERE,
        )
        empty = replace(empty, dropped=rows.dropped)
        if condition is None:
            sums = placement_sums(rows, len(scores), listener=progress, where=_WHERE)
            return _of_sums(covariance_of(sums), sums, empty)
        at = at or _best_thresholds(rows, wanted, condition)
        calls = call_counts(rows, {name: at[name] for name in wanted.scores}, listener=progress, where=_WHERE)
    return _of_calls(calls, condition, empty, replicates=replicates, rng=np.random.default_rng(seed))


def covariance_of(sums: PlacementSums) -> AucCovariance:
    """AUCs and DeLong's covariance of them, from sums of placements about ½; the formulas are `auc_covariance`'s.

    >>> one = np.array([[0.25, 0.5], [0.5, 1.0]])
    >>> total, products = np.array([0.5, 1.0, 0.5, 1.0]), np.kron(np.eye(2), one)
    >>> covariance_of(PlacementSums(total, products, (1, 1, 2), clustered=False)).areas
    array([1.])
    """
    width = sums.total.size // 2
    sides = slice(0, width), slice(width, None)
    areas = np.clip(0.5 + sums.total[: width - 1] / sums.total[width - 1], 0.0, 1.0)
    about = np.hstack([np.eye(width - 1), 0.5 - areas[:, np.newaxis]])  # from sums of a unit to its influence
    to_influence = [about / sums.total[side][-1] for side in sides]

    def spread(one: int, other: int, units: int) -> Floats:
        found = to_influence[one] @ sums.products[sides[one], sides[other]] @ to_influence[other].T
        return found * (units / (units - 1) if units > 1 else math.nan)

    crossed = spread(0, 1, sums.units[2]) if sums.clustered else np.zeros((width - 1, width - 1))
    return AucCovariance(areas, spread(0, 0, sums.units[0]), spread(1, 1, sums.units[1]), crossed + crossed.T)


def independent_cases(sums: PlacementSums) -> tuple[float, float]:
    """Independent positives and negatives: clusters, or Kish's (1965) effective number of weighted rows.

    >>> products = np.diag([0.0, 4.0, 0.0, 1.0])
    >>> independent_cases(PlacementSums(np.array([0.0, 4.0, 0.0, 1.0]), products, (9, 1, 10), clustered=False))
    (4.0, 1.0)
    """
    if sums.clustered:
        return float(sums.units[0]), float(sums.units[1])
    half = sums.total.size // 2
    pos, neg = (float(sums.total[i] ** 2 / sums.products[i, i]) for i in (half - 1, -1))
    return pos, neg


def _of_sums(found: AucCovariance, sums: PlacementSums, empty: Comparison) -> Comparison:
    cases = independent_cases(sums)
    if sums.clustered and min(cases) < 2:
        fix = "give rows of at least two clusters with each class, or leave cluster= out if rows are independent"
        raise ArgumentError("a class lies in one cluster, which shows no spread between clusters", _WHERE, fix)
    empty = replace(empty, pairs=min(cases))
    covariance = found.whole
    differences = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(empty.names), 2):
        apart = float(covariance[i, i] + covariance[j, j])
        variance = apart - 2 * float(covariance[i, j])
        differences[a, b] = empty.auc_difference((a, b), float(found.areas[i] - found.areas[j]), variance, apart)
    return empty.filled(dict(zip(empty.names, found.areas.tolist(), strict=True)), differences, covariance)


def _of_calls(
    calls: Calls, condition: OperatingCondition, empty: Comparison, *, replicates: int, rng: np.random.Generator
) -> Comparison:
    total = int(calls.cases.sum())
    is_pos = calls.code & 1 == 1
    values: dict[str, Any] = {name: [] for name in empty.names}
    for drawn in _draws(calls, total, replicates, rng):
        for i, name in enumerate(empty.names):
            called = calls.code >> (i + 1) & 1 == 1
            cells = (is_pos & called, is_pos > called, ~is_pos & called, ~(is_pos | called))
            table = Contingency(*(drawn @ (cell * calls.weight) for cell in cells))
            values[name].append(np.asarray(condition.expected_cost(table)))
    values = {name: np.concatenate(each) for name, each in values.items()}
    mass = calls.cases * calls.weight
    smaller = min(float(mass[side].sum() ** 2 / (mass * calls.weight)[side].sum()) for side in (is_pos, ~is_pos))
    span = max(condition.cost_fn - condition.cost_tp, condition.cost_fp - condition.cost_tn)
    differences = {
        (a, b): bootstrap_difference(
            (a, b),
            values[a],
            values[b],
            level=empty.level,
            rope=empty.rope,
            better="lower",
            span=span,
            cases=smaller,
        )
        for a, b in itertools.combinations(empty.names, 2)
    }
    filled = replace(empty, pairs=smaller)
    return filled.filled({name: float(each[0]) for name, each in values.items()}, differences)


def _draws(calls: Calls, total: int, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
    """The data themselves, and then resamples of them, in pieces of bounded size."""
    yield calls.cases[np.newaxis].astype(np.float64)
    each = max(1, _MOST_NUMBERS // calls.cases.size)
    for start in range(0, replicates, each):
        size = min(each, replicates - start)
        yield rng.multinomial(total, calls.cases / total, size=size).astype(np.float64)


def _best_thresholds(rows: PairedRows, wanted: Wanted, condition: OperatingCondition) -> dict[str, float]:
    columns = [f"x{i}" for i in range(len(wanted.scores))]
    weight = None if wanted.weight is None else "w"
    found = scan_models(rows.table, label="positive", scores=columns, weight=weight, exact=True)
    return {
        name: choose(found[column], condition).threshold for name, column in zip(wanted.scores, columns, strict=True)
    }
