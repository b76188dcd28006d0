import json
import math

import pytest
from scipy import stats

import thresher.inference as ti
from thresher.inference.interval import LOG, LOGIT, normal_quantile, student_quantile


def test_it_holds_what_lies_between_its_limits():
    result = ti.Interval(0.5, 0.25, 0.75, variance=0.01, level=0.9, method="wald")
    assert 0.25 in result
    assert 0.75 in result
    assert 0.2 not in result
    assert None not in result
    assert "0.5" not in result
    assert result.width == 0.5


def test_plain_data_has_no_number_that_json_lacks():
    plain = ti.Interval(2.0, 1.0, math.inf, variance=math.nan, level=0.95, method="delta", note="remark").to_dict()
    assert plain["upper"] is None
    assert plain["variance"] is None
    assert json.loads(json.dumps(plain, allow_nan=False))["note"] == "remark"


def test_undefined_says_why():
    nothing = math.nan
    assert str(ti.Interval(nothing, nothing, nothing, nothing, 0.95, "none", "no cases")) == "undefined (no cases)"
    assert str(ti.Interval(nothing, nothing, nothing, nothing, 0.95, "none")) == "undefined"


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_quantiles_are_those_of_scipy(level):
    assert normal_quantile(level) == pytest.approx(stats.norm.ppf((1 + level) / 2), abs=1e-12)
    assert student_quantile(level, 7.5) == pytest.approx(stats.t.ppf((1 + level) / 2, 7.5), abs=1e-10)
    assert student_quantile(level, math.inf) == normal_quantile(level)


@pytest.mark.parametrize("scale", [LOG, LOGIT])
@pytest.mark.parametrize("estimate", [0.001, 0.3, 0.999])
def test_a_scale_goes_there_and_back_with_its_slope(scale, estimate):
    assert scale.back(scale.there(estimate)) == pytest.approx(estimate, rel=1e-12)
    step = 1e-6 * min(estimate, 1 - estimate)
    slope = (scale.there(estimate + step) - scale.there(estimate - step)) / (2 * step)
    assert scale.slope(estimate) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("deviation", [1e-3, 1.0, 1e3, 1e6])
def test_limits_stay_in_range_however_far_they_reach(deviation):
    for scale, low, high in ((LOGIT, 0, 1), (LOG, 0, math.inf)):
        lower, upper = scale.limits(0.4, deviation)
        assert low <= lower < 0.4 < upper <= high


@pytest.mark.parametrize("freedom", [1, 2.5, 10, 1000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_students_quantile_is_that_of_scipy(freedom, level):
    assert student_quantile(level, freedom) == pytest.approx(stats.t.ppf((1 + level) / 2, freedom))
    assert student_quantile(level, freedom) > normal_quantile(level)


def test_infinite_degrees_of_freedom_are_normal():
    assert student_quantile(0.95, math.inf) == normal_quantile(0.95) == pytest.approx(1.959963984540054)
    assert student_quantile(0.95, 10) == pytest.approx(2.228138851964939)  # of any printed table
