"""Distributions that move, one look's distances, and who is named among many columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from thresher.errors import ThresherError
from thresher.inference import detector, distance, drift, e_benjamini_hochberg, stability_index


def test_a_move_within_the_tolerance_is_none_however_many_rows_there_are():
    reference = np.full(20, 10_000)
    moved = np.full(20, 50_000)
    moved[0], moved[-1] = 48_000, 52_000
    assert not drift(reference, [moved] * 200).alarm  # equality would be refuted within a day
    moved[:2], moved[-1] = 0, 150_000
    result = drift(reference, [np.full(20, 50_000)] * 30 + [moved])
    assert result.alarm
    assert result.detector.change == 30
    assert result.share - result.reference == pytest.approx(0.1)


def test_no_move_rarely_alarms_and_a_large_one_soon_does():
    rng = np.random.default_rng(2)
    reference = rng.multinomial(5000, np.full(10, 0.1))
    same = rng.multinomial(50, np.full(10, 0.1), 400)
    assert max(drift(reference, same[i : i + 40], run_length=40).detector.log_path.max() for i in range(0, 400, 40)) < 2
    tilted = rng.multinomial(50, np.linspace(0.02, 0.18, 10), 12)
    assert drift(reference, np.concatenate([same[:20], tilted])).alarm


def test_categories_are_compared_by_their_own_shares():
    reference = [500, 300, 150, 50]
    swapped = [[50, 30, 15, 5]] * 5 + [[50, 5, 40, 5]] * 5
    assert drift(reference, swapped, ordered=False).cut in (1, 2)
    assert drift(reference, swapped, ordered=False).alarm
    with pytest.raises(ThresherError, match="cells"):
        drift([1, 2, 3], [[1, 2]])


def test_two_cells_agree_with_a_detector_of_the_rate():
    k, n = np.array([20, 20, 45, 50]), np.full(4, 1000)
    both = drift([98_000, 2000], np.column_stack([n - k, k]), tolerance=0.005)
    limit = both.reference + 0.005 + both.margin
    alone = detector(k, n, at_most=limit)
    assert both.detector.evidence == pytest.approx(alone.evidence / 2, rel=0.01)  # the other half watches for less
    ever = detector(k, n, at_most=limit, ever=0.05)
    assert both.e_value == pytest.approx(ever.evidence / 2, rel=0.01)


@given(st.lists(st.floats(0, 300), min_size=1, max_size=8), st.sampled_from([0.8, 0.95]))
def test_e_benjamini_hochberg_by_definition(values, level):
    refuted = e_benjamini_hochberg(values, level=level)
    ranked = sorted(values, reverse=True)
    largest = max((k for k in range(1, len(values) + 1) if k * ranked[k - 1] >= len(values) / (1 - level)), default=0)
    assert len(refuted) == largest
    assert not largest or min(np.array(values)[refuted]) >= ranked[largest - 1]


def test_distances_are_scipys():
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=80).round(1), rng.normal(0.5, 1.2, 60).round(1)
    score = np.union1d(first, second)
    counts = [np.array([(rows == s).sum() for s in score]) for rows in (first, second)]
    result = distance(score, *counts)
    assert result.kolmogorov_smirnov == pytest.approx(stats.ks_2samp(first, second).statistic)
    assert result.p_value == pytest.approx(stats.ks_2samp(first, second, method="asymp").pvalue, abs=0.01)
    assert result.wasserstein == pytest.approx(stats.wasserstein_distance(first, second))
    assert result.energy == pytest.approx(stats.energy_distance(first, second) ** 2)


def test_the_stability_index_alarms_by_size_alone():
    rng = np.random.default_rng(4)
    reference = np.full(10, 10_000)
    flagged = {}
    for n in (50, 100, 200):
        batches = rng.multinomial(n, np.full(10, 0.1), 400)
        results = [stability_index(reference, batch) for batch in batches]
        flagged[n] = np.mean([one.value >= 0.1 for one in results])
        assert np.mean([one.p_value <= 0.05 for one in results]) < 0.12
        assert str(results[0].cautions[0]).startswith("psi-depends-on-size")
    assert flagged[50] > 0.75
    assert 0.28 < flagged[100] < 0.45
    assert flagged[200] < 0.06
    doubled = stability_index([990, 10], [98_000, 2000]).value
    assert doubled < 0.1  # an alarm rate of 1 % that doubles
    assert detector([2000], [100_000], at_most=0.0125).alarm
