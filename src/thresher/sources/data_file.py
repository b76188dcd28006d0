"""`DataFile`: one file of rows, opened through Arrow, with what goes wrong on the way said in words."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from thresher._internal.optional import extra
from thresher.errors import SourceError, ThresherError


@dataclass(frozen=True, slots=True)
class DataFile:
    """Its name for messages, its format, and what its folders say about every row in it."""

    name: str
    format: str
    compression: str | None = None
    content: bytes | None = field(default=None, repr=False)
    partition: Mapping[str, str | None] = field(default_factory=dict)

    def opened(self) -> Any:
        """The bytes as an Arrow stream, decompressed on the way."""
        arrow = extra("pyarrow", name="files")
        raw = self.name if self.content is None else arrow.BufferReader(self.content)
        return arrow.input_stream(raw, compression=self.compression)

    def lines(self) -> Iterator[bytes]:
        """The lines of a text, decompressed, each with its line break."""
        with self.opened() as raw:
            yield from io.BufferedReader(raw, buffer_size=1 << 20)

    def at_once(self) -> Any:
        """The bytes as something that can be read from anywhere; a plain file on disk is only mapped."""
        arrow = extra("pyarrow", name="files")
        if self.compression is None:
            return arrow.memory_map(self.name) if self.content is None else arrow.BufferReader(self.content)
        with self.opened() as stream:
            return arrow.BufferReader(stream.read())


@contextmanager
def reading(file: DataFile) -> Iterator[None]:
    """Turn what Arrow and the operating system say about a file into a `SourceError`.

    >>> with reading(DataFile("p.parquet", "parquet")):
    ...     raise OSError("Invalid argument")
    Traceback (most recent call last):
    thresher.errors.SourceError: p.parquet cannot be read as parquet: Invalid argument
      where: reading(file)
      fix:   check that the file is whole, is what its name says, and may be read by you
    """
    arrow = extra("pyarrow", name="files")
    try:
        yield
    except ThresherError:
        raise
    except (OSError, EOFError, arrow.ArrowException) as error:
        kind = f" as {file.format}" if file.format else ""
        said = (getattr(error, "strerror", None) or str(error)).strip().partition("\n")[0]
        raise SourceError(
            f"{file.name} cannot be read{kind}: {said}",
            fix="check that the file is whole, is what its name says, and may be read by you",
        ) from None
