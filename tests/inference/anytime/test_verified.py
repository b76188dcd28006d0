"""Recall, cost and precision from partial labels; the ladder; estimates helped by scores."""

import math
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import inference
from thresher.errors import ThresherError


def test_hepatic_scintigraphy():
    """Drum & Christacopoulos (1972), the example of Begg & Greenes (1983)."""
    table = inference.verified_table(tp=231, fp=32, fn=27, tn=54, called_unverified=166, other_unverified=140)
    assert round(table.recall.estimate, 4) == 0.8365
    assert round(table.specificity.estimate, 4) == 0.7384
    apparent = table.recall.apparent, table.specificity.apparent
    assert apparent == pytest.approx((0.8953, 0.6279), abs=5e-5)


def test_everything_verified_needs_no_correction():
    table = inference.verified_table(tp=40, fp=10, fn=20, tn=30)
    assert table.recall.estimate == pytest.approx(40 / 60)
    assert table.specificity.estimate == pytest.approx(30 / 40)
    with pytest.raises(ThresherError, match="no row is verified"):
        inference.verified_table(tp=40, fp=10, fn=0, tn=0, other_unverified=100)


def test_begg_and_greenes_limits_cover():
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(400):
        positive = rng.random(1500) < 0.2
        alarm = rng.random(1500) < np.where(positive, 0.8, 0.1)
        seen = rng.random(1500) < np.where(alarm, 0.8, 0.15)
        cells = {
            "tp": (positive & alarm & seen).sum(),
            "fp": (~positive & alarm & seen).sum(),
            "fn": (positive & ~alarm & seen).sum(),
            "tn": (~positive & ~alarm & seen).sum(),
        }
        rest = {"called_unverified": (alarm & ~seen).sum(), "other_unverified": (~alarm & ~seen).sum()}
        counts = {name: int(value) for name, value in (cells | rest).items()}
        inside += 0.8 in inference.verified_table(**counts).recall
    assert 0.92 <= inside / 400 <= 0.98


def test_recall_and_cost_have_limits_where_those_of_the_missed_are():
    missed = inference.drawn_count_interval(2, 500, 20_000)
    recall = inference.recall_interval(180, missed)
    assert (round(recall.lower, 3), round(recall.upper, 3)) == (0.335, 0.973)
    stream = inference.recall_interval(180, inference.stream_count_interval(2, 20_000, propensity=0.025))
    assert (round(stream.lower, 2), round(stream.upper, 2)) == (0.32, 0.99)
    assert inference.recall_interval(180, inference.drawn_count_interval(9, 300, 300)).width == 0
    condition = th.OperatingCondition(cost_fp=3, cost_fn=50, cost_tp=-1, cost_tn=0.5)
    cost = inference.expected_cost_interval(condition, tp=180, alarms=300, missed=missed, others=20_000)
    for count, limit in ((missed.lower, cost.lower), (missed.upper, cost.upper)):
        table = th.Contingency(tp=180, fp=120, fn=count, tn=20_000 - count)
        assert limit == pytest.approx(condition.expected_cost(table))
    half = inference.mean_interval(150, 300, unlabelled=20, level=0.975)
    tp = th.Interval(160, 300 * half.lower, 300 * half.upper, math.nan, 0.975, "anytime")
    joint = inference.recall_interval(tp, inference.drawn_count_interval(2, 500, 20_000, level=0.975))
    assert joint.level == pytest.approx(0.95)
    assert joint.width > recall.width


def test_measures_have_limits_at_corners():
    missed = inference.drawn_count_interval(2, 500, 20_000)
    tp = th.Interval(160, 150, 175, 0.0, 0.95, "anytime")
    for measure in ("fpr", "tnr", "npv", "precision", "accuracy", "f1", "prevalence"):
        limits = inference.measure_interval(measure, tp=tp, alarms=300, missed=missed, others=20_000)
        for right in np.linspace(150, 175, 6):
            for lost in np.linspace(missed.lower, missed.upper, 6):
                table = th.Contingency(tp=right, fp=300 - right, fn=lost, tn=20_000 - lost)
                assert limits.lower - 1e-12 <= getattr(table, measure) <= limits.upper + 1e-12


def test_bands_mend_a_review_that_takes_the_highest_scores_first():
    rng = np.random.default_rng(2)
    inside, naive = 0, []
    for _ in range(60):
        score = rng.random(2000)
        positive = rng.random(2000) < 0.38 + 0.62 * score
        reviewed = rng.random(2000) < np.where(score > 0.75, 1, 0.07)
        band = (score * 4).astype(int)
        k, n, rest = (
            np.bincount(band, weights=each, minlength=4) for each in (positive & reviewed, reviewed, ~reviewed)
        )
        naive.append(k.sum() / n.sum())
        inside += positive.mean() in inference.stratified_precision(k, n, rest)
    assert np.mean(naive) > 0.8
    assert inside >= 55
    assert inference.stratified_precision([5], [9], [0]).width == 0


def test_step_0_holds_always_and_complaints_lower_the_upper_end_only():
    for missed in (0, 3, 700, 20_000):
        truth = 180 / (180 + missed)
        assert truth in inference.worst_case_recall(180, 20_000, reported=min(missed, 3)).interval
    assert (
        inference.worst_case_recall(180, 20_000, reported=9).interval.lower
        == inference.worst_case_recall(180, 20_000).interval.lower
    )
    with pytest.raises(ThresherError, match="reported misses"):
        inference.worst_case_recall(1, 2, reported=3)


def test_step_1_holds_while_the_share_rises_and_is_refuted_where_it_falls():
    rng = np.random.default_rng(3)
    inside = refuted = 0
    for _ in range(100):
        k = rng.binomial(150, [0.1, 0.4, 0.8])
        missed = rng.binomial(5000, 0.02)
        step = inference.rising_recall(k.sum(), 5000, k, [150] * 3)
        inside += step.interval.lower <= k.sum() / (k.sum() + missed)
        refuted += bool(step.refuted)
    assert inside == 100
    assert refuted <= 5
    fallen = inference.rising_recall(100, 5000, [60, 30, 10], [150] * 3)
    assert fallen.refuted
    assert math.isnan(fallen.interval.lower)
    assert fallen.refutation


def test_step_2_covers_under_covariate_shift_and_is_refuted_by_other_precisions():
    rng = np.random.default_rng(4)
    score = np.array([0.9, 0.6, 0.3, 0.1, 0.03])
    share = np.array([0.85, 0.5, 0.2, 0.08, 0.01])
    inside = 0
    for _ in range(200):
        cases = np.array([100, 150, 300, 800, 1500])
        pos = rng.binomial(cases, share)
        rows = np.array([0, 0, 500, 3000, 9000])
        missed = rng.binomial(rows, share).sum()
        step = inference.covariate_shift_recall(
            300, th.Ranking(score, pos, cases - pos), score[2:], rows[2:], threshold=0.5, k=[170, 50], n=[200, 100]
        )
        inside += missed in step.missed
        assert not step.refuted
    assert 0.92 <= inside / 200 <= 0.995
    reference = th.Ranking(score, pos, cases - pos)
    other = inference.covariate_shift_recall(300, reference, [0.1], [100], threshold=0.5, k=[40, 10], n=[200, 100])
    assert other.refuted


def test_step_3_is_refuted_where_negatives_have_changed():
    rng = np.random.default_rng(5)
    reference = th.rank(np.arange(5000) < 1000, rng.normal(size=5000) + 1.5 * (np.arange(5000) < 1000))
    fine = rng.normal(size=4000) + 1.5 * (rng.random(4000) < 0.3)
    wide = np.where(rng.random(4000) < 0.2, rng.normal(1.5, 1, 4000), rng.normal(0, 1.5, 4000))
    for scores, refuted in ((fine, False), (wide, True)):
        test = inference.label_shift_test(reference, scores)
        ratio = inference.class_ratio_interval(reference, scores)
        step = inference.label_shift_recall(reference, ratio, 4000, test, threshold=1.0)
        assert step.refuted is refuted
        assert math.isnan(step.interval.estimate) is refuted
    fine_test, ratio = inference.label_shift_test(reference, fine), inference.class_ratio_interval(reference, fine)
    for k, refuted in ((60, False), (5, True)):  # the reference implies a precision of about 0.65
        assert (
            inference.label_shift_recall(reference, ratio, 4000, fine_test, threshold=1.0, k=k, n=100).refuted
            is refuted
        )


def test_scores_help_and_hurt_little():
    rng = np.random.default_rng(6)
    inside, ratios = 0, []
    for _ in range(150):
        f = rng.beta(0.6, 3, 4000)
        y = rng.random(4000) < f
        drawn = rng.permutation(4000)[:600]
        sums: dict[str, Any] = {
            "n": [600],
            "k": [y[drawn].sum()],
            "sum_f": [f[drawn].sum()],
            "sum_f_squares": [(f[drawn] ** 2).sum()],
            "sum_f_positives": [f[drawn][y[drawn]].sum()],
        }
        helped = inference.difference_count_interval(rows=[4000], predicted=[f.sum()], **sums)
        plain = inference.difference_count_interval(rows=[4000], predicted=[f.sum()], weight=0, **sums)
        inside += y.sum() in helped
        ratios.append(helped.width / plain.width)
        assert plain.estimate == pytest.approx(4000 * y[drawn].mean())
    assert inside >= 143
    assert max(ratios) <= 1.02
    assert np.mean(ratios) < 0.95


def test_hajek_of_equal_propensities_is_the_share_of_the_drawn():
    share = inference.weighted_share_interval(
        weights=4000, positive_weights=800, squares=160_000, positive_squares=32_000, n=100
    )
    assert share.estimate == 0.2
    assert share.variance == pytest.approx(0.2 * 0.8 / 100)
