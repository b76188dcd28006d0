import pandas as pd
import pytest

import thresher as th
from thresher.learning import target_column


def test_labels_are_encoded_and_decoded():
    found = target_column({"spam": ["yes", "no", "yes", "no"]}, "spam")
    assert found.classes == ("no", "yes")
    assert found.codes.tolist() == [1, 0, 1, 0]
    assert found.counts.tolist() == [2, 2]
    assert found.labels([1, 0]).tolist() == ["yes", "no"]


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
        ([1, None, 0, None], th.MissingValueError, r"2 of 4 rows of the target 'y' are missing \(first at rows 1, 3\)"),
        ([1, 1, 1], th.OneClassError, "the target 'y' is 1 in all 3 rows"),
        (["a"] * 50 + ["b"], th.LabelError, "class 'b' of the target 'y' has 1 of 51 rows"),
        ([i / 7 for i in range(500)], th.LabelError, "500 distinct values in 500 rows, so it is no class"),
        (["a", 1, "a", 1], th.LabelError, "no order"),
    ],
)
def test_targets_that_teach_nothing_are_refused(values, kind, words):
    with pytest.raises(kind, match=words) as caught:
        target_column({"y": values}, "y")
    assert len(str(caught.value).splitlines()) == 3


def test_an_absent_target_is_refused():
    with pytest.raises(th.ColumnError, match="did you mean 'spam'"):
        target_column({"spam": [0, 1]}, "spma")


def test_how_many_of_the_rarest_are_needed_is_the_callers_word():
    assert target_column({"y": [0, 0, 1]}, "y", fewest=1).counts.tolist() == [2, 1]
    with pytest.raises(th.LabelError, match="at least 5 are needed"):
        target_column({"y": [0] * 20 + [1] * 4}, "y", fewest=5)
