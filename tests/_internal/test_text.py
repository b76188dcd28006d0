import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import hostile
from thresher._internal.text import decimals, interval_text, isolated, per_thousand_text, plain_text, visible


@pytest.mark.parametrize("name", hostile.NAMES.values(), ids=hostile.NAMES)
def test_names_can_be_written_and_hide_nothing(name):
    shown = visible(name)
    shown.encode("utf-8")
    assert {unicodedata.category(sign) for sign in shown} & {"Cc", "Cs", "Zl", "Zp"} == set()
    assert "\u202e" not in shown


@given(st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf", "Cn"])))
def test_ordinary_text_is_left_alone(text):
    assert visible(text) == text


@given(st.text(st.characters()))
def test_no_sign_is_lost(text):
    assert len(visible(text)) == len(text)


def test_signs_of_no_width_are_seen_and_joiners_left():
    assert visible("tr\u200bee\ufeff\u00ad") == "tr\ufffdee\ufffd\ufffd"
    assert visible("👩\u200d🔬") == "👩\u200d🔬"


def test_names_from_right_to_left_are_isolated():
    assert isolated("שלום\u202e") == "\u2068שלום�\u2069"
    assert isolated("مرحبا 2") == "\u2068مرحبا 2\u2069"
    assert isolated("Ünïcode 模型") == "Ünïcode 模型"


ROUNDABLE = st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-9)


@given(ROUNDABLE, st.floats(1e-6, 1e6))
def test_digits_follow_the_width_of_the_interval(estimate, width):
    lower, upper = estimate - width / 3, estimate + width * 2 / 3
    if not upper - lower > abs(estimate) * 1e-12:
        return
    places = decimals(lower, upper)
    assert places is not None
    unit = 10.0**-places
    assert unit == 1 or (upper - lower) / 50.1 <= unit <= (upper - lower) / 4.99
    assert unit <= max(1, (upper - lower) / 4.99)
    words = interval_text(estimate, lower, upper).replace("−", "-").translate({ord(sign): " " for sign in "[]"})
    shown = [float(word.rstrip(",").replace(",", "")) for word in words.split()]
    assert shown == pytest.approx([estimate, lower, upper], abs=0.51 * unit)
    assert shown[1] < shown[2] or unit == 1  # an interval is never written as a point


@given(st.floats(0.001, 999), st.floats(0, 1))
def test_counts_with_one_total_add_up(total, share):
    parts = total * share, total - total * share
    shown = [float(per_thousand_text(part, total).replace(",", "")) for part in parts]
    assert sum(shown) == pytest.approx(total, rel=0.02, abs=0.011 * total)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("random forest", "random forest"),
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\x07b\x00c\x7fd\x9be", "a␇b␀c␡d\ufffde"),
        ("\u202egnp.exe", "\ufffdgnp.exe"),
        ("a\u2028b\tc\r\nd", "a\ufffdb␉c␍␊d"),
        ("\ud800 lone", "\ufffd lone"),
        ("Wälder 森", "Wälder 森"),
        ("[bold]no markup[/bold]", "[bold]no markup[/bold]"),
        (7, "7"),
    ],
)
def test_what_is_shown(name, shown):
    assert plain_text(name) == shown


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text):
    assert not {unicodedata.category(char) for char in plain_text(text)} & {"Cc", "Cs", "Zl", "Zp"}


def test_names_that_differ_look_different():
    names = ["tree", "tree\x1b", "tree\u200b", "tree\x00"]
    assert len({plain_text(name) for name in names}) == len(names)
