"""Sections above an evaluation are on the page as text, whatever people named, and change nothing else."""

import pytest

import thresher as th
from thresher.cautions import Caution
from thresher.report import Section, page
from thresher.report.grid import Grid
from thresher.report.panels import Panel
from thresher.report.svg import Plot


@pytest.fixture(scope="module")
def evaluation():
    return th.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.55, 0.3, 0.2], seed=1)


def test_words_pictures_and_tables_stand_above(evaluation):
    picture = Plot((0, 1), (0, 1), "rows", "cost").svg(name="Rising")
    section = Section(
        "More <rows>?",
        ["A & B"],
        cautions=[Caution("no-curve", "there is <none>")],
        panels=[Panel("Rising", "It rises.", picture)],
        grids=[Grid("Numbers", ("", "cost"), [("1", "2"), ("none", "3")], folded=True, grey=["none"])],
    )
    text = page(evaluation, title="Learnt", sections=[section], grey=["model"])
    above, below = text[: text.index("<main")], text[text.index("<main") :]
    for part in ('<h1 dir="auto">Learnt</h1>', "<h2>More &lt;rows&gt;?</h2>", "A &amp; B", picture, "<td>2</td>"):
        assert part in above
    assert "there is &lt;none&gt;" in above
    assert "<details><summary>Numbers</summary>" in above
    assert '<tr class="baseline"><th scope="row"><bdi>none</bdi>' in above
    assert below.startswith('<main id="page" class="thresher static grey0">')
    assert '<h1 dir="auto">How the models compare</h1>' in below


def test_without_them_the_page_is_what_it_was(evaluation):
    assert "<aside" not in page(evaluation)[: page(evaluation).index('<script type="module">')]
