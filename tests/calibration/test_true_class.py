import numpy as np
import pytest

from thresher.calibration.true_class import probability_rows
from thresher.errors import EmptyError, LengthError, MissingValueError

HALVES = [[0.5, 0.5], [0.5, 0.5]]


def test_labels_find_their_column_in_rising_order_or_as_told():
    assert probability_rows(["b", "a"], HALVES)[1].tolist() == [1, 0]
    assert probability_rows(["b", "a"], HALVES, classes=["b", "a"])[1].tolist() == [0, 1]


def test_weights_come_back_as_floats():
    _, _, weight = probability_rows([0, 1], HALVES, weights=[1, 2])
    assert weight is not None
    assert weight.dtype == np.float64


def test_lengths_must_agree():
    with pytest.raises(LengthError, match=r"labels 2, weights 3, probabilities\[:, 0\] 2"):
        probability_rows([0, 1], HALVES, weights=[1, 2, 3])
    with pytest.raises(LengthError, match="2 columns, and there are 3 classes"):
        probability_rows([0, 1], HALVES, classes=[0, 1, 2])


def test_all_weights_zero_leave_nothing():
    with pytest.raises(EmptyError):
        probability_rows([0, 1], HALVES, weights=[0, 0])


@pytest.mark.parametrize("bad", [[0.5, 0.5], [[[0.5, 0.5]]], None, 5, "x"])
def test_a_matrix_has_rows_and_columns(bad):
    with pytest.raises(LengthError, match="a matrix of them has rows and columns"):
        probability_rows([0, 1], bad)


def test_a_matrix_has_rows_and_a_column_for_each_of_two_classes_or_more():
    with pytest.raises(EmptyError):
        probability_rows([], np.empty((0, 3)))
    with pytest.raises(LengthError, match="there is one class, 1, and one column"):
        probability_rows([1, 1], [[1.0], [1.0]])


def test_classes_without_rows_keep_their_column_and_rows_without_weight_vanish():
    thirds = np.full((3, 3), 1 / 3)
    matrix, index, weight = probability_rows([2, 0, 2], thirds, classes=[0, 1, 2], weights=[1, 0, 3])
    assert weight is not None
    assert (matrix.shape, index.tolist(), weight.tolist()) == ((2, 3), [2, 2], [1, 3])


def test_gaps_are_refused_without_offering_to_leave_them_out():
    with pytest.raises(MissingValueError) as refused:
        probability_rows([0, None], HALVES, classes=[0, 1])
    assert "drop" not in refused.value.fix
