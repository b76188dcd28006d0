"""What hypothesis draws: small rankings, and labelled scores with the ties and neighbours that break tools."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

import thresher as th
from tests import reference

Rows = list[tuple[bool, Any, Any]]

_ULP_UP = math.nextafter(0.5, 1)
_TRICKY = [0.0, -0.0, 0.5, _ULP_UP, math.nextafter(0.5, 0), 5e-324, -5e-324, 1.0, -1.0, math.inf, -math.inf, 1.7e308]
_TRICKY32 = [np.float32(0.1), np.nextafter(np.float32(0.1), np.float32(1)), np.float32(0.0), np.float32(-0.0)]

# The largest float is left out, for together with +inf it is refused.
float64_scores = st.one_of(st.sampled_from(_TRICKY), st.floats(-1.7e308, 1.7e308))
float32_scores = st.one_of(st.sampled_from([float(x) for x in _TRICKY32]), st.floats(width=32, allow_nan=False))
int_scores = st.one_of(st.integers(-3, 3), st.integers(-(2**53) + 1, 2**53 - 1))
few_scores = st.sampled_from([0.1, 0.2, 0.25, 0.5, 0.75])

counts = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any),
    min_size=1,
    max_size=12,
)


def of_both_classes(segments: list[tuple[int, int]]) -> bool:
    return any(pos for pos, _ in segments) and any(neg for _, neg in segments)


two_class_counts = counts.filter(of_both_classes)

# Eighths add up without rounding, so weighted results can be compared exactly.
weights = st.integers(0, 24).map(lambda eighths: eighths / 8)
rough_weights = st.floats(0.01, 100)


def ranking(segments: list[tuple[Any, Any]]) -> th.Ranking:
    """The ranking with these (pos, neg), highest score first."""
    pos, neg = zip(*segments, strict=True)
    return th.Ranking(np.arange(len(segments), 0, -1.0), pos, neg)


rankings = counts.map(ranking)
two_class_rankings = two_class_counts.map(ranking)


# A handful of positives among up to 10**16 negatives: shares and areas of 1e-16.
rare_positives = st.lists(
    st.tuples(st.integers(0, 3), st.tuples(st.integers(1, 9), st.integers(0, 15)).map(lambda n: n[0] * 10 ** n[1])),
    min_size=2,
    max_size=12,
).filter(of_both_classes)


@st.composite
def labelled_scores(
    draw: st.DrawFn, *, both_classes: bool = False, max_size: int = 40
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[Any]]:
    """Labels, and scores of one dtype among float64, float32 and int64, with ties."""
    dtype, element = draw(
        st.sampled_from(
            [
                (np.float64, float64_scores),
                (np.float64, few_scores),
                (np.float32, float32_scores),
                (np.int64, int_scores),
            ]
        )
    )
    least = 2 if both_classes else 1
    score = draw(st.lists(element, min_size=least, max_size=max_size))
    label = draw(st.lists(st.booleans(), min_size=len(score), max_size=len(score)))
    if both_classes:
        label[:2] = [True, False]
    return np.array(label), np.array(score, dtype=dtype)


def rows_of(labels: Any, scores: Any, weight: Any = None) -> Rows:
    """The same rows for the oracles."""
    each = [1] * len(labels) if weight is None else [Fraction(w) for w in weight]
    return list(zip(map(bool, labels), scores.tolist(), each, strict=True))


def segments_of(ranking: th.Ranking) -> list[reference.Segment]:
    """A ranking as the oracle writes it."""
    return list(zip(ranking.score.tolist(), ranking.pos.tolist(), ranking.neg.tolist(), strict=True))
