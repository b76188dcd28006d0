"""A word about work that takes longer than a second: on stderr, and only when that is a terminal."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 1.0


@contextmanager
def working(words: str) -> Iterator[None]:
    """Say what is being done if it is not done within a second; the line vanishes afterwards.

    >>> with working("counting"):
    ...     sum(range(10))
    45
    """
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    teller = threading.Thread(target=_told, args=(words, done), daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def _told(words: str, done: threading.Event) -> None:
    if done.wait(PATIENCE):
        return
    from rich.console import Console
    from rich.text import Text

    from thresher.cli.colours import colours_wanted
    from thresher.cli.plain_text import plain_text

    with Console(stderr=True, color_system="auto" if colours_wanted() else None).status(Text(plain_text(words))):
        done.wait()
