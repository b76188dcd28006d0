"""Filters take the same rows in memory and in an engine, and refuse the same values."""

import datetime as dt
from typing import Any

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import thresher as th

NAN, INF = float("nan"), float("inf")
ROWS = pa.table(
    {
        "y": [1, 0, 1, 0, 1, 0],
        "p": [0.5, 0.2, 0.4, 0.3, 0.6, 0.7],
        "whole": [1, 2, 3, 1, 2, 3],
        "real": pa.array([1.0, NAN, None, 1.0, 2.0, 2.0]),
        "text": ["a", "b", None, "a", "1", "b"],
        "day": [dt.date(2026, 1, 1), dt.date(2026, 1, 2), None] * 2,
        "time": pa.array([dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 2), None] * 2, pa.timestamp("ns")),  # noqa: DTZ001
        "flag": [True, False, None] * 2,
        "wild": pa.array([INF, NAN, 0.0, -0.0, -INF, None]),
        "zoned": pa.array(
            [dt.datetime(2026, 1, 1, tzinfo=dt.UTC), None, None] * 2, pa.timestamp("us", tz="Europe/Paris")
        ),
        "hour": [dt.time(0), dt.time(1), None] * 2,
        "bytes": [b"\0", b"", b"a"] * 2,
        "milli": pa.array([dt.date(2026, 1, 1), dt.date(2026, 1, 2), None] * 2, pa.date64()),
        "nothing": pa.nulls(6),
        "large": pa.array([2**63 + 5, 1, 2, 3, 4, 2**63 + 5], pa.uint64()),
    }
)
SOURCES = {
    "Arrow": ROWS,
    "mapping": {name: ROWS[name] for name in ROWS.column_names},
    "pandas": ROWS.to_pandas(),
    "an engine": ibis.memtable(ROWS),
}


@pytest.fixture(params=SOURCES)
def source(request):
    return SOURCES[request.param]


@pytest.mark.parametrize(
    ("where", "rows"),
    [
        ({"whole": 1}, [0, 3]),
        ({"whole": 2.0}, [1, 4]),
        ({"whole": np.int64(2)}, [1, 4]),
        ({"whole": True}, [0, 3]),
        ({"whole": np.array([1, 2])}, [0, 1, 3, 4]),
        ({"whole": pd.Series([1, 3])}, [0, 2, 3, 5]),
        ({"whole": range(1, 3)}, [0, 1, 3, 4]),
        ({"whole": {1, 2}, "text": "a"}, [0, 3]),
        ({"wild": INF}, [0]),
        ({"wild": [INF, 1.0]}, [0]),
        ({"wild": [-INF, INF]}, [0, 4]),
        ({"wild": 0.0}, [2, 3]),
        ({"wild": [0.0, 1.0]}, [2, 3]),
        ({"wild": [-0.0, None]}, [1, 2, 3, 5]),
        ({"large": [1, 2**63 + 5]}, [0, 1, 5]),
        ({"zoned": [dt.datetime(2026, 1, 1, tzinfo=dt.UTC), dt.datetime(2026, 1, 2, tzinfo=dt.UTC)]}, [0, 3]),
        ({"day": [np.datetime64("2026-01-01"), dt.date(2026, 1, 2)]}, [0, 1, 3, 4]),
        ({"day": pd.Timestamp("2026-01-01")}, [0, 3]),
        ({"day": [pd.Timestamp("2026-01-01T00:00:00.000000001"), dt.date(2026, 1, 2)]}, [1, 4]),
        ({"day": dt.datetime(2026, 1, 1, 2, tzinfo=dt.timezone(dt.timedelta(hours=2)))}, [0, 3]),
        ({"milli": dt.date(2026, 1, 1)}, [0, 3]),
        ({"zoned": dt.datetime(2026, 1, 1)}, [0, 3]),  # noqa: DTZ001 - which is UTC
        ({"zoned": dt.date(2026, 1, 1)}, [0, 3]),
        ({"hour": dt.time(1)}, [1, 4]),
        ({"bytes": b"\0"}, [0, 3]),
        ({"nothing": None}, [0, 1, 2, 3, 4, 5]),
        ({"real": None}, [1, 2]),
        ({"real": NAN}, [1, 2]),
        ({"real": [None, 1]}, [0, 1, 2, 3]),
        ({"text": "a"}, [0, 3]),
        ({"text": ["a", None]}, [0, 2, 3]),
        ({"flag": True}, [0, 3]),
        ({"flag": [1, pd.NA]}, [0, 2, 3, 5]),
        ({"day": dt.date(2026, 1, 1)}, [0, 3]),
        ({"day": None}, [2, 5]),
        ({"time": dt.datetime(2026, 1, 2, tzinfo=dt.UTC)}, [1, 4]),
        ({"time": pd.Timestamp("2026-01-02")}, [1, 4]),
        ({"time": np.datetime64("2026-01-02", "ns")}, [1, 4]),
    ],
    ids=str,
)
def test_the_same_rows_are_taken_everywhere(source, where, rows):
    expected = th.rank([ROWS["y"][i].as_py() for i in rows], [ROWS["p"][i].as_py() for i in rows])
    assert th.scan(source, label="y", score="p", where=where) == expected


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ({"whole": "1"}, "asks for '1' in 'whole', a column of numbers"),
        ({"whole": [1, "a"]}, "asks for 'a' in 'whole', a column of numbers"),
        ({"whole": b"1"}, "a column of numbers"),
        ({"text": 1}, "asks for 1 in 'text', a column of texts"),
        ({"day": "2026-01-01"}, "asks for '2026-01-01' in 'day', a column of dates and times"),
        ({"bytes": 1}, "asks for 1 in 'bytes', a column of bytes"),
        ({"bytes": "a"}, "a column of bytes"),
        ({"hour": 0}, "asks for 0 in 'hour', a column of times of day"),
        ({"hour": dt.date(2026, 1, 1)}, "a column of times of day"),
        ({"whole": {"a": 1}}, "which no row holds"),
        ({"whole": [[1]]}, "which no row holds"),
        ({"whole": [np.array([1, 2])]}, "which no row holds"),
        ("whole = 1", "never read from a text"),
    ],
    ids=str,
)
def test_what_no_row_can_hold_is_refused(source, where, words):
    with pytest.raises(th.errors.ArgumentError, match=words):
        th.scan(source, label="y", score="p", where=where)


@pytest.mark.parametrize("where", [{"whole": []}, {"whole": 7}, {"text": "z"}, {"nothing": 1}], ids=str)
def test_nothing_taken_is_no_ranking(source, where):
    with pytest.raises(th.errors.EmptyError):
        th.scan(source, label="y", score="p", where=where)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (lambda t: t.age > 30, "raised AttributeError: .*'age'"),
        (lambda t: t.whole, "returned a column of int64"),
        (lambda _: "whole > 1", "returned 'whole > 1'"),
        (lambda _: None, "returned None"),
    ],
)
def test_a_function_that_gives_no_condition(where, words):
    source = SOURCES["an engine"]
    with pytest.raises(th.errors.ArgumentError, match=f"the function given as where= {words}"):
        th.scan(source, label="y", score="p", where=where)


def test_a_function_may_speak_of_columns_that_it_does_not_name():
    source = SOURCES["an engine"]
    assert th.scan(source, label="y", score="p", where=lambda _: ibis._.p < 0.35) == th.rank([0, 0], [0.2, 0.3])


def test_a_column_of_numbers_and_texts_may_be_asked_for_either():
    mixed = np.array([1] * 1200 + ["x"], dtype=object)
    rows = {"y": np.arange(1201) % 2, "p": np.arange(1201.0), "k": mixed}
    assert th.scan(rows, label="y", score="p", where={"k": "x"}).total == 1
    assert th.scan(rows, label="y", score="p", where={"k": 1}).total == 1200


def test_a_function_may_give_several_conditions():
    source = SOURCES["an engine"]
    actual = th.scan(source, label="y", score="p", where=lambda t: [t.whole > 1, t.p < 0.5])
    assert actual == th.rank([0, 1], [0.2, 0.4])


FINE: dict[str, Any] = {
    "y": [1, 0, 1],
    "p": [0.5, 0.2, 0.4],
    "moment": np.array([1_000, 1_001, 2_000], "M8[ns]"),
    "lasting": np.array([1_000, 1_001, 2_000], "m8[ns]"),
}


@pytest.mark.parametrize(
    ("where", "row"),
    [
        ({"moment": pd.Timestamp(1_001)}, 1),
        ({"moment": pd.Timestamp(1_001, tz="UTC")}, 1),
        ({"moment": np.datetime64(1_001, "ns")}, 1),
        ({"moment": dt.datetime(1970, 1, 1, microsecond=1)}, 0),  # noqa: DTZ001
        ({"lasting": pd.Timedelta(1_001)}, 1),
        ({"lasting": np.timedelta64(1_001, "ns")}, 1),
        ({"lasting": np.array(2, "m8[us]")}, 2),
        ({"lasting": dt.timedelta(microseconds=2)}, 2),
    ],
    ids=str,
)
def test_nanoseconds_stay_distinct_in_memory(where, row):
    assert th.scan(FINE, label="y", score="p", where=where) == th.rank([FINE["y"][row]], [FINE["p"][row]])


def test_durations_are_no_numbers():
    with pytest.raises(th.errors.ArgumentError, match="asks for 1000 in 'lasting', a column of durations"):
        th.scan(FINE, label="y", score="p", where={"lasting": 1000})


def test_a_moment_that_utc_does_not_have():
    first = dt.datetime(1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5)))
    for source in (ROWS, ibis.memtable(ROWS)):
        with pytest.raises(th.errors.ArgumentError, match="outside the years 1 to 9999"):
            th.scan(source, label="y", score="p", where={"time": first})
    with pytest.raises(th.errors.ArgumentError, match="outside the years 1 to 9999"):
        th.scan({"y": [1, 0], "p": [0.5, 0.2], "g": [first] * 2}, label="y", score="p", by="g")
