"""The table that a model is to learn from: read whole, with what the options say about its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.cli.rows import positive_label
from thresher.errors import ArgumentError
from thresher.learning import complete_rows, frame
from thresher.sources.column_names import named, require_columns
from thresher.sources.columns import column
from thresher.sources.files import read_columns


@dataclass(frozen=True, slots=True, eq=False)
class LearningTable:
    """Rows, the target, and what was declared; `dropped` counts rows that were left out for missing values."""

    data: Any
    target: str
    positive: Any
    types: Mapping[str, str]
    orders: Mapping[str, Sequence[str]]
    groups: Any
    time: Any
    dropped: int


def learning_table(given: Mapping[str, Any]) -> LearningTable:
    """Read the file and check that it has the columns that the options name."""
    types = _pairs(given["types"], "--type", "KIND")
    orders = {name: order.split(",") for name, order in _pairs(given["orders"], "--order", "A,B,C").items()}
    beside = [given[name] for name in ("group", "time") if given[name] is not None]
    # Who a row belongs to and when it was seen is no feature, unless the user says what kind of feature it is.
    types = {name: "ignored" for name in beside if name not in orders} | types
    data = table_with(given, [*beside, *types, *orders])
    target, dropped = given["target"], 0
    if given["missing"] == "drop":
        looked_at = [name for name in data.columns if types.get(name) != "ignored" or name in beside]
        complete = complete_rows(data, columns=looked_at)
        data, dropped = complete.data, complete.dropped
    labels = column(data[target], name=f"the column {target!r}")
    return LearningTable(
        data=data,
        target=target,
        positive=positive_label(given["positive"], labels),
        types=types,
        orders=orders,
        groups=None if given["group"] is None else data[given["group"]].to_numpy(),
        time=None if given["time"] is None else data[given["time"]].to_numpy(),
        dropped=dropped,
    )


def table_with(given: Mapping[str, Any], names: Sequence[str]) -> Any:
    """All columns of the file as a frame; the target and these names must be among them."""
    source = given["source"]
    columns = read_columns(source, None)
    place = "standard input" if source == "-" else source
    if given["target"] is None:
        fix = f"pass --target with one of its columns: {named(list(columns))}"
        raise ArgumentError("it is not said which column is to be learnt", fix)
    require_columns(list(dict.fromkeys([given["target"], *names])), list(columns), place=place)
    return frame(columns)


def _pairs(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    """COLUMN=VALUE by column; the last equals sign counts, since names may hold some."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        if not (name and equals and value):
            raise ArgumentError(f"{option} {text!r} does not say it of a column", f"write COLUMN={form}")
        if name in found:
            raise ArgumentError(f"{option} is given twice for column {name!r}", "give it once")
        found[name] = value
    return found
