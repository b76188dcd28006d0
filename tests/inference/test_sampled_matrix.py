import numpy as np
import pytest

import thresher as th
from tests.inference import class_examples, oracles
from thresher.inference.design_effect import sampled_table, sampled_table_intervals
from thresher.inference.matrix_slopes import WHOLE_MEASURES
from thresher.inference.sampled_matrix import sampled_confusion_intervals

ACTUAL, MODELS = class_examples.rows(80, 3)
CALLED = MODELS["poor"].argmax(axis=1)
RATES = ("overall_accuracy", *WHOLE_MEASURES)


def intervals(actual=ACTUAL, called=CALLED, **more):
    found = sampled_confusion_intervals(actual, called, "abc", **more)
    return listed(found)


def listed(found):
    named = {name: getattr(found, name) for name in RATES}
    return named | {f"{name} {c}": getattr(found, name)[c] for name in ("precision", "recall", "f1") for c in "abc"}


def plain(actual=ACTUAL, called=CALLED):
    names = np.array(list("abc"))
    return listed(th.confusion_intervals(th.confusion(names[actual], names[called], classes="abc")))


def same(one, other, **close):
    for name, interval in one.items():
        for field in ("estimate", "lower", "upper", "variance"):
            mine, its = getattr(interval, field), getattr(other[name], field)
            assert mine == pytest.approx(its, nan_ok=True, **close), (name, field)


@pytest.mark.parametrize("weight", [0.01, 1.0, 7.0])
def test_equal_weights_are_no_weights(weight):
    same(intervals(weight=np.full(80, weight)), plain(), rel=1e-6)
    same(intervals(ACTUAL, ACTUAL, weight=np.full(80, weight)), plain(ACTUAL, ACTUAL), rel=1e-6)


def test_the_unit_of_weights_does_not_matter():
    weight = np.random.default_rng(0).exponential(size=80)
    for more in ({}, {"cluster": np.arange(80) // 3}):
        one, million = (intervals(weight=weight * unit, **more) for unit in (1, 1e6))
        same(one, million, rel=1e-6)


def test_each_class_is_a_table_of_its_own():
    weight, cluster = np.random.default_rng(1).exponential(size=80), np.arange(80) // 2
    found = intervals(weight=weight, cluster=cluster)
    for i, name in enumerate("abc"):
        table = sampled_table_intervals(sampled_table(i == ACTUAL, i == CALLED, weight=weight, cluster=cluster))
        assert found[f"recall {name}"] == table["tpr"]
        assert found[f"precision {name}"] == table["precision"]
        assert found[f"f1 {name}"] == table["f1"]


def test_macro_averages_vary_as_their_slopes_say():
    """The delta method once more, every slope found by making a row a little heavier."""
    weight = np.random.default_rng(2).exponential(size=80)
    found = intervals(weight=weight)
    for name, known in WHOLE_MEASURES.items():
        squares = 0.0
        for row in range(80):
            up, down = weight.copy(), weight.copy()
            up[row] *= 1 + 1e-5
            down[row] *= 1 - 1e-5
            high, low = (known.value(th.confusion(ACTUAL, CALLED, classes=range(3), weights=w)) for w in (up, down))
            squares += ((high - low) / 2e-5) ** 2
        assert found[name].variance == pytest.approx(squares, rel=1e-5), name


def test_copies_of_a_row_in_a_cluster_add_nothing():
    """But for Student's quantile in place of the normal one, all limits are those of the rows without copies."""
    many = np.repeat(ACTUAL, 10), np.repeat(CALLED, 10)
    clustered, as_if = intervals(*many, cluster=np.repeat(np.arange(80), 10)), plain(*many)
    matrix = th.confusion(ACTUAL, CALLED, classes=range(3))
    shrunk = th.ConfusionMatrix(matrix.counts * oracles.few_clusters(80, 0.95), "abc")
    expected = {name: (each.lower, each.upper) for name, each in listed(th.confusion_intervals(shrunk)).items()}
    for i, name in enumerate("abc"):
        table = matrix.one_vs_rest(i)
        expected[f"recall {name}"] = oracles.measure_of_copies(table, "tpr")
        expected[f"precision {name}"] = oracles.measure_of_copies(table, "precision")
        expected[f"f1 {name}"] = oracles.measure_of_copies(table, "f1")
    for name, interval in clustered.items():
        assert (interval.lower, interval.upper) == pytest.approx(expected[name], rel=1e-6), name
        assert as_if[name].width < 0.4 * interval.width


def test_clusters_of_alike_rows_are_held_as_often_as_said():
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(60), 8)
    held: dict[str, list[bool]] = {"overall_accuracy": [], "macro_recall": [], "recall a": []}
    for _ in range(300):
        copied = rng.random(480) < np.sqrt(0.5)
        actual = np.where(copied, rng.integers(3, size=60)[cluster], rng.integers(3, size=480))
        right = np.where(copied, (rng.random(60) < 0.7)[cluster], rng.random(480) < 0.7)
        found = intervals(actual, np.where(right, actual, (actual + 1) % 3), cluster=cluster)
        for name, each in held.items():
            each.append(0.7 in found[name])
    assert all(0.92 <= np.mean(each) <= 0.985 for each in held.values()), {n: np.mean(e) for n, e in held.items()}


def test_a_class_that_is_never_called_has_no_precision():
    found = intervals(called=np.minimum(CALLED, 1), weight=np.full(80, 2.0))
    assert found["precision c"].note == "nothing is called so"
    assert np.isnan(found["macro_precision"].estimate)
    assert "nothing is predicted positive" in found["macro_precision"].note
    assert found["recall c"].estimate == 0
    assert found["recall c"].upper > 0


def test_bad_input():
    with pytest.raises(th.ArgumentError, match="level"):
        sampled_confusion_intervals(ACTUAL, CALLED, "abc", level=95)
