"""Learning and feature curves, of anything that offers sizes and bands; scree plots."""

from types import SimpleNamespace

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import band, drawn, legend
from thresher.plots import FeatureCurveDisplay, LearningCurveDisplay, ScreeDisplay

ASYMPTOTE = th.Interval(0.85, 0.8, 0.9, variance=0.001, level=0.95, method="fit")


def learning(asymptote=ASYMPTOTE, measure="auc"):
    return SimpleNamespace(
        sizes=np.array([50, 100, 200]),
        apparent=band([0.95, 0.92, 0.9]),
        validation=band([0.7, 0.75, 0.8]),
        asymptote=asymptote,
        measure=measure,
    )


def test_a_learning_curve_shows_both_sides_and_where_it_leads():
    curve = learning()
    display = drawn(LearningCurveDisplay.from_curve(curve))
    for key in ("apparent", "validation"):
        line, expected = display.lines_[key], getattr(curve, key)
        assert np.array_equal(line.get_xydata(), np.column_stack([curve.sizes, expected.estimate]))
        heights = display.bands_[key].get_paths()[0].vertices[:, 1]
        assert (heights.min(), heights.max()) == (expected.lower.min(), expected.upper.max())
    assert display.asymptote_.get_ydata()[0] == 0.85
    assert legend(display) == ["on the rows learnt from", "on other rows", "with ever more: 0.850"]


def test_without_an_asymptote():
    assert drawn(LearningCurveDisplay.from_curve(learning(asymptote=None))).asymptote_ is None


def test_a_measure_is_taken_literally():
    ax = drawn(LearningCurveDisplay.from_curve(learning(measure="$\\frac{$"))).ax_
    assert ax.get_ylabel() == "$\\frac{$"


def test_several_curves_differ_in_name_dash_and_colour():
    true = SimpleNamespace(sizes=np.array([50, 100]), estimate=np.array([0.72, 0.78]), measure="auc")
    curves = {"tree": learning(), "logit": learning(), "true": true}
    display = drawn(LearningCurveDisplay.from_curve(curves, bayes=th.Interval(0.9, 0.9, 0.9, 0, 0.95, "exact")))
    lines = [display.lines_[name] for name in curves]
    assert len({(line.get_color(), str(line._dash_pattern)) for line in lines}) == 3
    assert display.lines_["tree, on the rows learnt from"].get_color() == lines[0].get_color()
    assert legend(display) == [
        "tree, on the rows learnt from",
        "tree",
        "logit, on the rows learnt from",
        "logit",
        "true",
        "Bayes: 0.900",
    ]
    frame = display.frame()
    assert frame["curve"].tolist() == ["tree"] * 3 + ["logit"] * 3 + ["true"] * 2
    assert np.isnan(frame["apparent"][6:]).all()
    assert frame["validation"][6:].tolist() == [0.72, 0.78]
    assert display.bayes_.get_ydata()[0] == 0.9


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ({}, "no curves"),
        ({"a": 3}, "'a' is a int and no curve"),
        ({"a": learning(), "b": learning(measure="f1")}, "different measures: auc, f1"),
    ],
)
def test_what_is_no_curve_is_refused(curves, message):
    with pytest.raises(th.errors.ArgumentError, match=message):
        LearningCurveDisplay.from_curve(curves)


def features(sizes=(1, 2, 3), parameter="features"):
    return SimpleNamespace(
        sizes=np.array(sizes),
        apparent=band([0.8, 0.9, 1]),
        validation=band([0.7, 0.8, 0.7]),
        best=sizes[1],
        measure="accuracy",
        parameter=parameter,
    )


@pytest.mark.parametrize(
    ("parameter", "label"), [("features", "number of features"), ("max_depth", "max_depth"), ("$\\frac{$", "$\\frac{$")]
)
def test_a_feature_curve_names_what_its_sizes_are(parameter, label):
    display = drawn(FeatureCurveDisplay.from_curve(features(parameter=parameter)))
    assert display.ax_.get_xlabel() == label


@pytest.mark.parametrize("sizes", [np.array([1, 2, 3]), np.array([0.01, 0.1, 1.0])])
def test_a_feature_curve_marks_the_best_size(sizes):
    display = drawn(FeatureCurveDisplay.from_curve(features(sizes)), xlabel="depth")
    assert display.best_.get_xdata()[0] == sizes[1]
    assert display.ax_.get_xlabel() == "depth"
    assert display.frame()["validation_lower"] == pytest.approx([0.65, 0.75, 0.65])
    assert legend(display)[-1] == f"best: {sizes[1]:g}"


def test_a_feature_curve_names_what_it_varies():
    curve = SimpleNamespace(**vars(learning()), best=100, parameter="features")
    assert drawn(FeatureCurveDisplay.from_curve(curve)).ax_.get_xlabel() == "number of features"


def test_bars_are_the_ratios_and_the_line_their_sum():
    display = drawn(ScreeDisplay.from_ratios([0.5, 0.3, 0.2]), components=2)
    assert [bar.get_height() for bar in display.bars_] == [0.5, 0.3, 0.2]
    assert display.cumulative_.get_ydata() == pytest.approx([0.5, 0.8, 1.0])
    assert display.mark_.get_xdata()[0] == 2.5
    assert display.frame()["component"].tolist() == [1, 2, 3]


def test_without_components_nothing_is_marked():
    assert drawn(ScreeDisplay.from_ratios(np.array([1.0]))).mark_ is None


@pytest.mark.parametrize("ratios", [[], [[0.5]], [0.7, 0.7], [-0.1, 0.5], [np.nan]])
def test_ratios_are_shares(ratios):
    with pytest.raises(th.errors.ArgumentError, match="shares"):
        ScreeDisplay.from_ratios(ratios)
