import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import beta, norm

import thresher as th
from tests import strategies
from tests.inference.resampling_oracles import calibrated, draws, example, ranking_of_draw
from thresher.inference.bands import (
    Band,
    DrawnCurve,
    Draws,
    net_benefit_band,
    precision_recall_band,
    precision_recall_curve,
    reliability_band,
    reliability_curve,
    roc_band,
    roc_curve,
)
from thresher.inference.rows import ScoredRows


def test_columns_are_read_only_and_plain_in_a_dict():
    band = Band(np.array([0.0, 1.0]), np.array([0.5, np.nan]), np.zeros(2), np.ones(2), 0.95, "percentile bootstrap")
    with pytest.raises(ValueError, match="read-only"):
        band.lower[0] = 1
    plain = json.loads(json.dumps(band.to_dict(), allow_nan=False))
    assert plain["estimate"] == [0.5, None]
    assert (plain["level"], plain["simultaneous"]) == (0.95, False)


TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])


def draws_of(ranking, **options):
    return Draws(ranking, **{"level": 0.9, "replicates": 60, "seed": 3} | options)


def test_bands_that_share_their_draws_are_those_that_do_not():
    draws = draws_of(TREE)
    curves = {
        "precision": precision_recall_curve(draws),
        "reliability": reliability_curve(draws, TREE),
    }
    together = draws.bands(curves, stratified=False)
    options: dict[str, Any] = {"level": 0.9, "replicates": 60, "seed": 3}
    alone = {
        "precision": th.inference.precision_recall_band(TREE, **options),
        "reliability": th.inference.reliability_band(TREE, **options),
    }
    for name, band in together.items():
        assert np.array_equal(band.lower, alone[name].lower), name
        assert np.array_equal(band.upper, alone[name].upper), name


def test_every_sample_is_drawn_once_however_many_curves_ask():
    seen: dict[str, list[int]] = {"a": [], "b": []}
    drawn_heights = {}

    def curve(name):
        def heights(drawn):
            seen[name].append(id(drawn))
            return np.array([drawn.tp[0] / drawn.Pos])

        def limits(drawn):
            drawn_heights[name] = drawn
            return drawn[0], drawn[1]

        return DrawnCurve(np.zeros(1), np.zeros(1), heights, limits)

    draws_of(TREE, replicates=25).bands({name: curve(name) for name in seen}, stratified=True)
    assert seen["a"] == seen["b"]
    assert np.array_equal(drawn_heights["a"], drawn_heights["b"])
    assert drawn_heights["a"].shape == (25, 1)


def test_draws_of_one_class_are_for_curves_that_have_one():
    draws = draws_of(th.Ranking.parse("[1+][1-]", score=[0.9, 0.1]), replicates=40)
    rows = {"both": 0, "any": 0}

    def counting(name, *, of_one_class):
        def limits(drawn):
            rows[name] = len(drawn)
            return drawn[0], drawn[1]

        return DrawnCurve(np.zeros(1), np.zeros(1), lambda _: np.zeros(1), limits, of_one_class=of_one_class)

    curves = {"both": counting("both", of_one_class=False), "any": counting("any", of_one_class=True)}
    draws.bands(curves, stratified=False)
    assert rows["any"] == 40
    assert 0 < rows["both"] < 40


def test_no_draw_with_both_classes_is_refused():
    draws = draws_of(th.Ranking.parse("[1+,1-]"), replicates=1, seed=0)
    with pytest.raises(th.errors.ArgumentError, match="none of 1 draws holds both classes"):
        draws.band(roc_curve(draws), stratified=False)


def tpr_at(ranking, fpr):
    return [th.curves.point_at(ranking, fpr=x).table.tpr for x in fpr]


@given(strategies.two_class_rankings)
def test_the_estimate_is_the_curve(ranking):
    grid = np.linspace(0, 1, 7)
    band = roc_band(ranking, fpr=grid, replicates=3)
    assert band.estimate == pytest.approx(np.array(tpr_at(ranking, grid)), abs=1e-12)
    recall = grid[1:]
    band = precision_recall_band(ranking, recall=recall, replicates=40)
    assert band.estimate == pytest.approx(th.curves.precision_at(ranking, recall), abs=1e-12)


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
    low, high = np.quantile([th.curves.precision_at(each, grid) for each in drawn], [0.05, 0.95], axis=0)
    band = precision_recall_band(ranking, recall=grid, replicates=60, level=0.9)
    assert band.lower == pytest.approx(low)
    assert band.upper == pytest.approx(high)


def test_net_benefit():
    at = np.array([0.2, 0.5, 0.7])
    band = net_benefit_band(TREE, threshold=at, level=0.9)
    assert band.estimate == pytest.approx(th.net_benefit(TREE, threshold=at).model)
    for i, one in enumerate(at.tolist()):
        table = th.tables.contingency_at(TREE, one)
        gains = th.OperatingCondition(cost_tp=-1, cost_fn=0, cost_fp=one / (1 - one), cost_tn=0)
        cost = th.interval(table, gains, level=0.9)
        assert (band.lower[i], band.upper[i]) == pytest.approx((-cost.upper, -cost.lower))
    assert net_benefit_band(calibrated(50, 2)).x.size == 99


def test_net_benefit_of_rows_with_weights_clusters_and_a_declared_mix():
    """Copies in a cluster add nothing, and weights of one class say nothing of the other at a declared mix."""
    rng = np.random.default_rng(1)
    labels = rng.random(150) < 0.3
    scores = np.clip(0.2 + 0.4 * labels + rng.normal(0, 0.2, 150), 0.01, 0.99).round(2)
    at = [0.1, 0.5, 0.9]
    plain = net_benefit_band(th.rank(labels, scores), threshold=at)
    copied = ScoredRows.of(np.repeat(labels, 8), np.repeat(scores, 8), clusters=np.repeat(np.arange(150), 8))
    band = net_benefit_band(copied, threshold=at)
    assert band.estimate == pytest.approx(plain.estimate)
    assert band.upper - band.lower == pytest.approx(plain.upper - plain.lower, rel=0.03)
    declared = net_benefit_band(th.rank(labels, scores), threshold=at, class_ratio=0.1)
    weighted = ScoredRows.of(labels, scores, weights=np.where(labels, 7.0, 1.0))
    again = net_benefit_band(weighted, threshold=at, class_ratio=0.1)
    for column in ("estimate", "lower", "upper"):
        assert getattr(again, column) == pytest.approx(getattr(declared, column))
    assert declared.estimate == pytest.approx(
        th.net_benefit(th.rank(labels, scores).at_class_ratio(0.1), threshold=at).model
    )
    assert (declared.lower < declared.estimate).all()


@pytest.mark.parametrize("seed", [0, 1])
def test_net_benefit_is_held_as_often_as_stated_at_every_threshold(seed):
    """The worst point of a percentile band held the truth in 63 % of samples."""
    rng, at = np.random.default_rng(seed), np.array([0.05, 0.2, 0.5, 0.8, 0.95])
    score = np.arange(1, 20) / 20
    held = np.zeros(at.size)
    share = beta.pdf(score, 1.2, 4)
    share = share / share.sum()
    acted = share * (score >= at[:, np.newaxis] - 1e-12)
    truth = (acted * score).sum(axis=1) - (acted * (1 - score)).sum(axis=1) * at / (1 - at)
    for _ in range(400):
        cases = rng.multinomial(200, share)
        pos = rng.binomial(cases, score)
        band = net_benefit_band(th.Ranking(score[::-1], pos[::-1], (cases - pos)[::-1]), threshold=at)
        held += (band.lower - 1e-9 <= truth) & (truth <= band.upper + 1e-9)
    assert (held / 400).min() >= 0.92


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


def test_a_simultaneous_band_is_wider_and_holds_the_entire_curve():
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
    rows = ScoredRows.of(labels, {"a": scores, "b": -scores})
    assert roc_band(rows, model="b", fpr=[0.5], replicates=5).estimate[0] < 0.5
    with pytest.raises(th.errors.ArgumentError, match="several models"):
        roc_band(rows)
    with pytest.raises(th.errors.ArgumentError, match="there is no model 'c'"):
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
    band = net_benefit_band(TREE, threshold=[0.5, 0.9])
    assert (band.estimate[1], band.upper[1], band.lower[1]) == pytest.approx((0, most, -9 * most), rel=0.02)
    assert (band.upper > band.lower).all()


TREE_OF_RELIABILITY_BANDS = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])


def test_the_estimate_is_the_hull():
    ranking = calibrated(200, 1)
    band = reliability_band(ranking, replicates=2, points=500)
    pools = th.reliability(ranking, bins="hull")
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
    one, two = (reliability_band(TREE_OF_RELIABILITY_BANDS, kind, replicates=60, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.lower, two.lower)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: reliability_band(TREE_OF_RELIABILITY_BANDS, "other"),  # type: ignore[arg-type]
        lambda: reliability_band(TREE_OF_RELIABILITY_BANDS, points=0),
        lambda: reliability_band(TREE_OF_RELIABILITY_BANDS, level=0),
        lambda: reliability_band(TREE_OF_RELIABILITY_BANDS, replicates=0),
        lambda: reliability_band(th.Ranking.parse("[3+][2-]")),
        lambda: reliability_band(th.Ranking([0.5], [1.5], [2.0]), "consistency"),
        lambda: reliability_band(th.Ranking([0.5], [3], [0])),
    ],
)
def test_bad_input_reliability_bands(ask):
    with pytest.raises(th.ThresherError):
        ask()


def test_maps_that_all_agree_are_no_certainty():
    band = reliability_band(th.Ranking([0.9, 0.1], [20, 0], [0, 12]), replicates=50)
    assert (band.lower[0], band.upper[0]) == pytest.approx((0, th.rate_interval(0, 12).upper), rel=1e-14)
    assert band.lower[1] == pytest.approx(th.rate_interval(20, 20).lower, rel=1e-14)
    assert (band.upper > band.lower).all()


def test_where_all_draws_agree_limits_of_a_declared_mix_are_those_of_the_data_restated():
    ranking = th.Ranking([0.9, 0.5, 0.1], [30, 10, 0], [0, 30, 130])
    declared, plain = draws_of(ranking, class_ratio=0.01), draws_of(ranking)
    bands = [each.band(reliability_curve(each, ranking), stratified=None) for each in (declared, plain)]
    for limit in ("estimate", "lower", "upper"):
        restated, p = (getattr(band, limit)[[0, 2]] for band in bands)  # pools of one class
        assert restated == pytest.approx(p * 0.01 / (p * 0.01 + (1 - p) * 40 / 160)), limit
    assert bands[0].upper[0] < 0.002
