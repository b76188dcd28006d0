"""Names that people gave cannot drive a terminal."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.cli.plain_text import plain_text


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("random forest", "random forest"),
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("a\x07b\x00c\x7fd\x9be", "abcde"),
        ("\u202egnp.exe", "gnp.exe"),
        ("a\u2028b\tc\r\nd", "a b c  d"),
        ("\ud800 lone", " lone"),
        ("Wälder 森", "Wälder 森"),
        ("[bold]no markup[/bold]", "[bold]no markup[/bold]"),
    ],
)
def test_what_is_left(given_name, shown):
    assert plain_text(given_name) == shown


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text):
    assert not {unicodedata.category(char) for char in plain_text(text)} & {"Cc", "Cf", "Cs", "Zl", "Zp"}
