"""Anything array-like as NumPy columns of one length."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_one_of, short_repr
from thresher._internal.parallel import map_chunks
from thresher._internal.text import in_words
from thresher.errors import ArgumentError, ColumnError, EmptyError, LengthError, MissingValueError, argument
from thresher.inputs.arrow import BLANKS, MOST_DIGITS, is_arrow, numpy_column, objects, of_capsule
from thresher.ranking import EXACT_INTEGERS, Flags

Missing: TypeAlias = Literal["raise", "drop"]
Column: TypeAlias = npt.NDArray[Any]

NAMES_SHOWN = 20
_MOST_BITS = int(MOST_DIGITS / math.log10(2))
_FOREIGN = re.compile(rf"[^{BLANKS}+\-.0-9A-Za-z]")
_NESTED = ("struct", "list", "array", "large_list", "fixed_size_list", "map")  # types of Polars and Arrow
_SEVERAL = (list, dict, set, frozenset, np.ndarray, np.void)  # tuples can be labels
_FINER_THAN_PYTHON = ("ns", "ps", "fs", "as")
_MAY_BE_NAN = (float, complex, np.inexact, np.datetime64, np.timedelta64)


def column(values: Any, *, name: str) -> Column:
    """One column of rows as a one-dimensional array, its dtype left alone."""
    values = of_capsule(values)
    if is_arrow(values):
        return numpy_column(values, name=name)
    try:
        array = _as_array(values, name)
    except ColumnError:
        raise
    except ValueError:  # NumPy will not make a column of lists of different lengths
        raise LengthError(f"{name} holds rows of different lengths", "pass one entry per row") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        fix = f"pass one entry per row, e.g. {name}[:, 1] of a two-column probability matrix"
        raise LengthError(f"{name} has shape {array.shape}, and a column has one dimension", fix)
    if array.dtype.kind == "V":
        raise _several(name, f"records of {array.dtype}")
    if array.dtype.kind == "O":
        require_plain(array.tolist(), name)
    return array


def require_plain(entries: list[Any], name: str) -> None:
    """Refuse entries of several values, and integers that Python does not print."""
    kinds = set(map(type, entries))
    for kind in kinds:
        if issubclass(kind, _SEVERAL):
            raise _several(name, f"entries of type {kind.__name__}")
    if int in kinds and any(type(entry) is int and entry.bit_length() > _MOST_BITS for entry in entries):
        what = f"{name} holds an integer of more than {MOST_DIGITS} digits"
        raise ColumnError(what, "give it as a text if it is a name, or divide it if it is a number")


def _several(name: str, held: str) -> ColumnError:
    return ColumnError(f"{name} holds {held}, not one value per row", "take a column of plain values")


def complete(columns: Mapping[str, Column], *, missing: Missing, droppable: bool = True) -> tuple[list[Column], int]:
    """Columns of one length that miss nothing, and how many rows were dropped.

    `droppable` says that the caller offers `missing="drop"`, and only changes the message.
    """
    require_one_of(missing, ("raise", "drop"), name="missing")
    sizes = {name: array.size for name, array in columns.items()}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise LengthError(f"columns differ in length: {shown}", "give one entry per row in each of them")
    rows = next(iter(sizes.values()))
    if rows == 0:
        raise EmptyError("there are no rows", "give at least one")
    absent = {name: flags for name, array in columns.items() if (flags := is_missing(array)) is not None}
    if not absent:
        return list(columns.values()), 0
    if missing == "raise":
        gaps = [
            f"{int(flags.sum()):,} of {rows:,} {name} are missing or NaN (first at rows "
            + ", ".join(map(str, np.flatnonzero(flags)[:5]))
            + ")"
            for name, flags in absent.items()
        ]
        drop = f"fill them, or pass {argument('missing', 'drop')} to leave those rows out"
        raise MissingValueError(
            "; ".join(gaps) + ", and they are never guessed", drop if droppable else "fill or leave out those rows"
        )
    keep = ~np.logical_or.reduce(list(absent.values()))
    if not keep.any():
        raise EmptyError(f"none of {rows:,} rows is left after dropping those with missing values", "check the columns")
    return [array[keep] for array in columns.values()], rows - int(keep.sum())


def is_missing(array: Column) -> Flags | None:
    """Which entries are NaN, None, NaT or NA; None when all are there."""
    if array.dtype.kind in "fc":
        if not any(map_chunks(lambda piece: bool(np.isnan(array[piece].min())), array.size)):
            return None
        flags = np.isnan(array)
    elif array.dtype.kind in "mM":
        flags = np.isnat(array)
    elif array.dtype.kind in "OT":
        flags = flagged(array, is_absent)
    else:
        return None
    return flags if flags.any() else None


def flagged(array: Column, holds: Callable[[Any], bool]) -> Flags:
    """For which entries something holds, asked once for each distinct one."""
    entries = array.tolist()
    try:
        known = {entry: holds(entry) for entry in dict.fromkeys(entries)}
    except TypeError:  # an entry cannot be hashed
        return np.fromiter(map(holds, entries), dtype=np.bool_, count=array.size)
    return np.fromiter(map(known.__getitem__, entries), dtype=np.bool_, count=array.size)


def without_zone(value: Any) -> Any:
    """A moment as columns of NumPy hold it, in UTC; anything else as it is."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        return value
    try:
        return value.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        what = f"the moment {value} lies outside the years 1 to 9999 in UTC"
        raise ArgumentError(what, "leave its zone out, or give it in UTC") from None


def numpy_moment(value: Any) -> np.datetime64 | np.timedelta64:
    """A moment in UTC or a duration as NumPy has it, with all its digits.

    Those of pandas have nanoseconds, which NumPy would not ask for.
    """
    value = without_zone(value)
    if isinstance(value, np.datetime64 | np.timedelta64):
        return value
    if isinstance(value, timedelta):
        return getattr(value, "to_timedelta64", lambda: np.timedelta64(value))()
    return getattr(value, "to_datetime64", lambda: np.datetime64(value))()


def plain_entries(array: Column) -> list[Any]:
    """The entries of a column in Python's types, moments in UTC; missing is None.

    Where moments or durations are finer than Python's, or out of its years, all stay those of NumPy.
    """
    absent = is_missing(array)
    entries = array.tolist()
    if array.dtype.kind in "mM":
        fine = np.datetime_data(array.dtype)[0] in _FINER_THAN_PYTHON
        coarse = array.astype(f"{array.dtype.kind}8[us]") if fine else array
        entries = coarse.tolist()
        if int in set(map(type, entries)) or ((coarse != array) & ~np.isnat(array)).any():
            entries = list(array)  # Python has no such years, or no such fractions of a second
    if array.dtype.kind == "O":
        entries = [without_zone(entry) for entry in entries]
    return entries if absent is None else [None if gone else entry for entry, gone in zip(entries, absent, strict=True)]


def _as_array(values: Any, name: str) -> Column:
    if isinstance(values, np.ma.MaskedArray):
        if not np.ma.is_masked(values):
            return values.data
        array = values.data.astype(object)
        array[np.ma.getmaskarray(values)] = None
        return array
    kind = str(getattr(values, "dtype", "")).lower()
    if kind.startswith(_NESTED):
        raise _several(name, kind)
    if kind.endswith("int128"):  # of Polars, which NumPy does not have
        return objects(values.to_list())
    if kind.startswith("datetime64[") and "," in kind:  # moments of pandas with a zone, in UTC as everywhere
        return np.asarray(values, dtype=f"{kind.partition(',')[0]}]")
    array = np.asarray(without_device(values))
    listed = isinstance(values, list | tuple)
    if listed and array.dtype.kind in "US":
        # NumPy makes texts of numbers among texts, and forgets a NUL at the end of one.
        same = all(isinstance(value, str) and not value.endswith("\0") for value in values)
    else:
        # Integers may be rounded on their way into floats; half floats hold none so large.
        integers = listed or not (isinstance(values, np.ndarray) or not kind or "float" in kind or "double" in kind)
        floats = array.dtype.kind == "f" and array.ndim == 1 and array.dtype.itemsize > 2
        same = not (integers and floats and (np.abs(array) >= EXACT_INTEGERS).any())
    if same:
        return array
    return objects(list(values if listed else values.to_list() if hasattr(values, "to_list") else values.tolist()))


def is_absent(value: Any) -> bool:
    """Whether one value is None, NaN, NaT or NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, _MAY_BE_NAN) and value != value  # noqa: PLR0124 - NaN and NaT differ from themselves


def without_device(values: Any) -> Any:
    """A tensor outside its graph and in main memory; anything else as it is.

    Follows the protocols instead of the libraries: `detach()` and `cpu()` of PyTorch, `get()` of arrays on a
    device, and DLPack for what has no `__array__`. A bfloat16, which NumPy lacks, fits a float32 exactly.
    """
    if callable(getattr(values, "detach", None)) and callable(getattr(values, "cpu", None)):
        tensor = values.detach().cpu()
        return tensor.float() if str(tensor.dtype).endswith("bfloat16") else tensor
    if hasattr(values, "__cuda_array_interface__") and callable(getattr(values, "get", None)):
        return values.get()
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return values


def require_columns(wanted: Collection[str], present: Sequence[str], *, place: str) -> None:
    """Raise `ColumnError` unless every wanted column is among those present, once."""
    if not set(wanted) <= set(present):
        absent = [name for name in wanted if name not in present]
        lacks = "no column " + short_repr(absent[0]) if len(absent) == 1 else "no columns " + named(absent)
        near = [match for name in absent for match in _near(name, present)]
        suggestion = f"; did you mean {' or '.join(map(repr, dict.fromkeys(near)))}?" if near else ""
        raise ColumnError(f"{place} has {lacks}{suggestion}", _fix(present))
    for name in wanted:
        if present.count(name) > 1:
            what = f"{place} has {present.count(name)} columns called {name!r}"
            raise ColumnError(what, "rename all but one of them")


def require_same_columns(one: Sequence[str], other: Sequence[str], *, places: tuple[str, str]) -> None:
    """Raise `ColumnError` unless two files have the same columns, in any order."""
    for has, lacks, (full, short) in ((one, other, places), (other, one, places[::-1])):
        if lone := [name for name in has if name not in lacks]:
            what = f"files that belong together differ in columns: {named(lone)} is in {full} and not in {short}"
            raise ColumnError(what, "read them apart, or give them the same columns")


def named(names: Sequence[str]) -> str:
    """The first names in words, and how many more there are."""
    more = [f"{len(names) - NAMES_SHOWN:,} more"] if len(names) > NAMES_SHOWN else []
    return in_words([*map(short_repr, names[:NAMES_SHOWN]), *more]) if names else ""


def _near(name: Any, present: Sequence[Any]) -> list[str]:
    texts = [other for other in present if isinstance(other, str)]  # frames may name columns by numbers
    folded = {other.strip().casefold(): other for other in reversed(texts)}
    if not isinstance(name, str):
        return []
    same = folded.get(name.strip().casefold())
    return [same] if same is not None else difflib.get_close_matches(name, dict.fromkeys(texts), n=2, cutoff=0.6)


def _fix(present: Sequence[Any]) -> str:
    if not all(isinstance(name, str) for name in present):
        return f"name one of its columns: {named(present)}"
    if len(present) == 1 and (other := next((mark for mark in (";", "\t", "|") if mark in present[0]), None)):
        return f"the file seems to be separated by {other!r}: separate it by commas, or by tabs and call it .tsv"
    if present and all(is_number(name) for name in present):
        return f"its first line holds numbers ({named(present)}): give it a line of names"
    return f"name one of its columns: {named(present)}" if present else "it has no columns at all"


def is_number(text: str) -> bool:
    """Whether a text reads as a float."""
    try:
        float_texts([text])
    except ValueError:
        return False
    return True


def float_texts(texts: Sequence[str]) -> list[float]:
    """Texts as floats; `ValueError` if one is no number as files write it.

    Python alone would also read 1_000, digits of other scripts, and numbers between no-break spaces or form feeds.

    >>> float_texts(["0.5", " 2e3 "])
    [0.5, 2000.0]
    """
    if _FOREIGN.search("".join(texts)):
        raise ValueError("a character that no number has")
    return [float(text) for text in texts]
