"""Precision and recall: hyperbolic between splits, the baseline always there."""

import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.plots.samples import EMAILS, SPAM_TREE, drawn, legend, rankings
from tests.strategies import two_class_rankings
from thresher.plots import PrecisionRecallDisplay, PRGainDisplay
from thresher.plots.precision_recall import hyperbolic


@given(two_class_rankings)
def test_every_split_is_on_the_line_and_between_them_the_library_s_hyperbola(ranking):
    recall, precision = hyperbolic(ranking)
    assert (np.diff(recall) >= 0).all()
    drawn_points = set(zip(recall.tolist(), precision.tolist(), strict=True))
    expected = zip(*(column.tolist()[1:] for column in th.precision_recall(ranking)[:2]), strict=True)
    assert set(expected) <= drawn_points
    steps = np.flatnonzero(np.diff(recall) > 0) + 1  # where several share a recall, the first is the most precise
    assert precision[steps] == pytest.approx(th.curves.precision_at(ranking, recall[steps]), rel=1e-9)


def test_the_known_hyperbola():
    ranking = th.Ranking.parse("[5+,5-][5+,25-][10+,70-]")
    recall, precision = hyperbolic(ranking)
    at = [np.flatnonzero(np.isclose(recall, wanted))[0] for wanted in (0.25, 0.3, 0.35, 0.4, 0.45, 0.5)]
    assert precision[at].round(4).tolist() == [0.5, 0.375, 0.3182, 0.2857, 0.2647, 0.25]


def test_models_share_one_baseline():
    same = rankings(3)
    first = next(iter(same.values()))
    rounded = first.at_class_ratio(first.class_ratio * (1 + 1e-15))
    assert rounded.prevalence != first.prevalence
    display = drawn(PrecisionRecallDisplay.from_ranking(same | {"rounded": rounded}))
    (prevalence,) = display.baselines_
    assert f"prevalence {prevalence}" in legend(display)


def test_splits_are_marked_where_there_are_few():
    display = drawn(PrecisionRecallDisplay.from_ranking(EMAILS))
    recall, precision, _ = th.precision_recall(EMAILS)
    assert np.array_equal(display.marks_["model"].get_xydata(), np.column_stack([recall, precision]), equal_nan=True)
    assert legend(display)[0] == f"AP {th.average_precision(EMAILS):.3f}"


def test_bands_are_drawn():
    band = th.inference.precision_recall_band(SPAM_TREE)
    assert "model" in drawn(PrecisionRecallDisplay.from_ranking(SPAM_TREE, bands=band)).bands_


def test_undefined_precision_stays_undefined():
    assert np.isnan(PrecisionRecallDisplay.from_ranking(EMAILS).frame()["precision"][0])


def test_gains_are_the_library_s():
    models = rankings(2)
    display = drawn(PRGainDisplay.from_ranking(models))
    for name, ranking in models.items():
        curve = th.curves.pr_gain(ranking)
        expected = np.column_stack([curve.recall_gain, curve.precision_gain])
        assert np.array_equal(display.lines_[name].get_xydata(), expected)
        assert f"{name} (area {curve.area:.3f})" in legend(display)
    assert display.frame()["recall_gain"].size == sum(line.get_xdata().size for line in display.lines_.values())
