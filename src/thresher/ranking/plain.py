"""Rankings as plain data: what JSON holds of them, read back exactly or refused."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from thresher._internal.json import FieldError, not_written, number, numbers, or_none, read_object
from thresher.ranking.counting import Counts
from thresher.ranking.pieces import Floats
from thresher.ranking.spans import Spans, require_spans

FORMAT = "thresher/ranking/1"
Columns: TypeAlias = tuple[list[float], list[Any], list[Any], int, Spans | None]
_EXACT = 2**53


def written(score: Floats, pos: Counts, neg: Counts, dropped: int, spans: Spans | None) -> dict[str, Any]:
    """Plain data; infinite scores become the texts "inf" and "-inf", which JSON can carry."""
    scores = [number if math.isfinite(number) else str(number) for number in score.tolist()]
    plain: dict[str, Any] = {"format": FORMAT, "score": scores, "pos": pos.tolist(), "neg": neg.tolist()}
    if dropped:
        plain["dropped"] = dropped
    return plain if spans is None else plain | {"spans": spans.to_dict()}


def columns_of(value: Any) -> Columns:
    """The columns of what `written` wrote: scores, positives, negatives, dropped rows, spans.

    >>> columns_of({"format": "thresher/ranking/1", "score": ["inf"], "pos": [1], "neg": [2]})
    ([inf], [1], [2], 0, None)
    """
    readers = {"score": _scores, "pos": numbers(0), "neg": numbers(0), "dropped": number(0, whole=True)}
    kind: dict[str, Any] = {"of": "Ranking", "kind": "a ranking"}
    optional = ("dropped", "spans")
    found = read_object(value, readers | {"spans": or_none(Spans.from_dict)}, form=FORMAT, optional=optional, **kind)
    score, pos, neg, spans = found["score"], found["pos"], found["neg"], found.get("spans")
    for name in ("pos", "neg"):
        if len(found[name]) != len(score):
            raise not_written(f'"{name}" has {len(found[name]):,} entries, and "score" {len(score):,}', **kind)
    if not any(pos) and not any(neg):
        raise not_written('"pos" and "neg" count no case', **kind)
    if spans is not None:
        try:
            require_spans(score, pos, neg, spans)
        except ValueError as error:
            raise not_written(f'"spans" do not fit "score", "pos" and "neg" ({error})', **kind) from None
    return score, pos, neg, found.get("dropped", 0), spans


def _scores(value: Any) -> list[float]:
    found = numbers(infinite=True)(value)
    if rounded := [each for each in found if type(each) is int and abs(each) > _EXACT]:
        raise FieldError(f"must be numbers that a float64 holds, got {rounded[0]}")
    return found
