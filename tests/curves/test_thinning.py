import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import strategies
from thresher.curves import hull_splits


def distance_to(thin, ranking):
    """Largest distance of any ROC point from the thinned polyline's piece around it, point by point."""
    fpr, tpr, _ = th.roc(ranking)
    worst = 0.0
    for a, b in zip(thin.split[:-1], thin.split[1:], strict=True):
        start, along = np.array([fpr[a], tpr[a]]), np.array([fpr[b] - fpr[a], tpr[b] - tpr[a]])
        for k in range(a, b):
            x, y = fpr[k] - start[0], tpr[k] - start[1]
            worst = max(worst, abs(y * along[0] - x * along[1]) / np.hypot(*along))
    return worst


@given(strategies.two_class_rankings, st.integers(2, 12))
def test_few_points_and_an_honest_deviation(ranking, points):
    thin = th.curves.thin(ranking, points=points)
    assert thin.split.size <= points
    assert thin.split[0] == 0
    assert thin.split[-1] == len(ranking)
    assert (np.diff(thin.split) > 0).all()
    assert thin.deviation == pytest.approx(distance_to(thin, ranking), abs=1e-12)
    if thin.keeps_hull:
        assert set(hull_splits(ranking, pool="ties").tolist()) <= set(thin.split.tolist())


def test_a_large_curve_thins_to_a_quarter_pixel_and_keeps_the_hull():
    rng = np.random.default_rng(1)
    labels = rng.random(200_000) < 0.3
    ranking = th.rank(labels, rng.normal(size=labels.size) + labels)
    thin = th.curves.thin(ranking, points=2000)
    assert thin.keeps_hull
    assert thin.split.size == 2000
    assert thin.deviation < 0.001
    evenly = np.unique(np.linspace(0, len(ranking), 2000).astype(int))
    assert thin.deviation < distance_to(type(thin)(evenly, 0.0, keeps_hull=False), ranking)


def test_short_curves_keep_every_split():
    ranking = th.Ranking.parse("[1+][1-][1+][1-]")
    thin = th.curves.thin(ranking, points=10)
    assert thin.split.tolist() == [0, 1, 2, 3, 4]
    assert thin.deviation == 0


def test_at_least_the_two_ends():
    with pytest.raises(th.errors.ArgumentError, match="points"):
        th.curves.thin(th.Ranking.parse("[1+][1-]"), points=1)
