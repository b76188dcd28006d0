"""Rows in the embedded engine: the same as in memory, and refused where memory refuses them."""

import json
import re
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

import thresher as th

ROWS = pa.table({"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1], "q": [0.9, 0.2, 0.7, 0.1], "list": [[1], [2], [3], [4]]})
Y, P = [1, 0, 1], [0.9, 0.5, 0.1]
FRAMES = {
    "pyarrow": lambda: ROWS,
    "reader": lambda: pa.RecordBatchReader.from_batches(ROWS.schema, ROWS.to_batches()),
    "dataset": lambda: ds.dataset(ROWS),
    "batch": lambda: ROWS.to_batches()[0],
    "pandas": ROWS.to_pandas,
    "Polars": lambda: pl.DataFrame(ROWS),
    "lazy": lambda: pl.DataFrame(ROWS).lazy(),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_are_filtered_by_functions(frame):
    """Columns that hold several values per row are in nobody's way."""
    assert th.scan(FRAMES[frame](), label="y", score="p") == th.rank([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1])
    found = th.scan(FRAMES[frame](), label="y", score="p", where=lambda t: t.q < 0.8)
    assert found == th.rank([0, 1, 0], [0.8, 0.7, 0.1])


def test_a_column_that_is_named_as_those_of_a_query(tmp_path):
    """What a query calls its own columns is nobody's asking for those of the rows."""
    for name in ("label", "key", "cases", "low", "high", "positive", "x0"):
        odd = {"y": Y, "p": P, name: [1j, 2j, 3j]}
        assert th.scan(odd, label="y", score="p", where=lambda t: t.p >= 0).total == 3
        path = tmp_path / f"{name}.csv"
        path.write_text(f"y,p,{name},{name}\n1,0.5,1,2\n0,0.25,1,2\n")
        assert th.scan(path, label="y", score="p", where=lambda t: t.p >= 0).total == 2


@pytest.mark.parametrize("suffix", ["frame", "csv", "parquet"])
def test_names_that_differ_in_case_alone_are_never_taken_for_another(tmp_path, suffix):
    table = rows(P=[0.1, 0.5, 0.9], P_1=[0.5, 0.5, 0.5])
    if suffix != "frame":
        written(tmp_path, suffix, {"a": table})
    source = table if suffix == "frame" else tmp_path
    assert th.scan(source, label="y", score="p", where=lambda t: t.p >= 0) == th.rank(Y, P)
    for name in ("P", "P_1"):
        with pytest.raises(th.ColumnError, match=f"has no column '{name}'"):
            th.scan(source, label="y", score=name, where=lambda t: t.p >= 0)


def test_all_columns_are_there_for_what_looks_at_all_of_them(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,p,q\n1,0.5,1\n0,0.25,2\n1,0.5,3\n")
    found = th.scan(path, label="y", score="p", where=lambda t: t.y <= t.distinct().count() - 2)
    assert found.total == 3


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    "asked",
    [
        'scan("-", label="y", score="p", exact=False).total == 4',
        'scan("-", label="y", score="p", exact=True).total == 4',
        'scan("-", label="y", score="p", where=lambda t: t.q < 0.8).total == 3',
        'scan("-", label="y", score="p", where={"q": 0.9}).total == 1',
        'th.compare_scan("-", label="y", scores=["p", "q"]).names == ("p", "q")',
        'len(th.evaluate_scan("-", label="y", scores=["p", "q"], paired=False).models) == 2',
    ],
)
def test_standard_input(tmp_path, suffix, asked):
    path = tmp_path / f"rows.{suffix}"
    rows: pd.DataFrame = ROWS.drop(["list"]).to_pandas()
    if suffix == "csv":
        rows.to_csv(path, index=False)
    elif suffix == "jsonl":
        rows.to_json(path, orient="records", lines=True)
    else:
        pq.write_table(ROWS.drop(["list"]), path)
    code = f"import thresher as th; scan = th.scan; print({asked})"
    with path.open("rb") as stdin:
        ran = subprocess.run(  # noqa: S603
            [sys.executable, "-c", code], stdin=stdin, capture_output=True, text=True, check=False, timeout=120
        )
    assert ran.stdout.strip() == "True", ran.stderr


BEYOND = 2**53 + 1


def rows(**columns):
    return pa.table({"y": Y, "p": P} | columns)


def written(folder, suffix, tables):
    for name, table in tables.items():
        path = folder / f"{name}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if suffix == "parquet":
            pq.write_table(table, path)
        elif suffix == "arrow":
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                writer.write_table(table)
        elif suffix == "csv":
            pa_csv.write_csv(table, path)
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def asked_everywhere(place, **asked):
    """What memory, the engine and ranges say of a place: rankings, or the type of an error and what it says."""
    scan: Any = th.scan_by if "by" in asked else th.scan
    ways: list[dict[str, Any]] = [{}, {"where": lambda _: ibis.literal(value=True)}, {"exact": False}]
    found: list[Any] = []
    for way in ways:
        try:
            found.append(scan(place, label="y", score="p", **asked, **way))
        except th.ThresherError as error:
            found.append((type(error), error.what))
    return found


PATTERNS = {
    "a file whose name is a pattern": (["a[1]", "a1"], "a[1].{}", {}),
    "a pattern beside a file that it matches": (["s*", "s1", "s?"], "", {}),
    "a folder whose name is a pattern": (["g3[1]/x", "g31/x"], "g3[1]", {}),
    "keys that are patterns": (["day=[1]/x", "day=1/x", "day=*/x", "day=?/x"], "", {"by": "day"}),
    "keys that hold what parts keys": (["day=a=b/x", "day=c\\d/x"], "", {"by": "day"}),
    "a key that is quoted": (["the%20day=1/x", "the%20day=2/x"], "", {"by": "the day"}),
    "a pattern with a backslash": (["a\\b[1]", "a\\b1"], "a\\b[[]1].{}", {}),
    "names of unlike letters": (["P=1/x", "P=2/x"], "", {}),
}


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv", "jsonl"])
@pytest.mark.parametrize("case", PATTERNS)
def test_names_of_files_are_no_patterns(tmp_path, suffix, case):
    names, place, asked = PATTERNS[case]
    written(tmp_path, suffix, {name: rows(p=[0.1 * at, 0.5, 0.9]) for at, name in enumerate(names)})
    memory, *others = asked_everywhere(tmp_path / place.format(suffix), **asked)
    assert isinstance(memory, th.Ranking | dict)
    assert others == [memory, memory]


TOGETHER: dict[str, tuple[pa.Table, pa.Table, dict[str, Any]]] = {
    "columns in another order": (rows(), pa.table({"p": P, "y": Y}), {}),
    "names that differ in case, in another order": (
        rows(P=[1.0, 2.0, 3.0]),
        pa.table({"y": Y, "P": [1.0, 2.0, 3.0], "p": P}),
        {},
    ),
    "whole numbers and floats": (rows(), rows(p=[1, 2, 3]), {}),
    "truth values and numbers": (rows(y=[True, False, True]), rows(), {}),
    "texts and categories": (
        rows(y=["a", "b", "a"]),
        rows(y=pa.array(["a", "b", "a"]).dictionary_encode()),
        {"positive": "a"},
    ),
    "scores and none": (rows(), rows(p=pa.nulls(3)), {"missing": "drop"}),
    "a file without rows": (rows(), rows(p=["a", "b", "c"]).slice(0, 0), {}),
}


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("case", TOGETHER)
def test_files_that_go_together(tmp_path, suffix, case):
    one, other, asked = TOGETHER[case]
    written(tmp_path, suffix, {"a": one, "b": other})
    memory, *others = asked_everywhere(tmp_path, **asked)
    assert isinstance(memory, th.Ranking)
    assert others == [memory, memory]


def test_a_large_whole_number_that_fits_goes_with_floats(tmp_path):
    written(tmp_path, "parquet", {"a": rows(), "b": rows(p=[1, 2, 2**60])})
    memory, engine, _ = asked_everywhere(tmp_path)
    assert memory == engine


UNLIKE: dict[str, tuple[pa.Table, pa.Table, dict[str, Any], type[Exception], str]] = {
    "no score": (rows(), rows().drop(["p"]), {"missing": "drop"}, th.ColumnError, "'p'"),
    "no group": (rows(g=[1, 1, 1]), rows(), {"by": "g"}, th.ColumnError, "'g'"),
    "another column": (rows(g=[1, 1, 1]), rows(), {}, th.ColumnError, "'g' is in"),
    "numbers and texts": (rows(), rows(y=["1", "0", "1"]), {}, th.ColumnError, "'y' is int64 in .* and string in"),
    "numbers with gaps, and texts": (
        rows(y=[1, 0, None]),
        rows(y=["1", "0", "1"]),
        {"missing": "drop"},
        th.ColumnError,
        "'y' is int64 in .* and string in",
    ),
    "a name in capitals": (rows(), pa.table({"y": Y, "P": P}), {}, th.ColumnError, "'p'"),
    "days and moments": (
        rows(g=[date(2026, 5, 1)] * 3),
        rows(g=[datetime(2026, 5, 1)] * 3),  # noqa: DTZ001 - columns without a zone
        {"by": "g"},
        th.ColumnError,
        r"'g' is date32\[day\] in .* and timestamp\[us\] in",
    ),
    "a large whole number and floats": (rows(), rows(p=[1, 2, BEYOND]), {}, th.ScoreError, "fit a float64 exactly"),
}


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("case", UNLIKE)
def test_files_that_do_not_go_together_are_refused_everywhere(tmp_path, suffix, case):
    one, other, asked, error, what = UNLIKE[case]
    written(tmp_path, suffix, {"a": one, "b": other})
    for kind, told in asked_everywhere(tmp_path, **asked):
        assert kind is error
        assert re.search(what, told)
        assert "Traceback" not in told


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv", "jsonl"])
def test_keys_that_not_all_folders_have(tmp_path, suffix):
    written(tmp_path, suffix, {"day=1/x": rows(), "x": rows()})
    assert {kind for kind, _ in asked_everywhere(tmp_path, by="day")} == {th.ColumnError}
    unasked = asked_everywhere(tmp_path)
    if suffix == "jsonl":  # where an absent key is a missing value
        assert unasked == [unasked[0]] * 3
        assert unasked[0].total == 6
    else:
        assert {kind for kind, _ in unasked} == {th.ColumnError}


def test_a_key_that_a_file_of_lines_never_has(tmp_path):
    written(tmp_path, "jsonl", {"a": rows(q=P), "b": rows().drop(["p"])})
    for kind, told in asked_everywhere(tmp_path, missing="drop"):
        assert kind is th.ColumnError
        assert "b.jsonl has no column 'p'" in told


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv", "jsonl"])
def test_a_key_of_folders_that_is_a_column_too(tmp_path, suffix):
    written(tmp_path / "asked", suffix, {"p=1/a": rows(), "p=2/a": rows()})
    for kind, told in asked_everywhere(tmp_path / "asked"):
        assert kind is th.ColumnError
        assert "has 2 columns called 'p'" in told
    written(tmp_path / "unasked", suffix, {"q=1/a": rows(q=P), "q=2/a": rows(q=P)})
    memory, *others = asked_everywhere(tmp_path / "unasked")
    assert memory.total == 6
    assert others == [memory, memory]


def test_names_that_differ_only_in_case(tmp_path):
    (tmp_path / "rows.csv").write_text("Y,y\n1,0.9\n0,0.1\n")
    assert th.scan(tmp_path / "rows.csv", label="Y", score="y").total == 2
    with pytest.raises(th.ColumnError) as raised:
        th.scan(tmp_path / "rows.csv", label="Y", score="y", where=lambda t: t.Y >= 0)
    assert "differ only in case" in raised.value.fix


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_decimals_that_the_engine_would_misread(tmp_path, ending):
    """Of Parquet it makes numbers that nobody wrote."""
    long = pa.array([Decimal("0.25"), Decimal("0.5")], pa.decimal256(40, 2))
    rows = pa.table({"y": [1, 0], "p": [0.9, 0.2], "long": long})
    path = tmp_path / f"rows.{ending}"
    (pq.write_table if ending == "parquet" else feather.write_feather)(rows, str(path))
    assert th.scan(path, label="y", score="p", where=lambda t: t.p > 0) == th.rank([1, 0], [0.9, 0.2])
    assert th.scan(path, label="y", score="long").score.tolist() == [0.5, 0.25]
    for how in ({"score": "long"}, {"score": "p", "weight": "long"}, {"score": "p", "where": {"long": 1}}):
        with pytest.raises(th.ColumnError, match=r"'long' holds decimal256\(40, 2\)"):
            th.scan(path, label="y", exact=False, **how)
