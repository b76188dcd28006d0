"""Tables for pictures: columns of numbers or categories, classes, samples."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_names
from thresher.errors import ArgumentError, LabelError, LengthError, argument
from thresher.inputs.columns import column, is_missing
from thresher.inputs.frames import frame_columns, is_frame
from thresher.ranking import Floats, Indices

Kind: TypeAlias = Literal["number", "category"]
MOST_CLASSES = 12
MOST_DRAWN = 2_000  # rows that are drawn one by one
_DAYS_PER_YEAR = 365.2425
_FAR = 1e150


@dataclass(frozen=True, slots=True, eq=False)
class TableColumn:
    """Numbers (NaN where missing), or codes of categories (-1 where missing)."""

    name: str
    kind: Kind
    values: npt.NDArray[Any]
    categories: tuple[str, ...] = ()

    @property
    def missing(self) -> npt.NDArray[np.bool_]:
        """Which entries are missing."""
        return np.isnan(self.values) if self.kind == "number" else self.values < 0


def read_table(data: Any, names: Sequence[str] | None = None) -> dict[str, TableColumn]:
    """The columns of a frame, or of an array with rows and columns, that are wanted.

    Times become years; what is neither a number nor a time is a category. Infinite numbers, and those
    beyond 1e150, whose squares are infinite, count as missing.
    """
    if isinstance(names, str):
        require_names(names, name="columns")
    if not is_frame(data):
        rows = np.asarray(data)
        if rows.ndim != 2:
            what = f"the table has shape {rows.shape}, and rows and columns are needed"
            raise LengthError(what, "give a data frame, a mapping of names to columns, or a 2-D array")
        data = {f"x{i}": rows[:, i] for i in range(rows.shape[1])}
    columns = {name: read_column(values, str(name)) for name, values in frame_columns(data, names).items()}
    if not columns or not next(iter(columns.values())).values.size:
        raise LengthError("the table has no rows or no columns", "give at least one of each")
    return columns


def read_column(values: Any, name: str) -> TableColumn:
    """One column, as numbers if it holds nothing else."""
    array = column(values, name=name)
    if array.dtype.kind == "M":
        days = array.astype("datetime64[s]")
        years = days.astype(np.float64) / 86_400 / _DAYS_PER_YEAR + 1970
        return TableColumn(name, "number", np.where(np.isnat(days), np.nan, years))
    if array.dtype.kind == "m":
        return TableColumn(name, "number", array / np.timedelta64(1, "s"))
    if array.dtype.kind in "iuf":
        return TableColumn(name, "number", _finite(array))
    absent = is_missing(array)
    here = np.ones(array.size, dtype=np.bool_) if absent is None else ~absent
    present = array[here].tolist()
    if array.dtype.kind == "O" and all(
        isinstance(each, int | float) and not isinstance(each, bool) for each in present
    ):
        numbers = np.full(array.size, np.nan)
        numbers[here] = present
        return TableColumn(name, "number", _finite(numbers))
    known = {each: i for i, each in enumerate(dict.fromkeys(present))}
    codes = np.full(array.size, -1, dtype=np.intp)
    codes[here] = _places(known, present)
    return TableColumn(name, "category", codes, tuple(map(str, known)))


def _finite(numbers: npt.NDArray[Any]) -> Floats:
    """As floats, NaN where squares are infinite."""
    floats = numbers.astype(np.float64, copy=False)
    return np.where(np.abs(floats) < _FAR, floats, np.nan)


def read_classes(
    labels: Any, *, rows: int, name: str = "y", most: int = MOST_CLASSES
) -> tuple[tuple[str, ...], Indices]:
    """Names of classes in order, and the class of each row, -1 where it is missing."""
    array = column(labels, name=name)
    if array.size != rows:
        raise LengthError(f"there are {rows:,} rows and {array.size:,} entries of {name}", "give one class per row")
    absent = is_missing(array)
    here = np.ones(array.size, dtype=np.bool_) if absent is None else ~absent
    present = array[here].tolist()
    known: dict[Any, int] = dict.fromkeys(present, 0)
    if len(known) > most:
        what = f"{argument(name)} holds {len(known):,} different values, and a picture shows {most} classes at most"
        raise LabelError(what, "name a column of classes; measured numbers need ranges first")
    if not known:
        raise LabelError(f"every entry of {argument(name)} is missing", "give the class of at least one row")
    try:
        ordered = sorted(known)
    except TypeError:  # of several types, which have no order
        ordered = list(known)
    known = {each: i for i, each in enumerate(ordered)}
    codes = np.full(array.size, -1, dtype=np.intp)
    codes[here] = _places(known, present)
    return tuple(map(str, ordered)), codes


def _places(known: Mapping[Hashable, int], values: Sequence[Hashable]) -> Indices:
    """The place of each value."""
    return np.fromiter(map(known.__getitem__, values), dtype=np.intp, count=len(values))


def class_labels(data: Any, by: Any) -> Any:
    """The labels that `by` means: given row by row, or in the column of that name."""
    return frame_columns(data, [by])[by] if isinstance(by, str) and is_frame(data) else by


def pick_rows(rows: int, most: int, seed: int = 0) -> Indices:
    """All rows, or a sample of so many in their order."""
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))


def sample_words(shown: int, rows: int) -> str:
    """What a title says of rows that are not shown."""
    return "" if shown >= rows else f"\n{shown:,} of {rows:,} rows, drawn at random"


def two_features(features: Sequence[Any] | None, names: Sequence[str]) -> tuple[int, int]:
    """Places of two different features, by default the first two."""
    if len(names) < 2:
        raise ArgumentError(f"there is one feature, {names[0]!r}, and a plane has two", "give a table of two or more")
    asked = (0, 1) if features is None else tuple(features)
    fix = f"give two of {', '.join(map(str, names[:8]))}{', …' if len(names) > 8 else ''}"
    if isinstance(features, str) or len(asked) != 2:
        raise ArgumentError(f"{argument('features')} must be two features, got {features!r}", fix, parameter="features")
    places = []
    for feature in asked:
        if isinstance(feature, int | np.integer) and not isinstance(feature, bool) and 0 <= feature < len(names):
            places.append(int(feature))
        elif feature in names:
            places.append(list(names).index(feature))
        else:
            raise ArgumentError(f"there is no feature {feature!r}", fix, parameter="features")
    if places[0] == places[1]:
        raise ArgumentError(f"both features are {names[places[0]]!r}", fix, parameter="features")
    return places[0], places[1]


def plain_rows(X: Any) -> tuple[Floats, tuple[str, ...]]:
    """A table of numbers as an array of floats, with the names of its columns."""
    columns = read_table(X)
    if texts := [name for name, each in columns.items() if each.kind == "category"]:
        what = f"column {texts[0]!r} holds no numbers"
        raise ArgumentError(what, "give columns of numbers; preparation(columns) makes them of others")
    return np.column_stack([each.values for each in columns.values()]), tuple(columns)
