"""Small HTML for notebooks, without scripts or extras."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher._internal.results import Result, Tabular, shorten
from thresher._internal.text import score_text
from thresher.ranking import Ranking
from thresher.report.numbers import value_text
from thresher.report.static.svg import Plot, element, text
from thresher.tables import Contingency

ROWS = 12
LINES = 40


def ranking_html(ranking: Ranking) -> str:
    """The first segments of a ranking, and its coverage curve if any."""
    columns = (column[:ROWS] for column in (ranking.score, ranking.pos, ranking.neg))
    rows = [[score_text(score), *map(value_text, counts)] for score, *counts in zip(*columns, strict=True)]
    totals = ((ranking.Pos, "positive"), (ranking.Neg, "negative"), (len(ranking), "segment"))
    caption = ", ".join(_count(total, what) for total, what in totals)
    if len(ranking) > ROWS:
        caption += f", the first {ROWS} shown"
    if ranking.dropped:
        caption += f"; {_count(ranking.dropped, 'row')} dropped"
    table = _table(caption, ("score", "positives", "negatives"), rows)
    if not (ranking.Pos and ranking.Neg):
        return table
    side_by_side = (element("td", part, valign="top") for part in (table, _coverage(ranking)))
    return element("table", element("tbody", element("tr", *side_by_side)), role="presentation")


def contingency_html(table: Contingency) -> str:
    """The table with its totals; of a table with array cells, its first splits."""
    cells = table.tp, table.fn, table.fp, table.tn
    if any(np.ndim(cell) for cell in cells):
        columns = np.stack([np.atleast_1d(cell).ravel() for cell in np.broadcast_arrays(*cells)])
        size = columns.shape[1]
        rows = [[str(split), *map(value_text, row)] for split, row in enumerate(columns[:, :ROWS].T)]
        more = f", the first {ROWS} shown" if size > ROWS else ""
        return _table(f"{value_text(size)} splits{more}", ("split", "tp", "fn", "fp", "tn"), rows)
    lines = [
        ("actual +", table.tp, table.fn, table.Pos),
        ("actual −", table.fp, table.tn, table.Neg),
        ("total", table.predicted_positive, table.predicted_negative, table.total),
    ]
    caption = f"{value_text(table.total)} cases, accuracy {value_text(table.accuracy)}"
    rows = [[name, *map(value_text, counts)] for name, *counts in lines]
    return _table(caption, ("", "predicted +", "predicted −", "total"), rows)


def result_html(result: Result) -> str:
    """The first rows of a result that has rows; of any other its text."""
    if not isinstance(result, Tabular):
        lines = str(result).split("\n")
        more = ["…"] if len(lines) > LINES else []
        return element("pre", "\n".join(text(shorten(line)) for line in lines[:LINES] + more))
    columns = dict(list(result._columns().items())[:ROWS])
    rows = [[_cell(value) for value in row] for row in zip(*(c[:ROWS] for c in columns.values()), strict=True)]
    size = max((len(values) for values in columns.values()), default=0)
    more_rows = f"; the first {ROWS} of {size:,} rows" if size > ROWS else ""
    return _table(f"{result!r}{more_rows}", tuple(columns), rows)


def _cell(value: Any) -> str:
    if isinstance(value, float | np.floating) and not float(value).is_integer():
        return score_text(value)
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return value_text(value) if number else "" if value is None else shorten(str(value), 40)


def _count(count: float, what: str) -> str:
    return f"{value_text(count)} {what}{'' if count == 1 else 's'}"


def _table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = element("tr", *(element("th", text(name), scope="col") if name else element("td", " ") for name in head))
    body = []
    for name, *cells in rows:
        aligned = (element("td", text(cell), align="right") for cell in cells)
        body.append(element("tr", element("th", text(name), scope="row"), *aligned))
    return element("table", element("caption", text(caption)), element("thead", heads), element("tbody", *body))


def _coverage(ranking: Ranking) -> str:
    tp, fp = ranking.covered()
    plot = Plot((0, ranking.Neg), (0, ranking.Pos), "negatives covered", "positives covered")
    plot.line([0, ranking.Neg], [0, ranking.Pos])
    shown = np.linspace(0, tp.size - 1, min(tp.size, 2000)).astype(np.intp)
    plot.line(fp[shown], tp[shown], place=0)
    return plot.svg(name="Coverage curve", width=270)
