"""Tests of target."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.learning import target_column
from thresher.learning.data.target import binary_target, class_labels, learning_target, require_enough


@pytest.mark.parametrize(
    ("labels", "positive", "expected", "place"),
    [
        ([0, 1, 1], None, 1, 1),
        ([0, 1, 1], 0, 0, 0),
        ([False, True], None, True, 1),
        ([-1, 1, 1], 1, 1, 1),
        ([-1, 1, 1], -1, -1, 0),
        (["b", "a"], "a", "a", 0),
    ],
)
def test_the_place_of_the_positive_class_is_that_among_sorted_classes(labels, positive, expected, place):
    target = binary_target(labels, positive=positive, matters=True)
    assert (target.positive, target.place) == (expected, place)
    np.testing.assert_array_equal(target.flags, np.array(labels) == expected)


@pytest.mark.parametrize("labels", [[-1, 1], ["a", "b"], [1, 2]])
def test_where_it_matters_it_must_be_declared(labels):
    with pytest.raises(th.errors.PositiveLabelError, match="cannot tell which label is positive"):
        binary_target(labels, positive=None, matters=True)
    assert binary_target(labels, positive=None, matters=False).positive == labels[1]


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        ([], th.errors.EmptyError),
        ([1, 1], th.errors.OneClassError),
        ([0, 1, 2], th.errors.LabelError),
        ([0.0, np.nan], th.errors.MissingValueError),
        ([np.inf, 0.0], th.errors.LabelError),
        (np.array([None, "a"], dtype=object), th.errors.MissingValueError),
    ],
)
def test_what_is_no_target_of_two_classes_is_refused(labels, error):
    with pytest.raises(error):
        binary_target(labels, positive=None, matters=False)


def test_labels_are_encoded_and_decoded():
    result = target_column({"spam": ["yes", "no", "yes", "no"]}, "spam")
    assert result.classes == ("no", "yes")
    assert result.codes.tolist() == [1, 0, 1, 0]
    assert result.counts.tolist() == [2, 2]
    assert result.labels([1, 0]).tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    "values",
    [
        pd.Categorical(["a", "b", "a", "b"]),
        pd.array([True, False, True, False], dtype="boolean"),
        pd.array([1, 2, 1, 2], dtype="Int64"),
        [1.0, 2.0, 1.0, 2.0],
        pd.array(["a", "b", "a", "b"], dtype="string"),
    ],
)
def test_every_type_of_label_is_understood(values):
    assert target_column(pd.DataFrame({"y": values}), "y").counts.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        (
            [1, None, 0, None],
            th.errors.MissingValueError,
            r"2 of 4 rows of the target 'y' are missing \(first at rows 1, 3\)",
        ),
        ([1, 1, 1], th.errors.OneClassError, "the target 'y' is 1 in all 3 rows"),
        (["a"] * 50 + ["b"], th.errors.LabelError, "class 'b' of the target 'y' has 1 of 51 rows"),
        ([i / 7 for i in range(500)], th.errors.LabelError, "500 distinct values in 500 rows, so it is no class"),
        (["a", 1, "a", 1], th.errors.LabelError, "no order"),
    ],
)
def test_targets_that_teach_nothing_are_refused(values, kind, words):
    with pytest.raises(kind, match=words) as caught:
        target_column({"y": values}, "y")
    assert len(str(caught.value).splitlines()) == 3


MEASURED = {
    "decimals": [i / 7 for i in range(60)],
    "rounded decimals": np.round(np.random.default_rng(0).normal(20, 3, 60), 1).tolist(),
    "many rounded decimals": np.round(np.random.default_rng(0).normal(20, 3, 5000), 1).tolist(),
    "four decimals": [0.1, 0.25, 0.7, 0.9],
    "ages": np.random.default_rng(0).integers(18, 70, 60).tolist(),
    "numbers of rows": list(range(40)),
    "written as text": [f"{i / 7:.3f}" for i in range(60)],
    "nullable": pd.array([i / 7 for i in range(60)], dtype="Float64"),
    "half of them zero": [0.0] * 30 + [i / 7 for i in range(1, 31)],
    "price": (np.random.default_rng(0).integers(2, 90, 80) * 500).tolist(),
}
CODES: dict[str, list[Any]] = {
    "digits": list(range(10)) * 5,
    "digits as decimals": [float(i) for i in range(10)] * 5,
    "zeros and ones": [0.0, 1.0] * 4,
    "signs": [-1, 1] * 4,
    "two measured values": [0.5, 1.5] * 3,
    "doses": [0.5, 1.0, 2.5] * 3,
    "grades in halves": [i / 2 for i in range(12)] * 5,
    "few rows": [3, 1, 2],
    "letters by number": list(range(26)) * 6,
    "codes as text": [f"{i:02}" for i in range(30)] * 2 + ["x"] * 2,
    "true or false": [True, False] * 4,
    "years": [2021, 2022, 2023] * 4,
    "one frequent code": [0] * 80 + list(range(1, 15)),
}


@pytest.mark.parametrize("name", MEASURED)
def test_a_measurement_is_no_class_at_any_size(name):
    table = pd.DataFrame({"y": MEASURED[name]})
    with pytest.raises(
        th.errors.LabelError, match=r"a measurement or a count(.|\n)*make classes of it first"
    ) as caught:
        learning_target(table, "y", folds=5)
    assert "positive=" not in str(caught.value)
    with pytest.raises(th.errors.LabelError, match="a measurement or a count"):
        target_column(table, "y", fewest=1)


@pytest.mark.parametrize("name", CODES)
def test_codes_of_classes_are_no_measurement(name):
    target = target_column({"y": CODES[name]}, "y", fewest=1)
    assert len(target.classes) == len(set(CODES[name]))


def test_a_limit_that_half_of_the_rows_reach_is_named():
    with pytest.raises(th.errors.LabelError, match=r"half of the rows reach 4\.5\)"):
        target_column({"y": [1.5, 2.5, 4.5, 7.25]}, "y")


def test_who_says_which_number_is_positive_may_learn_a_count():
    counts = pd.DataFrame({"y": [0] * 20 + list(range(1, 31))})
    assert learning_target(counts, "y", positive=0, folds=5).y.sum() == 20
    with pytest.raises(th.errors.LabelError, match="measurement or a count"):
        learning_target(counts, "y", folds=5)


def test_a_long_tail_of_numbers_may_be_a_count():
    with pytest.raises(th.errors.LabelError, match="if it is measured or counted, learn whether it reaches a limit"):
        learning_target(pd.DataFrame({"y": [0] * 80 + list(range(1, 15))}), "y", folds=5)


def test_many_texts_are_joined_into_classes():
    with pytest.raises(th.errors.LabelError, match="join values into a few classes"):
        target_column({"y": [f"town {i}" for i in range(200)]}, "y")


def test_an_absent_target_is_refused():
    with pytest.raises(th.errors.ColumnError, match="did you mean 'spam'"):
        target_column({"spam": [0, 1]}, "spma")


def test_how_many_of_the_rarest_are_needed_is_the_callers_word():
    assert target_column({"y": [0, 0, 1]}, "y", fewest=1).counts.tolist() == [2, 1]
    with pytest.raises(th.errors.LabelError, match="at least 5 are needed"):
        target_column({"y": [0] * 20 + [1] * 4}, "y", fewest=5)


TABLE = pd.DataFrame({"y": [0, 1, 2, 2, 1, 0, 2, 2], "z": ["b", "a", "b", "a", "a", "b", "a", "b"]})


def test_two_classes_stay_what_they_are():
    goal = learning_target(TABLE, "z", positive="a")
    assert goal.table is TABLE
    assert goal.labels == ("b", "a")
    np.testing.assert_array_equal(goal.y, TABLE["z"] == "a")


def test_one_of_several_is_learnt_against_the_rest():
    goal = learning_target(TABLE, "y", positive=2)
    assert goal.positive == 2
    assert goal.labels == ("not 2", "2")
    np.testing.assert_array_equal(goal.y, TABLE["y"] == 2)
    assert goal.table["y"].tolist() == np.where(TABLE["y"] == 2, "2", "not 2").tolist()
    assert TABLE["y"].tolist() == [0, 1, 2, 2, 1, 0, 2, 2]


@pytest.mark.parametrize("dtype", ["category", "string", object])
def test_every_kind_of_column_will_do(dtype):
    table = pd.DataFrame({"y": pd.Series(["x", "y", "z", "x"], dtype=dtype)})
    np.testing.assert_array_equal(learning_target(table, "y", positive="x").y, [True, False, False, True])


def test_a_rare_class_does_no_harm_within_the_rest():
    many = pd.DataFrame({"y": ["a"] * 10 + ["b"] * 10 + ["c"]})
    assert learning_target(many, "y", positive="a", folds=5).y.sum() == 10
    with pytest.raises(th.errors.LabelError, match="class 'c' of the target 'y' has 1 of 21 rows, and at least 5"):
        learning_target(many, "y", positive="c", folds=5)


@pytest.mark.parametrize(
    ("positive", "expected"),
    [
        (3, "and the positive label 3 is none of them"),
        ("2", "and the positive label '2' is none of them"),
    ],
)
def test_the_positive_class_is_declared_and_known(positive, expected):
    with pytest.raises(th.errors.PositiveLabelError, match=expected):
        learning_target(TABLE, "y", positive=positive)


def test_several_classes_are_learnt_as_they_are():
    goal = learning_target(TABLE, "y")
    assert goal.classes == goal.labels == (0, 1, 2)
    assert goal.positive is None
    assert goal.y.dtype.kind == "i"
    assert goal.counts(np.arange(4)).tolist() == [1, 1, 2]
    costs = th.OperatingCondition(costs=th.CostMatrix.equal("ab"))
    assert learning_target(TABLE, "z", condition=costs).classes == ("a", "b")
    assert learning_target(TABLE, "z", positive="a").classes is None


MANY = pd.DataFrame({"kind": ["cat"] * 30 + ["cow"] * 20 + ["emu"] * 3 + ["gnu"] * 2})
FARM = th.CostMatrix.by_class({"cat": 3}, ["cat", "cow", "else"])


def test_rare_classes_are_joined_into_one():
    goal = learning_target(MANY, "kind", other="else", folds=None)
    assert goal.pooled == ()
    goal = learning_target(MANY, "kind", other="cow", folds=3)
    assert goal.pooled == ("emu", "gnu")
    assert goal.counts(np.arange(55)).tolist() == [30, 25]
    assert set(goal.table["kind"]) == {"cat", "cow"}
    many = pd.concat([MANY, MANY[50:], MANY[50:]], ignore_index=True)
    goal = learning_target(many, "kind", other="else", condition=th.OperatingCondition(costs=FARM), folds=3)
    assert goal.labels == ("cat", "cow", "else")
    assert goal.counts(np.arange(65)).tolist() == [30, 20, 15]


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"folds": 3}, th.errors.LabelError, r"class 'gnu' .* has 2 of 55 rows, and 3 folds need 11(.|\n)*other="),
        ({"folds": 3, "other": "rest"}, th.errors.LabelError, r"class 'rest' .* has 5 of 55 rows"),
        ({"other": 7, "folds": 3}, th.errors.LabelError, "other=7 is no label of the kind of 'cat'"),
        ({"condition": FARM}, th.errors.LabelError, r"class 'emu' .* has no costs(.|\n)*other='else'"),
        ({"condition": FARM, "other": "yak"}, th.errors.LabelError, "other='yak' has no costs"),
        ({"condition": FARM, "positive": "cat"}, th.errors.ArgumentError, "both positive='cat' and costs"),
        ({"positive": "cat", "other": "cow"}, th.errors.ArgumentError, "other='cow' joins classes"),
        ({"condition": th.OperatingCondition(cost_ratio=5)}, th.errors.ConditionError, "two classes without names"),
    ],
)
def test_classes_that_cannot_be_learnt_are_refused_by_name(asked, error, words):
    condition = asked.get("condition")
    if isinstance(condition, th.CostMatrix):
        asked = asked | {"condition": th.OperatingCondition(costs=condition)}
    with pytest.raises(error, match=words):
        learning_target(MANY, "kind", **asked)


def test_costs_of_a_class_that_no_row_is_of_are_refused():
    costs = th.CostMatrix.equal(["cat", "cow", "emu", "gnu", "yak"])
    with pytest.raises(th.errors.LabelError, match="costs have the class 'yak'"):
        learning_target(MANY, "kind", condition=th.OperatingCondition(costs=costs))


def test_labels_are_one_column():
    with pytest.raises(th.errors.LengthError, match="y should be a 1d array"):
        class_labels(None)
    with pytest.raises(th.errors.LabelError, match="Unknown label type: continuous"):
        class_labels([1e308, 0.0])


def test_too_few_training_rows_are_refused():
    goal = learning_target(MANY[:50], "kind", positive="cow", folds=3)
    with pytest.raises(th.errors.LabelError, match="7 of the 37 rows to learn from are cow, and 3 folds leave 4"):
        require_enough(goal, np.arange(37), folds=3)
