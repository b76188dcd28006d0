import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thresher as th
import thresher.inference as ti
from tests.strategies import two_class_rankings
from thresher.errors import ArgumentError, OneClassError
from thresher.inference.comparison.difference import reached_difference
from thresher.inference.intervals.auc import student_tail

GOOD, FAIR = th.Ranking.parse("[30+,2-][15+,8-][5+,40-]"), th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


def test_limits_of_both_are_combined():
    found, a, b = ti.compare_unpaired(GOOD, FAIR), ti.auc_interval(GOOD), ti.auc_interval(FAIR)
    assert found.difference == th.auc(GOOD) - th.auc(FAIR) > 0
    assert found.variance == pytest.approx(ti.auc_variance(GOOD) + ti.auc_variance(FAIR))
    assert found.lower == pytest.approx(found.difference - math.hypot(a.estimate - a.lower, b.upper - b.estimate))
    assert found.upper == pytest.approx(found.difference + math.hypot(a.upper - a.estimate, b.estimate - b.lower))
    assert found.verdict == "better"


@given(two_class_rankings, two_class_rankings, st.floats(0.01, 0.99))
def test_p_and_limits_agree(a, b, level):
    found = ti.compare_unpaired(a, b, level=level)
    if abs(found.p_value - (1 - level)) > 1e-9:
        assert (found.p_value < 1 - level) == (not found.lower <= 0 <= found.upper)


@given(two_class_rankings, two_class_rankings)
def test_the_difference_has_width_and_a_mirror(a, b):
    found, turned = ti.compare_unpaired(a, b), ti.compare_unpaired(b, a)
    assert -1 <= found.lower <= found.difference <= found.upper <= 1
    assert found.upper > found.lower
    assert (turned.difference, turned.lower, turned.upper) == pytest.approx(
        (-found.difference, -found.upper, -found.lower), abs=1e-9
    )
    assert turned.p_value == pytest.approx(found.p_value, abs=1e-9)
    assert 0 <= found.p_value <= 1


def test_where_one_has_no_variance_limits_are_combined():
    perfect = th.Ranking.parse("[20+][20-]")
    found = ti.compare_unpaired(perfect, FAIR)
    a, b = ti.auc_interval(perfect), ti.auc_interval(FAIR)
    assert found.lower == pytest.approx(0.29 - math.hypot(1 - a.lower, b.upper - 0.71))
    assert "no spread" in found.note
    edge = ti.compare_unpaired(perfect, FAIR, level=1 - found.p_value)
    assert edge.lower == pytest.approx(0, abs=1e-9)
    assert ti.compare_unpaired(perfect, perfect).p_value == 1


def test_bad_input():
    with pytest.raises(OneClassError):
        ti.compare_unpaired(GOOD, th.Ranking.parse("[2+]"))
    with pytest.raises(ArgumentError, match="level"):
        ti.compare_unpaired(GOOD, FAIR, level=2)
    with pytest.raises(ArgumentError, match="margin"):
        ti.compare_unpaired(GOOD, FAIR, margin=-2)


@pytest.mark.parametrize("freedom", [1, 1.5, 2, 3, 4.7, 5, 13, 300])
@pytest.mark.parametrize("away", [1e-3, 0.5, 8, 200])
def test_p_values_are_those_of_the_limits_whatever_the_tails(freedom, away):
    """SciPy's quantiles of the smallest tails have the wrong sign at some degrees of freedom."""

    def reach(tail):
        return (student_tail(tail, freedom),) * 2

    found = reached_difference(
        ("a", "b"), away, reach, variance=1, level=0.95, method="student", margin=0, span=math.inf
    )
    assert found.p_value == pytest.approx(max(2e-100, 2 * stats.t.sf(away, freedom)), rel=1e-6)


@pytest.mark.parametrize("strength", [1, 4, 40])
def test_p_of_the_surest_differences_keeps_falling(strength):
    far = th.Ranking([2, 1], pos=[90 * strength, 10 * strength], neg=[10 * strength, 90 * strength])
    p = ti.compare_unpaired(far, th.Ranking([2, 1], pos=[50, 50], neg=[50, 50])).p_value
    assert 0 < p < 1e-8
