import math

import numpy as np
import pytest

import thresher as th
from tests.inference import class_examples
from thresher.inference.mean_loss import log_loss_interval
from thresher.inference.sampled_matrix import sampled_confusion_intervals

LABELS, MODELS = class_examples.rows(90, 9)
MATRIX = MODELS["poor"]
WEIGHTS = np.random.default_rng(0).exponential(size=90) + 0.1
CLUSTERS = np.arange(90) // 3


def model(**more):
    return th.evaluate_classes(LABELS, MATRIX, **more)["model"]


def same(one, other):
    for field in ("estimate", "lower", "upper", "variance", "level"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), nan_ok=True), field


@pytest.mark.parametrize(
    "more", [{}, {"weights": WEIGHTS}, {"clusters": CLUSTERS}, {"weights": WEIGHTS, "clusters": CLUSTERS}]
)
def test_every_number_is_that_of_the_function_of_its_name(more):
    found = model(**more)
    weights = more.get("weights")
    assert found.confusion == th.confusion(LABELS, MATRIX.argmax(axis=1), weights=weights)
    assert found.areas.one_vs_rest.tolist() == th.multiclass_auc(LABELS, MATRIX, weights=weights).one_vs_rest.tolist()
    assert found.rankings == th.one_vs_rest_rankings(LABELS, MATRIX, weights=weights)
    assert found.brier.estimate == pytest.approx(th.brier_multiclass(LABELS, MATRIX, weights=weights))
    assert found.log_loss.estimate == pytest.approx(th.log_loss_multiclass(LABELS, MATRIX, weights=weights))
    areas = th.multiclass_auc_interval(LABELS, MATRIX, **more)
    for name in ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"):
        assert getattr(found.auc, name) == getattr(areas, name)
        assert getattr(found.auc, name).estimate == pytest.approx(getattr(found.areas, name))
    for i in range(3):
        same(found.auc.one_vs_rest[i], th.row_auc_interval(i == LABELS, MATRIX[:, i], **more))


def test_weights_and_clusters_reach_the_rates():
    same(model().rates.macro_f1, th.confusion_intervals(model().confusion).macro_f1)
    found = model(weights=WEIGHTS, clusters=CLUSTERS, level=0.8)
    calls = MATRIX.argmax(axis=1)
    rates = sampled_confusion_intervals(LABELS, calls, range(3), weight=WEIGHTS, cluster=CLUSTERS, level=0.8)
    for name in ("overall_accuracy", "macro_f1", "macro_recall", "macro_precision"):
        same(getattr(found.rates, name), getattr(rates, name))
    assert found.rates.recall == rates.recall


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_losses_widen_with_clusters_and_weights_and_level(name):
    plain = getattr(model(), name)
    tenfold = th.evaluate_classes(
        np.repeat(LABELS, 10), np.repeat(MATRIX, 10, axis=0), clusters=np.repeat(np.arange(90), 10)
    )["model"]
    same(getattr(tenfold, name), plain)
    assert getattr(model(weights=WEIGHTS**3), name).width > plain.width
    assert getattr(model(level=0.5), name).width < plain.width


def test_two_classes_have_the_brier_score_of_two_classes():
    labels, models = class_examples.rows(50, 1, classes=2)
    found = th.evaluate_classes(labels, models["good"])["model"]
    same(found.brier, th.brier_interval(th.rank(labels, models["good"][:, 1])))


def test_sure_and_right_allows_for_the_losses_that_are_foretold():
    """Twenty right calls at 0.97 and more: what may go wrong now and then makes the limits, of k classes as of two."""
    p = np.linspace(0.97, 0.99, 20)
    labels = np.tile([0, 1], 10)
    score = np.where(labels == 1, p, 1 - p)
    found = th.evaluate_classes(labels, np.column_stack([1 - score, score]))["model"]
    same(found.brier, th.brier_interval(th.rank(labels, score)))
    same(found.log_loss, log_loss_interval(th.rank(labels, score)))
    assert found.log_loss.upper > 3 * found.log_loss.estimate


def test_losses_of_rows_that_do_not_sum_to_1_are_undefined():
    found = th.evaluate_classes(LABELS, MATRIX * 0.9)["model"]
    for loss in (found.brier, found.log_loss):
        assert str(loss) == "undefined (rows of probabilities do not sum to 1)"
    assert found.auc.one_vs_one_macro == model().auc.one_vs_one_macro


def test_certain_and_wrong_is_infinite_and_says_so():
    matrix = MATRIX.copy()
    matrix[0] = np.eye(3)[(LABELS[0] + 1) % 3]
    found = th.evaluate_classes(LABELS, matrix)["model"]
    assert found.log_loss.estimate == math.inf
    assert found.to_dict()["log_loss"]["estimate"] is None
    assert math.isfinite(found.brier.upper)


def test_plain_data_follow_the_order_of_classes():
    plain = model().to_dict()
    assert plain["recall"][2]["estimate"] == model().rates.recall[2].estimate
    assert plain["one_vs_rest"][1] == model().auc.one_vs_rest[1].to_dict()
    assert plain["confusion"] == model().confusion.to_dict()
