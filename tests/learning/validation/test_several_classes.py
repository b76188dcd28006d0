"""Folds, measures and curves of more than two classes, on iris and wine."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning import (
    CalibratedModel,
    Folds,
    OneFeatureRule,
    baselines,
    cross_validate,
    feature_curve,
    learning_curve,
    nested_costs,
    nested_interval,
)

IRIS = load_iris()
X, SPECIES = IRIS.data, IRIS.target_names[IRIS.target]
NAMES = ["setosa", "versicolor", "virginica"]
COSTS = th.CostMatrix.by_class({"virginica": 5}, NAMES)
MODELS = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)}


@pytest.fixture(scope="module")
def cv():
    return cross_validate(MODELS, X, SPECIES, folds=4, seed=1)


def test_entries_are_what_a_plain_cross_validation_gives(cv):
    splits = [(split.train, split.test) for split in cv.splits]
    peer = cross_val_predict(GaussianNB(), X, SPECIES, cv=splits, method="predict_proba")
    assert cv.classes == tuple(NAMES)
    np.testing.assert_array_equal(cv.labels, SPECIES[cv.row])
    np.testing.assert_array_equal(cv.scores["bayes"], peer[cv.row])
    np.testing.assert_array_equal(cv.predictions["bayes"], np.array(NAMES)[peer.argmax(axis=1)][cv.row])
    for split in cv.splits:
        assert sorted(np.unique(SPECIES[split.test], return_counts=True)[1]) == [12, 12, 13] or split.test.size == 38


OF_CALLS = {
    "overall_accuracy": lambda y, calls: (y == calls).mean(),
    "error_rate": lambda y, calls: (y != calls).mean(),
    "mean_class_accuracy": balanced_accuracy_score,
    "macro_f1": lambda y, calls: f1_score(y, calls, average="macro"),
    "weighted_f1": lambda y, calls: f1_score(y, calls, average="weighted"),
    "expected_cost": lambda y, calls: (y != calls).mean(),
    COSTS: lambda y, calls: np.where(y == "virginica", 5, 1)[y != calls].sum() / y.size,
}
OF_PROBABILITIES = {
    "log_loss": log_loss,
    "brier": lambda y, p: ((p - (y[:, None] == np.array(NAMES))) ** 2).sum(axis=1).mean() / 2,
    "one_vs_one_macro": lambda y, p: roc_auc_score(y, p, multi_class="ovo"),
    "one_vs_rest_macro": lambda y, p: roc_auc_score(y, p, multi_class="ovr"),
}


@pytest.mark.parametrize("measure", [*OF_CALLS, *OF_PROBABILITIES], ids=str)
def test_measures_of_folds_are_scikit_learns(cv, measure):
    peer, of = (OF_CALLS[measure], cv.predictions) if measure in OF_CALLS else (OF_PROBABILITIES[measure], cv.scores)
    expected = [peer(cv.labels[cv.fold == number], of["bayes"][cv.fold == number]) for number in range(4)]
    np.testing.assert_allclose(cv.per_fold(measure, "bayes"), expected, rtol=1e-12)


def test_models_are_compared_and_pooled(cv):
    assert cv.difference("bayes", "tree", "brier").a == "bayes"
    assert 0.9 < cv.estimate("macro_f1", "bayes").estimate < 1
    assert cv.pooled("tree") == th.segment(cv.labels, cv.scores["tree"], classes=NAMES)
    assert sum(part.total for part in cv.segments("tree")) == 150
    assert list(cv.to_frame().columns)[4:7] == ["p(setosa)", "p(versicolor)", "p(virginica)"]


def test_classes_fix_the_order_of_columns():
    plain, turned = (cross_validate(GaussianNB(), X, SPECIES, classes=names) for names in (None, NAMES[::-1]))
    np.testing.assert_array_equal(turned.scores["model"], plain.scores["model"][:, ::-1])
    assert turned.per_fold("log_loss") == pytest.approx(plain.per_fold("log_loss"))
    two = cross_validate(GaussianNB(), X[50:], SPECIES[50:], classes=["virginica", "versicolor"])
    assert two.scores["model"].shape == (100, 2)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("measure", ["overall_accuracy", "macro_f1", "expected_cost"])
def test_curves_of_rows_and_of_features(load, measure):
    data, labels = load(return_X_y=True)
    rows = learning_curve(LinearDiscriminantAnalysis(), data, labels, measure=measure, sizes=[15, 30, 60], folds=3)
    features = feature_curve(GaussianNB(), data, labels, measure=measure, sizes=[1, 2, 4], folds=3)
    right = measure != "expected_cost"
    assert (rows.validation.estimate[-1] > 0.9) == right
    assert (features.validation.estimate[-1] > features.validation.estimate[0]) == right
    assert features.best > 1 if load is load_wine else True


def test_nested_costs_are_those_of_decisions_made_without_the_rows(cv):
    condition = th.OperatingCondition(costs=COSTS)
    dear = COSTS.for_classes(NAMES).costs
    place = [NAMES.index(label) for label in cv.labels]
    for name in MODELS:
        paid = dear[place, (cv.scores[name] @ dear).argmin(axis=1)]
        expected = [paid[cv.fold == fold].mean() for fold in range(4)]
        np.testing.assert_allclose(nested_costs(cv, condition, name), expected)
    chosen = nested_interval(cv, condition)
    assert chosen.estimate == pytest.approx(nested_costs(cv, condition).mean())
    assert chosen.lower <= chosen.estimate <= chosen.upper
    mixed = th.OperatingCondition(costs=COSTS, mix={"setosa": 0.2, "versicolor": 0.2, "virginica": 0.6})
    assert nested_interval(cv, mixed, "bayes").estimate == pytest.approx(nested_costs(cv, mixed, "bayes").mean())


def test_maps_within_training_rows_are_counted_by_class():
    two, names = X[50:], SPECIES[50:]
    model = CalibratedModel(GaussianNB(), method="temperature", cv=2)
    by_class = cross_validate(model, two, names, classes=NAMES[1:], folds=2).within["model"][0]
    ranked = cross_validate(model, two, names == "virginica", folds=2).within["model"][0]
    assert by_class.ranking("virginica") == ranked
    vectors = cross_validate(model.set_params(method="vector"), two, names == "virginica", folds=2)
    assert isinstance(vectors.within["model"][0], th.Ranking)


def test_the_one_feature_rule_has_a_leaf_per_class():
    rule = OneFeatureRule().fit(X, SPECIES)
    assert rule.feature_ in (2, 3)
    assert (rule.predict(X) == SPECIES).mean() > 0.95
    five = np.arange(100) // 20
    assert (OneFeatureRule().fit(np.arange(100.0)[:, None], five).predict(np.arange(100.0)[:, None]) == five).all()
    assert cross_validate(baselines(), X, SPECIES).estimate("error_rate", "majority class").estimate > 0.6


RARE = np.where(np.arange(150) < 147, SPECIES, "rare")


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: cross_validate(GaussianNB(), X, RARE), th.errors.ArgumentError, "of each class, and 'rare' has 3"),
        (
            lambda: cross_validate(GaussianNB(), X, RARE, folds=Folds(5, "time"), times=np.arange(150)),
            th.errors.OneClassError,
            "fold 0 lack class 'rare'",
        ),
        (lambda: cross_validate(GaussianNB(), X, SPECIES, positive="setosa"), th.errors.LabelError, "has 3"),
        (lambda: cross_validate(GaussianNB(), X, SPECIES, classes=["setosa"]), th.errors.LabelError, "'versicolor'"),
        (
            lambda: cross_validate(GaussianNB(), X, SPECIES, classes=[*NAMES, "other"]),
            th.errors.OneClassError,
            "no row is of class 'other'",
        ),
        (lambda: cross_validate(LinearSVC(), X, SPECIES), th.errors.ArgumentError, "CalibratedModel"),
        (lambda: learning_curve(GaussianNB(), X, SPECIES, sizes=[2, 50]), th.errors.ArgumentError, "from 3, one row"),
        (lambda: learning_curve(GaussianNB(), X, SPECIES, measure="auc"), th.errors.MeasureError, "one_vs_one_macro"),
        (
            lambda: cross_validate(GaussianNB(), X, SPECIES, folds=Folds(kind="leave-one-out")).per_fold(
                "one_vs_one_macro"
            ),
            th.errors.OneClassError,
            "lack a class",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_by_name(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


def test_two_classes_have_no_segments_and_three_no_ranking(cv):
    with pytest.raises(th.errors.ArgumentError, match="3 classes have no one ranking"):
        cv.rankings("tree")
    with pytest.raises(th.errors.ArgumentError, match="ask for rankings"):
        cross_validate(GaussianNB(), X, SPECIES == "setosa").segments()
