import numpy as np
import pytest
from hypothesis import given
from scipy.stats import norm

import thresher as th
from tests import strategies
from tests.inference.resampling_oracles import calibrated, draws, example, ranking_of_draw
from thresher.inference.bands import net_benefit_band, precision_recall_band, roc_band
from thresher.inference.rows import Rows

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])


def tpr_at(ranking, fpr):
    return [th.point_at(ranking, fpr=x).table.tpr for x in fpr]


@given(strategies.two_class_rankings)
def test_the_estimate_is_the_curve(ranking):
    grid = np.linspace(0, 1, 7)
    band = roc_band(ranking, fpr=grid, replicates=3)
    assert band.estimate == pytest.approx(np.array(tpr_at(ranking, grid)), abs=1e-12)
    recall = grid[1:]
    band = precision_recall_band(ranking, recall=recall, replicates=40)
    assert band.estimate == pytest.approx(th.precision_at(ranking, recall), abs=1e-12)


def test_limits_are_quantiles_of_curves_drawn_row_by_row():
    labels, scores = example(120, 1, ties=True)
    ranking = th.rank(labels, scores)
    grid = np.array([0.1, 0.35, 0.7])
    drawn = [ranking_of_draw(ranking, times) for times in draws(ranking, replicates=60)]
    low, high = np.quantile([tpr_at(each, grid) for each in drawn], [0.05, 0.95], axis=0)
    band = roc_band(ranking, fpr=grid, replicates=60, level=0.9)
    assert (band.lower <= low + 1e-12).all()
    assert (band.upper >= high - 1e-12).all()
    assert band.lower[1] == pytest.approx(low[1], abs=0.02)
    drawn = [ranking_of_draw(ranking, times) for times in draws(ranking, replicates=60, stratified=False)]
    low, high = np.quantile([th.precision_at(each, grid) for each in drawn], [0.05, 0.95], axis=0)
    band = precision_recall_band(ranking, recall=grid, replicates=60, level=0.9)
    assert band.lower == pytest.approx(low)
    assert band.upper == pytest.approx(high)


def test_net_benefit():
    at = np.array([0.2, 0.5, 0.7])
    band = net_benefit_band(TREE, threshold=at, replicates=40, level=0.9)
    assert band.estimate == pytest.approx(th.net_benefit(TREE, threshold=at).model)
    drawn = [ranking_of_draw(TREE, times) for times in draws(TREE, replicates=40, stratified=False)]
    low, high = np.quantile([th.net_benefit(each, threshold=at).model for each in drawn], [0.05, 0.95], axis=0)
    assert band.lower == pytest.approx(low)
    assert band.upper == pytest.approx(high)
    assert net_benefit_band(calibrated(50, 2), replicates=3).x.size == 99


@pytest.mark.parametrize("simultaneous", [False, True])
@pytest.mark.parametrize("ranking", [TREE, th.Ranking.parse("[9+][9-]"), th.Ranking.parse("[1+,1-]")])
def test_limits_rise_stay_in_range_and_have_width(ranking, simultaneous):
    band = roc_band(ranking, simultaneous=simultaneous, replicates=100)
    for limit in (band.lower, band.upper):
        assert (np.diff(limit) >= 0).all()
        assert ((limit >= 0) & (limit <= 1)).all()
    assert (band.upper > band.lower).all()
    assert ((band.lower <= band.estimate + 1e-12) & (band.estimate <= band.upper + 1e-12)).all()
    assert (band.simultaneous, band.level, band.x.size) == (simultaneous, 0.95, 101)


def test_a_simultaneous_band_is_wider_and_holds_the_whole_curve():
    grid = np.linspace(0.05, 0.95, 19)
    truth = norm.sf(norm.isf(grid) - 1)
    held = {True: 0, False: 0}
    for seed in range(40):
        labels, scores = example(300, 200 + seed)
        for simultaneous in held:
            band = roc_band(
                th.rank(labels, scores), fpr=grid, simultaneous=simultaneous, replicates=150, level=0.9, seed=seed
            )
            held[simultaneous] += bool(((band.lower <= truth) & (truth <= band.upper)).all())
    assert held[True] >= 32  # 36 expected
    assert held[False] < held[True]


def test_models_are_named():
    labels, scores = example(60, 3)
    rows = Rows.of(labels, {"a": scores, "b": -scores})
    assert roc_band(rows, model="b", fpr=[0.5], replicates=5).estimate[0] < 0.5
    with pytest.raises(th.ArgumentError, match="several models"):
        roc_band(rows)
    with pytest.raises(th.ArgumentError, match="there is no model 'c'"):
        roc_band(rows, model="c")


def test_the_same_seed_gives_the_same_band():
    one, two = (roc_band(TREE, replicates=80, threads=threads, simultaneous=True) for threads in (1, 3))
    assert np.array_equal(one.upper, two.upper)
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: roc_band(TREE, level=1.5),
        lambda: roc_band(TREE, replicates=0),
        lambda: roc_band(TREE, fpr=[0.5, 0.2]),
        lambda: roc_band(TREE, fpr=[1.2]),
        lambda: roc_band(th.Ranking.parse("[3+]")),
        lambda: precision_recall_band(TREE, recall=[0, 1]),
        lambda: net_benefit_band(th.Ranking.parse("[3+][2-]")),
        lambda: net_benefit_band(TREE, threshold=[1.0]),
        lambda: precision_recall_band(th.Ranking.parse("[1+,1-]"), replicates=1, seed=0),
    ],
)
def test_bad_input(ask):
    with pytest.raises(th.ThresherError):
        ask()


def test_the_lower_limit_starts_at_0():
    assert roc_band(th.Ranking.parse("[20+][20-]"), replicates=20).lower[0] == 0


def test_curves_that_all_agree_are_no_certainty():
    band = precision_recall_band(th.Ranking.parse("[20+][20-]"), recall=[0.5, 1], replicates=30)
    assert band.lower == pytest.approx([th.rate_interval(n, n).lower for n in (10, 20)])
    assert (band.upper == 1).all()
    most = th.rate_interval(0, 100).upper
    band = net_benefit_band(TREE, threshold=[0.5, 0.9], replicates=30)
    assert (band.estimate[1], band.upper[1], band.lower[1]) == pytest.approx((0, most, -9 * most))
    assert (band.upper > band.lower).all()
