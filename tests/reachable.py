"""Rows of which some score +inf or -inf, and what must be the same of two rankings of the same rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

import thresher as th

CONDITIONS = [
    *(th.OperatingCondition(cost_ratio=ratio) for ratio in (0.01, 0.2, 1 / 3, 0.5, 1, 2, 3, 100)),
    th.OperatingCondition(cost_fp=0.1, cost_fn=0.7, cost_tp=-0.3, cost_tn=-0.3),
    th.OperatingCondition(cost_ratio=3, class_ratio=0.3),
]


@st.composite
def rows_with_infinities(draw: st.DrawFn, *, max_size: int = 40) -> tuple[Any, Any]:
    """Labels and scores: few whole numbers, so that splits tie, and infinities, which are often on the wrong side."""
    scores = draw(st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=max_size))
    labels = draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    for score, mostly in ((math.inf, False), (-math.inf, True)):
        some = draw(st.lists(st.sampled_from([mostly, mostly, not mostly]), max_size=3))
        labels += some
        scores += [score] * len(some)
    labels[:2] = [True, False]
    return np.array(labels), np.array(scores)


def require_same_choices(ranking: th.Ranking, exact: th.Ranking) -> None:
    """Raise unless every choice by cost is that of the exact ranking, and known to be."""
    for condition in CONDITIONS:
        one, other = th.choose(ranking, condition), th.choose(exact, condition)
        assert repr(one) == repr(other)
        assert (one.threshold, one.interval, one.table) == (other.threshold, other.interval, other.table)
        assert one.undecided == other.undecided
        assert one.holds_for == other.holds_for
        bounds = th.bounds(ranking, "expected_cost", condition=condition)
        assert bounds == th.curves.Bounds(other.expected_cost, other.expected_cost)
