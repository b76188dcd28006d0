"""What every result offers: one line, a notebook table, a frame, no changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from importlib.util import find_spec
from numbers import Integral, Real
from typing import Any, Literal, NoReturn, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import require_one_of
from thresher._internal.optional import extra
from thresher._internal.text import visible
from thresher.errors import MissingExtraError

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
MOST_SIGNS = 200
_MOST_OF_A_FIELD = 60


class Result:
    """A value with a short `repr`, and a small piece of HTML for notebooks.

    `_brief` is what stands in the brackets of `repr`: the plain fields, unless a class says it better.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shorten(self._brief())})"

    def _brief(self) -> str:
        return ", ".join(_plain_fields(self))

    def _repr_html_(self) -> str | None:
        from thresher.report.notebook import result_html

        return result_html(self)


class Tabular(Result):
    """A result with rows: `_columns`, by default every field that is a column."""

    __slots__ = ()

    def _columns(self) -> Mapping[str, Any]:
        return {name: value for name, value in _fields(self) if isinstance(value, np.ndarray) and value.ndim == 1}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """The rows as a frame of this library, or of the first that is installed."""
        return frame_of(self._columns(), backend)


def frame_of(columns: Mapping[str, Any], backend: Backend | None = None) -> Any:
    """A data frame of these columns; needs the extra `frames` and the frame's library."""
    if backend is not None:
        require_one_of(backend, get_args(Backend), name="backend", fix='give "pandas", "polars" or "pyarrow"')
    narwhals = extra("narwhals", name="frames")
    wanted = get_args(Backend) if backend is None else (backend,)
    package = next((name for name in wanted if find_spec(name) is not None), None)
    if package is None:
        what = f"this needs the package {' or '.join(wanted)}, which is not installed"
        raise MissingExtraError(what, f"pip install {wanted[0]}")
    return narwhals.from_dict({name: _values(column) for name, column in columns.items()}, backend=package).to_native()


def rows_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows with the same names as columns.

    >>> rows_of([{"a": 1, "b": 2}, {"a": 3, "b": 4}])
    {'a': [1, 3], 'b': [2, 4]}
    """
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def shorten(text: str, most: int = MOST_SIGNS) -> str:
    r"""One visible line of at most so many signs: of a long one, both ends.

    >>> shorten("a\nb"), shorten("abcdefghij", 7)
    ('a␊b', 'abcd…ij')
    """
    line = visible(text)
    if len(line) <= most:
        return line
    end = (most - 1) // 3
    return f"{line[: most - 1 - end]}…{line[-end:]}"


def _values(column: Any) -> Any:
    """A column that every library takes: of one type, so what is mixed becomes text."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biufmMU":
        return column
    values = [value.item() if isinstance(value, np.generic) else value for value in column]
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} and kinds:
        integers = kinds == {int} and None not in values and all(abs(value) < 2**63 for value in values)
        return np.array(values, dtype=np.int64 if integers else np.float64)
    if len(kinds) <= 1 and all(issubclass(kind, bool | str | date) for kind in kinds):
        return values
    return [None if value is None else str(value) for value in values]


def _fields(result: Any) -> list[tuple[str, Any]]:
    names = [part.name for part in fields(result)] if is_dataclass(result) else result._fields
    return [(name, getattr(result, name)) for name in names if not name.startswith("_")]


def _plain_fields(result: Any) -> list[str]:
    """Fields in short: numbers to six digits, columns and collections by their size."""
    shown, counted = [], False
    for name, value in _fields(result):
        pair = isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, Real) for part in value)
        if isinstance(value, np.ndarray):
            shown += [] if counted else [f"{value.shape[0]:,} rows" if value.ndim else str(value)]
            counted = True
        elif isinstance(value, Mapping | tuple) and not pair:
            words = name.replace("_", " ")
            shown += [f"{len(value):,} {words if len(value) > 1 else words.removesuffix('s')}"] if value else []
        elif value is not None and not (isinstance(value, str) and not value):
            shown.append(f"{name}={_in_short(value)}")
    return shown


def _in_short(value: Any) -> str:
    if isinstance(value, bool | np.bool_ | Integral):
        return str(value)
    if isinstance(value, Real):
        return f"{float(value):.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_in_short, value))})"
    if isinstance(value, str):
        return repr(shorten(value, _MOST_OF_A_FIELD))
    if not isinstance(value, Result):
        return type(value).__name__
    return shorten(repr(value) if "\n" in str(value) else str(value), _MOST_OF_A_FIELD)


class ReadOnly(dict[Any, Any]):
    """A dictionary that refuses changes, as do the mappings in it."""

    __slots__ = ()

    def __init__(self, items: Mapping[Any, Any]) -> None:
        super().__init__({name: read_only(value) for name, value in items.items()})

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError("a result does not change; change dict(...) of it")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type, tuple[dict[Any, Any]]]:
        return ReadOnly, (dict(self),)


class ReadOnlyFields:
    """A frozen dataclass whose mappings refuse changes too."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for part in fields(self):  # type: ignore[arg-type]
            object.__setattr__(self, part.name, read_only(getattr(self, part.name)))


def read_only(value: Any) -> Any:
    """A mapping as one that refuses changes; anything else as it is."""
    return ReadOnly(value) if isinstance(value, Mapping) else value
