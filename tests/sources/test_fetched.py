import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.sources.test_scan import in_postgres
from thresher.sources import fetched

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
        engine.create_table("fetched", pa.table(DATA))
        engine.disconnect()
        return str(tmp_path / "rows.duckdb"), "fetched"
    server = request.getfixturevalue("postgres")
    in_postgres(server, "fetched", DATA)
    return server.url, "fetched"


def test_few_rows_are_read_wherever_they_are(source):
    place, table = source
    found = fetched.fetched_columns(place, ["p", "y", "p", "word"], table=table)
    assert found is not None
    assert sorted(zip(*(found[name].tolist() for name in ("p", "y", "word")), strict=True)) == sorted(
        zip(*(DATA[name].tolist() for name in ("p", "y", "word")), strict=True)
    )


def test_rows_of_a_database_file_come_in_their_order(tmp_path):
    """The same seed draws the same rows again only from rows in the same order."""
    engine = ibis.duckdb.connect(tmp_path / "rows.duckdb")
    engine.con.execute("CREATE TABLE rows AS SELECT range AS p FROM range(600000)")
    engine.disconnect()
    found = fetched.fetched_columns(tmp_path / "rows.duckdb", ["p"], table="rows")
    assert found is not None
    np.testing.assert_array_equal(found["p"], np.arange(600_000))


def test_many_are_not(source, monkeypatch):
    monkeypatch.setattr(fetched, "MOST_ROWS", 3)
    monkeypatch.setattr(fetched, "memory", lambda: 0)
    place, table = source
    assert fetched.fetched_columns(place, ["p"], table=table) is None


def test_names_and_first_rows(source):
    place, table = source
    assert fetched.source_names(place, table=table) == ("y", "p", "word")
    assert set(fetched.first_columns(place, ["word"], table=table)["word"]) == {"a", "b", "c"}


def test_absent_columns_and_tables_are_told(source):
    place, table = source
    with pytest.raises(th.ColumnError, match="has no column 'q'"):
        fetched.fetched_columns(place, ["q"], table=table)
    if table is None:
        with pytest.raises(th.ArgumentError, match="holds no tables"):
            fetched.fetched_columns(place, ["p"], table="mails")
