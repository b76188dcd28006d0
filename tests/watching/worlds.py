"""A decision to watch, clocks, and histories of rows and labels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import thresher as th
from thresher.watching.storage.store import Store

START = datetime(2026, 3, 1, tzinfo=UTC)


class Clock:
    """A clock that is set."""

    def __init__(self, now: datetime = START) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def at(self, days: float) -> None:
        """So many days after the start."""
        self.now = START + timedelta(days=days)


@contextmanager
def in_memory() -> Iterator[Path]:
    """A folder where writing to the disk costs nothing, if the system has one."""
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:  # noqa: S108
        yield Path(folder)


@lru_cache
def reference() -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of 2,000 rows, a fifth of them positive."""
    rng = np.random.default_rng(7)
    labels = (rng.random(2000) < 0.2).astype(np.int64)
    scores = 1 / (1 + np.exp(-(rng.normal(size=2000) + 2.5 * labels - 2)))
    return labels, scores


@lru_cache
def decision(cost_ratio: float = 2) -> Any:
    """The cheapest threshold on the reference."""
    labels, scores = reference()
    return th.evaluate(labels, {"p": scores}, condition=th.OperatingCondition(cost_ratio=cost_ratio), seed=1).decision


def watch(place: Any, clock: Clock | None = None, **changes: Any) -> th.Watch:
    """A watch of the decision."""
    labels, scores = reference()
    settings: dict[str, Any] = {
        "promises": ["precision >= 0.6", "recall >= 0.5"],
        "matures": "5d",
        "sample": 0.2,
    } | changes
    rows_ = {"y": labels, "p": scores}
    one = th.Watch.create(place, decision(), reference=rows_, label="y", clock=clock or Clock(), **settings)
    with Store(place) as store:  # the same permanent random numbers in every run
        store.execute("UPDATE watch SET salt = 'salt'")
    return one


def days(values: Any) -> np.ndarray:
    """Days after the start, as moments without a zone."""
    start = np.datetime64(START.replace(tzinfo=None), "us")
    return start + np.round(np.asarray(values, dtype=np.float64) * 86400e6).astype("timedelta64[us]")


def rows(first: int, scores: Any, at: Any) -> dict[str, Any]:
    """Rows with ids from `first` on."""
    scores = np.asarray(scores, dtype=np.float64)
    return {
        "id": [f"r{first + n}" for n in range(scores.size)],
        "time": days(np.broadcast_to(at, scores.shape)),
        "p": scores,
    }


@lru_cache
def demo_check() -> Any:
    """A check after half a year of a small stream that changes on day 60."""
    from thresher.cli.commands.watch.demo import simulate
    from thresher.laboratory import Stream

    with in_memory() as folder:
        return simulate(folder / "demo.db", Stream(rows=60, change=60), weeks=20)
