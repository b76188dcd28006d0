"""Alarms over cohorts: mean run length, delay, what late labels may not do."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.errors import ThresherError
from thresher.inference import detector
from thresher.inference.anytime.mixture import log_factor, nodes

COUNTS = st.lists(
    st.integers(0, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=12
)


@given(COUNTS, st.sampled_from([("below", "at_least"), ("above", "at_most")]), st.booleans())
def test_evidence_is_the_sum_over_starts(counts, side, ever):
    k, n = np.array(counts, dtype=float).T
    grid, total = nodes(0.95, 50, side[0]), 0.0
    for start in range(len(k)):
        weight = 6 / (math.pi * (start + 1)) ** 2 if ever else 1
        logs = grid.log_odds * k[start:].sum() - n[start:].sum() * log_factor(grid.log_odds, 0.7)
        total += weight * float(np.exp(grid.log_weight + logs).sum()) * (n[start] > 0)
    result = detector(k, n, **{side[1]: 0.7}, ever=0.05 if ever else None)
    assert result.evidence == pytest.approx(total)
    assert result.change is None or n[result.change] > 0
    assert (result.change is None) == (n.sum() == 0)


@given(COUNTS)
def test_the_path_is_what_each_cohort_would_have_shown(counts):
    k, n = np.array(counts, dtype=float).T
    path = detector(k, n, at_most=0.3).log_path
    for end in range(1, len(k) + 1):
        evidence = detector(k[:end], n[:end], at_most=0.3).evidence
        assert math.exp(path[end - 1]) == pytest.approx(evidence)


def test_silence_raises_no_alarm():
    assert detector([0] * 900, [0] * 900, at_least=0.8, run_length=100).evidence == 0
    assert not detector([0] * 900, [30] * 900, unlabelled=[30] * 900, at_least=0.8, run_length=100).alarm


@given(COUNTS, st.integers(0, 9))
def test_an_unlabelled_row_never_speaks_against_the_promise(counts, unlabelled):
    k, n = np.array(counts, dtype=float).T
    n[-1] += unlabelled
    waiting = np.zeros(len(k))
    waiting[-1] = unlabelled
    bound = detector(k, n, at_least=0.6, unlabelled=waiting).log_path[-1]
    for positive in range(unlabelled + 1):
        k_later = k.copy()
        k_later[-1] += positive
        assert bound <= detector(k_later, n, at_least=0.6).log_path[-1] + 1e-9


def run_lengths(rate, *, runs, promise=0.8, rows=30, length=50, most=600, seed=0):
    """Cohorts until the first alarm, labels at once: the recursion over all runs together."""
    rng = np.random.default_rng(seed)
    grid = nodes(0.95, 50, "below")
    evidence, first = np.zeros((runs, grid.log_odds.size)), np.full(runs, most)
    for cohort in range(most):
        k = rng.binomial(rows, rate, runs)[:, None]
        evidence = (evidence + 1) * np.exp(grid.log_odds * k - rows * log_factor(grid.log_odds, promise))
        alarm = evidence @ np.exp(grid.log_weight) >= length
        first = np.where(alarm & (first == most), cohort + 1, first)
    return first


def test_mean_run_is_what_was_asked_for_and_a_drop_is_noticed():
    runs = run_lengths(0.8, runs=200)
    assert runs.mean() + 2 * runs.std() / math.sqrt(200) >= 50  # cut at 600, so the true mean is larger
    assert np.median(run_lengths(0.6, runs=100, length=365, most=40)) <= 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"k": [3], "n": [2], "at_least": 0.5},
        {"k": [1], "n": [2]},
        {"k": [1], "n": [2], "at_least": 0.5, "at_most": 0.7},
        {"k": [1], "n": [2], "at_least": 1.5},
        {"k": [1, 2], "n": [2], "at_least": 0.5},
        {"k": [1], "n": [2], "at_least": 0.5, "run_length": 0},
        {"k": [1], "n": [2], "at_least": 0.5, "share": 0},
    ],
)
def test_what_cannot_be_watched_is_refused(wrong):
    with pytest.raises(ThresherError):
        detector(wrong.pop("k"), wrong.pop("n"), **wrong)
