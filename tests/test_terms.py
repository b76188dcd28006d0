"""Words that people search are found, and the glossary leads from each to a page and a public name."""

import re
from operator import attrgetter
from pathlib import Path

import pytest

import thresher as th

DOCS = Path(__file__).parents[1] / "docs"
TERMS = (DOCS / "terms.txt").read_text(encoding="utf-8").split("\n")[:-1]
GLOSSARY = (DOCS / "glossary.md").read_text(encoding="utf-8")
ENTRIES = [entry for entry in GLOSSARY.split("```{glossary}\n")[1].split("\n```")[0].split("\n\n") if entry.strip()]
ROWS = [line for line in GLOSSARY.split("\n") if line.startswith("| ") and not line.startswith("| word")]


def pages_text():
    pages = [path for path in DOCS.rglob("*.md") if not {"decisions", "_build"} & set(path.parts)]
    text = " ".join(path.read_text(encoding="utf-8") for path in pages)
    return re.sub(r"\s+", " ", text.lower().replace("–", "-"))


def test_every_term_has_a_hit():
    text = pages_text()
    assert len(set(TERMS)) == len(TERMS) >= 150
    assert [term for term in TERMS if term.lower() not in text] == []


@pytest.mark.parametrize("entry", [*ENTRIES, *ROWS], ids=lambda entry: re.split(r"\n| \|", entry)[0])
def test_an_entry_leads_to_a_page_and_to_public_names(entry):
    definition = " ".join(line.strip() for line in entry.split("\n") if line.startswith(("  ", "| ")))
    pages = re.findall(r"\]\(([\w/-]+\.md)", definition)
    assert pages
    assert all((DOCS / page).exists() for page in pages)
    names = re.findall(r"`th\.([\w.]+)`", definition)
    assert names
    for name in names:
        attrgetter(name)(th)


def test_the_glossary_has_a_line_for_150_words():
    words = [line for entry in ENTRIES for line in entry.split("\n") if not line.startswith("  ")]
    assert len(ROWS) + len(words) >= 150
