"""A watch: rates of rows and labels, memory of many rows, and checks of a year and of compacted rows; JSON out."""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import thresher as th

PROMISES = ("precision >= 0.3", "recall >= 0.2", "expected_cost <= 0.9")
COLUMNS = 20
START = np.datetime64("2026-01-01", "us")
PART = 10**6


def made(place: Path, days: int, columns: int = 0) -> th.Watch:
    """A watch whose clock stands so many days after the start."""
    rng = np.random.default_rng(1)
    labels = (rng.random(20_000) < 0.1).astype(np.int64)
    scores = score(rng, labels)
    decision = th.evaluate(labels, {"p": scores}, condition=th.OperatingCondition(cost_ratio=5), seed=1).decision
    rows = {"y": labels, "p": scores} | {f"x{i}": rng.normal(size=labels.size) for i in range(columns)}
    now = datetime.fromisoformat(str(START + np.timedelta64(days, "D"))).replace(tzinfo=UTC)
    return th.Watch.create(
        place, decision, reference=rows, label="y", promises=PROMISES, matures="5d", sample=0.01,
        columns=[f"x{i}" for i in range(columns)], clock=lambda: now,
    )  # fmt: skip


def score(rng: np.random.Generator, labels: Any) -> Any:
    """Log-odds of two normal classes, as probabilities."""
    return 1 / (1 + np.exp(-(rng.normal(size=labels.size) + 2 * labels - 2.5)))


def table(rng: np.random.Generator, first: int, rows: int, days: int, columns: int = 0) -> tuple[pa.Table, Any]:
    """Rows with text ids, spread over days, and their labels."""
    labels = (rng.random(rows) < 0.1).astype(np.int64)
    at = START + np.sort(rng.integers(0, days * 86_400_000_000, rows)).astype("timedelta64[us]")
    ids = pa.array([f"tx{n:09d}" for n in range(first, first + rows)])
    inputs = {f"x{i}": rng.normal(size=rows) for i in range(columns)}
    return pa.table({"id": ids, "time": at, "p": score(rng, labels), **inputs}), labels


def took(call: Callable[[], Any], times: int = 1) -> dict[str, float]:
    """The least seconds of a call, by the clock and of the processor, where others use it as well."""
    seconds = []
    for _ in range(times):
        start = perf_counter(), process_time()
        call()
        seconds.append((perf_counter() - start[0], process_time() - start[1]))
    return dict(zip(("wall", "processor"), map(min, zip(*seconds, strict=True)), strict=True))


def mebibytes() -> float:
    """The most memory that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def parquet(place: Path, rows: int, days: int) -> Path:
    """A file of rows, written part by part."""
    rng, writer = np.random.default_rng(2), None
    for first in range(0, rows, PART):
        part, _ = table(rng, first, min(PART, rows - first), days)
        writer = writer or pq.ParquetWriter(place, part.schema)
        writer.write_table(part)
    if writer is not None:
        writer.close()
    return place


def many_rows(folder: Path, _: int) -> dict[str, float]:
    """Time and memory of inserting a Parquet file that was written before."""
    watch = made(folder / "w.db", 31)
    return {**took(lambda: watch.insert(str(folder / "rows.parquet"))), "mebibytes": mebibytes()}


def labels_of_rows(folder: Path, rows: int) -> dict[str, float]:
    """Time of labelling every row."""
    rng, watch = np.random.default_rng(3), made(folder / "w.db", 31)
    part, labels = table(rng, 0, rows, 30)
    watch.insert(part)
    late = {"id": part["id"], "label": labels, "t": part["time"]}
    return took(lambda: watch.label(pa.table(late), time="t"))


def year(folder: Path, per_day: int) -> dict[str, float]:
    """A check of 365 days, three promises and 20 columns."""
    rng, watch = np.random.default_rng(4), made(folder / "w.db", 366, COLUMNS)
    part, labels = table(rng, 0, per_day * 365, 365, COLUMNS)
    watch.insert(part)
    due = np.flatnonzero((watch.decision.apply(part["p"].to_numpy())) | (rng.random(labels.size) < 0.01))
    late = {"id": part["id"].take(due), "label": labels[due], "t": part["time"].take(due)}
    watch.label(pa.table(late), time="t")
    return {**took(lambda: watch.check(record=False), times=3), "mebibytes": mebibytes()}


def compacted(folder: Path, rows: int) -> dict[str, float]:
    """A check once all rows but those of the last closed stretch are counts; as many rows are kept every time."""
    rng, watch = np.random.default_rng(5), made(folder / "w.db", 400)
    for first in range(0, rows, PART):
        part, labels = table(rng, first, min(PART, rows - first), 300)
        watch.insert(part)
        due = np.flatnonzero(watch.decision.apply(part["p"].to_numpy()))
        late = {"id": part["id"].take(due), "label": labels[due], "t": part["time"].take(due)}
        watch.label(pa.table(late), time="t")
    watch.compact(before=str(START + np.timedelta64(301, "D")) + "Z")
    return took(lambda: watch.check(record=False), times=5)


WAYS = {"insert": many_rows, "label": labels_of_rows, "year": year, "compacted": compacted}

if __name__ == "__main__":
    way, rows = sys.argv[1], int(sys.argv[2])
    place = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if way == "write":
        parquet(place / "rows.parquet" if place else Path("rows.parquet"), rows, 30)
        print("{}")
    else:
        with tempfile.TemporaryDirectory() as temporary:
            print(json.dumps(WAYS[way](place or Path(temporary), rows)))
