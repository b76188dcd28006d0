"""Scans of files, frames and engines against rows counted one at a time."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import thresher as th
from tests import reference
from tests.fuzz.answers import Answers, chance
from tests.fuzz.cases import Rng, pick, rows
from thresher.errors import EmptyError

Columns = dict[str, list[Any]]
KINDS = ("levels", "uniform", "neighbours", "small integers", "magnitudes", "float32", "special", "mixed")
SLOW = 0.05  # share of cases that ask DuckDB, which takes many times as long


def check(seed: int, size: int) -> Answers:
    """One table in every form, with groups, weights, filters and missing values."""
    rng, answers = np.random.default_rng([11, seed]), Answers()
    table = _table(rng, size)
    by = pick(rng, [None, "group"])
    where = pick(rng, [None, {"week": [1, 2]}, {"week": 1}])
    weights = pick(rng, [None, "weight"])
    scores: Any = pick(rng, ["p", ["p", "q"]])
    asked = {"label": "label", "score": scores, "by": by, "where": where, "weights": weights, "missing": "drop"}
    truth = {
        (name, group): counted
        for name in ([scores] if isinstance(scores, str) else scores)
        for group, counted in _count(table, name, by, where, weights).items()
    }
    text = f"{asked}, {table}"
    nothing_left = any(not segments for segments, _ in truth.values())
    with tempfile.TemporaryDirectory() as folder:
        for name, source, more in _sources(rng, table, Path(folder)) if truth else ():
            if nothing_left:
                scan = partial(th.scan, source, positive="yes", **asked, **more)
                answers.raises(EmptyError, scan, f"a group without complete rows, of {name}, {text}")
                continue
            result = th.scan(source, positive="yes", **asked, **more)
            rankings = _by_score_and_group(result, scores, by)
            answers.same(sorted(map(str, rankings)), sorted(map(str, truth)), f"groups of {name}, {text}")
            for key in rankings.keys() & truth.keys():
                _same(answers, rankings[key], *truth[key], f"{key} of {name}, {text}", grouped=by is not None)
    return answers


def _table(rng: Rng, size: int) -> Columns:
    """Columns of one table; some entries are missing."""
    case = rows(rng, size, kind=pick(rng, KINDS), weighted=False)
    n = case.labels.size
    columns: Columns = {
        "label": ["yes" if label else "no" for label in case.labels],
        "p": case.scores.astype(np.float64).tolist(),
        "q": rng.random(n).round(2).tolist(),
        "weight": rng.integers(1, 9, n).astype(np.float64).tolist(),
        "group": rng.choice(["a", "b", "ö"], n).tolist(),
        "week": rng.integers(1, 4, n).tolist(),
    }
    if chance(rng, 0.5):
        for name in ("label", "p", "group"):
            for row in np.flatnonzero(rng.random(n) < 0.1).tolist():
                columns[name][row] = None
    # A complete first row tells formats without types what a column holds.
    complete_row = {"label": "yes", "p": 0.5, "group": "a", "week": 1}
    for name, value in complete_row.items():
        columns[name][0] = value
    return columns


def _count(
    table: Columns, score: str, by: str | None, where: Mapping[str, Any] | None, weights: str | None
) -> dict[Any, tuple[list[reference.Segment], int]]:
    """Segments and rows left out per group, one row at a time."""
    groups: dict[Any, list[reference.Row]] = {}
    dropped: dict[Any, int] = {}
    for row in range(len(table["label"])):
        of = {name: values[row] for name, values in table.items()}
        if where is not None and of["week"] not in np.atleast_1d(where["week"]).tolist():
            continue
        group = None if by is None else of[by]
        groups.setdefault(group, [])
        if of["label"] is None or of[score] is None:
            dropped[group] = dropped.get(group, 0) + 1
            continue
        weight = 1 if weights is None else int(of[weights])
        groups[group].append((of["label"] == "yes", of[score], weight))
    return {group: (reference.segments(complete), dropped.get(group, 0)) for group, complete in groups.items()}


def _sources(rng: Rng, table: Columns, folder: Path) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """The table in several forms, and options that scans of it take."""
    frame = pa.table(table)
    makers: Mapping[str, Callable[[], Any]] = {
        "arrow": lambda: frame,
        "pandas": lambda: pd.DataFrame(table),
        "polars": lambda: pl.DataFrame(table),
        "mapping": lambda: {name: np.array(values, dtype=object) for name, values in table.items()},
        "csv": lambda: _csv(folder, table),
        "json lines": lambda: _json_lines(folder, table),
        "parquet": lambda: _parquet(rng, folder, frame),
        "batches": lambda: frame.to_reader(max_chunksize=max(1, len(frame) // 3)),
    }
    infinite = any(score is not None and math.isinf(score) for score in table["p"])
    for name in rng.choice(list(makers), size=3, replace=False).tolist():
        if name == "json lines" and infinite:
            continue  # which JSON has no word for
        yield name, makers[name](), {"exact": True} if chance(rng, 0.2) else {}
    if chance(rng, SLOW):
        path = folder / "rows.duckdb"
        with duckdb.connect(str(path)) as connection:
            connection.register("frame", frame)
            connection.execute("create table t as select * from frame")
        yield "DuckDB", str(path), {"table": "t", "exact": True}


def _csv(folder: Path, table: Columns) -> str:
    path = folder / "rows.csv"
    lines = [
        ",".join("" if value is None else str(value) for value in row) for row in zip(*table.values(), strict=True)
    ]
    path.write_text("\n".join([",".join(table), *lines, ""]), encoding="utf-8")
    return str(path)


def _json_lines(folder: Path, table: Columns) -> str:
    path = folder / "rows.jsonl"
    lines = [json.dumps(dict(zip(table, row, strict=True))) for row in zip(*table.values(), strict=True)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return str(path)


def _parquet(rng: Rng, folder: Path, frame: pa.Table) -> str:
    """One file, or a folder of two."""
    if chance(rng, 0.5) or len(frame) < 2:
        pq.write_table(frame, folder / "rows.parquet", row_group_size=int(rng.integers(1, 50)))
        return str(folder / "rows.parquet")
    (folder / "parts").mkdir()
    for at, part in enumerate((frame.slice(0, len(frame) // 2), frame.slice(len(frame) // 2))):
        pq.write_table(part, folder / "parts" / f"{at}.parquet")
    return str(folder / "parts")


def _by_score_and_group(result: Any, scores: Any, by: str | None) -> dict[tuple[str, Any], th.Ranking]:
    """What a scan returns, whatever its shape."""
    if isinstance(result, th.Ranking):
        return {(scores, None): result}
    if by is None:
        return {(name, None): ranking for name, ranking in result.items()}
    if isinstance(scores, str):
        return {(scores, group): ranking for group, ranking in result.items()}
    return {(name, group): ranking for group, each in result.items() for name, ranking in each.items()}


def _same(
    answers: Answers, ranking: th.Ranking, truth: list[reference.Segment], dropped: int, what: str, *, grouped: bool
) -> None:
    answers.same(ranking.score.tolist(), [score for score, _, _ in truth], f"scores of {what}")
    answers.near_all(ranking.pos, [pos for _, pos, _ in truth], f"positives of {what}")
    answers.near_all(ranking.neg, [neg for _, _, neg in truth], f"negatives of {what}")
    if not grouped:
        answers.same(ranking.dropped, dropped, f"rows left out of {what}")
    answers.check(ranking.exact and math.isfinite(ranking.total), f"{what} is not exact")
