import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import beta, norm

import thresher as th
from tests import strategies
from tests.inference.resampling_oracles import calibrated, draws, example, ranking_of_draw
from thresher.inference.bands.curves import (
    Band,
    DrawnCurve,
    Draws,
    net_benefit_band,
    precision_band,
    precision_recall_band,
    roc_band,
    roc_curve,
)
from thresher.inference.bands.region import exact_limits, local_error
from thresher.inference.bands.reliability import reliability_band
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


def test_draws_of_one_class_are_left_out():
    draws, rows = draws_of(th.Ranking.parse("[1+][1-]", score=[0.9, 0.1]), replicates=40), []

    def limits(drawn):
        rows.append(len(drawn))
        return drawn[0], drawn[1]

    draws.band(DrawnCurve(np.zeros(1), np.zeros(1), lambda _: np.zeros(1), limits), stratified=False)
    assert 0 < rows[0] < 40


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
    band = precision_recall_band(ranking, recall=recall)
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
        lambda: precision_recall_band(th.Ranking.parse("[3+]")),
        lambda: precision_recall_band(th.Ranking.parse("[3+]"), simultaneous=True),
        lambda: net_benefit_band(th.Ranking([0.5], [3], [0]), simultaneous=True),
    ],
)
def test_bad_input(ask):
    with pytest.raises(th.ThresherError):
        ask()


def test_the_lower_limit_starts_at_0():
    assert roc_band(th.Ranking.parse("[20+][20-]"), replicates=20).lower[0] == 0


def test_curves_that_all_agree_are_no_certainty():
    band = precision_recall_band(th.Ranking.parse("[20+][20-]"), recall=[0.5, 1])
    assert (band.upper == 1).all()
    assert 0.6 < band.lower[0] < 0.9
    assert band.lower[1] == pytest.approx(th.rate_interval(20, 40).lower)  # beyond the last positive all may lie
    most = th.rate_interval(0, 100).upper
    band = net_benefit_band(TREE, threshold=[0.5, 0.9])
    assert (band.estimate[1], band.upper[1], band.lower[1]) == pytest.approx((0, most, -9 * most), rel=0.02)
    assert (band.upper > band.lower).all()


def entire(band, truth):
    """Whether a band holds a curve everywhere."""
    return bool(((band.lower <= truth + 1e-12) & (truth <= band.upper + 1e-12)).all())


def binormal(n, prevalence, shift, rng):
    """A ranking of normal scores turned into their true probabilities."""
    labels = rng.random(n) < prevalence
    odds = np.exp(shift * rng.normal(shift * labels, 1) - shift**2 / 2) * prevalence / (1 - prevalence)
    return th.rank(labels, odds / (1 + odds))


def shares_held(n, prevalence, shift, times):
    """How often precision's limits hold it, by recall, and simultaneous ones all of it and of net benefit."""
    recall, at = np.linspace(0.01, 1, 34), np.linspace(0.02, 0.6, 20)
    fpr = norm.cdf(norm.ppf(recall) - shift)
    precision = recall * prevalence / (recall * prevalence + (1 - prevalence) * fpr)
    cut = (np.log(at / (1 - at) * (1 - prevalence) / prevalence) + shift**2 / 2) / shift
    benefit = prevalence * norm.sf(cut - shift) - (1 - prevalence) * norm.sf(cut) * at / (1 - at)
    rng, held = np.random.default_rng(1), np.zeros((times, recall.size + 3))
    for row in held:
        ranking = binormal(n, prevalence, shift, rng)
        band = precision_recall_band(ranking, recall=recall)
        row[:-3] = (band.lower <= precision) & (precision <= band.upper)
        row[-3] = row[:-3].all()
        row[-2] = entire(precision_recall_band(ranking, recall=recall, simultaneous=True), precision)
        row[-1] = entire(net_benefit_band(ranking, threshold=at, simultaneous=True), benefit)
    return held.mean(axis=0)


@pytest.mark.parametrize(("n", "prevalence", "shift"), [(200, 0.5, 2.3), (200, 0.1, 0.75)])
@pytest.mark.slow
def test_precision_is_held_at_the_ends_too(n, prevalence, shift):
    """Percentiles of resamples held the precision at recall 1 in a tenth of samples."""
    *pointwise, everywhere, precision, benefit = shares_held(n, prevalence, shift, 120)
    assert min(pointwise) >= 0.88
    assert min(pointwise) <= 0.98  # and they are not wide everywhere
    assert everywhere < 0.93  # which is why there are simultaneous ones
    assert min(precision, benefit) >= 0.94


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("prevalence", [0.5, 0.1])
@pytest.mark.parametrize("shift", [0.4, 1.2, 2.6])
def test_bands_hold_as_often_as_they_say(n, prevalence, shift):
    *pointwise, _, precision, benefit = shares_held(n, prevalence, shift, 500)
    assert min(pointwise) >= 0.91
    assert min(precision, benefit) >= 0.94


SIMULTANEOUS: dict[str, Any] = {
    "roc": roc_band,
    "precision": precision_recall_band,
    "benefit": net_benefit_band,
    "reliability": reliability_band,
}


@pytest.mark.parametrize("name", SIMULTANEOUS)
@settings(max_examples=12)
@given(ranking=strategies.two_class_rankings)
def test_a_simultaneous_band_surrounds_the_pointwise_one(name, ranking):
    ranking = th.Ranking(ranking.score / 13, ranking.pos, ranking.neg)  # probabilities
    quick = {"replicates": 20} if name in ("roc", "reliability") else {}
    pointwise, together = (SIMULTANEOUS[name](ranking, simultaneous=each, **quick) for each in (False, True))
    assert (pointwise.simultaneous, together.simultaneous) == (False, True)
    assert np.array_equal(pointwise.estimate, together.estimate)
    for band in (pointwise, together):
        assert ((band.lower <= band.estimate) & (band.estimate <= band.upper)).all()
        if name != "benefit":
            assert ((band.lower >= 0) & (band.upper <= 1)).all()
    assert (together.lower <= pointwise.lower).all()
    assert (together.upper >= pointwise.upper).all()


def test_weighted_and_clustered_rows_count_as_what_they_are_worth():
    labels, scores = example(200, 4)
    plain = precision_recall_band(ScoredRows.of(labels, scores))
    assert np.array_equal(plain.lower, precision_recall_band(th.rank(labels, scores)).lower)
    twice = np.repeat(np.arange(200), 3)
    together = precision_recall_band(ScoredRows.of(labels[twice], scores[twice], clusters=twice))
    assert together.lower == pytest.approx(plain.lower)
    apart = precision_recall_band(ScoredRows.of(labels[twice], scores[twice]))
    assert (apart.upper - apart.lower).mean() < 0.7 * (plain.upper - plain.lower).mean()


def test_at_a_declared_mix_only_rates_vary():
    draws = draws_of(TREE, class_ratio=1.0)
    band = precision_band(draws, [0.4, 1.0])
    assert band.estimate == pytest.approx([0.8, 0.5])
    assert band.lower[1] == pytest.approx(0.5)
    assert band.upper[1] < 0.52  # all are called positive
    rarer = precision_band(draws_of(TREE, class_ratio=0.1), [0.4])
    assert rarer.estimate == pytest.approx([0.04 / (0.04 + 0.1)])


@pytest.mark.parametrize("cases", [1, 7, 200, 5000])
def test_limits_of_rates_hold_all_at_once(cases):
    rng = np.random.default_rng(cases)
    rate = np.arange(cases + 1) / cases
    lower, upper = exact_limits(rate, cases, local_error(cases, 0.9))
    held = 0
    for _ in range(400):
        drawn = np.sort(rng.random(cases))
        # Just below the k-th smallest number k - 1 lie, and at it k.
        held += bool((lower[1:] <= drawn).all() and (drawn <= upper[:-1]).all())
    assert 0.85 <= held / 400 <= 0.95


def test_one_cluster_is_one_case():
    rng = np.random.default_rng(0)
    labels = rng.random(200) < 0.4
    scores = 1 / (1 + np.exp(-rng.normal(size=200) - labels))
    rows = th.inference.ScoredRows.of(labels, scores)
    together = th.inference.ScoredRows.of(labels, scores, clusters=np.zeros(200))
    apart, as_one = (net_benefit_band(each, threshold=[0.5]) for each in (rows, together))
    assert as_one.upper[0] - as_one.lower[0] > 3 * (apart.upper[0] - apart.lower[0])
