"""Rules in words: no sentence ever compares a score with infinity."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cli.rule_words import calls, over, same_calls

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
LOWER, UPPER = NUMBERS | st.just(-math.inf), NUMBERS | st.just(math.inf)


@given(LOWER, UPPER)
def test_infinity_is_never_named(low, high):
    for text in (" ".join(calls(low)), " ".join(calls(high)), same_calls((low, high)), over((low, high), "ratios")):
        assert "inf" not in text
        assert text == text.strip()


@pytest.mark.parametrize(
    ("threshold", "told"),
    [
        (0.1234567, "call a case positive when its score is >= 0.123457"),
        (math.inf, "call no case positive"),
        (-math.inf, "call every case positive"),
    ],
)
def test_what_is_called(threshold, told):
    assert " ".join(calls(threshold)) == told
