import math

import pytest
from hypothesis import given
from scipy import stats

import thresher as th
import thresher.inference as ti
from tests.strategies import two_class_rankings
from thresher.errors import ArgumentError, OneClassError

GOOD, FAIR = th.Ranking.parse("[30+,2-][15+,8-][5+,40-]"), th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


def test_variances_add():
    found = ti.compare_unpaired(GOOD, FAIR)
    assert found.difference == th.auc(GOOD) - th.auc(FAIR) > 0
    assert found.variance == pytest.approx(ti.auc_variance(GOOD) + ti.auc_variance(FAIR))
    z = found.difference / math.sqrt(found.variance)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(z), abs=1e-12)
    assert found.lower == pytest.approx(found.difference - 1.959963984540054 * math.sqrt(found.variance))
    assert found.verdict == "better"


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
    assert found.method == "combined limits"
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
