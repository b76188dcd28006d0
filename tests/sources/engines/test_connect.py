"""Engines that refuse, vanish or are interrupted: one paragraph, no secrets, nothing left behind."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.engines import require
from tests.sources.test_scan import in_duckdb
from thresher._internal import optional as extras
from thresher.sources.engines.connect import open_table


def test_the_error_does_not_show_a_wrong_password(postgres):
    with pytest.raises(th.errors.SourceError, match="the login was refused") as raised:
        th.scan(postgres.url.replace("tulip", "rose"), table="mails", label="y", score="p")
    assert "rose" not in str(raised.value)
    assert "ann:" not in str(raised.value)


def test_a_host_that_does_not_answer():
    with pytest.raises(th.errors.SourceError, match="it cannot be reached") as raised:
        th.scan("postgres://ann:tulip@127.0.0.1:1/db", table="mails", label="y", score="p")
    assert "tulip" not in str(raised.value)


@pytest.mark.parametrize(
    "place", ["tu@lip@db.invalid:5432/db", "tu@@db.invalid/db", "12/t@lip@db.invalid", "12/lip@db.invalid"]
)
def test_a_password_that_could_be_taken_for_a_host_is_refused_before_connecting(place, monkeypatch):
    monkeypatch.setattr(ibis, "connect", None)
    with pytest.raises(th.errors.SourceError, match="hold an @ or / as it is") as raised:
        th.scan(f"postgres://ann:{place}", table="mails", label="y", score="p")
    assert "%40" in raised.value.fix
    assert not any(word in str(raised.value) for word in ("tu@", "lip", "ann:", "12/"))


def test_a_database_that_is_not_there(postgres):
    with pytest.raises(th.errors.SourceError, match="does not exist"):
        th.scan(postgres.url.replace("/postgres", "/absent"), table="mails", label="y", score="p")


def test_a_table_that_is_not_there_and_one_that_is_not_named(postgres):
    with postgres.connection() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS there (y int, p float8)")
    with pytest.raises(th.errors.SourceError, match="has no table 'their'"):
        th.scan(postgres.url, table="their", label="y", score="p")
    with pytest.raises(th.errors.ArgumentError, match="none is named"):
        th.scan(postgres.url, label="y", score="p")
    with pytest.raises(th.errors.EmptyError, match="no rows"):
        th.scan(postgres.url, table="there", label="y", score="p")


def test_tables_of_a_schema(postgres):
    with postgres.connection() as connection:
        connection.execute('CREATE SCHEMA IF NOT EXISTS "day 1"')
        connection.execute('DROP TABLE IF EXISTS "day 1".mails')
        connection.execute('CREATE TABLE "day 1".mails AS SELECT 1 AS y, 0.5::float8 AS p UNION ALL SELECT 0, 0.25')
    actual = th.scan(postgres.url, table=("day 1", "mails"), label="y", score="p")
    assert actual == th.rank([1, 0], [0.5, 0.25])


def test_scans_only_read(postgres):
    with postgres.connection() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS there (y int, p float8)")
    with open_table(postgres.url, table="there") as engine:
        backend = engine.table.get_backend()
        with pytest.raises(Exception, match="read-only"):
            backend.con.execute("DROP TABLE there")


def test_materialised_views_and_truth_values(postgres):
    with postgres.connection() as connection:
        connection.execute("DROP TABLE IF EXISTS flags CASCADE")
        connection.execute("CREATE TABLE flags AS SELECT g % 2 = 0 AS y, g % 3 = 0 AS p FROM generate_series(1, 12) g")
        connection.execute("CREATE MATERIALIZED VIEW positives AS SELECT * FROM flags")
    labels = [g % 2 == 0 for g in range(1, 13)]
    scores = [float(g % 3 == 0) for g in range(1, 13)]
    assert th.scan(postgres.url, table="positives", label="y", score="p") == th.rank(labels, scores)


def test_a_table_that_one_may_not_read(postgres):
    with postgres.connection() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS there (y int, p float8)")
        connection.execute("DROP ROLE IF EXISTS bob")
        connection.execute("CREATE ROLE bob LOGIN PASSWORD 'rose'")
    with pytest.raises(th.errors.SourceError, match="reading is not allowed"):
        th.scan(postgres.url.replace("ann:tulip", "bob:rose"), table="there", label="y", score="p")


@pytest.fixture
def slower(postgres):
    """A view of 2,000 rows that takes twenty seconds to filter."""
    with postgres.connection() as connection:
        connection.execute("DROP TABLE IF EXISTS slow CASCADE")
        connection.execute("CREATE TABLE slow AS SELECT g % 2 AS y, g::float8 AS p FROM generate_series(1, 2000) g")
        connection.execute("CREATE OR REPLACE VIEW slower AS SELECT y, p, pg_sleep(0.01)::text AS s FROM slow")
    return "slower"


RUNNING = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active' AND backend_type = 'client backend'"


def when_running(connection):
    """Wait until somebody has asked the slow view for half a second."""
    for _ in range(300):
        time.sleep(0.1)
        if connection.execute(f"SELECT 1 {RUNNING} AND now() - query_start > interval '0.5 s'").fetchall():
            return
    raise RuntimeError("nobody asked")


@pytest.mark.parametrize("fault", ["terminated", "stopped"])
def test_a_server_that_dies_in_the_middle(postgres, slower, fault):
    def kill():
        with postgres.connection() as connection:
            when_running(connection)
            if fault == "terminated":
                connection.execute(f"SELECT pg_terminate_backend(pid) {RUNNING}")
        if fault == "stopped":
            postgres.stop("immediate")
            postgres.start()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(th.errors.SourceError, match="the connection was lost"):
            th.scan(postgres.url, table=slower, label="y", score="p", where=lambda t: t.s == "")
    finally:
        killer.join()
    assert th.scan(postgres.url, table="slow", label="y", score="p").total == 2000


@pytest.mark.parametrize(
    ("command", "stopped"), [("merge", True), ("evaluate", False), ("calibrate", False)], ids=lambda value: f"{value}"
)
@pytest.mark.usefixtures("slower")
def test_a_lost_database_leaves_the_old_file(postgres, tmp_path, command, stopped):
    with postgres.connection() as connection:
        connection.execute("CREATE OR REPLACE VIEW slowest AS SELECT y, p + length(s) AS p FROM slower")
    target = tmp_path / ("report.html" if command == "evaluate" else "old.json")
    target.write_text("old")
    words = [command, postgres.url, "--table", "slowest", "--label", "y", "--score", "p", "-o", str(target)]
    running = subprocess.Popen([sys.executable, "-m", "thresher", *words], stderr=subprocess.PIPE, text=True)  # noqa: S603
    with postgres.connection() as connection:
        when_running(connection)
        if not stopped:
            connection.execute(f"SELECT pg_terminate_backend(pid) {RUNNING}")
    if stopped:
        postgres.stop("immediate")
        postgres.start()
    _, message = running.communicate(timeout=120)
    assert running.returncode == 2, message
    assert message.startswith("thresher: ")
    assert "the connection was lost" in message
    assert "tulip" not in message
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_control_c_leaves_no_query_behind(postgres, slower):
    code = (
        "import thresher as th;"
        f"th.scan({postgres.url!r}, table={slower!r}, label='y', score='p', where=lambda t: t.s == '')"
    )
    scanning = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)  # noqa: S603
    with postgres.connection() as connection:
        when_running(connection)
        scanning.send_signal(signal.SIGINT)
        _, message = scanning.communicate(timeout=60)
        assert "KeyboardInterrupt" in message
        left = 1
        for _ in range(50):
            left = len(connection.execute(f"SELECT 1 {RUNNING}").fetchall())
            if not left:
                break
            time.sleep(0.1)
        assert left == 0


def test_a_disk_that_is_full(tmp_path):
    """Files of more than a megabyte cannot be written, so that the engine cannot spill."""
    engine = ibis.duckdb.connect(tmp_path / "rows.duckdb")
    columns = "random() < 0.5 AS y, random() AS a, random() AS b"
    engine.con.execute(f"CREATE TABLE rows AS SELECT {columns} FROM range(1500000)")  # noqa: S608
    engine.disconnect()
    spill = tmp_path / "spill"
    spill.mkdir()
    code = f"""if True:
        import resource, thresher as th
        from thresher.sources.engines import connect
        connect._LEAST_MEGABYTES, connect.memory_budget = 60, lambda: 0
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        try:
            th.inference.compare_scan({str(tmp_path / "rows.duckdb")!r}, table="rows", label="y", score=["a", "b"])
        except th.errors.SourceError as error:
            print(error)
    """
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "TMPDIR": str(spill)},
        timeout=120,
    )
    assert "there is no space to spill" in ran.stdout
    assert "free disk space" in ran.stdout
    assert list(spill.iterdir()) == []


def test_a_machine_of_spark_that_dies_in_the_middle():
    """In a process of its own: the session is gone afterwards."""
    require(shutil.which("java"), "default-jre-headless")
    code = """if True:
        import os, signal, threading, time, warnings
        warnings.simplefilter("ignore")
        import thresher as th
        from tests import engines
        sessions = engines.spark_session()  # which stops its session when nobody holds it any more
        session = next(sessions)
        rows = session.range(3_000_000).selectExpr("cast(id % 2 as int) as y", "rand(1) as p")
        machine = session.sparkContext._gateway.proc.pid
        killer = threading.Timer(1.0, os.kill, (machine, signal.SIGKILL))
        killer.start()
        try:
            for _ in range(100):
                th.scan(rows, label="y", score="p", exact=False, refine=False)
        except th.errors.SourceError as error:
            print(error)
        os._exit(0)
    """
    code = code.replace("print(error)", "print(error, flush=True)")
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=180
    )
    # Between two calls there is nobody left to answer; within one, the answer does not come.
    assert "a worker was lost" in ran.stdout or "it cannot be reached" in ran.stdout


@pytest.mark.slow
def test_an_executor_that_is_lost(tmp_path):
    """A cluster of one executor, in processes of their own: it is killed while it counts, and replaced."""
    require(shutil.which("java"), "default-jre-headless")
    code = """if True:
        import os, signal, subprocess, threading, time, warnings
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession
        import thresher as th

        settings = {
            "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1", "spark.driver.memory": "1g", "spark.executor.memory": "512m",
            "spark.sql.shuffle.partitions": "2", "spark.task.maxFailures": "1",
        }
        builder = SparkSession.builder.master("local-cluster[1,1,1024]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("OFF")

        rows = session.range(0, 3_000_000, 1, 4).selectExpr("cast(id % 3 = 0 as int) as y", "rand(7) as p")

        def scanned():
            return th.scan(rows, label="y", score="p", exact=False, refine=False, buckets=1024)

        def kill():
            jobs, mine = session.sparkContext.statusTracker(), session.sparkContext.applicationId
            while not any(one and one.numActiveTasks for one in map(jobs.getStageInfo, jobs.getActiveStageIds())):
                time.sleep(0.01)
            for line in subprocess.check_output(["ps", "-wweo", "pid,args"], text=True).splitlines():
                if "CoarseGrainedExecutorBackend" in line and mine in line:
                    os.kill(int(line.split()[0]), signal.SIGKILL)
                    print("killed", flush=True)

        whole = scanned()
        killer = threading.Thread(target=kill)
        killer.start()
        try:
            print("recovered:", scanned() == whole, flush=True)
        except th.errors.SourceError as error:
            print("refused:", str(error).replace(chr(10), " "), flush=True)
        killer.join()
        print("same:", scanned() == whole, flush=True)
        session.stop()
    """
    for part in Path(import_module("pyspark").__file__ or "").parent.iterdir():
        (tmp_path / part.name).symlink_to(part)  # executors leave their logs where Spark is at home
    settings = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(tmp_path)}
    ran = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **settings},
        timeout=400,
    )
    lines = ran.stdout.splitlines()
    assert "killed" in lines, ran.stdout + ran.stderr
    # Spark may find another executor by itself; if it does not, the error says what to do. Nothing is half counted.
    refusals = [line for line in lines if line.startswith("refused")]
    assert len(refusals) + lines.count("recovered: True") == 1
    assert all("a worker was lost" in line and "start the scan again" in line for line in refusals)
    assert lines[-1] == "same: True"


def test_an_absent_driver_names_its_extra(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "psycopg" else True)
    with pytest.raises(th.errors.MissingExtraError, match=r"thresher\[postgres\]"):
        th.scan("postgres://127.0.0.1/db", table="mails", label="y", score="p")
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "ibis" else True)
    with pytest.raises(th.errors.MissingExtraError, match=r"thresher\[sql\]"):
        th.scan("postgres://127.0.0.1/db", table="mails", label="y", score="p")


@pytest.mark.parametrize("place", ["mysql://ann:tulip@127.0.0.1/db", "snowflake://ann/db"])
def test_an_absent_driver_of_another_engine(place):
    with pytest.raises(th.errors.MissingExtraError, match="needs a driver for") as raised:
        th.scan(place, table="mails", label="y", score="p")
    assert raised.value.fix.startswith('pip install "ibis-framework[')
    assert "tulip" not in str(raised.value)


def test_drivers_may_be_named_as_others_do():
    with pytest.raises(th.errors.SourceError, match="it cannot be reached"):
        th.scan("postgresql+psycopg://127.0.0.1:1/db", table="mails", label="y", score="p")


@pytest.mark.parametrize("scheme", ["duckdb", "sqlite"])
def test_a_database_file_by_its_url_is_never_made(tmp_path, scheme):
    with pytest.raises(th.errors.SourceError, match="no database file"):
        th.scan(f"{scheme}://{tmp_path / 'mails.db'}", table="mails", label="y", score="p")
    assert list(tmp_path.iterdir()) == []


def test_a_database_file_by_its_url(mails):
    assert th.scan(f"duckdb://{mails}", table="mails", label="y", score="p").total == 4


def test_scans_of_sqlite_only_read(tmp_path):
    connection = sqlite3.connect(tmp_path / "mails.db")
    connection.execute("CREATE TABLE mails (y INTEGER, p REAL)")
    connection.close()
    with open_table(f"sqlite://{tmp_path / 'mails.db'}", table="mails") as engine:
        backend = engine.table.get_backend()
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            backend.con.execute("DROP TABLE mails")


@pytest.mark.parametrize("place", ["oracel://example/db", "nothing://x", "options://x", "https://example/rows.csv"])
def test_a_url_of_no_known_engine(place):
    with pytest.raises(th.errors.SourceError, match="no engine is known"):
        th.scan(place, table="mails", label="y", score="p")


def test_a_table_of_files_is_no_table(tmp_path):
    pq.write_table(pa.table({"y": [1, 0], "p": [0.5, 0.2]}), tmp_path / "rows.parquet")
    with pytest.raises(th.errors.ArgumentError, match="holds no tables"):
        th.scan(tmp_path / "rows.parquet", table="mails", label="y", score="p", exact=False)
    with pytest.raises(th.errors.ArgumentError, match="holds no tables"):
        th.scan(tmp_path / "rows.parquet", table="mails", label="y", score="p")


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "rows.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(th.errors.SourceError, match=r"rows\.parquet"):
        th.scan(tmp_path / "rows.parquet", label="y", score="p", exact=False)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    pq.write_table(pa.table({"y": [1, 0], "p": [0.5, 0.2]}), tmp_path / "rows.parquet")
    spill = tmp_path / "spill"
    spill.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spill))
    th.scan(tmp_path / "rows.parquet", label="y", score="p", exact=False)
    with pytest.raises(th.errors.ColumnError):
        th.scan(tmp_path / "rows.parquet", label="y", score="absent", exact=False)
    assert list(spill.iterdir()) == []


@pytest.mark.parametrize("how", [{"exact": False}, {"exact": True}], ids=str)
def test_control_c_leaves_nothing_behind(tmp_path, how):
    rng = np.random.default_rng(0)
    size = 3_000_000
    rows = pa.table({"y": rng.integers(0, 2, size), "p": rng.random(size)})
    for i in range(4):
        pq.write_table(rows, tmp_path / f"{i}.parquet")
    spill = tmp_path / "spill"
    spill.mkdir()
    code = f"""if True:
        import thresher as th
        from importlib import import_module
        import_module("thresher.sources.scan").memory_budget = lambda: 0
        report = lambda now: print(now.stage, flush=True)
        for _ in range(100):
            th.scan({str(tmp_path / "*.parquet")!r}, label="y", score="p", progress=report, **{how!r})
    """
    scanning = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(spill)},
        text=True,
    )
    assert scanning.stdout is not None
    scanning.stdout.readline()
    scanning.send_signal(signal.SIGINT)
    _, errors = scanning.communicate(timeout=60)
    assert scanning.returncode != 0
    assert "KeyboardInterrupt" in errors
    assert list(spill.iterdir()) == []


def test_duckdb_prints_nothing_itself(mails):
    """Its progress bar would go to standard output, where the answer goes."""
    with open_table(mails, table="mails") as engine:
        setting = engine.table.get_backend().con.execute("SELECT current_setting('enable_progress_bar')")
        assert setting.fetchone() == (False,)


@pytest.fixture
def mails(tmp_path):
    engine = ibis.duckdb.connect(tmp_path / "mails.duckdb")
    in_duckdb(engine, "mails", pa.table({"y": [1, 0, 1, 0], "p": [0.9, 0.8, 0.7, 0.1]}))
    engine.disconnect()
    return tmp_path / "mails.duckdb"


def test_several_threads_may_scan_one_file(mails):
    def scanned(_):
        return th.scan(mails, table="mails", label="y", score="p")

    with ThreadPoolExecutor(4) as threads:
        assert set(map(str, threads.map(scanned, range(12)))) == {"[1+][1-][1+][1-]"}


def test_a_file_that_another_connection_writes_to(mails):
    engine = ibis.duckdb.connect(mails)
    try:
        with pytest.raises(th.errors.SourceError, match="another connection has it open") as raised:
            th.scan(mails, table="mails", label="y", score="p")
        assert "close that connection" in raised.value.fix
        assert th.scan(engine.table("mails"), label="y", score="p").total == 4
    finally:
        engine.disconnect()


@pytest.mark.parametrize("where", [None, {"y": [0, 1]}], ids=str)
@pytest.mark.parametrize("kind", ["table", "relation"])
def test_a_connection_answers_after_a_scan_that_stopped_early(kind, where):
    engine = ibis.duckdb.connect()
    engine.con.execute("CREATE TABLE rows AS SELECT range % 2 AS y, 'a' AS p FROM range(3000000)")
    source = engine.table("rows") if kind == "table" else engine.con.table("rows")
    with pytest.raises(th.errors.ScoreError) as stopped:
        th.scan(source, label="y", score="p", exact=True, where=where)
    assert stopped.tb is not None  # which keeps what was at work
    assert engine.con.execute("SELECT count(*) FROM rows").fetchall() == [(3000000,)]


@pytest.mark.parametrize(
    "name",
    [
        "it's.duckdb",
        'q".duckdb',
        "a b.ddb",
        "memory.duckdb",
        "temp.duckdb",
        "x' AS y; COPY (SELECT 42) TO 'made.csv'; --.duckdb",
    ],
)
def test_the_name_of_a_file_is_a_name(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    engine = ibis.duckdb.connect(name)
    in_duckdb(engine, "mails", pa.table({"y": [1, 0], "p": [0.9, 0.8]}))
    own = engine.current_catalog
    engine.disconnect()
    assert th.scan(name, table="mails", label="y", score="p").total == 2
    if own != "memory":
        assert th.scan(name, table=(own, "main", "mails"), label="y", score="p").total == 2
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_view_that_names_its_database(mails):
    engine = ibis.duckdb.connect(mails)
    engine.raw_sql("CREATE VIEW positives AS SELECT * FROM mails.main.mails WHERE y = 1")
    engine.disconnect()
    assert th.scan(mails, table="positives", label="y", score="p").total == 2


@pytest.mark.parametrize("name", ["a?b.db", "a#b.db", "[x].db", "a%20b.db", "a b.db", "ä.db"])
def test_the_path_of_a_url_is_a_path(tmp_path, name):
    for path, score in ((tmp_path / name, 0.5), (tmp_path / "a", 0.25)):
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE mails (y INTEGER, p REAL)")
        connection.executemany("INSERT INTO mails VALUES (?, ?)", [(1, score), (0, 0.0)])
        connection.commit()
        connection.close()
    actual = th.scan(f"sqlite://{tmp_path / name}", table="mails", label="y", score="p")
    assert actual.score.tolist() == [0.5, 0.0]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["a", name])


@pytest.mark.parametrize("password", ["tu/lip", "tu@lip", "tu%2Flip", "tu#lip", "tu?lip"])
def test_no_part_of_a_password_is_shown(password):
    with pytest.raises(th.errors.SourceError) as raised:
        th.scan(f"postgres://ann:{password}@127.0.0.1:1/db", table="mails", label="y", score="p")
    assert "tu" not in str(raised.value)
    assert "lip" not in str(raised.value)


@pytest.mark.parametrize("ending", ["db", "sqlite", "sqlite3", "SQLITE"])
def test_a_database_file_is_opened_by_what_it_is(tmp_path, mails, ending):
    path = tmp_path / f"mails.{ending}"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mails (y integer, p real)")
        connection.executemany("INSERT INTO mails VALUES (?, ?)", [(1, 0.9), (0, 0.8), (1, 0.7), (0, 0.1)])
    connection.close()
    expected = th.scan(mails, table="mails", label="y", score="p")
    assert th.scan(path, table="mails", label="y", score="p") == expected
    path.write_bytes(mails.read_bytes())  # now it is the other engine's
    assert th.scan(path, table="mails", label="y", score="p") == expected
    path.write_bytes(b"neither")
    with pytest.raises(th.errors.SourceError, match="it is no database that is known"):
        th.scan(path, table="mails", label="y", score="p")
    path.unlink()
    with pytest.raises(th.errors.SourceError, match="there is no database file"):
        th.scan(path, table="mails", label="y", score="p")


def test_a_folder_named_like_a_database_is_a_folder(tmp_path):
    (tmp_path / "events.db").mkdir()
    (tmp_path / "events.db" / "rows.csv").write_text("y,p\n1,0.9\n0,0.1\n")
    assert th.scan(tmp_path / "events.db", label="y", score="p") == th.rank([1, 0], [0.9, 0.1])
