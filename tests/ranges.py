"""Rankings of ranges for tests: rows put into ranges in any monotone way, as an engine's buckets would."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

import thresher as th
from tests.strategies import float64_scores, labelled_scores


def bounded(labels: Any, scores: Any, edges: Any = (), weights: Any = None) -> th.Ranking:
    """The ranking that counts rows between edges, with each class's lowest and highest score."""
    score = np.asarray(scores, dtype=np.float64)
    bucket = np.searchsorted(np.unique(np.asarray(edges, dtype=np.float64)), score, side="right")
    weight = np.ones(score.size, dtype=np.int64) if weights is None else np.asarray(weights, dtype=np.float64)
    low, high, pos, neg = [], [], [], []
    for one in np.unique(bucket):
        for flag in (True, False):
            chosen = (bucket == one) & (np.asarray(labels) == flag) & (weight > 0)
            if chosen.any():
                low.append(score[chosen].min())
                high.append(score[chosen].max())
                pos.append(weight[chosen].sum() if flag else 0)
                neg.append(0 if flag else weight[chosen].sum())
    kind = np.int64 if weights is None else np.float64
    return th.Ranking.of_ranges(low, high, pos=np.array(pos, kind), neg=np.array(neg, kind))


@st.composite
def ranged(draw: st.DrawFn, *, probabilities: bool = False, weighted: bool = False) -> tuple[th.Ranking, th.Ranking]:
    """The exact ranking of some rows and one that counts ranges of their scores."""
    if probabilities:
        # Few values tie; many do not.
        element = st.one_of(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), st.floats(0, 1))
        scores = np.array(draw(st.lists(element, min_size=2, max_size=60)))
        labels = np.array(draw(st.lists(st.booleans(), min_size=scores.size, max_size=scores.size)))
        labels[:2] = [True, False]
        edge: Any = st.floats(0, 1)
    else:
        labels, scores = draw(labelled_scores(both_classes=True, max_size=60))
        edge = float64_scores
    edges = draw(st.lists(edge, max_size=12))
    weights = None
    if weighted:
        weights = draw(st.lists(st.integers(1, 24).map(lambda e: e / 8), min_size=labels.size, max_size=labels.size))
    return th.rank(labels, scores, weights=weights), bounded(labels, scores, edges, weights)


@st.composite
def rounded(draw: st.DrawFn) -> tuple[th.Ranking, th.Ranking]:
    """The ranking of weighted rows whose sums round, and one of ranges that builders counted, alone or added up."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    scores = rng.random(draw(st.integers(3, 300)))
    labels = rng.random(scores.size) < scores
    if draw(st.booleans()):  # so that best and worst values come up, too
        labels = (scores > 0.5) == draw(st.booleans())
    labels[np.argsort(scores)[[0, -1]]] = draw(st.sampled_from([[True, False], [False, True]]))
    if draw(st.booleans()):
        scores = 0.01 + 0.98 * scores.round(2)
    weights = draw(
        st.sampled_from([rng.integers(1, 9, scores.size) * 0.1, rng.random(scores.size), np.full(scores.size, 0.1)])
        | st.floats(0, 9).map(lambda digits: 10 ** rng.uniform(-digits, digits, scores.size))
    )
    builders = []
    for part in np.array_split(np.arange(scores.size), draw(st.integers(1, 9))):
        builders.append(th.RankingBuilder(buckets=draw(st.sampled_from([2, 8, 32]))))
        builders[-1].update(labels[part], scores[part], weights[part])
    there = [builder for builder in builders if builder._runs]
    if draw(st.booleans()):
        ranges = reduce(operator.add, there).ranking()
    else:
        ranges = reduce(operator.add, [each.ranking() for each in there])
    assume(ranges.ranges is not None)
    return th.rank(labels, scores, weights=weights), ranges
