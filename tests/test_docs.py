"""The pages name everything there is and nothing that is not, and what is generated is up to date."""

import inspect
import re
from operator import attrgetter
from pathlib import Path

import pytest

import thresher as th
from docs import measures_page, reference_pages
from tests.public import OFFERED
from thresher import errors
from thresher.cautions import CODES

DOCS = Path(__file__).parents[1] / "docs"
KINDS = {name for name, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, th.ThresherError)}


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def headings(text):
    """What the second-level headings of a page name in backticks."""
    return re.findall(r"^## `([^`]+)`$", text, flags=re.MULTILINE)


def test_the_page_of_measures_is_what_the_registry_says():
    assert page("measures.md") == measures_page.page(), "run: python -m docs.measures_page"


@pytest.mark.parametrize(("name", "things"), [("cautions.md", set(CODES)), ("errors.md", KINDS)])
def test_everything_is_explained_once_and_nothing_else(name, things):
    explained = headings(page(name))
    assert len(explained) == len(set(explained))
    assert set(explained) - things == set(), f"docs/{name} explains what does not exist"
    assert things - set(explained) == set(), f"docs/{name} has no section on these"


@pytest.mark.parametrize("code", CODES)
def test_every_caution_says_what_to_do(code):
    section = page("cautions.md").split(f"## `{code}`\n")[1].split("\n## ")[0]
    assert "*What to do.*" in section


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_error_is_shown(kind):
    section = page("errors.md").split(f"## `{kind}`\n")[1].split("\n## ")[0]
    shown = f"thresher.errors.{kind}: " in section
    assert shown or kind in ("ThresherError", "MissingExtraError")  # the parent, and one that needs a bare install


def test_the_reference_shows_every_public_name_and_nothing_else():
    shown = [entry for package in reference_pages.PACKAGES for entry in reference_pages.entries(package)]
    paths = [entry.path for entry in shown]
    assert len(set(paths)) == len(paths)
    assert [entry.path for entry in shown if attrgetter(entry.path)(th) is not entry.value] == []
    modules = {name for name in th.__all__ if inspect.ismodule(getattr(th, name))}
    assert set(th.__all__) - set(paths) - modules == {"ThresherError"}  # on the page of the reference itself
    assert {path.split(".")[0] for path in paths} >= modules
    assert set(OFFERED) - {path.rpartition(".")[2] for path in paths} == {"ThresherError"}


def test_every_package_has_its_page_in_the_reference():
    listed = re.findall(r"^reference/(\w+)$", page("reference.md"), flags=re.MULTILINE)
    assert sorted(listed) == sorted(reference_pages.PACKAGES)


def test_a_page_of_the_reference_leads_to_the_pages_that_use_a_name():
    text = reference_pages.page("curves")
    auc = text.split(".. autofunction:: thresher.auc\n")[1].split("\n.. auto")[0]
    assert ":doc:`/course/ranking`" in auc
    pairs = text.split(".. autoclass:: thresher.curves.Pairs\n")[1].split("\n.. auto")[0]
    assert "Returned by :py:obj:`pairs <thresher.pairs>`" in pairs
    front = [name for name in th.__all__ if inspect.isfunction(getattr(th, name))]
    assert [name for name in front if name not in reference_pages.used_in()] == [], "used by no page of docs"


def test_every_page_is_on_the_map():
    trees = page("index.md") + page("cli.md")
    pages = {
        path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md") if "_build" not in path.parts
    }
    pages -= {"index"} | {name for name in pages if name.startswith("decisions/")}
    assert {name for name in pages if f"\n{name}\n" not in trees} == set(), "no toctree lists them"


def test_pages_load_nothing_from_elsewhere():
    loaded = re.compile(r"(?:src|href)=\"https?:|\]\(https?:[^)]*\.(?:png|svg|js|css)\)|@import|mathjax", re.IGNORECASE)
    for path in DOCS.rglob("*"):
        # `check.py` spells out what it looks for in the pages that are built.
        if path.suffix in {".md", ".css", ".svg", ".py"} and "_build" not in path.parts and path.name != "check.py":
            assert not loaded.search(path.read_text(encoding="utf-8")), path.name
