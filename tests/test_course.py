"""Every page of the course has the same five parts, and exercises whose answers are executed."""

import re
from pathlib import Path

import pytest

from docs.pages import blocks

DOCS = Path(__file__).parents[1] / "docs"
FRONT = (DOCS / "index.md").read_text(encoding="utf-8")
PAGES = [path for path in sorted((DOCS / "course").glob("*.md")) if path.stem not in {"errata", "worksheets"}]
PARTS = ("## Words", "## The call", "## The picture", "## What to see in it", "## Exercises")
PART_OF = {
    "tasks": "Chapter 2, opening",
    "tables": "Chapter section 2.1",
    "coverage": "Chapter section 2.1",
    "scores": "Chapter section 2.2",
    "ranking": "Chapter section 2.2",
    "operating": "Chapter section 2.2",
    "probabilities": "Chapter section 2.3",
    "classes": "Chapter section 2.3",
    "hull": "Chapter section 2.3",
    "reading": "Chapter section 2.4",
    "data": "Notes section 2",
    "features": "Notes section 3",
    "measures": "Notes section 4",
    "splits": "Notes section 5",
    "curves": "Notes section 6",
    "costs": "Slides 003",
}
LONGEST_DRAWING = 8  # lines
WORDS_OF_A_ROLE = 1000


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_has_its_parts_in_order(page):
    text = page.read_text(encoding="utf-8")
    places = [text.find(f"\n{part}\n") for part in PARTS]
    assert all(place > 0 for place in places), page.stem
    assert places == sorted(places)
    assert "```{draw}" in text
    exercises = text[places[-1] :]
    questions = re.findall(r"^\*\*\d+\.\*\* ", exercises, flags=re.MULTILINE)
    answers = re.findall(r":::\{dropdown\} Answer\n(.*?)\n:::", exercises, flags=re.DOTALL)
    assert len(questions) == len(answers) >= 3
    assert all(">>> " in answer for answer in answers)


def test_there_is_a_page_for_each_part_of_the_material():
    headed = {
        path.stem: re.findall(r"^\*(.+)\*", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[0] for path in PAGES
    }
    assert {name: headed.get(name, "")[: len(part)] for name, part in PART_OF.items()} == PART_OF


def test_errata_are_shown_by_a_line_each():
    text = (DOCS / "course" / "errata.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\d+) \|", text, flags=re.MULTILINE)
    shown = re.findall(r"^\*\*(\d+)\.\*\*.*?\n\n```python\n>>> ", text, flags=re.MULTILINE)
    assert listed == shown
    assert len(listed) >= 15


def test_the_figures_of_the_material_are_short():
    for path in [*PAGES, DOCS / "plots.md"]:
        for block in blocks(path.read_text(encoding="utf-8")):
            if block.draws:
                lines = [line for line in block.lines if line.strip()]
                assert len(lines) <= LONGEST_DRAWING, f"{path.name}: {lines[0]}"


def test_every_figure_of_the_material_is_redrawn():
    drawings = [block for path in [*PAGES, DOCS / "plots.md"] for block in blocks(path.read_text(encoding="utf-8"))]
    redrawn = {block.options["after"] for block in drawings if block.options is not None and "after" in block.options}
    chapter = {f"Figure 2.{number} of the chapter" for number in range(1, 14)}
    assert redrawn == chapter | {f"Figure {number} of the notes" for number in (2, 3, 5, 6, *range(9, 13))}


@pytest.mark.parametrize("page", sorted((DOCS / "roles").glob("*.md")), ids=lambda path: path.stem)
def test_a_role_is_read_in_five_minutes(page):
    text = page.read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    assert len(prose.split()) < WORDS_OF_A_ROLE
    assert ">>> " in text
    assert f"\n:link: roles/{page.stem}\n" in FRONT


def test_the_front_page_asks_who_one_is():
    assert len(re.findall(r"^:link: roles/", FRONT, flags=re.MULTILINE)) == 4
