import math

import numpy as np
import pytest
import scipy.stats

import thresher as th
from tests.inference.resampling_oracles import example
from thresher.inference.bootstrap.bootstrap import bootstrap
from thresher.inference.bootstrap.replicates import Replicates, bca_limits, percentile_limits, quantiles, variance_of
from thresher.inference.bootstrap.statistics import BestCost, CostAt, MeasureAt
from thresher.inference.rows import ScoredRows
from thresher.laboratory import Scores, coverage


def test_percentiles_leave_out_what_is_undefined():
    assert percentile_limits(np.array([math.nan, *range(101)]), 0.9) == pytest.approx((5, 95))


def test_values_near_the_largest_number_have_limits_and_no_warnings():
    far = np.array([-1.5e308, -1e308, 1e308, 1.7e308])
    assert quantiles(far, (0.5, 1.0)) == (0.0, 1.7e308)
    low, high = quantiles(far, (0.1, 0.9))
    assert (low, high) == pytest.approx((-1.35e308, 1.49e308))
    assert variance_of(far) == math.inf
    assert variance_of(far / 1e200) == pytest.approx(np.var(far / 1e200, ddof=1))
    assert variance_of(np.array([3e160, 3e160])) == 0


def test_variances_leave_out_infinite_values():
    assert variance_of(np.array([1.0, math.inf, 4.0, -math.inf, math.nan])) == 4.5
    assert math.isnan(variance_of(np.array([1.0, math.inf])))


def bca(values, estimate, acceleration, level):
    """Efron (1987), written out: replicates that equal the estimate count half as below it."""
    from statistics import NormalDist

    normal = NormalDist()
    below = sum(1.0 if v < estimate else 0.5 if v == estimate else 0.0 for v in values) / len(values)
    bias = normal.inv_cdf(below)
    shares = []
    for z in (normal.inv_cdf((1 - level) / 2), normal.inv_cdf((1 + level) / 2)):
        moved = bias + z
        shares.append(normal.cdf(bias + moved / (1 - acceleration * moved)))
    return tuple(float(np.quantile(values, share)) for share in shares)


@pytest.mark.parametrize("ties", [0, 1, 30, 60])
@pytest.mark.parametrize("acceleration", [-0.1, 0.0, 0.1])
def test_replicates_that_tie_with_the_estimate_count_half(ties, acceleration):
    values = np.concatenate([np.full(ties, 0.5), np.linspace(0, 0.49, 25), np.linspace(0.51, 1, 40)])
    assert bca_limits(values, 0.5, acceleration, 0.9) == pytest.approx(bca(values, 0.5, acceleration, 0.9))


def auc_of(pos, neg, axis=-1):  # noqa: ARG001
    wins = (pos[..., :, np.newaxis] > neg[..., np.newaxis, :]) + 0.5 * (
        pos[..., :, np.newaxis] == neg[..., np.newaxis, :]
    )
    return wins.mean(axis=(-2, -1))


@pytest.fixture(scope="module")
def small():
    labels, scores = example(70, 1, ties=True, shift=1.6)
    return labels, scores, bootstrap(th.rank(labels, scores), ["auc", BestCost()], replicates=4000)


@pytest.mark.parametrize(("method", "theirs"), [("percentile", "percentile"), ("basic", "basic"), ("bca", "BCa")])
def test_limits_are_scipys(small, method, theirs):
    labels, scores, result = small
    data = scores[labels], scores[~labels]
    peer = scipy.stats.bootstrap(
        data, auc_of, n_resamples=4000, method=theirs, vectorized=True, rng=np.random.default_rng(3), batch=500
    )
    ours = result.interval("auc", method=method)
    assert ours.estimate == pytest.approx(auc_of(*data))
    assert (ours.lower, ours.upper) == pytest.approx(tuple(peer.confidence_interval), abs=0.008)
    assert ours.variance == pytest.approx(peer.standard_error**2, rel=0.08)


def test_bca_differs_from_percentile_where_the_statistic_is_skewed(small):
    _, _, result = small
    plain, corrected = result.interval("auc"), result.interval("auc", method="bca")
    assert corrected.lower < plain.lower
    assert corrected.upper < plain.upper


def test_acceleration_is_that_of_deleting_row_by_row(small):
    labels, scores, result = small
    cubes = squares = 0.0
    for side in (labels, ~labels):
        rows = np.flatnonzero(side)
        left = []
        for row in rows:
            keep = np.arange(labels.size) != row
            left.append(th.auc(th.rank(labels[keep], scores[keep])))
        influence = (rows.size - 1) / rows.size * (np.mean(left) - np.array(left))
        cubes, squares = cubes + (influence**3).sum(), squares + (influence**2).sum()
    assert result._acceleration(("model", "auc")) == pytest.approx(cubes / (6 * squares**1.5), rel=1e-9)


def test_groups_of_deletions_give_nearly_the_same_acceleration():
    rng = np.random.default_rng(4)
    score = rng.beta(0.3, 3, size=5000)
    ranking = th.rank(rng.random(5000) < score, score)
    grouped = bootstrap(ranking, "brier", replicates=10)._acceleration(("model", "brier"))
    error = np.repeat((1 - ranking.score) ** 2, ranking.pos), np.repeat(ranking.score**2, ranking.neg)
    away = np.concatenate(error) - np.concatenate(error).mean()
    assert grouped == pytest.approx((away**3).sum() / (6 * (away**2).sum() ** 1.5), abs=0.003)
    assert grouped > 0.003


def test_studentised_limits_hold_as_often_as_they_say():
    def limits(sample):
        return bootstrap(sample.ranking, "auc", replicates=200).interval("auc", level=0.8, method="studentised")

    world = Scores.of_auc(0.85)
    assert 0.65 < coverage(world, 60, limits, world.auc, replicates=60).estimate < 0.95


def test_studentised_and_percentile_agree_with_many_cases():
    labels, scores = example(4000, 5)
    result = bootstrap(th.rank(labels, scores), "auc", replicates=400)
    plain, studentised = result.interval("auc"), result.interval("auc", method="studentised")
    assert (studentised.lower, studentised.upper) == pytest.approx((plain.lower, plain.upper), abs=0.004)
    delong = th.auc_interval(th.rank(labels, scores))
    assert (plain.lower, plain.upper) == pytest.approx((delong.lower, delong.upper), abs=0.005)


def test_differences(small):
    labels, scores, _ = small
    source = ScoredRows.of(labels, {"a": scores, "b": np.round(scores)})
    result = bootstrap(source, ["auc", CostAt(0.5)], replicates=300)
    for method in ("percentile", "basic", "bca"):
        interval = result.difference("auc", "a", "b", method=method)
        assert interval.lower <= interval.estimate <= interval.upper
    same = result.difference("auc", "a", "a", method="bca")
    assert (same.estimate, same.lower, same.upper) == (0, 0, 0)
    with pytest.raises(th.errors.ArgumentError, match="a difference has no standard error"):
        result.difference("auc", "a", "b", method="studentised")


def test_levels_nest(small):
    _, _, result = small
    narrow, wide = result.interval("auc", level=0.5), result.interval("auc", level=0.99)
    assert wide.lower < narrow.lower < narrow.upper < wide.upper
    assert result.interval("auc").level == 0.95


def test_thresholds_take_percentiles_only(small):
    _, _, result = small
    interval = result.interval("best_threshold")
    assert interval.lower <= interval.estimate <= interval.upper
    with pytest.raises(th.errors.ArgumentError, match="best_threshold jumps"):
        result.interval("best_threshold", method="bca")


def test_infinite_thresholds_stay_infinite():
    hopeless = th.Ranking.parse("[2+,30-][1+,20-]")
    interval = bootstrap(hopeless, BestCost(), replicates=200).interval("best_threshold")
    assert (interval.estimate, interval.upper) == (np.inf, np.inf)


def test_what_is_not_there(small):
    labels, scores, result = small
    assert isinstance(result, Replicates)
    with pytest.raises(th.errors.ArgumentError, match="there is no 'f1' of 'model'"):
        result.interval("f1")
    with pytest.raises(th.errors.ArgumentError, match=r"method must be .*, got 'normal'"):
        result.interval("auc", method="normal")  # type: ignore[arg-type]
    with pytest.raises(th.errors.ArgumentError, match="level must lie"):
        result.interval("auc", level=0)
    two = bootstrap(ScoredRows.of(labels, {"a": scores, "b": scores}), "auc", replicates=5)
    with pytest.raises(th.errors.ArgumentError, match="several models"):
        two.interval("auc")
    with pytest.raises(th.errors.ArgumentError, match="standard error of tpr is not known"):
        bootstrap(th.rank(labels, scores), MeasureAt("tpr", 0.5), replicates=5).interval("tpr", method="studentised")
    with pytest.raises(th.errors.ArgumentError, match="use auc_interval"):
        bootstrap(th.Ranking.parse("[5+][5-]"), "auc", replicates=5).interval("auc", method="studentised")


def test_quantiles_are_numpys_where_all_is_finite():
    values = np.random.default_rng(6).normal(size=101)
    assert quantiles(values, (0.013, 0.77)) == pytest.approx(tuple(np.quantile(values, [0.013, 0.77])))
    assert quantiles(np.append(values, np.nan), (0.5, 0.9)) == pytest.approx(tuple(np.quantile(values, [0.5, 0.9])))
    assert np.isnan(quantiles(np.array([np.nan]), (0.1, 0.9))).all()
    assert quantiles(np.array([-np.inf, np.inf, np.inf]), (0.0, 0.9)) == (-np.inf, np.inf)


def test_bca_with_all_replicates_on_one_side_is_finite():
    lower, upper = bca_limits(np.linspace(1, 2, 50), 0.5, 0.0, 0.95)
    assert (lower, upper) == pytest.approx((1.0, 1.0), abs=0.1)


def test_replicates_that_all_agree_are_no_certainty():
    for stratified in (True, False):
        result = th.bootstrap(th.Ranking.parse("[20+][20-]"), "auc", replicates=50, stratified=stratified)
        for method in ("percentile", "basic", "bca"):
            area = result.interval("auc", method=method)
            assert (area.lower, area.upper) == pytest.approx((0.8316, 1), abs=1e-4)
            assert "exact limits" in area.note
    few = th.bootstrap(th.Ranking.parse("[20+][20-]"), {"mine": lambda ranking: 0 * ranking.total}, replicates=20)
    assert "all replicates agree" in few.interval("mine").note


def test_an_auc_that_few_cases_carry_says_so():
    few = bootstrap(th.rank([1] * 20 + [0] * 80, [3] * 19 + [0.5] + [1, 0] * 40), "auc", replicates=200)
    assert "as few as 1 of 20 positives carry the variance" in few.interval("auc").note
    assert "auc_interval hold better" in few.interval("auc", method="bca").note
    many = bootstrap(th.rank(*example(200, 3)), "auc", replicates=50)
    assert many.interval("auc").note == ""
