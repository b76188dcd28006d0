"""Settings chosen within training rows, and what the choice costs."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning import CalibratedModel, candidate_models, cross_validate, nested_interval
from thresher.learning.models.tuned import GRIDS, TunedModel, race_fits, race_settings, settings_to_try

RNG = np.random.default_rng(4)
CORNERS = pd.DataFrame(RNG.normal(size=(240, 2)), columns=["a", "b"])
CORNERS["y"] = (CORNERS.a > 0) != (CORNERS.b > 0)


def calibrated(model):
    return CalibratedModel(Pipeline([("prepare", StandardScaler()), ("model", model)]), method="platt", cv=3)


def test_the_race_is_won_by_the_least_brier_score_over_all_folds():
    X, y = CORNERS[["a", "b"]].to_numpy(), CORNERS.y.to_numpy()
    model, settings = calibrated(KNeighborsClassifier()), [{"n_neighbors": k} for k in (150, 9)]
    losses = []
    for setting in settings:  # Platt's map of two parameters, fitted by other means
        score = np.empty(len(y))
        for split in model.folds_within(X, y)[0]:
            knn = KNeighborsClassifier(**setting)
            scaler = StandardScaler().fit(X[split.train])
            knn.fit(scaler.transform(X[split.train]), y[split.train])
            score[split.test] = knn.predict_proba(scaler.transform(X[split.test]))[:, 1]
        odds = np.log(np.clip(score, 1e-3, 1 - 1e-3) / np.clip(1 - score, 1e-3, 1 - 1e-3))[:, None]
        losses.append(brier_score_loss(y, LogisticRegression().fit(odds, y).predict_proba(odds)[:, 1]))
    race = race_settings(model, settings, X, y)
    assert race.setting == settings[int(np.argmin(losses))] == {"n_neighbors": 9}
    assert race.fits == race_fits(2) == 6


def test_every_candidate_has_the_parameters_of_its_grid():
    models = candidate_models()
    for name in models:
        for setting in GRIDS[name]:
            models[name].set_params(**setting)


def test_settings_that_chance_prefers_look_no_better_than_chance():
    costs = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(60, 6)), np.arange(60) % 2 == 0
        settings = [{"max_depth": depth, "random_state": state} for depth in (1, 3) for state in range(6)]
        tuned = TunedModel(calibrated(DecisionTreeClassifier(max_features=1)), settings=settings)
        cv = cross_validate(tuned, X, y, folds=4, seed=seed)
        costs.append(nested_interval(cv, th.OperatingCondition(), "model").estimate)
    assert 0.44 < np.mean(costs) < 0.6  # half of the rows of either class: a guess costs 0.5


def test_learn_finds_the_setting_that_the_data_need():
    models = {"tree": DecisionTreeClassifier(max_leaf_nodes=2, random_state=0)}
    options: dict[str, Any] = {"models": models, "folds": 3, "curves": False}
    usual = th.learn(CORNERS, "y", **options)
    tuned: Any = th.learn(CORNERS, "y", tune={"tree": {"max_leaf_nodes": [12]}}, **options)
    assert usual.tuning is None
    assert tuned.nested["tree"].estimate < usual.nested["tree"].estimate / 2
    assert tuned.nested["one-feature rule"] == usual.nested["one-feature rule"]
    assert tuned.decision.model == "tree"
    assert tuned.model.estimator_["model"].max_leaf_nodes == 12
    assert tuned.tuning.to_dict() == {
        "tried": {"tree": [{}, {"max_leaf_nodes": 12}]},
        "chosen": {"max_leaf_nodes": 12},
        "fits": 24,
    }
    assert "Settings of tree: max_leaf_nodes = 12, of 2 tried; 2 settings of 1 models took 24 fits." in tuned.summary()


def test_three_classes_are_tuned_too():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.normal(size=150) + np.repeat([0, 3, 6], 50), "y": np.repeat(["p", "q", "r"], 50)})
    options: dict[str, Any] = {"models": ["neighbours"], "folds": 3, "curves": False, "calibration": "temperature"}
    learned: Any = th.learn(table, "y", tune=True, **options)
    assert learned.tuning.tried["neighbours"][0] == {}
    assert learned.nested["neighbours"].estimate < 0.2


@pytest.mark.parametrize(
    ("tune", "words"),
    [
        ("yes", "tune"),
        ({"svm": {"C": [1]}}, "tune names 'svm', which is not compared"),
        ({"tree": {"depth": [1]}}, "'tree' has no parameter 'depth'"),
        ({"tree": {}}, "there are no settings of 'tree' to try"),
        ({"tree": {"max_depth": 3}}, "the settings of 'tree' are no grid"),
        ({"tree": 3}, "the settings of 'tree' are no grid"),
    ],
)
def test_settings_that_cannot_be_tried_are_refused_in_words(tune, words):
    with pytest.raises(th.errors.ThresherError, match=words):
        settings_to_try(tune, {"tree": DecisionTreeClassifier()})
