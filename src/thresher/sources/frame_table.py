"""Frames as Arrow tables for the embedded engine; columns that it cannot hold are in nobody's way.

Such a column has no values in the table, and an error that whoever asks for it raises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import ColumnError, LengthError, ThresherError
from thresher.inputs.columns import Column, is_absent, is_missing
from thresher.inputs.frames import frame_columns, frame_names, held_frame

_LOOKED_AT = 1000


def frame_table(frame: Any) -> tuple[Any, dict[int, ThresherError]]:
    """The columns of a frame that have a name, as an Arrow table, and the errors of some by their places.

    >>> table, refused = frame_table({"y": [1, 0], "p": [0.9, 0.2], "z": [1j, 2j]})
    >>> table["z"].to_pylist(), refused[2].what
    ([None, None], "the column 'z' holds complex128, which the embedded engine cannot hold")
    """
    arrow = extra("pyarrow", name="sql")
    held = held_frame(frame)
    present: list[Any] = frame_names(held)
    names = [name for name in dict.fromkeys(present) if isinstance(name, str)]  # the engine knows no others
    columns = _columns(held, names)
    rows = _usual_length(columns)
    made: dict[str, Any] = {}
    refused: dict[int, ThresherError] = {}
    for place, name in enumerate(names):
        found = columns[name]
        if not isinstance(found, ThresherError):
            found = _of_length(found, rows, name)
        if not isinstance(found, ThresherError):
            found = _arrow_column(found, name)
        if isinstance(found, ThresherError):
            refused[place] = found.with_traceback(None)
        made[name] = arrow.nulls(rows, arrow.float64()) if isinstance(found, ThresherError) else found
    return arrow.table(made), refused


def _columns(frame: Any, names: list[str]) -> dict[str, Column | ThresherError]:
    """Columns of NumPy; errors for those that do not hold one value per row, or share their name."""
    try:
        return dict(frame_columns(frame, names))  # lazy frames do their work once
    except ThresherError:
        return {name: _column(frame, name) for name in names}


def _column(frame: Any, name: str) -> Column | ThresherError:
    try:
        return frame_columns(frame, [name])[name]
    except ThresherError as error:
        return error


def _usual_length(columns: Mapping[str, Column | ThresherError]) -> int:
    """The length of most columns."""
    lengths = Counter(len(values) for values in columns.values() if isinstance(values, np.ndarray))
    return lengths.most_common(1)[0][0] if lengths else 0


def _of_length(values: Column, rows: int, name: str) -> Column | LengthError:
    if values.size == rows:
        return values
    what = f"columns differ in length: {name} has {values.size:,} entries, and most have {rows:,}"
    return LengthError(what, "give one entry per row in each of them")


def _arrow_column(values: Column, name: str) -> Any:
    """A column of Arrow that the engine holds; an error where there is none."""
    arrow = extra("pyarrow", name="sql")
    # pandas has NaN for a missing text, which Arrow takes for a number.
    gaps = is_missing(values) if values.dtype.kind == "O" else None
    try:
        made = arrow.array(values.astype(values.dtype.newbyteorder("="), copy=False), mask=gaps)
    except (arrow.ArrowException, OverflowError, TypeError, ValueError):
        return _unheld(name, _told(values))
    if arrow.types.is_null(made.type):
        return made.cast(arrow.float64())
    if arrow.types.is_nested(made.type) or arrow.types.is_decimal256(made.type):
        return _unheld(name, str(made.type))
    return made.cast(arrow.float32()) if arrow.types.is_float16(made.type) else made


def _told(values: Column) -> str:
    if values.dtype.kind != "O":
        return str(values.dtype)
    kinds = dict.fromkeys(type(value).__name__ for value in values[:_LOOKED_AT].tolist() if not is_absent(value))
    return f"{' and '.join(kinds)} objects"


def _unheld(name: str, held: str) -> ColumnError:
    return ColumnError(
        f"the column {name!r} holds {held}, which the embedded engine cannot hold",
        fix="make it a column of numbers, texts or moments, or filter the frame yourself and leave where= out",
    )
