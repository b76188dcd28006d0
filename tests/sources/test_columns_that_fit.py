from importlib import import_module

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.sources.test_scan import in_duckdb, in_postgres
from thresher.sources.scan import columns_that_fit, first_columns, source_names

scanning = import_module("thresher.sources.scan")

DATA = {
    "y": np.array([1, 0, 1, 0], dtype=np.int16),
    "p": np.array([0.9, 0.25, 0.5, 0.125]),
    "word": np.array(["a", "b", "a", "c"]),
}


@pytest.fixture(params=["parquet", "duckdb", "postgres"])
def source(request, tmp_path):
    if request.param == "parquet":
        pq.write_table(pa.table(DATA), tmp_path / "rows.parquet")
        return str(tmp_path / "rows.parquet"), None
    if request.param == "duckdb":
        engine = ibis.duckdb.connect(tmp_path / "rows.duckdb")
        in_duckdb(engine, "fetched", pa.table(DATA))
        engine.disconnect()
        return str(tmp_path / "rows.duckdb"), "fetched"
    server = request.getfixturevalue("postgres")
    in_postgres(server, "fetched", DATA)
    return server.url, "fetched"


def test_few_rows_are_read_wherever_they_are(source):
    place, table = source
    actual = columns_that_fit(place, ["p", "y", "p", "word"], table=table)
    assert actual is not None
    assert sorted(zip(*(actual[name].tolist() for name in ("p", "y", "word")), strict=True)) == sorted(
        zip(*(DATA[name].tolist() for name in ("p", "y", "word")), strict=True)
    )


def test_rows_of_a_database_file_come_in_their_order(tmp_path):
    """The same seed draws the same rows again only from rows in the same order."""
    engine = ibis.duckdb.connect(tmp_path / "rows.duckdb")
    engine.con.execute("CREATE TABLE rows AS SELECT range AS p FROM range(600000)")
    engine.disconnect()
    actual = columns_that_fit(tmp_path / "rows.duckdb", ["p"], table="rows")
    assert actual is not None
    np.testing.assert_array_equal(actual["p"], np.arange(600_000))


def test_many_are_not(source, monkeypatch):
    monkeypatch.setattr(scanning, "ROWS_TO_STREAM", 3)
    monkeypatch.setattr(scanning, "memory_budget", lambda: 0)
    place, table = source
    assert columns_that_fit(place, ["p"], table=table) is None


def test_names_and_first_rows(source):
    place, table = source
    assert source_names(place, table=table) == ("y", "p", "word")
    assert set(first_columns(place, ["word"], table=table)["word"]) == {"a", "b", "c"}


def test_absent_columns_and_tables_are_named(source):
    place, table = source
    with pytest.raises(th.errors.ColumnError, match="has no column 'q'"):
        columns_that_fit(place, ["q"], table=table)
    if table is None:
        with pytest.raises(th.errors.ArgumentError, match="holds no tables"):
            columns_that_fit(place, ["p"], table="mails")
