import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import hostile
from thresher.visible import isolated, visible


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
