"""The textbook's figures: five lines of user code each, and they run."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import thresher as th
from docs.pages import blocks

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "plots.md").read_text(encoding="utf-8")
FIGURES = ["\n".join(block.lines) for block in blocks(PAGE[PAGE.index("## The textbook's figures") :])]


def test_there_are_five():
    assert len(FIGURES) == 5


@pytest.mark.parametrize("source", FIGURES, ids=range(len(FIGURES)))
def test_each_takes_five_lines_at_most(source):
    assert len(source.splitlines()) <= 5
    exec(source, {"th": th})  # noqa: S102 - what the page shows is what runs
    (number,) = plt.get_fignums()
    plt.figure(number).canvas.draw()
    plt.close(number)


def test_the_example_writes_them_all(tmp_path):
    example = runpy.run_path(str(ROOT / "examples" / "textbook_figures.py"))
    paths = example["write"](tmp_path, "png")
    assert [path.stem for path in paths] == list(example["figures"]())
    assert all(path.stat().st_size > 5000 for path in paths)
