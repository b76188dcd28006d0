"""The terminal: one console, safe text, colours, progress and one style of tables."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from thresher._internal import text as shown
from thresher._internal.palette import ON_EITHER
from thresher._internal.text import plain_text
from thresher.cli.app import colours_wanted

if TYPE_CHECKING:
    from thresher.cautions import Caution
    from thresher.inference import Interval

NARROWEST, WIDEST, PIPED = 60, 200, 100
LONGEST_NAME = 28
GOOD, BAD, MIND, FAINT = ON_EITHER[2], ON_EITHER[4], ON_EITHER[1], "dim"


def console() -> Console:
    """The terminal, between 60 and 200 columns wide; plain text where output is piped or NO_COLOR is set."""
    # Without a system of colours there are no bold or faint letters either, and curves that only colours tell apart
    # are not drawn together.
    colours: Literal["auto"] | None = "auto" if colours_wanted() else None
    screen = Console(highlight=False, markup=False, emoji=False, soft_wrap=False, color_system=colours)
    width = screen.width if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPED
    screen.width = min(max(width, NARROWEST), WIDEST)
    return screen


def draws_dots(screen: Console) -> bool:
    """Whether braille can be shown."""
    return not screen.options.ascii_only


def name_text(name: str, style: str = "") -> Text:
    """A name that people gave: no markup is read in it, and no control character is left."""
    return Text(plain_text(name), style=style, overflow="fold")


def interval_text(interval: Interval) -> Text:
    """0.950 [0.913, 0.972] to the digits that its width deserves, the limits fainter than the estimate."""
    words = shown.interval_text(interval.estimate, interval.lower, interval.upper)
    estimate, _, limits = words.partition(" ")
    if math.isnan(interval.estimate):
        return Text(estimate, style=FAINT)
    return Text(estimate).append(f" {limits}", style=FAINT) if limits else Text(estimate)


def number(value: float | None) -> str:
    """Three digits, or a dash for what is no number.

    >>> number(0.94951), number(12345.678), number(0.00012), number(float("inf")), number(None)
    ('0.95', '12,346', '0.00012', '∞', '–')
    """
    return "–" if value is None or math.isnan(value) else shown.number_text(value)


def table(heads: Sequence[str | Text], rows: Iterable[Sequence[RenderableType]], *, left: int = 1) -> Table:
    """A table whose first columns are names and the others numbers."""
    found = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1), header_style="bold")
    for i, head in enumerate(heads):
        if i < left:
            found.add_column(head, max_width=LONGEST_NAME, overflow="fold")
        else:
            found.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        found.add_row(*row)
    return found


def heading(words: str, aside: str = "") -> Text:
    """A heading, with a fainter remark."""
    text = Text(words, style="bold")
    return text.append(f"  {aside}", style=FAINT) if aside else text


def cautions_text(cautions: Iterable[Caution]) -> list[RenderableType]:
    """What a careful analyst would mind, each with the code that the documentation explains."""
    found = Table.grid(padding=(0, 1))
    for caution in cautions:
        text = Text(plain_text(caution.text)).append(f"  ({caution.code})", style=FAINT)
        found.add_row(Text("!", style=MIND), text)
    return [heading("Mind"), found] if found.row_count else []


def show(screen: Console, parts: Iterable[Any]) -> None:
    """Print blocks with a blank line between them; a block is one renderable or a list of them."""
    with screen.capture() as captured:
        for i, part in enumerate(part for part in parts if part):
            if i:
                screen.print()
            for line in part if isinstance(part, list) else [part]:
                screen.print(line)
    text = captured.get()
    if not screen.is_terminal:
        text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    screen.file.write(text)


PATIENCE = 1.0
EVERY = 0.5


@contextmanager
def working(words: str) -> Iterator[None]:
    """Say what is being done if it is not done within a second; the line vanishes afterwards.

    >>> with working("counting"):
    ...     sum(range(10))
    45
    """
    with telling(words):
        yield


@contextmanager
def telling(words: str) -> Iterator[Callable[[str], None]]:
    """The same, with a function that changes the words while the work goes on.

    >>> with telling("counting") as tell:
    ...     tell("counting: 5 of 10 rows")
    """
    now = [words]

    def tell(said: str) -> None:
        now[0] = said

    if not sys.stderr.isatty():
        yield tell
        return
    done = threading.Event()
    teller = threading.Thread(target=_told, args=(now, done), daemon=True)
    teller.start()
    try:
        yield tell
    finally:
        done.set()
        teller.join()


def _told(now: list[str], done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.console import Console
    from rich.text import Text

    from thresher._internal.text import plain_text
    from thresher.cli.app import colours_wanted

    console = Console(stderr=True, color_system="auto" if colours_wanted() else None)
    with console.status(Text(plain_text(now[0]))) as status:
        while not done.wait(EVERY):
            status.update(Text(plain_text(now[0])))
