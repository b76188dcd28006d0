"""What is of the wrong kind is refused where it is given, with what, where and fix."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import thresher as th
from thresher import learning
from thresher._internal.arguments import require_classifier
from thresher.learning import CalibratedModel, DistanceClassifier, LeafTree, OutlierFilter, Outliers, ScatterSelector

Y = np.arange(60) % 3 == 0
X = np.random.default_rng(0).normal(size=(60, 3)) + Y[:, None]
TABLE = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=Y)
COSTS = th.OperatingCondition(cost_ratio=2)
CV = learning.cross_validate(GaussianNB(), X, Y, folds=3)


class _NoThing:
    def __repr__(self) -> str:
        return "NO_THING"  # every process names tests alike


NO_THING: Any = _NoThing()

# Each call, and arguments that are of the wrong kind or out of range, one at a time.
CALLS: dict[str, tuple[dict[str, Any], dict[str, list[Any]]]] = {
    "column_types": (
        {"data": TABLE},
        {"data": [{"a": 1}], "target": [3, []], "types": [7, "a"], "orders": [7, {"a": 3}]},
    ),
    "complete_rows": ({"data": TABLE}, {"columns": [3, "a", [3]]}),
    "cross_validate": (
        {"estimators": GaussianNB(), "X": X, "y": Y},
        {
            "X": [None, 3],
            "folds": [[1, 2], {"a": 1}, [([0, 1], [99])], [([0.5], [1.5])], b"x"],
            "seed": [None, "a", -1, 2**33],
            "n_jobs": ["a", 0, 1.5],
            "progress": [3],
        },
    ),
    "feature_curve": (
        {"estimator": GaussianNB(), "X": X, "y": Y, "folds": 2},
        {"estimator": [None, GaussianNB], "sizes": [3], "selector": [3], "parameter": [[]]},
    ),
    "learning_curve": (
        {"estimator": GaussianNB(), "X": X, "y": Y, "folds": 2},
        {"estimator": [None], "exponents": [None, [], {}, (1, "a")], "points": ["a", 1]},
    ),
    "grouped": (
        {"ranking": th.Ranking.parse("[3+][2-]"), "after": [1]},
        {"ranking": [None, "a"], "after": [NO_THING, "a"]},
    ),
    "label_noise": ({"labels": Y, "rate": 0.1}, {"rate": [None, "a"], "seed": ["a"]}),
    "instance_noise": ({"data": TABLE, "rate": 0.1}, {"rate": [None], "scale": ["a"], "columns": [3, "a"]}),
    "leakage": ({"data": TABLE, "target": "y"}, {"target": [None], "columns": [3], "split": ["a"]}),
    "learn": (
        {"data": TABLE, "target": "y"},
        {
            "target": [None, []],
            "models": [3, [[]], {"mine": 3}, {3: GaussianNB()}, {"mine": GaussianNB}],
            "types": [3],
            "folds": [0, 1, -2, True, "a"],
            "calibration": [[], "magic"],
            "condition": [3],
            "seed": [None],
            "stage": [3],
            "progress": ["a"],
            "level": ["a"],
            "n_jobs": ["a"],
        },
    ),
    "nested_costs": ({"cv": CV, "condition": COSTS}, {"cv": [None], "condition": [3], "model": ["absent", []]}),
    "nested_interval": ({"cv": CV, "condition": COSTS}, {"level": [None, 2], "model": ["absent"]}),
    "preparation": (
        {"columns": learning.column_types(TABLE)},
        {"columns": [None], "outliers": ["iqr"], "scale": [[]], "seed": [None]},
    ),
    "principal_components": ({"X": X}, {"n_components": ["a", 0, 9], "seed": ["a"]}),
    "read_learned": ({"folder": "absent"}, {"folder": [None, 3]}),
    "read_model": ({"path": "absent"}, {"path": [None, NO_THING]}),
    "scatter_of_chunks": ({"chunks": [(X, Y)]}, {"chunks": [3, "ab", [X], [3]]}),
    "selection": ({"found": learning.scatter(X, Y), "n_features": 2}, {"found": [None, X]}),
    "split": ({"labels": Y}, {"parts": [None, 3], "seed": ["a", -1]}),
    "target_column": ({"data": TABLE, "name": "y"}, {"name": [None, 3], "fewest": [None, "a"]}),
}
WRONG = [
    (name, argument, value)
    for name, (_, wrong) in CALLS.items()
    for argument, values in wrong.items()
    for value in values
]


@pytest.mark.parametrize(("name", "argument", "value"), WRONG)
def test_what_is_of_the_wrong_kind_is_refused_in_three_parts(name, argument, value):
    with pytest.raises(th.ThresherError) as caught:
        getattr(learning, name)(**{**CALLS[name][0], argument: value})
    assert caught.value.what
    assert caught.value.where
    assert caught.value.fix


@pytest.mark.parametrize(
    "model",
    [
        CalibratedModel(GaussianNB(), method=NO_THING),
        CalibratedModel(GaussianNB(), cv=[1, 2]),
        CalibratedModel(GaussianNB(), cv={"a": 1}),
        CalibratedModel(GaussianNB(), cv=NO_THING),
        CalibratedModel(GaussianNB(), cv=-1),
        CalibratedModel(GaussianNB(), n_jobs=NO_THING),
        learning.GroupedModel(GaussianNB(), boundaries=NO_THING),
        DistanceClassifier(None),
        DistanceClassifier([]),
        LeafTree(NO_THING),
        OutlierFilter(None),
        Outliers(factor=NO_THING),
        ScatterSelector(NO_THING),
    ],
    ids=repr,
)
def test_parameters_of_the_wrong_kind_are_refused_by_fit(model):
    with pytest.raises(th.ThresherError):
        model.fit(X, Y)


def test_what_is_of_the_right_kind_passes():
    require_classifier(GaussianNB())
