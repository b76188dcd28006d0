import datetime as dt
from typing import Any

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import thresher as th

DAY = dt.datetime(2026, 1, 1)  # noqa: DTZ001 - as frames without zones have it
NANO = np.datetime64(1, "ns")

ROWS: dict[str, list[Any]] = {
    "y": [1, 0, 1, 0, 1, 0],
    "p": [0.9, 0.8, 0.7, 0.3, 0.2, 0.1],
    "q": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    "w": [1.0, 2.0, 0.0, 1.0, 0.5, 1.0],
    "week": [1, 1, 2, 2, None, None],
    "place": ["a", "b", "a", "b", "a", "b"],
}


def test_frames_are_ranked_where_they_are():
    for frame in (ROWS, pl.DataFrame(ROWS), pl.LazyFrame(ROWS), pl.DataFrame(ROWS).to_pandas()):
        assert th.scan(frame, label="y", score="p") == th.rank(ROWS["y"], ROWS["p"])
        assert th.scan(frame, label="y", score="p", weights="w") == th.rank(ROWS["y"], ROWS["p"], weights=ROWS["w"])


def test_files_are_read_when_they_fit(tmp_path):
    pl.DataFrame(ROWS).write_csv(tmp_path / "rows.csv")
    assert th.scan(tmp_path / "rows.csv", label="y", score="p") == th.rank(ROWS["y"], ROWS["p"])


def test_several_models():
    actual = th.scan(pl.DataFrame(ROWS), label="y", score=["p", "q"])
    assert actual == {name: th.rank(ROWS["y"], ROWS[name]) for name in ("p", "q")}


def test_groups_and_rows_without_one():
    actual = th.scan(pl.DataFrame(ROWS), label="y", score="p", by="week")
    assert actual == {
        1: th.rank([1, 0], [0.9, 0.8]),
        2: th.rank([1, 0], [0.7, 0.3]),
        None: th.rank([1, 0], [0.2, 0.1]),
    }
    both = th.scan(pl.DataFrame(ROWS), label="y", score="p", by=["week", "place"])
    assert set(both) == {(week, place) for week in (1, 2, None) for place in "ab"}


def test_filters_take_rows_by_value():
    actual = th.scan(pl.DataFrame(ROWS), label="y", score="p", where={"place": "a", "week": [1, 2]})
    assert actual == th.rank([1, 1], [0.9, 0.7])
    with pytest.raises(th.errors.EmptyError, match="no row meets"):
        th.scan(pl.DataFrame(ROWS), label="y", score="p", where={"place": "z"})


@pytest.mark.parametrize("frame", [ROWS, pl.DataFrame(ROWS), pl.LazyFrame(ROWS), pd.DataFrame(ROWS)], ids=type)
def test_an_expression_filters_frames_and_a_function_does_not(frame):
    actual = th.scan(frame, label="y", score="p", where=pc.field("q") > 0.25)
    assert actual == th.rank(ROWS["y"][2:], ROWS["p"][2:])
    with pytest.raises(th.errors.ArgumentError, match="filter tables of engines alone"):
        th.scan(frame, label="y", score="p", where=lambda t: t.q > 0.25)


def test_missing_values_are_dropped_from_their_group():
    rows = {"y": [1, 0, 1, 0], "p": [0.9, np.nan, 0.7, 0.2], "week": [1, 1, 2, 2]}
    with pytest.raises(th.errors.MissingValueError, match="1 of 4 scores"):
        th.scan(rows, label="y", score="p", by="week")
    actual = th.scan(rows, label="y", score="p", by="week", missing="drop")
    assert (actual[1].dropped, actual[2].dropped) == (1, 0)


def test_one_class_in_a_group_is_a_ranking():
    actual = th.scan({"y": ["a", "b"], "p": [1, 2], "g": [1, 2]}, label="y", score="p", by="g", positive="b")
    assert (actual[1].Pos, actual[2].Pos) == (0, 1)


def test_absent_columns_are_named():
    with pytest.raises(th.errors.ColumnError, match="did you mean 'p'"):
        th.scan(pl.DataFrame(ROWS), label="y", score="P")


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (pd.array(["a", pd.NA, "a", "b"], dtype="string"), ["a", None, "b"]),
        (pd.array(["a", pd.NA, "a", "b"], dtype=pd.ArrowDtype(pa.string())), ["a", None, "b"]),
        (pd.array([True, pd.NA, True, False], dtype="boolean"), [True, None, False]),
        (pd.array([1, pd.NA, 1, 2], dtype="Int64"), [1, None, 2]),
        (pd.Categorical(["a", None, "a", "b"]), ["a", None, "b"]),
        (pd.to_datetime(["2026-01-01", None, "2026-01-01", "2026-01-02"]), [DAY, None, DAY + dt.timedelta(1)]),
        (pd.array(pd.to_datetime([1, None, 1, 2], unit="ns")), [NANO, None, NANO + 1]),
    ],
    ids=["string", "Arrow", "boolean", "Int64", "category", "days", "nanoseconds"],
)
def test_groups_of_every_kind(values, names):
    frame = pd.DataFrame({"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.3, 0.1], "g": values})
    assert list(th.scan(frame, label="y", score="p", by="g")) == names


def test_groups_that_are_no_plain_values():
    frame = pd.DataFrame({"y": [1, 0], "p": [0.9, 0.8], "g": [{1}, {2}]})
    with pytest.raises(th.errors.ColumnError, match="plain values"):
        th.scan(frame, label="y", score="p", by="g")
    table = ibis.memtable(pa.table({"y": [1, 0], "p": [0.9, 0.8], "g": [[1], [2]]}))
    with pytest.raises(th.errors.ColumnError, match="not one value per row"):
        th.scan(table, label="y", score="p", by="g")
    with pytest.raises(th.errors.ColumnError, match="not one value per row"):
        th.scan(table, label="g", score="p")


def test_labels_of_an_arrow_extension_type():
    storage = pa.array([1, 0, 1], pa.int8())
    table = pa.table({"y": pa.ExtensionArray.from_storage(pa.bool8(), storage), "p": [0.3, 0.2, 0.1]})
    expected = th.rank([True, False, True], [0.3, 0.2, 0.1])
    assert th.scan(table, label="y", score="p") == expected
    assert th.scan(pa.concat_tables([table[:1], table[1:]]), label="y", score="p") == expected
