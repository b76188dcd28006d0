"""How Sphinx builds these pages: `make docs`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import thresher

sys.path.insert(0, str(Path(__file__).parents[1]))
from docs import reference_pages

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "thresher"
author = "the thresher authors"
version = release = thresher.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_design",
    "docs._ext.draw",
    "docs._ext.terminal",
]
myst_enable_extensions = ["colon_fence"]
exclude_patterns = ["_build"]
# docs/decisions fills up over time; several results have fields of the same name, which docstrings quote as code.
suppress_warnings = ["toc.empty_glob", "ref.python"]
nitpicky = False

myst_heading_anchors = 3
default_role = "code"  # docstrings put `names` in single backticks
pygments_style, pygments_dark_style = "friendly", "native"

autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autodoc_class_signature = "mixed"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 120
autodoc_type_aliases = {
    name: name.rpartition(".")[2]
    for name in (
        "npt.ArrayLike",
        "Averaging",
        "Binning",
        "Bins",
        "Cell",
        "Column",
        "Counts",
        "Flags",
        "Floats",
        "Matrix",
        "Method",
        "Missing",
        "On",
        "Over",
        "Plane",
        "Pool",
        "Smoothing",
        "Splits",
        "Targets",
        "Wanted",
    )
}
napoleon_numpy_docstring = True
napoleon_google_docstring = False

html_theme = "furo"
html_title = f"thresher {release}"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sphinx = False
html_show_copyright = False
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "sidebar_hide_name": False,
    "light_css_variables": {"color-brand-primary": "#0b6e6e", "color-brand-content": "#0b6e6e"},
    "dark_css_variables": {"color-brand-primary": "#5cc8c0", "color-brand-content": "#5cc8c0"},
}

_ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")


def setup(app: Sphinx) -> None:
    """Write the pages of the reference; show docstrings and signatures the way they are written."""
    if "reference" not in app.config.exclude_patterns:
        app.connect("builder-inited", lambda _: reference_pages.write())
    app.connect("autodoc-process-docstring", _keep_bars)
    app.connect("autodoc-process-signature", _name_aliases)


def _keep_bars(*event: Any) -> None:
    """A bar is a bar, as in |tpr - fpr|; reStructuredText would look for something to put there."""
    lines: list[str] = event[-1]
    lines[:] = [line if line.lstrip().startswith(">>>") else line.replace("|", r"\|") for line in lines]


def _name_aliases(*event: Any) -> tuple[str | None, ...]:
    """An alias within another type goes by its name as well."""
    return tuple(None if text is None else _ALIAS.sub(r"\1", text) for text in event[-2:])
