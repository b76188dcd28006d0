import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.golden import probabilities as golden
from tests.strategies import rankings, two_class_rankings
from thresher import hull, rank
from thresher.calibration import MEstimate, laplace, m_estimate, smooth
from thresher.errors import ArgumentError, LengthError, ProbabilityError, WeightError
from thresher.ranking import Ranking


def test_p4_laplace_and_m_estimate():
    assert laplace(golden.P4_COUNTS) == pytest.approx(golden.P4_LAPLACE)
    assert m_estimate(golden.P4_COUNTS, 4, golden.P4_PRIOR) == pytest.approx(golden.P4_M_ESTIMATE)


@given(st.lists(st.integers(0, 50), min_size=2, max_size=6))
def test_p4_laplace_is_the_m_estimate_with_m_k_and_a_flat_prior(counts):
    k = len(counts)
    assert m_estimate(counts, k, [1 / k] * k) == pytest.approx(laplace(counts))
    assert laplace(counts) == pytest.approx([(n + 1) / (sum(counts) + k) for n in counts])
    assert laplace(counts).sum() == pytest.approx(1)


def test_classes_run_along_the_last_axis():
    counts = np.arange(12).reshape(2, 2, 3)
    assert laplace(counts)[1, 0] == pytest.approx(laplace(counts[1, 0]))
    assert m_estimate(counts, 2, [0.2, 0.3, 0.5])[0, 1] == pytest.approx(m_estimate(counts[0, 1], 2, [0.2, 0.3, 0.5]))


def test_nothing_counted_is_uniform_by_laplace_and_undefined_without_extra_cases():
    assert laplace([0, 0]).tolist() == [0.5, 0.5]
    assert np.isnan(m_estimate([0, 0], 0, 0.5)).all()
    assert m_estimate([3, 1], 0, 0.5).tolist() == [0.75, 0.25]


def test_r6_laplace_per_segment_of_the_hull():
    pools = hull(rank(golden.EMAIL_LABELS, golden.EMAIL_SCORES))
    assert str(pools) == golden.R5_HULL
    for_cases = np.repeat(smooth(pools).probability, pools.pos + pools.neg)
    assert for_cases == pytest.approx(golden.R6_PROBABILITIES)
    assert smooth(pools).cautions == ()
    assert np.repeat(smooth(pools, smoothing=None).probability, pools.pos + pools.neg) == pytest.approx(
        golden.R5_PROBABILITIES
    )


def test_trap_18_smoothing_that_reorders_segments_is_reported():
    reordered = smooth(Ranking.parse("[1+][99+,1-][9-]"))
    assert reordered.probability[0] < reordered.probability[1]
    assert [caution.code for caution in reordered.cautions] == ["reordered"]
    assert "1 place of 2" in reordered.cautions[0].text


def test_reordering_of_leaves_that_are_not_neighbours_is_seen():
    # Before: first > third > second; Laplace puts the third first, and no two neighbours change places.
    assert smooth(Ranking.parse("[1+][1-][98+,2-]")).cautions[0].code == "reordered"


def test_rounding_is_no_reordering():
    pools = Ranking.parse("[1+,9-][2+,18-][3+,27-][7+,63-]")  # all 1/10, and so is the prior
    assert smooth(pools, smoothing=MEstimate(m=3, prior=0.1)).cautions == ()


@given(two_class_rankings, st.sampled_from(["laplace", MEstimate(1.5, 0.3)]))
def test_a_caution_exactly_when_some_pair_changes_places(ranking, smoothing):
    result = smooth(ranking, smoothing=smoothing)
    raw = ranking.pos / (ranking.pos + ranking.neg)
    m, prior = (2, 0.5) if smoothing == "laplace" else (smoothing.m, smoothing.prior)
    expected = (ranking.pos + m * prior) / (ranking.pos + ranking.neg + m)
    assert result.probability == pytest.approx(expected)
    turned = any(
        (raw[i] > raw[j] or (raw[i] == raw[j] and i < j)) and expected[i] < expected[j] - 1e-9
        for i in range(len(ranking))
        for j in range(len(ranking))
    )
    assert bool(result.cautions) == turned


@given(rankings)
def test_the_m_estimate_lies_between_proportion_and_prior(ranking):
    raw = ranking.pos / (ranking.pos + ranking.neg)
    after = smooth(ranking, smoothing=MEstimate(3, 0.4)).probability
    assert ((np.minimum(raw, 0.4) - 1e-12 <= after) & (after <= np.maximum(raw, 0.4) + 1e-12)).all()


@pytest.mark.parametrize("bad", [5, [5], ["a", "b"], [[1], [2]]])
def test_counts_of_fewer_than_two_classes_are_refused(bad):
    with pytest.raises(LengthError, match="two classes or more"):
        laplace(bad)


@pytest.mark.parametrize("bad", [[1, -1], [1, np.nan], [np.inf, 1]])
def test_counts_are_finite_and_not_negative(bad):
    with pytest.raises(WeightError):
        m_estimate(bad, 2, 0.5)


def test_priors_are_distributions_over_the_classes():
    with pytest.raises(LengthError, match=r"shape \(2,\) for 3 classes"):
        m_estimate([1, 2, 3], 2, [0.5, 0.5])
    with pytest.raises(LengthError, match=r"shape \(\) for 3 classes"):
        m_estimate([1, 2, 3], 2, 0.5)
    with pytest.raises(ProbabilityError, match="no probability distribution"):
        m_estimate([1, 2], 2, [0.5, 0.6])
    with pytest.raises(ProbabilityError, match=r"got 1\.5"):
        MEstimate(2, 1.5)


@pytest.mark.parametrize("m", [-1, np.inf, np.nan])
def test_m_is_a_number_of_cases(m):
    with pytest.raises(ArgumentError, match="m must be 0 or more"):
        MEstimate(m, 0.5)
    with pytest.raises(ArgumentError, match="m must be 0 or more"):
        m_estimate([1, 2], m, 0.5)


def test_an_unknown_smoothing_is_refused():
    with pytest.raises(ArgumentError, match="'jeffreys'"):
        smooth(Ranking.parse("[1+][1-]"), smoothing="jeffreys")  # type: ignore[arg-type]
