"""The textbook's figures: eight lines of user code each (the page's own test runs them), and the example."""

import ast
import runpy
from pathlib import Path

import pytest

from docs.pages import blocks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")
FIGURES = [block for block in blocks(PAGE[PAGE.index("## The textbook's figures") :]) if block.draws]


@pytest.mark.parametrize("figure", FIGURES, ids=range(len(FIGURES)))
def test_each_takes_eight_lines_at_most_and_shows_them(figure):
    assert len(figure.lines) <= 8
    assert "code" in figure.options
    names = [node for node in ast.walk(ast.parse("\n".join(figure.lines))) if isinstance(node, ast.Name)]
    made = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    assert {name.id for name in names} - made <= {"th"}, "it needs what other blocks of the page make"


def test_there_are_fourteen():
    assert len(FIGURES) == 14


def test_the_example_writes_them_all(tmp_path):
    example = runpy.run_path(str(ROOT / "examples" / "textbook_figures.py"))
    paths = example["write"](tmp_path, "svg")
    assert [path.stem for path in paths] == list(example["figures"]())
    assert all(path.stat().st_size > 5000 for path in paths)
