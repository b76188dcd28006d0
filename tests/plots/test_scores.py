"""Scores by class, one by one or between edges, and the largest distance of the classes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests.plots.samples import EMAILS, INFINITE, ONE_CLASS, SPAM_TREE, axes, drawn, legend, rankings, scored
from tests.strategies import two_class_rankings
from thresher.plots import KSDisplay, ScoresDisplay


def test_few_scores_are_drawn_one_by_one():
    display = drawn(ScoresDisplay.from_ranking(EMAILS))
    assert [bar.get_height() for bar in display.positives_] == pytest.approx((EMAILS.pos / 6).tolist())
    assert [bar.get_height() for bar in display.negatives_] == pytest.approx((-EMAILS.neg / 4).tolist())
    assert np.array_equal(display.frame()["score"], EMAILS.score)


@given(two_class_rankings, st.integers(1, 50))
def test_counts_between_edges_are_those_of_numpy(ranking, bins):
    if not np.isfinite(ranking.score).all() or not np.ptp(ranking.score) < 1e300 or np.ptp(ranking.score) < 1e-9:
        return
    frame = ScoresDisplay.from_ranking(ranking, bins=bins).frame()
    edges = np.append(frame["lower"], frame["upper"][-1])
    for side in ("pos", "neg"):
        counts = getattr(ranking, side)
        assert frame[side].sum() == pytest.approx(counts.sum())
        expected, _ = np.histogram(ranking.score, edges, weights=counts)
        assert frame[side] == pytest.approx(expected)


def test_the_threshold_of_a_model_is_drawn():
    labels, scores = scored(1)
    model = th.evaluate(labels, scores, replicates=20)["model 0"]
    display = drawn(ScoresDisplay.from_evaluation(model))
    assert display.threshold_.get_xdata()[0] == model.choice.threshold
    assert display.edges.size == 41
    assert legend(display)[2].startswith("threshold ")


def test_infinite_scores_are_counted_in_the_title():
    display = drawn(ScoresDisplay.from_ranking(INFINITE))
    assert display.beyond == 4
    assert display.ax_.get_title(loc="left") == "Scores by class (4 infinite left out)"


@pytest.mark.parametrize("ranking", ONE_CLASS.values(), ids=ONE_CLASS)
def test_one_class_has_scores_too(ranking):
    drawn(ScoresDisplay.from_ranking(ranking))


def test_an_infinite_threshold_has_no_line():
    choice = th.choose(SPAM_TREE, th.OperatingCondition(cost_ratio=1000))
    assert drawn(ScoresDisplay.from_ranking(SPAM_TREE, choice=choice)).threshold_ is None


def test_all_scores_infinite():
    drawn(ScoresDisplay.from_ranking(th.Ranking([np.inf, -np.inf], pos=[1, 0], neg=[0, 1])))


def test_bins_are_counted_from_one():
    with pytest.raises(th.errors.ArgumentError, match="got 0"):
        ScoresDisplay.from_ranking(next(iter(rankings(1).values())), bins=0)


@pytest.mark.parametrize("bins", [None, 10])
@pytest.mark.parametrize(
    "scores", [[1.7e308, 1e308, 5, -1e308, -1.7e308], [1.7e308], [2e-323, 1e-323, 5e-324, 0], [1.7e308, 1.6e308]]
)
def test_far_and_close_scores_are_drawn(scores, bins):
    ranking = th.Ranking(scores, pos=[2] * len(scores), neg=[1] * len(scores))
    display = ScoresDisplay.from_ranking(ranking, bins=bins).plot(axes())
    display.figure_.canvas.draw()
    assert display.pos.sum() == 2 * len(scores)
    assert display.neg.sum() == len(scores)


@given(two_class_rankings)
def test_the_mark_spans_the_statistic(ranking):
    display = KSDisplay.from_ranking(ranking).plot(axes())
    assert abs(np.diff(display.distance_.get_ydata())) == pytest.approx(th.ks(ranking).statistic)


def test_shares_at_any_threshold_are_read_off_the_steps():
    display = drawn(KSDisplay.from_ranking(EMAILS, name="tree"))
    x, y = display.positives_.get_data()
    for threshold in (0.85, 0.8, 0.5, 0.13):
        held = np.flatnonzero(x >= threshold)[-1]  # the step that began at or above the threshold still holds
        assert y[held] == th.tables.contingency_at(EMAILS, threshold).tpr
    assert legend(display)[2] == "KS 0.500 at 0.28"
    assert display.ax_.get_title(loc="left") == "Classes apart: tree"


def test_infinite_scores_lie_at_the_edge():
    x = drawn(KSDisplay.from_ranking(INFINITE)).positives_.get_xdata()
    assert np.isfinite(x).all()
