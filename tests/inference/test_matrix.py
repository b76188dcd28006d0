import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
import thresher.inference as ti
from thresher.errors import ArgumentError

matrices = st.integers(2, 4).flatmap(
    lambda k: (
        st.lists(st.lists(st.integers(0, 20), min_size=k, max_size=k), min_size=k, max_size=k)
        .filter(lambda counts: any(map(any, counts)))
        .map(lambda counts: th.ConfusionMatrix(counts, classes=list(range(k))))
    )
)
MACRO = ["precision", "recall", "f1"]


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
    for name in MACRO:
        interval, value = getattr(found, f"macro_{name}"), matrix.average("macro", name)
        if math.isnan(value):
            assert interval.note
        else:
            assert 0 <= interval.lower <= interval.estimate == value <= interval.upper <= 1
            assert interval.width > 0


def test_macro_recall_is_a_mean_of_independent_rates():
    matrix = th.ConfusionMatrix([[70, 20, 10], [20, 830, 10], [0, 10, 30]], classes=[1, 2, 3])
    expected = (0.7 * 0.3 / 100 + (83 / 86) * (3 / 86) / 860 + 0.75 * 0.25 / 40) / 9
    assert ti.confusion_intervals(matrix).macro_recall.variance == pytest.approx(expected)


def test_variances_are_what_simulation_finds():
    share = np.array([[0.3, 0.05, 0.05], [0.1, 0.2, 0.05], [0.02, 0.03, 0.2]])
    drawn = np.random.default_rng(3).multinomial(800, share.ravel(), size=4000).reshape(-1, 3, 3)
    found = ti.confusion_intervals(th.ConfusionMatrix((share * 800).round().astype(int), classes="abc"))
    for name in MACRO:
        values = [th.ConfusionMatrix(counts, classes="abc").average("macro", name) for counts in drawn]
        assert getattr(found, f"macro_{name}").variance == pytest.approx(np.var(values), rel=0.08), name


def test_two_classes_agree_with_the_table():
    matrix = th.ConfusionMatrix([[30, 20], [10, 40]], classes=["spam", "ham"])
    found = ti.confusion_intervals(matrix)
    of_table = ti.measure_interval(th.Contingency(tp=30, fn=20, fp=10, tn=40), "average_recall")
    assert found.macro_recall.variance == pytest.approx(of_table.variance, rel=1e-6)
    assert found.macro_recall.lower == pytest.approx(of_table.lower, rel=1e-6)


def test_bad_input():
    with pytest.raises(ArgumentError, match="level"):
        ti.confusion_intervals(th.ConfusionMatrix([[1, 0], [0, 1]], classes="ab"), level=5)
    with pytest.raises(ArgumentError, match="no cases"):
        ti.confusion_intervals(th.ConfusionMatrix([[0, 0], [0, 0]], classes="ab"))
