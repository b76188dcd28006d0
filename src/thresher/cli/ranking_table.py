"""Rankings in a terminal: the parts and the whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.text import Text

from thresher.cli.plain_text import plain_text
from thresher.cli.rule_words import told_apart
from thresher.cli.screen import name_text, number, table
from thresher.curves import auc_bounds
from thresher.ranking import Ranking


def ranking_blocks(parts: Sequence[tuple[str, Ranking]], whole: Ranking, written: str | None) -> Iterator[Any]:
    """One line per part and one for the sum."""
    lines = [_line(name_text(source), ranking) for source, ranking in parts]
    if len(parts) > 1:
        lines.append(_line(Text("all", style="bold"), whole))
    yield table(("", "positive", "negative", "segments", "AUC"), lines)
    if written is not None:
        yield Text.assemble(("wrote ", "bold"), f"ranking  {plain_text(written)}")


def _line(name: Text, ranking: Ranking) -> tuple[Text, ...]:
    both = ranking.Pos > 0 and ranking.Neg > 0
    area = _area(ranking) if both else "undefined"
    counts = (f"{ranking.Pos:,.10g}", f"{ranking.Neg:,.10g}", f"{len(ranking):,}", area)
    return (name, *(Text(count) for count in counts))


def _area(ranking: Ranking) -> str:
    """The AUC; where ranges of scores were counted instead of scores, the limits between which it lies."""
    bounds = auc_bounds(ranking)
    exact = bounds.lower == bounds.upper
    return number(bounds.lower) if exact else " to ".join(told_apart(*bounds, digits=4, kind="f"))
