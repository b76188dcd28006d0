"""Engines that refuse, vanish or are interrupted: one paragraph, no secrets, nothing left behind."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from thresher import extras
from thresher.sources import database


def test_a_wrong_password_is_told_without_it(postgres):
    with pytest.raises(th.SourceError, match="the login was refused") as raised:
        th.scan(postgres.url.replace("tulip", "rose"), table="mails", label="y", score="p")
    assert "rose" not in str(raised.value)
    assert "ann:" not in str(raised.value)


def test_a_host_that_does_not_answer():
    with pytest.raises(th.SourceError, match="it cannot be reached") as raised:
        th.scan("postgres://ann:tulip@127.0.0.1:1/db", table="mails", label="y", score="p")
    assert "tulip" not in str(raised.value)


def test_a_database_that_is_not_there(postgres):
    with pytest.raises(th.SourceError, match="does not exist"):
        th.scan(postgres.url.replace("/postgres", "/absent"), table="mails", label="y", score="p")


def test_a_table_that_is_not_there_and_one_that_is_not_named(postgres):
    with postgres.connection() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS there (y int, p float8)")
    with pytest.raises(th.SourceError, match="has no table 'their'"):
        th.scan(postgres.url, table="their", label="y", score="p")
    with pytest.raises(th.ArgumentError, match="none is named"):
        th.scan(postgres.url, label="y", score="p")
    with pytest.raises(th.EmptyError, match="no rows"):
        th.scan(postgres.url, table="there", label="y", score="p")


def test_tables_of_a_schema(postgres):
    with postgres.connection() as connection:
        connection.execute('CREATE SCHEMA IF NOT EXISTS "day 1"')
        connection.execute('DROP TABLE IF EXISTS "day 1".mails')
        connection.execute('CREATE TABLE "day 1".mails AS SELECT 1 AS y, 0.5::float8 AS p UNION ALL SELECT 0, 0.25')
    found = th.scan(postgres.url, table=("day 1", "mails"), label="y", score="p")
    assert found == th.rank([1, 0], [0.5, 0.25])


def test_scans_only_read(postgres):
    with postgres.connection() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS there (y int, p float8)")
    with database.opened(postgres.url, table="there", where="here") as engine:
        backend = engine.table.get_backend()
        with pytest.raises(Exception, match="read-only"):
            backend.con.execute("DROP TABLE there")


def test_a_server_that_dies_in_the_middle(postgres):
    with postgres.connection() as connection:
        connection.execute("DROP TABLE IF EXISTS slow")
        connection.execute("CREATE TABLE slow AS SELECT g % 2 AS y, g::float8 AS p FROM generate_series(1, 2000) g")
        connection.execute("CREATE OR REPLACE VIEW slower AS SELECT y, p, pg_sleep(0.01)::text AS s FROM slow")

    def kill():
        with postgres.connection() as connection:
            for _ in range(300):
                time.sleep(0.1)
                done = connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                    "AND state = 'active' AND backend_type = 'client backend' "
                    "AND now() - query_start > interval '0.5 s'"
                )
                if done.fetchall():
                    break

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(th.SourceError, match="the connection was lost"):
            th.scan(postgres.url, table="slower", label="y", score="p", where=lambda t: t.s == "")
    finally:
        killer.join()
    assert th.scan(postgres.url, table="slow", label="y", score="p").total == 2000


def test_an_absent_driver_names_its_extra(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "psycopg" else True)
    with pytest.raises(th.MissingExtraError, match=r"thresher\[postgres\]"):
        th.scan("postgres://127.0.0.1/db", table="mails", label="y", score="p")
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "ibis" else True)
    with pytest.raises(th.MissingExtraError, match=r"thresher\[sql\]"):
        th.scan("postgres://127.0.0.1/db", table="mails", label="y", score="p")


@pytest.mark.parametrize("place", ["oracel://example/db", "nothing://x"])
def test_a_url_of_no_known_engine(place):
    with pytest.raises(th.SourceError, match="no engine is known"):
        th.scan(place, table="mails", label="y", score="p")


def test_a_table_of_files_is_no_table(tmp_path):
    pq.write_table(pa.table({"y": [1, 0], "p": [0.5, 0.2]}), tmp_path / "rows.parquet")
    with pytest.raises(th.ArgumentError, match="holds no tables"):
        th.scan(tmp_path / "rows.parquet", table="mails", label="y", score="p", exact=False)
    with pytest.raises(th.ArgumentError, match="holds no tables"):
        th.scan(tmp_path / "rows.parquet", table="mails", label="y", score="p")


def test_a_broken_file_is_told(tmp_path):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(th.SourceError, match=r"rows\.parquet"):
        th.scan(tmp_path / "rows.parquet", label="y", score="p", exact=False)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    pq.write_table(pa.table({"y": [1, 0], "p": [0.5, 0.2]}), tmp_path / "rows.parquet")
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    th.scan(tmp_path / "rows.parquet", label="y", score="p", exact=False)
    with pytest.raises(th.ColumnError):
        th.scan(tmp_path / "rows.parquet", label="y", score="absent", exact=False)
    assert list(spill.iterdir()) == []


def test_control_c_leaves_nothing_behind(tmp_path):
    rng = np.random.default_rng(0)
    size = 3_000_000
    rows = pa.table({"y": rng.integers(0, 2, size), "p": rng.random(size)})
    for i in range(4):
        pq.write_table(rows, tmp_path / f"{i}.parquet")
    spill = tmp_path / "spill"
    spill.mkdir()
    code = (
        "import thresher as th, sys; print('ready', flush=True);"
        f"[th.scan({str(tmp_path / '*.parquet')!r}, label='y', score='p', exact=False) for _ in range(100)]"
    )
    scanning = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(spill)},
        text=True,
    )
    assert scanning.stdout is not None
    scanning.stdout.readline()
    waited = time.monotonic()
    while not list(Path(spill).iterdir()) and time.monotonic() - waited < 60:
        time.sleep(0.05)
    time.sleep(0.5)
    scanning.send_signal(signal.SIGINT)
    _, told = scanning.communicate(timeout=60)
    assert scanning.returncode != 0
    assert "KeyboardInterrupt" in told
    assert list(spill.iterdir()) == []
