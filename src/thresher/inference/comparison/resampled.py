"""Resampling rows jointly for several models: the counts at their thresholds, or the least cost of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.inference.bootstrap.draws import multiplicities
from thresher.inference.rows import ScoredRows, cluster_sums
from thresher.ranking import Counts, Flags, Floats, falling_order, reaches
from thresher.tables import Contingency, OperatingCondition

Matrix: TypeAlias = npt.NDArray[np.float64]
_AT_ONCE = 1 << 22  # entries of a block of resamples: what fits the cache


def resampled_tables(
    rows: ScoredRows,
    thresholds: Mapping[str, float],
    replicates: int,
    rng: np.random.Generator,
    *,
    stratified: bool = False,
) -> dict[str, Contingency]:
    """Every model's contingency tables over the same resamples of rows, the table of the data first.

    Plain rows matter only by their class and how every model calls them, so the resample is drawn from
    that small table; weighted rows are drawn one by one and clusters whole. `stratified` resamples hold the numbers of
    positive and negative rows fixed, unless there are clusters.
    """
    columns = []
    for name, score in rows.scores.items():
        called = reaches(score.astype(np.float64), thresholds[name])  # a threshold between two singles is none
        columns += [rows.positive & called, rows.positive > called, ~rows.positive & called, ~(rows.positive | called)]
    cells = np.stack(columns)
    plain = rows.weight is None and rows.cluster is None
    drawn = _plain(cells, replicates, rng, stratified=stratified) if plain else None
    if drawn is None:
        drawn = _by_unit(rows, cells, replicates, rng, stratified=stratified)
    return {
        name: Contingency(*(np.ascontiguousarray(cell) for cell in drawn[:, 4 * i : 4 * i + 4].T))
        for i, name in enumerate(rows.scores)
    }


def resampled_costs(
    rows: ScoredRows, condition: OperatingCondition, replicates: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Every model's least expected cost over the same resamples, its threshold chosen anew in each.

    The cost on the data itself comes first. Resamples hold the numbers of positive and negative rows fixed where the
    condition declares a class ratio and there are no clusters.
    """
    orders = {name: falling_order(score) for name, score in rows.scores.items()}
    found = {name: np.empty(replicates + 1) for name in rows.scores}
    positives = np.flatnonzero(rows.positive)
    miss, alarm = condition.cost_fn - condition.cost_tp, condition.cost_fp - condition.cost_tn
    at = 0
    for block in _draws(rows, replicates, rng, stratified=condition.class_ratio is not None):
        for units in block:
            count = units if rows.cluster is None else units[rows.cluster]
            heavy = count if rows.weight is None else count * rows.weight
            Pos = float(heavy[positives].sum())
            Neg = float(heavy.sum()) - Pos
            share = Pos / (Pos + Neg) if condition.prevalence is None else condition.prevalence
            with np.errstate(divide="ignore", invalid="ignore"):  # a resample may lack a class
                per_pos, per_neg = np.divide(share, Pos), np.divide(1 - share, Neg)
            change = heavy * np.where(rows.positive, -miss * per_pos, alarm * per_neg)
            # Calling nothing positive misses every positive; each row called on the way down changes that.
            start = share * condition.cost_fn + (1 - share) * condition.cost_tn
            for name, (order, ends) in orders.items():
                running = np.cumsum(change[order])
                least = (running if ends.size == running.size else running[ends - 1]).min()
                found[name][at] = start + min(0.0, least)
            at += 1
    return found


def _plain(
    cells: npt.NDArray[np.bool_], replicates: int, rng: np.random.Generator, *, stratified: bool
) -> Matrix | None:
    """Tables by a multinomial draw over the combinations of class and calls that occur, or by one for each class."""
    models = cells.shape[0] // 4
    if models > 16:
        return None
    code = cells[0] | cells[1]  # positive
    number = code.astype(np.int64)
    for i in range(models):
        number += (cells[4 * i] | cells[4 * i + 2]).astype(np.int64) << (i + 1)
    seen = np.bincount(number, minlength=2 << models)
    occupied = np.flatnonzero(seen)
    is_pos = occupied & 1 == 1
    draws = np.vstack([seen[occupied], drawn_cells(seen[occupied], is_pos if stratified else None, replicates, rng)])
    columns = []
    for i in range(models):
        called = occupied >> (i + 1) & 1 == 1
        columns += [is_pos & called, is_pos > called, ~is_pos & called, ~(is_pos | called)]
    return draws.astype(np.float64) @ np.stack(columns).T.astype(np.float64)


def drawn_cells(seen: Counts, is_pos: Flags | None, replicates: int, rng: np.random.Generator) -> Counts:
    """Counts of cells drawn with replacement, a row per resample; of positives and negatives apart if they are told.

    >>> drawn = drawn_cells(np.array([3, 5, 2]), np.array([True, False, True]), 2, np.random.default_rng(0))
    >>> drawn[:, 1].tolist(), drawn[:, [0, 2]].sum(axis=1).tolist()
    ([5, 5], [5, 5])
    """
    found = np.empty((replicates, seen.size), dtype=np.int64)
    for side in (np.ones(seen.size, dtype=np.bool_),) if is_pos is None else (is_pos, ~is_pos):
        total = int(seen[side].sum())
        found[:, side] = rng.multinomial(total, seen[side] / total, size=replicates)
    return found


def _by_unit(
    rows: ScoredRows, cells: npt.NDArray[np.bool_], replicates: int, rng: np.random.Generator, *, stratified: bool
) -> Matrix:
    """Tables by drawing rows or whole clusters, each with the weight it adds to every cell."""
    content = cells.astype(np.float64) if rows.weight is None else cells * rows.weight
    if rows.cluster is not None:
        content = cluster_sums(content, rows.cluster, rows.clusters)
    return np.vstack([block @ content.T for block in _draws(rows, replicates, rng, stratified=stratified)])


def _draws(rows: ScoredRows, replicates: int, rng: np.random.Generator, *, stratified: bool) -> Iterator[Counts]:
    """How often each unit is drawn, a block of resamples at a time; the first resample is the data itself."""
    units = rows.clusters
    yield np.ones((1, units))
    at_once = max(1, _AT_ONCE // units)
    for start in range(0, replicates, at_once):
        size = min(at_once, replicates - start)
        if not stratified or rows.cluster is not None:
            yield multiplicities(units, size, rng).astype(np.float64)
            continue
        drawn = np.empty((size, units))
        for side in (rows.positive, ~rows.positive):
            drawn[:, side] = multiplicities(int(np.count_nonzero(side)), size, rng)
        yield drawn
