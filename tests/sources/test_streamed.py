"""Files read by the embedded engine: the same rankings, groups and refusals as when they are read into memory."""

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from thresher.sources import delimited, json_batches, json_lines, learned_columns, streamed
from thresher.sources.data_file import DataFile
from thresher.sources.streamed import streamed_rows

ASKED: dict[str, Any] = {"label": "y", "score": "p"}
ROWS = "1,0.9\n0,0.2\n1,0.4\n0,0.6\n"
BOTH = "1,0.9,0.3\n0,0.2,0.4\n1,0.4,0.8\n0,0.6,0.1\n"


def engine_scan(place, **asked):
    return th.scan(place, where=lambda t: ~(t[asked["label"]].isnull() & t[asked["label"]].notnull()), **asked)


def ranges_scan(place, **asked):
    return th.scan(place, exact=False, **asked)


ENGINES = pytest.mark.parametrize("through_engine", [engine_scan, ranges_scan])


def written(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


SAME = {
    "words yes and no": (
        "a.csv",
        f"y,p\n{ROWS}".replace("\n1,", "\nyes,").replace("\n0,", "\nno,"),
        {"positive": "yes"},
    ),
    "words t and f": ("a.csv", f"y,p\n{ROWS}".replace("\n1,", "\nt,").replace("\n0,", "\nf,"), {"positive": "t"}),
    "truth values": ("a.csv", f"y,p\n{ROWS}".replace("\n1,", "\nTrue,").replace("\n0,", "\nfalse,"), {}),
    "dates": (
        "a.csv",
        f"y,p\n{ROWS}".replace("\n1,", "\n2024-01-02,").replace("\n0,", "\n2024-01-01,"),
        {"positive": "2024-01-02"},
    ),
    "dates in JSON lines": (
        "a.jsonl",
        '{"y": "2024-01-02", "p": 0.9}\n{"y": "2024-01-01", "p": 0.2}\n{"y": "2024-01-02", "p": 0.1}\n',
        {"positive": "2024-01-02"},
    ),
    **{
        f"{absent} for a missing score": ("a.csv", f"y,p\n{ROWS}1,{absent}\n", {"missing": "drop"})
        for absent in ("NA", "null", "NULL", "None", "N/A", "NaN", "")
    },
    **{
        f"{absent} for a missing label": ("a.csv", f"y,p\n{ROWS}{absent},0.7\n", {"missing": "drop"})
        for absent in ("NA", "null", "None")
    },
    "codes": ("a.csv", f"y,p\n{ROWS}".replace("\n1,", "\n01,").replace("\n0,", "\n02,"), {"positive": "01"}),
    "blanks around": ("a.tsv", "y\tp\n1 \t 0.9\n0\t0.2\n 1\t0.1\n", {}),
    "names with spaces": ("a.csv", f" y,the p\n{ROWS}", {"label": " y", "score": "the p"}),
    "a line that starts with #": ("a.csv", f"y,p\n{ROWS}".replace("\n1,", "\n#1,"), {"positive": "#1"}),
    "names that start with #": ("a.csv", f"#y,p\n{ROWS}", {"label": "#y"}),
    "a name that is empty": ("a.csv", ",y,p\n0,1,0.9\n1,0,0.2\n", {}),
    "a name that stands twice and is not asked for": ("a.csv", "y,q,p,q\n1,2,0.9,3\n0,2,0.1,3\n", {}),
    "quoted separators and line breaks": ("a.csv", 'y,"p","a,b"\n1,0.9,"x\ny"\n0,"0.2","""z"""\n', {}),
    "numbers that grow": ("a.csv", f"y,p\n{ROWS}1,7\n0,-inf\n", {}),
    "large numbers nobody asks for": ("a.csv", "y,p,id\n1,0.9,1e400\n0,0.2,9007199254740993\n", {}),
    "no line break at the end": ("a.csv", f"y,p\n{ROWS}".rstrip("\n"), {}),
    "a byte order mark": ("a.csv", f"\ufeffy,p\n{ROWS}", {}),
    "JSON that fits no first guess": (
        "a.jsonl",
        '{"y":1,"p":1}\n{"y":0,"p":0.5,"z":[1]}\n{"y":1,"p":null}\n',
        {"missing": "drop"},
    ),
    "JSON of nested values beside": ("a.jsonl", '{"y":1,"p":1,"m":{"a":1}}\n{"y":0,"p":2,"m":{"a":2}}\n', {}),
    "JSON of mixed values beside": ("a.jsonl", '{"y":1,"p":1,"m":"a"}\n{"y":0,"p":2,"m":2}\n', {}),
}

REFUSED = {
    "columns of one name": ("a.csv", "y,p,p\n1,0.9,0.1\n0,0.2,0.3\n", th.ColumnError, "has 2 columns called 'p'"),
    "a number beyond float64": (
        "a.csv",
        f"y,p\n{ROWS}1,1e400\n",
        th.ScoreError,
        "do not fit a float64 exactly, first 1",
    ),
    "a number of JSON beyond float64": (
        "a.jsonl",
        '{"y": 1, "p": 0.5}\n{"y": 0, "p": 1e400}\n',
        th.ScoreError,
        r"do not fit a float64 exactly, first 1E\+400",
    ),
    "a large number among floats": (
        "a.csv",
        f"y,p\n{ROWS}1,9007199254740993\n",
        th.ScoreError,
        "do not fit a float64 exactly, first 9007199254740993",
    ),
    "a line that is too long": ("a.csv", f"y,p\n{ROWS}1,2,3\n", th.SourceError, "line 6 of .* has 3 fields"),
    "a line that is too short": ("a.csv", f"y,p\n{ROWS}1\n", th.SourceError, "line 6 of .* has 1 field"),
    "an open quotation mark": ("a.csv", f'y,p\n{ROWS}1,"0.5\n', th.SourceError, "quotation mark that nothing closes"),
    "another encoding": ("a.csv", b"y,p\n1,0.5\n\xff,0.5\n", th.SourceError, "is not UTF-8"),
    "missing scores": ("a.csv", f"y,p\n{ROWS}1,NA\n", th.MissingValueError, "1 of 5 scores are missing or NaN"),
    "no scores at all": ("a.csv", "y,p\n1,\n0,\n", th.MissingValueError, "2 of 2 scores are missing or NaN"),
    "words for scores": ("a.csv", f"y,p\n{ROWS}1,high\n", th.ScoreError, "scores must be numbers"),
    "a word among labels": ("a.csv", f"y,p\n{ROWS}maybe,0.5\n", th.LabelError, "there are more than two labels"),
    "no such column": ("a.csv", "y,q\n1,0.9\n", th.ColumnError, "has no column 'p'"),
    "no rows": ("a.csv", "y,p\n", th.EmptyError, "has columns and no rows"),
    "nothing": ("a.csv", "", th.EmptyError, "is empty"),
    "no JSON": ("a.jsonl", '{"y":1,"p":0.5}\nnothing\n', th.SourceError, "line 2 of .* is not a JSON object"),
    "a JSON key twice": (
        "a.jsonl",
        '{"y":1,"p":1,"m":1}\n{"y":0,"p":0.5,"z":[1],"p":2}\n',
        th.SourceError,
        "occurs twice",
    ),
    "large integers of JSON": (
        "a.jsonl",
        '{"y":1,"p":0.5}\n{"y":0,"p":9007199254740993}\n',
        th.ScoreError,
        "first 9007199254740993",
    ),
}


@ENGINES
@pytest.mark.parametrize("case", SAME)
def test_the_same_ranking(tmp_path, case, through_engine):
    name, text, asked = SAME[case]
    path = written(tmp_path, name, text)
    expected = th.scan(path, **ASKED | asked)
    found = through_engine(path, **ASKED | asked)
    assert found == expected
    assert found.dropped == expected.dropped


@ENGINES
@pytest.mark.parametrize("case", REFUSED)
def test_the_same_refusal(tmp_path, case, through_engine):
    name, text, error, what = REFUSED[case]
    path = written(tmp_path, name, text)
    for ask in (th.scan, through_engine):
        with pytest.raises(error, match=what):
            ask(path, **ASKED)


def test_models_are_compared_on_words(tmp_path):
    words = written(tmp_path, "words.csv", f"y,p,q\n{BOTH}".replace("\n1,", "\nyes,").replace("\n0,", "\nno,"))
    numbers = written(tmp_path, "numbers.csv", f"y,p,q\n{BOTH}")
    asked: dict[str, Any] = {"label": "y", "scores": ["p", "q"]}
    found = th.compare_scan(words, positive="yes", **asked)
    assert str(found) == str(th.compare_scan(numbers, **asked))


DAYS = {
    "dates": ["2024-01-01", "2024-01-02"],
    "floats": ["1.5", "2"],
    "integers": ["1", "20"],
    "codes": ["01", "02"],
    "truth values": ["true", "false"],
    "missing": ["1", "__HIVE_DEFAULT_PARTITION__"],
    "absent": ["1.5", "NA"],
    "words": ["a b", "NA"],
}


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "arrow", "arrows"])
@pytest.mark.parametrize("case", DAYS)
def test_keys_of_folders(tmp_path, suffix, case):
    for day in DAYS[case]:
        table = pa.table({"y": [1, 0, 1], "p": [0.9, 0.5, len(day) / 100]})
        written(tmp_path, f"day={day}/a.{suffix}", as_file(table, suffix))
    expected = th.scan_by(tmp_path, by="day", **ASKED)
    found = th.scan_by(tmp_path, by="day", exact=False, where=lambda t: t.p > 0, **ASKED)
    assert found == expected
    assert {type(day) for day in found} == {type(day) for day in expected}


def as_file(table, suffix):
    sink = pa.BufferOutputStream()
    if suffix == "parquet":
        pq.write_table(table, sink)
    elif suffix in ("arrow", "arrows"):
        with (pa.ipc.new_stream if suffix == "arrows" else pa.ipc.new_file)(sink, table.schema) as writer:
            writer.write_table(table)
    elif suffix == "csv":
        return "y,p\n" + "".join(f"{row['y']},{row['p']}\n" for row in table.to_pylist())
    else:
        return "".join(json.dumps(row) + "\n" for row in table.to_pylist())
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("suffix", ["arrow", "arrows"])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_arrow_files_of_any_layout(tmp_path, suffix, compression):
    table = pa.table(
        {
            "other": ["x", None, "z", "x"],
            "y": pa.array(["spam", "ham", "spam", "ham"]).dictionary_encode(),
            "p": pa.array(np.array([0.5, 0.25, 0.75, 0.5], dtype=np.float16)),
        }
    )
    path = tmp_path / f"a.{suffix}"
    options = pa.ipc.IpcWriteOptions(compression=compression)
    opened = pa.ipc.new_stream if suffix == "arrows" else pa.ipc.new_file
    with pa.OSFile(str(path), "wb") as sink, opened(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=2)
    asked = ASKED | {"positive": "spam"}
    assert engine_scan(path, **asked) == th.scan(path, **asked)
    assert th.scan(path, where=lambda t: t.other == "x", **asked).total == 2


@ENGINES
def test_what_the_last_rows_say_counts(tmp_path, monkeypatch, through_engine):
    monkeypatch.setattr(delimited, "_BLOCK", 1 << 10)
    rows = "".join(f"{i % 2},{i % 7}\n" for i in range(2000))
    path = written(tmp_path, "a.csv", f"y,p\n{rows}1,0.25\nNA,0.5\n")
    asked = ASKED | {"missing": "drop"}
    assert through_engine(path, **asked) == th.scan(path, **asked)


@ENGINES
@pytest.mark.parametrize("last", ['{"y":1,"p":0.25}', '{"y":0,"p":1,"late":3}', '{"y":0,"p":null,"late":"2024-01-01"}'])
def test_what_the_last_lines_say_counts(tmp_path, monkeypatch, through_engine, last):
    for module in (json_lines, json_batches):
        monkeypatch.setattr(module, "BLOCK", 1 << 10)
    rows = "".join(f'{{"y":{i % 2},"p":{i % 7}}}\n' for i in range(2000))
    path = written(tmp_path, "a.jsonl", f"{rows}{last}\n")
    asked = ASKED | {"missing": "drop"}
    assert through_engine(path, **asked) == th.scan(path, **asked)


def test_several_files_agree_on_types(tmp_path):
    written(tmp_path, "a.jsonl", '{"y":1,"p":1,"k":"a"}\n{"y":0,"p":2,"k":"b"}\n')
    written(tmp_path, "b.jsonl", '{"p":0.5,"y":1,"k":3}\n')
    assert engine_scan(tmp_path, **ASKED) == th.scan(tmp_path, **ASKED)
    for ask in (th.scan, ranges_scan):
        with pytest.raises(th.ColumnError, match="the column 'k' is"):
            ask(tmp_path, label="y", score="k")


def test_files_that_differ_in_columns(tmp_path):
    written(tmp_path, "a.csv", f"y,p\n{ROWS}")
    written(tmp_path, "b.csv", f"y,q\n{ROWS}")
    for ask in (th.scan, ranges_scan):
        with pytest.raises(th.ColumnError):
            ask(tmp_path, label="y", score="p")


def test_rows_are_streamed_anew_for_every_query(tmp_path):
    path = written(tmp_path, "a.csv", f"y,p\n{ROWS}")
    rows = streamed_rows([DataFile(str(path), "csv")])
    rows.use({1})
    for _ in range(2):
        table = pa.table(rows)
        assert table["p"].to_pylist() == [0.9, 0.2, 0.4, 0.6]
        assert table["y"].null_count == 4


def test_types_are_learned_once_and_again_when_a_file_changes(tmp_path, monkeypatch):
    learned = []
    usual = learned_columns.learned_columns

    def counted(files, seen, *, where):
        learned.append(files)
        return usual(files, seen)

    monkeypatch.setattr(streamed, "learned_columns", counted)
    path = tmp_path / "a.csv"
    path.write_text("y,p\n1,0.5\n0,0.25\n")
    asked: dict[str, Any] = {"label": "y", "score": "p", "where": lambda t: t.p >= 0}
    assert th.scan(path, **asked) == th.scan(path, **asked)
    assert len(learned) == 1
    path.write_text("y,p\n1,0.5\n0,0.25\n1,x\n")
    with pytest.raises(th.ScoreError, match="scores must be numbers"):
        th.scan(path, **asked | {"where": lambda t: t.y >= 0})
    assert len(learned) == 2


@pytest.mark.parametrize("field", ["st_ino", "st_size", "st_mtime_ns", "st_ctime_ns"])
def test_a_file_has_changed_when_any_of_these_has(tmp_path, monkeypatch, field):
    file = DataFile(str(written(tmp_path, "a.csv", f"y,p\n{ROWS}")), "csv")
    found = dict.fromkeys(("st_ino", "st_size", "st_mtime_ns", "st_ctime_ns"), 1)
    states = []
    for change in ({}, {}, {field: 2}):
        told = SimpleNamespace(**found | change)
        monkeypatch.setattr(streamed, "Path", lambda _, told=told: SimpleNamespace(stat=lambda: told))
        states.append(streamed._state(file))
    assert states[0] == states[1] != states[2]


def test_a_file_is_known_by_its_format_too(tmp_path):
    path = written(tmp_path, "a.txt", "y,p\n1,0.5\n0,0.25\n")
    assert streamed_rows([DataFile(str(path), "csv")]).schema.names == ["y", "p"]
    assert streamed_rows([DataFile(str(path), "tsv")]).schema.names == ["y,p"]


def test_a_refusal_is_new_each_time_and_names_who_asks(tmp_path):
    path = written(tmp_path, "a.csv", f"y,p\n{ROWS}1,1e400\n")
    told = []
    for where in ("here", "there"):
        rows = streamed_rows([DataFile(str(path), "csv")])
        with pytest.raises(th.ScoreError) as caught:
            rows.use({1})
        told.append(caught.value)
    assert told[0] is not told[1]
    assert [error.where for error in told] == ["here", "there"]
    assert all(column.refusal is None or column.refusal.__traceback__ is None for column in rows._columns.values())


def test_what_goes_wrong_on_the_way_names_who_asks(tmp_path):
    for name, score in (("a", pa.array([0.5, 0.25])), ("b", pa.array([1, 2**53 + 1]))):
        written(tmp_path, f"{name}.arrow", as_file(pa.table({"y": [1, 0], "p": score}), "arrow"))
    with pytest.raises(th.ScoreError, match="first 9007199254740993") as one:
        engine_scan(tmp_path, **ASKED)
    with pytest.raises(th.ScoreError, match="first 9007199254740993") as other:
        th.scan_models(tmp_path, label="y", scores=["p"], exact=False)
    assert one.value.where.startswith("scan(")
    assert other.value.where.startswith("scan_models(")


def test_a_new_query_begins_with_no_rows_done(tmp_path):
    path = written(tmp_path, "a.csv", f"y,p\n{ROWS}")
    rows = streamed_rows([DataFile(str(path), "csv")])
    assert pa.table(rows).num_rows == rows.done.rows == 4
    rows.use({1})
    assert rows.done.rows == 0


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_both_passes_tell_their_rows(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    line = "{},0.5\n" if suffix == "csv" else '{{"y": {}, "p": 0.5}}\n'
    path.write_text("y,p\n" * (suffix == "csv") + "".join(line.format(i % 2) for i in range(3000)))
    told: list[th.Progress] = []
    th.scan(path, label="y", score="p", where=lambda t: t.p >= 0, progress=told.append)
    assert [(one.stage, one.rows, one.total) for one in told] == [
        ("learning types", 3000, None),
        ("counting", 3000, 3000),
    ]
