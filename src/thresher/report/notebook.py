"""Rankings and tables at a glance: small HTML for notebooks, with nothing to install and nothing to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher._internal.results import Result, Tabular, shorten
from thresher.ranking import Ranking
from thresher.report.numbers import said, said_score
from thresher.report.static.svg import Plot, element, text
from thresher.tables import Contingency

ROWS = 12
LINES = 40


def ranking_html(ranking: Ranking) -> str:
    """The first segments of a ranking, and its coverage curve where there are both classes.

    >>> ranking_html(Ranking.parse("[20+,5-][10+,5-][20+,40-]")).count("<tr>")
    5
    """
    kept = min(ROWS, len(ranking))
    columns = (ranking.score[:kept], ranking.pos[:kept], ranking.neg[:kept])
    rows = [[said_score(row[0]), *map(said, row[1:])] for row in zip(*columns, strict=True)]
    counts = ((ranking.Pos, "positive"), (ranking.Neg, "negative"), (len(ranking), "segment"))
    told = ", ".join(_counted(count, what) for count, what in counts)
    if kept < len(ranking):
        told += f", the first {kept} shown"
    if ranking.dropped:
        told += f"; {_counted(ranking.dropped, 'row')} dropped"
    table = _table(told, ("score", "positives", "negatives"), rows)
    return table if not (ranking.Pos and ranking.Neg) else _beside(table, _coverage(ranking))


def contingency_html(table: Contingency) -> str:
    """The table with its totals; of a table with array cells, its first splits.

    >>> print(contingency_html(Contingency(tp=30, fn=20, fp=10, tn=40))[:38])
    <table><caption>100 cases, accuracy 0.
    """
    cells = table.tp, table.fn, table.fp, table.tn
    if any(np.ndim(cell) for cell in cells):
        columns = [np.atleast_1d(cell).ravel() for cell in np.broadcast_arrays(*cells)]
        kept = min(ROWS, columns[0].size)
        rows = [[str(place), *(said(column[place]) for column in columns)] for place in range(kept)]
        more = "" if kept == columns[0].size else f", the first {kept} shown"
        return _table(f"{said(columns[0].size)} splits{more}", ("split", "tp", "fn", "fp", "tn"), rows)
    totals = table.predicted_positive, table.predicted_negative, table.total
    told = f"{said(table.total)} cases, accuracy {said(table.accuracy)}"
    lines = [
        ("actual +", table.tp, table.fn, table.Pos),
        ("actual −", table.fp, table.tn, table.Neg),
        ("total", *totals),
    ]
    rows = [[name, *(said(cell) for cell in line)] for name, *line in lines]
    return _table(told, ("", "predicted +", "predicted −", "total"), rows)


def result_html(result: Result) -> str:
    """The first rows of a result that has rows; of any other its text.

    >>> from thresher.curves import roc
    >>> result_html(roc(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))).count("<tr>")
    5
    """
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
        return said_score(value)
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return said(value) if number else "" if value is None else shorten(str(value), 40)


def _counted(count: float, what: str) -> str:
    return f"{said(count)} {what}{'' if count == 1 else 's'}"


def _table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    heads = element("tr", *(element("th", text(name), scope="col") if name else element("td", " ") for name in head))
    body = (
        element(
            "tr",
            element("th", text(row[0]), scope="row"),
            *(element("td", text(cell), align="right") for cell in row[1:]),
        )
        for row in rows
    )
    return element("table", element("caption", text(caption)), element("thead", heads), element("tbody", *body))


def _coverage(ranking: Ranking) -> str:
    tp, fp = ranking.covered()
    plot = Plot((0, ranking.Neg), (0, ranking.Pos), "negatives covered", "positives covered")
    plot.line([0, ranking.Neg], [0, ranking.Pos])
    shown = np.linspace(0, tp.size - 1, min(tp.size, 2000)).astype(np.intp)
    plot.line(fp[shown], tp[shown], place=0)
    return plot.svg(name="Coverage curve", width=270)


def _beside(*parts: str) -> str:
    cells = (element("td", part, valign="top") for part in parts)
    return element("table", element("tbody", element("tr", *cells)), role="presentation")
