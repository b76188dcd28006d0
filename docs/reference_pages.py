"""The reference, one page per package, written when the documentation is built.

Nothing is listed by hand: names come from what packages export, headings and order from the files that define them,
and links from the pages that use them.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import thresher as th

DOCS = Path(__file__).parent
FOLDER = DOCS / "reference"
SOURCE = Path(th.__file__).parent
# Errors and cautions have pages of prose.
PACKAGES = tuple(name for name in th._SUBPACKAGES if name not in ("errors", "cautions"))
# Of these packages users meet what the front door offers; the rest is for other packages.
INNER = ("ranking", "inputs", "report")
# What the others export for other packages alone.
_HELPERS = (
    "ClassNames Deployed LOSSES Limit LogisticCurve MATRIX_MEASURES MODEL_NUMBERS MOST_SEGMENTS ModelNumber Neighbours"
    " OfRanking Quantity Steps TreeNodes condense hull_splits limits_of log_losses named_category"
    " precision_sum quantity read_learned refusal require_lesson require_table segment_areas squared_losses"
    " write_learned"
)
HELPERS = frozenset(_HELPERS.split())
MOST_LINKS = 5
_LISTS = ("_build", "decisions", "glossary.md", "index.md", "reference.md")  # they use nothing
_CODE = re.compile(r"^(`{3,}).*?^\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_REACHED = re.compile(r"\b(?:th|thresher)\.(\w+)(?:\.(\w+))?")
_IMPORTED = re.compile(r"\bfrom thresher\.(\w+) import ([\w, ]+)")
# Words of code that mean one thing without a path: a call of a class, and names of several words.
_UNMISTAKABLE = re.compile(r"\b([A-Z]\w+(?=\()|[A-Z]+[a-z]\w*[A-Z]\w*|[a-z]+_\w+)")


@dataclass(frozen=True)
class Entry:
    """A public name, what it stands for, and the first line of the file that defines it."""

    path: str  # as users reach it, `auc` or `inference.mcnemar`
    value: Any
    heading: str

    @property
    def kind(self) -> str:
        """What Sphinx calls it."""
        if inspect.isclass(self.value):
            return "class"
        return "function" if callable(self.value) else "data"

    @property
    def link(self) -> str:
        """A link to it from anywhere."""
        return f":py:obj:`~thresher.{self.path}`"

    @property
    def summary(self) -> str:
        """The first line of its docstring, or of its file's."""
        return self.heading if self.kind == "data" else inspect.cleandoc(self.value.__doc__ or "").partition("\n")[0]


@cache
def entries(package: str) -> tuple[Entry, ...]:
    """What a package offers to users, by the files that define it and their lines."""
    module = import_module(f"thresher.{package}")
    names = _front_door(package) if package in INNER else set(module.__all__) - HELPERS
    missing = set(names)
    found = list[Entry]()
    for file in sorted((SOURCE / package).rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        heading = (ast.get_docstring(tree) or "").partition("\n")[0].rstrip(".")
        inner = getattr(module, file.stem) if file.stem in names else None  # a module that is offered as it is
        for name in dict.fromkeys(_defined(tree)):
            if name in names:
                missing.discard(name)
                found.append(Entry(_path(package, name), getattr(module, name), heading))
            elif isinstance(inner, ModuleType) and not name.startswith("_") and name not in HELPERS:
                missing.discard(file.stem)
                found.append(Entry(f"{file.stem}.{name}", getattr(inner, name), heading))
    if missing:
        raise ValueError(f"no file of {package} defines {', '.join(missing)}")
    return tuple(found)


def page(package: str) -> str:
    """The page of a package, as reStructuredText."""
    title = f"thresher.{package}"
    lines = [title, "=" * len(title), "", inspect.cleandoc(import_module(title).__doc__ or ""), ""]
    lines += [".. list-table::", "   :class: names", ""]
    for entry in entries(package):
        lines += [f"   * - {entry.link}", f"     - {entry.summary}".replace("|", r"\|").rstrip()]
    heading = ""
    for entry in entries(package):
        if entry.heading != heading:
            heading = entry.heading
            lines += ["", heading, "-" * len(heading)]
        lines += ["", *_shown(entry)]
    return "\n".join(lines) + "\n"


def write() -> None:
    """Write the pages that have changed."""
    FOLDER.mkdir(exist_ok=True)
    for package in PACKAGES:
        path, text = FOLDER / f"{package}.rst", page(package)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def _shown(entry: Entry) -> list[str]:
    """The directive that shows an entry, with what returns it and the pages that use it."""
    lines = [f".. auto{entry.kind}:: thresher.{entry.path}"]
    words = dict[str, list[str]]()
    if entry.kind == "data":
        lines.append("   :no-value:")
    if entry.kind == "class":
        names, synonyms, parents = _attributes(entry.value)
        lines += [f"   :members: {', '.join(names)}"] if names else []
        words = {"Extends": parents, "Other names:": synonyms, "Returned by": _returned_by().get(entry.path, [])}
    words["Used in"] = [f":doc:`{link}`" for link in used_in().get(entry.path, [])]
    sentences = [f"   {verb} {', '.join(links)}." for verb, links in words.items() if links]
    return [*lines, *(line for sentence in sentences for line in ("", sentence))]


@cache
def _by_name() -> dict[str, Entry]:
    """Entries by the last word of their paths, where no other has it."""
    named = [(entry.path.rpartition(".")[2], entry) for package in PACKAGES for entry in entries(package)]
    counts = Counter(name for name, _ in named)
    return {name: entry for name, entry in named if counts[name] == 1}


@cache
def used_in() -> dict[str, list[str]]:
    """The pages that use each name, those that do so most first."""
    counts = defaultdict[str, Counter[str]](Counter)
    for file in sorted(DOCS.rglob("*.md")):
        name = file.relative_to(DOCS)
        if name.parts[0] not in _LISTS:
            for code in _CODE.finditer(file.read_text(encoding="utf-8")):
                for path in _paths(code[0]):
                    counts[path][f"/{name.with_suffix('').as_posix()}"] += 1
    return {path: [page for page, _ in pages.most_common(MOST_LINKS)] for path, pages in counts.items()}


def _paths(code: str) -> Iterator[str]:
    """Paths of entries that code may mean."""
    for first, second in _REACHED.findall(code):
        yield from {first, _path(first, second)}
    for package, names in _IMPORTED.findall(code):
        yield from (_path(package, name.strip()) for name in names.split(","))
    yield from (_by_name()[word].path for word in _UNMISTAKABLE.findall(code) if word in _by_name())


@cache
def _returned_by() -> dict[str, list[str]]:
    """Links to the functions, methods and properties that return each class."""
    links = defaultdict[str, list[str]](list)
    for entry in (each for package in PACKAGES for each in entries(package)):
        for name, function in _functions(entry):
            for word in re.findall(r"\w+", str(function.__annotations__.get("return", ""))):
                if word in _by_name():
                    links[_by_name()[word].path].append(f":py:obj:`{name} <thresher.{name}>`")
    return {path: list(dict.fromkeys(found))[:MOST_LINKS] for path, found in links.items()}


def _functions(entry: Entry) -> Iterator[tuple[str, Any]]:
    if entry.kind == "function":
        yield entry.path, entry.value
    for name, value in vars(entry.value).items() if entry.kind == "class" else ():
        function = getattr(value, "__func__", None) or getattr(value, "fget", None) or value
        if inspect.isfunction(function) and not name.startswith("_"):
            yield f"{entry.path}.{name}", function


def _attributes(kind: type) -> tuple[list[str], list[str], list[str]]:
    """Documented methods and properties of a class, synonyms among them, and links to its bases that have entries."""
    names, synonyms, parents = dict[int, str](), list[str](), list[str]()
    for base in kind.__mro__:
        entry = _by_name().get(base.__name__)
        if base is not kind and entry and entry.value is base:
            parents.append(entry.link)
        elif base.__module__.startswith("thresher"):
            for name, value in vars(base).items():
                if (name.startswith("_") and name != "__call__") or name in names.values() or not _documented(value):
                    continue
                if id(value) in names:
                    synonyms.append(f"``{name}`` (``{names[id(value)]}``)")
                names.setdefault(id(value), name)
    return list(names.values()), synonyms, parents


def _documented(value: Any) -> bool:
    """Whether it is a method or property with a docstring; plain values have those of their types."""
    return isinstance(value, property | classmethod | staticmethod) or (
        inspect.isfunction(value) and bool(value.__doc__)
    )


def _front_door(package: str) -> list[str]:
    return th._PACKAGES.get(package, "").split()


def _path(package: str, name: str) -> str:
    return name if name in _front_door(package) else f"{package}.{name}"


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id.isupper():
            yield node.target.id
