"""CSV and TSV: UTF-8, a line of names, a decimal point, and every row as long as the first."""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from thresher._internal.optional import extra
from thresher.errors import EmptyError, SourceError
from thresher.sources.data_file import DataFile, reading

SEPARATORS = {"csv": ",", "tsv": "\t"}
_BLOCK = 1 << 22
_END = "\x03 end of file"  # a record of its own, unless a quotation mark is still open
_MARKS = {codecs.BOM_UTF16_LE: "UTF-16", codecs.BOM_UTF16_BE: "UTF-16"}


def names_in(file: DataFile, wanted: Collection[str] | None) -> list[str]:
    """The names in the first line that is not empty."""
    del wanted  # names stand in the first line, whichever are wanted
    first = next((record for _, record in _records(file) if record), None)
    if first is None:
        raise EmptyError(f"{file.name} is empty", "give a line of column names, and rows below it")
    return first


def columns_in(file: DataFile, names: Sequence[str]) -> dict[str, Any]:
    """The wanted columns as pyarrow columns of text, missing where a field is empty."""
    arrow = extra("pyarrow", name="files")
    arrow_csv = extra("pyarrow.csv", name="files")
    with _parsed(file, names) as (raw, options):
        table = arrow_csv.read_csv(raw, **options)
        return {name: table[name] for name in names}
    return {name: arrow.chunked_array([], type=arrow.string()) for name in names}


def batches_in(file: DataFile, names: Sequence[str]) -> Iterator[Any]:
    """The same columns, batch by batch, for files that do not fit in memory."""
    arrow_csv = extra("pyarrow.csv", name="files")
    with _parsed(file, names) as (raw, options):
        yield from arrow_csv.open_csv(raw, **options)


@contextmanager
def _parsed(file: DataFile, names: Sequence[str]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The bytes for Arrow's parser, and its options; what it trips over is told with its line.

    Names without rows below them trip it too, and are passed over.
    """
    arrow = extra("pyarrow", name="files")
    with reading(file), file.opened() as raw:
        counted = _QuoteCounter(raw)
        try:
            yield arrow.PythonFile(counted, mode="r"), _options(file, names)
        except arrow.ArrowInvalid as error:
            _explain(file)
            if "Empty CSV" not in str(error):  # a line of names that does not end in a line break
                raise
    if counted.quotes % 2:
        _explain(file)


def _options(file: DataFile, names: Sequence[str]) -> dict[str, Any]:
    arrow = extra("pyarrow", name="files")
    arrow_csv = extra("pyarrow.csv", name="files")
    return {
        "read_options": arrow_csv.ReadOptions(block_size=_BLOCK),
        "parse_options": arrow_csv.ParseOptions(delimiter=SEPARATORS[file.format], newlines_in_values=True),
        "convert_options": arrow_csv.ConvertOptions(
            include_columns=list(names),
            column_types=dict.fromkeys(names, arrow.string()),
            null_values=[""],
            strings_can_be_null=True,
        ),
    }


class _QuoteCounter(io.RawIOBase):
    """Bytes on their way to the parser; an odd number of quotation marks may mean that one swallowed rows."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.quotes = 0

    def read(self, size: int = -1) -> bytes:
        piece: bytes = self.raw.read(size if size >= 0 else None)
        self.quotes += piece.count(b'"')
        return piece

    def readable(self) -> bool:
        return True


def _explain(file: DataFile) -> None:
    """Read a file that gave trouble once more, slowly, to say at which line; nothing when all is well."""
    width = 0
    for line, record in _records(file):
        width = width or len(record)
        if record and len(record) != width:
            fields = f"has {len(record)} field{'s' * (len(record) != 1)}, and the line of names has {width}"
            raise _malformed(file, line, fields)


def _records(file: DataFile) -> Iterator[tuple[int, list[str]]]:
    """Records with the number of the line each starts at."""
    with reading(file):
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
        except csv.Error:  # the only thing Python's reader refuses here
            raise _malformed(file, start, "holds a carriage return outside quotation marks") from None


def _malformed(file: DataFile, line: int, what: str) -> SourceError:
    return SourceError(
        f"line {line:,} of {file.name} {what}",
        fix="mend that line; a field that holds a separator, a quotation mark or a line break is quoted",
    )


def _lines(file: DataFile) -> Iterator[str]:
    """Decoded lines; the first byte that is no UTF-8 is told with its position."""
    position = 0
    for number, line in enumerate(file.lines(), start=1):
        if number == 1 and line[:2] in _MARKS:
            raise _no_utf8(file, 0, 1, _MARKS[line[:2]])
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise _no_utf8(file, position + error.start, number, "another encoding") from None
        position += len(line)
        yield text if text.endswith("\n") else text + "\n"
    yield _END


def _no_utf8(file: DataFile, position: int, line: int, seems: str) -> SourceError:
    return SourceError(
        f"{file.name} is not UTF-8: byte {position:,} (in line {line:,}) belongs to {seems}", fix="save it as UTF-8"
    )
