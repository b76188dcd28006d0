"""`compare_scan`: models whose scores are columns of a table, compared pair by pair without moving its rows."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from thresher.choices import OperatingCondition, choose
from thresher.errors import ArgumentError
from thresher.inference.comparison import fixed_thresholds
from thresher.inference.difference import bootstrap_difference, require_rope
from thresher.inference.interval import require_level
from thresher.inference.pairwise import Comparison, Correction
from thresher.inference.placements import Matrix
from thresher.inference.resampling import require_replicates
from thresher.sources.columns import Missing
from thresher.sources.database import Opened, TableName, opened, require_table_columns
from thresher.sources.filters import Filter, filtered
from thresher.sources.paired import Calls, PlacementSums, call_counts, placement_sums
from thresher.sources.progress import Listener
from thresher.sources.scan import scan_models
from thresher.sources.tally import Wanted
from thresher.tables import Contingency

_WHERE = "compare_scan(source, label=..., scores=[...])"


def compare_scan(
    source: Any,
    *,
    label: str,
    scores: Sequence[str],
    table: TableName | None = None,
    positive: Any = None,
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

    AUCs are compared by DeLong's covariance (1988): mid-ranks are made by window functions, and only sums leave the
    engine. Under an `OperatingCondition` expected costs are compared at `thresholds`, or at each model's best one from
    a scan of the same rows; the calls of all models are counted together and resampled jointly, as `compare` does with
    rows. Sources and filters are those of `scan`, everything else is as in `compare`.

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
    if isinstance(scores, str) or len(scores) < 2 or len(set(scores)) != len(scores) or len(scores) > 16:
        raise ArgumentError(f"scores must name 2 to 16 columns, got {scores!r}", _WHERE, 'e.g. scores=["a", "b"]')
    condition = measure if isinstance(measure, OperatingCondition) else None
    if condition is None and measure != "auc":
        raise ArgumentError(f"there is no comparison by {measure!r} in an engine", _WHERE, 'pick "auc" or a condition')
    require_replicates(replicates, seed, None, _WHERE)
    if correction not in ("holm", "none"):
        raise ArgumentError(f"there is no correction {correction!r}", _WHERE, 'pick "holm" or "none"')
    fixed_thresholds(measure, thresholds, tuple(scores), _WHERE)
    wanted = Wanted(label, tuple(scores))
    how = {"positive": positive, "missing": missing, "listener": progress, "where": _WHERE}
    with opened(source, table=table, where=_WHERE) as engine:
        named = [*wanted.columns, *(where if isinstance(where, Mapping) else ())]
        require_table_columns(engine.table, named, place=engine.place, where=_WHERE)
        rows = Opened(filtered(engine.table, where, where=_WHERE), engine.place, engine.total, engine.share)
        if condition is None:
            return _of_sums(placement_sums(rows, wanted, **how), wanted, level, rope, correction)
        at = _thresholds(rows, wanted, condition, thresholds, positive=positive, missing=missing)
        calls = call_counts(rows, wanted, at, **how)
    return _of_calls(
        calls,
        wanted,
        condition,
        asked=(level, rope, correction),
        replicates=replicates,
        rng=np.random.default_rng(seed),
    )


def covariance_of(sums: PlacementSums) -> tuple[Any, Matrix]:
    """AUCs and DeLong's covariance of them, from sums of placements about ½."""
    areas = 0.5 + sums.sums[0] / sums.cases[0]
    whole = np.zeros_like(sums.products[0])
    for cases, vector, products in zip(sums.cases, sums.sums, sums.products, strict=True):
        centred = products - np.outer(vector, vector) / cases
        whole += centred / (cases - 1) / cases if cases > 1 else np.full_like(centred, np.nan)
    return areas, whole


def _of_sums(sums: PlacementSums, wanted: Wanted, level: float, rope: float, correction: Correction) -> Comparison:
    empty = _empty(
        wanted, "auc", "higher", pairs=min(sums.cases), dropped=sums.dropped, asked=(level, rope, correction)
    )
    areas, covariance = covariance_of(sums)
    differences = {}
    for (i, a), (j, b) in itertools.combinations(enumerate(wanted.scores), 2):
        apart = float(covariance[i, i] + covariance[j, j])
        variance = apart - 2 * float(covariance[i, j])
        differences[a, b] = empty.auc_difference((a, b), float(areas[i] - areas[j]), variance, apart)
    return empty.filled(dict(zip(wanted.scores, areas.tolist(), strict=True)), differences, covariance)


def _of_calls(
    calls: Calls,
    wanted: Wanted,
    condition: OperatingCondition,
    *,
    asked: tuple[float, float, Correction],
    replicates: int,
    rng: np.random.Generator,
) -> Comparison:
    total = int(calls.cases.sum())
    order = np.argsort(calls.code)
    code, cases = calls.code[order], calls.cases[order]
    draws = np.vstack([cases, rng.multinomial(total, cases / total, size=replicates)]).astype(np.float64)
    is_pos = code & 1 == 1
    values = {}
    for i, name in enumerate(wanted.scores):
        called = code >> (i + 1) & 1 == 1
        cells = (is_pos & called, is_pos > called, ~is_pos & called, ~(is_pos | called))
        table = Contingency(*(draws @ cell.astype(np.float64) for cell in cells))
        values[name] = np.asarray(condition.expected_cost(table))
    smaller = min(int(cases[is_pos].sum()), int(cases[~is_pos].sum()))
    empty = _empty(wanted, "expected cost", "lower", pairs=smaller, dropped=calls.dropped, asked=asked)
    span = max(condition.cost_fn - condition.cost_tp, condition.cost_fp - condition.cost_tn)
    differences = {
        (a, b): bootstrap_difference(
            (a, b), values[a], values[b], level=asked[0], rope=asked[1], better="lower", span=span, cases=smaller
        )
        for a, b in itertools.combinations(wanted.scores, 2)
    }
    return empty.filled({name: float(each[0]) for name, each in values.items()}, differences)


def _empty(
    wanted: Wanted, measure: str, better: Any, *, pairs: float, dropped: int, asked: tuple[float, float, Correction]
) -> Comparison:
    return Comparison(
        names=wanted.scores,
        measure=measure,
        better=better,
        estimates={},
        differences={},
        covariance=None,
        pairs=pairs,
        level=asked[0],
        rope=asked[1],
        correction=asked[2],
        dropped=dropped,
    )


def _thresholds(
    rows: Opened,
    wanted: Wanted,
    condition: OperatingCondition,
    given: Mapping[str, float] | None,
    *,
    positive: Any,
    missing: Missing,
) -> dict[str, float]:
    if given is not None:
        if set(given) != set(wanted.scores):
            raise ArgumentError(
                f"thresholds must name each of {', '.join(wanted.scores)} once", _WHERE, "name them all"
            )
        return {name: float(at) for name, at in given.items()}
    found = scan_models(
        rows.table, label=wanted.label, scores=wanted.scores, positive=positive, missing=missing, exact=True
    )
    return {name: choose(ranking, condition).threshold for name, ranking in found.items()}
