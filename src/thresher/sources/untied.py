"""Cases whose scores all differ: a curve of single steps, of which where the positives are is all there is to know."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.ranking import (
    MOST_TIES,
    UNKNOWN,
    Counts,
    Flags,
    Floats,
    Indices,
    Ranges,
    corners_among,
    on_edges,
    take_evenly,
)
from thresher.ranking.ranges import Bounded


@dataclass(frozen=True, slots=True, eq=False)
class Untied:
    """Falling scores, none of them twice, and which are those of positives and of negatives."""

    score: Floats
    pos_at: Indices
    neg_at: Indices


def untied(score: Floats, positive: Flags) -> Untied:
    """The cases of falling scores.

    >>> untied(np.array([0.9, 0.5]), np.array([True, False])).neg_at
    array([1])
    """
    return Untied(score, np.flatnonzero(positive), np.flatnonzero(~positive))


def condensed_untied(cases: Untied, *, segments: int) -> Bounded:
    """Pools as `condensed` makes them: about so many, with all corners of the hull among the splits, and pairs won.

    >>> steps = untied(np.arange(7.0)[::-1], np.array([1, 1, 0, 1, 0, 0, 1], dtype=bool))
    >>> score, pos, neg, spans = condensed_untied(steps, segments=1)
    >>> score, pos, neg
    (array([5., 3., 0.]), array([2, 1, 1]), array([0, 1, 2]))
    >>> spans.won
    array([-1,  0,  0])
    """
    pos_at, neg_at = cases.pos_at, cases.neg_at
    split, ties = _splits(cases, segments)
    tp = np.searchsorted(pos_at, split)
    fp = split - tp
    pos, neg, end = np.diff(tp), np.diff(fp), split[1:]
    # A positive at i beats the negatives after it: all cases after it in its pool, but for positives.
    sums = np.concatenate([[0], np.cumsum(pos_at)])[tp]
    won = 2 * (pos * (end - 1) - np.diff(sums)) - pos * (pos - 1)
    spans = Ranges(
        *_ends(cases.score, pos_at, tp),
        *_ends(cases.score, neg_at, fp),
        won=np.where((pos > 0) & (neg > 0), won, UNKNOWN),
        corners=True,
        ties=ties,
    )
    return cases.score[end - 1], pos, neg, spans


def _splits(cases: Untied, segments: int) -> tuple[Indices, bool]:
    """The splits that stay, and whether all that tie with corners of the hull are among them."""
    size = cases.score.size
    even = np.linspace(0, size, min(segments, size) + 1).astype(np.int64)  # no two of them alike
    high = _high(cases, even)
    tp = np.searchsorted(cases.pos_at, high)
    corner = corners_among(high - tp, tp)
    tied = on_edges(high - tp, tp, corner)
    most = max(segments, MOST_TIES)
    needed = np.concatenate([[0], high[corner], high[take_evenly(tied, most)]])
    return np.union1d(needed, even if segments > 1 else even[[0, -1]]), tied.size <= most


def _high(cases: Untied, even: Counts) -> Indices:
    """Splits among which are all that touch the hull, along edges that are neither upright nor level.

    Such a split ends a run of positives, and does not lie below the hull of any points of the curve: few are as high as
    that of even splits.
    """
    tp = np.searchsorted(cases.pos_at, even)
    rough = corners_among(even - tp, tp)
    edge, height = even[rough], tp[rough]
    at = np.flatnonzero(np.diff(cases.pos_at, append=cases.score.size + 1) > 1)
    split, reached = cases.pos_at[at] + 1, at + 1
    per_edge = np.diff(np.searchsorted(split, edge[1:-1]), prepend=0, append=split.size)
    # Above the edge in coverage space is above it along splits too, as both axes shear alike.
    dx, dy = np.repeat(np.diff(edge), per_edge), np.repeat(np.diff(height), per_edge)
    above = (reached - np.repeat(height[:-1], per_edge)) * dx >= (split - np.repeat(edge[:-1], per_edge)) * dy
    found: Indices = np.union1d(edge, split[above])
    return found


def _ends(score: Floats, at: Indices, before: Counts) -> tuple[Floats, Floats]:
    """The lowest and highest score of a class in each pool, NaN where it is absent."""
    start, end = before[:-1], before[1:]
    there = np.flatnonzero(end > start)
    low, high = np.full(start.size, np.nan), np.full(start.size, np.nan)
    low[there], high[there] = score[at[end[there] - 1]], score[at[start[there]]]
    return low, high
