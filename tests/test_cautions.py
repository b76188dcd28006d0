import ast
import dataclasses
from pathlib import Path

import pytest

import thresher
from thresher.cautions import CODES, Caution


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_explained_in_a_sentence(code):
    assert CODES[code].endswith(".")
    assert str(Caution(code, "here")) == f"{code}: here"


def test_a_code_without_explanation_cannot_be_raised():
    with pytest.raises(KeyError, match="no-such-code"):
        Caution("no-such-code", "text")


def test_cautions_are_values():
    one = Caution("reordered", "text")
    assert one == Caution("reordered", "text")
    assert len({one, Caution("reordered", "text")}) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.text = "other"  # type: ignore[misc]


def test_every_explained_code_is_raised_somewhere():
    source = Path(thresher.__file__).parent
    constants = {
        node.value
        for path in source.rglob("*.py")
        if path != source / "cautions.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant)
    }
    assert set(CODES) <= constants
