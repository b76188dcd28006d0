"""Rows of a table for comparing models: those that miss nothing, by class, as an expression for the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import EmptyError, MissingValueError, ScoreError, WeightError, require_both_classes
from thresher.inputs.columns import Missing, column
from thresher.inputs.labels import is_positive
from thresher.ranking import Ranking
from thresher.sources.database import Opened, opened
from thresher.sources.engine_numbers import finite, float_column, known, number
from thresher.sources.engine_values import group_column, is_one_of, require_label, require_plain, sound
from thresher.sources.filters import Filter, filtered
from thresher.sources.progress import Listener
from thresher.sources.scan import rankings_of
from thresher.sources.scan_options import Options, require_options, require_source
from thresher.sources.table_names import TableName, require_table_columns
from thresher.sources.tallies import require_fit_scores, require_sound_weights
from thresher.sources.tally import Wanted, beyond_float64, require_numbers

_MOST_LABELS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class PairedRows:
    """Rows as the engine has them (`positive` is 1 or 0, `x0`, `x1`, … the scores, `w` and `cluster` where asked for).

    `cases` and `weight` are how many rows each class has and what they weigh, positives first.
    """

    engine: Opened
    table: Any
    cases: tuple[int, int]
    weight: tuple[float, float]
    dropped: int

    def answer(self, expression: Any, *, stage: str, listener: Listener | None) -> Any:
        """The Arrow table that an expression over the rows gives."""
        return self.engine.answer(expression, stage=stage, listener=listener)

    def rankings(self, names: Sequence[str], options: Options) -> dict[str, Ranking]:
        """The rankings of all models, by these names: of rows that miss nothing, so that all are judged by the same."""
        require_options(options)
        weight = "w" if "w" in self.table.columns else None
        wanted = Wanted("positive", tuple(f"x{i}" for i in range(len(names))), weight)
        engine = replace(self.engine, table=self.table, total=sum(self.cases))
        found = rankings_of(engine, wanted, options)
        return dict(zip(names, found.values(), strict=True))


@contextmanager
def opened_pairs(
    source: Any,
    wanted: Wanted,
    *,
    table: TableName | None = None,
    where_: Filter | None = None,
    cluster: str | None = None,
    positive: Any = None,
    missing: Missing = "raise",
    listener: Listener | None = None,
) -> Iterator[PairedRows]:
    """Open a source, and take its rows that a filter takes."""
    require_options(Options(table, positive, where_, missing=missing, progress=listener))
    require_source(source, wanted)
    with opened(source, table=table, listener=listener) as engine:
        beside = [*([] if cluster is None else [cluster]), *(where_ if isinstance(where_, Mapping) else ())]
        require_table_columns(engine.table, [*wanted.columns, *beside], place=engine.place)
        yield paired_rows(
            replace(engine, table=filtered(engine.table, where_)),
            wanted,
            cluster=cluster,
            positive=positive,
            missing=missing,
            listener=listener,
        )


def paired_rows(
    engine: Opened, wanted: Wanted, *, cluster: str | None, positive: Any, missing: Missing, listener: Listener | None
) -> PairedRows:
    """Count the labels, refuse what is refused everywhere, and say which rows are left."""
    ibis = extra("ibis", name="sql")
    rows = _asked(ibis, engine.table, wanted, cluster)
    sums = {"cases": rows.count().cast("int64")} | ({"weight": rows.w.sum()} if wanted.weight is not None else {})
    counted = rows.group_by("label", "state").aggregate(**sums).limit(_MOST_LABELS)
    found = engine.answer(counted, stage="counting labels", listener=listener).to_pylist()
    dropped = _refused(found, missing)
    counts = [row for row in found if row["state"] == _FINE]
    labels = column([row["label"] for row in counts], name="labels")
    rows_of = np.array([row["cases"] for row in counts], dtype=np.int64)
    flags = is_positive(labels, positive=positive, cases=rows_of) if counts else np.zeros(0, np.bool_)
    sides = [[row for row, flag in zip(counts, flags, strict=True) if flag == side] for side in (True, False)]
    cases = tuple(sum(row["cases"] for row in side) for side in sides)
    _require_cases(found, counts)
    require_both_classes(cases[0], cases[1])
    weight = tuple(float(sum(row.get("weight", row["cases"]) for row in side)) for side in sides)
    kept = rows.filter(rows.state == _FINE)
    is_pos = is_one_of(ibis, kept.label, [sides[0][0]["label"]]).ifelse(1, 0).cast("int64")
    # -0.0 and 0.0 are one score, which not every engine's order knows.
    zero = number(ibis, 0.0)
    columns = {f"x{i}": (kept[f"x{i}"] == zero).ifelse(zero, kept[f"x{i}"]) for i in range(len(wanted.scores))}
    columns |= {name: kept[name] for name in ("w", "cluster") if name in kept.columns}
    table = kept.select(positive=is_pos, **columns)
    return PairedRows(engine, table, (cases[0], cases[1]), (weight[0], weight[1]), dropped)


_FINE, _GONE, _BAD, _NOTHING, _UNFIT = range(5)


def _asked(ibis: Any, table: Any, wanted: Wanted, cluster: str | None) -> Any:
    """The columns that are asked for, and the state of each row: fine, incomplete, or what is wrong with it."""
    require_label(table[wanted.label], wanted.label)
    if cluster is not None:
        require_plain(table[cluster], cluster)
    label = sound(ibis, table[wanted.label])
    columns: dict[str, Any] = {}
    tests: list[tuple[Any, int]] = []
    for i, name in enumerate(wanted.scores):
        score = sound(ibis, table[name])
        kind = score.type()
        require_numbers(kind, f"scores must be numbers, got {kind} in {name!r}", ScoreError)
        columns[f"x{i}"] = float_column(ibis, score)
        if (large := beyond_float64(score)) is not None:
            tests.append((large, _UNFIT))
    there = label.notnull() & known(label) if label.type().is_floating() else label.notnull()
    for score in columns.values():
        there &= known(score)
    if wanted.weight is not None:
        weight = sound(ibis, table[wanted.weight])
        require_numbers(weight.type(), f"weights must be numbers, got {weight.type()}", WeightError)
        w = columns["w"] = float_column(ibis, weight)
        zero = number(ibis, 0.0)
        there &= known(w)
        tests += [((w < zero) | ~finite(ibis, w), _BAD), (w == zero, _NOTHING)]
    if cluster is not None:
        columns["cluster"] = group_column(ibis, table[cluster])
        there &= columns["cluster"].notnull()
    state = ibis.cases((there, ibis.literal(_FINE, "int64")), else_=ibis.literal(_GONE, "int64"))
    for test, kind in tests:
        state = ibis.cases((there & test, ibis.literal(kind, "int64")), else_=state)
    return table.select(label=label, state=state, **columns)


def _refused(found: Sequence[dict[str, Any]], missing: Missing) -> int:
    """How many rows are left out on request; raises where rows are refused."""
    total, (gone, bad, unfit) = (
        sum(row["cases"] for row in found),
        (sum(row["cases"] for row in found if row["state"] == state) for state in (_GONE, _BAD, _UNFIT)),
    )
    if gone and missing == "raise":
        raise MissingValueError(
            f"{gone:,} of {total:,} rows miss a label, a score, a weight or a cluster, and none is ever guessed",
            fix='fill them, or pass missing="drop" to leave those rows out',
        )
    require_fit_scores(unfit, total)
    require_sound_weights(bad, total)
    return int(gone)


def _require_cases(found: Sequence[Mapping[str, Any]], counts: Sequence[Any]) -> None:
    if not found:
        raise EmptyError("there are no rows", "give at least one, and check where=")
    if not counts:
        gone = all(row["state"] == _GONE for row in found)
        what = "no row is left after dropping missing values" if gone else "all weights are 0, so there are no rows"
        raise EmptyError(what, "check the columns")
