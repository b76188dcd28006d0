"""The class ratio from scores alone: coverage under label shift, refutation where it fails."""

import math
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher.errors import ThresherError
from thresher.inference import class_ratio_interval, label_shift_test


def sample(rng, pos, neg, *, shift=1.5, spread=1.0):
    return np.concatenate([rng.normal(shift, 1, pos), rng.normal(0, spread, neg)])


def reference_of(rng, pos, neg):
    return th.rank(np.arange(pos + neg) < pos, sample(rng, pos, neg))


def as_shares(interval):
    return [limit / (1 + limit) if math.isfinite(limit) else 1.0 for limit in (interval.lower, interval.upper)]


def test_limits_cover_under_label_shift():
    rng = np.random.default_rng(1)
    inside: dict[Any, int] = dict.fromkeys(("feasible", "bbse", "mlls"), 0)
    widths: dict[str, list[float]] = {name: [] for name in inside}
    for seed in range(120):
        reference = reference_of(rng, 300, 1200)
        positives = rng.binomial(2000, 0.2)
        scores = sample(rng, positives, 2000 - positives)
        for method in inside:
            interval = class_ratio_interval(reference, scores, method=method, threshold=1.0, seed=seed)
            lower, upper = as_shares(interval)
            inside[method] += lower <= 0.2 <= upper
            widths[method].append(upper - lower)
    assert inside["feasible"] == 120
    assert inside["bbse"] >= 107
    assert inside["mlls"] >= 107
    assert np.mean(widths["mlls"]) < np.mean(widths["bbse"]) < np.mean(widths["feasible"])


def test_limits_at_every_look_are_wider():
    rng = np.random.default_rng(2)
    reference, scores = reference_of(rng, 300, 1200), sample(rng, 300, 1200)
    once, always = (class_ratio_interval(reference, scores, method="feasible", anytime=each) for each in (False, True))
    assert always.lower <= once.lower < once.upper <= always.upper
    assert always.width > once.width


def test_label_shift_is_refuted_where_negatives_spread_and_not_where_positives_score_as_negatives():
    rng = np.random.default_rng(3)
    reference = reference_of(rng, 500, 4500)
    spread = sample(rng, 1000, 4000, spread=1.5)
    assert label_shift_test(reference, spread).refuted
    assert math.isnan(class_ratio_interval(reference, spread, method="feasible").estimate)
    # Positives of which 40 % score as negatives do are fewer positives to any test, so "not refuted" is not "true".
    weak = np.concatenate([sample(rng, 600, 400), sample(rng, 0, 4000)])
    test = label_shift_test(reference, weak)
    assert not test.refuted
    assert as_shares(class_ratio_interval(reference, weak))[1] < 0.2
    assert "would have noticed a gap of 0.0" in str(test)


def test_the_test_keeps_its_level():
    rng = np.random.default_rng(4)
    refuted = 0
    for seed in range(60):
        reference = reference_of(rng, 300, 1200)
        refuted += label_shift_test(reference, sample(rng, 400, 1600), seed=seed, replicates=100).refuted
    assert refuted <= 9


def test_counts_are_rows_and_order_does_not_matter():
    rng = np.random.default_rng(5)
    reference = reference_of(rng, 200, 800)
    scores = sample(rng, 100, 400).round(1)
    values, counts = np.unique(scores, return_counts=True)
    for method in ("feasible", "bbse", "mlls"):
        rows = class_ratio_interval(reference, scores, method=method, threshold=1.0)
        counted = class_ratio_interval(reference, values[::-1], counts[::-1], method=method, threshold=1.0)
        assert (rows.estimate, rows.lower, rows.upper) == (counted.estimate, counted.lower, counted.upper)


def test_only_positives_and_only_negatives():
    rng = np.random.default_rng(8)
    reference = reference_of(rng, 500, 500)
    assert class_ratio_interval(reference, sample(rng, 0, 2000)).lower == 0
    assert class_ratio_interval(reference, sample(rng, 2000, 0)).upper == math.inf


def test_a_threshold_that_tells_nothing_is_refused():
    rng = np.random.default_rng(7)
    reference = reference_of(rng, 50, 50)
    with pytest.raises(ThresherError, match="too close"):
        class_ratio_interval(reference, [0.1], method="bbse", threshold=-9)
    with pytest.raises(ThresherError, match="needs a threshold"):
        class_ratio_interval(reference, [0.1], method="bbse")
    with pytest.raises(ThresherError, match="do not belong together"):
        class_ratio_interval(reference, [0.1, math.nan])
