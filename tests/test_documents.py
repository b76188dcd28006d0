"""Every Markdown file keeps its promises: what it shows is what Python prints.

Blocks fenced as `python` that contain `>>>` run as doctests; the blocks of a file share one
namespace, in order, as a reader would type them, and so do its drawings. Other `python` blocks must at least compile.
"""

import os
import re
from functools import cache
from pathlib import Path

import pytest

from docs.pages import THEMES, run

ROOT = Path(__file__).parents[1]
LEFT_OUT = {"_build", "build", "dist", "node_modules"}
CODE = ("src", "frontend/src", "benchmarks", "docs", "examples", "tests")
# Options and functions of other libraries, and placeholders.
OF_PEERS = {
    "AVX512_ICL",
    "drop_intermediate",
    "partial_fit",
    "scale_by_half",
    "zero_division",
    "ibis_table",
    "lazy_frame",
    "spark_frame",
    "average_precision_score",
    "brier_class",
    "classification_cost",
    "calibration_curve",
    "classification_report",
    "f1_score",
    "fowlkes_mallows",
    "j_index",
    "mn_log_loss",
}


def documents() -> list[Path]:
    """Every Markdown file of the repository; hidden folders and what other targets build are left out."""
    results = []
    for folder, inside, files in os.walk(ROOT):
        inside[:] = [name for name in inside if name not in LEFT_OUT and not name.startswith(".")]
        results += [Path(folder, name) for name in files if name.endswith(".md")]
    return sorted(results)


def current_documents() -> list[Path]:
    """Documents about the code as it is; decisions may name what they replaced."""
    return [path for path in documents() if path.parent.name != "decisions"]


def failures(text: str, name: str) -> list[str]:
    """What is wrong with a document, in words that name its lines; nothing when all is well."""
    return run(text, name).failures


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_document_tells_the_truth(document):
    report = failures(document.read_text(encoding="utf-8"), document.relative_to(ROOT).as_posix())
    assert not report, "\n" + "".join(report)


def unknown_names(text: str) -> set[str]:
    """Names such as `auc_bounds` in the prose of a document that stand nowhere in the repository's code."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    words = {word for code in re.findall(r"`([^`\n]+)`", prose) for word in re.findall(r"\b[A-Za-z]\w*_\w+", code)}
    return words - code_words() - OF_PEERS


@cache
def code_words() -> set[str]:
    """Every word of the code, file names included."""
    files = [path for folder in CODE for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".ts"}]
    words = {path.stem for path in files}
    return words.union(*(re.findall(r"\w+", path.read_text(encoding="utf-8")) for path in files))


@pytest.mark.parametrize("document", current_documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_names_in_prose_exist(document):
    assert not unknown_names(document.read_text(encoding="utf-8"))


def test_a_name_that_is_gone_is_noticed():
    assert unknown_names("see `no_such_" + "name(x)` and `th.rank`") == {"no_such_" + "name"}


def test_readme_is_among_the_documents():
    assert ROOT / "README.md" in documents()


def fenced(*lines, language="python", marks="```"):
    return "\n".join([f"{marks}{language}", *lines, marks, ""])


class TestTheChecker:
    """It would be worth nothing if it never failed."""

    def test_blocks_share_a_namespace_in_order(self):
        text = fenced(">>> x = 20") + "\nthen\n\n" + fenced(">>> x + 5", "25")
        assert failures(text, "good.md") == []

    def test_documents_share_nothing(self):
        assert failures(fenced(">>> x = 1"), "one.md") == []
        assert "NameError" in "".join(failures(fenced(">>> x"), "other.md"))

    def test_a_wrong_answer_is_found_at_its_line(self):
        text = "# Title\n\n" + fenced(">>> 1 + 1", "2") + "\nprose\n\n" + fenced("", ">>> 1 + 1", "3")
        report = "".join(failures(text, "bad.md"))
        assert text.split("\n")[11] == ">>> 1 + 1"
        assert 'File "bad.md", line 12, in bad.md' in report
        assert "Expected:\n    3\nGot:\n    2" in report

    def test_every_wrong_answer_is_reported(self):
        assert "".join(failures(fenced(">>> 1", "2", ">>> 3", "4"), "bad.md")).count("Failed example") == 2

    def test_an_error_nobody_announced(self):
        assert "ZeroDivisionError" in "".join(failures(fenced(">>> 1 / 0"), "bad.md"))

    def test_an_error_that_is_shown(self):
        text = fenced(">>> 1 / 0", "Traceback (most recent call last):", "ZeroDivisionError: division by zero")
        assert failures(text, "good.md") == []

    def test_output_ends_with_its_block(self):
        text = fenced(">>> 1", "1") + "prose right below\n"
        assert failures(text, "good.md") == []

    def test_dots_and_spacing_are_forgiven(self):
        assert failures(fenced(">>> list(range(100))", "[0, 1, ...,   99]"), "good.md") == []

    def test_code_without_prompts_compiles_but_does_not_run(self):
        assert failures(fenced("if True:", "    undefined_name()"), "good.md") == []
        assert failures("\n" + fenced("x = 1", "def :"), "bad.md") == ['File "bad.md", line 4: invalid syntax']

    def test_blocks_within_lists_and_longer_fences(self):
        indented = "- item\n\n" + "".join(f"  {line}\n" for line in fenced("x = 1", "y = 2").split("\n"))
        assert failures(indented, "good.md") == []
        assert "Got" in "".join(failures(fenced(">>> 1", "2", marks="````"), "bad.md"))
        assert "Got" in "".join(failures(fenced(">>> 1", "2", marks="~~~"), "bad.md"))

    @pytest.mark.parametrize("language", ["", "text", "console", "toml"])
    def test_other_languages_are_left_alone(self, language):
        assert failures(fenced(">>> 1", "2", "def :", language=language), "good.md") == []

    def test_a_python_block_shown_inside_a_longer_fence_is_prose(self):
        assert failures("````markdown\n" + fenced(">>> 1", "2") + "````\n", "good.md") == []

    def test_a_document_on_disk(self, tmp_path):
        wrong = tmp_path / "wrong.md"
        wrong.write_text(fenced(">>> 2 * 21", "41"), encoding="utf-8")
        with pytest.raises(AssertionError, match="Expected:"):
            assert not (report := failures(wrong.read_text(encoding="utf-8"), wrong.name)), "".join(report)


ALT = ":alt: A straight line that rises from the lower left to the upper right"
LINE = ("from matplotlib.figure import Figure", "axes = Figure().subplots()", "axes.plot([0, x])", "axes")


class TestDrawings:
    """Drawings run in the session of their page, and come out in every theme with the same bytes each time."""

    def test_a_drawing_sees_what_stands_above_it(self):
        text = fenced(">>> x = 1") + fenced(ALT, *LINE, language="{draw}") + fenced(">>> x", "1")
        page = run(text, "good.md", themes=THEMES)
        assert page.failures == []
        (drawn,) = page.drawings
        assert drawn.keys() == {"light", "dark"}
        assert all(svg.startswith("<?xml") for svg in drawn.values())
        assert drawn["light"] != drawn["dark"]
        assert run(text, "good.md", themes=THEMES).drawings == [drawn]

    def test_an_svg_takes_the_ink_of_each_theme(self):
        element = """'<svg viewBox="0 0 40 30" fill="currentColor"><text>spam</text></svg>'"""
        page = run(fenced(ALT, element, language="{draw}"), "good.md", themes=THEMES)
        assert page.failures == []
        colours = [svg.split('"')[1] for svg in page.drawings[0].values()]
        assert len(set(colours)) == len(THEMES)
        assert all(
            svg.startswith(f'<svg color="{colour}" width="40" height="30" viewBox')
            for colour, svg in zip(colours, page.drawings[0].values(), strict=True)
        )

    def test_a_drawing_that_raises_fails_at_its_line(self):
        report = "".join(failures("# Title\n" + fenced(ALT, *LINE, language="{draw}"), "bad.md"))
        assert "NameError" in report
        assert 'File "bad.md", line 4' in report

    @pytest.mark.parametrize(
        "lines", [(*LINE,), (":alt: too short", *LINE), (ALT, "x = 2"), (ALT, "x"), (ALT, "'no picture'")]
    )
    def test_what_is_no_drawing(self, lines):
        assert "Error" in "".join(failures(fenced(">>> x = 1") + fenced(*lines, language="{draw}"), "bad.md"))


def test_no_document_calls_anything_simple():
    prose = {
        path.name: re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for path in current_documents()
    }
    assert [
        name for name, text in prose.items() if re.search(r"\b(?:simply|obviously|of course)\b", text, re.IGNORECASE)
    ] == []
