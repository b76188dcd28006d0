"""Reliability diagrams: the library's tables, steps for pools, points for bins."""

import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.plots.samples import EMAILS, SPAM_TREE, drawn, legend, probability_rankings, rankings
from thresher.inference.bands.curves import POINTWISE
from thresher.plots import ReliabilityDisplay
from thresher.plots.reliability import flat


@pytest.mark.parametrize("bins", ["exact", "quantile", "uniform"])
def test_points_are_the_library_s(bins):
    ranking = rankings(1)["model 0"]
    display = drawn(ReliabilityDisplay.from_ranking(ranking, bins=bins, count=7))
    table = th.reliability(ranking, bins=bins, count=7)
    line = display.lines_["model"]
    assert np.array_equal(line.get_xydata(), np.column_stack([table.score[::-1], table.observed[::-1]]))
    assert np.array_equal(display.frame()["pos"], table.pos)


@given(probability_rankings)
def test_steps_of_the_hull_rise_and_give_each_score_its_pool_s_proportion(ranking):
    x, y = flat(th.reliability(ranking, bins="hull"))
    assert (np.diff(x) >= 0).all()
    assert (np.diff(y) >= 0).all()
    isotonic = th.calibration_map(ranking)
    assert y == pytest.approx(isotonic(x))


@pytest.mark.parametrize("kind", ["confidence", "consistency"])
def test_bands_name_their_kind(kind):
    band = th.inference.reliability_band(SPAM_TREE, kind, replicates=100, level=0.9)
    display = drawn(ReliabilityDisplay.from_ranking(SPAM_TREE, bands=band))
    observed, words = legend(display)
    assert (observed, " ".join(words.split())) == ("observed", f"90% {kind} band, {POINTWISE}")
    together = th.inference.reliability_band(SPAM_TREE, kind, replicates=100, simultaneous=True)
    display = drawn(ReliabilityDisplay.from_ranking(SPAM_TREE, bands=together))
    assert legend(display)[1].split("\n") == [f"95% {kind} band,", "simultaneous"]
    assert set(display.bands_["model"].get_paths()[0].vertices[:, 0]) == set(band.x)


def test_counts_lie_in_the_corner():
    display = drawn(ReliabilityDisplay.from_ranking(EMAILS))
    (polygon,) = display.counts_.patches
    assert polygon.get_xy()[:, 1].max() == 2  # .74 and .71
    assert drawn(ReliabilityDisplay.from_ranking(EMAILS), counts=False).counts_ is None


def test_the_title_says_how_runs_are_formed():
    title = drawn(ReliabilityDisplay.from_ranking(EMAILS, bins="uniform", count=4)).ax_.get_title(loc="left")
    assert title == "Reliability, uniform bins"


def test_several_models_of_an_evaluation():
    from tests.plots.samples import scored

    labels, scores = scored(2, rows=100)
    result = th.evaluate(labels, scores, replicates=20)
    display = drawn(ReliabilityDisplay.from_evaluation(result, bins="quantile", count=5))
    assert list(display.tables) == list(result.models)


def test_conditions_are_refused():
    with pytest.raises(th.errors.ArgumentError, match="no conditions"):
        ReliabilityDisplay.from_ranking(EMAILS, conditions=th.OperatingCondition())


def test_classes_are_drawn_each_against_the_rest():
    from tests.golden.vectors import THREE

    display = drawn(ReliabilityDisplay.from_segments(THREE))
    assert list(display.tables) == ["a", "b", "c"]
    assert display.tables["b"].to_dict() == th.reliability(THREE, bins="hull")["b"].to_dict()
    top = drawn(ReliabilityDisplay.from_segments(THREE, of="top", bins="exact"))
    assert top.tables["top label"].to_dict() == th.reliability(THREE, of="top").to_dict()
    with pytest.raises(th.ThresherError, match="segments are needed"):
        ReliabilityDisplay.from_segments(SPAM_TREE)  # type: ignore[arg-type]
