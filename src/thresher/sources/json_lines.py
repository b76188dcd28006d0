"""JSON lines: one object per line; a key that a line does not have is missing there.

Arrow's parser reads the usual file. It guesses types from the first block, makes dates of texts and rounds integers
that stand among floats; wherever that would change a value, or nothing fits, Python's parser reads the file instead.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from thresher._internal.optional import extra
from thresher.errors import EmptyError, SourceError
from thresher.inputs.columns import column
from thresher.sources.data_file import DataFile, reading

BLOCK = 1 << 23
_EXACT_IN_FLOAT64 = 2**53


def names_in(file: DataFile, wanted: Collection[str] | None) -> list[str]:
    """Keys in order of appearance: of the first lines when those have all that is wanted, else of all lines."""
    first = first_schema(file)
    if first is not None and wanted is not None and set(wanted) <= set(first.names):
        return list(first.names)
    names: dict[str, None] = {}
    for _, pairs in parsed(file):
        names.update(dict.fromkeys(pairs))
    return list(names)


def columns_in(file: DataFile, names: Sequence[str]) -> dict[str, Any]:
    """The wanted keys as columns of pyarrow or, where Arrow would change a value, of NumPy."""
    table = _table(file, names)
    if table is not None and not any(rounded(table[name]) for name in names):
        return {name: table[name] for name in names}
    values: dict[str, list[Any]] = {name: [] for name in names}
    for _, pairs in parsed(file):
        for name, entries in values.items():
            entries.append(pairs.get(name))
    return {name: column(entries, name=name) for name, entries in values.items()}


def types_to_try(kinds: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The types of a first block with texts left texts, and the same with floats for integers."""
    import pyarrow as pa

    plain = {name: pa.string() if pa.types.is_temporal(kind) else kind for name, kind in kinds.items()}
    wider = {name: pa.float64() if pa.types.is_integer(kind) else kind for name, kind in plain.items()}
    return plain, wider


def first_schema(file: DataFile) -> Any:
    """The columns of the first block; None where Arrow cannot make sense of it."""
    arrow = extra("pyarrow", name="files")
    arrow_json = extra("pyarrow.json", name="files")
    with reading(file), file.opened() as raw:
        try:
            options = arrow_json.ReadOptions(block_size=BLOCK)
            return arrow_json.open_json(raw, read_options=options).schema
        except (arrow.ArrowInvalid, UnicodeDecodeError):
            return None


def _table(file: DataFile, names: Sequence[str]) -> Any:
    """The wanted columns by Arrow's parser; None where the types of the first block do not hold to the end."""
    arrow = extra("pyarrow", name="files")
    arrow_json = extra("pyarrow.json", name="files")
    schema = first_schema(file)
    if schema is None or not set(names) <= set(schema.names):
        return None
    kinds = {name: schema.field(name).type for name in names}
    if any(arrow.types.is_null(kind) or arrow.types.is_nested(kind) for kind in kinds.values()):
        return None
    for tried in types_to_try(kinds):
        options = arrow_json.ParseOptions(
            explicit_schema=arrow.schema(list(tried.items())), unexpected_field_behavior="ignore"
        )
        with (
            reading(file),
            file.opened() as raw,
            contextlib.suppress(arrow.ArrowInvalid, UnicodeDecodeError),
        ):
            return arrow_json.read_json(raw, arrow_json.ReadOptions(block_size=BLOCK), options)
    return None


def rounded(values: Any) -> bool:
    """Whether Arrow may have rounded an integer that stands among floats."""
    if str(values.type) != "double":
        return False
    pieces = (chunk.to_numpy(zero_copy_only=False) for chunk in getattr(values, "chunks", [values]))
    return any(bool((np.abs(piece) >= _EXACT_IN_FLOAT64).any()) for piece in pieces)


def parsed(file: DataFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects by Python's parser, with their line numbers: slow and exact."""
    empty = True
    with reading(file):
        for number, line in enumerate(file.lines(), start=1):
            if line.strip():
                empty = False
                yield number, _parsed_line(line, number, file)
    if empty:
        raise EmptyError(f"{file.name} is empty", "give one JSON object per line")


def _parsed_line(line: bytes, number: int, file: DataFile) -> dict[str, Any]:
    try:
        value = _DECODER.decode(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except ValueError as error:  # what is no UTF-8, no JSON, or has a key twice
        raise _malformed(f"line {number:,} of {file.name} is not a JSON object: {error}") from None
    if not isinstance(value, dict):
        raise _malformed(f"line {number:,} of {file.name} holds a {type(value).__name__}, not a JSON object")
    return value


def _malformed(what: str) -> SourceError:
    return SourceError(what, "give one JSON object per line, in UTF-8")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return value


def _real(text: str) -> float | Decimal:
    """A number as a float, unless it is too large for one and would become infinite."""
    value = float(text)
    return value if math.isfinite(value) else Decimal(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_float=_real)
