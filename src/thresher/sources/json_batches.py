"""JSON lines that do not fit in memory, batch by batch: types are learned in a first pass that reads all lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any

from thresher._internal.optional import extra
from thresher.errors import ColumnError, ThresherError
from thresher.sources.data_file import DataFile, reading
from thresher.sources.json_lines import BLOCK, first_schema, parsed, rounded, types_to_try
from thresher.sources.progress import RowCount
from thresher.sources.text_kinds import unfit_entries

_ROWS = 1 << 15


@dataclass(frozen=True, slots=True)
class JsonKinds:
    """The Arrow type of each key, the error that using one raises, and whether Arrow's parser reads the file."""

    types: Mapping[str, Any]
    refused: Mapping[str, ThresherError]
    by_arrow: bool


def kinds_in(file: DataFile, seen: RowCount) -> JsonKinds:
    """What each key holds: by Arrow's parser where that changes no value, else by Python's; rows add to those seen."""
    before = seen.rows
    arrow = extra("pyarrow", name="files")
    schema = first_schema(file)
    if schema is not None and not any(arrow.types.is_null(kind) for kind in schema.types):
        for tried in types_to_try(dict(zip(schema.names, schema.types, strict=True))):
            if _holds(file, tried, seen):
                return JsonKinds(tried, {}, by_arrow=True)
            seen.rows = before
    return _by_python(file, seen)


def batches_in(file: DataFile, kinds: JsonKinds, names: Sequence[str]) -> Iterator[Any]:
    """The wanted keys of a file, batch by batch."""
    arrow = extra("pyarrow", name="files")
    types = {name: kinds.types[name] for name in names}
    if kinds.by_arrow:
        yield from _by_arrow(file, types, "ignore")
        return
    rows = (pairs for _, pairs in parsed(file))
    while piece := list(islice(rows, _ROWS)):
        columns = [_array([pairs.get(name) for pairs in piece], kind) for name, kind in types.items()]
        yield arrow.record_batch(columns, names=list(types))


def _by_arrow(file: DataFile, types: Mapping[str, Any], unexpected: str) -> Iterator[Any]:
    arrow = extra("pyarrow", name="files")
    arrow_json = extra("pyarrow.json", name="files")
    options = arrow_json.ParseOptions(
        explicit_schema=arrow.schema(list(types.items())), unexpected_field_behavior=unexpected
    )
    with reading(file), file.opened() as raw:
        yield from arrow_json.open_json(raw, arrow_json.ReadOptions(block_size=BLOCK), options)


def _holds(file: DataFile, types: Mapping[str, Any], seen: RowCount) -> bool:
    """Whether Arrow's parser reads all lines as these types, without another key and without rounding."""
    try:
        for batch in _by_arrow(file, types, "error"):
            if any(rounded(column) for column in batch.columns):
                return False
            seen.rows += batch.num_rows
    except (ThresherError, UnicodeDecodeError):
        return False  # Python's parser says what is wrong, if anything is
    return True


def _by_python(file: DataFile, seen: RowCount) -> JsonKinds:
    keys: dict[str, _Seen] = {}
    before = seen.rows
    for _, pairs in parsed(file):
        seen.rows += 1
        for name, value in pairs.items():
            if value is not None:
                keys.setdefault(name, _Seen()).see(value)
            elif name not in keys:
                keys[name] = _Seen()
    rows = seen.rows - before
    types = {name: each.type for name, each in keys.items()}
    refused = {name: error for name, each in keys.items() if (error := each.refusal(name, rows)) is not None}
    return JsonKinds(types, refused, by_arrow=False)


@dataclass(slots=True)
class _Seen:
    """What the values of a key are: their types, the range of whole numbers, and those that no float64 holds."""

    kinds: set[type] = field(default_factory=set)
    low: int = 0
    high: int = 0
    unfit: int = 0
    first: str = ""

    def see(self, value: Any) -> None:
        self.kinds.add(float if isinstance(value, Decimal) else type(value))
        if isinstance(value, Decimal):
            self.first = self.first or str(value)
            self.unfit += 1
        elif type(value) is int:
            self.low, self.high = min(self.low, value), max(self.high, value)
            if abs(value) > 2**53 and not _fits(value):
                self.first = self.first or str(value)
                self.unfit += 1

    @property
    def type(self) -> Any:
        import pyarrow as pa

        if not self.kinds:
            return pa.null()
        if self.kinds == {str}:
            return pa.string()
        if self.kinds == {bool}:
            return pa.bool_()
        if self.kinds <= {bool, int} and self.low >= -(2**63) and self.high < 2**63:
            return pa.int64()
        if self.kinds <= {bool, int} and self.low >= 0 and self.high < 2**64:
            return pa.uint64()
        return pa.float64()

    def refusal(self, name: str, rows: int) -> ThresherError | None:
        """The error that using the key raises, if any."""
        if str(self.type) != "double":
            return None
        if self.kinds <= {bool, int, float}:
            return unfit_entries(name, self.unfit, rows, self.first) if self.unfit else None
        told = " and ".join(sorted(kind.__name__ for kind in self.kinds))
        return ColumnError(f"the column {name!r} holds {told}", "give it plain values of one type")


def _fits(value: int) -> bool:
    try:
        return float(value) == value
    except OverflowError:
        return False


def _array(values: list[Any], kind: Any) -> Any:
    import pyarrow as pa

    made = {"double": float, "int64": int, "uint64": int}.get(str(kind))
    return pa.array(values if made is None else [None if v is None else made(v) for v in values], kind)
