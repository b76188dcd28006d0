import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher._internal.text import score_text
from thresher.inference import Interval
from thresher.ranking import shortest_between
from thresher.report.numbers import (
    ci_text,
    interval_data,
    json_number,
    json_numbers,
    significant,
    value_text,
)


@given(st.floats())
def test_every_number_crosses_json(value):
    back = float(json.loads(json.dumps(json_number(value), allow_nan=False)))
    assert back == value or (math.isnan(back) and math.isnan(value))


def test_integer_counts_stay_integers():
    assert json_numbers(np.array([1, 2**53 + 1])) == [1, 2**53 + 1]
    assert all(isinstance(each, int) for each in json_numbers(np.array([1, 2])))


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20, unique=True))
def test_a_short_threshold_separates_as_the_long_one_does(values):
    scores = np.sort(np.array(values))[::-1]
    upper, lower = scores[:-1], scores[1:]
    middle = lower / 2 + upper / 2
    middle = np.where((lower < middle) & (middle <= upper), middle, upper)
    short = shortest_between(lower, middle, upper)
    assert ((lower < short) & (short <= upper)).all()
    assert all(len(repr(a)) <= len(repr(b)) + 1 for a, b in zip(short.tolist(), middle.tolist(), strict=True))


def test_neighbours_one_unit_in_the_last_place_apart_stay_apart():
    high = np.array([math.nextafter(0.5, 1)])
    assert shortest_between(np.array([0.5]), high, high) == high


def test_infinite_thresholds_stay_infinite():
    ends = shortest_between(np.array([1.0, -np.inf]), np.array([np.inf, -np.inf]), np.array([np.inf, 0.0]))
    assert ends.tolist() == [math.inf, -math.inf]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (-2.5, "−2.5"), (1e-9, "1e−9"), (123456.7, "123,457"), (True, "1"), ("-inf", "−∞"), (0.99996, "1")],
)
def test_numbers_are_written_shortly(value, text):
    assert value_text(value) == text


def test_an_undefined_interval_says_so():
    nan = math.nan
    assert ci_text(interval_data(Interval(nan, nan, nan, nan, 0.95, "wilson"))) == "undefined"
    assert ci_text(interval_data(Interval(0.5, nan, nan, nan, 0.95, "wilson"))) == "0.5"
    assert ci_text(interval_data(Interval(math.inf, math.inf, math.inf, nan, 0.95, "bootstrap"))) == "∞"


def test_rounding_is_for_drawing():
    assert significant([0.12345678, math.nan]) == [0.123457, "nan"]


def test_far_numbers_have_an_exponent():
    assert value_text(-1.5e300) == "−1.5e300"
    assert value_text(123456789012345.5) == "123,456,789,012,346"


def test_a_score_has_up_to_six_digits():
    assert [score_text(value) for value in (0.123456789, "inf", 0.5, -1.5, "nan")] == [
        "0.123457",
        "∞",
        "0.5",
        "−1.5",
        "undefined",
    ]
