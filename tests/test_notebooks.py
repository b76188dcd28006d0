"""Notebooks made of the pages: valid, the same every time, and their code runs from top to bottom."""

import json

import matplotlib.pyplot as plt
import pytest

from docs import notebooks

PAGES = sorted(path for name in notebooks.FOLDERS for path in (notebooks.ROOT / name).glob("*.md"))
RUN = [
    path for path in PAGES if path.stem in {"tables", "operating", "classes", "my-costs"}
]  # every page runs as a document


def code(page, **options):
    made = notebooks.notebook(page.read_text(encoding="utf-8"), **options)
    return ["".join(cell["source"]) for cell in made["cells"] if cell["cell_type"] == "code"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_is_a_valid_notebook_whose_code_compiles(page):
    made = notebooks.notebook(page.read_text(encoding="utf-8"), answers=True)
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    identifiers = [cell["id"] for cell in made["cells"]]
    assert len(set(identifiers)) == len(identifiers)
    for cell in made["cells"]:
        assert cell["cell_type"] in {"markdown", "code"}
        assert ("outputs" in cell) == ("execution_count" in cell) == (cell["cell_type"] == "code")
    compile("\n".join(code(page, answers=True)), page.stem, "exec")


@pytest.mark.parametrize("page", RUN, ids=lambda path: path.stem)
def test_its_code_runs_as_one_script(page):
    exec("\n".join(code(page, answers=True)), {})  # noqa: S102 - the repository's own pages
    plt.close("all")


def test_answers_are_left_out_unless_asked_for(tmp_path):
    without, answered = (notebooks.write(tmp_path / name, answers=name == "with") for name in ("without", "with"))
    assert [path.name for path in without] == [path.name for path in answered]
    assert len(without) == len(PAGES)
    (short,), (long,) = ([path for path in paths if path.stem == "tables"] for paths in (without, answered))
    assert "0/0" not in short.read_text(encoding="utf-8")
    assert "0/0" in long.read_text(encoding="utf-8")
    assert json.loads(short.read_text(encoding="utf-8"))["cells"]
    again = notebooks.write(tmp_path / "again")
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in without]
