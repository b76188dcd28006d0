"""With and without a feature, on the same folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th
from thresher.learning import feature_gain

RNG = np.random.default_rng(7)
Y = np.arange(300) % 3 == 0
TABLE = pd.DataFrame(
    {"old": RNG.normal(size=300) + Y, "new": RNG.normal(size=300) + 2 * Y, "noise": RNG.normal(size=300)}
)
TABLE["copy"] = TABLE.old
TABLE = TABLE.assign(sick=Y, number=range(300))


def test_the_difference_is_that_of_scikit_learn_over_the_same_folds():
    gain = feature_gain(TABLE, "sick", "new", measure="auc", folds=StratifiedKFold(5))
    by_side = []
    for names in (["old", "new", "noise", "copy"], ["old", "noise", "copy"]):
        X, areas = TABLE[names].to_numpy(), []
        for train, test in StratifiedKFold(5).split(X, Y):
            model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X[train], Y[train])
            areas.append(roc_auc_score(Y[test], model.decision_function(X[test])))
        by_side.append(np.array(areas))
    assert gain.difference.difference == pytest.approx((by_side[0] - by_side[1]).mean(), abs=1e-6)
    assert gain.with_features.estimate == pytest.approx(by_side[0].mean(), abs=1e-6)
    spread = (by_side[0] - by_side[1]).std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert (gain.difference.upper - gain.difference.lower) / 2 == pytest.approx(2.776445 * spread, rel=1e-4)
    assert gain.helps
    assert "it helps" in str(gain)


def test_cost_falls_with_a_feature_that_helps_and_a_copy_is_no_help():
    condition = th.OperatingCondition(cost_ratio=3)
    gain = feature_gain(TABLE, "sick", ["new", "noise"], condition=condition)
    assert gain.difference.difference == pytest.approx(gain.with_features.estimate - gain.without.estimate)
    assert (gain.helps, gain.measure, gain.folds) == (True, "expected_cost", 10)
    assert not feature_gain(TABLE, "sick", "copy", condition=condition).helps
    none = feature_gain(TABLE, "sick", "copy", measure="auc", margin=0.1)
    assert none.difference.verdict == "practically equal"
    assert "practically no difference" in str(none)
    assert set(none.to_dict()) == {"features", "model", "measure", "folds", "with", "without", "difference", "helps"}


def test_three_classes_and_a_classifier_of_yours():
    table = TABLE.assign(kind=np.array(["a", "b", "c"])[np.arange(300) % 3]).drop(columns="sick")
    gain = feature_gain(table, "kind", "new", model=LogisticRegression(), folds=3)
    assert (gain.model, gain.measure) == ("LogisticRegression", "expected_cost")
    assert gain.difference.difference < 0


def refuse_to_fit(*_):
    raise AssertionError("a question without an answer costs a fit")


@pytest.mark.parametrize(
    ("features", "options", "words"),
    [
        ("age", {}, "there is no column 'age'"),
        ([], {}, "there are no features to ask about"),
        ("sick", {}, "'sick' is the target"),
        ("number", {}, "no model learns from 'number', which is identifier"),
        (["old", "new", "noise", "copy"], {}, "no other column is left"),
        ("new", {"measure": "auc", "condition": th.OperatingCondition()}, "both measure='auc' and a condition"),
        ("new", {"model": "svm"}, "there is no model 'svm'"),
        ("new", {"measure": "beauty"}, "beauty"),
    ],
)
def test_questions_that_have_no_answer_are_refused_in_words(features, options, words):
    with pytest.raises(th.errors.ThresherError, match=words):
        feature_gain(TABLE, "sick", features, progress=refuse_to_fit, **options)
