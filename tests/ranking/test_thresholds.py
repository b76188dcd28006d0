import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import thresher as th
from tests.strategies import float64_scores
from thresher.ranking import cuts_above, midway, require_split

LARGEST = math.ldexp(1 - 2**-53, 1024)


@pytest.mark.parametrize(
    ("upper", "lower", "threshold"),
    [
        (0.8, 0.3, 0.55),
        (3, 2, 2.5),
        (1.5 * 2.0**1023, 2.0**1023, 1.25 * 2.0**1023),  # their sum overflows
        (LARGEST, -LARGEST, 0),
        (math.inf, -math.inf, 0),
        (math.inf, 1, LARGEST),  # since +inf calls nothing positive
        (1, -math.inf, 1),
        (5e-324, 0, 5e-324),  # no number in between
        (0, -5e-324, 0),
        (math.nextafter(0.5, 1), 0.5, math.nextafter(0.5, 1)),
    ],
)
def test_midway_or_at_the_upper_score(upper, lower, threshold):
    assert midway(np.array([upper, 2.0]), np.array([lower, 1.0])).tolist() == [threshold, 1.5]


@given(st.lists(float64_scores, min_size=2, max_size=2, unique=True))
def test_neighbours_are_always_separated(scores):
    lower, upper = sorted(scores)
    (threshold,) = midway(np.array([upper]), np.array([lower])).tolist()
    assert lower < threshold <= upper
    assert threshold < math.inf or lower == LARGEST


def test_splits_are_numbered_from_0():
    for split in (0, np.int64(2), 3):
        require_split(split, 4)
    for wrong in (-1, 4, 1.0, True, None, "1", np.array([1])):
        with pytest.raises(th.errors.ArgumentError, match="there is no split"):
            require_split(wrong, 4)


NUMBERS = st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 0.5, np.inf, -np.inf, 1e308, -1e308, 5e-324])


@given(hnp.arrays(np.float64, st.integers(0, 60), elements=NUMBERS), st.lists(NUMBERS, min_size=1), st.booleans())
def test_cuts_above_are_as_many_as_a_count_tells(score, cuts, many):
    cut = np.array(sorted(cuts, reverse=True))
    above = cuts_above(np.resize(score, 20_000) if many and score.size else score, cut)
    assert above[: score.size].tolist() == [int((cut > value).sum()) for value in score.tolist()]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cuts_above_many_rows(dtype):
    rng = np.random.default_rng(4)
    score = rng.normal(size=300_000).astype(dtype)
    cut = np.array([np.inf, *np.sort(rng.choice(score, 200, replace=False).astype(np.float64))[::-1], -np.inf])
    assert np.array_equal(cuts_above(score, cut), np.searchsorted(-cut, -score.astype(np.float64), side="left"))
