"""The terminal: one console, safe text, colours, progress and one style of tables."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Literal, TextIO, TypeAlias

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from thresher._internal import text as shown
from thresher._internal.palette import ON_EITHER
from thresher._internal.text import log_json, log_line, plain_text
from thresher.cli.app import colours_wanted
from thresher.cli.options import PrintOptions

if TYPE_CHECKING:
    from thresher.cautions import Caution
    from thresher.inference import Interval

Cell: TypeAlias = "Text | str | float | Interval | None"
NARROWEST, WIDEST, PIPED = 60, 200, 100
LONGEST_NAME = 28
GOOD, BAD, MIND, FAINT = ON_EITHER[2], ON_EITHER[4], ON_EITHER[1], "dim"
PATIENCE, EVERY = 1.0, 0.5  # seconds before the first word about long work, and between two
LOGGED = 10.0  # seconds between two lines where there is no terminal


def console() -> Console:
    """The terminal, 60 to 200 columns wide; plain text where piped or NO_COLOR is set."""
    # Without colours there are no bold or faint letters either, and curves are not drawn together.
    colours: Literal["auto"] | None = "auto" if colours_wanted() else None
    screen = Console(highlight=False, markup=False, emoji=False, soft_wrap=False, color_system=colours)
    width = screen.width if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPED
    screen.width = min(max(width, NARROWEST), WIDEST)
    return screen


def name_text(name: Cell, style: str = "") -> Text:
    """A name that people gave, without markup or control characters."""
    return name if isinstance(name, Text) else Text(plain_text(name), style=style, overflow="fold")


def lines_text(text: str) -> Text:
    """Text of several lines, which stay lines."""
    return Text("\n".join(map(plain_text, text.splitlines())))


def interval_text(interval: Interval) -> Text:
    """0.950 [0.913, 0.972] to the digits that its width deserves, its limits faint."""
    words = shown.interval_text(interval.estimate, interval.lower, interval.upper)
    estimate, space, limits = words.partition(" ")
    text = Text(estimate, style=FAINT if math.isnan(interval.estimate) else "")
    return text.append(space + limits, style=FAINT)


def number(value: float | None) -> str:
    """Three digits, or a dash for what is no number."""
    return "–" if value is None or math.isnan(value) else shown.number_text(value)


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]], *, left: int = 1) -> Table:
    """A table whose first columns are names and the others numbers."""
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1), header_style="bold")
    for i, head in enumerate(heads):
        if i < left:
            grid.add_column(head, max_width=LONGEST_NAME, overflow="fold")
        else:
            grid.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        grid.add_row(*map(name_text, row[:left]), *map(_number_cell, row[left:]))
    return grid


def tables(
    first: str, heads: Sequence[str], names: Sequence[Text], cells: Sequence[Sequence[Text]], width: int
) -> Iterator[RenderableType]:
    """One line per name, in several tables where one is wider than the terminal."""
    longest = min(LONGEST_NAME, max(text.cell_len for text in (*names, Text(first))))
    wide = [max(len(head), *(row[i].cell_len for row in cells)) + 3 for i, head in enumerate(heads)]
    left = list(range(len(heads)))
    while left:
        part: list[int] = []
        for column in left:
            if not part or longest + sum(wide[k] for k in (*part, column)) <= width:
                part.append(column)
        left = [column for column in left if column not in part]
        lines = [[name, *(row[k] for k in part)] for name, row in zip(names, cells, strict=True)]
        yield table([first, *(heads[k] for k in part)], lines)
        if left:
            yield Text()


def _number_cell(cell: Cell) -> Text:
    match cell:
        case Text():
            return cell
        case str():
            return Text(cell)
        case None | float() | int():
            return Text(number(cell))
    return interval_text(cell)


def heading(words: str, aside: str = "") -> Text:
    """A heading, with a fainter remark."""
    text = Text(words, style="bold")
    return text.append(f"  {aside}", style=FAINT) if aside else text


def cautions_text(cautions: Iterable[Caution]) -> list[RenderableType]:
    """Cautions, each with the code that the documentation explains."""
    grid = Table.grid(padding=(0, 1))
    for caution in cautions:
        text = Text(plain_text(caution.text)).append(f"  ({caution.code})", style=FAINT)
        grid.add_row(Text("!", style=MIND), text)
    return [heading("Mind"), grid] if grid.row_count else []


def show(screen: Console, parts: Iterable[Any]) -> None:
    """Print blocks with a blank line between them; a block is a renderable or a list."""
    with screen.capture() as captured:
        for i, part in enumerate(part for part in parts if part):
            if i:
                screen.print()
            for line in part if isinstance(part, list) else [part]:
                screen.print(line)
    text = captured.get()
    if not screen.is_terminal:
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    screen.file.write(log_line(text))


def present(printed: PrintOptions, plain: Callable[[], str], blocks: Callable[[Console], Iterable[Any]]) -> None:
    """Print plain data, or blocks that fit the terminal, or nothing."""
    if printed.as_json:
        click.echo(log_json(plain()))
    elif not printed.quiet:
        screen = console()
        show(screen, blocks(screen))


def written_text(lines: Iterable[str]) -> list[Text]:
    """One line per file that was written."""
    return [Text.assemble(("wrote ", "bold"), plain_text(line)) for line in lines]


@contextmanager
def working(words: str, *, every: float = LOGGED) -> Iterator[Callable[[str], None]]:
    """Say what is done if it takes long; the function changes the words.

    A terminal shows it after a second, in one line that goes away. Where there is none, as in a log, a line is written
    every so many seconds. With --quiet nothing is written.
    """
    now = [words]

    def track(words: str) -> None:
        now[0] = words

    context = click.get_current_context(silent=True)
    if sys.stderr is None or (context is not None and context.params.get("quiet")):
        yield track
        return
    done = threading.Event()
    terminal = sys.stderr.isatty()
    began = time.perf_counter() if context is None else context.meta.setdefault("thresher.began", time.perf_counter())
    target, patience = (_show_status, ()) if terminal else (_write_lines, (began, every, sys.stderr))
    worker = threading.Thread(target=target, args=(now, done, *patience), daemon=True)
    worker.start()
    try:
        yield track
    finally:
        done.set()
        worker.join()


def _show_status(now: list[str], done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    screen = Console(stderr=True, color_system="auto" if colours_wanted() else None)
    with screen.status(Text(plain_text(now[0]))) as status:
        while not done.wait(EVERY):
            status.update(Text(plain_text(now[0])))


def _write_lines(now: list[str], done: threading.Event, began: float, every: float, log: TextIO) -> None:
    """Write to a log what is done, every so many seconds since the command began."""
    while not done.wait(every - (time.perf_counter() - began) % every):
        seconds = time.perf_counter() - began
        with suppress(OSError, ValueError):  # nobody reads the log any more
            log.write(log_line(f"thresher: {plain_text(now[0])} ({seconds:.0f} s)\n"))
            log.flush()
