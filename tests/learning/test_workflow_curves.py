"""The winner's curves: of the decided calls, prepared and selected inside folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
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
    rows, features = curves
    cv = cross_validate(MODEL, TABLE, LABEL, folds=2)
    called = cv.scores["model"] >= 0.2
    tables = [th.contingency(cv.labels[cv.fold == fold], called[cv.fold == fold]) for fold in range(2)]
    cost = np.mean([CONDITION.expected_cost(table) for table in tables])
    assert features.validation.estimate[-1] == pytest.approx(cost)
    assert rows.validation.estimate[-1] == pytest.approx(cost, abs=0.05)  # its rows come in another order


def test_one_good_feature_is_enough_of_all_that_are_prepared(curves):
    _, features = curves
    assert features.parameter == "features"
    assert features.sizes == (1, 2, 3, 4, 6, 8)  # four numbers, four towns
    assert features.simplest == 1
    assert features.validation.estimate[0] < 0.6 * 0.6  # calling everyone ill costs 0.6


def test_a_rule_that_calls_no_one_has_curves_too():
    rows, features = winner_curves(
        MODEL, TABLE, LABEL, threshold=np.inf, condition=CONDITION, folds=2, stage=lambda _: None
    )
    every = 4 * LABEL.mean()
    assert rows.validation.estimate == pytest.approx(np.full(rows.sizes.size, every), abs=0.01)
    assert features.best == 1
