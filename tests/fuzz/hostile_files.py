"""Hostile files through `scan` and the command line, by the rule in `rule`.

A file is made of parts (a format, an encoding, a value, a way to damage it), so that a few lists make many kinds.
What a file says is known before it is written: a scan must count those rows, or refuse them.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from click.testing import CliRunner
from pyarrow import feather, orc, parquet

import thresher as th
from tests.fuzz.answers import Answers
from tests.fuzz.rule import judge
from thresher.cli.app import program

ROWS = ((1, 0.9), (0, 0.25), (1, 0.75), (0, 0.5), (1, 0.5), (0, 0.125))
EXPECTED = th.rank([label for label, _ in ROWS], [score for _, score in ROWS])
LONG = "9" * 5_000
# A field as a text file has it, and the number that it is; None where it is none and must be refused.
FIELDS: dict[str, tuple[str, float | None]] = {
    "plain": ("0.9", 0.9),
    "a space before": (" 0.9", 0.9),
    "spaces after": ("0.9  ", 0.9),
    "a tab": ("\t0.9", 0.9),
    "a no-break space": ("\u00a00.9", None),
    "a thin space": ("0.9\u2009", None),
    "an ideographic space": ("\u30000.9", None),
    "a zero-width space": ("0.9\u200b", None),
    "a form feed": ("\f0.9", None),
    "a vertical tab": ("0.9\v", None),
    "a file separator": ("\x1c0.9", None),
    "a next line": ("0.9\x85", None),
    "a NUL": ("0.9\0", None),
    "a mark of order": ("\ufeff0.9", None),
    "a word": ("high", None),
    "empty": ("", None),
    "NA": ("NA", None),
    "nan": ("nan", None),
    "null": ("null", None),
    "None": ("None", None),
    "dash": ("-", None),
    "a decimal comma": ("0;9", None),
    "groups of digits": ("1_000", None),
    "an apostrophe": ("1'000", None),
    "a currency": ("$1", None),
    "percent": ("90%", None),
    "hexadecimal": ("0x10", None),
    "other digits": ("\u0661", None),
    "wide digits": ("\uff10.9", None),
    "a fraction": ("9/10", None),
    "an exponent": ("9e-1", 0.9),
    "a large exponent": ("1e400", None),
    "a small exponent": ("1e-400", 0.0),
    "infinity": ("inf", float("inf")),
    "minus infinity": ("-inf", float("-inf")),
    "minus zero": ("-0.0", 0.0),
    "beyond 2^53": ("9007199254740993", None),
    "2^53": ("9007199254740992", 2.0**53),
    "beyond all floats": ("1" + "0" * 400, None),
    "5,000 digits": (LONG, None),
    "5,000 digits after the point": ("0." + LONG, 1.0),
    "5,000 zeros": ("0" * 5_000, 0.0),
    "two points": ("0.9.1", None),
    "two signs": ("--1", None),
    "a sign alone": ("+", None),
    "true": ("true", None),
    "a list": ("[1]", None),
    "a formula": ("=1+1", None),
    "a quoted number": ('"0.9"', 0.9),
    "a quoted line break": ('"0.9\n"', None),
    "a doubled quotation mark": ('"0""9"', None),
}
# A value of a key as JSON lines have it, and the number that it is.
VALUES: dict[str, tuple[str, float | None]] = {
    "plain": ("0.9", 0.9),
    "a list of one": ("[1]", None),
    "an empty list": ("[]", None),
    "an object": ('{"a": 1}', None),
    "a text": ('"0.9"', None),
    "a truth value": ("true", 1.0),  # as everywhere
    "null": ("null", None),
    "NaN": ("NaN", None),
    "Infinity": ("Infinity", float("inf")),
    "-Infinity": ("-Infinity", float("-inf")),
    "an integer": ("1", 1.0),
    "minus zero": ("-0.0", 0.0),
    "beyond 2^53": ("9007199254740993", None),
    "beyond int64": ("18446744073709551617", None),
    "a large exponent": ("1e400", None),
    "a small exponent": ("1e-400", 0.0),
    "5,000 digits": (LONG, None),
    "5,000 digits after the point": ("0." + LONG, 1.0),
    "01": ("01", None),
    "a plus": ("+1", None),
    "a point alone": (".5", None),
    "hexadecimal": ("0x10", None),
    "single quotation marks": ("'0.9'", None),
    "nothing": ("", None),
    "deep": ("[" * 600 + "]" * 600, None),
    "deeper": ("[" * 100_000 + "]" * 100_000, None),
    "half a character": ('"\\ud800"', None),
    "a comment": ("0.9 // yes", None),
    "a no-break space": ("\u00a00.9", None),
}
ENDINGS = {"Unix": "\n", "Windows": "\r\n", "old Macintosh": "\r"}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-7")
NAMES = {"plain": "y,p", "twice": "y,p,p", "spaces": "y, p", "quoted": '"y","p"', "empty": ",", "numbers": "1,0.9"}
SUFFIXES = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson", ".parquet", ".pq", ".orc", ".arrow", ".feather", ".arrows")
FLIPS, CUTS = 40, 12
Kind = tuple[str, Callable[[], Any], Callable[[Any], bool]]


def kinds(seed: int = 0) -> Iterator[Kind]:
    """Every kind of hostile file: its name, the scan or the command, and whether its answer is right."""
    for name, suffix, content, rows in (*_texts(), *_json(), *_binary(seed), *_wrong_suffixes()):
        right = _counts(rows)
        yield f"scan of {name}", _scan_of(content, suffix), right
        yield f"choose of {name}", _command_of(content, suffix), _is_success if rows is None else _says(rows)
    for name, make in PLACES.items():
        yield f"scan of {name}", _scan_in(make), _anything
        yield f"choose of {name}", _command_in(make), _anything


def check(seed: int, size: int) -> Answers:
    """Some kinds of hostile files, as many as a case has rows, drawn by the seed, which also says what is damaged."""
    answers, every = Answers(), list(kinds(seed))
    for at in np.random.default_rng(seed).choice(len(every), size=min(size, len(every)), replace=False).tolist():
        judge(answers, *every[at])
    return answers


Table = Sequence[tuple[int, float]]
Content = tuple[str, str, bytes, Table | None]  # name, suffix, bytes, rows; none where anything but a crash is right
REFUSED: Table = ()


def _texts() -> Iterator[Content]:
    for name, (field, number) in FIELDS.items():
        rows = REFUSED if number is None else ((1, number), *ROWS[1:])
        for suffix, mark in ((".csv", ","), (".tsv", "\t")):
            tab = suffix == ".tsv" and "\t" in field
            lines = [f"y{mark}p", f"1{mark}{field}", *(f"{label}{mark}{score}" for label, score in ROWS[1:])]
            yield f"{suffix} with {name}", suffix, _encode("\n".join(lines)), REFUSED if tab else rows
    text = "\n".join(["y,p", *(f"{label},{score}" for label, score in ROWS)]) + "\n"
    for name, ending in ENDINGS.items():
        rows = REFUSED if ending == "\r" else ROWS
        yield f"lines as on {name}", ".csv", text.replace("\n", ending).encode(), rows
    for encoding in ENCODINGS:
        yield f"text in {encoding}", ".csv", text.encode(encoding), ROWS if encoding.startswith("utf-8") else None
    for name, head in NAMES.items():
        yield (
            f"names: {name}",
            ".csv",
            text.replace("y,p", head, 1).encode(),
            ROWS if name in ("plain", "quoted") else REFUSED,
        )
    packed = gzip.compress(text.encode())
    damages = {
        "bytes that are not UTF-8": b"y,p\n1,0.9\xff\n0,0.2\n",
        "bytes that are not UTF-8 among the labels": b"y,p\n1\xff,0.9\n0,0.2\n",
        "a row too short": b"y,p\n1\n0,0.2\n",
        "a row too long": b"y,p\n1,0.9,3\n0,0.2\n",
        "an open quotation mark": b'y,p\n1,"0.9\n0,0.2\n',
        "an empty file": b"",
        "one line": b"y,p\n",
        "one line without end": b"y,p",
        "empty lines": b"\n\n\n",
        "NULs": bytes(1_000),
        "noise": np.random.default_rng(0).bytes(1_000),
        "three labels": b"y,p\n1,0.9\n0,0.2\n2,0.4\n",
        "labels between form feeds": b"y,p\n\f1,0.9\n0,0.2\n",
        "labels of 5,000 digits": b"y,p\n" + LONG.encode() + b",0.9\n0,0.2\n",
        "semicolons": b"y;p\n1;0.9\n0;0.2\n",
        "a field of 5 MiB": b"y,p\n1," + b"1" * (5 << 20) + b"\n0,0.2\n",
        "a thousand names": ",".join(["y", "p", *map(str, range(1_000))]).encode() + b"\n1,0.9\n",
    }
    for name, content in damages.items():
        yield f"text with {name}", ".csv", content, REFUSED
    yield "packed text", ".csv.gz", packed, ROWS
    yield "packed text, cut", ".csv.gz", packed[:-6], REFUSED
    yield "packed text, twice", ".csv.gz", gzip.compress(packed), REFUSED
    yield "text that is not packed", ".csv.gz", text.encode(), REFUSED
    yield "text that is not packed", ".csv.zst", text.encode(), REFUSED
    yield "packed text without the suffix", ".csv", packed, REFUSED
    for at in range(0, 8 * len(packed), 29):
        yield f"packed text, bit {at}", ".csv.gz", _flip(packed, at), None


def _json() -> Iterator[Content]:
    rest = "".join(f'{{"y": {label}, "p": {score}}}\n' for label, score in ROWS[1:])
    for name, (value, number) in VALUES.items():
        rows = REFUSED if number is None else ((1, number), *ROWS[1:])
        for place, text in (
            ("first", f'{{"y": 1, "p": {value}}}\n{rest}'),
            ("last", f'{rest}{{"y": 1, "p": {value}}}\n'),
        ):
            yield f"JSON with {name} {place}", ".jsonl", _encode(text), rows
    every = f'{{"y": 1, "p": 0.9}}\n{rest}'
    for name, text in {
        "no key in one line": f'{{"y": 1}}\n{rest}',
        "a key twice": f'{{"y": 1, "p": 0.9, "p": 0.1}}\n{rest}',
        "a list of objects": f"[{every.replace(chr(10), ',')}]",
        "half a line": every[:-5],
        "a list in each line": "[1, 0.9]\n[0, 0.2]\n",
        "a text in each line": '"a"\n',
        "lists of one in all lines": '{"y": 1, "p": [0.9]}\n{"y": 0, "p": [0.2]}\n',
        "labels in lists of one": '{"y": [1], "p": 0.9}\n{"y": [0], "p": 0.2}\n',
        "nothing": "",
        "empty lines": "\n\n",
        "NULs": "\0" * 100,
    }.items():
        yield f"JSON with {name}", ".jsonl", text.encode(), REFUSED
    yield "JSON with a mark of order", ".jsonl", b"\xef\xbb\xbf" + every.encode(), None
    for encoding in ENCODINGS[2:]:
        yield f"JSON in {encoding}", ".jsonl", every.encode(encoding), None
    for name, scores in {"bytes": b"\xff", "a control character": b"\x01"}.items():
        yield f"JSON with {name}", ".jsonl", b'{"y": 1, "p": 0.9, "t": "' + scores + b'"}\n' + rest.encode(), None


def _binary(seed: int) -> Iterator[Content]:
    random = np.random.default_rng(seed)
    texts = pa.table({"y": [label for label, _ in ROWS], "p": [score for _, score in ROWS], "t": list("abcdef")})
    for name, (suffix, content) in _stored(texts).items():
        yield f"a table as {name}", suffix, content, ROWS
        for at in random.integers(0, 8 * len(content), FLIPS).tolist():
            yield f"{name} with bit {at} flipped", suffix, _flip(content, at), None
        for size in random.integers(0, len(content), CUTS).tolist():
            yield f"{name} of {size} bytes", suffix, content[:size], REFUSED if name != "an Arrow stream" else None
    for name, column in {
        "texts": pa.array(["0.9"] * 6),
        "lists": pa.array([[0.9]] * 6),
        "structs": pa.array([{"a": 0.9}] * 6),
        "nulls": pa.nulls(6),
        "some nulls": pa.array([0.9, None, 0.1, 0.2, 0.3, 0.4]),
        "NaN": pa.array([0.9, float("nan"), 0.1, 0.2, 0.3, 0.4]),
        "integers beyond 2^53": pa.array([2**53 + 1] * 6),
        "moments": pa.array([0] * 6, pa.timestamp("ns")),
        "bytes": pa.array([b"a"] * 6),
        "truth values": pa.array([True, False] * 3),
    }.items():
        wrong = pa.table({"y": [label for label, _ in ROWS], "p": column})
        scores = (
            [(label, float(i % 2 == 0)) for i, (label, _) in enumerate(ROWS)] if name == "truth values" else REFUSED
        )
        for stored, (suffix, content) in _stored(wrong, only=name == "nulls").items():
            yield f"{stored} whose scores are {name}", suffix, content, scores
    twice = pa.Table.from_arrays([texts["y"], texts["p"], texts["p"]], names=["y", "p", "p"])
    for stored, (suffix, content) in _stored(twice, only=True).items():
        yield f"{stored} with a name twice", suffix, content, REFUSED
    for stored, (suffix, content) in _stored(texts.slice(0, 0)).items():
        yield f"{stored} without rows", suffix, content, REFUSED


def _stored(table: pa.Table, *, only: bool = False) -> dict[str, tuple[str, bytes]]:
    """A table in every format; `only` those that hold any type."""
    made: dict[str, tuple[str, bytes]] = {}
    writers: dict[str, tuple[str, Callable[[Any], None]]] = {
        "Parquet": (".parquet", lambda sink: parquet.write_table(table, sink, write_page_checksum=True)),
        "plain Parquet": (".parquet", lambda sink: parquet.write_table(table, sink, compression="none")),
        "zstd Parquet": (
            ".parquet",
            lambda sink: parquet.write_table(table, sink, compression="zstd", use_dictionary=False),
        ),
        "Feather": (".feather", lambda sink: feather.write_feather(table, sink)),
        "plain Feather": (".arrow", lambda sink: feather.write_feather(table, sink, compression="uncompressed")),
        "an Arrow stream": (".arrows", lambda sink: _stream(table, sink)),
    }
    if not only and "null" not in map(str, table.schema.types):
        writers["ORC"] = (".orc", lambda sink: orc.write_table(table, sink))
    for name, (suffix, write) in writers.items():
        sink = io.BytesIO()
        try:
            write(sink)
        except (pa.ArrowException, ValueError):  # a format that has no such type, or no name twice
            continue
        made[name] = (suffix, sink.getvalue())
    return made


def _stream(table: pa.Table, sink: Any) -> None:
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def _wrong_suffixes() -> Iterator[Content]:
    text = "\n".join(["y,p", *(f"{label},{score}" for label, score in ROWS)]) + "\n"
    contents = {name: content for name, (_, content) in _stored(pa.table({"y": [1, 0], "p": [0.9, 0.2]})).items()}
    for name, content in (contents | {"CSV": text.encode(), "JSON": json.dumps(ROWS).encode()}).items():
        for suffix in (*SUFFIXES, ".xlsx", ".json", ""):
            yield f"{name} called {suffix or 'nothing'}", suffix, content, None


def _flip(content: bytes, at: int) -> bytes:
    changed = bytearray(content)
    changed[at // 8] ^= 1 << (at % 8)
    return bytes(changed)


def _encode(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogatepass")


def _fifo(folder: Path) -> str:
    os.mkfifo(folder / "rows.csv")
    return str(folder / "rows.csv")


def _linked(folder: Path, name: str, target: str) -> str:
    (folder / name).symlink_to(target)
    return str(folder / name)


def _folder(folder: Path, *names: str) -> str:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("y,p\n1,0.9\n0,0.2\n")
    return str(folder)


PLACES: dict[str, Callable[[Path], str]] = {
    "an absent file": lambda folder: str(folder / "absent.csv"),
    "an empty folder": str,
    "a folder called .csv": lambda folder: _folder(folder, "rows.csv/other.txt") + "/rows.csv",
    "a file as a folder": lambda folder: _folder(folder, "rows.csv") + "/rows.csv/more.csv",
    "a pipe without a writer": _fifo,
    "a folder with a pipe": lambda folder: str(Path(_fifo(folder)).parent),
    "a link to itself": lambda folder: _linked(folder, "rows.csv", "rows.csv"),
    "a link to nothing": lambda folder: _linked(folder, "rows.csv", "absent.csv"),
    "a folder that links to itself": lambda folder: str(Path(_linked(folder, "again", ".")).parent),
    "an endless device": lambda folder: _linked(folder, "rows.csv", "/dev/zero"),
    "an endless device of JSON": lambda folder: _linked(folder, "rows.jsonl", "/dev/zero"),
    "an endless device of Parquet": lambda folder: _linked(folder, "rows.parquet", "/dev/zero"),
    "an endless device of Arrow": lambda folder: _linked(folder, "rows.arrow", "/dev/zero"),
    "an empty device": lambda folder: _linked(folder, "rows.csv", "/dev/null"),
    "a name of 300 signs": lambda folder: str(folder / ("x" * 300 + ".csv")),
    "a path of 5,000 signs": lambda folder: str(folder / ("d/" * 2_500) / "rows.csv"),
    "two formats": lambda folder: _folder(folder, "a.csv", "b.tsv"),
    "a file twice": lambda folder: str(Path(_linked(Path(_folder(folder, "a.csv")), "b.csv", "a.csv")).parent),
    "a glob of nothing": lambda folder: str(folder / "*.csv"),
    "a strange glob": lambda folder: str(folder / "[*.csv"),
    "a partition called as a column": lambda folder: _folder(folder, "p=3/a.csv"),
    "an unknown suffix": lambda folder: _folder(folder, "a.xyz") + "/a.xyz",
    "an empty name": lambda _: "",
    "a URL": lambda _: "https://example.invalid/rows.csv",
    "half a character": lambda folder: str(folder / "a\udcff.csv"),
}


def _scan_of(content: bytes, suffix: str) -> Callable[[], Any]:
    return _scan_in(lambda folder: _written(folder, content, suffix))


def _command_of(content: bytes, suffix: str) -> Callable[[], Any]:
    return _command_in(lambda folder: _written(folder, content, suffix))


def _written(folder: Path, content: bytes, suffix: str) -> str:
    path = folder / f"rows{suffix}"
    path.write_bytes(content)
    return str(path)


def _scan_in(make: Callable[[Path], str]) -> Callable[[], Any]:
    def call() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            return th.scan(make(Path(folder)), label="y", score="p")

    return call


def _command_in(make: Callable[[Path], str]) -> Callable[[], Any]:
    """The same file by a command: its output, or the paragraph with which it was refused."""

    def call() -> Any:
        with tempfile.TemporaryDirectory() as folder:
            words = ["choose", make(Path(folder)), "--label", "y", "--score", "p", "--json"]
            ran = CliRunner().invoke(program, words, prog_name="thresher")
        if ran.exit_code == 0:
            return json.loads(ran.stdout)
        first, _, fix = ran.stderr.partition("\n  fix:   ")
        if ran.exit_code != 2 or ran.stdout or not fix or "Traceback" in first:
            raise RuntimeError(f"exit {ran.exit_code}: {ran.output[-1_500:]}")
        raise th.ThresherError(first, fix)

    return call


def _anything(value: object) -> bool:
    return value is not None


_is_success = _anything


def _counts(rows: Table | None) -> Callable[[Any], bool]:
    """Whether a ranking counts these rows; rows that must be refused have no answer."""
    if rows is None:
        return _anything

    def right(ranking: Any) -> bool:
        return bool(rows) and ranking == th.rank([label for label, _ in rows], [score for _, score in rows])

    return right


def _says(rows: Table) -> Callable[[Any], bool]:
    """Whether a choice is that of these rows."""

    def right(answer: Any) -> bool:
        return bool(rows) and json.dumps(answer) is not None and _threshold_fits(answer, rows)

    return right


def _threshold_fits(answer: Any, rows: Table) -> bool:
    ranking = th.rank([label for label, _ in rows], [score for _, score in rows])
    table = th.choose(ranking).table
    text = json.dumps(answer)
    return all(f'"{name}": {getattr(table, name)}' in text for name in ("tp", "fn", "fp", "tn"))
