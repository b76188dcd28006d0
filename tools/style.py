"""Style rules that ruff does not know: words, sizes, first lines.

Prints each breach and exits 1 if there is any.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "thresher"
OTHERS = ("tests", "benchmarks", "examples", "tools")  # only their names are checked
MOST_LINES = 700
LONGEST_FIRST_LINE = 80  # of a docstring
MOST_ENTRIES = 21  # of one folder, unless all are of one kind
OF_ONE_KIND = {"plots", "commands"}
VAGUE_FILES = {"utils", "util", "helpers", "common", "misc", "base", "core", "manager"}
# docs/decisions/0018: words that the field does not use, in comments and docstrings ...
PROSE = re.compile(
    r"\b(deal(t|s|ing)?|hands?|kept|told|said|heard|heed(s|ed)?|beside|standing|pulls?|lens(es)?|anew|untied|doors?|rooms?|looks"
    r"|whoever|of its own|in nobody's way)\b",
    re.IGNORECASE,
)
PROPER = re.compile(r"Hand (&|and) Till|Hand[-–]Till|Hand \(\d{4}\)|right[- ]hand|left[- ]hand|by hand", re.IGNORECASE)
# ... as parts of names ...
PARTS = {
    "deal",
    "dealt",
    "dealing",
    "hand",
    "hands",
    "kept",
    "told",
    "said",
    "heard",
    "heed",
    "unheeded",
    "beside",
    "standing",
}
PARTS |= {
    "pull",
    "pulls",
    "lens",
    "lenses",
    "anew",
    "mine",
    "untied",
    "door",
    "doors",
    "room",
    "rooms",
    "looks",
    "whole",
}
# ... and as names that do not say what they hold.
EMPTY = {"called", "found", "given", "kept", "said", "told"}


def main() -> int:
    """Check every file, and print what breaks a rule."""
    breaches = [breach for path in sorted(SOURCE.rglob("*.py")) for breach in of_file(path)]
    for path in sorted(path for folder in OTHERS for path in (ROOT / folder).rglob("*.py")):
        breaches += of_names(ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT).as_posix())
    breaches += of_folders()
    for breach in breaches:
        print(breach)  # noqa: T201
    return 1 if breaches else 0


def of_file(path: Path) -> Iterator[str]:
    """What one file breaks."""
    text = path.read_text(encoding="utf-8")
    name = path.relative_to(ROOT).as_posix()
    tree = ast.parse(text)
    first = (ast.get_docstring(tree) or "").partition("\n")[0]
    if not first.endswith((".", ":")):
        yield f"{name}:1: a module opens with one sentence"
    lines = text.count("\n")
    if lines > MOST_LINES and path.stem != "__init__":
        yield f"{name}:1: {lines} lines; over {MOST_LINES} a concept is missing"
    if path.stem in VAGUE_FILES or PARTS & set(path.stem.split("_")):
        yield f"{name}:1: the file's name does not say what it holds"
    yield from of_names(tree, name)
    yield from of_first_lines(tree, name)
    yield from of_prose(text, tree, name)


def of_names(tree: ast.AST, file: str) -> Iterator[str]:
    """Identifiers in words that the field does not use."""
    for node in ast.walk(tree):
        name = ""
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = node.name
        elif isinstance(node, ast.arg):
            name = node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "np.random.default_rng" and not node.args:
            yield f"{file}:{node.lineno}: default_rng() without a seed"
        parts = {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
        if parts & PARTS or name in EMPTY:
            yield f"{file}:{getattr(node, 'lineno', 1)}: the name {name!r}"


def of_first_lines(tree: ast.AST, file: str) -> Iterator[str]:
    """Docstrings whose first line is too long."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            length = len((ast.get_docstring(node) or "").partition("\n")[0])
            if length > LONGEST_FIRST_LINE:
                yield f"{file}:{node.body[0].lineno}: the first line has {length} characters"


def of_prose(text: str, tree: ast.AST, file: str) -> Iterator[str]:
    """Comments and docstrings in words that the field does not use."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield from _words(token.string, file, token.start[0])
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            doc = ast.get_docstring(node, clean=False)
            if doc:
                line = node.body[0].lineno
                for number, part in enumerate(doc.split("\n")):
                    if not part.lstrip().startswith((">>>", "...")):
                        yield from _words(part, file, line + number)


def of_folders() -> Iterator[str]:
    """Folders with too many entries."""
    for folder in [
        SOURCE,
        *(path for path in SOURCE.rglob("*") if path.is_dir() and path.name not in ("__pycache__", "assets")),
    ]:
        entries = [path for path in folder.iterdir() if path.name not in ("__pycache__", "__init__.py", "py.typed")]
        if len(entries) > MOST_ENTRIES and folder.name not in OF_ONE_KIND:
            yield f"{folder.relative_to(ROOT).as_posix()}: {len(entries)} entries"


def _words(line: str, file: str, number: int) -> Iterator[str]:
    for match in PROSE.finditer(PROPER.sub("", line)):
        yield f"{file}:{number}: the word {match[0]!r}"


if __name__ == "__main__":
    sys.exit(main())
