"""A word about work that takes longer than a second: on stderr, and only when that is a terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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

    from thresher.cli.colours import colours_wanted
    from thresher.cli.plain_text import plain_text

    console = Console(stderr=True, color_system="auto" if colours_wanted() else None)
    with console.status(Text(plain_text(now[0]))) as status:
        while not done.wait(EVERY):
            status.update(Text(plain_text(now[0])))
