"""Commands that pages show: run where the documentation is built, and every option from the command itself."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from contextlib import chdir
from pathlib import Path

import click
from click.testing import CliRunner

from thresher.cli.app import program

WIDTH = "88"  # columns, which fit a page of text
SAMPLES = "$ thresher demo --predictions predictions.csv --measurements tumours.csv"
_BLOCK = re.compile(r"^```\{terminal\}\n(?::first:[^\n]*\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str) -> list[str]:
    """The lines of each block that a page runs."""
    return _BLOCK.findall(text)


def lines(text: str) -> list[str]:
    """The command lines that a page runs, in order."""
    return [line for block in blocks(text) for line in block.splitlines()]


def run(commands: Iterable[str], folder: Path, *, first: int | None = None) -> str:
    """What a terminal shows after these commands: each line with what it prints, or the first lines of that."""
    shown = list[str]()
    for line in commands:
        words = shlex.split(line.removeprefix("$ thresher "))
        with chdir(folder):
            result = CliRunner().invoke(program, words, env={"COLUMNS": WIDTH}, prog_name="thresher")
        if result.exit_code:
            raise ValueError(f"{line}\nexits with {result.exit_code}: {result.output}")
        printed = result.stdout.rstrip().splitlines()
        more = ["…"] if first is not None and len(printed) > first else []
        shown += [_broken(line), *printed[:first], *more, ""]
    return "\n".join(shown).rstrip()


def _broken(line: str) -> str:
    """A long line in several, before options, as a shell takes them."""
    rows = [""]
    for part in re.split(r" (?=--?\w)", line):
        if rows[-1] and len(rows[-1]) + len(part) + 3 > int(WIDTH):
            rows.append("   ")
        rows[-1] += f" {part}" if rows[-1] else part
    return " \\\n".join(rows)


def options(name: str) -> str:
    """How a command is called, and every option with what its help says, as Markdown."""
    command: click.Command = program
    for word in name.split():
        inner = command.get_command(click.Context(command), word) if isinstance(command, click.Group) else None
        if inner is None:
            raise ValueError(f"there is no command {name!r}")
        command = inner
    context = click.Context(command, info_name=f"thresher {name}", show_default=True)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    records = [one.get_help_record(context) for one in command.params if isinstance(one, click.Option)]
    rows = [f"| {_code(spelt)} | {_plain(words)} |" for spelt, words in filter(None, records)]
    return "\n".join([f"```text\n{usage}\n```", "", "| option | says |", "|---|---|", *rows])


def _code(spelt: str) -> str:
    return "`" + spelt.replace("|", r"\|") + "`"


def _plain(words: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|{}])", r"\\\1", " ".join(words.split()))
