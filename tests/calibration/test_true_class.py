import numpy as np
import pytest

from thresher.calibration.true_class import probability_rows
from thresher.errors import EmptyError, LengthError

HALVES = [[0.5, 0.5], [0.5, 0.5]]


def test_labels_find_their_column_in_rising_order_or_as_told():
    assert probability_rows(["b", "a"], HALVES, where="here")[1].tolist() == [1, 0]
    assert probability_rows(["b", "a"], HALVES, classes=["b", "a"], where="here")[1].tolist() == [0, 1]


def test_weights_come_back_as_floats():
    _, _, weight = probability_rows([0, 1], HALVES, weights=[1, 2], where="here")
    assert weight is not None
    assert weight.dtype == np.float64


def test_lengths_must_agree():
    with pytest.raises(LengthError, match="labels 2, weights 3"):
        probability_rows([0, 1], HALVES, weights=[1, 2, 3], where="here")
    with pytest.raises(LengthError, match="3 classes and 2 columns"):
        probability_rows([0, 1], HALVES, classes=[0, 1, 2], where="here")


def test_all_weights_zero_leave_nothing():
    with pytest.raises(EmptyError):
        probability_rows([0, 1], HALVES, weights=[0, 0], where="here")
