""""""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thresher as th
from tests.inference.resampling_oracles import calibrated
from tests.strategies import two_class_rankings
from thresher.inference.intervals.loss import brier_interval, log_loss_interval, mean_loss_interval
from thresher.inference.intervals.table import table_interval

P = np.array([0.9, 0.8, 0.6, 0.55, 0.7, 0.8, 0.95, 0.4])


def brier_of_rows(positive, score, *, level=0.95, **more):
    return th.inference.brier_interval(th.inference.ScoredRows(positive, {"model": score}, **more), level=level)


def log_losses(p):
    """Losses of cases that turned out as what they were given p for, and what p foretells of them."""
    first, second = (p * (-np.log(p)) ** k + (1 - p) * (-np.log1p(-p)) ** k for k in (1, 2))
    return -np.log(p), (first, second)


def same(one, other):
    for field in ("estimate", "lower", "upper", "variance"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), nan_ok=True), field


def test_squared_errors_of_two_classes_give_the_interval_of_the_brier_score():
    rng = np.random.default_rng(0)
    score = rng.random(50)
    labels = rng.random(50) < score
    first, second = (score * (1 - score) ** k + (1 - score) * score**k for k in (2, 4))
    result = mean_loss_interval((score - labels) ** 2, (first, second), most=1.0)
    same(result, th.inference.brier_interval(th.rank(labels, score)))


def test_limits_are_students_on_the_scale_of_logarithms():
    from scipy import stats

    loss, _ = log_losses(P)
    nothing = np.zeros(P.size)
    result = mean_loss_interval(loss, (nothing, nothing), level=0.9)
    mean, error = loss.mean(), loss.std(ddof=1) / math.sqrt(P.size)
    half = stats.t.ppf(0.95, P.size - 1) * error / mean
    assert (result.lower, result.upper) == pytest.approx((mean * math.exp(-half), mean * math.exp(half)))
    assert result.variance == pytest.approx(error**2)


def test_what_was_foretold_and_not_seen_widens():
    loss, foretold = log_losses(np.full(20, 0.98))  # all right, as is likely, and some would be wrong at last
    result = mean_loss_interval(loss, foretold)
    spread = 0.98 * 0.02 * (math.log(0.98) - math.log(0.02)) ** 2
    expected = -0.98 * math.log(0.98) - 0.02 * math.log(0.02)
    half = 2.0930240544 * math.sqrt(spread / 20) / expected  # Student's, 19 degrees of freedom
    assert result.upper == pytest.approx(result.estimate * math.exp(half))
    assert result.variance == pytest.approx(0)


def test_what_is_foretold_spreads_over_as_many_cases_as_are_seen_to_vary():
    p = np.linspace(0.96, 0.99, 20)
    loss, (first, second) = log_losses(p)
    spread = second.mean() - first.mean() ** 2
    half = 2.0930240544 * math.sqrt(spread / 19) / first.mean()
    result = mean_loss_interval(loss, (first, second))
    assert result.upper == pytest.approx(result.estimate * math.exp(half))
    ranking = th.Ranking(p[::-1], np.ones(20, dtype=int), np.zeros(20, dtype=int))
    same(log_loss_interval(ranking), result)


def test_a_ranking_has_the_interval_of_its_rows():
    rng = np.random.default_rng(3)
    score = rng.integers(1, 20, size=80) / 20
    labels = rng.random(80) < score
    _, foretold = log_losses(score)
    of_rows = mean_loss_interval(np.where(labels, -np.log(score), -np.log1p(-score)), foretold)
    same(log_loss_interval(th.rank(labels, score)), of_rows)
    assert of_rows.estimate == pytest.approx(th.log_loss(th.rank(labels, score)))


def test_certain_scores_of_a_ranking():
    assert log_loss_interval(th.Ranking([1, 0.5], [3, 1], [1, 1])).lower == math.inf
    right = log_loss_interval(th.Ranking([1, 0.5, 0], [3, 1, 0], [0, 1, 4]))
    assert right.estimate == pytest.approx(2 * math.log(2) / 9)
    assert 0 < right.lower < right.estimate < right.upper < 5
    assert log_loss_interval(th.Ranking([1, 0], [3, 0], [0, 4])).upper == math.inf


def test_equal_weights_are_no_weights_and_their_unit_does_not_matter():
    loss, foretold = log_losses(P)
    same(mean_loss_interval(loss, foretold, weight=np.full(P.size, 7.0)), mean_loss_interval(loss, foretold))
    weight = np.random.default_rng(1).exponential(size=P.size)
    one, million = (mean_loss_interval(loss, foretold, weight=weight * unit) for unit in (1, 1e6))
    same(one, million)
    share = weight / weight.sum()
    assert one.estimate == pytest.approx(share @ loss)
    assert one.variance == pytest.approx(8 / 7 * (share**2 * (loss - share @ loss) ** 2).sum())


def test_copies_of_a_row_in_a_cluster_add_nothing():
    loss, foretold = log_losses(P)
    many = np.repeat(loss, 10), tuple(np.repeat(each, 10) for each in foretold)
    result = mean_loss_interval(*many, cluster=np.repeat(np.arange(P.size), 10))  # type: ignore[arg-type]
    same(result, mean_loss_interval(loss, foretold))


def test_one_infinite_loss_makes_the_mean_infinite_for_sure():
    loss, foretold = log_losses(P)
    result = mean_loss_interval(np.append(loss, math.inf), tuple(np.append(each, 0.0) for each in foretold))  # type: ignore[arg-type]
    assert (result.estimate, result.lower, result.upper) == (math.inf, math.inf, math.inf)
    assert "probability 0" in result.note


def test_losses_without_spread():
    zero = np.zeros(5)
    certain = mean_loss_interval(zero, (zero, zero))
    assert (certain.lower, certain.upper) == (0, math.inf)
    assert "certain and right" in certain.note
    alike = mean_loss_interval(zero + 0.7, (zero + 0.7, zero + 0.49))
    assert alike.lower == pytest.approx(0.7)
    assert alike.upper == pytest.approx(0.7)
    assert "no spread" in alike.note
    bounded = mean_loss_interval(zero, (zero, zero), most=1.0)
    assert bounded.upper == pytest.approx(1 - 0.025 ** (1 / 5))


def test_log_losses_hold_their_mean_as_often_as_stated():
    """Scores that are true probabilities, uniform in [0, 1]: the mean log loss is ½."""
    held = []
    for seed in range(500):
        ranking = calibrated(60, seed)
        loss = np.where(ranking.pos > 0, -np.log(ranking.score), -np.log1p(-ranking.score))
        _, foretold = log_losses(ranking.score)
        held.append(0.5 in mean_loss_interval(loss, foretold))
    assert 0.92 <= np.mean(held) <= 0.98


def test_bad_input():
    loss, foretold = log_losses(P)
    with pytest.raises(th.errors.ArgumentError, match="one case has no spread"):
        log_loss_interval(th.Ranking([0.5], [1], [0]))
    with pytest.raises(th.errors.ProbabilityError):
        log_loss_interval(th.Ranking([2, 0.5], [1, 0], [0, 1]))
    with pytest.raises(th.errors.ArgumentError, match="level"):
        log_loss_interval(th.Ranking([0.9, 0.5], [1, 0], [0, 1]), level=95)
    with pytest.raises(th.errors.ArgumentError, match="one unit has no spread"):
        mean_loss_interval(loss, foretold, cluster=np.zeros(P.size, dtype=np.intp))


def test_a_declared_mix_has_a_variance_and_freedom_of_each_class():
    rng = np.random.default_rng(1)
    positive, loss = np.arange(60) < 6, rng.random(60)
    weight = np.where(positive, 0.2 / 6, 0.8 / 54)
    parts = [0.2**2 * loss[positive].var(ddof=1) / 6, 0.8**2 * loss[~positive].var(ddof=1) / 54]
    freedom = sum(parts) ** 2 / (parts[0] ** 2 / 5 + parts[1] ** 2 / 53)
    nothing = np.zeros(60), np.zeros(60)  # no spread foretold
    result = mean_loss_interval(loss, nothing, weight=weight, strata=positive)
    mean, half = float(weight @ loss), stats.t.ppf(0.975, freedom) * math.sqrt(sum(parts))
    assert result.variance == pytest.approx(sum(parts))
    assert math.log(result.upper / mean) == pytest.approx(half / mean)


@pytest.mark.parametrize("few", [8, 20])
def test_brier_at_a_declared_mix_covers_with_few_positives(few):
    def probability(x):
        return 1 / (1 + np.exp(0.5 - x))  # at a prevalence of one half

    grid = np.linspace(-8, 9, 20_001)
    truth = sum(
        np.trapezoid((probability(grid) - label) ** 2 * stats.norm.pdf(grid - label), grid) / 2 for label in (0, 1)
    )
    labels = np.arange(few + 200) < few
    weight = np.where(labels, 0.5 / few, 0.5 / 200)
    held = 0
    for seed in range(300):
        p = probability(np.random.default_rng(seed).normal(size=labels.size) + labels)
        held += truth in brier_of_rows(labels, p, weight=weight, declared_mix=True)
    assert 279 <= held <= 297


SPAM = th.Contingency(tp=30, fn=20, fp=10, tn=40)


@given(st.integers(0, 30), st.integers(1, 30), st.integers(0, 30), st.integers(1, 30))
def test_limits_hold_the_estimate_and_have_width(tp, fn, fp, tn):
    table = th.Contingency(tp=tp, fn=fn, fp=fp, tn=tn)
    for condition in (th.OperatingCondition(cost_ratio=4), th.OperatingCondition(prevalence=0.2, cost_fn=3, cost_tp=1)):
        result = table_interval(table, condition)
        assert result.estimate == pytest.approx(condition.expected_cost(table))
        assert result.lower <= result.estimate <= result.upper
        assert result.width > 0


def test_limits_grow_with_the_cost_of_the_uncertain_error():
    cheap, dear = (table_interval(SPAM, th.OperatingCondition(class_ratio=1, cost_fn=c)) for c in (1, 10))
    assert dear.width > 5 * cheap.width


def test_a_lone_rate_has_nearly_its_own_limits():
    """With false alarms next to free, expected cost is prevalence · cost_fn · fnr.

    Its limits are Wilson's for z² (1 + z² / 4n), because the number of positives is no longer fixed.
    """
    condition = th.OperatingCondition(prevalence=0.5, cost_fp=1e-12, cost_fn=2)
    z2 = stats.norm.ppf(0.975) ** 2
    level = 1 - 2 * float(stats.norm.sf(math.sqrt(z2 * (1 + z2 / 200))))
    result, fnr = table_interval(SPAM, condition), th.rate_interval(20, 50, level=level)
    assert result.lower == pytest.approx(fnr.lower)
    assert result.upper == pytest.approx(fnr.upper)


def test_a_class_without_cases_is_refused():
    with pytest.raises(th.errors.ArgumentError, match="class is absent"):
        table_interval(th.Contingency(tp=1, fn=2, fp=0, tn=0), th.OperatingCondition())


@given(st.tuples(*[st.integers(0, 30)] * 4).filter(lambda cells: cells[0] + cells[1] and cells[2] + cells[3]))
def test_with_the_mix_of_the_data_the_variance_is_that_of_the_costs_of_cases(cells):
    costs = 10.0, 11.5, 1.0, -0.5
    condition = th.OperatingCondition(cost_tp=10, cost_fn=11.5, cost_fp=1, cost_tn=-0.5)
    result = table_interval(th.Contingency(*cells), condition)
    by_case = np.repeat(costs, cells)
    assert result.estimate == pytest.approx(by_case.mean())
    assert result.variance == pytest.approx(by_case.var() / by_case.size, abs=1e-12)
    assert min(costs) <= result.lower <= result.estimate <= result.upper <= max(costs)
    assert result.width > 0


def test_where_everything_is_wrong_the_cost_may_be_lower():
    result = table_interval(th.Contingency(tp=0, fn=10, fp=10, tn=0), th.OperatingCondition())
    assert result.estimate == result.upper == 1
    assert result.lower < 0.95


@pytest.mark.parametrize(
    "costs", [{"cost_tp": 10, "cost_fn": 11, "cost_fp": 1}, {"cost_fn": 5}, {"cost_tn": -2, "cost_fn": 3, "cost_fp": 1}]
)
@pytest.mark.slow
def test_the_cost_of_a_sampled_mix_is_held_as_often_as_stated(costs):
    """13.6 % held the first of them while a sampled prevalence was taken as known.

    Nothing is drawn: the tables of 40 cases are gone through, and the probabilities of those that hold it added up.
    """
    condition = th.OperatingCondition(**costs)
    share = np.array([0.24, 0.06, 0.07, 0.63])
    truth = float(share @ [condition.cost_tp, condition.cost_fn, condition.cost_fp, condition.cost_tn])
    errors = [(fn, fp) for fn in range(14) for fp in range(14)]
    tables = np.array(
        [(tp, fn, fp, 40 - tp - fn - fp) for tp in range(1, 40) for fn, fp in errors if tp + fn + fp < 40]
    )
    chance = stats.multinomial.pmf(tables, 40, share)
    likely = chance > 3e-6
    held = [truth in table_interval(th.Contingency(*table), condition) for table in tables[likely].tolist()]
    assert chance[likely].sum() > 0.999
    assert 0.94 < chance[likely] @ held / chance[likely].sum() < 0.97


def test_a_higher_level_is_wider():
    for of in (lambda level: table_interval(SPAM, th.OperatingCondition(), level=level), _brier_of_the_spam_tree):
        assert of(level=0.5).width < of(level=0.9).width < of(level=0.99).width


def _brier_of_the_spam_tree(level):
    return brier_interval(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4 / 5, 2 / 3, 1 / 3]), level=level)


def test_errors_that_the_probabilities_foretell_widen_the_limits():
    """Ten right calls at 0.99 and 0.02 hide the error of 0.98 that one in some eighty such cases makes."""
    ranking = th.Ranking([0.99, 0.02], pos=[5, 0], neg=[0, 5])
    result = brier_interval(ranking)
    stated = np.array([0.99, 0.02])
    first, second = (stated * (1 - stated) ** k + (1 - stated) * stated**k for k in (2, 4))
    foretold = (second.mean() - first.mean() ** 2) / 9
    assert result.variance < foretold / 100
    deviation = stats.t.ppf(0.975, 9) * math.sqrt(foretold)
    mean = result.estimate
    logit = math.log(mean / (1 - mean))
    assert result.upper == pytest.approx(1 / (1 + math.exp(-logit - deviation / (mean * (1 - mean)))))


@given(two_class_rankings.filter(lambda r: r.total > 2))
def test_brier_moments_against_rows(ranking):
    probabilities = th.Ranking(np.linspace(0.95, 0.1, len(ranking)), ranking.pos, ranking.neg)
    score = np.concatenate([np.repeat(probabilities.score, side) for side in (ranking.pos, ranking.neg)])
    label = np.arange(score.size) < ranking.Pos
    errors = (score - label) ** 2
    result = brier_interval(probabilities)
    assert result.estimate == pytest.approx(errors.mean())
    assert result.variance == pytest.approx(errors.var(ddof=1) / errors.size, abs=1e-12)
    assert result.estimate == pytest.approx(th.brier(probabilities))
    assert result.lower < result.estimate < result.upper


def test_equal_errors_still_have_width():
    result = brier_interval(th.Ranking([1, 0], pos=[5, 0], neg=[0, 5]))
    assert result.estimate == 0
    assert result.upper > 0
    assert result.note


def test_bad_input_cost():
    with pytest.raises(th.errors.ProbabilityError):
        brier_interval(th.Ranking([3, 0], pos=[5, 0], neg=[0, 5]))
    with pytest.raises(th.errors.ArgumentError, match="one case"):
        brier_interval(th.Ranking([0.5], pos=[1], neg=[0]))
    with pytest.raises(th.errors.ArgumentError, match="level"):
        table_interval(SPAM, th.OperatingCondition(), level=95)
    assert math.isfinite(table_interval(SPAM, th.OperatingCondition()).variance)


def test_cells_of_equal_weight_are_ordered_by_place():
    """30 and 100 · (0.1 + 0.2) are equals, though the sum rounds higher."""
    condition = th.OperatingCondition(cost_tp=10, cost_fn=11, cost_fp=1)
    more = 100 * (0.1 + 0.2)
    assert more > 30
    exact, rounded = (table_interval(th.Contingency(tp=30.0, fn=0.0, fp=0.0, tn=tn), condition) for tn in (30.0, more))
    assert (rounded.lower, rounded.upper) == pytest.approx((exact.lower, exact.upper))


def test_errors_that_probabilities_foretell_spread_the_brier_score():
    """Where all went well, the spread is that of squared errors (1 - p)² with chance p and p² with chance 1 - p."""
    ranking = th.Ranking([0.95, 0.9, 0.1], [20, 10, 0], [0, 0, 30])
    p = np.repeat(ranking.score, (ranking.pos + ranking.neg))
    first = (p * (1 - p) ** 2 + (1 - p) * p**2).mean()
    second = (p * (1 - p) ** 4 + (1 - p) * p**4).mean()
    result = th.inference.brier_interval(ranking)
    half = float(stats.t.ppf(0.975, 59)) * np.sqrt((second - first**2) / 59) / (result.estimate * (1 - result.estimate))
    centre = np.log(result.estimate / (1 - result.estimate))
    limits = 1 / (1 + np.exp(-(centre - half))), 1 / (1 + np.exp(-(centre + half)))
    assert (result.lower, result.upper) == pytest.approx(limits)


@pytest.mark.parametrize("p", [0.9, 0.8, 0.999])
@pytest.mark.parametrize("cases", [(10, 7), (50, 47), (3, 11)])
def test_rounding_does_not_decide_whether_errors_are_alike(p, cases):
    ranking = th.Ranking([p, 1 - p], [cases[0], 0], [0, cases[1]])
    labels, scores = np.repeat([1, 0], cases), np.repeat([p, 1 - p], cases)
    weighted = th.inference.ScoredRows.of(labels, scores, weights=np.full(sum(cases), 0.3))
    for result in (brier_interval(ranking), brier_interval(weighted)):
        assert result.method == "exact"
        assert result.upper == pytest.approx(
            stats.beta.ppf(0.975, (1 - p) ** 2 * sum(cases) + 1, sum(cases) * (1 - (1 - p) ** 2))
        )
