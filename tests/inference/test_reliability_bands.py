import numpy as np
import pytest

import thresher as th
from tests.inference.resampling_oracles import calibrated, draws, ranking_of_draw
from thresher.inference.reliability_bands import reliability_band

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])


def test_the_estimate_is_the_hull():
    ranking = calibrated(200, 1)
    band = reliability_band(ranking, replicates=2, points=500)
    pools = th.reliability(ranking, segments="hull")
    pool = np.array([np.flatnonzero((pools.lowest <= x) & (x <= pools.highest))[0] for x in band.x])
    assert band.estimate == pytest.approx(pools.observed[pool])
    assert (np.diff(band.x) > 0).all()
    assert (np.diff(band.estimate) >= 0).all()


def test_confidence_limits_are_those_of_maps_refitted_to_rows():
    ranking = calibrated(80, 2)
    band = reliability_band(ranking, replicates=40, level=0.8, points=500)
    refitted = []
    for times in draws(ranking, replicates=40, stratified=False):
        drawn = ranking_of_draw(ranking, times)
        if drawn.Pos and drawn.Neg:
            refitted.append(th.calibration_map(drawn)(band.x))
    low, high = np.quantile(refitted, [0.1, 0.9], axis=0)
    apart = high > low
    assert apart.mean() > 0.8
    assert band.lower[apart] == pytest.approx(low[apart])
    assert band.upper[apart] == pytest.approx(high[apart])
    assert (band.lower <= low + 1e-12).all()  # where all maps agree, there still is doubt
    assert (band.upper >= high - 1e-12).all()


def test_a_calibrated_model_stays_in_its_consistency_band_and_others_leave():
    inside: dict[float, list[float]] = {1.0: [], 2.0: []}
    for off, shares in inside.items():
        for seed in range(8):
            band = reliability_band(calibrated(500, seed, off=off), "consistency", replicates=100, level=0.9)
            shares.append(((band.lower <= band.estimate) & (band.estimate <= band.upper)).mean())
    assert np.mean(inside[1.0]) > 0.8
    assert np.mean(inside[2.0]) < 0.4


def test_a_confidence_band_mostly_holds_the_truth():
    held = []
    for seed in range(8):
        band = reliability_band(calibrated(500, 50 + seed), replicates=100, level=0.9)
        held.append(((band.lower <= band.x) & (band.x <= band.upper)).mean())
    assert np.mean(held) > 0.8


def test_points_share_the_cases():
    band = reliability_band(calibrated(5000, 3), replicates=3, points=20)
    assert band.x.size == 20
    assert np.diff(band.x) == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize("kind", ["confidence", "consistency"])
def test_seeds_and_threads(kind):
    one, two = (reliability_band(TREE, kind, replicates=60, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.lower, two.lower)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: reliability_band(TREE, "other"),  # type: ignore[arg-type]
        lambda: reliability_band(TREE, points=0),
        lambda: reliability_band(TREE, level=0),
        lambda: reliability_band(TREE, replicates=0),
        lambda: reliability_band(th.Ranking.parse("[3+][2-]")),
        lambda: reliability_band(th.Ranking([0.5], [1.5], [2.0]), "consistency"),
        lambda: reliability_band(th.Ranking([0.5], [3], [0])),
    ],
)
def test_bad_input(ask):
    with pytest.raises(th.ThresherError):
        ask()


def test_maps_that_all_agree_are_no_certainty():
    band = reliability_band(th.Ranking([0.9, 0.1], [20, 0], [0, 12]), replicates=50)
    assert (band.lower[0], band.upper[0]) == (0, th.rate_interval(0, 12).upper)
    assert band.lower[1] == th.rate_interval(20, 20).lower
    assert (band.upper > band.lower).all()
