"""How far a long scan has come: told every half second to whoever wants to know."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

from thresher.errors import ArgumentError

_EVERY = 0.5
WATCHER = "thresher-progress"  # the thread in which listeners are called


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done, how many rows of how many it has taken (None where an engine does not say), and seconds.

    >>> Progress("counting", rows=2_000_000, total=10_000_000, seconds=0.5).rate
    4000000.0
    """

    stage: str
    rows: int | None
    total: int | None
    seconds: float

    @property
    def rate(self) -> float | None:
        """Rows per second."""
        return None if self.rows is None or not self.seconds else self.rows / self.seconds


Listener: TypeAlias = Callable[[Progress], object]


@dataclass(slots=True)
class RowCount:
    """Rows seen so far, which a listener's thread may look at."""

    rows: int = 0


@contextmanager
def heard(
    listener: Listener | None, stage: str, *, total: int | None, rows: Callable[[], int | None]
) -> Iterator[None]:
    """Tell a listener, from a thread of its own, how many rows the work inside has taken; once more when it is done.

    >>> with heard(lambda now: print(now.stage, now.rows), "counting", total=10, rows=lambda: None):
    ...     pass
    counting 10
    """
    if listener is None:
        yield
        return
    start, done = time.perf_counter(), threading.Event()
    failed: list[BaseException] = []

    def told(taken: int | None) -> None:
        try:
            listener(Progress(stage, taken, total, time.perf_counter() - start))
        except BaseException as error:  # noqa: BLE001 - it is the listener's own, and stops the telling
            failed.append(error)

    def watch() -> None:
        while not failed and not done.wait(_EVERY):
            told(rows())

    watcher = threading.Thread(target=watch, name=WATCHER, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    if not failed:
        told(rows() if total is None else total)
    if failed:
        if isinstance(failed[0], Exception):
            raise _failure(failed[0], stage) from failed[0]
        raise failed[0]


def share_done(engine: Any) -> Callable[[], float | None]:
    """A function that says which share of a query an engine has done; None where that one does not say.

    >>> share_done(object())() is None
    True
    """
    asked = getattr(getattr(engine, "con", None), "query_progress", None)

    def share() -> float | None:
        if asked is None:
            return None
        with suppress(Exception):  # a connection that is closing has nothing to say
            percent = float(asked())
            return min(percent, 100.0) / 100 if percent >= 0 else None
        return None

    return share


def _failure(error: Exception, stage: str) -> ArgumentError:
    return ArgumentError(
        f"the function given as progress= raised {type(error).__name__}: {error}",
        fix="mend it, or leave it out; the rows are not to blame",
        where=f"progress of {stage}",
    )
