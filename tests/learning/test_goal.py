"""Goals: two classes as they are, one of several against the rest, and words for what cannot be one."""

import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.learning.goal import goal_of

TABLE = pd.DataFrame({"y": [0, 1, 2, 2, 1, 0, 2, 2], "z": ["b", "a", "b", "a", "a", "b", "a", "b"]})


def test_two_classes_stay_what_they_are():
    goal = goal_of(TABLE, "z", positive="a")
    assert goal.table is TABLE
    assert goal.labels == ("b", "a")
    np.testing.assert_array_equal(goal.flags, TABLE["z"] == "a")


def test_one_of_several_is_told_from_the_rest():
    goal = goal_of(TABLE, "y", positive=2)
    assert goal.positive == 2
    assert goal.labels == ("not 2", "2")
    np.testing.assert_array_equal(goal.flags, TABLE["y"] == 2)
    assert goal.table["y"].tolist() == np.where(TABLE["y"] == 2, "2", "not 2").tolist()
    assert TABLE["y"].tolist() == [0, 1, 2, 2, 1, 0, 2, 2]


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_every_kind_of_column_will_do(dtype):
    table = pd.DataFrame({"y": pd.Series(["x", "y", "z", "x"], dtype=dtype)})
    np.testing.assert_array_equal(goal_of(table, "y", positive="x").flags, [True, False, False, True])


def test_a_rare_class_does_no_harm_within_the_rest():
    many = pd.DataFrame({"y": ["a"] * 10 + ["b"] * 10 + ["c"]})
    assert goal_of(many, "y", positive="a", fewest=5).flags.sum() == 10
    with pytest.raises(th.LabelError, match="class 'c' of the target 'y' has 1 of 21 rows, and at least 5"):
        goal_of(many, "y", positive="c", fewest=5)


@pytest.mark.parametrize(
    ("positive", "told"),
    [
        (None, "has 3 classes, 0, 1 and 2, and it is not said which one is to be told from the rest"),
        (3, "and the positive label 3 is none of them"),
        ("2", "and the positive label '2' is none of them"),
    ],
)
def test_the_positive_class_is_said_and_known(positive, told):
    with pytest.raises(th.PositiveLabelError, match=told):
        goal_of(TABLE, "y", positive=positive)
