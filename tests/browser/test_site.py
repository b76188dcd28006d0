"""The documentation as a site: it loads nothing from elsewhere, its search works from a disk, and it fits a phone."""

import io
import re
import warnings
from pathlib import Path
from typing import ClassVar

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from docs.check import remote_resources, unfound_terms

DOCS = Path(__file__).parents[2] / "docs"
EXTENSIONS = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_design"]
WITHOUT = ["_build", "decisions", "reference"]  # many, and slow to build


class Silent(SphinxDirective):
    """In place of a drawing, or of what a command prints."""

    has_content = True
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = dict.fromkeys(("alt", "after", "code", "first"), lambda text: text)

    def run(self):
        return []


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the site, and what Sphinx remarked; all of it but the reference and what pages run."""
    home, remarks = tmp_path_factory.mktemp("site"), io.StringIO()
    changes = {"extensions": EXTENSIONS, "exclude_patterns": WITHOUT}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        site = Sphinx(DOCS, DOCS, home, home / ".doctrees", "html", changes, status=None, warning=remarks)
        for name in ("draw", "terminal", "options"):
            site.add_directive(name, Silent)
        site.build()
    return home, remarks.getvalue()


@pytest.fixture
def open_page(chromium, built):
    """Open a page of the site from the disk; whatever it asks for lies there, too."""
    asked, contexts = [], []

    def open_(name, width=1280):
        contexts.append(chromium.new_context(viewport={"width": width, "height": 800}))
        page = contexts[-1].new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto((built[0] / name.partition("?")[0]).as_uri() + "".join(name.partition("?")[1:]))
        return page

    yield open_
    for context in contexts:
        context.close()
    assert asked
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


def test_every_link_leads_somewhere(built):
    missing = re.compile(r"(nonexisting|Unknown source) document '(decisions|reference)/")
    assert [line for line in built[1].splitlines() if not missing.search(line)] == []


def test_nothing_comes_from_elsewhere_and_every_term_is_found(built):
    assert remote_resources(built[0]) == []
    assert unfound_terms(built[0]) == []


@pytest.mark.parametrize(("term", "page"), [("overfitting", "course/curves.html"), ("cut-off", "glossary.html")])
def test_search_finds_a_term_from_a_disk(open_page, term, page):
    site = open_page(f"search.html?q={term}")
    site.locator(f"#search-results li a[href^='{page}']").first.click()  # hits are shown one after the other
    assert term in site.locator("article").inner_text().lower()


@pytest.mark.parametrize("name", ["index.html", "glossary.html", "measures.html", "cli.html", "coverage.html"])
def test_a_page_fits_a_phone(open_page, name):
    page = open_page(name, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
