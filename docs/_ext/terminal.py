"""Directives of the command line's pages: `terminal` runs commands, `options` lists those of a command."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

import thresher
from docs import terminal
from docs.terminal import SAMPLES, options, run

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment


class Terminal(SphinxDirective):
    """Show commands with what they print. Those of a page share a folder, which holds the rows of the demo."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"first": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        """One block of text."""
        _depend_on_source(self.env)
        folder = self.env.temp_data.get("terminal")
        if folder is None:
            folder = self.env.temp_data["terminal"] = self._folder()
        try:
            text = run(self.content, folder, first=self.options.get("first"))
        except ValueError as error:
            raise self.error(str(error)) from None
        return [nodes.literal_block(text, text, language="console", classes=["terminal"])]

    def _folder(self) -> Path:
        home = Path(self.env.app.doctreedir, "terminal")
        samples, folder = home / "samples", home / self.env.docname
        if not samples.exists():
            samples.mkdir(parents=True)
            run([SAMPLES], samples)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(samples, folder)
        return folder


class Options(SphinxDirective):
    """How a command is called, and a table of its options."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The nodes of the table."""
        _depend_on_source(self.env)
        return self.parse_text_to_nodes(options(self.arguments[0]))


def _depend_on_source(env: BuildEnvironment) -> None:
    """Have the page read again when a command may print something else."""
    for path in (*Path(thresher.__file__).parent.rglob("*.py"), Path(terminal.__file__)):
        env.note_dependency(str(path))


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives."""
    app.add_directive("terminal", Terminal)
    app.add_directive("options", Options)
    return {"parallel_read_safe": False, "parallel_write_safe": True}
