"""What a model expects of the columns of new rows: their names, how they are read, and the categories it knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from thresher.learning.category_columns import category_texts
from thresher.learning.column_types import ColumnTypes, Kind
from thresher.plain_data import fields, flag, items, one_of, text
from thresher.ranking import Indices

Reading: TypeAlias = Literal["number", "truth", "date", "text"]

_READINGS: Mapping[str, Reading] = {
    "boolean": "truth",
    "integer": "number",
    "floating": "number",
    "mixed-integer-float": "number",
    "decimal": "number",
    "datetime": "date",
    "datetime64": "date",
    "date": "date",
}


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
        found = fields(data, {"name": text, **kinds, "gaps": flag, "categories": items(text)})
        return cls(**found | {"categories": tuple(found["categories"])})


def expected_columns(table: Any, columns: ColumnTypes, rows: Indices) -> tuple[ExpectedColumn, ...]:
    """What these training rows of a frame taught about each column that is used.

    >>> from thresher.learning import column_types, frame
    >>> table = frame({"age": [31, None, 25], "town": ["Oslo", "Rome", "Oslo"]})
    >>> for column in expected_columns(table, column_types(table), rows=[0, 1]):
    ...     print(column.name, column.kind, column.reading, column.gaps, column.categories)
    age numerical number True ()
    town categorical text False ('Oslo', 'Rome')
    """
    return tuple(_expected(table[name].iloc[rows], columns[name].kind, columns[name].order) for name in columns.used)


def _expected(values: Any, kind: Kind, order: tuple[str, ...]) -> ExpectedColumn:
    known = tuple(dict.fromkeys(category_texts(values.dropna()))) if kind == "categorical" else order
    return ExpectedColumn(str(values.name), kind, _reading(values), bool(values.isna().any()), known)


def _reading(values: Any) -> Reading:
    import pandas as pd

    plain = values.astype(values.dtype.categories.dtype) if isinstance(values.dtype, pd.CategoricalDtype) else values
    return _READINGS.get(pd.api.types.infer_dtype(plain, skipna=True), "text")
