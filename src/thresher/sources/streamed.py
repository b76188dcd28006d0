"""Rows of files for the embedded engine, batch by batch: read as they are read into memory.

The engine would guess types of its own, make truth values of words and dates of texts, and take for missing what is
not. It gets Arrow batches instead, anew for every query, of the columns that the query names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from thresher._internal.optional import extra
from thresher.errors import ThresherError
from thresher.sources.data_file import DataFile
from thresher.sources.learned_columns import LearnedColumn, Part, learned_columns
from thresher.sources.progress import Listener, RowCount, heard

# What was learned of the files that were read last: a command looks at them before it scans them.
_last: dict[tuple[Any, ...], tuple[list[Part], dict[str, LearnedColumn], int | None]] = {}


class StreamedRows:
    """Rows that can be read again and again, through Arrow's PyCapsule interface."""

    def __init__(self, parts: Sequence[Part], columns: Mapping[str, LearnedColumn], total: int | None) -> None:
        import pyarrow as pa

        self.total = total
        self.done = RowCount()
        self.schema = pa.schema([(name, column.type) for name, column in columns.items()])
        self._parts = parts
        self._columns = columns
        self._used = list(columns)
        self._failure: ThresherError | None = None

    def use(self, places: Collection[int]) -> None:
        """Say which columns the next query names; the others come without values, since nobody looks at them."""
        self.done.rows = 0
        self._used = [name for at, name in enumerate(self._columns) if at in places]
        for name in self._used:
            refusal = self._columns[name].refusal
            if refusal is not None:
                raise raised_anew(refusal)

    @contextmanager
    def own_errors(self) -> Iterator[None]:
        """Raise what went wrong here as it is, and not as the engine tells it, with all that Python said."""
        self._failure = None
        try:
            yield
        except Exception:
            if self._failure is None:
                raise
            raise self._failure from None

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A new reader from the first row on."""
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self._batches()).__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        used = [name for name in self._used if self._columns[name].refusal is None]
        self.done.rows = 0
        try:
            for part in self._parts:
                inside = [name for name in used if name in part.names]
                for batch in part.batches(inside or self._any(part)):
                    if batch.num_rows:
                        yield self._whole(batch, part, inside)
                    self.done.rows += batch.num_rows
        except ThresherError as error:
            self._failure = raised_anew(error)
            raise

    def _any(self, part: Part) -> list[str]:
        """A column that tells how many rows there are, where none is asked for."""
        once = [name for name in part.names if part.names.count(name) == 1]
        return [*(name for name in once if self._columns[name].refusal is None), *once][:1]

    def _whole(self, batch: Any, part: Part, inside: Sequence[str]) -> Any:
        """A batch of all columns, of which those that are not used are null."""
        import pyarrow as pa

        made = []
        for name, column in self._columns.items():
            if name in inside:
                made.append(column.converted(batch.column(name)))
            elif name in part.file.partition:
                said = pa.array([part.file.partition[name]], pa.string())
                made.append(pa.repeat(column.converted(said).cast(column.type)[0], batch.num_rows))
            else:
                made.append(pa.nulls(batch.num_rows, column.type))
        return pa.record_batch(made, schema=self.schema)


def streamed_rows(files: Sequence[DataFile], *, listener: Listener | None = None) -> StreamedRows:
    r"""The rows of files, whose types are those that all rows have.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mails.csv")
    ...     _ = path.write_text("y,p\nyes,0.9\nno,NA\n")
    ...     streamed_rows([DataFile(str(path), "csv")]).schema
    y: string
    p: double
    """
    extra("pyarrow", name="files")
    key = tuple(_state(file) for file in files)
    known = _last.get(key)
    if known is None:
        seen = RowCount()
        with heard(listener, "learning types", total=None, rows=lambda: seen.rows):
            parts, columns = learned_columns(files, seen)
        known = (parts, columns, seen.rows or None)
        _last.clear()
        _last[key] = known
    return StreamedRows(*known)


def raised_anew(error: ThresherError) -> ThresherError:
    """An error as new: one that is kept would gather a traceback, and all that lives in it, each time it is raised."""
    return type(error)(error.what, error.fix)


def _state(file: DataFile) -> tuple[Any, ...]:
    """What changes when a file does."""
    found = Path(file.name).stat()
    return file.name, file.format, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
