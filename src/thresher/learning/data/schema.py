"""The schema of a model: expected columns, checked on new rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from thresher._internal.json import fields, flag, items, one_of, text
from thresher._internal.text import count_text
from thresher.errors import ColumnError
from thresher.inputs.arrow import ABSENT
from thresher.inputs.columns import float_texts, named, require_columns
from thresher.learning.data.column_types import USED, ColumnTypes, Kind, category_texts, value_family
from thresher.learning.data.frame import LARGEST
from thresher.ranking import Indices

Reading: TypeAlias = Literal["number", "truth", "date", "text"]

_READINGS: Mapping[str, Reading] = {"boolean": "truth", "number": "number", "date": "date"}
_TRUTH = {"true": True, "false": False}
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class ExpectedColumn:
    """A column as the model learnt it.

    `reading` is what its values were, so that texts of a file without types are read alike, row by row; `gaps` says
    that some were missing, and `categories` lists those of categorical and ordinal columns.
    """

    name: str
    kind: Kind
    reading: Reading
    gaps: bool
    categories: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self) | {"categories": list(self.categories)}

    @classmethod
    def from_dict(cls, data: Any) -> ExpectedColumn:
        """What `to_dict` wrote; a field that is not so raises `FieldError`."""
        kinds = {"kind": one_of(get_args(Kind)), "reading": one_of(get_args(Reading))}
        plain = fields(data, {"name": text, **kinds, "gaps": flag, "categories": items(text)})
        return cls(**plain | {"categories": tuple(plain["categories"])})


def expected_columns(table: Any, columns: ColumnTypes, rows: Indices) -> tuple[ExpectedColumn, ...]:
    """What these training rows of a frame taught about each column that is used."""
    import pandas as pd

    expected = []
    for name in columns.needed:
        values, kind, order = table[name].iloc[rows], columns[name].kind, columns[name].order
        if kind not in USED:  # a feature is derived from it
            kind = "numerical"
        known = tuple(dict.fromkeys(category_texts(values.dropna()))) if kind == "categorical" else order
        gaps = bool(values.isna().any())
        if isinstance(values.dtype, pd.CategoricalDtype):
            values = values.astype(values.dtype.categories.dtype)
        reading = _READINGS.get(value_family(values), "text")
        expected.append(ExpectedColumn(name, kind, reading, gaps, known))
    return tuple(expected)


@dataclass(frozen=True, slots=True, eq=False)
class Remarks:
    """Remarks about new rows that are scored all the same; those of two pieces add.

    `unseen` counts categories that no training row had, by column; `gaps` counts missing values of columns that had
    none; `unused` names columns that the model has never met.
    """

    unseen: Mapping[str, Counter[str]] = field(default_factory=dict)
    gaps: Counter[str] = field(default_factory=Counter)
    unused: tuple[str, ...] = ()

    def __add__(self, other: Remarks) -> Remarks:
        names = dict.fromkeys([*self.unseen, *other.unseen])
        unseen = {name: self.unseen.get(name, Counter()) + other.unseen.get(name, Counter()) for name in names}
        return Remarks(unseen, self.gaps + other.gaps, tuple(dict.fromkeys([*self.unused, *other.unused])))

    def lines(self) -> Iterator[str]:
        """Each remark in words.

        >>> print(*Remarks({"town": Counter(Bergen=2)}, Counter(age=1), ("note",)).lines(), sep=chr(10))
        2 rows have a category of column 'town' that training rows had not: 'Bergen'; it counts as none of those known
        1 row lacks a value in column 'age', which no training row did; it is filled as in training
        the model does not know the column 'note'; it plays no part
        """
        for name, counts in self.unseen.items():
            shown = named([text for text, _ in counts.most_common(_SHOWN)])
            more = f" and {len(counts) - _SHOWN:,} more" if len(counts) > _SHOWN else ""
            rows = f"{count_text(counts.total(), 'row')} {'has' if counts.total() == 1 else 'have'}"
            unseen = f"a category of column {name!r} that training rows had not: {shown}{more}"
            yield f"{rows} {unseen}; it counts as none of those known"
        for name, count in self.gaps.items():
            rows = f"{count_text(count, 'row')} {'lacks' if count == 1 else 'lack'}"
            yield f"{rows} a value in column {name!r}, which no training row did; it is filled as in training"
        if self.unused:
            noun, verb = ("column", "it plays") if len(self.unused) == 1 else ("columns", "they play")
            yield f"the model does not know the {noun} {named(self.unused)}; {verb} no part"


def require_expected_columns(present: Sequence[str], expected: Sequence[ExpectedColumn], *, place: str) -> None:
    """Refuse a table that lacks a column, with the name that was probably meant."""
    try:
        require_columns([column.name for column in expected], list(present), place=place)
    except ColumnError as error:
        if not error.fix.startswith("name one of its columns"):
            raise
        known = named([column.name for column in expected])
        fix = f"give rows with the columns that the model learnt from: {known}"
        raise ColumnError(error.what, fix, where=error.place) from None


def conform(
    table: Any, expected: Sequence[ExpectedColumn], *, before: int = 0
) -> tuple[Any, dict[str, Counter[str]], Counter[str]]:
    """The expected columns, with unseen categories and new gaps counted.

    Texts are read as numbers or truth values where training rows held those. Rows are counted from 1 in what is
    refused, and in the index; `before` is how many came in earlier pieces.
    """
    import pandas as pd

    made: dict[str, Any] = {}
    unseen: dict[str, Counter[str]] = {}
    gaps: Counter[str] = Counter()
    for column in expected:
        made[column.name] = values = _read(table[column.name], column)
        for bad, held, kind in _misfits(values.dropna(), column):
            if bad.any():
                first, count = bad.idxmax(), int(bad.sum())
                value = values[first].item() if isinstance(values[first], np.generic) else values[first]
                row = f"row {before + int(first) + 1:,} holds {value!r}"
                mend = "the value that is" if count == 1 else f"the {count:,} values that are"
                fix = f"mend {mend} no {kind}, or leave {'it' if count == 1 else 'them'} empty"
                raise ColumnError(f"column {column.name!r} held {held} in training, and {row}", fix)
        if column.kind == "categorical":
            texts = category_texts(values.dropna())
            if strange := Counter(texts[~texts.isin(column.categories)].tolist()):
                unseen[column.name] = strange
        absent = int(values.isna().sum())
        if absent and not column.gaps and column.kind != "text":
            gaps[column.name] = absent
    index = pd.RangeIndex(before + 1, before + 1 + len(table))
    return pd.DataFrame(made).set_axis(index), unseen, gaps


def _read(values: Any, column: ExpectedColumn) -> Any:
    """Texts as what training rows held; what cannot be read stays text."""
    import pandas as pd

    holds_text = pd.api.types.infer_dtype(values, skipna=True) in ("string", "mixed", "mixed-integer", "empty")
    if column.reading not in ("number", "truth") or not holds_text:
        return values
    entries = values.tolist()
    read = _plain_numbers(entries) if column.reading == "number" else None
    if read is None:
        read = [_entry(entry, column.reading) for entry in entries]
    plain = column.reading == "number" and all(entry is None or isinstance(entry, float) for entry in read)
    return pd.Series(read, index=values.index, name=values.name, dtype=np.float64 if plain else object)


def _plain_numbers(entries: list[Any]) -> list[Any] | None:
    """Numbers and gaps at once; None where something else is among them."""
    texts = ["nan" if entry is None else entry for entry in entries]
    try:
        return float_texts(texts)
    except (TypeError, ValueError):
        return None


def _entry(entry: Any, reading: Reading) -> Any:
    if not isinstance(entry, str):
        return None if entry != entry else entry  # noqa: PLR0124 - NaN
    if entry.strip() in ABSENT:
        return None
    if reading == "truth":
        return _TRUTH.get(entry.strip().lower(), entry)
    try:
        return float_texts([entry])[0]
    except ValueError:
        return entry


def _misfits(present: Any, column: ExpectedColumn) -> Iterator[tuple[Any, str, str]]:
    """Which values are wrong, what the column held, and what they are not."""
    import pandas as pd

    if column.kind in ("numerical", "boolean"):
        plain = present.dtype == np.float64
        numbers = present if plain else pd.to_numeric(present.astype(object), errors="coerce")
        yield numbers.isna(), "numbers", "number"
        yield numbers.isin((np.inf, -np.inf)), "finite numbers", "finite number"
        yield numbers.abs() > LARGEST, f"numbers up to {LARGEST:.2g}", "number that models can hold"
        if column.kind == "boolean":
            yield ~numbers.isin((0, 1)), "0 or 1 only", "0 or 1"
    elif column.kind == "ordinal":
        order = " < ".join(column.categories)
        yield ~category_texts(present).isin(column.categories), order, "category of that order"
    elif column.kind == "date":
        dates = pd.to_datetime(present.astype(str), errors="coerce", utc=True, format="ISO8601")
        yield dates.isna(), "dates", "ISO date such as 2024-12-31"
