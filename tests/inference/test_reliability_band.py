"""Bands of the reliability diagram against slow formulas and known truth."""

import numpy as np
import pytest
from scipy.special import xlogy
from scipy.stats import beta, chi2

import thresher as th
from tests.inference.resampling_oracles import calibrated
from thresher.inference.bands.reliability import confidence_band, reliability_band

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])


def test_the_estimate_is_the_hull():
    ranking = calibrated(200, 1)
    band = reliability_band(ranking, replicates=2, points=500)
    pools = th.reliability(ranking, bins="hull")
    pool = np.array([np.flatnonzero((pools.lowest <= x) & (x <= pools.highest))[0] for x in band.x])
    assert band.estimate == pytest.approx(pools.observed[pool])
    assert (np.diff(band.x) > 0).all()
    assert (np.diff(band.estimate) >= 0).all()


def test_pointwise_limits_are_where_a_likelihood_ratio_test_rejects():
    """At one of three scores the other two are the best that do not cross it."""
    pos, neg = np.array([20, 10, 20]), np.array([5, 5, 40])
    band = reliability_band(TREE, level=0.9)

    def loss(p):
        return -float(np.sum(xlogy(pos, p) + xlogy(neg, 1 - np.array(p))))

    best = loss(pos / (pos + neg))
    for at in (band.lower[1], band.upper[1]):
        top, bottom = max(0.8, at), min(1 / 3, at)
        assert 2 * (loss([top, at, bottom]) - best) == pytest.approx(chi2.ppf(0.9, 1), abs=1e-6)


def test_simultaneous_limits_are_those_of_every_run():
    """The formula of Dimitriadis et al. (2023), run by run."""
    ranking = calibrated(30, 5)
    rising = ranking.score[::-1]
    labels = (ranking.pos > 0)[::-1]
    error = 0.1 / (30 * 31)
    lower, upper = np.zeros(30), np.ones(30)
    for first in range(30):
        for last in range(first, 30):
            k, n = int(labels[first : last + 1].sum()), last - first + 1
            low = beta.ppf(error, k, n - k + 1) if k else 0.0
            high = beta.ppf(1 - error, k + 1, n - k) if k < n else 1.0
            lower[last:] = np.maximum(lower[last:], low)
            upper[: first + 1] = np.minimum(upper[: first + 1], high)
    band = reliability_band(ranking, level=0.9, simultaneous=True)
    assert np.array_equal(band.x, rising)
    pointwise = reliability_band(ranking, level=0.9)
    assert band.lower == pytest.approx(np.minimum(lower, pointwise.lower))
    assert band.upper == pytest.approx(np.maximum(upper, pointwise.upper))


@pytest.mark.parametrize("n", [100, 3000])
@pytest.mark.slow
def test_simultaneous_limits_hold_the_truth_everywhere(n):
    """Joined scores are bounded by runs that lie beside them entirely."""
    held = [
        bool(((band.lower <= band.x) & (band.x <= band.upper)).all())
        for band in (reliability_band(calibrated(n, seed), simultaneous=True, points=40) for seed in range(40))
    ]
    assert np.mean(held) >= 0.94


@pytest.mark.parametrize("levels", [0, 5])
def test_pointwise_limits_hold_the_truth_where_pools_turn_and_at_the_ends(levels):
    """Percentiles of resamples held it in 13 to 90 % of samples."""
    held = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        score = rng.random(200) if levels == 0 else (rng.integers(levels, size=200) + 0.5) / levels
        band = reliability_band(th.rank(rng.random(200) < score, score), points=20)
        held.append(((band.lower <= band.x) & (band.x <= band.upper))[[0, 1, 2, -3, -2, -1]])
    assert (np.mean(held, axis=0) >= 0.91).all()
    assert np.mean(held) <= (0.97 if levels else 1)


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


def test_pools_of_one_class_are_no_certainty():
    band = reliability_band(th.Ranking([0.9, 0.1], [20, 0], [0, 12]))
    most = chi2.ppf(0.95, 1)
    assert (band.lower[0], band.upper[0]) == pytest.approx((0, 1 - np.exp(-most / 24)))
    assert (band.lower[1], band.upper[1]) == pytest.approx((np.exp(-most / 40), 1))
    assert (band.upper > band.lower).all()


def test_a_simultaneous_consistency_band_holds_as_many_diagrams_as_it_says():
    ranking = calibrated(100, 3)
    pointwise, together = (
        reliability_band(ranking, "consistency", simultaneous=each, replicates=400, level=0.9) for each in (False, True)
    )
    assert (together.lower <= pointwise.lower).all()
    assert (together.upper >= pointwise.upper).all()
    rng, held = np.random.default_rng(1), {False: 0, True: 0}
    for _ in range(200):
        drawn = th.rank(rng.random(100) < ranking.score, ranking.score)
        estimate = reliability_band(drawn, "consistency", replicates=1).estimate
        for band in (pointwise, together):
            held[band.simultaneous] += bool(((band.lower <= estimate) & (estimate <= band.upper)).all())
    assert held[True] / 200 == pytest.approx(0.9, abs=0.07)
    assert held[False] < held[True] - 20


def test_limits_of_a_declared_mix_are_those_of_the_data_restated():
    ranking = th.Ranking([0.9, 0.5, 0.1], [30, 10, 0], [0, 30, 130])
    declared, plain = (confidence_band(ranking, level=0.9, class_ratio=ratio) for ratio in (0.01, None))
    for limit in ("estimate", "lower", "upper"):
        restated, p = (getattr(band, limit) for band in (declared, plain))
        assert restated == pytest.approx(p * 0.01 / (p * 0.01 + (1 - p) * 40 / 160)), limit
    assert declared.upper[0] < 0.002
