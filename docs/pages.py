"""Pages that run: the `>>>` blocks and the drawings of a page share one session, in order."""

from __future__ import annotations

import ast
import doctest
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
SHORTEST_ALT = 40  # letters; a picture is described, not named
_FENCE = re.compile(r"\s*(?P<marks>`{3,}|~{3,})\s*\{?(?P<language>[\w+-]*)")
_VIEW = re.compile(r'<svg [^>]*viewBox="(\S+ \S+) (\S+) (\S+)"')
_OPTION = re.compile(r":(\w+):\s*(.*)")
_LIGHT: dict[str, Any] = {"figure.facecolor": "#ffffff", "axes.facecolor": "#ffffff", "savefig.facecolor": "#ffffff"}
_INK = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
_DARK: dict[str, Any] = dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "#131416")
THEMES: Mapping[str, dict[str, Any]] = {"light": _LIGHT, "dark": _DARK | dict.fromkeys(_INK, "#cfd0d0")}


@dataclass(frozen=True)
class Block:
    """A fenced block of a page: its lines, the options of a drawing, and how many lines stand before its code."""

    before: int
    lines: tuple[str, ...]
    options: Mapping[str, str] | None = None  # None: Python and no drawing

    @property
    def draws(self) -> bool:
        """Whether it is a drawing."""
        return self.options is not None

    @property
    def has_prompts(self) -> bool:
        """Whether it shows a session, and not code to read."""
        return any(line.lstrip().startswith(">>>") for line in self.lines)


@dataclass
class Page:
    """What running a page gives: what went wrong, and each drawing as SVG by theme."""

    failures: list[str] = field(default_factory=list)
    drawings: list[dict[str, str]] = field(default_factory=list)


def blocks(text: str) -> list[Block]:
    """Every block of a page that is fenced as Python, or as a drawing."""
    results: list[Block] = []
    marks, language, start, lines = "", "", 0, list[str]()
    for number, line in enumerate(text.split("\n"), start=1):
        fence = _FENCE.match(line)
        if not marks and fence:
            marks, language, start, lines = fence["marks"], fence["language"], number, []
        elif marks and fence and fence["marks"].startswith(marks) and line.strip() == fence["marks"]:
            results += _block(language, start, lines)
            marks = ""
        elif marks:
            lines.append(line)
    return results + (_block(language, start, lines) if marks else [])


def run(text: str, name: str, *, themes: Iterable[str] = ()) -> Page:
    """Run a page and draw its pictures in the themes asked for; drawings run in any case.

    A drawing ends with the display, axes or figure to be shown. Blocks without prompts need only compile.
    """
    page = Page()
    lines = [""] * (text.count("\n") + 1)
    drawn = dict[int, Block]()
    for block in blocks(text):
        if block.draws:
            lines[block.before] = f">>> _draw({block.before})"
            drawn[block.before] = block
        elif block.has_prompts:
            lines[block.before : block.before + len(block.lines)] = block.lines
        else:
            page.failures += _not_compiling(block, name)
    # Everything else is blanked and not cut out, so that a failure names the line of the page.
    test = doctest.DocTestParser().get_doctest("\n".join(lines), {"__name__": "__main__"}, name, name, 0)

    def draw(before: int) -> None:
        salt = f"{name}:{len(page.drawings)}"
        page.drawings.append(_pictures(drawn[before], test.globs, salt, tuple(themes)))

    test.globs["_draw"] = draw
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=page.failures.append, clear_globs=False)
    return page


def _block(language: str, start: int, lines: list[str]) -> list[Block]:
    if language in ("python", "pycon", "py"):
        return [Block(start, tuple(lines))]
    if language != "draw":
        return []
    options = dict[str, str]()
    while lines and (option := _OPTION.match(lines[0])):
        options[option[1]] = option[2].strip()
        start, lines = start + 1, lines[1:]
    return [Block(start, tuple(lines), options)]


def _not_compiling(block: Block, name: str) -> list[str]:
    margin = min((len(line) - len(line.lstrip()) for line in block.lines if line.strip()), default=0)
    source = "\n" * block.before + "\n".join(line[margin:] for line in block.lines)
    try:
        compile(source, name, "exec", dont_inherit=True)
    except SyntaxError as error:
        return [f'File "{name}", line {error.lineno}: {error.msg}']
    return []


def _pictures(block: Block, namespace: dict[str, Any], salt: str, themes: tuple[str, ...]) -> dict[str, str]:
    """The picture of a block in each theme; without one it is drawn and forgotten."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    if len((block.options or {}).get("alt", "")) < SHORTEST_ALT:
        raise ValueError(f"a drawing needs :alt: of at least {SHORTEST_ALT} letters that say what is seen")
    pictures, before = dict[str, str](), dict(namespace)
    for theme in themes or ("light",):
        style: Any = THEMES[theme] | {"svg.hashsalt": salt}
        with mpl.rc_context(style):
            namespace |= before  # so that every theme draws the same
            drawn = _value("\n".join(block.lines), namespace)
            if isinstance(drawn, str):
                pictures[theme] = _inked(drawn, style.get("text.color", "#000000"))
                continue
            figure = _figure(drawn)
            if themes:
                file = io.StringIO()
                figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
                pictures[theme] = file.getvalue()
            else:
                figure.draw_without_rendering()
        plt.close("all")
    return pictures


def _value(source: str, namespace: dict[str, Any]) -> Any:
    """Run statements, and return the value of the last, which is an expression."""
    tree = ast.parse(source)
    if not tree.body or not isinstance(tree.body[-1], ast.Expr):
        raise ValueError("a drawing ends with the display, axes, figure or SVG to show")
    last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
    exec(compile(tree, "drawing", "exec"), namespace)  # noqa: S102 - the repository's own pages
    return eval(compile(last, "drawing", "eval"), namespace)  # noqa: S307


def _inked(svg: str, ink: str) -> str:
    """An SVG element in the current colour, as a file: with that colour, and as large as it was drawn."""
    if not (size := _VIEW.match(svg)):
        raise ValueError("a drawing that is a text has to be an SVG element with its viewBox")
    return f'<svg color="{ink}" width="{size[2]}" height="{size[3]}" ' + svg.removeprefix("<svg ")


def _figure(value: Any) -> Any:
    figure = getattr(value, "figure_", None) or getattr(value, "figure", value)
    if not hasattr(figure, "savefig"):
        raise TypeError(f"a drawing ends with a display, axes or a figure, not {type(value).__name__}")
    return figure
