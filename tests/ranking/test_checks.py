from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import thresher as th
from thresher.ranking import rankable

BEYOND = 2**53 + 1  # the first integer that float64 cannot hold
_WIDE = pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long double is float64 here")


@pytest.mark.parametrize(
    "dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "g", ">i4", ">i8", ">f4", ">f8", ">f2"]
)
def test_every_kind_of_number_keeps_its_value(dtype):
    ready = rankable(np.array([3, 1, 2]).astype(dtype))
    assert ready.dtype in (np.float64, np.float32)
    assert ready.dtype.isnative
    assert ready.tolist() == [3, 1, 2]


def test_float32_stays_float32_so_that_sorting_is_as_quick_as_it_can_be():
    assert rankable(np.zeros(2, np.float32)).dtype == np.float32


def test_truth_values_are_scores_too():
    assert rankable(np.array([True, False])).tolist() == [1, 0]


@pytest.mark.parametrize(
    "scores",
    [
        np.array([BEYOND, 0]),
        np.array([-BEYOND, 0]),
        np.array([2**64 - 1, 0], dtype=np.uint64),
        [2**70 + 1, 0],
        [10**400, 0],
        [BEYOND, 0.5],
        (BEYOND, -np.inf),
        [Decimal("0.1234567890123456"), Decimal(0)],
        [Decimal("1e400"), Decimal(0)],
        [Decimal("0.1"), Decimal("0.1000000000000000055511151231257827021181583404541015625")],
        [Decimal("0.1"), 0.1],
        [Decimal("1e-310"), Decimal(0)],
        [Fraction(1, 3), 0],
        pytest.param(np.array([1 + np.finfo(np.longdouble).eps, 0], dtype=np.longdouble), marks=_WIDE),
        pytest.param(np.array([np.finfo(np.longdouble).max, 0], dtype=np.longdouble), marks=_WIDE),
    ],
    ids=lambda scores: str(scores)[:30],
)
def test_a_score_that_float64_would_round_is_refused_and_counted(scores):
    with pytest.raises(th.errors.ScoreError, match="1 of 2 scores do not fit a float64 exactly"):
        th.rank([1, 0], scores)


@pytest.mark.parametrize(
    "scores",
    [
        [2**70, 1],
        [2**53, 0.5],
        np.array([-(2**63), 1]),
        [Decimal("0.5"), Decimal("0.25")],
        [Decimal("0.1"), Decimal("0.099999999999999")],
        [Decimal("0.1"), 0.5],
        [Decimal("0.10"), -3],
        [Decimal("0.1"), Decimal("-inf")],
        [Decimal("123456789012345e-40"), Decimal("0E-18")],
        [Fraction(1, 2), 0.25],
        np.array([0.1, 0.05], dtype=object),
        [np.float32(0.1), np.float64(0.05)],
        [np.int8(3), 2],
    ],
    ids=str,
)
def test_wide_or_odd_numbers_that_fit_are_ranked(scores):
    ranked = th.rank([1, 0], scores)
    expected = sorted((float(score) for score in scores), reverse=True)
    assert ranked.score.tolist() == expected


@pytest.mark.parametrize(
    "scores",
    [
        ["0.5", "0.2"],
        [0.5, "0.2"],
        [b"1", b"2"],
        np.array([1 + 2j, 3]),
        np.array([np.complex128(1), 3], dtype=object),
        np.array(["2020", "2021"], dtype="M8[Y]"),
        np.array([1, 2], dtype="m8[s]"),
    ],
    ids=str,
)
def test_what_is_no_number_is_refused(scores):
    with pytest.raises(th.errors.ScoreError, match="scores must be numbers"):
        th.rank([1, 0], scores)


def test_numbers_of_any_shape_are_checked_one_by_one():
    square = np.array([[1, Fraction(1, 2)], [0.25, 2**53 + 2]], dtype=object)
    assert rankable(square).tolist() == [[1, 0.5], [0.25, 2**53 + 2]]
    assert rankable(np.array(3, dtype=object)).tolist() == 3
    with pytest.raises(th.errors.ScoreError, match=f"1 of 4 scores do not fit a float64 exactly, first {BEYOND}"):
        rankable(np.array([[1, 2], [BEYOND, 3]], dtype=object))
    with pytest.raises(th.errors.ScoreError, match=r"scores must be numbers, got object \(first \{\}\)"):
        rankable(np.array({}, dtype=object))


@pytest.mark.parametrize(
    ("scores", "named"),
    [(["0.5", "low"], "first 'low' at row 1"), (["low", "0.5"], "first 'low'"), (["0.5", "0.4"], "first '0.5'")],
)
def test_the_first_score_that_is_no_number_is_named(scores, named):
    with pytest.raises(th.errors.ScoreError, match=rf"got text \({named}\)"):
        th.rank([1, 0], np.array(scores))
