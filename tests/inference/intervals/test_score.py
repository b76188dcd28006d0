"""Score limits against brute force, published limits and enumerated samples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import thresher as th
from tests.inference import oracles
from thresher.inference.intervals.table import RATES, count_calls, table_interval

Z = float(stats.norm.ppf(0.975))
SCORED = [name for name in th.MEASURES if name not in RATES]
tables = st.tuples(*[st.sampled_from([0, 0, 1, 2, 5, 12, 40, 300])] * 4).filter(
    lambda cells: cells[0] + cells[1] and cells[2] + cells[3]
)


@pytest.mark.parametrize(
    "cells", [(30, 20, 10, 40), (20, 0, 5, 975), (9, 1, 0, 10), (3, 7, 1, 90), (50, 0, 0, 50), (0, 4, 6, 30)]
)
@pytest.mark.parametrize("ratio", [None, 0.1])
def test_limits_are_the_ends_of_what_the_score_test_accepts(cells, ratio):
    """The definition, by trying 40,000 tables on its edge: they come near to the limits, and never beyond."""
    rng, x = np.random.default_rng(0), np.array(cells, dtype=float)
    away = rng.normal(size=(40_000, 4)) * rng.choice([0, 1], p=[0.3, 0.7], size=(40_000, 4))
    t = Z * away / np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-12)
    accepted = (np.sqrt(x + t * t / 4) + t / 2) ** 2
    distance = np.where(x > 0, (x - accepted) ** 2 / np.where(x > 0, accepted, 1), accepted).sum(axis=1)
    assert (distance < Z * Z + 1e-9).all()
    for name in SCORED:
        interval = table_interval(th.Contingency(*cells), name, class_ratio=ratio)
        if math.isnan(interval.estimate) or interval.method == "declared":
            continue
        values = np.asarray(th.MEASURES[name].of(th.Contingency(*accepted.T), class_ratio=ratio))
        least, most = np.nanmin(values), np.nanmax(values)
        near = 0.02 * (min(interval.upper, 10 * most) - interval.lower)
        assert -1e-7 * (1 + abs(least)) <= least - interval.lower <= near, name
        if math.isfinite(interval.upper):
            assert -1e-7 * (1 + abs(most)) <= interval.upper - most <= near, name


# Newcombe (1998), table II: his method 10 (Wilson's limits, combined) and method 4 (Mee's score limits).
NEWCOMBE = [
    ((56, 70, 48, 80), (0.0524, 0.3339), (0.0533, 0.3377)),
    ((9, 10, 3, 10), (0.1705, 0.8090), (0.1821, 0.8370)),
    ((6, 7, 2, 7), (0.0582, 0.8062), (0.0544, 0.8478)),
    ((5, 56, 0, 29), (-0.0381, 0.1926), (-0.0313, 0.1926)),
    ((0, 10, 0, 20), (-0.1611, 0.2775), (-0.1611, 0.2775)),
    ((0, 10, 0, 10), (-0.2775, 0.2775), (-0.2775, 0.2775)),
    ((10, 10, 0, 20), (0.6791, 1.0), (0.7225, 1.0)),
    ((10, 10, 0, 10), (0.6075, 1.0), (0.7225, 1.0)),
]


@pytest.mark.parametrize(("counts", "combined", "score"), NEWCOMBE)
def test_differences_of_rates_have_the_published_limits(counts, combined, score):
    """But for z⁴ / 4n more of z², which fixed totals would take off: at most 0.025 where seven cases are a sample."""
    a, m, b, n = counts
    result = th.interval(th.Contingency(tp=a, fn=m - a, fp=b, tn=n - b), "youden_j")
    for limit, published in ((result.lower, (combined[0], score[0])), (result.upper, (combined[1], score[1]))):
        assert min(published) - 0.025 <= limit <= max(published) + 0.025
    assert oracles.combined_wilson(*counts) == pytest.approx(combined, abs=1e-4)


def test_ratios_of_rates_have_the_published_limits():
    """Koopman (1984): 36 of 40 over 16 of 80 is 4.5 with limits 2.94 and 7.15."""
    result = th.interval(th.Contingency(tp=36, fn=4, fp=16, tn=64), "lr_plus")
    assert (result.estimate, result.lower, result.upper) == pytest.approx((4.5, 2.94, 7.15), rel=0.005)


def test_one_rate_has_wilsons_limits_for_a_little_more_than_z():
    """Of many cases none; of n, z² (1 + z² / 4n)."""
    for k, n in ((0, 20), (3, 10), (20, 20), (400, 1000)):
        table = th.Contingency(tp=k, fn=n - k, fp=50, tn=50)
        level = 1 - 2 * float(stats.norm.sf(Z * math.sqrt(1 + Z * Z / (4 * n))))
        wilson = th.rate_interval(k, n, level=level)
        result = th.interval(table, "accuracy", class_ratio=1e12)
        assert (result.lower, result.upper) == pytest.approx((wilson.lower, wilson.upper), abs=1e-6)


@settings(max_examples=20)
@given(tables)
def test_swapping_the_classes_mirrors_the_limits(cells):
    """A ratio becomes that of the other calls, and the rest stays as it is."""
    tp, fn, fp, tn = cells
    table, swapped, opposite = th.Contingency(*cells), th.Contingency(tn, fp, fn, tp), th.Contingency(fn, tp, tn, fp)
    for name in ("youden_j", "mcc", "kappa", "markedness", "g_mean", "dor"):
        one, other = table_interval(table, name), table_interval(swapped, name)
        assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), rel=1e-5, abs=1e-7, nan_ok=True)
    one, turned = table_interval(table, "youden_j"), table_interval(opposite, "youden_j")
    assert (turned.lower, turned.upper) == pytest.approx((-one.upper, -one.lower), rel=1e-5, abs=1e-7)


@settings(max_examples=30)
@given(tables, st.sampled_from([None, 0.01, 3.0]), st.sampled_from(SCORED))
def test_a_higher_level_holds_a_lower_one(cells, ratio, name):
    table = th.Contingency(*cells)
    low, high = (table_interval(table, name, class_ratio=ratio, level=level) for level in (0.8, 0.99))
    if not math.isnan(low.estimate):
        slack = 1e-7 * (1 + abs(low.lower))
        assert high.lower <= low.lower + slack <= low.estimate + slack
        assert low.estimate <= low.upper <= high.upper + slack


@pytest.mark.parametrize(
    ("counts", "away"),
    [
        (np.diag([1, 1, 1, 0]), {(0, 0): -0.4, (0, 2): 1.24, (1, 1): -0.68, (2, 0): 1.24, (2, 2): -0.4}),
        ([[0, 1, 0, 0], [0, 0, 1, 0], [0] * 4, [0] * 4], {(0, 1): -1.31, (1, 2): 0.7, (2, 1): 1.28}),
    ],
)
@pytest.mark.parametrize("name", ["kappa", "mcc"])
def test_limits_hold_what_the_test_accepts_also_where_classes_are_alike(counts, away, name):
    """A climb from a symmetric start ends where all that is alike stays alike."""
    x, t = np.array(counts, dtype=float), np.zeros_like(counts, dtype=float)
    for cell, deviations in away.items():
        t[cell] = deviations
    t *= 1.95 / np.linalg.norm(t)  # within 1.96 deviations
    classes = list(range(len(x)))
    accepted = th.ConfusionMatrix((np.sqrt(x + t * t / 4) + t / 2) ** 2, classes)
    assert getattr(accepted, name) in th.interval(th.ConfusionMatrix(x, classes), name)


def test_a_ratio_over_nothing_has_a_lower_limit_only():
    result = th.interval(th.Contingency(tp=10, fn=0, fp=0, tn=20), "lr_plus")
    assert (result.estimate, result.upper) == (math.inf, math.inf)
    assert 5 < result.lower < 7
    assert math.isnan(result.variance)
    nothing = th.interval(th.Contingency(tp=0, fn=10, fp=5, tn=20), "lr_plus")
    assert (nothing.estimate, nothing.lower) == (0, 0)
    assert 0 < nothing.upper < math.inf


def test_what_is_empty_by_chance_is_no_certainty():
    """With all 20 positives found, the delta method takes no account of them."""
    result = th.interval(th.Contingency(tp=20, fn=0, fp=98, tn=882), "youden_j")
    assert result.estimate == pytest.approx(0.9)
    assert result.lower < th.rate_interval(20, 20).lower - 0.1 + 0.005


def test_weights_of_one_class_do_not_change_what_the_other_says():
    """Every cell is as many cases as were seen in it, whatever they weigh."""
    positive = np.repeat([True, False], 50)
    calls = np.repeat([True, False, True, False], [45, 5, 10, 40])
    even = table_interval(th.contingency(positive, calls), "youden_j")
    heavy = table_interval(count_calls(positive, calls, weight=np.where(positive, 0.01, 2.0)), "youden_j")
    assert (heavy.lower, heavy.upper) == pytest.approx((even.lower, even.upper))


def coverage(name, share, cases, *, ratio=None):
    """How often limits hold the truth: the probabilities of all tables with given class sizes that do, added up."""
    (Pos, tpr), (Neg, fpr) = ((n, p) for n, p in zip(cases, share, strict=True))
    known = th.tables.measure(name)
    mix = Pos / Neg if ratio is None else ratio
    truth = float(known.of(th.Contingency(tpr, 1 - tpr, fpr, 1 - fpr), class_ratio=mix))
    held = total = 0.0
    for tp, fp in itertools.product(range(Pos + 1), range(Neg + 1)):
        chance = stats.binom.pmf(tp, Pos, tpr) * stats.binom.pmf(fp, Neg, fpr)
        if chance > 1e-7:
            interval = table_interval(th.Contingency(tp, Pos - tp, fp, Neg - fp), name, class_ratio=ratio)
            if not math.isnan(interval.estimate):
                total += chance
                held += chance * (interval.lower - 1e-9 <= truth <= interval.upper + 1e-9)
    return held / total


def test_a_rate_near_1_in_few_cases_is_held_as_often_as_stated():
    """The delta method held it in 89 %. Nothing is drawn: all tables are gone through."""
    assert 0.93 <= coverage("youden_j", (0.9, 0.05), (20, 60)) <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [None, 0.25])
@pytest.mark.parametrize(
    ("cases", "prevalence", "tpr", "fpr"),
    [
        (1000, 0.02, 0.9, 0.02),
        (1000, 0.01, 0.95, 0.3),
        (2000, 0.005, 0.7, 0.05),
        (100, 0.5, 0.98, 0.02),
        (30, 0.3, 0.9, 0.2),
    ],
)
def test_measures_are_held_as_often_as_stated_where_positives_are_few(cases, prevalence, tpr, fpr, ratio):
    """The delta method held J in 42 to 96 %, MCC in 49 to 97 %, lift in 81 to 96 %."""
    share = np.array([prevalence * tpr, prevalence * (1 - tpr), (1 - prevalence) * fpr, (1 - prevalence) * (1 - fpr)])
    drawn, times = np.unique(np.random.default_rng(1).multinomial(cases, share, size=300), axis=0, return_counts=True)
    for name in ("youden_j", "g_mean", "lr_plus", "lr_minus", "lift", "mcc", "kappa", "markedness", "f1"):
        truth = float(th.tables.measure(name).of(th.Contingency(*share), class_ratio=ratio))
        intervals = [table_interval(th.Contingency(*cells), name, class_ratio=ratio) for cells in drawn.tolist()]
        known = np.array([not math.isnan(each.estimate) for each in intervals])
        held = np.array([each.lower - 1e-9 <= truth <= each.upper + 1e-9 for each in intervals])
        assert 0.91 <= np.average(held[known], weights=times[known]) <= 0.99, name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "recall", "calls"),
    [
        ([10, 10, 10], [0.9] * 3, [1, 1, 1]),
        ([5, 20, 200], [0.8] * 3, [1, 1, 1]),
        ([50, 50, 50, 10, 5], [0.9] * 5, [1] * 5),
        ([500, 50, 20], [0.98, 0.7, 0.2], [1, 1, 0.1]),
    ],
)
def test_averages_over_small_classes_are_held_as_often_as_stated(sizes, recall, calls):
    """The delta method held macro recall in 54 to 97 %, macro precision in 48 to 97 %, macro F1 in 61 to 97 %."""
    k = len(sizes)
    wrong = np.array(calls) * (1 - np.eye(k))
    share = np.array(sizes)[:, np.newaxis] * (
        np.diag(recall) + (1 - np.array(recall))[:, np.newaxis] * wrong / wrong.sum(axis=1, keepdims=True)
    )
    drawn = np.random.default_rng(2).multinomial(sum(sizes), (share / share.sum()).ravel(), size=200)
    for name in ("macro_recall", "macro_precision", "macro_f1", "mcc", "kappa"):
        truth = getattr(th.ConfusionMatrix(share, list(range(k))), name)
        intervals = [th.interval(th.ConfusionMatrix(cells.reshape(k, k), list(range(k))), name) for cells in drawn]
        held = [each.lower <= truth <= each.upper for each in intervals if not math.isnan(each.estimate)]
        assert np.mean(held) >= 0.91, name
