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
def test_what_is_shown(given_name, shown):
    assert plain_text(given_name) == shown


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text):
    assert not {unicodedata.category(char) for char in plain_text(text)} & {"Cc", "Cs", "Zl", "Zp"}


def test_names_that_differ_look_different():
    names = ["tree", "tree\x1b", "tree\u200b", "tree\x00"]
    assert len({plain_text(name) for name in names}) == len(names)
