"""Rankings of rows that fit in memory: columns of a frame or of files, ranked group by group."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher.errors import ColumnError, EmptyError
from thresher.ranking import Counts, Ranking, rankable
from thresher.sources.arrays import checked_weights
from thresher.sources.columns import Column, Missing, complete, plain_entries
from thresher.sources.files import read_columns
from thresher.sources.filters import taken
from thresher.sources.frames import frame_columns, is_frame
from thresher.sources.labels import is_positive
from thresher.sources.tallies import require_rows_left
from thresher.sources.tally import Wanted


def ranked_in_memory(
    source: Any, wanted: Wanted, where_: Any, positive: Any, missing: Missing
) -> dict[tuple[str, Any], Ranking]:
    """The exact ranking of every model and group.

    >>> rows = {"y": [1, 0, 1], "p": [0.9, 0.2, 0.4], "week": [1, 1, 2]}
    >>> found = ranked_in_memory(rows, Wanted("y", ("p",), by=("week",)), {"week": 1}, None, "raise")
    >>> found["p", 1]
    Ranking([1+][1-] at scores 0.9, 0.2)
    """
    names = list(dict.fromkeys([*wanted.columns, *(where_ or ())])) if isinstance(where_, Mapping | None) else None
    read = frame_columns if is_frame(source) else read_columns
    columns = read(source, names or wanted.columns)
    if where_ is not None:
        keep = taken(columns, where_)
        columns = {name: values[keep] for name, values in columns.items()}
        if not keep.any():
            raise EmptyError("no row meets where=", "check its values")
    code, names = _groups(columns, wanted)
    found: dict[tuple[str, Any], Ranking] = {}
    empty: list[tuple[str, Any]] = []
    for model in wanted.scores:
        asked = {"labels": columns[wanted.label], "scores": columns[model], "groups": code}
        if wanted.weight is not None:
            asked["weights"] = columns[wanted.weight]
        kept, _ = complete(asked, missing=missing)
        flags = is_positive(kept[0], positive=positive)
        score = rankable(kept[1])
        weight = None if wanted.weight is None else checked_weights(kept[3])
        rows = np.bincount(code, minlength=len(names))
        for group, mine in enumerate(_indices(kept[2], len(names))):
            dropped = int(rows[group]) - (flags.size if mine is None else mine.size)
            ranking = _ranked(
                *(
                    None if each is None else each[slice(None) if mine is None else mine]
                    for each in (flags, score, weight)
                ),
                dropped=dropped,
            )
            if ranking is None:
                empty.append((model, names[group]))
            else:
                found[model, names[group]] = ranking
    require_rows_left(empty)
    return found


def _ranked(flags: Any, score: Any, weight: Any, *, dropped: int) -> Ranking | None:
    """The ranking of some rows, None when none is left that counts."""
    if weight is not None and not weight.all():
        there = weight > 0
        flags, score, weight = flags[there], score[there], weight[there]
    if not flags.size:
        return None
    return Ranking.count(flags, score, weight, dropped=dropped)


def _groups(columns: Mapping[str, Column], wanted: Wanted) -> tuple[Counts, list[Any]]:
    """The number of each row's group, and the groups in order of appearance; one when nothing groups rows."""
    if not wanted.by:
        return np.zeros(columns[wanted.label].size, dtype=np.int64), [()]
    place: dict[Any, int] = {}
    keys = zip(*(plain_entries(columns[name]) for name in wanted.by), strict=True)
    try:
        code = np.fromiter((place.setdefault(key, len(place)) for key in keys), dtype=np.int64)
    except TypeError:
        what = f"rows are grouped by plain values, and by={list(wanted.by)} holds others"
        raise ColumnError(what, "group by texts, numbers, dates or truth values") from None
    return code, [key[0] if len(wanted.by) == 1 else key for key in place]


def _indices(code: Counts, groups: int) -> list[Any]:
    """The rows of each group; None for all of them."""
    if groups == 1:
        return [None]
    ends = np.cumsum(np.bincount(code, minlength=groups))[:-1]
    return np.split(np.argsort(code, kind="stable"), ends)
