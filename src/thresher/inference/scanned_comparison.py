"""`compare_scan`: models whose scores are columns of a table, compared pair by pair without moving its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thresher.choices import OperatingCondition, choose
from thresher.errors import ArgumentError
from thresher.inference.comparison import fixed_thresholds
from thresher.inference.difference import require_margin
from thresher.inference.interval import require_level
from thresher.inference.kinds import require_one_of
from thresher.inference.paired_bootstrap import drawn_cells
from thresher.inference.pairwise import Comparison, Correction
from thresher.inference.resampling import require_replicates
from thresher.inference.scanned_placements import auc_comparison, empty_comparison
from thresher.ranking import Flags, Floats
from thresher.sources.columns import Missing
from thresher.sources.filters import Filter
from thresher.sources.paired import Calls, call_counts, placement_sums
from thresher.sources.paired_rows import PairedRows, opened_pairs
from thresher.sources.progress import Listener
from thresher.sources.scan_options import Options, require_models
from thresher.sources.table_names import TableName
from thresher.sources.tally import Wanted
from thresher.tables import Contingency, quantity, refusal

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
    margin: float = 0.0,
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
    rows, which takes weights and no clusters. The thresholds stay fixed, where `compare` that is given none chooses
    them anew in every resample. Sources and filters are those of `scan`, everything else is as in `compare`.

    >>> import ibis, pyarrow
    >>> mails = pyarrow.table({
    ...     "spam": [1, 1, 0, 1, 1, 0, 1, 1, 0, 0],
    ...     "tree": [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13],
    ...     "logit": [.8, .9, .2, .7, .6, .1, .5, .2, .4, .3],
    ... })
    >>> print(compare_scan(ibis.memtable(mails), label="spam", scores=["tree", "logit"])["tree", "logit"])
    tree - logit  -0.1458 [-0.7025, 0.4108]  p 0.52  undecided
    """
    require_level(level)
    require_margin(margin)
    scores = require_models(scores, least=2, most=_MOST_MODELS)
    condition = measure if isinstance(measure, OperatingCondition) else None
    if not isinstance(measure, OperatingCondition) and measure != "auc":
        where_rows_are = "cannot be compared where the rows are"
        raise refusal(f"{quantity(measure)} {where_rows_are}", ["auc", "an OperatingCondition"])
    if condition is not None and cluster is not None:
        fix = "compare by AUC, or compare(...) rows that fit in memory"
        raise ArgumentError("clusters cannot be drawn again inside an engine", fix)
    require_replicates(replicates, seed, None)
    require_one_of(correction, ("holm", "none"), "correction")
    at = fixed_thresholds(measure, thresholds, scores)
    wanted = Wanted(label, scores, weight)
    empty = replace(
        empty_comparison(wanted.scores, level=level, margin=margin),
        measure="auc" if condition is None else "expected cost",
        better="higher" if condition is None else "lower",
        correction=correction,
        clustered=cluster is not None,
    )
    with opened_pairs(
        source,
        wanted,
        table=table,
        where_=where,
        cluster=cluster,
        positive=positive,
        missing=missing,
        listener=progress,
    ) as rows:
        empty = replace(empty, dropped=rows.dropped)
        if condition is None:
            return auc_comparison(placement_sums(rows, len(scores), listener=progress), empty)
        at = at or _best_thresholds(rows, wanted, condition, progress)
        calls = call_counts(rows, {name: at[name] for name in wanted.scores}, listener=progress)
    return _of_calls(calls, condition, empty, replicates=replicates, rng=np.random.default_rng(seed))


def _of_calls(
    calls: Calls, condition: OperatingCondition, empty: Comparison, *, replicates: int, rng: np.random.Generator
) -> Comparison:
    is_pos = calls.code & 1 == 1
    values: dict[str, Any] = {name: [] for name in empty.names}
    for drawn in _draws(calls, None if condition.class_ratio is None else is_pos, replicates, rng):
        for i, name in enumerate(empty.names):
            called = calls.code >> (i + 1) & 1 == 1
            cells = (is_pos & called, is_pos > called, ~is_pos & called, ~(is_pos | called))
            table = Contingency(*(drawn @ (cell * calls.weight) for cell in cells))
            values[name].append(np.asarray(condition.expected_cost(table)))
    values = {name: np.concatenate(each) for name, each in values.items()}
    mass = calls.cases * calls.weight
    smaller = min(float(mass[side].sum() ** 2 / (mass * calls.weight)[side].sum()) for side in (is_pos, ~is_pos))
    span = max(condition.cost_fn - condition.cost_tp, condition.cost_fp - condition.cost_tn)
    return replace(empty, pairs=smaller).of_replicates(values, span=span)


def _draws(calls: Calls, is_pos: Flags | None, replicates: int, rng: np.random.Generator) -> Iterator[Floats]:
    """The data themselves, then resamples of them, in pieces of bounded size; class by class if classes are told."""
    yield calls.cases[np.newaxis].astype(np.float64)
    each = max(1, _MOST_NUMBERS // calls.cases.size)
    for start in range(0, replicates, each):
        yield drawn_cells(calls.cases, is_pos, min(each, replicates - start), rng).astype(np.float64)


def _best_thresholds(
    rows: PairedRows, wanted: Wanted, condition: OperatingCondition, listener: Listener | None
) -> dict[str, float]:
    """Each model's cheapest threshold, from ranges of scores that are divided around it until it is certain."""
    found = rows.rankings(wanted.scores, Options(refine=condition, progress=listener))
    return {name: choose(ranking, condition).threshold for name, ranking in found.items()}
