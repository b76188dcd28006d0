"""Targets are read once; which class is positive is said or does not matter."""

import numpy as np
import pytest

import thresher as th
from thresher.learning.targets import binary_target


@pytest.mark.parametrize(
    ("labels", "positive", "told", "place"),
    [
        ([0, 1, 1], None, 1, 1),
        ([0, 1, 1], 0, 0, 0),
        ([False, True], None, True, 1),
        ([-1, 1, 1], 1, 1, 1),
        ([-1, 1, 1], -1, -1, 0),
        (["b", "a"], "a", "a", 0),
    ],
)
def test_the_place_of_the_positive_class_is_that_among_sorted_classes(labels, positive, told, place):
    target = binary_target(labels, positive=positive, matters=True)
    assert (target.positive, target.place) == (told, place)
    np.testing.assert_array_equal(target.flags, np.array(labels) == told)


@pytest.mark.parametrize("labels", [[-1, 1], ["a", "b"], [1, 2]])
def test_where_it_matters_it_must_be_said(labels):
    with pytest.raises(th.PositiveLabelError, match="positive one is not said"):
        binary_target(labels, positive=None, matters=True)
    assert binary_target(labels, positive=None, matters=False).positive == labels[1]


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        ([], th.EmptyError),
        ([1, 1], th.OneClassError),
        ([0, 1, 2], th.LabelError),
        ([0.0, np.nan], th.MissingValueError),
        ([np.inf, 0.0], th.LabelError),
        (np.array([None, "a"], dtype=object), th.MissingValueError),
    ],
)
def test_what_is_no_target_of_two_classes_is_refused(labels, error):
    with pytest.raises(error):
        binary_target(labels, positive=None, matters=False)
