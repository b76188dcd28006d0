import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher.inference as ti
from tests.inference import oracles
from thresher.errors import ArgumentError
from thresher.inference.comparison import difference as room


def difference(lower, upper, *, margin=0.0, better="higher", p=0.01, adjusted=math.nan):
    return ti.Difference(
        "a",
        "b",
        (lower + upper) / 2,
        lower,
        upper,
        variance=1.0,
        p_value=p,
        level=0.95,
        method="test",
        margin=margin,
        better=better,
        p_adjusted=adjusted,
    )


@pytest.mark.parametrize(
    ("lower", "upper", "margin", "verdict"),
    [
        (0.01, 0.05, 0.0, "better"),
        (-0.05, -0.01, 0.0, "worse"),
        (-0.01, 0.05, 0.0, "undecided"),
        (0.0, 0.05, 0.0, "undecided"),
        (0.01, 0.05, 0.02, "undecided"),
        (0.03, 0.05, 0.02, "better"),
        (-0.05, -0.03, 0.02, "worse"),
        (-0.01, 0.02, 0.02, "practically equal"),
        (0.005, 0.015, 0.02, "practically equal"),
        (-0.03, 0.01, 0.02, "undecided"),
        (0.0, 0.0, 0.0, "undecided"),
        (math.nan, math.nan, 0.1, "undecided"),
    ],
)
def test_the_verdict_follows_from_limits_and_margin(lower, upper, margin, verdict):
    found = difference(lower, upper, margin=margin)
    assert found.verdict == verdict
    turned = {"better": "worse", "worse": "better"}
    assert found.mirrored.verdict == turned.get(verdict, verdict)
    assert difference(lower, upper, margin=margin, better="lower").verdict == turned.get(verdict, verdict)


def test_among_several_pairs_the_adjusted_p_value_must_agree():
    assert difference(0.01, 0.05, p=0.03, adjusted=0.09).verdict == "undecided"
    assert difference(0.01, 0.05, p=0.01, adjusted=0.03).verdict == "better"
    assert difference(-0.01, 0.01, p=0.9, adjusted=1.0, margin=0.02).verdict == "practically equal"


def test_a_mirror_turns_the_sign_and_nothing_else():
    found = difference(0.01, 0.05)
    mirrored = found.mirrored
    assert (mirrored.a, mirrored.b) == ("b", "a")
    assert (mirrored.difference, mirrored.lower, mirrored.upper) == pytest.approx((-0.03, -0.05, -0.01))
    assert mirrored.mirrored == found
    assert str(difference(0.0, 0.0).mirrored.difference) == "0.0"


def test_plain_data():
    plain = difference(0.01, 0.05).to_dict()
    assert plain["verdict"] == "better"
    assert json.loads(json.dumps(plain, allow_nan=False))["difference"] == pytest.approx(0.03)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_its_definition(p_values):
    assert ti.holm(p_values) == pytest.approx(oracles.holm(p_values), abs=1e-15)


def test_holm_leaves_out_what_is_undefined():
    found = ti.holm([0.01, math.nan, 0.02])
    assert found[0] == 0.02
    assert math.isnan(found[1])
    assert found[2] == 0.02


@given(st.floats(-1, 1), st.integers(1, 200), st.sampled_from([0.8, 0.95, 0.99]))
def test_without_variance_limits_come_from_disjoint_pairs(d, pairs, level):
    found = room.pairs_difference(("a", "b"), d, 0.0, pairs, level=level, margin=0.0)
    assert -1 <= found.lower <= d <= found.upper <= 1
    assert found.upper > found.lower
    assert 0 < found.p_value <= 1 or pairs > 50
    if abs(abs(d) - 1) > 1e-9 and found.lower > 1e-9:
        assert found.p_value < 1 - level


def test_the_bootstrap_says_what_it_could_not_see():
    told: dict[str, Any] = {"level": 0.95, "margin": 0.0, "better": "higher", "span": 1.0, "cases": 20}
    ones = np.ones(101)
    found = room.bootstrap_difference(("a", "b"), ones, ones, **told)
    assert (found.lower, found.upper) == pytest.approx((-(1 - 0.025 ** (1 / 20)), 1 - 0.025 ** (1 / 20)))
    assert found.p_value == 1
    assert "all resamples agree" in found.note
    nothing = np.full(101, math.nan)
    undefined = room.bootstrap_difference(("a", "b"), nothing, ones, **told)
    assert math.isnan(undefined.p_value)
    assert undefined.verdict == "undecided"
    assert "undefined" in str(undefined)
    some = np.where(np.arange(101) % 2, math.nan, np.arange(101.0))
    assert "undefined in 50 of 100 resamples" in room.bootstrap_difference(("a", "b"), some, ones, **told).note


@pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf])
def test_a_margin_is_a_number(margin):
    with pytest.raises(ArgumentError, match="margin must be 0 or more"):
        room.require_margin(margin)


def test_two_infinite_ratios_have_no_difference():
    infinite = np.array([math.inf, math.inf, 1.0])
    found = room.bootstrap_difference(
        ("a", "b"), infinite, infinite, level=0.95, margin=0.0, better="higher", span=1.0, cases=10
    )
    assert math.isnan(found.difference)
    assert found.note == "the measure is undefined on the data"
