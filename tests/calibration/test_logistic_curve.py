import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.calibration.logistic_curve import LogisticCurve, log_odds
from thresher.errors import ProbabilityError

coefficients = st.floats(0.1, 4)


@given(st.floats(0.001, 0.999), coefficients, coefficients, st.floats(-3, 3))
def test_the_formula_of_beta_calibration(s, a, b, c):
    curve = LogisticCurve("log_odds", a, b, c)
    odds = math.exp(c) * s**a / (1 - s) ** b  # Kull et al. 2017, equation 3
    assert curve(np.array([s])) == pytest.approx([odds / (1 + odds)])


@given(st.floats(0.001, 0.999), coefficients, st.floats(-3, 3))
def test_equal_slopes_are_platt_on_log_odds(s, a, c):
    expected = 1 / (1 + math.exp(-(a * math.log(s / (1 - s)) + c)))
    assert LogisticCurve("log_odds", a, a, c)(np.array([s])) == pytest.approx([expected])
    assert LogisticCurve("log_odds", a, a * (1 + 1e-15), c)(np.array([s])) == pytest.approx([expected])


def test_on_scores_it_is_a_sigmoid_from_the_centre():
    curve = LogisticCurve("score", 2.0, 2.0, 0.5, centre=10.0, unit=4.0)
    assert curve(np.array([10.0, 14.0])) == pytest.approx([1 / (1 + math.exp(-0.5)), 1 / (1 + math.exp(-2.5))])
    assert curve(np.array([-np.inf, -1e308, 1e308, np.inf])).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(("a", "b", "ends"), [(1, 2, [0, 1]), (0, 2, [0.5, 1]), (2, 0, [0, 0.5]), (0, 0, [0.5, 0.5])])
def test_certain_scores_go_to_the_limit_of_the_curve(a, b, ends):
    assert LogisticCurve("log_odds", a, b, 0)(np.array([0.0, 1.0])) == pytest.approx(ends)


def test_a_limit_keeps_certain_scores_uncertain():
    curve = LogisticCurve("log_odds", 1, 1, 0, limit=3)
    assert curve(np.array([0, 1e-300, 1])) == pytest.approx([1 / (1 + math.exp(3))] * 2 + [1 / (1 + math.exp(-3))])


@pytest.mark.parametrize("on", ["score", "log_odds"])
def test_a_flat_curve_takes_every_score(on):
    flat = LogisticCurve(on, 0.0, 0.0, 1.0)
    assert flat(np.array([0.0, 0.5, 1.0])) == pytest.approx([1 / (1 + math.exp(-1))] * 3)


def test_trap_31_log_odds_of_what_is_no_probability_are_refused():
    with pytest.raises(ProbabilityError, match=r"first 1\.5 at rows 1"):
        LogisticCurve("log_odds", 1, 1, 0)(np.array([0.5, 1.5]))


@pytest.mark.parametrize("p", [5e-324, 1e-12, 0.3, 0.5, 1 - 2**-53])
def test_log_odds_at_both_ends_of_float64(p):
    assert log_odds(np.array([p]))[0] == pytest.approx(math.log(p) - math.log1p(-p))
