""""""

import copy
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
import thresher.inference as ti
from tests.inference import class_examples, oracles
from thresher.errors import ArgumentError
from thresher.inference.influence import MATRIX_MEASURES
from thresher.inference.intervals.confusion import call_intervals, confusion_intervals
from thresher.inference.intervals.table import count_calls, table_intervals

matrices = st.integers(2, 4).flatmap(
    lambda k: (
        st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=k, max_size=k)
        .filter(lambda counts: any(map(any, counts)))
        .map(lambda counts: th.ConfusionMatrix(counts, classes=list(range(k))))
    )
)


@given(matrices)
def test_rates_are_rates_and_everything_lies_between_its_limits(matrix):
    result = ti.intervals(matrix)
    right, total = int(np.trace(matrix.counts)), int(matrix.total)
    assert result.overall_accuracy == ti.rate_interval(right, total)
    for i, name in enumerate(matrix.classes):
        for interval, cases in ((result.recall[name], matrix.actual[i]), (result.precision[name], matrix.predicted[i])):
            if cases:
                assert interval == ti.rate_interval(float(matrix.counts[i, i]), float(cases))
            else:
                assert math.isnan(interval.estimate)
                assert interval.note
        table = matrix.one_vs_rest(name)
        if math.isnan(table.f1):
            assert result.f1[name].note
        else:
            assert result.f1[name] == ti.interval(table, "f1")
    for name, known in MATRIX_MEASURES.items():
        interval, value = getattr(result, name), known.value(matrix)
        least, most = known.ends
        if math.isnan(value):
            assert math.isnan(interval.estimate)
            assert interval.note
        else:
            assert least <= interval.lower <= interval.estimate <= interval.upper <= most
            assert interval.estimate == pytest.approx(value, abs=1e-12)
            assert interval.width > 0


def test_macro_recall_is_a_mean_of_independent_rates():
    matrix = th.ConfusionMatrix([[70, 20, 10], [20, 830, 10], [0, 10, 30]], classes=[1, 2, 3])
    expected = (0.7 * 0.3 / 100 + (83 / 86) * (3 / 86) / 860 + 0.75 * 0.25 / 40) / 9
    assert ti.intervals(matrix).macro_recall.variance == pytest.approx(expected)


def test_variances_are_what_simulation_finds():
    share = np.array([[0.3, 0.05, 0.05], [0.1, 0.2, 0.05], [0.02, 0.03, 0.2]])
    drawn = np.random.default_rng(3).multinomial(800, share.ravel(), size=4000).reshape(-1, 3, 3)
    result = ti.intervals(th.ConfusionMatrix((share * 800).round().astype(int), classes="abc"))
    again = [ti.intervals(th.ConfusionMatrix(counts, classes="abc")) for counts in drawn[:150]]
    for name, known in MATRIX_MEASURES.items():
        values, _ = known.slopes(drawn.astype(np.float64))
        assert values[:9] == pytest.approx([known.value(th.ConfusionMatrix(one, classes="abc")) for one in drawn[:9]])
        assert getattr(result, name).variance == pytest.approx(np.var(values), rel=0.08), name
        truth = known.value(th.ConfusionMatrix(share, classes="abc"))
        assert 0.9 <= np.mean([truth in getattr(each, name) for each in again]) <= 0.99, name


def test_two_classes_agree_with_the_table():
    matrix = th.ConfusionMatrix([[30, 20], [10, 40]], classes=["spam", "ham"])
    result = ti.intervals(matrix)
    of_table = ti.interval(th.Contingency(tp=30, fn=20, fp=10, tn=40), "average_recall")
    assert result.macro_recall.variance == pytest.approx(of_table.variance, rel=1e-6)
    assert result.macro_recall.lower == pytest.approx(of_table.lower, rel=1e-6)
    for name in ("mcc", "kappa"):
        of_matrix, of_table = getattr(result, name), ti.interval(th.Contingency(tp=30, fn=20, fp=10, tn=40), name)
        limits = of_table.estimate, of_table.lower, of_table.upper
        assert (of_matrix.estimate, of_matrix.lower, of_matrix.upper) == pytest.approx(limits, rel=1e-6)


def test_what_is_perfect_or_hopeless_has_width_and_what_is_undefined_says_why():
    perfect = ti.intervals(th.ConfusionMatrix([[9, 0, 0], [0, 8, 0], [0, 0, 7]], classes="abc"))
    for name in MATRIX_MEASURES:
        interval = getattr(perfect, name)
        assert interval.estimate == interval.upper == 1
        assert 0 < interval.lower < 0.99
        assert (interval.method, interval.note) == ("score", "")
    turned = ti.intervals(th.ConfusionMatrix([[0, 9], [9, 0]], classes="ab"))
    assert (turned.mcc.estimate, turned.mcc.lower) == (-1, -1)
    assert -1 < turned.mcc.upper < -0.3
    lazy = ti.intervals(th.ConfusionMatrix([[95, 0], [5, 0]], classes=["ham", "spam"]))
    assert math.isnan(lazy.mcc.estimate)
    assert lazy.mcc.note == th.ConfusionMatrix([[95, 0], [5, 0]], classes="ab").describe("mcc").partition(": ")[2]
    assert lazy.mcc.note
    assert lazy.kappa.estimate == 0
    assert lazy.kappa.width > 0


def test_bad_input():
    with pytest.raises(ArgumentError, match="level"):
        ti.intervals(th.ConfusionMatrix([[1, 0], [0, 1]], classes="ab"), level=5)
    with pytest.raises(ArgumentError, match="no cases"):
        ti.intervals(th.ConfusionMatrix([[0, 0], [0, 0]], classes="ab"))


def test_weights_without_errors_are_perfect_however_they_round():
    rng = np.random.default_rng(0)
    drawn = [th.ConfusionMatrix(np.diag(rng.random(3) * 30), classes="abc") for _ in range(50)]
    rounded = [each for each in drawn if any(known.value(each) != 1 for known in MATRIX_MEASURES.values())]
    for matrix in rounded[:3]:
        result = ti.intervals(matrix)
        for name in MATRIX_MEASURES:
            assert getattr(result, name).estimate == getattr(result, name).upper == 1
            assert getattr(result, name).lower < 1
    assert rounded


ACTUAL, MODELS = class_examples.rows(80, 3)
CALLED = MODELS["poor"].argmax(axis=1)
RATES = ("overall_accuracy", *MATRIX_MEASURES)


def intervals(actual=ACTUAL, calls=CALLED, weight=None, cluster=None, level=0.95):
    counts = np.bincount(actual * 3 + calls, weights=weight, minlength=9).reshape(3, 3)
    matrix = th.ConfusionMatrix(counts, "abc")
    return listed(call_intervals(matrix, actual, calls, weight, cluster, level=level))


def listed(result):
    named = {name: getattr(result, name) for name in RATES}
    return named | {f"{name} {c}": getattr(result, name)[c] for name in ("precision", "recall", "f1") for c in "abc"}


def plain(actual=ACTUAL, calls=CALLED):
    names = np.array(list("abc"))
    return listed(th.intervals(th.confusion(names[actual], names[calls], classes="abc")))


def same(one, other, **close):
    for name, interval in one.items():
        for field in ("estimate", "lower", "upper", "variance"):
            ours, theirs = getattr(interval, field), getattr(other[name], field)
            assert ours == pytest.approx(theirs, nan_ok=True, **close), (name, field)


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
    result = intervals(weight=weight, cluster=cluster)
    for i, name in enumerate("abc"):
        table = table_intervals(count_calls(i == ACTUAL, i == CALLED, weight=weight, cluster=cluster))
        assert result[f"recall {name}"] == table["tpr"]
        assert result[f"precision {name}"] == table["precision"]
        assert result[f"f1 {name}"] == table["f1"]


def test_macro_averages_vary_as_their_slopes_say():
    """The delta method once more, every slope found by making a row a little heavier."""
    weight = np.random.default_rng(2).exponential(size=80)
    result = intervals(weight=weight)
    for name, known in MATRIX_MEASURES.items():
        squares = 0.0
        for row in range(80):
            up, down = weight.copy(), weight.copy()
            up[row] *= 1 + 1e-5
            down[row] *= 1 - 1e-5
            high, low = (known.value(th.confusion(ACTUAL, CALLED, classes=range(3), weights=w)) for w in (up, down))
            squares += ((high - low) / 2e-5) ** 2
        assert result[name].variance == pytest.approx(squares, rel=1e-5), name


def test_copies_of_a_row_in_a_cluster_add_nothing():
    """But for Student's quantile in place of the normal one, all limits are those of the rows without copies."""
    many = np.repeat(ACTUAL, 10), np.repeat(CALLED, 10)
    clustered, as_if = intervals(*many, cluster=np.repeat(np.arange(80), 10)), plain(*many)
    matrix = th.confusion(ACTUAL, CALLED, classes=range(3))
    shrunk = th.ConfusionMatrix(matrix.counts * oracles.few_clusters(80, 0.95), "abc")
    expected = {name: (each.lower, each.upper) for name, each in listed(th.intervals(shrunk)).items()}
    for i, name in enumerate("abc"):
        table = matrix.one_vs_rest(i)
        expected[f"recall {name}"] = oracles.measure_of_copies(table, "tpr")
        expected[f"precision {name}"] = oracles.measure_of_copies(table, "precision")
        expected[f"f1 {name}"] = oracles.measure_of_copies(table, "f1")
    for name, interval in clustered.items():
        assert (interval.lower, interval.upper) == pytest.approx(expected[name], rel=1e-6), name
        assert as_if[name].width < 0.4 * interval.width


def test_clusters_of_alike_rows_are_held_as_often_as_stated():
    rng = np.random.default_rng(4)
    cluster = np.repeat(np.arange(60), 8)
    held: dict[str, list[bool]] = {"overall_accuracy": [], "macro_recall": [], "recall a": []}
    for _ in range(60):
        copied = rng.random(480) < np.sqrt(0.5)
        actual = np.where(copied, rng.integers(3, size=60)[cluster], rng.integers(3, size=480))
        right = np.where(copied, (rng.random(60) < 0.7)[cluster], rng.random(480) < 0.7)
        result = intervals(actual, np.where(right, actual, (actual + 1) % 3), cluster=cluster)
        for name, each in held.items():
            each.append(0.7 in result[name])
    assert all(0.92 <= np.mean(each) <= 0.985 for each in held.values()), {n: np.mean(e) for n, e in held.items()}


def test_a_class_that_is_never_called_has_no_precision():
    result = intervals(calls=np.minimum(CALLED, 1), weight=np.full(80, 2.0))
    assert result["precision c"].note == "nothing is called so"
    assert np.isnan(result["macro_precision"].estimate)
    assert "nothing is predicted positive" in result["macro_precision"].note
    assert result["recall c"].estimate == 0
    assert result["recall c"].upper > 0


def test_bad_input_sampled_matrix():
    with pytest.raises(th.errors.ArgumentError, match="level"):
        intervals(weight=np.ones(80), level=95)


def test_of_calls_that_are_no_classes_rates_alone_have_limits():
    matrix = th.ConfusionMatrix([[8, 2, 3], [1, 9, 0]], classes="ab", others=["ask"])
    result = th.intervals(matrix)
    assert result.recall["a"] == th.rate_interval(8, 13)
    assert result.overall_accuracy == th.rate_interval(17, 23)
    actual, calls = np.nonzero(matrix.counts)
    cases = matrix.counts[actual, calls]
    rows = np.repeat(actual, cases), np.repeat(calls, cases)
    weighted = call_intervals(matrix, *rows, np.ones(23), None)
    assert weighted.precision["b"].estimate == result.precision["b"].estimate == 9 / 11
    for each in (result, weighted):
        assert each.kappa.estimate == matrix.kappa
        assert math.isnan(each.kappa.lower)
        assert "called no class" in each.kappa.note


def test_printed_lines_are_aligned():
    matrix = th.ConfusionMatrix([[70, 20, 10], [20, 830, 10], [0, 10, 30]], classes=["neg", "neutral", "pos"])
    assert str(th.intervals(matrix)).splitlines() == [
        "overall accuracy       0.9300 [0.9125, 0.9442]",
        "recall of neg          0.7000 [0.6042, 0.7811]",
        "recall of neutral      0.9651 [0.9506, 0.9755]",
        "recall of pos          0.7500 [0.5981, 0.8581]",
        "precision of neg       0.7778 [0.6815, 0.8513]",
        "precision of neutral   0.9651 [0.9506, 0.9755]",
        "precision of pos       0.6000 [0.4618, 0.7239]",
        "f1 of neg              0.7368 [0.6609, 0.8009]",
        "f1 of neutral          0.9651 [0.9552, 0.9729]",
        "f1 of pos              0.6667 [0.5470, 0.7681]",
        "macro precision        0.7810 [0.7251, 0.8311]",
        "macro recall           0.8050 [0.7455, 0.8527]",
        "macro f1               0.7895 [0.7380, 0.8343]",
        "weighted precision     0.9318 [0.9137, 0.9459]",
        "weighted f1            0.9304 [0.9127, 0.9445]",
        "mcc                    0.7196 [0.6554, 0.7754]",
        "kappa                  0.7193 [0.6550, 0.7752]",
    ]


def test_intervals_of_classes_can_be_pickled_and_copied():
    labels, models = class_examples.rows(60, 1)
    matrix = th.ConfusionMatrix([[7, 2, 1], [2, 8, 1], [0, 1, 3]], classes="abc")
    for result in (class_examples.areas(labels, models["poor"]), confusion_intervals(matrix)):
        for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):  # noqa: S301
            assert again.intervals() == result.intervals()
