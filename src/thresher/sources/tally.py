"""The one query: rows counted by label, bucket and what is wrong with them, as an expression for every engine.

`SELECT by…, label, bucket, count(*), sum(weight), min(score), max(score) GROUP BY by…, label, bucket`. Rows with
missing labels, scores or weights are groups of their own, so that they are counted in the same pass and NULL is never
a class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thresher._internal.optional import extra
from thresher.errors import ScoreError, WeightError
from thresher.inputs.labels import LABELS_SHOWN
from thresher.sources.buckets import SUBS
from thresher.sources.database import offers
from thresher.sources.engine_numbers import arithmetic, finite, float_column, known, number
from thresher.sources.engine_values import group_column, require_label, require_plain, sound
from thresher.sources.lenses import Lens, place_through
from thresher.sources.refinement import Piece

NO_LABEL, NO_SCORE, NO_WEIGHT, BAD_WEIGHT, ZERO_WEIGHT, UNFIT_SCORE = (1 << bit for bit in range(6))
FAULT = 2**60
MOST_GROUPS = 3 * 10**7
_EXACT_IN_FLOAT64 = 2**53
_EXACT_DIGITS = 15
_STATES = 1 << 6  # ways in which rows can lack something


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which columns are asked for: the label, one score or several, a weight and what rows are grouped by."""

    label: str
    scores: tuple[str, ...]
    weight: str | None = None
    by: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        """All of them, each once."""
        names = [self.label, *self.scores, *([] if self.weight is None else [self.weight]), *self.by]
        return list(dict.fromkeys(names))


def tally(
    table: Any,
    wanted: Wanted,
    *,
    buckets: int,
    pieces: Sequence[Piece] = (),
    lenses: Sequence[Lens] = (),
    exact: bool = False,
) -> Any:
    """The expression that counts a table's rows.

    Its columns are by0…, model, label, key, cases, weight, low and high; `key` is the bucket (times `SUBS`, plus the
    part, when buckets are divided), or `FAULT` plus what is wrong. Several scores are unfolded row by row, so that the
    table is read once. `exact` counts every score by itself.
    """
    ibis = extra("ibis", name="sql")
    rows = prepared(table, wanted)
    weighted = wanted.weight is not None
    at = place_through(rows.x, lenses, buckets=buckets, by=arithmetic(ibis))
    fine = healthy(ibis, rows, weighted=weighted)
    if pieces:
        # The bucket is named once: engines would otherwise work it out for every piece it is compared with.
        rows = rows.mutate(at=ibis.cases((fine, at)))
        rows = rows.mutate(bucket=rows.at.floor().cast("int64"))
        share = (rows.at - rows.bucket.cast("float64")) * _parts(ibis, rows.bucket, pieces)
        code = rows.bucket * ibis.literal(SUBS, "int64") + share.floor().cast("int64")
    else:
        code = ibis.cases((fine, at)).floor().cast("int64")  # not every engine takes NaN, which is no bucket
    fault = ibis.literal(FAULT, "int64") + _faults(ibis, rows, weighted=weighted)
    key = ibis.coalesce(code, fault)
    keys = {name: rows[name] for name in [*_by(wanted), "model", "label"] if name in rows.columns}
    if exact:
        keys["x"] = rows.x
    sums = {"weight": rows.w.sum()} if weighted else {}
    counted = rows.group_by(**keys, key=key).aggregate(
        cases=rows.count().cast("int64"), **sums, low=rows.x.min(), high=rows.x.max()
    )
    first = not (pieces or lenses or exact)
    return counted.limit((_most_groups(wanted, buckets) if first else MOST_GROUPS) + 1)


def _most_groups(wanted: Wanted, buckets: int) -> int:
    """How many groups the labels can make that a refusal counts; more of them are refused without a count."""
    return MOST_GROUPS if wanted.by else LABELS_SHOWN * len(wanted.scores) * (2 * buckets + _STATES)


def prepared(table: Any, wanted: Wanted) -> Any:
    """The rows as the query sees them: label, x, unfit, w, the columns they are grouped by, and which model's x."""
    ibis = extra("ibis", name="sql")
    require_label(table[wanted.label], wanted.label)
    for name in wanted.by:
        require_plain(table[name], name)
    columns: dict[str, Any] = {"label": sound(ibis, table[wanted.label])}
    columns |= {name: group_column(ibis, table[column]) for name, column in zip(_by(wanted), wanted.by, strict=True)}
    scores = [sound(ibis, table[name]) for name in wanted.scores]
    for name, score in zip(wanted.scores, scores, strict=True):
        require_numbers(score.type(), f"scores must be numbers, got {score.type()} in {name!r}", ScoreError)
    columns |= {f"x{i}": float_column(ibis, score) for i, score in enumerate(scores)}
    columns |= {f"unfit{i}": found for i, score in enumerate(scores) if (found := beyond_float64(score)) is not None}
    if wanted.weight is not None:
        weight = sound(ibis, table[wanted.weight])
        require_numbers(weight.type(), f"weights must be numbers, got {weight.type()}", WeightError)
        columns["w"] = float_column(ibis, weight)
    if len(scores) == 1:
        rows = table.select(**columns)
        return rows.rename({name: f"{name}0" for name in ("x", "unfit") if f"{name}0" in rows.columns})
    rows = _unfolded(ibis, table, columns, len(scores))
    chosen = {"x": ibis.cases(*((rows.model == i, rows[f"x{i}"]) for i in range(len(scores))))}
    unfit = [(rows.model == i, rows[f"unfit{i}"]) for i in range(len(scores)) if f"unfit{i}" in rows.columns]
    if unfit:
        chosen["unfit"] = ibis.cases(*unfit, else_=False)
    kept = [name for name in [*_by(wanted), "model", "label", "w"] if name in rows.columns]
    return rows.select(*kept, **chosen)


def _unfolded(ibis: Any, table: Any, columns: dict[str, Any], models: int) -> Any:
    """Every row once for each model: by an array where the engine has them, else by reading the table again."""
    numbers = [ibis.literal(i, "int64") for i in range(models)]
    if offers(table, "Array") and offers(table, "Unnest"):
        return table.select(**columns, model=ibis.array(numbers).unnest())
    return ibis.union(*(table.select(**columns, model=one) for one in numbers), distinct=False)


def healthy(ibis: Any, rows: Any, *, weighted: bool) -> Any:
    """Rows that count: nothing missing, a weight above 0. NULL, not true either, where something is missing."""
    fine = rows.label.notnull() & known(rows.x)
    if rows.label.type().is_floating():
        fine &= known(rows.label)
    if weighted:
        fine &= known(rows.w) & (rows.w > number(ibis, 0.0)) & finite(ibis, rows.w)
    return fine & ~rows.unfit if "unfit" in rows.columns else fine


def _by(wanted: Wanted) -> list[str]:
    return [f"by{i}" for i in range(len(wanted.by))]


def _faults(ibis: Any, rows: Any, *, weighted: bool) -> Any:
    """What is wrong with a row, a bit for each fault."""
    label = rows.label
    fine = label.notnull() & known(label) if label.type().is_floating() else label.notnull()
    faults = [(NO_LABEL, fine), (NO_SCORE, known(rows.x))]
    if weighted:
        zero, there = number(ibis, 0.0), known(rows.w)
        faults += [
            (NO_WEIGHT, there),
            (BAD_WEIGHT, (rows.w >= zero) & finite(ibis, rows.w)),
            (ZERO_WEIGHT, rows.w != zero),
        ]
    if "unfit" in rows.columns:
        faults.append((UNFIT_SCORE, ~rows.unfit))
    state = ibis.literal(0, "int64")
    for bit, test in faults:
        state = state + ibis.cases((test, ibis.literal(0, "int64")), else_=ibis.literal(bit, "int64"))
    return state


def beyond_float64(score: Any) -> Any | None:
    """Whether a whole number is too large for a float64 to hold every one of its size; None where it cannot be."""
    kind = score.type()
    if not (kind.is_integer() and kind.nbytes == 8):
        return None
    return ((score >= _EXACT_IN_FLOAT64) | (score <= -_EXACT_IN_FLOAT64)).fill_null(False)


def require_numbers(kind: Any, what: str, error: type[ScoreError | WeightError]) -> None:
    """Raise the error unless a type is one of numbers that a float64 holds."""
    if kind.is_decimal() and (kind.precision is None or kind.precision > _EXACT_DIGITS):
        raise error(
            f"{what}, whose digits a float64 does not hold",
            fix="cast the column to double precision in the table or a view",
        )
    if not (kind.is_numeric() or kind.is_boolean()):
        raise error(what, "name a column of numbers, and check that labels and scores are not swapped")


def _parts(ibis: Any, bucket: Any, pieces: Sequence[Piece]) -> Any:
    """The parts of each row's bucket, found by halving."""
    if len(pieces) == 1:
        return number(ibis, float(pieces[0].parts))
    middle = len(pieces) // 2
    lower, upper = _parts(ibis, bucket, pieces[:middle]), _parts(ibis, bucket, pieces[middle:])
    return (bucket < pieces[middle].first).ifelse(lower, upper)
