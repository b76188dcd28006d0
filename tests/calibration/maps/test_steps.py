import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.calibration import oracles
from tests.strategies import two_class_rankings
from thresher.calibration.maps.steps import Steps, steps_over
from thresher.curves import hull_splits
from thresher.errors import ScoreError
from thresher.ranking import Ranking


@given(two_class_rankings)
def test_each_segment_gets_the_proportion_of_its_pool(ranking):
    curve, after, _ = steps_over(ranking, hull_splits(ranking), smoothing=None, interpolate=False)
    assert curve(ranking.score) == pytest.approx(oracles.pooled_probability(ranking))
    assert after.total == ranking.total
    assert (np.diff(curve.score) > 0).all()
    assert (np.diff(curve.probability) > 0).all(), "a knot that says nothing new is left out"


@given(two_class_rankings, st.floats(-2, 16))
def test_steps_lie_at_the_thresholds_of_the_splits_and_the_ends_extend(ranking, score):
    curve, _, _ = steps_over(ranking, hull_splits(ranking), smoothing=None, interpolate=False)
    of_segments = oracles.pooled_probability(ranking)
    split = next(k for k, threshold in enumerate(ranking.thresholds()[1:].tolist()) if score >= threshold)
    assert curve(np.array([score])) == pytest.approx([of_segments[split]])


def test_ramps_run_straight_between_the_ends_of_pools():
    ranking = Ranking([0.9, 0.7, 0.5, 0.1], [2, 1, 1, 0], [0, 2, 0, 3])
    curve, _, _ = steps_over(ranking, np.array([0, 1, 3, 4]), smoothing=None, interpolate=True)
    assert curve.score.tolist() == [0.1, 0.5, 0.7, 0.9]
    assert curve(np.array([0.3, 0.6, 0.8])) == pytest.approx([(0 + 0.5) / 2, 0.5, (0.5 + 1) / 2])
    assert curve(np.array([-np.inf, 0, 1, np.inf])).tolist() == [0, 0, 1, 1]


def test_ramps_keep_within_their_ends_however_far_or_near_these_are():
    for low, high in ((-1.7e308, 1.7e308), (0.0, 2e-323), (1.0, np.nextafter(1.0, 2))):
        curve = Steps(np.array([low, high]), np.array([0.25, 0.75]), interpolate=True)
        inside = np.linspace(0, 1, 9) * high + np.linspace(1, 0, 9) * low
        mapped = curve(inside)
        assert (np.diff(mapped) >= 0).all()
        assert (mapped[0], mapped[-1]) == (0.25, 0.75)


def test_ranges_of_scores_are_plateaus():
    ranking = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[6, 0, 2, 0], neg=[0, 2, 0, 6])
    for interpolate, expected in ((False, [0.25, 0.25, 0.75, 0.75]), (True, [0.25, 0.25, 0.625, 0.75])):
        curve, _, _ = steps_over(ranking, np.arange(3), smoothing=None, interpolate=interpolate)
        assert curve(np.array([0.2, 0.4, 0.55, 0.7])) == pytest.approx(expected)


def test_interpolation_keeps_both_ends_of_a_plateau():
    ranking = Ranking([5, 4, 3, 2, 1], [1, 1, 1, 1, 0], [0, 0, 0, 0, 1])
    curve, _, _ = steps_over(ranking, np.arange(6), smoothing=None, interpolate=True)
    assert curve.score.tolist() == [1, 2, 5]
    assert curve.probability.tolist() == [0, 1, 1]
    ranking = Ranking([4, 3, 2, 1], [1, 1, 1, 0], [0, 1, 1, 1])
    curve, _, _ = steps_over(ranking, np.arange(5), smoothing=None, interpolate=True)
    assert curve(np.array([1, 2, 2.5, 3, 3.5, 4])).tolist() == [0, 0.5, 0.5, 0.5, 0.75, 1]


def test_infinite_scores_have_steps_but_no_lines():
    ranking = Ranking([np.inf, 0, -np.inf], [2, 1, 0], [0, 1, 2])
    curve, _, _ = steps_over(ranking, np.arange(4), smoothing=None, interpolate=False)
    assert curve(np.array([np.inf, 1e308, 0, -1e308, -np.inf])).tolist() == [1, 0.5, 0.5, 0, 0]
    assert Steps.from_dict(curve.to_dict()) == curve
    with pytest.raises(ScoreError, match="straight line"):
        steps_over(ranking, np.arange(4), smoothing=None, interpolate=True)


def test_equality_needs_the_same_knots():
    knots = np.array([1.0, 2.0]), np.array([0.1, 0.2])
    assert Steps(*knots) == Steps(knots[0].copy(), knots[1].copy())
    assert hash(Steps(*knots)) == hash(Steps(knots[0].copy(), knots[1].copy()))
    assert Steps(*knots) != Steps(*knots, interpolate=True)
    assert Steps(*knots) != Steps(knots[0], knots[1] / 2)
    assert Steps(*knots) != "steps"


def test_ramps_span_all_floats():
    far = 1.7e308
    curve, _, _ = steps_over(
        Ranking([far, -far], pos=[1, 0], neg=[0, 1]), np.array([0, 1, 2]), smoothing=None, interpolate=True
    )
    assert curve(np.array([-far, 0.0, far])).tolist() == [0.0, 0.5, 1.0]
