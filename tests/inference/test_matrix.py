import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
import thresher.inference as ti
from thresher.errors import ArgumentError
from thresher.inference.matrix_slopes import WHOLE_MEASURES

matrices = st.integers(2, 4).flatmap(
    lambda k: (
        st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=k, max_size=k)
        .filter(lambda counts: any(map(any, counts)))
        .map(lambda counts: th.ConfusionMatrix(counts, classes=list(range(k))))
    )
)


@given(matrices)
def test_rates_are_rates_and_everything_lies_between_its_limits(matrix):
    found = ti.confusion_intervals(matrix)
    right, total = int(np.trace(matrix.counts)), int(matrix.total)
    assert found.overall_accuracy == ti.rate_interval(right, total)
    for i, name in enumerate(matrix.classes):
        for interval, cases in ((found.recall[name], matrix.actual[i]), (found.precision[name], matrix.predicted[i])):
            if cases:
                assert interval == ti.rate_interval(float(matrix.counts[i, i]), float(cases))
            else:
                assert math.isnan(interval.estimate)
                assert interval.note
        table = matrix.one_vs_rest(name)
        if math.isnan(table.f1):
            assert found.f1[name].note
        else:
            assert found.f1[name] == ti.measure_interval(table, "f1")
    for name, known in WHOLE_MEASURES.items():
        interval, value = getattr(found, name), known.value(matrix)
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
    assert ti.confusion_intervals(matrix).macro_recall.variance == pytest.approx(expected)


def test_variances_are_what_simulation_finds():
    share = np.array([[0.3, 0.05, 0.05], [0.1, 0.2, 0.05], [0.02, 0.03, 0.2]])
    drawn = np.random.default_rng(3).multinomial(800, share.ravel(), size=4000).reshape(-1, 3, 3)
    found = ti.confusion_intervals(th.ConfusionMatrix((share * 800).round().astype(int), classes="abc"))
    again = [ti.confusion_intervals(th.ConfusionMatrix(counts, classes="abc")) for counts in drawn[:300]]
    for name, known in WHOLE_MEASURES.items():
        values = [known.value(th.ConfusionMatrix(counts, classes="abc")) for counts in drawn]
        assert getattr(found, name).variance == pytest.approx(np.var(values), rel=0.08), name
        truth = known.value(th.ConfusionMatrix(share, classes="abc"))
        assert 0.91 <= np.mean([truth in getattr(each, name) for each in again]) <= 0.985, name


def test_two_classes_agree_with_the_table():
    matrix = th.ConfusionMatrix([[30, 20], [10, 40]], classes=["spam", "ham"])
    found = ti.confusion_intervals(matrix)
    of_table = ti.measure_interval(th.Contingency(tp=30, fn=20, fp=10, tn=40), "average_recall")
    assert found.macro_recall.variance == pytest.approx(of_table.variance, rel=1e-6)
    assert found.macro_recall.lower == pytest.approx(of_table.lower, rel=1e-6)
    for name in ("mcc", "kappa"):
        whole, of_table = getattr(found, name), ti.measure_interval(th.Contingency(tp=30, fn=20, fp=10, tn=40), name)
        limits = of_table.estimate, of_table.lower, of_table.upper
        assert (whole.estimate, whole.lower, whole.upper) == pytest.approx(limits, rel=1e-6)


def test_what_is_perfect_or_hopeless_has_width_and_what_is_undefined_says_why():
    perfect = ti.confusion_intervals(th.ConfusionMatrix([[9, 0, 0], [0, 8, 0], [0, 0, 7]], classes="abc"))
    for name in WHOLE_MEASURES:
        interval = getattr(perfect, name)
        assert interval.estimate == interval.upper == 1
        assert 0 < interval.lower < 0.99
        assert interval.note == "half a case added to every cell"
    turned = ti.confusion_intervals(th.ConfusionMatrix([[0, 9], [9, 0]], classes="ab"))
    assert (turned.mcc.estimate, turned.mcc.lower) == (-1, -1)
    assert -1 < turned.mcc.upper < -0.3
    lazy = ti.confusion_intervals(th.ConfusionMatrix([[95, 0], [5, 0]], classes=["ham", "spam"]))
    assert math.isnan(lazy.mcc.estimate)
    assert lazy.mcc.note == th.ConfusionMatrix([[95, 0], [5, 0]], classes="ab").describe("mcc").partition(": ")[2]
    assert lazy.mcc.note
    assert lazy.kappa.estimate == 0
    assert lazy.kappa.width > 0


def test_bad_input():
    with pytest.raises(ArgumentError, match="level"):
        ti.confusion_intervals(th.ConfusionMatrix([[1, 0], [0, 1]], classes="ab"), level=5)
    with pytest.raises(ArgumentError, match="no cases"):
        ti.confusion_intervals(th.ConfusionMatrix([[0, 0], [0, 0]], classes="ab"))


def test_weights_without_errors_are_perfect_however_they_round():
    rng, rounded = np.random.default_rng(0), 0
    for _ in range(200):
        matrix = th.ConfusionMatrix(np.diag(rng.random(3) * 30), classes="abc")
        found = ti.confusion_intervals(matrix)
        for name, known in WHOLE_MEASURES.items():
            rounded += known.value(matrix) != 1
            assert getattr(found, name).estimate == 1
            assert getattr(found, name).note == "half a case added to every cell"
    assert rounded
