"""Meanings of calibrated for k classes: top label, class by class, canonical.

Top label: of the cases whose most probable class got p, a share p is of it (Guo et al. 2017). Class by class: of the
cases that gave a class p, a share p is of it (Zadrozny & Elkan 2002). Canonical: of the cases that got a vector, the
shares of the classes are that vector (Widmann, Lindsten & Zachariah 2019; Vaicenavicius et al. 2019).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import require_one_of
from thresher.calibration.reliability import Binning, require_bins, splits_of, top_label
from thresher.errors import ArgumentError, WeightError, argument
from thresher.ranking import Counts, Floats, Indices, Ranking, Segments
from thresher.ranking.segments import Matrix

Of: TypeAlias = Literal["top", "class", "canonical"]

DRAWS_AT_ONCE = 1 << 21


def require_meaning(of: Any) -> None:
    """Refuse what is none of the three."""
    require_one_of(of, get_args(Of), name="of")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Cases of some classes against those that are expected, group by group.

    `pick` holds the columns of each segment that are compared: all of them, or one. `order` puts segments of a group
    next to each other, and `first` says where groups begin.
    """

    name: Any
    pick: Indices
    probability: Matrix
    order: Indices
    first: Indices
    cases: Floats  # per segment

    @property
    def group_cases(self) -> Floats:
        """Cases of each group."""
        cases: Floats = np.add.reduceat(self.cases[self.order], self.first)
        return cases

    def observed(self, counts: Counts) -> Counts:
        """Cases per draw, group and column; `counts` has draws, segments and classes."""
        all_columns = self.pick.shape[1] == counts.shape[2]
        picked = counts if all_columns else np.take_along_axis(counts, self.pick[np.newaxis], axis=2)
        grouped: Counts = np.add.reduceat(picked[:, self.order], self.first, axis=1)
        return grouped

    def error(self, counts: Counts) -> Floats:
        """The expected calibration error of each draw; of vectors with the factor ½."""
        summed: Floats = np.abs(self._excess(counts)).sum(axis=(1, 2))
        return summed * self._factor()

    def loss(self, counts: Counts) -> Floats:
        """The calibration loss of each draw."""
        squares = self._excess(counts) ** 2 / self.group_cases[:, np.newaxis]
        summed: Floats = squares.sum(axis=(1, 2))
        return summed * self._factor()

    def _excess(self, counts: Counts) -> Floats:
        expected = self.probability * self.cases[:, np.newaxis]
        excess: Floats = self.observed(counts) - np.add.reduceat(expected[self.order], self.first, axis=0)
        return excess

    def _factor(self) -> float:
        return (1.0 if self.pick.shape[1] == 1 else 0.5) / float(self.cases.sum())


def comparisons(segments: Segments, of: Of, *, bins: Binning, count: int) -> list[Comparison]:
    """What is compared: one for "top" and "canonical", one for each class otherwise."""
    require_meaning(of)
    m, k = segments.counts.shape
    if of == "canonical":
        every = np.broadcast_to(np.arange(k), (m, k))
        return [_compare(segments, None, every, _cells(segments.probability, bins, count))]
    if of == "top":
        pick = segments.probability.argmax(axis=1)[:, np.newaxis]
        return [_compare(segments, None, pick, _runs(top_label(segments), segments, pick, bins, count))]
    compared = []
    for i, name in enumerate(segments.classes):
        pick = np.full((m, 1), i)
        group = _runs(segments.ranking(name), segments, pick, bins, count)
        compared.append(_compare(segments, name, pick, group))
    return compared


def _compare(segments: Segments, name: Any, pick: Indices, group: Indices) -> Comparison:
    order = np.argsort(group, kind="stable")
    first = np.flatnonzero(np.append(True, np.diff(group[order]) > 0))
    probability = np.take_along_axis(segments.probability, pick, axis=1)
    return Comparison(name, pick, probability, order, first, segments.counts.sum(axis=1).astype(np.float64))


def _runs(ranking: Ranking, segments: Segments, pick: Indices, bins: Binning, count: int) -> Indices:
    """The bin of each segment: those of the ranking by its picked probability."""
    split = splits_of(ranking, bins, count=count)
    score = np.take_along_axis(segments.probability, pick, axis=1)[:, 0]
    place = np.searchsorted(-ranking.score, -score)
    return np.searchsorted(split[1:], place, side="right")


def _cells(probability: Matrix, bins: Binning, count: int) -> Indices:
    """The cell of each vector: itself, or its place in a grid of equal widths."""
    if bins == "exact":
        return np.arange(len(probability))
    if bins != "uniform":
        what = f"vectors have no order, so {argument('bins')} cannot be {bins!r}"
        raise ArgumentError(what, f"pass {argument('bins', 'uniform')}, or {argument('of', 'class')}", parameter="bins")
    require_bins(count, name="count")
    edges = np.arange(1, count) / count
    cells: Indices = np.unique(np.searchsorted(edges, probability, side="right"), axis=0, return_inverse=True)[1]
    return cells.reshape(-1)


def draw_labels(segments: Segments) -> Callable[[np.random.Generator, int], Counts]:
    """A way to draw labels from the vectors: counts per draw, segment and class."""
    if segments.weighted and np.mod(segments.counts, 1).any():
        what = "weights that are not whole do not say how many labels there were to draw"
        raise WeightError(what, "segment without weights")
    number = segments.counts.sum(axis=1).astype(np.int64)
    probability = segments.probability / segments.probability.sum(axis=1, keepdims=True)
    if number.max() > 1:
        return lambda rng, size: rng.multinomial(number, probability, size=(size, len(number)))
    upper = probability.cumsum(axis=1)[:, :-1]  # comparing is faster than a multinomial each

    def draw(rng: np.random.Generator, size: int) -> Counts:
        below = rng.random((size, len(number), 1)) < upper
        counts = np.empty((size, *segments.counts.shape), dtype=np.int64)
        counts[..., 0] = below[..., 0]
        counts[..., 1:-1] = below[..., 1:] & ~below[..., :-1]
        counts[..., -1] = ~below[..., -1]
        return counts

    return draw


def draws_at_once(segments: Segments) -> int:
    """How many draws of labels fit in memory together."""
    return max(1, DRAWS_AT_ONCE // segments.counts.size)
