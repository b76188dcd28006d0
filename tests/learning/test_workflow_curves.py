"""The winner's curves: of the decided calls, prepared and selected inside folds."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline

import thresher as th
from thresher.learning import CalibratedModel, column_types, cross_validate, preparation
from thresher.learning.workflow_curves import winner_curves

RNG = np.random.default_rng(2)
LABEL = RNG.random(300) < 0.4
TABLE = pd.DataFrame(RNG.normal(size=(300, 4)), columns=["a", "b", "c", "d"]).assign(
    town=RNG.choice(["Oslo", "Rome", "Bern", "Nice"], 300, p=[0.5, 0.3, 0.19, 0.01])
)
TABLE["a"] += 2 * LABEL
CONDITION = th.OperatingCondition(cost_ratio=4)
MODEL = CalibratedModel(
    Pipeline([("prepare", preparation(column_types(TABLE))), ("model", LogisticRegression())]), method="platt", cv=2
)


@pytest.fixture(scope="module")
def curves():
    told: list[str] = []
    found = winner_curves(
        MODEL, TABLE, LABEL, threshold=0.2, condition=CONDITION, folds=2, stage=told.append, progress=lambda *_: None
    )
    assert told == ["learning curve", "feature curve"]
    return found


def test_the_last_points_are_the_cost_of_the_decided_calls(curves):
    rows, features = curves.rows, curves.features
    cv = cross_validate(MODEL, TABLE, LABEL, folds=2)
    called = cv.scores["model"] >= 0.2
    tables = [th.contingency(cv.labels[cv.fold == fold], called[cv.fold == fold]) for fold in range(2)]
    cost = np.mean([CONDITION.expected_cost(table) for table in tables])
    assert features.validation.estimate[-1] == pytest.approx(cost)
    assert rows.validation.estimate[-1] == pytest.approx(cost, abs=0.05)  # its rows come in another order


def test_one_good_feature_is_enough_of_all_that_are_prepared(curves):
    features = curves.features
    assert features.parameter == "features"
    assert features.sizes == (1, 2, 4, 8)  # four numbers, four towns
    assert features.simplest == 1
    assert features.validation.estimate[0] < 0.6 * 0.6  # calling everyone ill costs 0.6


def test_a_rule_that_calls_no_one_has_curves_too():
    found = winner_curves(MODEL, TABLE, LABEL, threshold=np.inf, condition=CONDITION, folds=2, stage=lambda _: None)
    rows, features = found.rows, found.features
    assert rows is not None
    assert features is not None
    every = 4 * LABEL.mean()
    assert rows.validation.estimate == pytest.approx(np.full(rows.sizes.size, every), abs=0.01)
    assert features.best == 1


def test_what_a_model_cannot_learn_from_is_left_out_and_told():
    steps = Pipeline([("prepare", preparation(column_types(TABLE))), ("model", KNeighborsClassifier(60))])
    model = CalibratedModel(steps, method="platt", cv=2)
    found = winner_curves(model, TABLE, LABEL, threshold=0.4, condition=CONDITION, folds=2, stage=lambda _: None)
    assert found.rows is None  # parts of fewer than 60 rows have no 60 neighbours
    assert found.features is not None
    assert [caution.code for caution in found.cautions] == ["no-curve"]
    assert "there is no learning curve: Expected n_neighbors <= n_samples_fit" in found.cautions[0].text


def test_groups_stay_together_in_the_folds_of_curves():
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(60), 5)
    ill = patient % 2 == 0
    table = pd.DataFrame({"where": rng.normal(size=60)[patient] + rng.normal(0, 0.01, 300)})
    steps = Pipeline([("prepare", preparation(column_types(table))), ("model", KNeighborsClassifier(1))])
    asked: dict[str, Any] = {
        "threshold": 0.5,
        "condition": th.OperatingCondition(),
        "folds": 3,
        "stage": lambda _: None,
    }
    torn = winner_curves(CalibratedModel(steps, method="platt", cv=2), table, ill, **asked)
    kept = winner_curves(CalibratedModel(steps, method="platt", cv=2), table, ill, groups=patient, **asked)
    assert torn.rows is not None
    assert kept.rows is not None
    assert torn.rows.validation.estimate[-1] < 0.25  # a patient's other rows give her away
    assert kept.rows.validation.estimate[-1] > 0.35
