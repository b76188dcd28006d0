"""Calibration evidence, regret, allocation: laws and brute force."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

import thresher as th
from thresher import inference
from thresher.calibration.cox import calibration_slope
from thresher.tables import contingency_at

EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])


def labelled(rng, n, *, intercept=0.0, slope=1.0):
    p = rng.beta(1.2, 3, n).round(2).clip(0.01, 0.99)
    return th.rank(rng.random(n) < expit(slope * logit(p) + intercept), p)


def test_calibrated_probabilities_are_rarely_refuted_and_wrong_ones_soon():
    rng = np.random.default_rng(1)
    assert sum(inference.calibration_evidence(labelled(rng, 250)).refuted for _ in range(30)) <= 4
    assert all(inference.calibration_evidence(labelled(rng, 900, intercept=0.5)).refuted for _ in range(3))
    assert all(inference.calibration_evidence(labelled(rng, 900, slope=0.6)).refuted for _ in range(3))


def test_the_region_is_centred_on_coxs_estimates_and_holds_the_truth():
    rng = np.random.default_rng(2)
    for _ in range(20):
        rows = labelled(rng, 500, intercept=-0.4, slope=1.3)
        result = inference.calibration_evidence(rows)
        assert result.slope.estimate == pytest.approx(calibration_slope(rows), abs=1e-4)
        assert -0.4 in result.intercept
        assert 1.3 in result.slope
    assert result.refuted == (result.evidence >= 20)


def test_rankings_add_and_certain_errors_are_infinite():
    rng = np.random.default_rng(3)
    first, second = labelled(rng, 100), labelled(rng, 100)
    log = [math.log(inference.calibration_evidence(one).evidence) for one in (first + second, second + first)]
    assert log[0] == pytest.approx(log[1])
    sure = inference.calibration_evidence(th.Ranking([1.0, 0.5, 0.0], pos=[3, 2, 1], neg=[0, 2, 4]))
    assert (sure.evidence, sure.certain_and_wrong, sure.refuted) == (math.inf, 1, True)
    right = inference.calibration_evidence(th.Ranking([1.0, 0.0], pos=[3, 0], neg=[0, 4]))
    assert right.evidence == pytest.approx(1)
    assert not right.refuted


def test_one_class_leaves_the_region_open():
    result = inference.calibration_evidence(th.Ranking([0.9, 0.6], pos=[3, 2], neg=[0, 0]))
    assert result.intercept.upper == math.inf


def test_class_ratios_for_which_a_threshold_is_the_cheapest():
    condition = th.OperatingCondition(cost_ratio=2)
    assert inference.class_ratio_range(EMAILS, 0.28, condition) == (0.375, math.inf)
    for threshold in EMAILS.thresholds():
        limits = inference.class_ratio_range(EMAILS, threshold, condition)
        for ratio in (0.1, 0.2, 0.3, 0.5, 0.8, 2.0):
            stated = th.OperatingCondition(cost_ratio=2, class_ratio=ratio)
            best = min(stated.expected_cost(contingency_at(EMAILS, float(each))) for each in EMAILS.thresholds())
            cheapest = stated.expected_cost(contingency_at(EMAILS, float(threshold))) <= best + 1e-12
            assert cheapest == (limits is not None and limits[0] <= ratio <= limits[1])


@given(st.floats(0.02, 4), st.floats(1, 5), st.sampled_from([0.85, 0.56, 0.45, 0.28, 0.18]), st.floats(0.2, 9))
def test_regret_lies_between_its_limits_everywhere(lower, factor, threshold, cost_ratio):
    ratio = th.Interval(lower * math.sqrt(factor), lower, lower * factor, 0.0, 0.95, "mlls")
    condition = th.OperatingCondition(cost_fp=1.5, cost_fn=1.5 * cost_ratio + 0.2, cost_tp=0.2)
    limits = inference.regret_interval(EMAILS, threshold, condition, ratio)
    for share in np.linspace(0, 1, 13):
        at_ratio = lower + share * (ratio.upper - lower)
        stated = th.OperatingCondition(
            cost_fp=1.5, cost_fn=1.5 * cost_ratio + 0.2, cost_tp=0.2, class_ratio=float(at_ratio)
        )
        costs = [stated.expected_cost(contingency_at(EMAILS, float(each))) for each in EMAILS.thresholds()]
        regret = stated.expected_cost(contingency_at(EMAILS, threshold)) - min(costs)
        assert limits.lower - 1e-9 <= regret <= limits.upper + 1e-9


@pytest.mark.parametrize(("k", "verdict"), [(6, "raise"), (20, "undecided"), (35, "pays")])
def test_the_lowest_band_of_alarms(k, verdict):
    assert inference.alarm_band(k, 120, th.OperatingCondition(cost_ratio=5)).verdict == verdict


def test_parts_of_the_change_add_up_and_name_the_remedy():
    rng = np.random.default_rng(4)
    condition = th.OperatingCondition(cost_ratio=5)
    world = lambda n, shift, move, share: th.rank(  # noqa: E731
        (y := rng.random(n) < share), rng.normal(size=n) + shift * y + move
    )
    reference = world(20_000, 2.0, 0, 0.2)
    threshold = th.choose(reference, condition).threshold
    worlds = {
        "refit": (world(20_000, 0.8, 0, 0.2), 0.25),
        "recalibrate": (world(20_000, 2.0, 1.2, 0.2), 0.25),
        "move the threshold": (world(20_000, 2.0, 0, 0.7), 7 / 3),
    }
    for remedy, (today, ratio) in worlds.items():
        change = inference.cost_change(reference, today, threshold, condition, class_ratio=ratio)
        assert change.remedy == remedy
        parts = change.mix + change.threshold + change.calibration + change.ranking
        assert parts == pytest.approx(change.now - change.promised)
    later = inference.cost_change(reference, worlds["refit"][0], threshold, condition, class_ratio=0.25)
    assert later.rows_to_pay(100) > 0


def variance(labels, rows, deviation):
    with np.errstate(divide="ignore"):
        return float((rows**2 * deviation**2 / labels).sum())


@given(
    st.lists(st.tuples(st.integers(4, 30), st.floats(0.01, 0.5)), min_size=2, max_size=3),
    st.integers(6, 14),
)
def test_allocation_is_the_best_of_all(strata, budget):
    rows, deviation = (np.array(column, dtype=float) for column in zip(*strata, strict=True))
    labels = inference.allocation(budget, rows, deviation)
    floor = np.minimum(rows, np.maximum(2, np.floor(0.1 * budget / rows.size)))
    assert labels.sum() == min(budget, rows.sum())
    assert (labels >= floor).all()
    assert (labels <= rows).all()
    choices = itertools.product(*(range(int(low), int(high) + 1) for low, high in zip(floor, rows, strict=True)))
    best = min(variance(np.array(one), rows, deviation) for one in choices if sum(one) == labels.sum())
    assert variance(labels, rows, deviation) <= best * (1 + 1e-9)


def test_allocation_ends():
    assert inference.allocation(10, [3, 3], [0.1, 0.1]).tolist() == [3, 3]
    assert inference.allocation(1, [9, 9, 9], [0.1, 0.1, 0.1]).sum() == 1
    assert inference.allocation(20, [100, 100], [0, 0]).sum() == 20
    assert inference.allocation(20, [100, 100], [0.5, 0.5], labelled=[60, 0]).tolist() == [1, 19]


def test_neyman_saves_labels_where_positives_are_rare():
    rows = np.array([15_000.0, 4000, 900, 100])
    share = np.array([0.0005, 0.005, 0.05, 0.4])
    deviation = np.sqrt(share * (1 - share))
    p = float(rows @ share / rows.sum())
    simple = rows.sum() ** 2 * p * (1 - p) / 600
    assert 1 - variance(inference.allocation(600, rows, deviation), rows, deviation) / simple >= 0.4


def test_permanent_random_numbers():
    ids = [f"tx-{i}" for i in range(4000)]
    u = inference.permanent_random_numbers(ids, "salt")
    assert ((u >= 0) & (u < 1)).all()
    assert np.array_equal(u[::-1], inference.permanent_random_numbers(ids[::-1], "salt"))
    assert abs(np.histogram(u, 10, (0, 1))[0] - 400).max() < 80
    other = inference.permanent_random_numbers(ids, "pepper")
    assert abs(np.corrcoef(u, other)[0, 1]) < 0.06
    assert inference.permanent_random_numbers(["a\x00b"], "s") != inference.permanent_random_numbers(["b"], "s\x00a")


def test_probabilities_read_off_few_cases_are_refuted_by_change_alone():
    rng, number = np.random.default_rng(8), 30
    refuted = {(shift, allowed): 0 for shift in (0.0, 0.9) for allowed in (False, True)}
    for _ in range(number):
        p = expit(rng.normal(-2, 1.5, 20))
        before = rng.binomial(100, p)
        stated = (before + 0.5) / 101
        stated = stated - np.arange(20) * 1e-9  # equal shares are segments of their own
        order = np.argsort(-stated)
        reference = th.Ranking(stated[order], before[order], (100 - before)[order])
        for shift in (0.0, 0.9):
            k = rng.binomial(1000, expit(logit(p) + shift))[order]
            labelled = th.Ranking(stated[order], k, 1000 - k)
            refuted[shift, False] += inference.calibration_evidence(labelled).refuted
            refuted[shift, True] += inference.calibration_evidence(labelled, reference=reference).refuted
    assert refuted[0.0, False] > 0.2 * number  # 100 cases a range are not the truth
    assert refuted[0.0, True] <= 0.05 * number
    assert refuted[0.9, True] >= 0.7 * number
