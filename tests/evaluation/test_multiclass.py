import json

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
    assert model.log_loss.estimate == pytest.approx(log_loss(TEST_Y, MATRIX))
    assert model.areas.classes == FOUND.classes == (0, 1, 2)


def test_intervals_hold_their_estimates():
    for model in FOUND.models.values():
        for interval in (model.rates.overall_accuracy, model.auc.one_vs_rest_macro, model.auc.one_vs_one_weighted):
            assert interval.lower <= interval.estimate <= interval.upper


def test_given_predictions_are_used_as_they_are():
    worst = (MATRIX.argmax(axis=1) + 1) % 3
    found = th.evaluate_classes(TEST_Y, {"a": MATRIX}, predictions={"a": worst})
    assert found["a"].confusion == th.confusion(TEST_Y, worst, classes=[0, 1, 2])


def test_the_summary_names_every_model_class_and_difference():
    text = str(FOUND)
    for part in ("logistic", "uniform", "AUC, one-vs-rest macro", "AUC against the rest", "3 classes", "log loss"):
        assert part in text
    assert ["logistic", "-", "uniform", "one_vs_rest_macro"] in [line.split()[:4] for line in text.split("\n")]
    assert repr(FOUND) == f"MulticlassEvaluation(logistic, uniform; {len(TEST_Y)} rows, 3 classes)"


def test_models_are_compared_pair_by_pair():
    for measure, comparison in FOUND.comparisons.items():
        paired = th.compare_classes(
            TEST_Y, {"logistic": MATRIX, "uniform": np.full_like(MATRIX, 1 / 3)}, measure=measure
        )
        assert comparison["logistic", "uniform"] == paired["logistic", "uniform"]
        assert comparison["logistic", "uniform"].verdict == "better"
    assert set(FOUND.comparisons) == {
        "overall_accuracy",
        "macro_recall",
        "macro_f1",
        "one_vs_rest_macro",
        "one_vs_one_macro",
        "brier",
        "log_loss",
    }
    assert th.evaluate_classes(TEST_Y, MATRIX).comparisons == {}


def test_margins_are_given_for_all_measures_or_by_name():
    models = {"a": MATRIX, "b": 0.999 * MATRIX + 0.001 / 3}
    verdicts = {
        name: each["a", "b"].verdict
        for name, each in th.evaluate_classes(TEST_Y, models, margin={"brier": 0.01}).comparisons.items()
    }
    assert verdicts["brier"] == "practically equal"
    assert verdicts["log_loss"] != "practically equal"
    every = th.evaluate_classes(TEST_Y, models, margin=0.05).comparisons
    assert every["log_loss"]["a", "b"].verdict == "practically equal"
    with pytest.raises(th.ArgumentError, match="not compared by 'auc'"):
        th.evaluate_classes(TEST_Y, models, margin={"auc": 0.1})
    with pytest.raises(th.ArgumentError, match="margin must be 0 or more"):
        th.evaluate_classes(TEST_Y, models, margin={"brier": -0.1})


def test_weights_and_clusters_reach_every_part():
    weights, clusters = np.arange(len(TEST_Y)) % 4 + 1.0, np.arange(len(TEST_Y)) // 2
    models = {"logistic": MATRIX, "uniform": np.full_like(MATRIX, 1 / 3)}
    found = th.evaluate_classes(TEST_Y, models, weights=weights, clusters=clusters)
    assert (found.weighted, found.clusters) == (True, len(set(clusters)))
    paired = th.compare_classes(TEST_Y, models, weights=weights, clusters=clusters, measure="brier")
    assert found.comparisons["brier"]["logistic", "uniform"] == paired["logistic", "uniform"]
    assert "weighted, in 23 clusters" in str(found)
    for plain, other in zip(FOUND.models.values(), found.models.values(), strict=True):
        assert plain.rates.macro_f1 != other.rates.macro_f1 or plain.name == "uniform"
        assert plain.confusion != other.confusion


def test_missing_rows_are_dropped_on_request_and_counted():
    holes = MATRIX.copy()
    holes[:4, 2] = np.nan
    with pytest.raises(th.MissingValueError, match="4 of 45"):
        th.evaluate_classes(TEST_Y, {"a": holes, "b": MATRIX})
    found = th.evaluate_classes(TEST_Y, {"a": holes, "b": MATRIX}, missing="drop")
    assert (found.rows, found.dropped) == (41, 4)
    assert found["b"].confusion == th.confusion(TEST_Y[4:], MATRIX[4:].argmax(axis=1))
    assert "4 dropped for missing values" in str(found)


def test_all_of_it_is_plain_data():
    plain = json.loads(FOUND.to_json())
    assert plain["classes"] == [0, 1, 2]
    assert plain["models"]["logistic"]["brier"]["lower"] == FOUND["logistic"].brier.lower
    assert plain["comparisons"]["brier"][0]["verdict"] == "better"
    assert {"code", "text"} == set(plain["cautions"][0])
    dates = np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="datetime64[D]")[TEST_Y]
    assert json.loads(th.evaluate_classes(dates, MATRIX).to_json())["classes"][0] == "2024-01-01"


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
