"""Confusion matrices in a terminal: counts, what they measure, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from thresher._internal.text import count_text, number_text, percent_text, plain_text
from thresher.cli.classes import Measured
from thresher.cli.console.screen import (
    BAD,
    FAINT,
    Cell,
    cautions_text,
    heading,
    interval_text,
    name_text,
    table,
    tables,
)
from thresher.evaluation.summary import total_text
from thresher.ranking import Floats
from thresher.tables import ConfusionMatrix, CostMatrix

_ALL_CLASSES = {
    "overall_accuracy": "overall accuracy",
    "macro_recall": "mean class accuracy",
    "macro_precision": "macro precision",
    "macro_f1": "macro F1",
    "weighted_f1": "weighted F1",
    "kappa": "kappa",
    "mcc": "MCC",
}
_ONE_CLASS = ("tpr", "tnr", "precision", "npv", "f1", "fpr", "accuracy", "average_recall", "mcc")
_MOST_ERRORS = 10
_LONGEST_NOTE = 200
_SPACE = 3  # between two columns


def confusion_blocks(measured: Measured, width: int, *, rows: Literal["actual", "predicted"]) -> Iterator[Any]:
    """What is right and most often wrong, the matrix, its measures and its costs."""
    yield _answer(measured)
    grid = _matrix(measured, width, rows)
    yield grid if grid is not None else _errors(measured)
    by_class = _by_class(measured, width, totals=grid is None)
    yield [heading("Each class", f"limits at level {measured.level:g}"), *by_class]
    lines = [(words, getattr(measured.limits, name)) for name, words in _ALL_CLASSES.items()]
    yield [heading("All classes"), table(("", "estimate"), lines), *_reasons(measured)]
    if measured.rest is not None:
        yield [heading(f"{plain_text(measured.positive)} against the rest"), _against(measured)]
    if measured.costs is not None:
        yield cautions_text(measured.costs.cautions)


def confusion_data(measured: Measured) -> dict[str, Any]:
    """All numbers as plain data, aligned with the classes."""
    matrix, limits = measured.matrix, measured.limits
    return {
        "confusion": matrix.to_dict(),
        "dropped": matrix.dropped,
        "level": measured.level,
        "measures": {name: getattr(limits, name).to_dict() for name in _ALL_CLASSES},
        "by_class": [
            {
                "class": name,
                "actual": cases,
                "predicted": calls,
                **{kind: getattr(limits, kind)[name].to_dict() for kind in ("recall", "precision", "f1")},
            }
            for name, cases, calls in zip(
                matrix.classes, matrix.actual.tolist(), matrix.predicted.tolist(), strict=False
            )
        ],
        "costs": _cost_data(measured),
        "against_the_rest": None
        if measured.rest is None
        else {
            "class": measured.positive,
            "table": {cell: np.asarray(getattr(measured.rest, cell)).item() for cell in ("tp", "fn", "fp", "tn")},
            "measures": {name: each.to_dict() for name, each in measured.against.items()},
        },
    }


def _cost_data(measured: Measured) -> dict[str, Any] | None:
    if measured.costs is None:
        return None
    cells = _cost_cells(measured.matrix, measured.costs)
    i, j = np.unravel_index(int(cells.argmax()), cells.shape)
    classes, actions = measured.matrix.classes, measured.matrix.actions
    return {
        "per_case": measured.costs.cost(measured.matrix),
        "total": float(cells.sum()),
        "cells": cells.tolist(),
        "dearest": {"actual": classes[i], "predicted": actions[j], "cost": float(cells[i, j])},
        "cautions": [caution.to_dict() for caution in measured.costs.cautions],
    }


def _answer(measured: Measured) -> Text:
    """The answer in three lines: right, most often wrong, cost."""
    matrix = measured.matrix
    right = interval_text(measured.limits.overall_accuracy)
    classes = count_text(len(matrix.classes), "class").replace("classs", "classes")
    text = Text.assemble(f"{total_text(matrix.total)} cases of {classes}, accuracy ", right)
    if matrix.dropped:
        text.append(f"; {count_text(matrix.dropped, 'row')} dropped for missing values", style="bold")
    wrong = _wrong(measured)
    if wrong.any():
        first, *ties = np.argwhere(wrong == wrong.max()).tolist()
        each = " and ".join(_cell_words(measured, *at) for at in [first, *ties[:1]])
        most = f"{total_text(wrong.max().item())}{' each' * bool(ties)}"
        errors = "error" if wrong.sum() == 1 else "errors"
        text.append(f"\n{total_text(wrong.sum().item())} {errors}, most often {each} ({most})")
    for name, cases in zip(matrix.others, matrix.predicted[len(matrix.classes) :].tolist(), strict=True):
        text.append(f"\n{total_text(cases)} called {plain_text(name)} ({percent_text(cases / matrix.total)})")
    if measured.costs is not None:
        cells = _cost_cells(matrix, measured.costs)
        text.append("\nCost per case ").append(_cost(measured.costs.cost(matrix)), style="bold")
        text.append(f", {_cost(float(cells.sum()))} in all")
        if cells.max() > 0:
            first = np.argwhere(cells == cells.max()).tolist()[0]
            text.append(f", {_cost(cells.max().item())} of it for {_cell_words(measured, *first)}")
    return text


def _matrix(measured: Measured, width: int, rows: Literal["actual", "predicted"]) -> RenderableType | None:
    """The counts with totals, recall and precision; None where that is too wide."""
    matrix = measured.matrix
    sides = [("actual", matrix.classes, matrix.recall, "recall")]
    sides.append(("predicted", matrix.actions, matrix.precision, "precision"))
    counts, worst = matrix.counts, _wrong(measured)
    if rows == "predicted":
        sides, counts, worst = sides[::-1], counts.T, worst.T
    (side, names, rates, rate), (across, heads_across, rates_across, rate_across) = sides
    lines: list[list[Cell]] = []
    for i, (name, row) in enumerate(zip(names, counts.tolist(), strict=True)):
        cells = [Text(total_text(count), style=_style(i, j, count, worst)) for j, count in enumerate(row)]
        lines.append([name_text(name), *cells, total_text(sum(row)), _rate(rates, i)])
    totals = [Text(total_text(total), style=FAINT) for total in counts.sum(axis=0).tolist()]
    lines.append([Text("total", style=FAINT), *totals, Text(total_text(matrix.total), style=FAINT), ""])
    across_rates = [_rate(rates_across, j) for j in range(len(heads_across))]
    lines.append([Text(rate_across, style=FAINT), *across_rates, "", ""])
    heads = [f"{side} \\ {across}", *map(plain_text, heads_across), "total", rate]
    texts = [[head, *(str(line[i]) for line in lines)] for i, head in enumerate(heads)]
    if sum(max(map(cell_len, column)) + _SPACE for column in texts) - _SPACE > width:
        return None
    return table(heads, lines)


def _style(i: int, j: int, count: float, worst: Floats) -> str:
    if i == j:
        return "bold"
    return f"bold {BAD}" if count and count == worst.max() else FAINT if not count else ""


def _errors(measured: Measured) -> list[RenderableType]:
    """The most frequent errors, where the matrix is too wide to show."""
    wrong = _wrong(measured)
    order = np.argsort(-wrong, axis=None, kind="stable")[:_MOST_ERRORS]
    names, actions = measured.matrix.classes, measured.matrix.actions
    lines: list[list[Cell]] = []
    for at in order.tolist():
        i, j = divmod(at, wrong.shape[1])
        if wrong[i, j]:
            share = percent_text(float(wrong[i, j] / wrong.sum()))
            lines.append([names[i], actions[j], total_text(wrong[i, j].item()), share])
    aside = "the matrix is wider than the terminal; --json has all of it"
    heads = ("actual", "predicted", "cases", "of all errors")
    return [heading("Most frequent errors", aside), table(heads, lines, left=2)]


def _by_class(measured: Measured, width: int, *, totals: bool) -> Iterator[RenderableType]:
    """Recall, precision and F1 of every class; totals where no matrix has them."""
    matrix, limits = measured.matrix, measured.limits
    heads = ["recall", "precision", "F1"]
    cells = [
        [interval_text(of[name]) for of in (limits.recall, limits.precision, limits.f1)] for name in matrix.classes
    ]
    if totals:
        heads = ["actual", "predicted", *heads]
        counts = zip(matrix.actual.tolist(), matrix.predicted.tolist(), strict=False)  # after them, other actions
        cells = [[*(Text(total_text(n)) for n in two), *row] for two, row in zip(counts, cells, strict=True)]
    return tables("", heads, [name_text(name) for name in matrix.classes], cells, width)


def _against(measured: Measured) -> RenderableType:
    if measured.against:
        return table(("", "estimate"), [(name, measured.against[name]) for name in _ONE_CLASS])
    return table(("", "estimate"), [(name, float(getattr(measured.rest, name))) for name in _ONE_CLASS])


def _reasons(measured: Measured) -> list[Text]:
    """Why measures have no value."""
    undefined = [name for name in _ALL_CLASSES if math.isnan(getattr(measured.limits, name).estimate)]
    notes = dict.fromkeys(getattr(measured.limits, name).note for name in undefined)
    return [Text(plain_text(f"undefined: {_short(note)}"), style=FAINT) for note in notes]


def _short(note: str) -> str:
    """A reason that names many classes, without most of them."""
    return note if len(note) <= _LONGEST_NOTE else f"{note[: _LONGEST_NOTE // 2]} … {note[-_LONGEST_NOTE // 2 :]}"


def _cost(value: float) -> str:
    return number_text(value) if abs(value) >= 1000 or value == round(value) else f"{value:.4g}"


def _rate(rates: Floats, i: int) -> str:
    """A rate of a class; actions that are no classes have none."""
    if i >= len(rates):
        return ""
    return "–" if math.isnan(rates[i]) else f"{rates[i]:.3f}"


def _wrong(measured: Measured) -> Floats:
    """Cases called another class; other actions are no errors."""
    wrong = measured.matrix.counts.astype(np.float64)
    np.fill_diagonal(wrong, 0)
    wrong[:, len(measured.matrix.classes) :] = 0
    return wrong


def _cost_cells(matrix: ConfusionMatrix, costs: CostMatrix) -> Floats:
    """What each cell costs, in the order of the matrix."""
    return np.array([[costs[a, b] for b in matrix.actions] for a in matrix.classes]) * matrix.counts


def _cell_words(measured: Measured, i: int, j: int) -> str:
    matrix = measured.matrix
    return f"{plain_text(matrix.classes[i])} called {plain_text(matrix.actions[j])}"
