"""Forms of costs: classes and actions named, costs filled in or left empty."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from thresher._internal.text import count_text, plain_text
from thresher.cli.classes import class_of
from thresher.cli.commands.costs import CostOptions
from thresher.cli.options import LabelOptions
from thresher.cli.reading import listening, require_column
from thresher.errors import ArgumentError
from thresher.inputs.columns import Column, is_missing
from thresher.inputs.labels import sorted_labels
from thresher.sources.scan import count_values
from thresher.tables import CostMatrix
from thresher.tables.costs import COLUMNS


@dataclass(frozen=True, slots=True)
class CostForm:
    """What each action costs for each class; None where it is to be filled in."""

    classes: Sequence[Any]
    actions: Sequence[Any]
    costs: Sequence[Sequence[float | None]]

    @property
    def empty(self) -> int:
        """How many costs are to be filled in."""
        return sum(cost is None for row in self.costs for cost in row)

    def to_csv(self) -> str:
        """A line per pair of an actual class and an action, as `read_costs` reads it."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name, row in zip(self.classes, self.costs, strict=True):
            writer.writerows([name, action, _text(cost)] for action, cost in zip(self.actions, row, strict=True))
        return out.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Plain data: names, and a row of costs per actual class."""
        return {
            "classes": list(self.classes),
            "actions": list(self.actions),
            "costs": [list(row) for row in self.costs],
        }

    def lines(self, path: str) -> Iterator[str]:
        """What is printed of a form that was written."""
        pairs = count_text(len(self.classes) * len(self.actions), "line")
        todo = f"{count_text(self.empty, 'cost')} to fill in" if self.empty else "all costs filled in, edit any"
        yield f"wrote {plain_text(path)}: {pairs} of actual, predicted and cost; {todo}"


def cost_form(classes: Sequence[Any], options: CostOptions) -> CostForm:
    """The form of some classes, as far as the options fill it in."""
    if len(classes) < 2:
        raise ArgumentError(f"{classes[0]!r} is the only class, and needs no decision", "name two classes or more")
    filled, k = _preset(classes, options), len(classes)
    rows: list[list[float | None]] = [[0.0 if i == j else None for j in range(k)] for i in range(k)]
    if filled is not None:
        rows = filled.to_array(rows="actual").tolist()
    actions = list(classes)
    for text in options.actions:
        empty = filled is None and "=" not in text
        added: tuple[str, float | None] = (text, None) if empty else _named_cost(text, "--action")
        if any(str(added[0]) == str(action) for action in actions):
            raise ArgumentError(f"--action {added[0]} is a class or an action already", "name it otherwise")
        actions.append(added[0])
        for row in rows:
            row.append(added[1])
    return CostForm(classes, actions, rows)


def _preset(classes: Sequence[Any], options: CostOptions) -> CostMatrix | None:
    """Costs that a rule fills in; None where a person will."""
    presets = {"--equal": options.equal, "--ordinal": options.ordinal, "--by-class": bool(options.by_class)}
    if len(chosen := [name for name, is_chosen in presets.items() if is_chosen]) > 1:
        raise ArgumentError(f"{chosen[0]} and {chosen[1]} both fill in the costs", "give one of them")
    if options.equal:
        return CostMatrix.equal(classes)
    if options.ordinal:
        return CostMatrix.ordinal(classes, power=1 if options.power is None else options.power)
    by_class: dict[Any, float] = {}
    for text in options.by_class:
        name, cost = _named_cost(text, "--by-class")
        by_class[class_of(name, classes, "--by-class")] = cost
    return CostMatrix.by_class(by_class, classes) if by_class else None


def read_classes(source: str, columns: LabelOptions) -> list[Any]:
    """The labels of a file in rising order; missing ones are no class."""
    label = require_column(source, columns, columns.label, "--label", "true labels")
    with listening("reading labels") as listener:
        values, _ = count_values(source, [label], table=columns.table_name, listener=listener)
    labels: Column = values[label]
    absent = is_missing(labels)
    return sorted_labels(labels if absent is None else labels[~absent])


def _named_cost(text: str, option: str) -> tuple[str, float]:
    """NAME=COST; the last equals sign counts, since names may hold some."""
    name, _, number = text.rpartition("=")
    try:
        cost = float(number)
    except ValueError:
        cost = math.nan
    if not name or not math.isfinite(cost):
        raise ArgumentError(f"{option} {text!r} gives no cost", f"write NAME=COST, as {name or text or 'refer'}=0.6")
    return name, cost


def _text(cost: float | None) -> str:
    return "" if cost is None else f"{cost:.17g}" if float(f"{cost:.12g}") != cost else f"{cost:.12g}"
