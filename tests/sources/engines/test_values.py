"""Values are equal in engines as they are in memory: by what they are worth, whatever a column was declared as."""

import datetime as dt
from decimal import Decimal
from importlib import import_module
from typing import Any

import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.sources.engines.query import is_one_of

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
            actual = table.filter(is_one_of(ibis, table.x, [value])).x.to_pyarrow().to_pylist()
            expected = [entry for entry in rows["x"].to_pylist() if entry == value]
            assert sorted(actual) == sorted(expected), (name, value)


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20), st.data())
def test_floats_are_found_to_the_last_bit(values, data):
    wanted = data.draw(st.lists(st.sampled_from(values), min_size=1, max_size=4))
    table = ibis.memtable(pa.table({"x": values}))
    actual = table.filter(is_one_of(ibis, table.x, wanted)).x.to_pyarrow().to_pylist()
    assert sorted(actual) == sorted(value for value in values if value in wanted)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_texts_that_no_query_carries(text):
    table = ibis.memtable(pa.table({"x": ["a"]}))
    with pytest.raises(th.errors.ArgumentError, match="cannot be asked of an engine"):
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
    with pytest.raises(th.errors.ArgumentError, match="finer than a microsecond"):
        is_one_of(ibis, table.x, [np.datetime64(1, "ns")])


def test_durations_are_no_groups_of_engines():
    rows = pa.table({"y": [1, 0], "p": [0.9, 0.2], "g": pa.array([1, 1], pa.duration("us"))})
    assert list(th.scan(rows, label="y", score="p", by="g")) == [dt.timedelta(microseconds=1)]
    for how in ({"by": "g"}, {"by": "y", "where": {"g": dt.timedelta(seconds=1)}}):
        with pytest.raises(th.errors.ColumnError, match="'g' holds durations"):
            th.scan(ibis.memtable(rows), label="y", score="p", **how)
