"""Features that keep classes apart: the library's `selection` on the columns of numbers of a file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from thresher.cli.learning_table import table_with
from thresher.errors import ArgumentError
from thresher.learning import (
    Numbers,
    Scatter,
    Selection,
    column_types,
    complete_rows,
    scatter,
    selection,
    target_column,
)
from thresher.learning.selection import Search

_SIGNS = {"trace_ratio": "J = trace(S_B) / trace(S_W)", "hotelling_lawley": "trace(S_W⁻¹ S_B)"}


@dataclass(frozen=True, slots=True, eq=False)
class ChosenFeatures:
    """A selection, the scatter it was made from, which columns were no numbers, and how many rows were left out."""

    selection: Selection
    scatter: Scatter
    left_out: Mapping[str, str]
    dropped: int


def chosen_features(given: Mapping[str, Any]) -> ChosenFeatures:
    """Read the table, take its columns of numbers, and select."""
    target = given["target"]
    data = table_with(given, ())
    kinds = column_types(data, target=target)
    names = kinds.named("numerical", "boolean")
    if not names:
        raise ArgumentError("no column holds numbers that vary", "give a table with features that are numbers")
    if given["select"] > len(names):
        what = f"{given['select']:,} features are to be chosen, and there are {len(names):,} columns of numbers"
        raise ArgumentError(what, "pass a smaller --select")
    dropped = 0
    if given["missing"] == "drop":
        complete = complete_rows(data, columns=[*names, target])
        data, dropped = complete.data, complete.dropped
    elif (absent := data[names].isna().any()).any():
        lacking = [name for name in names if absent[name]]
        what = f"{int(data[names].isna().any(axis=1).sum()):,} of {len(data):,} rows lack a value, e.g. {lacking[0]!r}"
        raise ArgumentError(what, "fill them, or pass --missing drop to leave those rows out")
    goal = target_column(data, target)
    numbers = Numbers().fit_transform(data[names])
    if given["scale"]:
        numbers = numbers / numbers.std(ddof=0).replace(0.0, 1.0)
    exact = given["criterion"] == "trace_ratio"
    found = scatter(numbers, goal.labels(goal.codes), matrix=not exact)
    search: Search = given["search"] or ("exact" if exact else "forward")
    chosen = selection(found, given["select"], search=search, criterion=given["criterion"])
    left = {column.name: column.kind for column in kinds if column.name not in names}
    return ChosenFeatures(chosen, found, left, dropped)


def present(found: ChosenFeatures, given: Mapping[str, Any]) -> None:
    """Print a table, or plain data, or nothing."""
    if given["as_json"]:
        click.echo(json.dumps(_plain(found), allow_nan=False, default=str))
    elif not given["quiet"]:
        from thresher.cli.screen import console, show

        show(console(), _blocks(found))


def _blocks(found: ChosenFeatures) -> Iterator[Any]:
    from rich.text import Text

    from thresher.cli.plain_text import plain_text
    from thresher.cli.screen import FAINT, heading, name_text, number, table

    chosen, scatter = found.selection, found.scatter
    sizes = ", ".join(
        f"{count:,} {plain_text(name)}" for name, count in zip(scatter.classes, scatter.counts, strict=True)
    )
    rows = Text(f"{scatter.N:,} rows: {sizes}")
    if found.dropped:
        rows.append(f"; {found.dropped:,} dropped for missing values", style="bold")
    yield rows
    alone = scatter.scores
    lines = [
        (
            name_text(name),
            Text(number(float(scatter.between[i]))),
            Text(number(float(scatter.within[i]))),
            Text(number(float(alone[i]))),
        )
        for name, i in zip(chosen.names, chosen.features, strict=True)
    ]
    size, of = len(chosen.names), len(scatter.names)
    yield [
        heading(f"{size:,} of {of:,} features", f"{chosen.search} search"),
        table(("", "between", "within", "J alone"), lines),
    ]
    together = Text.assemble(f"{_SIGNS[chosen.criterion]} of these together: ", (number(chosen.value), "bold"))
    if chosen.criterion == "trace_ratio":
        together.append(f"; of all {of:,} features: {number(scatter.J)}", style=FAINT)
    yield together
    if found.left_out:
        told = ", ".join(f"{plain_text(name)} ({kind})" for name, kind in found.left_out.items())
        yield Text(f"Not looked at: {told}", style=FAINT)


def _plain(found: ChosenFeatures) -> dict[str, Any]:
    chosen, scatter = found.selection, found.scatter

    def number(value: Any) -> float | str | None:
        plain = float(value)
        return plain if math.isfinite(plain) else None if math.isnan(plain) else str(plain)

    return {
        "rows": scatter.N,
        "dropped": found.dropped,
        "classes": {str(name): int(count) for name, count in zip(scatter.classes, scatter.counts, strict=True)},
        "search": chosen.search,
        "criterion": chosen.criterion,
        "value": number(chosen.value),
        "features": list(chosen.names),
        "scores": {name: number(score) for name, score in zip(scatter.names, np.asarray(scatter.scores), strict=True)},
        "steps": [number(step) for step in chosen.steps],
        "left_out": dict(found.left_out),
    }
