"""Notebooks of the course and the guides: `python -m docs.notebooks FOLDER` at the root writes them.

Each page becomes a notebook: its text, its `>>>` blocks as code, its drawings as code that shows a picture. Answers to
exercises are left out unless `--answers` asks for them. The same pages give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator
from doctest import DocTestParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
FOLDERS = ("course", "guides")
_FENCE = re.compile(r"^```(?:\{(draw)\}|(python))\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r"^:::\{dropdown\} Answer\n(.*?)^:::\n?", re.MULTILINE | re.DOTALL)


def notebook(text: str, *, answers: bool = False) -> dict[str, Any]:
    """A page as a notebook, as plain data."""
    text = _ANSWER.sub(r"*Answer.* \1" if answers else "*Your answer:*\n", text)
    cells = [
        _cell(kind, source, f"cell-{number}") for number, (kind, source) in enumerate(_parts(text), start=1) if source
    ]
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write(folder: Path, *, answers: bool = False) -> list[Path]:
    """Write the notebook of every page below the folder."""
    paths = []
    for page in sorted(path for name in FOLDERS for path in (ROOT / name).glob("*.md")):
        path = folder / page.relative_to(ROOT).with_suffix(".ipynb")
        path.parent.mkdir(parents=True, exist_ok=True)
        made = notebook(page.read_text(encoding="utf-8"), answers=answers)
        path.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        paths.append(path)
    return paths


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Text and code in turn."""
    end = 0
    for block in _FENCE.finditer(text):
        yield "markdown", _plain(text[end : block.start()])
        yield "code", _drawn(block[3]) if block[1] else _session(block[3])
        end = block.end()
    yield "markdown", _plain(text[end:])


def _plain(text: str) -> str:
    """Markdown without links to pages, tabs and output of commands, which a notebook does not have."""
    text = re.sub(r"^```\{terminal\}\n(?::\w+:.*\n)?", "```sh\n", text, flags=re.MULTILINE)
    text = re.sub(r"^:{3,}(?:\{tab-item\} (.*)|.*)\n(?::[\w-]+:.*\n)*", _heading, text, flags=re.MULTILINE)
    return re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text).strip()


def _heading(fence: re.Match[str]) -> str:
    return f"**{fence[1]}**\n" if fence[1] else ""


def _session(block: str) -> str:
    """The code of a `>>>` block without its output; errors that it shows are caught and printed."""
    if ">>>" not in block:
        return block.rstrip()
    lines = []
    for example in DocTestParser().get_examples(block):
        source = example.source.rstrip()
        if example.exc_msg is not None:
            inside = "\n".join(f"    {line}" for line in source.split("\n"))
            source = f"try:\n{inside}\nexcept Exception as error:\n    print(error)"
        lines.append(source)
    return "\n".join(lines)


def _drawn(block: str) -> str:
    lines = block.rstrip().split("\n")
    while lines and re.match(r":\w+:", lines[0]):
        lines = lines[1:]
    if ".svg(" in lines[-1]:  # of a tree; its text says the same
        return "\n".join([*lines[:-1], f"print({lines[-1].replace('.svg(', '.text(')})"])
    return "\n".join([*lines[:-1], f"picture = {lines[-1]}", 'getattr(picture, "figure_", None) or picture.figure'])


def _cell(kind: str, source: str, name: str) -> dict[str, Any]:
    made: dict[str, Any] = {"cell_type": kind, "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    return made | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def main() -> None:
    """Write the notebooks into a folder, and say which."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--answers", action="store_true", help="with the answers to exercises")
    asked = options.parse_args()
    for path in write(asked.folder, answers=asked.answers):
        print(path)  # noqa: T201


if __name__ == "__main__":
    main()
