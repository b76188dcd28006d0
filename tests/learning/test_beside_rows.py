"""Groups and times reach everything that deals folds, and are checked before."""

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th
from thresher.learning import CalibratedModel, ThresholdClassifier
from thresher.learning.beside_rows import beside_rows, handed_on

BESIDE = {"groups": np.array([1, 1, 2])}


def test_only_what_is_given_is_there():
    assert beside_rows(None, None, rows=3) == {}
    found = beside_rows(["a", "b", "b"], None, rows=3)
    assert {name: values.tolist() for name, values in found.items()} == {"groups": ["a", "b", "b"]}


@pytest.mark.parametrize(
    ("groups", "times", "kind", "words"),
    [
        ([1, 2], None, th.LengthError, "2 groups for 3 rows"),
        (None, [1, 2, 3, 4], th.LengthError, "4 times for 3 rows"),
        ([1, None, 2], None, th.MissingValueError, "groups"),
        (7, None, th.ThresherError, "groups"),
    ],
)
def test_entries_are_one_per_row_and_none_is_missing(groups, times, kind, words):
    with pytest.raises(kind, match=words):
        beside_rows(groups, times, rows=3)


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (GaussianNB(), []),
        (CalibratedModel(GaussianNB()), ["groups"]),
        (make_pipeline(StandardScaler(), ThresholdClassifier(GaussianNB())), ["thresholdclassifier__groups"]),
        (make_pipeline(StandardScaler(), make_pipeline(CalibratedModel(GaussianNB()))), None),
        (make_pipeline(StandardScaler(), GaussianNB()), []),
        (FrozenEstimator(CalibratedModel(GaussianNB())), []),
    ],
)
def test_wrappers_are_found_wherever_they_stand(model, names):
    wanted = ["pipeline__calibratedmodel__groups"] if names is None else names
    assert list(handed_on(model, BESIDE)) == wanted
