import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th

WINE = load_wine()
TRAIN, TEST, TRAIN_Y, TEST_Y = train_test_split(WINE.data[:, :4], WINE.target, random_state=1, stratify=WINE.target)
MATRIX = make_pipeline(StandardScaler(), LogisticRegression()).fit(TRAIN, TRAIN_Y).predict_proba(TEST)
FOUND = th.evaluate_classes(TEST_Y, {"logistic": MATRIX, "uniform": np.full_like(MATRIX, 1 / 3)})


def test_the_numbers_are_those_of_scikit_learn():
    model = FOUND["logistic"]
    assert model.rates.overall_accuracy.estimate == pytest.approx(accuracy_score(TEST_Y, MATRIX.argmax(axis=1)))
    assert model.auc.one_vs_rest_macro.estimate == pytest.approx(roc_auc_score(TEST_Y, MATRIX, multi_class="ovr"))
    assert model.auc.one_vs_one_macro.estimate == pytest.approx(roc_auc_score(TEST_Y, MATRIX, multi_class="ovo"))
    assert model.log_loss == pytest.approx(log_loss(TEST_Y, MATRIX))
    assert model.areas.classes == FOUND.classes == (0, 1, 2)


def test_intervals_hold_their_estimates():
    for model in FOUND.models.values():
        for interval in (model.rates.overall_accuracy, model.auc.one_vs_rest_macro, model.auc.one_vs_one_weighted):
            assert interval.lower <= interval.estimate <= interval.upper


def test_given_predictions_are_used_as_they_are():
    worst = (MATRIX.argmax(axis=1) + 1) % 3
    found = th.evaluate_classes(TEST_Y, {"a": MATRIX}, predictions={"a": worst})
    assert found["a"].confusion == th.confusion(TEST_Y, worst, classes=[0, 1, 2])


def test_the_summary_names_every_model_and_class():
    text = str(FOUND)
    for part in ("logistic", "uniform", "one-vs-rest, macro", "2 against the rest", "3 classes"):
        assert part in text
    assert repr(FOUND) == f"MulticlassEvaluation(logistic, uniform; {len(TEST_Y)} rows, 3 classes)"


def test_bad_input():
    with pytest.raises(th.ArgumentError, match="evaluate_classes"):
        th.evaluate(TEST_Y == 1, MATRIX)
    with pytest.raises(th.LengthError):
        th.evaluate_classes(TEST_Y, MATRIX[:-1])
    with pytest.raises(th.LengthError):
        th.evaluate_classes(TEST_Y, MATRIX[:, :2])
    with pytest.raises(th.ArgumentError, match="no models"):
        th.evaluate_classes(TEST_Y, {})
    with pytest.raises(th.ArgumentError, match="no matrix"):
        th.evaluate_classes(TEST_Y, {"a": MATRIX}, predictions={"b": TEST_Y})
    with pytest.raises(th.ArgumentError, match="level"):
        th.evaluate_classes(TEST_Y, MATRIX, level=0)
    with pytest.raises(th.ArgumentError, match="no model 'x'"):
        FOUND["x"]
