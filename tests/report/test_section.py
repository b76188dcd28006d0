"""Sections below an evaluation are on the page as text, whatever people named, and change nothing else."""

import pytest

import thresher as th
from thresher.report import Section, page
from thresher.report.grid import Grid
from thresher.report.panels import Panel
from thresher.report.svg import Plot


@pytest.fixture(scope="module")
def evaluation():
    return th.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.55, 0.3, 0.2], seed=1)


def test_words_pictures_and_tables_stand_below(evaluation):
    picture = Plot((0, 1), (0, 1), "rows", "cost").svg(name="Rising")
    section = Section(
        "More <rows>?",
        ["A & B"],
        [Panel("Rising", "It rises.", picture)],
        [Grid("Numbers", ("", "cost"), [("1", "2")])],
    )
    text = page(evaluation, words=["It beats <nothing>."], sections=[section])
    below = text[text.index("</main>") :]
    for part in ("<h2>More &lt;rows&gt;?</h2>", "A &amp; B", picture, "<bdi>Numbers</bdi>", "<td>2</td>"):
        assert part in below
    assert "<p>It beats &lt;nothing&gt;.</p>" in text[: text.index("</main>")]
    assert r"It beats \u003cnothing\u003e." in below  # the page's script says it too


def test_without_them_the_page_is_what_it_was(evaluation):
    assert "<aside" not in page(evaluation)[: page(evaluation).index('<script type="module">')]
