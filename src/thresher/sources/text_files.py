"""CSV, TSV and JSON lines as Arrow batches of the types asked for.

Arrow parses; this module adds what Arrow does not say: the names of a header, the line of a mistake, and what would
crash Arrow or round a number.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np

from thresher._internal.json import nesting_beyond
from thresher._internal.optional import extra
from thresher.errors import ColumnError, EmptyError, ScoreError, SourceError, ThresherError
from thresher.inputs.arrow import ABSENT, BLANKS, MOST_DIGITS, rounded_texts
from thresher.ranking import EXACT_INTEGERS

SEPARATORS = {"csv": ",", "tsv": "\t"}
LONGEST_LINE = 1 << 29  # bytes of one JSON object
DEEPEST_NESTING = 500  # Arrow's reader crashes at about 100,000 levels
_CSV_BLOCK = 1 << 22
_JSON_BLOCK = 1 << 23
_HEADERS_PER_BLOCK = 16
_JSON_ROWS = 1 << 12
_RETURN = "holds a carriage return outside quotation marks"
_END = "\x03 end of file"  # a record by itself, unless a quotation mark is still open
_MARKS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}
_CONVERSION = re.compile(
    r"In CSV column #(\d+):(?: Row #(\d+):)? CSV conversion error to (\w+).*: invalid value '(.*)'", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of rows: its name, its format, and the partition values of its folders."""

    name: str
    format: str
    compression: str | None = None
    content: bytes | None = field(default=None, repr=False)
    partition: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def is_text(self) -> bool:
        """Whether its columns have no types."""
        return self.format in SEPARATORS

    def stream(self) -> Any:
        """The bytes as an Arrow stream, decompressed on the way."""
        arrow = extra("pyarrow", name="files")
        raw = self.name if self.content is None else arrow.BufferReader(self.content)
        return arrow.input_stream(raw, compression=self.compression)

    def begins(self, magic: bytes) -> bool:
        """Whether the first bytes are these."""
        with self.stream() as raw:
            return bool(raw.read(len(magic)) == magic)

    def lines(self) -> Iterator[bytes]:
        """The lines of a text, decompressed, each with its line break."""
        with self.stream() as raw:
            yield from io.BufferedReader(raw, buffer_size=1 << 20)


@contextmanager
def translate_errors(file: DataFile) -> Iterator[None]:
    """Turn what Arrow and the operating system raise about a file into `SourceError`."""
    arrow = extra("pyarrow", name="files")
    try:
        yield
    except ThresherError:
        raise
    except MemoryError as error:  # of Arrow, too, as when a damaged file says that it is huge
        what = f"there is not enough memory to read {file.name}{f' ({error})' if str(error) else ''}"
        raise SourceError(what, "check that the file is complete, or read fewer rows or columns at once") from None
    except (OSError, EOFError, OverflowError, UnicodeError, arrow.ArrowException) as error:
        kind = f" as {file.format}" if file.format else ""
        message = (getattr(error, "strerror", None) or str(error)).strip().partition("\n")[0]
        raise SourceError(
            f"{file.name} cannot be read{kind}: {message}",
            "check that the file is complete, is what its name says, and may be read by you",
        ) from None


def header(file: DataFile) -> list[str]:
    """The names in the first line of a CSV file that is not empty."""
    first = next((record for _, record in _records(file) if record), None)
    if first is None:
        raise EmptyError(f"{file.name} is empty", "give a line of column names, and rows below it")
    return first


def text_batches(file: DataFile, types: Mapping[str, Any]) -> Iterator[Any]:
    """Batches of the columns of a CSV or JSON-lines file that `types` names.

    Refuses numbers that Arrow would round.
    """
    floats = [name for name, kind in types.items() if str(kind) == "double"]
    for batch in csv_batches(file, types) if file.is_text else json_batches(file, types):
        for name in list(floats):
            if (np.abs(batch[name].to_numpy(zero_copy_only=False)) >= EXACT_INTEGERS).any():  # and is perhaps rounded
                require_unrounded(file, name)
                floats.remove(name)
        yield batch


def csv_batches(file: DataFile, types: Mapping[str, Any]) -> Iterator[Any]:
    """Batches of the columns of a CSV file that `types` names; no text is missing."""
    arrow, arrow_csv = extra("pyarrow", name="files"), extra("pyarrow.csv", name="files")
    names = header(file)
    width = sum(map(len, names)) + len(names)
    options = {
        "read_options": arrow_csv.ReadOptions(block_size=max(_CSV_BLOCK, _HEADERS_PER_BLOCK * width)),
        "parse_options": arrow_csv.ParseOptions(delimiter=SEPARATORS[file.format], newlines_in_values=True),
        "convert_options": arrow_csv.ConvertOptions(
            include_columns=list(types), column_types=dict(types), null_values=list(ABSENT)
        ),
    }
    with translate_errors(file), file.stream() as raw:
        counter = _QuoteCounter(raw)
        try:
            yield from arrow_csv.open_csv(arrow.PythonFile(counter, mode="r"), **options)
        except arrow.ArrowInvalid as error:
            _explain(file)
            _explain_conversion(file, str(error), names)
            if "Empty CSV" not in str(error):  # a line of names that does not end in a line break
                raise
    if counter.quotes % 2:
        _explain(file)


class _QuoteCounter(io.RawIOBase):
    """Bytes for the parser; an odd number of quotation marks may swallow rows."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.quotes = 0

    def read(self, size: int = -1) -> bytes:
        piece: bytes = self.raw.read(size if size >= 0 else None)
        self.quotes += piece.count(b'"')
        return piece

    def readable(self) -> bool:
        return True


def _explain_conversion(file: DataFile, message: str, names: Sequence[str]) -> None:
    """Raise an error with the value that does not fit its column, if Arrow names it."""
    if (parts := _CONVERSION.search(message)) is None:
        return
    column, row, kind, value = parts.groups()
    shown = value if len(value) <= 60 else f"{value[:60]}…"
    # Arrow counts lines in one thread only.
    line = row or next((at for at, record in _records(file) if record[int(column) :][:1] == [value]), None)
    at = "" if line is None else f" (line {int(line):,})"
    wanted = "a number" if kind == "double" else f"of type {kind}"
    raise (ScoreError if kind == "double" else ColumnError)(
        f"the column {names[int(column)]!r} of {file.name} holds {shown!r}{at}, which is not {wanted}",
        "check that labels and scores are not swapped, and write missing values as an empty field or NA",
    )


def _explain(file: DataFile) -> None:
    """Read a file that gave trouble once more, slowly, to name the line."""
    width = 0
    for line, record in _records(file):
        width = width or len(record)
        if record and len(record) != width:
            fields = "field" if len(record) == 1 else "fields"
            raise _malformed(file, line, f"has {len(record)} {fields}, and the line of names has {width}")


def _records(file: DataFile) -> Iterator[tuple[int, list[str]]]:
    """Records with the number of the line each starts at."""
    with translate_errors(file):
        rows = csv.reader(_lines(file), delimiter=SEPARATORS[file.format])
        start = 1
        try:
            for record in rows:
                if record and record[-1].endswith(_END):
                    if record != [_END]:
                        raise _malformed(file, start, "opens a quotation mark that nothing closes")
                    return
                yield start, record
                start = rows.line_num + 1
        except csv.Error as error:  # the only things that Python's reader refuses here
            long = "field limit" in str(error)
            what = f"holds a field of more than {csv.field_size_limit():,} signs" if long else _RETURN
            raise _malformed(file, start, what) from None


def _malformed(file: DataFile, line: int, what: str) -> SourceError:
    return SourceError(
        f"line {line:,} of {file.name} {what}",
        "mend that line; a field that holds a separator, a quotation mark or a line break is quoted",
    )


def _lines(file: DataFile) -> Iterator[str]:
    """Decoded lines; the first byte that is not UTF-8 is an error with its position."""
    position = 0
    for number, line in enumerate(file.lines(), start=1):
        if number == 1 and line[:2] in _MARKS:
            raise _not_utf8(file, 0, 1, _MARKS[line[:2]])
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise _not_utf8(file, position + error.start, number, "another encoding") from None
        position += len(line)
        yield text if text.endswith("\n") else text + "\n"
    yield _END


def _not_utf8(file: DataFile, position: int, line: int, encoding: str) -> SourceError:
    what = f"{file.name} is not UTF-8: byte {position:,} (in line {line:,}) belongs to {encoding}"
    return SourceError(what, "save it as UTF-8")


def json_types(file: DataFile) -> dict[str, Any]:
    """The types of the keys in the first block of a JSON-lines file; texts stay texts."""
    arrow, arrow_json = extra("pyarrow", name="files"), extra("pyarrow.json", name="files")
    kinds = {bool: arrow.bool_, int: arrow.int64, float: arrow.float64}
    block = _json_block(file)
    with translate_errors(file), file.stream() as raw:
        try:
            schema = arrow_json.open_json(raw, read_options=arrow_json.ReadOptions(block_size=block)).schema
        except (arrow.ArrowInvalid, UnicodeDecodeError):
            # Python's parser says what is wrong, and where; it reads some values that Arrow's does not.
            rows = islice(json_objects(file), _JSON_ROWS)
            values = {name: value for _, pairs in rows for name, value in pairs.items()}
            return {name: kinds.get(type(value), arrow.string)() for name, value in values.items()}
    return {column.name: arrow.string() if arrow.types.is_temporal(column.type) else column.type for column in schema}


def json_batches(file: DataFile, types: Mapping[str, Any]) -> Iterator[Any]:
    """Batches of the keys of a JSON-lines file that `types` names.

    A key that a line lacks is missing there. Where Arrow's parser stops, e.g. at the NaN that Python writes, Python's
    goes on.
    """
    arrow, arrow_json = extra("pyarrow", name="files"), extra("pyarrow.json", name="files")
    schema, rows = arrow.schema(list(types.items())), 0
    options = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    reading = arrow_json.ReadOptions(block_size=_json_block(file))
    with translate_errors(file), file.stream() as raw:
        try:
            for batch in arrow_json.open_json(raw, reading, options):
                yield batch
                rows += batch.num_rows
        except (arrow.ArrowInvalid, UnicodeDecodeError):
            objects = islice(json_objects(file), rows, None)
            while part := list(islice(objects, _JSON_ROWS)):
                columns = [_json_column(file, part, column) for column in schema]
                yield arrow.record_batch(columns, schema=schema)


def _json_column(file: DataFile, objects: Sequence[tuple[int, dict[str, Any]]], column: Any) -> Any:
    arrow, name = extra("pyarrow", name="files"), column.name
    integers = arrow.types.is_integer(column.type)
    for number, pairs in objects:
        value = pairs.get(name)
        with suppress(arrow.ArrowInvalid, arrow.ArrowTypeError, OverflowError):
            arrow.scalar(value, column.type)
            if not (integers and isinstance(value, float)):  # which Arrow would cut off
                continue
        if isinstance(value, int | Decimal):
            require_unrounded(file, name)
        what = f"line {number:,} of {file.name} holds {value!r} as {name!r}, and lines before hold {column.type}"
        raise ColumnError(what, "use one type")
    return arrow.array([pairs.get(name) for _, pairs in objects], column.type)


def _json_block(file: DataFile) -> int:
    """How many bytes Arrow's reader needs at once; refuses what would crash it.

    A block holds at least one line. A line of n opening brackets is nested at most n deep, so that lines with few
    brackets need not be parsed.
    """
    longest, rest, before = 0, b"", 0
    with translate_errors(file), file.stream() as raw:
        while piece := raw.read(_JSON_BLOCK >> 1):
            lines = piece.count(b"\n")
            rest += piece
            if not lines and len(rest) <= LONGEST_LINE:
                continue
            longest = max(longest, len(rest))
            if len(rest) > LONGEST_LINE:
                what = f"line {before + 1:,} of {file.name} has more than {LONGEST_LINE >> 20:,} MiB"
                raise SourceError(what, "give one JSON object per line, and leave out what is not read")
            if rest.count(b"{") + rest.count(b"[") - lines > DEEPEST_NESTING:
                _require_flat(rest, file, before)
            before += lines
            rest = rest[rest.rfind(b"\n") + 1 :]
        _require_flat(rest, file, before)
    return max(_JSON_BLOCK, longest + len(rest))


def _require_flat(lines: bytes, file: DataFile, before: int) -> None:
    for number, line in enumerate(lines.split(b"\n"), start=before + 1):
        for part in line.splitlines():  # Arrow ends a line at a carriage return, too
            if (place := nesting_beyond(part, DEEPEST_NESTING)) is not None:
                what = f"line {number:,} of {file.name} is nested more than {DEEPEST_NESTING:,} levels deep"
                raise SourceError(f"{what}, from byte {place + 1:,} on", "leave it out of the rows")


def json_objects(file: DataFile) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects by Python's parser, with the numbers of their lines."""
    empty = True
    with translate_errors(file):
        for number, line in enumerate(file.lines(), start=1):
            if line.strip():
                empty = False
                yield number, _parse_line(line, number, file)
    if empty:
        raise EmptyError(f"{file.name} is empty", "give one JSON object per line")


def _parse_line(line: bytes, number: int, file: DataFile) -> dict[str, Any]:
    try:
        value = _DECODER.decode(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        what = "" if isinstance(value, dict) else f"holds a {type(value).__name__}, not a JSON object"
    except ValueError as error:  # not UTF-8, not JSON, or a key that occurs twice
        what = f"is not a JSON object: {error}"
    if what:
        raise SourceError(f"line {number:,} of {file.name} {what}", "give one JSON object per line, in UTF-8")
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} occurs twice")
    return dict(pairs)


def _real(text: str) -> float | Decimal:
    """A number as a float, unless it is too large for one and would become infinite."""
    value = float(text)
    return value if math.isfinite(value) else Decimal(text)


def _integer(text: str) -> int | Decimal:
    """An integer, also of more digits than Python reads."""
    return int(text) if len(text) <= MOST_DIGITS else Decimal(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_float=_real, parse_int=_integer)


def _fits(number: int | Decimal) -> bool:
    """Whether a float64 holds a number exactly."""
    try:
        return number == float(number)
    except OverflowError:
        return False


def require_unrounded(file: DataFile, name: str) -> None:
    """Raise `ScoreError` if a float64 does not hold the numbers of a column."""
    if file.format == "jsonl":
        values = [pairs.get(name) for _, pairs in json_objects(file)]
        rows, lost = len(values), [each for each in values if isinstance(each, int | Decimal) and not _fits(each)]
    else:
        rows, lost = 0, []
        arrow, compute = extra("pyarrow", name="files"), extra("pyarrow.compute", name="files")
        for batch in csv_batches(file, {name: arrow.string()}):
            rows += batch.num_rows
            texts = compute.utf8_trim(batch.column(0), BLANKS)
            texts = texts.filter(compute.invert(compute.is_in(texts, value_set=arrow.array(ABSENT))))
            floats = texts.cast(arrow.float64()).to_numpy(zero_copy_only=False)
            lost += rounded_texts(floats, texts).values()
    if lost:
        what = f"{len(lost):,} of {rows:,} numbers in column {name!r} of {file.name} do not fit a float64 exactly"
        raise ScoreError(f"{what}, first {lost[0]}", "subtract an offset so that they do, or round them yourself")
