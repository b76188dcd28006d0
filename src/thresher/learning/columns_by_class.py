"""Columns of the rows learnt from, by class: numbers, and pictures of the report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from thresher._internal.text import count_text, visible
from thresher.learning.data.column_types import ColumnTypes, Kind
from thresher.plots import ColumnsDisplay, redundant_pairs
from thresher.plots.rows.columns import ColumnSummary
from thresher.plots.rows.correlation import RedundantPair
from thresher.plots.rows.table import MOST_CLASSES
from thresher.report import Section
from thresher.report.numbers import value_text
from thresher.report.static.svg import TOP, WIDTH, Panel, Plot, colour, element, text

_DRAWN: tuple[Kind, ...] = "numerical", "boolean", "categorical", "ordinal", "date"
_PANELS, _CLASSES = 6, 6  # that a report shows
_PAIRS = 3
_MOST_COLUMNS = 60  # of which redundant pairs are looked for
_GROUP = 0.8  # width of the bars of one category


def columns_by_class(X: Any, labels: Any, columns: ColumnTypes) -> ColumnsDisplay | None:
    """Each column by class; None where there are too many classes for a picture."""
    names = columns.named(*_DRAWN)
    if not names or len(np.unique(labels)) > MOST_CLASSES:
        return None
    return ColumnsDisplay.from_table(X[names], by=labels)


def redundant_columns(X: Any, columns: ColumnTypes) -> tuple[RedundantPair, ...]:
    """Pairs of columns that tell almost all of each other, of up to 60 columns."""
    names = columns.named(*_DRAWN)
    return tuple(redundant_pairs(X[names])) if 2 <= len(names) <= _MOST_COLUMNS else ()


def columns_section(shown: ColumnsDisplay | None, redundant: Sequence[RedundantPair]) -> Iterator[Section]:
    """The columns of largest J, as shares of each class: counts of bins, and no rows."""
    if shown is None or len(shown.classes) > _CLASSES:
        return
    best = sorted(shown.columns, key=lambda each: -np.nan_to_num(each.J, nan=-1.0))[:_PANELS]
    which = "All columns" if len(best) == len(shown.columns) else f"The {len(best)} of {len(shown.columns):,} columns"
    which += " of the rows learnt from" if len(best) == len(shown.columns) else " that separate the classes best"
    words = [f"{which}. J is the variance between classes over that within."]
    if redundant:
        pairs = [f"{pair.one} and {pair.other} ({pair.value:.2f})" for pair in redundant[:_PAIRS]]
        more = f" and {count_text(len(redundant) - _PAIRS, 'pair')} more" if len(redundant) > _PAIRS else ""
        words.append(f"Columns that tell almost all of each other: {'; '.join(pairs)}{more}.")
    yield Section("The columns by class", words, panels=[_panel(each, shown.classes) for each in best])


def _panel(each: ColumnSummary, classes: Sequence[str]) -> Panel:
    """Shares of each class by bin or category."""
    most = max(float(each.shares.max(initial=0.0)), 1e-12) * (1.05 + 0.07 * len(classes))  # their names lie above
    if each.edges is None:
        count = len(each.categories)
        ticks = {i + _GROUP / 2: name[: _longest(count)] for i, name in enumerate(each.categories)}
        plot = Plot((-0.2, max(count, 1)), (0, most), "", "share of the class", x_ticks=ticks)
        width = _GROUP / len(classes)
        for place, share in enumerate(each.shares):
            starts = np.arange(count) + place * width
            edges = np.column_stack([starts, starts + width]).ravel()
            plot.bars(edges, np.insert(share, np.arange(1, count), 0.0) if count else [], place=place)
    else:
        plot = Plot((float(each.edges[0]), float(each.edges[-1])), (0, most), "", "share of the class")
        for place, share in enumerate(each.shares):
            plot.bars(each.edges, share, place=place, opacity=0.45)
    for place, name in enumerate(classes):
        y = TOP + 10 + 14 * place
        plot.drawn.append(element("rect", x=WIDTH - 30, y=y - 9, width=10, height=10, fill=colour(place)))
        plot.drawn.append(element("text", text(name), x=WIDTH - 35, y=y, text_anchor="end"))
    return plot.panel(visible(each.name), f"{_words(each)}.")


def _longest(categories: int) -> int:
    """Letters of a category's name that fit below its bars."""
    return max(40 // max(categories, 1), 2)


def _words(each: ColumnSummary) -> str:
    words = [] if math.isnan(each.J) else [f"J {value_text(each.J)}"]
    if each.missing:
        words.append(f"{each.missing / each.rows:.1%} missing")
    if each.outliers:
        words.append(f"{count_text(each.outliers, 'value')} beyond the fences")
    if each.others[0]:
        words.append(f"{count_text(each.others[0], 'other category')} not drawn")
    return ", ".join(words) or "The same in all rows"
