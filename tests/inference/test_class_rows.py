import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.inference.class_rows import classified_rows

LABELS = ["cat", "cow", "dog", "cat", "cow", "dog"]
MATRIX = np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.1, 0.1, 0.8]] * 2)


def rows(labels=LABELS, matrix=MATRIX, **more):
    return classified_rows(labels, matrix, **more)


def test_columns_belong_to_the_labels_in_rising_order():
    result = rows()
    assert result.classes == ("cat", "cow", "dog")
    assert result.index.tolist() == [0, 1, 2, 0, 1, 2]
    assert result.calls["model"].tolist() == [0, 1, 2, 0, 1, 2]
    assert result.units == 6
    assert result.class_units.tolist() == [2, 2, 2]


def test_every_model_has_a_column_per_class():
    frame = pd.DataFrame(MATRIX[:, ::-1], columns=["dog", "cow", "cat"])
    result = rows(matrix={"a": MATRIX, "b": frame}, classes=["cat", "cow", "dog"])
    assert result.matrices["a"].tolist() == result.matrices["b"].tolist()
    two = np.array([[0.7, 0.3]] * 6)
    with pytest.raises(th.errors.LengthError, match="'b' have 2 columns, and there are 3 classes"):
        rows(matrix={"a": MATRIX, "b": two})
    with pytest.raises(th.errors.ColumnError, match="the frame of 'b' has no column of class 'dog'"):
        rows(matrix={"a": MATRIX, "b": pd.DataFrame(two, columns=["cat", "cow"])})


def test_other_labels_count_as_one_class_on_request():
    labels = [*LABELS[:4], "emu", "yak"]
    with pytest.raises(th.errors.LabelError, match="'emu' and 'yak'"):
        rows(labels, classes=["cat", "cow", "dog"])
    result = rows(labels, classes=["cat", "cow", "dog"], other="cow", predictions=["cat", "emu", "dog"] * 2)
    assert result.index.tolist() == [0, 1, 2, 0, 1, 1]
    assert result.calls["model"].tolist() == [0, 1, 2, 0, 1, 2]
    assert (result.pooled, result.pooled_rows) == (("emu", "yak"), 2)
    with pytest.raises(th.errors.LabelError, match="'pig' that other labels count as"):
        rows(labels, classes=["cat", "cow", "dog"], other="pig")
    with pytest.raises(th.errors.LabelError, match="not among the classes"):
        rows(labels, other="cow")


def test_a_gap_anywhere_drops_the_row_for_all():
    holes = MATRIX.copy()
    holes[0, 2] = np.nan
    options = {
        "labels": ["cat", None, *LABELS[2:], "cat", "cow", "dog", "cow"],
        "matrix": {"a": np.vstack([holes, MATRIX[:4]]), "b": np.vstack([MATRIX, MATRIX[:4]])},
        "weights": [1, 1, np.nan, 1, 1, 1, 1, 1, 1, 0],
        "clusters": [*"abc", None, *"defgha"],
    }
    with pytest.raises(th.errors.MissingValueError, match=r"labels are missing.*clusters are.*'a'\[:, 2\] are missing"):
        rows(**options)
    result = rows(**options, missing="drop")
    assert result.dropped == 4
    assert result.index.tolist() == [1, 2, 0, 1, 2]
    assert result.weight is not None
    assert result.cluster is not None
    assert result.clusters == 5


def test_independent_cases():
    weights = [1, 2, 3, 3, 2, 1]
    result = rows(weights=weights)
    assert result.units == pytest.approx(144 / 28)
    assert result.class_units.tolist() == pytest.approx([1.6, 2, 1.6])
    clustered = rows(weights=weights, clusters=["a", "a", "b", "a", "c", "c"])
    assert (clustered.units, clustered.class_units.tolist()) == (3, [1, 2, 2])


def test_frames_must_agree_on_their_rows():
    frame = pd.DataFrame(MATRIX, columns=["cat", "cow", "dog"])
    assert rows(pd.Series(LABELS), frame).classes == ("cat", "cow", "dog")
    with pytest.raises(th.errors.LengthError, match="different row ids"):
        rows(pd.Series(LABELS, index=[5, 4, 3, 2, 1, 0]), frame)


def test_classes_from_a_fitted_model_are_plain():
    result = rows(np.array([0, 1, 2] * 2), classes=np.array([0, 1, 2]))
    assert result.classes == (0, 1, 2)
    assert all(type(name) is int for name in result.classes)


@pytest.mark.parametrize(
    ("error", "match", "options"),
    [
        (th.errors.ArgumentError, "no models", {"matrix": {}}),
        (th.errors.ArgumentError, "named by text", {"matrix": {1: MATRIX}}),
        (th.errors.LengthError, "has rows and columns", {"matrix": MATRIX[:, 0]}),
        (th.errors.LengthError, "differ in length", {"matrix": MATRIX[:-1]}),
        (th.errors.LengthError, "2 columns", {"matrix": MATRIX[:, :2]}),
        (
            th.errors.ProbabilityError,
            r"3 of 18 .* \(first 1.5 at row 1, column 0\)",
            {"matrix": MATRIX + np.eye(6, 3, -1) * 1.2},
        ),
        (th.errors.ArgumentError, "'b', which has no matrix", {"predictions": {"b": LABELS}}),
        (
            th.errors.ArgumentError,
            "the predictions name no model",
            {"matrix": {"a": MATRIX, "b": MATRIX}, "predictions": LABELS},
        ),
        (th.errors.LabelError, "'emu'", {"predictions": ["emu"] * 6}),
        (th.errors.LabelError, "twice", {"classes": ["cat", "cow", "cat"]}),
        (
            th.errors.ProbabilityError,
            r"6 of 6 rows .* do not sum to 1 \(first sum 0.9 at row 0\)",
            {"matrix": MATRIX * 0.9},
        ),
        (th.errors.ColumnError, "has a column 'dgo'", {"matrix": pd.DataFrame(MATRIX, columns=["cat", "cow", "dgo"])}),
        (th.errors.OneClassError, "all 6 rows are of class 'cat'", {"labels": ["cat"] * 6, "matrix": np.ones((6, 1))}),
        (th.errors.WeightError, "negative", {"weights": [-1] * 6}),
    ],
)
def test_bad_input(error, match, options):
    with pytest.raises(error, match=match):
        rows(**options)
