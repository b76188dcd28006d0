"""The calibration report against likelihoods maximised elsewhere, slow smoothing and known truth."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

import thresher as th
from thresher.inference.intervals.calibration_report import distance_replicates
from thresher.inference.intervals.lowess import calibration_distances
from thresher.inference.rows import ScoredRows
from thresher.laboratory import Scores


def sampled(n, seed, *, intercept=0.3, slope=0.7):
    """Probabilities and labels whose log-odds are intercept + slope · log-odds of the probability."""
    rng = np.random.default_rng(seed)
    x = 1.5 * rng.normal(size=n)
    return rng.random(n) < 1 / (1 + np.exp(-intercept - slope * x)), 1 / (1 + np.exp(-x)), x


def fitted(labels, x, weights):
    """Coefficients and their covariance, by a general optimiser and by the textbook's information matrix."""

    def loss(c):
        z = c[0] + c[1] * x
        return float(weights @ (np.logaddexp(0, z) - labels * z))

    result = minimize(loss, [0.0, 1.0], method="BFGS", options={"gtol": 1e-10}).x
    p = 1 / (1 + np.exp(-result[0] - result[1] * x))
    design = np.stack([np.ones_like(x), x])
    return result, np.linalg.inv((design * (weights * p * (1 - p))) @ design.T), p


def sandwich(labels, design, weights, at):
    """The variance of coefficients where the model need not hold; each class is corrected for its number of rows."""
    bread = np.linalg.inv((design * (weights * at * (1 - at))) @ design.T)
    step = np.where(labels, labels.sum() / (labels.sum() - 1), (~labels).sum() / ((~labels).sum() - 1))
    scores = design * (weights * (labels - at))
    return bread @ ((scores * step) @ scores.T) @ bread


@pytest.mark.parametrize("n", [40, 400])
def test_the_slope_and_its_limits(n):
    labels, p, x = sampled(n, seed=n)
    (_, slope), _, at = fitted(labels, x, np.ones(n))
    variance = sandwich(labels, np.stack([np.ones(n), x]), np.ones(n), at)[1, 1]
    result = th.inference.calibration_report(th.rank(labels, p)).slope
    assert result.estimate == pytest.approx(slope, abs=1e-6)
    assert result.variance == pytest.approx(variance, rel=1e-5)
    assert result.upper - result.estimate == pytest.approx(stats.t.ppf(0.975, n - 1) * math.sqrt(variance), rel=1e-5)


@pytest.mark.parametrize("n", [40, 400])
def test_the_intercept_and_its_limits(n):
    labels, p, x = sampled(n, seed=n)
    intercept = minimize(lambda a: float(np.sum(np.logaddexp(0, a + x) - labels * (a + x))), [0.0], tol=1e-12).x[0]
    variance = sandwich(labels, np.ones((1, n)), np.ones(n), 1 / (1 + np.exp(-intercept - x)))[0, 0]
    result = th.inference.calibration_report(th.rank(labels, p)).intercept
    assert result.estimate == pytest.approx(intercept, abs=1e-6)
    assert result.variance == pytest.approx(variance, rel=1e-5)


def test_weights_and_clusters_make_a_sandwich():
    labels, p, x = sampled(300, seed=5)
    rng = np.random.default_rng(6)
    weight, cluster = rng.uniform(0.5, 3, 300), rng.integers(0, 50, 300)
    (_, slope), bread, at = fitted(labels, x, weight)
    scores = np.stack([np.ones_like(x), x]) * (weight * (labels - at))
    by_cluster = np.stack([np.bincount(cluster, weights=row) for row in scores])
    meat = by_cluster @ by_cluster.T * 50 / 49
    result = th.inference.calibration_report(
        th.inference.ScoredRows.of(labels, p, weights=weight, clusters=cluster)
    ).slope
    assert result.estimate == pytest.approx(slope, abs=1e-6)
    assert result.variance == pytest.approx((bread @ meat @ bread)[1, 1], rel=1e-4)


def test_on_average():
    labels, p, _ = sampled(200, seed=2)
    report = th.inference.calibration_report(th.rank(labels, p))
    away = labels - p
    assert report.in_the_large.estimate == pytest.approx(away.mean())
    assert report.in_the_large.variance == pytest.approx(away.var(ddof=1) / 200, rel=0.01)
    assert report.observed_expected.estimate == pytest.approx(labels.sum() / p.sum())
    assert report.observed_expected.lower < report.observed_expected.estimate < report.observed_expected.upper


@pytest.mark.parametrize("n", [25, 300])
def test_distances_are_those_of_a_line_fitted_at_every_case(n):
    labels, p, _ = sampled(n, seed=n)
    curve = []
    for at in p:
        away = np.abs(p - at)
        width = np.sort(away)[math.ceil(2 * n / 3 - 1e-9) - 1]
        root = np.sqrt(np.clip(1 - (away / width) ** 3, 0, None) ** 3)
        design = np.stack([np.ones(n), p - at], axis=1)
        curve.append(np.clip(np.linalg.lstsq(design * root[:, None], labels * root, rcond=None)[0][0], 0, 1))
    apart = np.sort(np.abs(np.array(curve) - p))
    expected = apart.mean(), apart[math.ceil(n / 2) - 1], apart[math.ceil(0.9 * n) - 1]
    assert calibration_distances(th.rank(labels, p)) == pytest.approx(expected)
    report = th.inference.calibration_report(th.rank(labels, p))
    assert (report.ici.apparent, report.e50.apparent, report.e90.apparent) == pytest.approx(expected)
    assert report.ici.lower <= report.ici.estimate <= report.ici.upper


def test_joining_many_scores_hardly_moves_the_distances():
    labels, p, x = sampled(20_000, seed=1)
    truth = np.abs(1 / (1 + np.exp(-0.3 - 0.7 * x)) - p)
    assert calibration_distances(th.rank(labels, p))[0] == pytest.approx(truth.mean(), abs=0.01)
    rounded = th.rank(labels, p.round(3))  # 1,000 scores, and 500 of them
    assert calibration_distances(rounded) == pytest.approx(calibration_distances(th.rank(labels, p)), abs=0.002)


def test_a_calibrated_model_has_slope_1_and_intercept_0_and_its_limits_say_so():
    result = [
        th.inference.calibration_report(th.rank(*sampled(300, seed, intercept=0, slope=1)[:2]), replicates=60)
        for seed in range(200)
    ]
    slopes, intercepts = ([getattr(each, name) for each in result] for name in ("slope", "intercept"))
    for intervals, truth in ((slopes, 1), (intercepts, 0), ([each.in_the_large for each in result], 0)):
        estimates = np.array([each.estimate for each in intervals])
        assert estimates.mean() == pytest.approx(truth, abs=4 * estimates.std() / math.sqrt(200) + 0.01)
        assert 0.89 <= np.mean([truth in each for each in intervals]) <= 0.99
    assert np.mean([each.observed_expected.lower <= 1 <= each.observed_expected.upper for each in result]) >= 0.89
    assert np.mean([each.ici.lower == 0 for each in result]) >= 0.92  # mirrored resamples: 0.8


def test_a_declared_mix_restates_probabilities_and_reweights_rows():
    labels, p, _ = sampled(400, seed=9)
    condition = th.OperatingCondition(prevalence=0.05)
    ranking, rows = th.rank(labels, p), th.inference.ScoredRows.of(labels, p)
    stated = th.adjust_prevalence(ranking, 0.05, trained_at=0.4)
    of_ranking, of_rows = (
        th.inference.calibration_report(source, condition=condition, trained_at=0.4) for source in (ranking, rows)
    )
    plain = th.inference.calibration_report(stated)
    for name in ("slope", "intercept", "in_the_large", "observed_expected", "ici", "e50", "e90"):
        one, other = getattr(of_ranking, name), getattr(of_rows, name)
        for each in (one, other):
            shown, expected = (
                of.estimate if of.apparent is None else of.apparent for of in (each, getattr(plain, name))
            )
            assert shown == pytest.approx(expected, abs=1e-9), name
        assert other.variance == pytest.approx(one.variance, rel=0.2 if name in ("ici", "e50", "e90") else 1e-6), name
        assert one.lower <= one.estimate <= one.upper


def test_integer_weights_count_rows():
    labels, p, _ = sampled(60, seed=4)
    times = np.random.default_rng(0).integers(1, 4, 60)
    weighted = th.inference.calibration_report(th.inference.ScoredRows.of(labels, p, weights=times))
    repeated = th.inference.calibration_report(th.rank(np.repeat(labels, times), np.repeat(p, times)))
    for name, interval in weighted.numbers.items():
        one, other = (of.estimate if of.apparent is None else of.apparent for of in (interval, repeated.numbers[name]))
        assert one == pytest.approx(other, abs=1e-9), name


@pytest.mark.parametrize(
    ("ranking", "reason"),
    [
        (th.Ranking([1, 0.5, 0.2], [3, 2, 1], [1, 2, 3]), "1 of 12 cases were given probability 0 for what they are"),
        (th.Ranking([0.9, 0.5, 0.2], [3, 2, 0], [0, 0, 3]), "separate the classes"),
        (th.Ranking([0.5], [3], [3]), "alike"),
    ],
)
def test_a_slope_that_does_not_exist_says_why(ranking, reason):
    result = th.inference.calibration_report(ranking).slope
    assert math.isnan(result.estimate)
    assert reason in result.note


def test_certain_and_right_cases_change_no_slope():
    some = th.Ranking([0.8, 0.5, 0.2], [3, 2, 1], [1, 2, 3])
    more = th.Ranking([1, 0.8, 0.5, 0.2, 0], [9, 3, 2, 1, 0], [0, 1, 2, 3, 7])
    one, other = th.inference.calibration_report(some), th.inference.calibration_report(more)
    assert one.slope.estimate == pytest.approx(other.slope.estimate)
    assert one.intercept.estimate == pytest.approx(other.intercept.estimate)


@pytest.mark.parametrize("cases", [1, 2, 30])
def test_no_limits_exclude_the_estimate_or_have_no_width(cases):
    perfect = th.Ranking([1, 0], [cases, 0], [0, cases])
    for name, result in th.inference.calibration_report(perfect).numbers.items():
        if not math.isnan(result.estimate):
            assert result.lower <= result.estimate <= result.upper, name
            assert result.width > 0, name


def test_what_is_refused():
    with pytest.raises(th.errors.ProbabilityError):
        th.inference.calibration_report(th.Ranking([2, 1], [3, 1], [1, 3]))
    with pytest.raises(th.errors.ArgumentError, match="of a ranking or of rows"):
        th.inference.calibration_report([1, 0])  # type: ignore[arg-type]
    two = th.inference.ScoredRows.of([1, 0], {"a": [0.9, 0.1], "b": [0.8, 0.3]})
    with pytest.raises(th.errors.ArgumentError, match="several models") as refused:
        th.inference.calibration_report(two)
    assert "a, b" in refused.value.fix


def test_equal_weights_below_a_half_lose_no_case():
    labels, p, _ = sampled(200, seed=3)
    plain = th.inference.calibration_report(th.rank(labels, p))
    for weight in (0.01, 0.3, 0.5, 0.7):
        weighted = th.inference.calibration_report(th.rank(labels, p, weights=np.full(200, weight)))
        assert weighted.ici.apparent == pytest.approx(plain.ici.apparent, abs=1e-9)
        assert math.isfinite(weighted.ici.estimate)
        assert weighted.ici.width > 0


def test_half_of_the_cases_lie_no_further_away_than_nine_tenths():
    for seed in range(40):
        labels, p, _ = sampled(12, seed, intercept=0, slope=1)
        if 0 < labels.sum() < 12:
            report = th.inference.calibration_report(th.rank(labels, p), replicates=50)
            for one, other in zip(
                (report.e50.lower, report.e50.estimate, report.e50.upper),
                (report.e90.lower, report.e90.estimate, report.e90.upper),
                strict=True,
            ):
                assert one <= other


@pytest.mark.filterwarnings("error")
def test_resamples_without_positives_are_left_out():
    rows = th.inference.ScoredRows.of(
        [1, 1] + [0] * 8,
        [0.9, 0.6, 0.7, 0.2, 0.3, 0.1, 0.4, 0.2, 0.5, 0.3],
        clusters=[0, 1, 1, 1, 2, 2, 3, 3, 4, 4],
    )
    condition = th.OperatingCondition(prevalence=0.01)
    for replicates in (1, 200):
        for seed in range(10):
            report = th.inference.calibration_report(rows, condition=condition, replicates=replicates, seed=seed)
            assert 0 <= report.e50.lower <= report.e50.estimate <= report.e50.upper <= 1
    result = distance_replicates(
        ScoredRows(rows.positive, dict(rows.scores), None, rows.cluster, 0).at_prevalence(0.01), "model", "e50", 200, 0
    )
    assert np.isnan(result).any()
    assert np.nanmin(result) > 0


@pytest.mark.parametrize("kind", ["ranking", "clusters"])
def test_limits_at_a_mix_allow_for_the_prevalence_that_was_estimated(kind):
    condition, names = th.OperatingCondition(prevalence=0.05), ("intercept", "in_the_large", "observed_expected")
    held = dict.fromkeys(names, 0)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        labels = rng.random(400) < 0.3
        x = rng.normal(size=400) + 1.5 * labels  # the log-odds of a positive are a straight line of it
        p = 1 / (1 + np.exp(-(math.log(3 / 7) + 1.5 * x - 1.125)))
        source: Any = th.rank(labels, p)
        if kind == "clusters":
            source = th.inference.ScoredRows.of(labels, p, clusters=np.arange(400) // 2)
        report = th.inference.calibration_report(source, condition=condition, replicates=1)
        for name, truth in zip(names, (0, 0, 1), strict=True):
            held[name] += truth in getattr(report, name)
    assert all(184 <= count <= 198 for count in held.values()), held


def test_numbers_without_limits_say_why():
    report = th.inference.calibration_report(th.rank([1, 0, 0], [0.9, 0.1, 0.95]))
    for interval in report.numbers.values():
        assert not math.isnan(interval.lower) or interval.note


def test_distances_of_few_positives_hold_what_is_true():
    """A curve of few positives errs in its shape, too; factors alone held the median in 75 to 88 % of samples."""
    world = Scores.of_auc(0.85, 0.1).as_probabilities(shift=1)
    many = world.sample(10**5, np.random.default_rng(1)).ranking.score
    true = np.quantile(np.abs(world.posterior(many) - many), [0.5, 0.9])
    reports = [
        th.inference.calibration_report(world.sample(200, np.random.default_rng([3, i])).ranking) for i in range(80)
    ]
    for name, value in zip(("e50", "e90"), true.tolist(), strict=True):
        assert np.mean([value in getattr(report, name) for report in reports]) > 0.9, name
