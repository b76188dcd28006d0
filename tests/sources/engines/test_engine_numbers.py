"""Numbers reach engines as they are, whatever their size."""

import math
import sys

import ibis
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sources.test_scan import in_duckdb
from thresher.sources.engines.query import is_finite, known, number

pytestmark = pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")  # of Ibis, about pandas
INF = math.inf
ENGINES = {"duckdb": ibis.duckdb}


@pytest.fixture(params=ENGINES)
def engine(request):
    return ENGINES[request.param].connect()


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20))
def test_every_float_arrives(values):
    for connect in ENGINES.values():
        one = connect.connect()
        columns = [number(ibis, value).name(f"x{i}") for i, value in enumerate(values)]
        actual = in_duckdb(one, "one", pa.table({"a": [1]})).select(*columns).to_pyarrow()
        assert [actual[f"x{i}"][0].as_py() for i in range(len(values))] == values


LIMITS = [-INF, -sys.float_info.max, -1.5, -5e-324, 0.0, 5e-324, 0.1, 1.0, sys.float_info.max, INF]


def test_limits_are_those_of_python(engine):
    table = in_duckdb(engine, "rows", pa.table({"x": LIMITS}))
    tests = {f"least{i}": table.x >= number(ibis, limit) for i, limit in enumerate(LIMITS)}
    tests |= {f"most{i}": table.x <= number(ibis, limit) for i, limit in enumerate(LIMITS)}
    actual = table.select(x=table.x, finite=is_finite(ibis, table.x), **tests).to_pyarrow().to_pylist()
    assert len(actual) == len(LIMITS)
    for row in actual:
        assert row["finite"] == math.isfinite(row["x"])
        for i, limit in enumerate(LIMITS):
            assert row[f"least{i}"] == (row["x"] >= limit), (row["x"], limit)
            assert row[f"most{i}"] == (row["x"] <= limit), (row["x"], limit)


def test_what_is_known_is_neither_null_nor_nan(engine):
    table = in_duckdb(engine, "rows", pa.table({"x": pa.array([0.5, None, math.nan, INF])}))
    assert sorted(table.filter(known(table.x)).x.to_pyarrow().to_pylist()) == [0.5, INF]
