"""Rankings in files, JSON or Parquet by the suffix.

Rankings of different days or machines add up to that of all rows, so a file of counts is what is worth keeping.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from thresher._internal.arguments import require_path
from thresher._internal.atomic import read_bytes, write_file
from thresher._internal.json import FieldError, fields, json_value, number, one_of, text
from thresher._internal.optional import extra
from thresher.errors import NotationError, SourceError, ThresherError
from thresher.ranking import Ranges, Ranking, require_ranges
from thresher.ranking.ranges import ABOUT
from thresher.sources.files import Place
from thresher.sources.text_files import DataFile, translate_errors

FORMAT = "thresher/ranking-columns/1"
_KEY = b"thresher"
_COLUMNS = ("score", "pos", "neg")
_ENDS = ("pos_low", "pos_high", "neg_low", "neg_high")


def write_ranking(ranking: Ranking, path: Place) -> None:
    """Write a ranking to a `.json` or `.parquet` file, completely or not at all.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "monday.json")
    ...     write_ranking(Ranking.parse("[20+,5-][10+,5-][20+,40-]"), path)
    ...     print(read_ranking(path))
    [20+,5-][10+,5-][20+,40-]
    """
    if _is_parquet(path):
        write_parquet(ranking, path)
    else:
        write_file(path, (ranking.to_json() + "\n").encode())


def read_ranking(path: Place) -> Ranking:
    """Read what `write_ranking`, `Ranking.to_json` or `Ranking.to_parquet` wrote."""
    if _is_parquet(path):
        return read_parquet(path)
    return _read(path, lambda content, _: Ranking.from_json(content.decode("utf-8", errors="replace")))


def write_parquet(ranking: Ranking, path: Place) -> None:
    """Write a Parquet file, whatever its suffix."""
    write_file(path, _parquet_bytes(ranking))


def read_parquet(path: Place) -> Ranking:
    """Read a Parquet file, whatever its suffix."""
    return _read(path, _of_parquet)


def _is_parquet(path: Place) -> bool:
    """Whether a file is Parquet by its suffix; refuses what is neither that nor JSON."""
    require_path(path)
    suffix = Path(path).suffix.lower()
    if suffix not in (".json", ".parquet", ".pq"):
        what = f"a ranking is stored as JSON or Parquet, and the name {os.fspath(path)} says neither"
        raise SourceError(what, "call it .json or .parquet")
    return suffix != ".json"


def _read(path: Place, parse: Callable[[bytes, str], Ranking]) -> Ranking:
    content, name = read_bytes(path), os.fspath(path)
    try:
        return parse(content, name)
    except ThresherError as error:  # which knows what is wrong, but not in which file
        raise type(error)(f"{name}: {error.what.removeprefix(f'{name} ')}", error.fix) from None


def _parquet_bytes(ranking: Ranking) -> bytes:
    arrow, parquet = extra("pyarrow", name="files"), extra("pyarrow.parquet", name="files")
    columns = {name: getattr(ranking, name) for name in _COLUMNS}
    about: dict[str, Any] = {"format": FORMAT, "dropped": ranking.dropped, "segments": len(ranking)}
    about |= {} if ranking.positive is None else {"positive": ranking.positive}
    if (spans := ranking.ranges) is not None:
        columns |= {name: getattr(spans, name) for name in (*_ENDS, "won") if getattr(spans, name) is not None}
        about |= {"corners": spans.corners, "ties": spans.ties, "rounding": spans.rounding}
    table = arrow.table(columns).replace_schema_metadata({_KEY: json.dumps(about)})
    sink = io.BytesIO()
    # A dictionary of distinct scores would only be a second copy of them.
    parquet.write_table(table, sink, compression="zstd", use_dictionary=["pos", "neg"])
    return sink.getvalue()


def _of_parquet(content: bytes, name: str) -> Ranking:
    parquet = extra("pyarrow.parquet", name="files")
    with translate_errors(DataFile(name, "parquet")):
        table = parquet.read_table(io.BytesIO(content), partitioning=None)
        names = table.column_names  # which a damaged file need not have in UTF-8
    about = _about(table.schema.metadata)
    if names[:3] != list(_COLUMNS) or about["segments"] != table.num_rows:
        raise _no_ranking(f"its columns are not {about['segments']:,} scores with their counts")
    columns = {name: np.array(table[name]) for name in names}
    exact = Ranking(*(columns[name] for name in _COLUMNS), dropped=about["dropped"])
    spans, positive = None, about.get("positive")
    if {*_ENDS, *ABOUT} & {*columns, *about}:
        spans = _spans(exact, columns, about)
    return Ranking.of_segments(
        exact.score, exact.pos, exact.neg, dropped=exact.dropped, ranges=spans, positive=positive
    )


def _spans(exact: Ranking, columns: Mapping[str, Any], about: Mapping[str, Any]) -> Ranges:
    try:
        known: dict[str, Any] = {end: columns[end] for end in _ENDS} | {"won": columns.get("won")}
        spans = Ranges(**known, **{name: about[name] for name in ABOUT})
        require_ranges(exact.score, exact.pos, exact.neg, spans)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        what = f"the ranges of this ranking do not fit its segments ({error})"
        raise NotationError(what, "give what Ranking.to_parquet wrote, unchanged") from None
    return spans


def _about(metadata: Mapping[bytes, bytes] | None) -> dict[str, Any]:
    """What a file says of itself; that of another tool is refused."""
    try:
        plain = json_value((metadata or {}).get(_KEY, b"").decode(), name="Ranking")
        counts = dict.fromkeys(("dropped", "segments"), number(0, integer=True))
        readers = {"format": one_of([FORMAT]), **counts, **ABOUT, "positive": text}
        return fields(plain, readers, optional=[*ABOUT, "positive"])
    except NotationError as error:
        raise _no_ranking(error.what) from None
    except (FieldError, UnicodeDecodeError) as error:
        raise _no_ranking(f"{error}") from None


def _no_ranking(why: str) -> NotationError:
    return NotationError(
        f"this is not a ranking as thresher writes it: {why}",
        fix=f'give a file that Ranking.to_parquet wrote: its metadata say "format": "{FORMAT}"',
    )
