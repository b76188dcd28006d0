"""Values are equal in engines as they are in memory: by what they are worth, whatever a column was declared as."""

import datetime as dt
import re
from decimal import Decimal
from importlib import import_module
from typing import Any

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather
from thresher.sources.engine_values import is_one_of

import thresher as th

scanning = import_module("thresher.sources.scan")
pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # of Ibis, about pandas
INF, NAN = float("inf"), float("nan")
WIDE = {
    "double": pa.array([0.1, -0.0, 2.0**53, INF, -INF, 5e-324, 1.0, 0.0]),
    "single": pa.array([0.1, 0.5, 2.0**24, INF, -INF, 1e-45, 1.0, -0.0], pa.float32()),
    "int16": pa.array([0, 1, -1, 32767, -32768, 2, 3, 4], pa.int16()),
    "int64": pa.array([0, 1, -1, 2**62 + 1, 2**53 + 1, -(2**63), 2**63 - 1, 2], pa.int64()),
    "uint64": pa.array([0, 1, 2, 2**64 - 1, 2**53 + 1, 3, 4, 5], pa.uint64()),
    "flag": pa.array([True, False] * 4),
    "decimal": pa.array([Decimal(one) for one in ("0.10", "0.50", "1.00", "-1.25", "0.00", "99.99", "2.00", "3.00")]),
    "text": pa.array(["a", "b'", 'c"', "", "ä", "NULL", "--", "1"]),
}
NUMBERS: list[Any] = [0, 1, True, False, -1, 0.1, float(np.float32(0.1)), 0.5, -0.0, INF, -INF, 5e-324, 1.25, 32768]
NUMBERS += [2**53, 2**53 + 1, 2.0**62, 2**62 + 1, 2**64 - 1, 2**70, 10**400]
NUMBERS += [Decimal(one) for one in ("0.1", "0.10", "99.99", "1e-30", "-1.25")]


@pytest.mark.parametrize("name", WIDE)
def test_every_value_is_found_where_it_is_and_nowhere_else(name):
    values = WIDE["text"].to_pylist() if name == "text" else NUMBERS
    rows = pa.table({"x": WIDE[name]})
    sources = [ibis.memtable(rows), ibis.polars.connect({"rows": pl.DataFrame(rows).lazy()}).table("rows")]
    for table in sources[: 1 if name in ("decimal", "uint64") else 2]:
        for value in values:
            found = table.filter(is_one_of(ibis, table.x, [value])).x.to_pyarrow().to_pylist()
            expected = [entry for entry in rows["x"].to_pylist() if entry == value]
            assert sorted(found) == sorted(expected), (name, value)


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20), st.data())
def test_floats_are_found_to_the_last_bit(values, data):
    wanted = data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=4))
    engines = [ibis.memtable(pa.table({"x": values})), in_sqlite("x real", [(value,) for value in values])]
    for table in engines:
        found = table.filter(is_one_of(ibis, table.x, wanted)).x.to_pyarrow().to_pylist()
        assert sorted(found) == sorted(value for value in values if value in wanted)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_texts_that_no_query_carries(text):
    table = ibis.memtable(pa.table({"x": ["a"]}))
    with pytest.raises(th.ArgumentError, match="cannot be asked of an engine"):
        is_one_of(ibis, table.x, [text])


@pytest.mark.parametrize("zone", [None, "Europe/Amsterdam"])
@pytest.mark.parametrize("unit", ["us", "ns"])
def test_moments_in_their_zones(zone, unit):
    moments = [dt.datetime(2026, 1, 1, hour, tzinfo=dt.UTC) for hour in (0, 1, 2)]
    table = ibis.memtable(pa.table({"x": pa.array(moments, pa.timestamp(unit, tz=zone))}))
    for value in (
        moments[1],
        moments[1].replace(tzinfo=None),
        moments[1].astimezone(dt.timezone(dt.timedelta(hours=5))),
    ):
        assert table.filter(is_one_of(ibis, table.x, [value])).count().execute() == 1
    if zone is None:
        assert not table.filter(is_one_of(ibis, table.x, [np.datetime64(1, "ns")])).count().execute()
        return
    with pytest.raises(th.ArgumentError, match="finer than a microsecond"):
        is_one_of(ibis, table.x, [np.datetime64(1, "ns")])


@pytest.mark.parametrize(
    ("value", "rows"),
    [
        (dt.datetime(1970, 1, 1, microsecond=1), 1),  # noqa: DTZ001 - as columns without zones have it
        (dt.datetime(1970, 1, 1), 0),  # noqa: DTZ001
        (np.datetime64(1001, "ns"), 1),
        (pd.Timestamp(1001), 1),
        (np.datetime64(1002, "ns"), 0),
        (dt.date(3000, 1, 1), 0),
        (dt.datetime(1, 1, 1), 0),  # noqa: DTZ001
        (np.datetime64(1001_500, "ps"), 0),
    ],
    ids=str,
)
def test_nanoseconds_are_told_apart(value, rows):
    column = pa.array([1000, 1001, 2000, None], pa.timestamp("ns"))
    polars = ibis.polars.connect({"rows": pl.DataFrame({"x": column}).lazy()})
    for table in (ibis.memtable(pa.table({"x": column})), polars.table("rows")):
        assert table.filter(is_one_of(ibis, table.x, [value])).count().to_pyarrow().as_py() == rows


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_durations_are_no_groups_of_engines(tmp_path, ending):
    rows = pa.table({"y": [1, 0], "p": [0.9, 0.2], "g": pa.array([1, 1], pa.duration("s"))})
    path = tmp_path / f"rows.{ending}"
    (pq.write_table if ending == "parquet" else feather.write_feather)(rows, str(path))
    assert list(th.scan_by(path, label="y", score="p", by="g")) == [dt.timedelta(seconds=1)]
    for how in ({"by": "g"}, {"by": "y", "where": {"g": dt.timedelta(seconds=1)}}):
        with pytest.raises(th.ColumnError, match="'g' holds durations"):
            th.scan_by(path, label="y", score="p", exact=False, **how)


def in_sqlite(columns, rows):
    engine = ibis.sqlite.connect()
    engine.con.execute(f"CREATE TABLE mails ({columns})")
    engine.con.executemany(f"INSERT INTO mails VALUES ({', '.join('?' * len(rows[0]))})", rows)  # noqa: S608
    return engine.table("mails")


@pytest.mark.parametrize(
    ("kind", "values", "missing"),
    [
        ("boolean", ["true", "false", 1, 0], 2),
        ("boolean", [2, 0.5, 1, 0], 2),
        ("integer", [1.5, "x", 1, 0], 2),
        ("integer", [b"1", None, 1, 0], 2),
        ("text", [b"yes", None, "yes", "no"], 2),
    ],
)
def test_labels_of_another_type_than_declared_are_missing(kind, values, missing):
    table = in_sqlite(f"y {kind}, p real", [(value, i / 8) for i, value in enumerate(values)])
    how: dict[str, Any] = {"positive": "yes"} if kind == "text" else {}
    with pytest.raises(th.MissingValueError, match=f"{missing} of 4 labels"):
        th.scan(table, label="y", score="p", **how)
    found = th.scan(table, label="y", score="p", missing="drop", **how)
    assert found == th.rank([1, 0], [0.25, 0.375])


@pytest.mark.parametrize("kind", ["boolean", "integer", "real"])
@pytest.mark.parametrize("stray", ["true", b"1", ""])
def test_scores_and_weights_of_another_type_than_declared_are_missing(kind, stray):
    table = in_sqlite(f"y integer, p {kind}", [(1, 1), (0, 0), (1, stray), (0, 1)])
    with pytest.raises(th.MissingValueError, match="1 of 4 scores"):
        th.scan(table, label="y", score="p")
    weights = in_sqlite(f"y integer, p real, w {kind}", [(1, 0.5, 1), (0, 0.2, 1), (1, 0.7, stray)])
    with pytest.raises(th.MissingValueError, match="1 of 3 weights"):
        th.scan(weights, label="y", score="p", weight="w")


EARLY = dt.datetime(2026, 1, 1, 1)  # noqa: DTZ001 - as columns without zones have it
GROUPS = {
    "zeros": pa.array([0.0, -0.0] * 500),
    "gaps": pa.array([0.5, NAN, None, -0.0, 0.0] * 200),
    "tenths": pa.array((np.arange(1000) % 7 / 10).tolist()),
    "single": pa.array(np.float32(np.arange(1000) % 7 / 10)),
    "whole": pa.array([1, 2, None, 3] * 250),
    "words": pa.array(["a'", None, "b"] * 333 + ["a'"]),
    "days": pa.array([dt.date(2026, 1, 1 + i % 3) for i in range(1000)]),
    "moments": pa.array([dt.datetime(2026, 1, 1 + i % 3, tzinfo=dt.UTC) for i in range(1000)], pa.timestamp("us")),
    "nanoseconds": pa.array([i % 3 * 1000 + i % 2 for i in range(1000)], pa.timestamp("ns")),
    "milliseconds": pa.array([dt.date(2026, 1, 1 + i % 3) for i in range(1000)], pa.date64()),
    "flags": pa.array([True, False, None, True] * 250),
    "zoned": pa.array(
        [dt.datetime(2026, 1, 1 + i % 3, tzinfo=dt.UTC) for i in range(1000)], pa.timestamp("us", tz="Europe/Paris")
    ),
}


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("exact", [None, True])
def test_groups_are_those_of_memory(monkeypatch, name, exact):
    rng = np.random.default_rng(1)
    rows = pa.table({"y": rng.integers(0, 2, 1000), "p": rng.random(1000), "g": GROUPS[name]})
    if exact:
        monkeypatch.setattr(scanning, "ROWS_TO_GROUP", 0)
        monkeypatch.setattr(scanning, "ROWS_AT_ONCE", 60)
    expected = th.scan_by(rows, label="y", score="p", by="g")
    found = th.scan_by(ibis.memtable(rows), label="y", score="p", by="g", exact=exact, buckets=16)
    assert found == expected
    assert sum(ranking.total for ranking in found.values()) == 1000


def test_large_whole_numbers_stay_apart_beside_a_gap():
    large = 2**53
    groups = [large, large, large + 1, large + 1, None, None]
    rows = [(i % 2, i / 8, group) for i, group in enumerate(groups)]
    table = in_sqlite("y integer, p real, g integer", rows)
    found = th.scan_by(table, label="y", score="p", by="g")
    assert {group: ranking.total for group, ranking in found.items()} == {large: 2, large + 1: 2, None: 2}


def test_a_moment_is_a_day_only_at_midnight():
    days = pa.array([dt.date(2026, 1, 1), dt.date(2026, 1, 2)])
    table = ibis.memtable(pa.table({"x": days}))
    east = dt.timezone(dt.timedelta(hours=1))
    for value, rows in (
        (dt.datetime(2026, 1, 2, tzinfo=dt.UTC), 1),
        (dt.datetime(2026, 1, 2, 1, tzinfo=dt.UTC), 0),
        (dt.datetime(2026, 1, 2, tzinfo=east), 0),
        (dt.date(2026, 1, 2), 1),
    ):
        assert table.filter(is_one_of(ibis, table.x, [value])).count().to_pyarrow().as_py() == rows


def test_decimals_of_many_digits_are_not_rounded():
    long = Decimal(1234567890123456789012345678)
    table = ibis.memtable(pa.table({"x": pa.array([long], pa.decimal128(38, 10))}))
    for value, rows in ((long, 1), (Decimal(f"{long}.00000000001"), 0)):
        assert table.filter(is_one_of(ibis, table.x, [value])).count().to_pyarrow().as_py() == rows


def test_zero_needs_no_digit_before_the_point():
    table = ibis.memtable(pa.table({"x": pa.array([Decimal("0.00"), Decimal("0.25")], pa.decimal128(2, 2))}))
    for value in (0, 0.0, Decimal("0.000")):
        assert table.filter(is_one_of(ibis, table.x, [value])).count().to_pyarrow().as_py() == 1


def test_clusters_that_are_no_numbers_are_missing():
    rows = {"y": [1, 0, 1, 0], "a": [0.1, 0.2, 0.3, 0.4], "b": [0.3, 0.2, 0.1, 0.5], "c": [1.0, 2.0, NAN, NAN]}
    with pytest.raises(th.MissingValueError, match="2 of 4 rows"):
        th.compare_scan(ibis.memtable(pa.table(rows)), label="y", scores=["a", "b"], cluster="c")


@pytest.mark.parametrize(
    ("kind", "values", "groups"),
    [
        ("date", ["2026-01-01", "2026-01-02 00:00:00", 20454, None], [dt.date(2026, 1, 1), dt.date(2026, 1, 2), None]),
        ("timestamp", ["2026-01-01 01:00:00", "2026-01-01T01:00:00.000", 1767225600, None], [EARLY, None]),
        ("time", ["01:00:00", "01:00:00.000000000", 3600, None], [dt.time(1), None]),
        ("numeric", [1.5, 1.5, 2, None], [Decimal("1.5"), Decimal(2), None]),
        ("blob", [b"a", b"a", "a", 1], [b"a", None]),
    ],
)
def test_groups_that_a_column_of_their_type_holds(kind, values, groups):
    """What is of another type is missing, and what is written otherwise is the same."""
    rows = [(i % 2, i / 8, value, 2**53 + i if i else None) for i, value in enumerate(values)]
    table = in_sqlite(f"y integer, p real, g {kind}, k integer", rows)
    found = th.scan_by(table, label="y", score="p", by="g")
    assert set(found) == set(groups)
    assert sum(ranking.total for ranking in found.values()) == 4
    both = th.scan_by(table, label="y", score="p", by=["g", "k"])
    assert {key for _, key in both} == {None, *(2**53 + i for i in (1, 2, 3))}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "May"),
        ("date", "2026-01-01 10:00:00"),
        ("timestamp", "2026/01/01 10:00"),
        ("timestamp", "2026-01-01 10:00:00.123456789"),
        ("timestamp", "20260101T100000.1234567"),
        ("time", ""),
        ("time", "10:00:00+02:00"),
        ("numeric", "much"),
    ],
)
def test_texts_that_cannot_be_read_are_refused(kind, text):
    table = in_sqlite(f"y integer, p real, g {kind}", [(1, 0.9, text), (0, 0.1, None)])
    with pytest.raises(th.SourceError, match=re.escape(f"holds '{text}', which cannot be read")):
        th.scan_by(table, label="y", score="p", by="g")


def test_labels_that_an_engine_keeps_as_texts_of_any_writing():
    """Range by range, a query would look for one writing."""
    table = in_sqlite("y timestamp, p real, q real", [("2026-01-01T10:00:00", 0.9, 0.1), ("2026-01-02", 0.1, 0.2)])
    with pytest.raises(th.ColumnError, match="'y' are days or times"):
        th.scan(table, label="y", score="p", positive=dt.date(2026, 1, 1))
    with pytest.raises(th.ColumnError, match="'y' are days or times"):
        th.compare_scan(table, label="y", scores=["p", "q"], positive=dt.date(2026, 1, 1))
