"""Dealing rows into parts: which part each row goes to, by class, by group or by time."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher.errors import ColumnError
from thresher.ranking import Floats, Indices
from thresher.sources.columns import Column


def largest_remainders(total: int, share: Floats) -> Indices:
    """Whole sizes that add up to `total`, each within 1 of its share; what is left goes to the largest remainders.

    >>> largest_remainders(10, np.array([0.55, 0.25, 0.2])).tolist()
    [6, 2, 2]
    """
    # A share such as 0.7 times 10 must not fall short of 7 by rounding.
    wished = np.round(total * share, 9)
    sizes = np.floor(wished).astype(np.int64)
    order = np.argsort(-(wished - sizes), kind="stable")
    sizes[order[: total - int(sizes.sum())]] += 1
    return sizes


def stratified(codes: Indices, share: Floats, rng: np.random.Generator) -> Indices:
    """Part of each row, every class dealt by itself; the parts' sizes are those of the shares to within 1.

    A class alone would round its parts on its own, and many small classes could round the same way; so the rows that
    are left over are given to the parts that lack most.
    """
    dealt = np.empty(codes.size, dtype=np.int64)
    goal = largest_remainders(codes.size, share)
    counts = np.bincount(codes)
    sizes = np.floor(np.round(counts[:, None] * share, 9)).astype(np.int64)
    lacking = goal - sizes.sum(axis=0)
    for code in np.argsort(-counts, kind="stable"):
        left = int(counts[code] - sizes[code].sum())
        # Of parts that lack rows, those whose share of this class was rounded down most come first.
        rest = counts[code] * share - sizes[code] + np.minimum(lacking, 1) * 2
        for part in np.argsort(-rest, kind="stable")[:left]:
            sizes[code, part] += 1
            lacking[part] -= 1
        rows = np.flatnonzero(codes == code)
        dealt[rng.permutation(rows)] = np.repeat(np.arange(share.size), sizes[code])
    return dealt


def by_group(groups: Column, codes: Indices, share: Floats, rng: np.random.Generator) -> Indices:
    """Part of each row, groups kept whole: large groups first, each to the part that lacks most rows of its classes."""
    member = _numbered(groups)
    inside = np.zeros((member.max() + 1, codes.max() + 1))
    np.add.at(inside, (member, codes), 1)
    # Each class counts alike, so that a rare one is not drowned by the others.
    weight = inside / np.maximum(inside.sum(axis=0), 1)
    wanted = share[:, None] * np.ones(inside.shape[1])
    shuffled = rng.permutation(len(weight))
    order = shuffled[np.argsort(-inside.sum(axis=1)[shuffled], kind="stable")]
    part_of = np.empty(len(weight), dtype=np.int64)
    for group in order:
        # Squares, since a part that lacks much is a worse misfit than two that lack half as much.
        better = ((wanted**2) - (wanted - weight[group]) ** 2).sum(axis=1)
        part_of[group] = np.argmax(better)
        wanted[part_of[group]] -= weight[group]
    return part_of[member]


def by_time(time: Column, share: Floats) -> Indices:
    """Part of each row, earlier parts holding earlier rows; rows of one moment stay together."""
    try:
        _, member = np.unique(time, return_inverse=True)
    except TypeError:
        raise ColumnError("the times are of different kinds and have no order", "give dates or numbers") from None
    until = np.cumsum(np.bincount(member))
    # A moment belongs to the part in which most of its rows would fall.
    middle = until - np.bincount(member) / 2
    part = np.searchsorted(np.cumsum(share)[:-1] * time.size, middle, side="left")
    return part[member]


def _numbered(groups: Column) -> Indices:
    place: dict[Any, int] = {}
    return np.fromiter((place.setdefault(g, len(place)) for g in groups.tolist()), dtype=np.int64, count=groups.size)
