import math

import numpy as np
import pytest

import thresher as th
from thresher.calibration.probabilities import numbers, plain_array, probabilities_in, require_sums
from thresher.errors import LengthError, MissingValueError, ProbabilityError, ScoreError


def test_numbers_keep_their_shape_and_exact_value():
    assert numbers(np.array([[0.1, 0.2]], np.float32), name="x").tolist() == [
        [float(np.float32(0.1)), float(np.float32(0.2))]
    ]
    assert numbers(3, name="x").shape == ()


def test_nan_is_refused_with_counts_and_rows():
    with pytest.raises(MissingValueError, match=r"2 of 4 scores are NaN \(first at rows 1, 3\)"):
        numbers([0, np.nan, 1, np.nan], name="scores")


def test_masked_entries_are_missing():
    with pytest.raises(MissingValueError, match="1 of 2"):
        numbers(np.ma.masked_equal([1, 2], 2), name="scores")


def test_ragged_rows_and_texts_are_refused():
    with pytest.raises(LengthError, match="different lengths"):
        plain_array([[1], [1, 2]], name="counts")
    with pytest.raises(ScoreError, match="must be numbers"):
        numbers(["a"], name="scores")


@pytest.mark.parametrize("bad", [-1e-300, 1.0000000000000002, np.inf, -np.inf])
def test_a_probability_lies_in_zero_to_one(bad):
    with pytest.raises(ProbabilityError, match="1 of 3 numbers are no probabilities") as caught:
        probabilities_in([0, bad, 1])
    assert f"{bad:g} at rows 1" in caught.value.what


def test_many_bad_values_are_not_all_shown():
    with pytest.raises(ProbabilityError) as caught:
        probabilities_in([2] * 9)
    assert "first 2, 2, 2, 2, 2, … at rows 0, 1, 2, 3, 4, …" in caught.value.what


def test_rows_of_a_matrix_sum_to_one():
    require_sums(np.array([[0.5, 0.5 + 1e-7]]))
    with pytest.raises(ProbabilityError, match=r"1 of 2 rows do not sum to 1 \(first sums 0.9 at rows 1\)"):
        require_sums(np.array([[0.5, 0.5], [0.5, 0.4]]))


def test_rows_of_a_matrix_are_rows_and_not_entries():
    with pytest.raises(th.MissingValueError, match="first at rows 2"):
        th.brier_multiclass([1, 2, 3], [[0.5, 0.5, 0], [0.5, 0.5, 0], [0.5, 0.5, math.nan]])
    with pytest.raises(th.ProbabilityError, match="at row 1"):
        th.brier_multiclass([1, 2, 3], [[0.5, 0.5, 0], [1.5, -0.5, 0], [0.5, 0.5, 0]])
