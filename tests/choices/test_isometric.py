import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th

STRAIGHT = sorted(set(th.MEASURES) - {"mcc", "dor", "g_mean", "markedness", "prevalence", "class_ratio"})
CURVED = ["mcc", "dor", "g_mean", "markedness"]
totals = st.integers(1, 200)


def table_on(line, Pos, Neg):
    fp, tp = np.clip(line.x, 0, Neg), np.clip(line.y, 0, Pos)
    return th.Contingency(tp=tp, fn=Pos - tp, fp=fp, tn=Neg - fp)


@pytest.mark.parametrize("name", [*STRAIGHT, *CURVED, "f2", "f0.5"])
@given(Pos=totals, Neg=totals, tp=st.floats(0.05, 0.95), fp=st.floats(0.05, 0.95))
def test_every_point_of_an_isometric_has_the_value_and_it_passes_where_it_was_taken(name, Pos, Neg, tp, fp):
    through = th.Contingency(tp=tp * Pos, fn=Pos - tp * Pos, fp=fp * Neg, tn=Neg - fp * Neg)
    value = th.tables.measure(name).of(through)
    line = th.isometric(name, value, Pos=Pos, Neg=Neg)
    values = np.asarray(th.tables.measure(name).of(table_on(line, Pos, Neg)))
    defined = ~np.isnan(values) & ~np.isinf(values)
    inner = defined & (line.x > 1e-6 * Neg) & (line.x < Neg * (1 - 1e-6))
    np.testing.assert_allclose(values[inner], value, rtol=1e-5, atol=1e-6)
    near = np.hypot((line.x - fp * Neg) / Neg, (line.y - tp * Pos) / Pos).min()
    assert near < 0.05


def test_slopes_name_their_plane():
    assert th.isometric("accuracy", 0.7, Pos=75, Neg=25).slope == 1
    assert th.isometric("accuracy", 0.7, plane="roc", Pos=75, Neg=25).slope == pytest.approx(1 / 3)
    assert th.isometric("average_recall", 0.7, plane="roc", Pos=75, Neg=25).slope == pytest.approx(1)
    assert th.isometric("fpr", 0.2, Pos=75, Neg=25).slope == math.inf
    assert th.isometric("recall", 0.2, Pos=75, Neg=25).slope == 0


def test_cost_isometric_has_the_slope_of_the_condition():
    tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    condition = th.OperatingCondition(class_ratio=2, cost_ratio=3)
    line = th.isometric(condition, 0.4, plane="roc", Pos=tree.Pos, Neg=tree.Neg)
    assert line.slope == pytest.approx(condition.slope_roc)
    coverage = th.isometric(condition, 0.4, Pos=tree.Pos, Neg=tree.Neg)
    np.testing.assert_allclose(condition.expected_cost(table_on(coverage, tree.Pos, tree.Neg)), 0.4)
    assert coverage.measure == "expected cost"


def test_pr_plane_shows_recall_and_precision():
    flat = th.isometric("precision", 0.6, plane="pr", Pos=30, Neg=70)
    np.testing.assert_allclose(flat.y, 0.6)
    f1 = th.isometric("f1", 0.5, plane="pr", Pos=30, Neg=70)
    np.testing.assert_allclose(2 * f1.x * f1.y / (f1.x + f1.y), 0.5)
    assert f1.slope is None


@pytest.mark.parametrize("name", ["accuracy", "mcc", "f1", "precision", "tpr", "fpr"])
def test_a_value_that_no_table_has_is_refused(name):
    with pytest.raises(th.errors.ArgumentError, match="no table"):
        th.isometric(name, 1.5, Pos=50, Neg=50)


def test_bad_arguments():
    with pytest.raises(th.errors.ArgumentError, match="plane"):
        th.isometric("accuracy", 0.5, plane="space", Pos=1, Neg=1)  # type: ignore[arg-type]
    with pytest.raises(th.errors.ArgumentError, match="Pos and Neg"):
        th.isometric("accuracy", 0.5, Pos=0, Neg=1)
    with pytest.raises(th.errors.ArgumentError, match="points"):
        th.isometric("accuracy", 0.5, Pos=1, Neg=1, points=1)
    with pytest.raises(th.errors.MeasureError, match="does not depend"):
        th.isometric("prevalence", 0.5, Pos=1, Neg=1)


@pytest.mark.parametrize(("name", "value"), [("mcc", 1), ("g_mean", 1), ("markedness", 1)])
def test_the_best_value_is_reached_in_the_perfect_corner(name, value):
    curve = th.isometric(name, value, Pos=50, Neg=40)
    assert any(np.isclose(curve.x, 0) & np.isclose(curve.y, 50))


def test_numbers_that_are_none_are_refused():
    with pytest.raises(th.errors.ArgumentError, match="finite"):
        th.isometric("lr_plus", math.inf, Pos=50, Neg=50)
    with pytest.raises(th.errors.ArgumentError, match="Pos and Neg"):
        th.isometric("accuracy", 0.5, Pos=math.inf, Neg=50)
    with pytest.raises(th.errors.ArgumentError, match="no table"):
        th.isometric("recall", 0, plane="pr", Pos=50, Neg=50)


@pytest.mark.parametrize("name", ["markedness", "dor", "mcc", "g_mean"])
def test_few_points_of_a_curve_are_points_of_it(name):
    table = th.Contingency.of(tpr=0.6, fpr=0.2, Pos=25, Neg=75)
    line = th.isometric(name, getattr(table, name), plane="roc", Pos=25, Neg=75, points=2)
    for fpr, tpr in zip(line.x, line.y, strict=True):
        assert getattr(th.Contingency.of(tpr=tpr, fpr=fpr, Pos=25, Neg=75), name) == pytest.approx(getattr(table, name))
