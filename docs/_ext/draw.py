"""The `draw` directive: a picture made by code in the session of its page, in light and dark."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from docs.pages import THEMES, run

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class Draw(SphinxDirective):
    """Show what the page's code draws.

    The lines run where they stand among the page's `>>>` blocks; `:alt:` says in words what is seen, `:code:` shows the
    lines too, and `:after:` names the figure that is redrawn.
    """

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {
        "alt": directives.unchanged_required,
        "code": directives.flag,
        "after": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """The picture twice: furo shows the one that suits its theme."""
        state = self.env.temp_data.setdefault("draw", {"next": 0})
        if "drawings" not in state:
            source = Path(self.env.doc2path(self.env.docname))
            page = run(source.read_text(encoding="utf-8"), source.name, themes=THEMES)
            if page.failures:
                raise self.error("".join(page.failures))
            state["drawings"] = page.drawings
        place = state["next"]
        state["next"] += 1
        folder = Path(self.env.app.doctreedir, "drawn")
        folder.mkdir(parents=True, exist_ok=True)
        shown: list[nodes.Node] = []
        if "code" in self.options:
            code = "\n".join(self.content)
            shown.append(nodes.literal_block(code, code, language="python"))
        for theme, svg in state["drawings"][place].items():
            path = folder / f"{self.env.docname.replace('/', '-')}-{place + 1}-{theme}.svg"
            path.write_text(svg, encoding="utf-8")
            uri = "/" + os.path.relpath(path, self.env.srcdir)
            shown.append(nodes.image(uri=uri, alt=self.options["alt"], classes=[f"only-{theme}", "drawing"]))
        if "after" in self.options:
            shown.append(nodes.paragraph("", f"After {self.options['after']}", classes=["after"]))
        return shown


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    app.add_directive("draw", Draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
