"""What the columns of a table are: found by looking, shown as a table, and overruled on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, get_args

from thresher.errors import ArgumentError, MissingValueError
from thresher.evaluation.summary import text_table
from thresher.learning.arguments import is_one_of, require_kind
from thresher.learning.column_looks import MOST_CATEGORIES, Look, declared, looked_at
from thresher.learning.frames import column_of, frame
from thresher.results import Result, Tabular, rows_of

Kind: TypeAlias = Literal[
    "numerical", "boolean", "categorical", "ordinal", "text", "date", "identifier", "constant", "ignored"
]
USED: tuple[Kind, ...] = ("numerical", "boolean", "categorical", "ordinal", "text", "date")


@dataclass(frozen=True, slots=True, repr=False)
class ColumnType(Result):
    """One column: what it is, why that was thought, and how many values it has and lacks."""

    name: str
    kind: Kind
    reason: str
    rows: int
    distinct: int
    missing: int
    example: str
    order: tuple[str, ...] = ()

    @property
    def used(self) -> bool:
        """Whether a model may learn from it; identifiers and constants teach nothing that holds for other rows."""
        return self.kind in USED


@dataclass(frozen=True, slots=True, repr=False)
class ColumnTypes(Tabular):
    """The columns of a table in order, the target left out; prints as a table."""

    columns: tuple[ColumnType, ...]
    target: str | None = None

    def named(self, *kinds: Kind) -> list[str]:
        """Names of the columns of these kinds.

        >>> column_types({"age": [31, 25, 40], "town": ["Oslo", "Rome", "Oslo"]}).named("categorical")
        ['town']
        """
        return [column.name for column in self.columns if column.kind in kinds]

    @property
    def used(self) -> list[str]:
        """Names of the columns that a model may learn from."""
        return self.named(*USED)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for a file."""
        return {"target": self.target, "columns": [asdict(column) | {"order": list(column.order)} for column in self]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ColumnTypes:
        """The column types that `to_dict` wrote."""
        return cls(tuple(ColumnType(**c | {"order": tuple(c["order"])}) for c in data["columns"]), data["target"])

    def __getitem__(self, name: str) -> ColumnType:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __iter__(self) -> Iterator[ColumnType]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def _brief(self) -> str:
        kinds = Counter(column.kind for column in self.columns)
        return f"{len(self):,} columns: {', '.join(f'{count:,} {kind}' for kind, count in kinds.items())}"

    def _columns(self) -> Mapping[str, Any]:
        shown = ("name", "kind", "rows", "distinct", "missing", "example", "reason")
        return rows_of([{name: getattr(column, name) for name in shown} for column in self.columns])

    def __str__(self) -> str:
        head = ["column", "kind", "distinct", "missing", "example", "why"]
        lines = [
            [c.name, c.kind, f"{c.distinct:,}", f"{c.missing:,}" if c.missing else "", c.example, c.reason]
            for c in self.columns
        ]
        # The table aligns right, and words read better from the left.
        for i in (1, 4, 5):
            width = max(len(line[i]) for line in [head, *lines])
            for line in [head, *lines]:
                line[i] = line[i].ljust(width)
        return text_table([head, *lines])


def column_types(
    data: Any,
    *,
    target: str | None = None,
    types: Mapping[str, Kind] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    most_categories: int = MOST_CATEGORIES,
) -> ColumnTypes:
    """What each column of a table is, `types` overruling what is found and `orders` declaring ordinal columns.

    Nothing is converted here, and a doubtful column is refused, not guessed at: one that is wholly missing, that mixes
    kinds of values, that has words among its numbers, or that has more than `most_categories` categories.

    >>> table = {"id": list(range(1, 31)), "size": ["S", "M", "L"] * 10, "age": [31.5, 25, None] * 10}
    >>> print(column_types(table, orders={"size": ["S", "M", "L"]}))
    column  kind        distinct  missing  example  why
    id      identifier        30           1        a whole number of its own in every row
    size    ordinal            3           S        order declared: S < M < L
    age     numerical          2       10  31.5     numbers
    """
    table = frame(data)
    for given, name, example in ((types, "types", '"age": "numerical"'), (orders, "orders", '"size": ["S", "M", "L"]')):
        if given is not None:
            require_kind(given, Mapping, name=name, fix=f"give e.g. {name}={{{example}}}")
    for name, order in (orders or {}).items():
        if isinstance(order, str) or not isinstance(order, Iterable):
            raise ArgumentError(f"the order of {name!r} is no list: {order!r}", "give categories, lowest first")
    types, declared_orders = dict(types or {}), {name: tuple(order) for name, order in (orders or {}).items()}
    if target is not None:
        column_of(table, target)
    for name in {**types, **declared_orders}:
        column_of(table, name)
        if not is_one_of(types.get(name, "ordinal"), get_args(Kind)):
            raise ArgumentError(f"there is no kind {types[name]!r}", f"use one of {', '.join(get_args(Kind))}")
    found = [
        _column_type(table[name], types.get(name), declared_orders.get(name, ()), most_categories)
        for name in table.columns
        if name != target
    ]
    return ColumnTypes(tuple(found), target)


def _column_type(values: Any, kind: Kind | None, order: tuple[Any, ...], most: int) -> ColumnType:
    name, rows = str(values.name), len(values)
    present = values.dropna()
    if kind == "ignored":
        return ColumnType(name, "ignored", "left out on request", rows, 0, rows - len(present), "")
    if not len(present):
        raise MissingValueError(
            f"column {name!r} has no values: all {rows:,} rows are missing",
            f"fill it, or leave it out with types={{{name!r}: 'ignored'}}",
        )
    if kind is None and order:
        kind = "ordinal"
    look = looked_at(values, present, most=most) if kind is None else declared(present, kind, order)
    return _told(look, name, rows, present)


def _told(look: Look, name: str, rows: int, present: Any) -> ColumnType:
    first = present.iloc[0]
    example = f"{first:.6g}" if isinstance(first, float) else " ".join(str(first).removesuffix(" 00:00:00").split())
    shown = example if len(example) <= 24 else example[:23] + "…"
    distinct = int(present.astype(str).nunique() if present.dtype == object else present.nunique())
    return ColumnType(name, look.kind, look.reason, rows, distinct, rows - len(present), shown, look.order)
