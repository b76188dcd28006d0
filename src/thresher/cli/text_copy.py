"""CSV to CSV with columns added: field by field and piece by piece, so that every other field stays as written."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

import numpy as np

from thresher.errors import ColumnError, MissingValueError, ScoreError, SourceError
from thresher.ranking import Floats
from thresher.sources.column_names import require_columns

PIECE = 65_536
_FIELDS = 1 << 19  # of a piece at most, so that wide tables need no more memory than narrow ones

Added: TypeAlias = Callable[[Floats], Mapping[str, Any]]
# What makes new columns of a piece of rows, which are lists of fields, and of how many rows came before it.
Made: TypeAlias = Callable[[list[list[str]], int], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a table comes from, which of its columns holds the scores, and who asks."""

    name: str
    score: str

    def place(self, head: Sequence[str]) -> int:
        """Which column holds the scores; a file that is separated otherwise has no such column, and is told so.

        >>> Origin("new.csv", "forest").place(["id", "forest"])
        1
        """
        require_columns([self.score], head, place=self.name)
        return list(head).index(self.score)

    def require_new(self, names: Sequence[str], present: Sequence[str]) -> None:
        """Refuse to add a column that is there already."""
        for name in names:
            if name in present:
                fix = "name the new column otherwise with --column"
                raise ColumnError(f"{self.name} has a column {name!r} already", fix)


def copy_text(lines: IO[str], out: IO[str], origin: Origin, added: Added, *, delimiters: tuple[str, str]) -> int:
    r"""Copy delimited text with the columns that `added` makes of its scores; returns how many rows there were.

    >>> import io
    >>> out = io.StringIO()
    >>> double = lambda score: {"twice": score * 2}
    >>> origin = Origin("a.csv", "p")
    >>> copy_text(io.StringIO("id,p\n007,0.50\n"), out, origin, double, delimiters=(",", ","))
    1
    >>> out.getvalue()
    'id,p,twice\n007,0.50,1.0\n'
    """

    def made_for(head: Sequence[str]) -> Made:
        place = origin.place(head)
        return lambda rows, before: added(_numbers([row[place] for row in rows], before, origin))

    return copy_rows(lines, out, origin, made_for, delimiters=delimiters)


def copy_rows(
    lines: IO[str],
    out: IO[str],
    origin: Origin,
    made_for: Callable[[Sequence[str]], Made],
    *,
    delimiters: tuple[str, str],
) -> int:
    """Copy delimited text with new columns of each piece of its rows; `made_for` is told the column names first."""
    reader = csv.reader(lines, delimiter=delimiters[0], strict=True)
    writer = row_writer(out, delimiters[1])
    rows = 0
    try:
        head = next(reader, None)
        if not head:
            raise SourceError(f"{origin.name} is empty", "give a file with a line of column names")
        made = made_for(head)
        for piece in _pieces(reader, len(head), origin):
            columns = made(piece, rows)
            if not rows:
                origin.require_new(list(columns), head)
                writer.writerow([*head, *columns])
            lists = [np.asarray(column).tolist() for column in columns.values()]
            writer.writerows([*row, *more] for row, more in zip(piece, zip(*lists, strict=True), strict=True))
            rows += len(piece)
    except csv.Error as error:
        raise SourceError(f"{origin.name} is no CSV: {error}", f"see line {reader.line_num:,}") from None
    except UnicodeDecodeError as error:
        what = f"{origin.name} is not in UTF-8: {error.reason} after line {reader.line_num:,}"
        raise SourceError(what, "save it as UTF-8") from None
    if not rows:
        raise SourceError(f"{origin.name} has no rows", "give at least one")
    return rows


def row_writer(out: IO[str], delimiter: str) -> Any:
    r"""A writer of rows that end in a line feed, and whose fields may hold any character.

    Only a writer that ends lines in CR LF quotes fields that hold a CR, so it does, and the CR is taken off.
    """

    class LineEnds:
        """What the writer of rows writes to, one finished row at a time."""

        @staticmethod
        def write(row: str) -> object:
            return out.write(f"{row[:-2]}\n")

    return csv.writer(LineEnds, delimiter=delimiter, lineterminator="\r\n")


def _pieces(reader: Any, width: int, origin: Origin) -> Iterator[list[list[str]]]:
    """Some rows at a time, all as wide as the first line; empty lines are no rows."""
    rows = (row for row in reader if row)
    size = max(1, min(PIECE, _FIELDS // width))
    while piece := list(itertools.islice(rows, size)):
        for row in piece:
            if len(row) != width:
                what = f"a row of {origin.name} has {len(row)} fields where there are {width} columns"
                raise SourceError(what, f"mend the row that begins {','.join(row)[:60]!r}")
        yield piece


def _numbers(texts: list[str], before: int, origin: Origin) -> Floats:
    try:
        found = np.array([float(text) for text in texts])
    except ValueError:
        at, text = next((i, text) for i, text in enumerate(texts) if not _is_number(text))
        if text.strip():
            what = f"{text!r} in column {origin.score!r}, row {before + at + 1:,}, is no number"
            raise ScoreError(what, "give numbers only") from None
        raise _missing(before + at, origin) from None
    if np.isnan(found).any():
        raise _missing(before + int(np.isnan(found).argmax()), origin)
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _missing(row: int, origin: Origin) -> MissingValueError:
    what = f"the score in column {origin.score!r} is missing in row {row + 1:,}"
    return MissingValueError(what, "fill it, or leave that row out")
