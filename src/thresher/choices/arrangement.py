"""The best weights of three classes: the arrangement of all ties of actions.

Weights matter up to a factor, so those of three classes are points of a triangle. Two actions cost a segment the same
along a line through it, and between lines all decisions are the same. Every cell has such a line as an edge: to go
along each line, on both sides of it, is to see every cell.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from thresher.choices.goal import better
from thresher.choices.weights import Breakpoints, Fitted
from thresher.errors import ArgumentError, argument
from thresher.ranking import Floats, Indices

if TYPE_CHECKING:
    from thresher.choices.weights import Search

MOST_SEGMENTS = 400
_SAME = 1e-11  # costs this close are equal but for rounding


def best_of_arrangement(search: Search, best: Fitted) -> Fitted:
    """The best of all weights of three classes that leave no action tied.

    `best` are weights found already. Weights of 0 lie on the edges of the triangle.
    """
    segments, slack = search.segments, search.goal.slack
    if len(segments.classes) != 3 or len(segments) > MOST_SEGMENTS:
        what = f"there are {len(segments.classes)} classes and {len(segments):,} segments"
        fix = f"leave {argument('exact')} out, which is for 3 classes and at most {MOST_SEGMENTS} segments"
        raise ArgumentError(what, fix, parameter="exact")
    edges = [search.fitted(search.line(weights, (j + 1) % 3)[0]) for j, weights in enumerate(1 - np.eye(3))]
    for each in (*map(search.fitted, np.eye(3)), *edges):
        best = each if better(each.reached, best.reached, slack) else best
    lines = _lines(search)
    for line in lines:
        start, end = _ends(line)
        for side in (line, -line):
            breaks = _breakpoints_along(search, start, end, side)
            short, loss, at = search.sweep(breaks)
            places = np.concatenate([[0.0], at, [1.0]])
            for place in np.lexsort((loss, short)).tolist():
                if not better((float(short[place]), float(loss[place])), best.reached, slack):
                    break
                middle = (places[place] + places[place + 1]) / 2
                trial = search.fitted(_off_line((1 - middle) * start + middle * end, side, lines))
                if better(trial.reached, best.reached, slack):  # cells as narrow as rounding are no use
                    best = trial
                    break
    return best


def _lines(search: Search) -> Floats:
    """The normals of the lines in the triangle where two actions tie."""
    p, regret = search.segments.probability, search.regret
    pairs = [p * (regret[:, a] - regret[:, b]) for a, b in combinations(range(regret.shape[1]), 2)]
    normals = np.concatenate(pairs)
    normals = normals[(normals > 0).any(axis=1) & (normals < 0).any(axis=1)]
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    normals *= np.where(normals[np.arange(len(normals)), (normals != 0).argmax(axis=1)] < 0, -1.0, 1.0)[:, np.newaxis]
    _, first = np.unique(normals.round(12), axis=0, return_index=True)
    return np.asarray(normals[first])


def _ends(line: Floats) -> tuple[Floats, Floats]:
    """Where a line leaves the triangle."""
    ends = []
    for i, j in combinations(range(3), 2):
        if line[i] * line[j] < 0:
            point = np.zeros(3)
            point[i], point[j] = abs(line[j]), abs(line[i])
            ends.append(point / point.sum())
    ends += [np.eye(3)[i] for i in range(3) if line[i] == 0]
    return ends[0], ends[1]


def _breakpoints_along(search: Search, start: Floats, end: Floats, side: Floats) -> Breakpoints:
    """Where decisions change along one side of a line, between its ends 0 and 1."""
    p, regret = search.segments.probability, search.regret
    low, high, out = ((p * weights) @ regret for weights in (start, end, side))
    rise = high - low
    low, rise = _without_ties(low, rise, out)
    order = np.where(low <= low.min(axis=1, keepdims=True) + _SAME, rise, np.inf)
    first = order.argmin(axis=1)
    events = list(_crossings(low, rise))
    if not events:
        none = np.empty(0, dtype=np.int64)
        return Breakpoints(first, np.empty(0), none, none, none)
    at, segment, before, after = (np.concatenate(each) for each in zip(*events, strict=True))
    by_place = np.argsort(at, kind="stable")
    return Breakpoints(first, at[by_place], segment[by_place], before[by_place], after[by_place])


def _without_ties(low: Floats, rise: Floats, out: Floats) -> tuple[Floats, Floats]:
    """Costs without actions that tie all along the line and lose on this side."""
    low, rise = low.copy(), rise.copy()
    for a, b in combinations(range(low.shape[1]), 2):
        same = (np.abs(low[:, a] - low[:, b]) <= _SAME) & (np.abs(rise[:, a] - rise[:, b]) <= _SAME)
        dearer = np.where(out[:, a] > out[:, b], a, b)[same]
        low[np.flatnonzero(same), dearer] = np.inf
        rise[np.flatnonzero(same), dearer] = 0.0
    return low, rise


def _crossings(low: Floats, rise: Floats) -> Iterator[tuple[Floats, Indices, Indices, Indices]]:
    """Changes of the cheapest action: place, segment, before, after."""
    for a, b in combinations(range(low.shape[1]), 2):
        with np.errstate(divide="ignore", invalid="ignore"):
            at = (low[:, b] - low[:, a]) / (rise[:, a] - rise[:, b])
        some = np.flatnonzero((at > _SAME) & (at < 1 - _SAME))
        if not some.size:
            continue
        cost = low[some] + rise[some] * at[some, np.newaxis]
        lower = cost[:, [a]]
        slopes = np.sort(rise[some][:, [a, b]], axis=1)
        between = (rise[some] > slopes[:, [0]]) & (rise[some] < slopes[:, [1]])
        hidden = (cost < lower - _SAME) | (between & (cost <= lower + _SAME))  # or by way of a third action
        some = some[~hidden.any(axis=1)]
        falls = rise[some, a] > rise[some, b]
        yield at[some], some, np.where(falls, a, b), np.where(falls, b, a)


def _off_line(point: Floats, side: Floats, lines: Floats) -> Floats:
    """Weights half way from a point of a line to what comes next on one side of it."""
    walls = np.concatenate([lines, np.eye(3)])
    value, change = walls @ point, walls @ side
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = -value / change
    steps = steps[(np.abs(value) > 1e-15) & (steps > 0)]
    return np.asarray(np.maximum(point + side * (steps.min(initial=1.0) / 2), 0.0))
