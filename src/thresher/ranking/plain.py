"""Rankings as plain data: what JSON holds of them, read back exactly or refused."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeAlias

from thresher.errors import NotationError
from thresher.ranking.counting import Counts
from thresher.ranking.pieces import Floats
from thresher.ranking.spans import Spans, require_spans

FORMAT = "thresher/ranking/1"
Columns: TypeAlias = tuple[list[float], list[Any], list[Any], int, Spans | None]
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


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
    if not isinstance(value, Mapping) or value.get("format") != FORMAT or not _holds_columns(value):
        raise NotationError(
            "this is not a ranking as thresher writes it",
            where="Ranking.from_dict",
            fix=f'give an object with "format": "{FORMAT}" and the lists "score", "pos" and "neg"',
        )
    score = [_INFINITE.get(number, number) for number in value["score"]]
    spans = None if value.get("spans") is None else _spans(value["spans"], score, value)
    return score, value["pos"], value["neg"], value.get("dropped", 0), spans


def _spans(plain: Any, score: list[float], value: Mapping[str, Any]) -> Spans:
    try:
        spans = Spans.from_dict(plain)
        require_spans(score, value["pos"], value["neg"], spans)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotationError(
            f"the spans of this ranking do not fit its segments ({error})",
            where="Ranking.from_dict",
            fix="give what Ranking.to_dict() returned, unchanged",
        ) from None
    return spans


def _holds_columns(value: Mapping[str, Any]) -> bool:
    dropped = value.get("dropped", 0)
    return (
        all(isinstance(value.get(name), list) for name in ("score", "pos", "neg"))
        and all(isinstance(number, int | float) or number in ("inf", "-inf") for number in value["score"])
        and isinstance(dropped, int)
        and dropped >= 0
    )
