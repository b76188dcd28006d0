"""Progress of a long scan: a function of the caller's is called every half second."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from thresher.errors import ArgumentError
from thresher.inputs.frames import PROGRESS_THREAD

_EVERY = 0.5


@dataclass(frozen=True, slots=True)
class Progress:
    """The stage of a scan, its rows done and in all (None if not known), and seconds.

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


@contextmanager
def report_progress(
    listener: Listener | None, stage: str, *, total: int | None, rows: Callable[[], int | None]
) -> Iterator[None]:
    """Call a listener from another thread while the work inside runs, and at its end."""
    if listener is None:
        yield
        return
    start, done = time.perf_counter(), threading.Event()
    failures: list[BaseException] = []

    def report(taken: int | None) -> None:
        try:
            listener(Progress(stage, taken, total, time.perf_counter() - start))
        except BaseException as error:  # noqa: BLE001 - it is the listener's, and ends the reports
            failures.append(error)

    def watch() -> None:
        while not failures and not done.wait(_EVERY):
            report(rows())

    watcher = threading.Thread(target=watch, name=PROGRESS_THREAD, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
    if not failures:
        report(rows() if total is None else total)
    for failure in failures:
        if not isinstance(failure, Exception):
            raise failure
        what = f"the function given as progress= raised {type(failure).__name__}: {failure}"
        fix = "fix the function or omit it; the data are fine"
        raise ArgumentError(what, fix, where=f"progress of {stage}") from failure
