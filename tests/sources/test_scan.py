"""Every source gives NumPy's table: the same rows in files, in DuckDB, PostgreSQL, Spark, SQLite and Polars."""

import sqlite3
import sys
from functools import partial
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.reachable import require_same_choices

pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # PySpark leaves sockets to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:The copy keyword:DeprecationWarning"),  # PySpark to pandas
]
PUSHED_DOWN = ("duckdb", "postgres", "spark")
ENGINES = ("files", "duckdb", "postgres", "spark", "sqlite", "polars")
ROWS = 4000
NAMES = {"label": 'y"; DROP TABLE mails; --', "p": "p", "q": "q", "w": "w", "country": "select"}


def rows():
    """Scores with ties, neighbours, both zeros, both infinities, and values far outside [0, 1]."""
    rng = np.random.default_rng(3)
    y = (rng.random(ROWS) < 0.4).astype(np.int16)
    p = 1 / (1 + np.exp(-rng.normal(size=ROWS) * 2 - y))
    p[:40] = np.round(p[:40], 1)
    p[40:50] = [0.0, -0.0, 1.0, np.nextafter(1.0, 0), 5e-324, np.inf, -np.inf, -7.5, 1e30, 3.25]
    return {
        NAMES["label"]: y,
        "p": p,
        "q": (p[::-1] * 3 - 1).astype(np.float32),
        "w": rng.integers(1, 9, ROWS) / 8,
        "select": np.where(rng.random(ROWS) < 0.5, "NL", "B'E"),
    }


@pytest.fixture(scope="module")
def data():
    return rows()


@pytest.fixture(scope="module")
def folder(tmp_path_factory, data):
    place = tmp_path_factory.mktemp("rows")
    table = pa.table(data)
    for i in range(3):
        pq.write_table(table.slice(i * 1500, 1500), place / f"part{i}.parquet")
    return place


def in_postgres(server, name, data):
    kinds = {"i": "smallint", "f": "double precision", "U": "text"}
    columns = ", ".join(
        '"' + key.replace('"', '""') + '" ' + ("real" if values.dtype == np.float32 else kinds[values.dtype.kind])
        for key, values in data.items()
    )
    with server.connection() as connection:
        connection.execute(f'DROP TABLE IF EXISTS "{name}"')
        connection.execute(f'CREATE TABLE "{name}" ({columns})')
        with connection.cursor().copy(f'COPY "{name}" FROM STDIN') as copy:
            for row in zip(*(values.tolist() for values in data.values()), strict=True):
                copy.write_row(row)


def in_duckdb(engine, name, rows, schema="main"):
    """A table made by DuckDB itself: not every sqlglot writes the `CREATE TABLE` of Ibis 12."""
    engine.con.register("given", rows)
    engine.con.execute(f'CREATE TABLE "{schema}"."{name}" AS SELECT * FROM given')  # noqa: S608
    engine.con.unregister("given")
    return engine.table(name, database=schema)


def in_sqlite(path, name, table):
    """A table of an engine that knows no arrays and no NaN, and holds to no types."""
    kinds = {"int64": "INTEGER", "int16": "INTEGER", "double": "REAL", "float": "REAL", "string": "TEXT"}
    columns = ['"' + field.name.replace('"', '""') + '" ' + kinds[str(field.type)] for field in table.schema]
    connection = sqlite3.connect(path)
    connection.execute(f'CREATE TABLE "{name}" ({", ".join(columns)})')
    rows_ = (tuple(row.values()) for row in table.to_pylist())
    connection.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(columns))})', rows_)  # noqa: S608
    connection.commit()
    connection.close()
    return f"sqlite://{path}"


def in_polars(name, table):
    """A table of an engine that is no database."""
    return ibis.polars.connect({name: pl.DataFrame(table).lazy()}).table(name)


def opened(request, name, folder, data):
    """A source and the options that name its table."""
    if name == "sqlite":
        return in_sqlite(folder.parent / "mails.db", "mails", pa.table(data)), {"table": "mails"}
    if name == "polars":
        return in_polars("mails", pa.table(data)), {}
    if name == "files":
        return str(folder / "*.parquet"), {}
    if name == "duckdb":
        return ibis.duckdb.connect().read_parquet(str(folder / "*.parquet")), {}
    if name == "postgres":
        server = request.getfixturevalue("postgres")
        in_postgres(server, "mails", data)
        return server.url, {"table": "mails"}
    return request.getfixturevalue("spark").read.parquet(str(folder)), {}


@pytest.fixture(scope="module", params=ENGINES)
def source(request, folder, data):
    return opened(request, request.param, folder, data)


@pytest.fixture(scope="module", params=PUSHED_DOWN)
def engine(request, folder, data):
    """A source that counts by a query."""
    return opened(request, request.param, folder, data)


@pytest.fixture(scope="module")
def of_duckdb(folder):
    """What one engine gives, for the others to be compared with."""

    def actual(**how):
        table = ibis.duckdb.connect().read_parquet(str(folder / "*.parquet"))
        return th.scan(table, label=NAMES["label"], exact=False, **how)

    return actual


def asks(place, column, operator, value):
    """A condition in the words of a source."""
    if (isinstance(place, str) and "://" not in place) or hasattr(place, "suffix"):
        return getattr(pc, operator)(pc.field(column), value)
    signs = {"greater": "__gt__", "less": "__lt__", "greater_equal": "__ge__", "equal": "__eq__"}
    return lambda t: getattr(t[column], signs[operator])(value)


def test_buckets_are_the_same_on_every_engine(source, of_duckdb, data):
    place, how = source
    actual = th.scan(place, label=NAMES["label"], score="p", exact=False, refine=False, buckets=256, **how)
    assert actual == of_duckdb(score="p", refine=False, buckets=256)
    assert actual.unresolved.any()
    exact = th.rank(data[NAMES["label"]], data["p"])
    assert th.auc(exact) in th.bounds(actual, "auc")
    assert th.average_precision(exact) in th.bounds(actual, "average_precision")
    assert (actual.Pos, actual.Neg) == (exact.Pos, exact.Neg)


def test_refining_leaves_little_open_and_is_the_same_everywhere(engine, of_duckdb, data):
    place, how = engine
    actual = th.scan(place, label=NAMES["label"], score="p", exact=False, buckets=256, **how)
    assert actual == of_duckdb(score="p", buckets=256)
    assert th.bounds(actual, "auc").width < 2e-4
    assert th.auc(th.rank(data[NAMES["label"]], data["p"])) in th.bounds(actual, "auc")


@pytest.mark.parametrize("cost_ratio", [0.6, 1, 7])
def test_refining_for_a_condition_makes_its_choice_certain(engine, of_duckdb, data, cost_ratio):
    place, how = engine
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    asked: dict[str, Any] = {"score": "p", "refine": condition, "buckets": 64}
    actual = th.scan(place, label=NAMES["label"], exact=False, **asked, **how)
    assert actual == of_duckdb(**asked)
    once = of_duckdb(score="p", refine=False, buckets=64)
    assert th.bounds(once, "expected_cost", condition=condition).width > 0
    assert th.bounds(actual, "expected_cost", condition=condition).width == 0
    exact = th.rank(data[NAMES["label"]], data["p"])
    assert th.choose(actual, condition).expected_cost == th.choose(exact, condition).expected_cost
    assert actual.unresolved.sum() > 10  # nothing was spent elsewhere


def test_refining_for_a_condition_serves_every_model_and_group(folder):
    condition = th.OperatingCondition(cost_ratio=3)
    asked: dict[str, Any] = {"refine": condition, "buckets": 64, "exact": False, "label": NAMES["label"]}
    table = ibis.duckdb.connect().read_parquet(str(folder / "*.parquet"))
    models = th.scan(table, score=["p", "q"], **asked)
    groups = th.scan(table, score="p", by="select", **asked)
    for actual in (*models.values(), *groups.values()):
        assert th.bounds(actual, "expected_cost", condition=condition).width == 0


def test_weights_of_a_common_unit_are_the_same_everywhere(source, of_duckdb, data):
    place, how = source
    actual = th.scan(place, label=NAMES["label"], score="q", weights="w", exact=False, refine=False, buckets=256, **how)
    assert actual == of_duckdb(score="q", weights="w", refine=False, buckets=256)
    assert th.auc(th.rank(data[NAMES["label"]], data["q"], weights=data["w"])) in th.bounds(actual, "auc")


WEIGHTS = {
    "random": lambda rng: rng.random(1500),
    "tenths": lambda rng: rng.integers(1, 9, 1500) * 0.1,
    "of any size": lambda rng: 10 ** rng.uniform(-6, 6, 1500),
    "eighths": lambda rng: rng.integers(1, 9, 1500) / 8,
}
OF_WEIGHTS = [
    (partial(th.bounds, of="auc"), th.auc),
    (partial(th.bounds, of="ks"), lambda r: th.ks(r).statistic),
    (partial(th.bounds, of="average_precision"), th.average_precision),
    (partial(th.bounds, of="pr_area"), th.pr_area),
    (partial(th.bounds, of="brier"), th.brier),
    (partial(th.bounds, of="log_loss"), lambda r: float(th.log_loss(r))),
    (partial(th.bounds, of="expected_cost"), lambda r: th.choose(r).expected_cost),
]


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("engine_", [True, False])
def test_bounds_allow_for_the_order_in_which_weights_are_added(name, engine_):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scores = (rng.integers(0, 50, 1500) + 0.5) / 51
        labels, weights = rng.random(1500) < scores, WEIGHTS[name](rng)
        rows_ = pa.table({"y": labels, "p": scores, "w": weights})
        table = ibis.memtable(rows_) if engine_ else rows_
        actual = th.scan(table, label="y", score="p", weights="w", exact=False, buckets=16)
        exact = th.rank(labels, scores, weights=weights)
        for bounds, value in OF_WEIGHTS:
            assert value(exact) in bounds(actual)
        few = th.scan(table, label="y", score="p", weights="w", exact=False)
        assert few.exact
        for bounds, value in OF_WEIGHTS:
            assert value(exact) in bounds(few)
            assert bounds(few).width < 1e-10


def test_weights_that_nobody_added_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    labels, scores, weights = rng.random(900) < 0.4, rng.normal(size=900), rng.random(900)
    table = ibis.memtable(pa.table({"y": labels, "p": scores, "w": weights}))
    assert th.scan(table, label="y", score="p", weights="w") == th.rank(labels, scores, weights=weights)


def test_float32_scores_are_compared_exactly(source, data):
    place, how = source
    assert th.scan(place, label=NAMES["label"], score="q", **how) == th.rank(data[NAMES["label"]], data["q"])


def test_exact_rankings_are_those_of_the_rows(source, data):
    place, how = source
    where = asks(place, "w", "greater", 0.2)
    actual = th.scan(place, label=NAMES["label"], score="p", buckets=256, where=where, exact=True, **how)
    chosen = data["w"] > 0.2
    assert actual == th.rank(data[NAMES["label"]][chosen], data["p"][chosen])


@pytest.mark.parametrize("seed", range(4))
def test_choices_are_those_of_the_rows_where_some_scores_are_infinite(seed):
    rng = np.random.default_rng(seed)
    scores = rng.integers(-9, 9, 300) * 1.0 if seed % 2 else rng.normal(size=300)
    labels = rng.random(300) < 1 / (1 + np.exp(-scores))
    scores[:4], labels[:4], scores[-3:] = np.inf, [False, False, False, True], -np.inf
    table, exact = ibis.memtable(pa.table({"y": labels, "p": scores})), th.rank(labels, scores)
    asked: dict[str, Any] = {"label": "y", "score": "p", "buckets": 1024}
    require_same_choices(th.scan(table, exact=True, **asked), exact)
    for ratio in (0.01, 1, 7):
        condition = th.OperatingCondition(cost_ratio=ratio)
        actual = th.scan(table, exact=False, refine=condition, **asked)
        assert th.bounds(actual, "expected_cost", condition=condition) == th.bounds(
            exact, "expected_cost", condition=condition
        )
        assert th.choose(actual, condition).threshold == th.choose(exact, condition).threshold


def test_several_models_in_one_pass(source, data):
    place, how = source
    actual = th.scan(place, label=NAMES["label"], score=["p", "q"], where=asks(place, "w", "greater", 0), **how)
    assert actual == {model: th.rank(data[NAMES["label"]], data[model]) for model in ("p", "q")}


def test_groups_in_one_pass(source, data):
    place, how = source
    actual = th.scan(place, label=NAMES["label"], score="p", by="select", exact=False, refine=False, buckets=256, **how)
    assert set(actual) == {"NL", "B'E"}
    for country, ranking in actual.items():
        chosen = data["select"] == country
        exact = th.rank(data[NAMES["label"]][chosen], data["p"][chosen])
        assert (ranking.Pos, ranking.Neg) == (exact.Pos, exact.Neg)
        assert th.auc(exact) in th.bounds(ranking, "auc")


def test_models_and_groups_in_one_pass(source, data):
    place, how = source
    asked: dict[str, Any] = {"label": NAMES["label"], "score": ["p", "q"], "by": "select"}
    reports: list[th.sources.Progress] = []
    actual = th.scan(place, where=asks(place, "w", "greater", 0), progress=reports.append, **asked, **how)
    assert {one.stage for one in reports} == {"counting"}
    for country in ("NL", "B'E"):
        chosen = data["select"] == country
        for model in ("p", "q"):
            assert actual[country][model] == th.rank(data[NAMES["label"]][chosen], data[model][chosen])


def test_a_group_of_which_nothing_is_left_is_named():
    rows_: dict[str, list[Any]] = {"y": [1, 0, None, None], "p": [0.5, 0.2, 0.7, 0.1], "week": [1, 1, 2, 2]}
    for source in (rows_, ibis.memtable(pa.table(rows_))):
        with pytest.raises(th.errors.EmptyError, match="nothing is left of 'p' in 2"):
            th.scan(source, label="y", score="p", by="week", missing="drop")
        actual = th.scan(source, label="y", score="p", by="week", missing="drop", where={"week": 1})
        assert actual == {1: th.rank([1, 0], [0.5, 0.2])}


def test_filters(source, data):
    place, how = source
    chosen = data["select"] == "B'E"
    exact = th.rank(data[NAMES["label"]][chosen], data["p"][chosen])
    for where in ({"select": "B'E"}, {"select": ["B'E", "'; DROP TABLE mails"]}, asks(place, "select", "equal", "B'E")):
        assert th.scan(place, label=NAMES["label"], score="p", where=where, **how) == exact
    text: Any = "1=1; DROP TABLE mails"
    with pytest.raises(th.errors.ArgumentError, match="never read from a text"):
        th.scan(place, label=NAMES["label"], score="p", where=text, **how)


def test_names_are_names_and_nothing_is_executed(source):
    """The label column is called like an attack; the table is still there, and absent names are refused."""
    place, how = source
    for name in ("p; DROP TABLE mails", 'p"', "p' OR '1'='1"):
        with pytest.raises(th.errors.ColumnError, match="has no column"):
            th.scan(place, label=NAMES["label"], score=name, **how)
    assert th.scan(place, label=NAMES["label"], score="p", **how).total == ROWS


def test_texts_are_no_scores(source):
    place, how = source
    with pytest.raises(th.errors.ScoreError, match="scores must be numbers"):
        th.scan(place, label=NAMES["label"], score="select", where=asks(place, "w", "greater", 0), **how)


def test_labels_that_are_texts(source, data):
    place, how = source
    labels: dict[str, Any] = {"label": "select", "score": "p", "where": asks(place, "w", "greater", 0)}
    assert th.scan(place, positive="NL", **labels, **how) == th.rank(data["select"], data["p"], positive="NL")
    with pytest.raises(th.errors.PositiveLabelError, match="cannot tell which label is positive"):
        th.scan(place, **labels, **how)
    with pytest.raises(th.errors.PositiveLabelError, match="not among the labels"):
        th.scan(place, positive="DE", **labels, **how)


def test_three_labels(source):
    place, how = source
    with pytest.raises(th.errors.LabelError, match="more than two labels"):
        th.scan(place, label="w", score="p", positive=1, where=asks(place, "p", "greater_equal", 0), **how)


def test_no_rows(source):
    place, how = source
    with pytest.raises(th.errors.EmptyError):
        th.scan(place, label=NAMES["label"], score="p", where=asks(place, "w", "less", 0), **how)


def test_one_class_is_a_ranking_with_one_class(source):
    place, how = source
    actual = th.scan(place, label=NAMES["label"], score="p", where={NAMES["label"]: 1}, **how)
    assert actual.Neg == 0
    with pytest.raises(th.errors.OneClassError):
        th.bounds(actual, "auc")


def test_progress_is_reported(source):
    place, how = source
    reports: list[th.sources.Progress] = []
    th.scan(
        place, label=NAMES["label"], score="p", where=asks(place, "w", "greater", 0), progress=reports.append, **how
    )
    assert reports
    assert reports[0].stage == "counting"
    assert all(one.seconds >= 0 for one in reports)


FAULTY: dict[str, list[Any]] = {
    "y": [1, 0, 1, None, 0, 1, 1, 0],
    "p": [0.9, 0.2, None, 0.5, float("nan"), 0.7, 0.6, 0.3],
    "w": [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, None, 2.0],
    "bad": [1.0, 1.0, 1.0, 1.0, 1.0, -1.0, float("inf"), 2.0],
}


@pytest.fixture(params=ENGINES)
def faulty(request, tmp_path):
    table = pa.table({name: pa.array(values, pa.float64()) for name, values in FAULTY.items()})
    if request.param == "sqlite":
        return in_sqlite(tmp_path / "faulty.db", "faulty", table), {"table": "faulty"}
    if request.param == "polars":
        return in_polars("faulty", table), {}
    if request.param == "duckdb":
        return ibis.memtable(table), {}
    if request.param == "files":
        pq.write_table(table, tmp_path / "faulty.parquet")
        return tmp_path / "faulty.parquet", {}
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
        with server.connection() as connection:
            connection.execute("DROP TABLE IF EXISTS faulty")
            columns = ", ".join(f"{name} double precision" for name in FAULTY)
            connection.execute(f"CREATE TABLE faulty ({columns})")
            with connection.cursor().copy("COPY faulty FROM STDIN") as copy:
                for row in zip(*FAULTY.values(), strict=True):
                    copy.write_row(row)
        return server.url, {"table": "faulty"}
    session = request.getfixturevalue("spark")
    return session.createDataFrame(list(zip(*FAULTY.values(), strict=True)), schema=list(FAULTY)), {}


def test_what_is_missing_is_counted_and_refused(faulty):
    place, how = faulty
    with pytest.raises(
        th.errors.MissingValueError, match=r"1 of 8 labels .*; 2 of 8 scores are missing or NaN.*, and they"
    ):
        th.scan(place, label="y", score="p", **how)
    with pytest.raises(th.errors.MissingValueError, match="1 of 8 weights"):
        th.scan(place, label="y", score="p", weights="w", **how)


def test_what_is_missing_may_be_dropped(faulty):
    place, how = faulty
    complete = [i for i in range(8) if i not in (2, 3, 4)]
    actual = th.scan(place, label="y", score="p", missing="drop", **how)
    assert actual == th.rank([FAULTY["y"][i] for i in complete], [FAULTY["p"][i] for i in complete])
    assert actual.dropped == 3
    weighted = th.scan(place, label="y", score="p", weights="w", missing="drop", **how)
    rows_left = [i for i in complete if FAULTY["w"][i] is not None]
    columns = ([FAULTY[name][i] for i in rows_left] for name in ("y", "p", "w"))
    labels, scores, weights = columns
    assert weighted == th.rank(labels, scores, weights=weights)
    assert weighted.dropped == 4


def test_bad_weights_are_refused(faulty):
    place, how = faulty
    for rows, options in ((place, how), (FAULTY, {})):
        with pytest.raises(th.errors.WeightError, match="2 of 5 weights are negative or infinite"):
            th.scan(rows, label="y", score="p", weights="bad", missing="drop", **options)


@pytest.mark.parametrize("engine", [False, True])
def test_what_is_wrong_with_rows_that_are_dropped_does_not_matter(engine):
    """A row without a label may have any weight, and a score that no float64 holds."""
    data = {"y": [1, 0, None], "p": [1, 2, 2**60 + 1], "w": [1.0, 1.0, -1.0]}
    rows = ibis.memtable(pa.table(data)) if engine else pa.table(data)
    actual = th.scan(rows, label="y", score="p", weights="w", missing="drop")
    assert (actual.total, actual.dropped) == (2, 1)
    with pytest.raises(th.errors.MissingValueError):
        th.scan(rows, label="y", score="p", weights="w")
    models = pa.table({"y": [1, 0, 1], "p": [1, 2, 3], "q": [1, 2, None], "w": [1.0, 1.0, -1.0]})
    source = ibis.memtable(models) if engine else models
    with pytest.raises(th.errors.WeightError, match="1 of 3 weights"):
        th.scan(source, label="y", score=["q", "p"], weights="w", missing="drop")


@pytest.mark.parametrize("where", [False, True])
@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_integers_that_a_float64_rounds_are_refused(tmp_path, where, kind):
    """Memory, files and engines agree, with a filter or without: large numbers that fit are ranked."""
    for largest, fits in ((2**55, True), (2**53 + 1, False), (2**63 - 1, False)):
        table = pa.table({"y": [0, 1, 1], "p": pa.array([1, 2**53, largest], kind)})
        pq.write_table(table, tmp_path / "wide.parquet")
        for source in (table, tmp_path / "wide.parquet", ibis.memtable(table)):
            test = None
            if where:
                test = (lambda t: t.y >= 0) if hasattr(source, "to_pyarrow") else pc.field("y") >= 0
            if fits:
                assert th.scan(source, label="y", score="p", where=test) == th.rank([0, 1, 1], [1, 2**53, largest])
            else:
                with pytest.raises(th.errors.ScoreError, match="1 of 3 scores do not fit a float64 exactly"):
                    th.scan(source, label="y", score="p", where=test)


def test_ibis_tables_of_any_engine(data):
    table = ibis.memtable(pa.table(data))
    assert th.scan(table, label=NAMES["label"], score="p") == th.rank(data[NAMES["label"]], data["p"])


def test_database_files(tmp_path, data):
    engine = ibis.duckdb.connect(tmp_path / "mails.duckdb")
    in_duckdb(engine, "mails", pa.table(data))
    engine.disconnect()
    place = tmp_path / "mails.duckdb"
    assert th.scan(place, table="mails", label=NAMES["label"], score="p") == th.rank(data[NAMES["label"]], data["p"])
    with pytest.raises(th.errors.SourceError, match="has no table 'mail'"):
        th.scan(place, table="mail", label=NAMES["label"], score="p")
    with pytest.raises(th.errors.SourceError, match="no database file"):
        th.scan(tmp_path / "absent.duckdb", table="mails", label=NAMES["label"], score="p")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "arrow"])
def test_files_of_other_formats(tmp_path, suffix):
    frame = pa.table({"y": [1, 0, 1, 0, 1], "p": [0.9, 0.8, 0.8, 0.25, 0.125]})
    path = tmp_path / f"rows.{suffix}"
    if suffix == "arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, frame.schema) as writer:
            writer.write_table(frame)
    elif suffix == "csv":
        frame.to_pandas().to_csv(path, index=False)
    else:
        frame.to_pandas().to_json(path, orient="records", lines=True)
    expected = th.rank(frame["y"], frame["p"])
    assert th.scan(path, label="y", score="p") == expected
    assert th.scan(path, label="y", score="p", where=pc.field("y") >= 0, columns={"y": pa.int64()}) == expected


def test_few_scores_are_exact_after_one_pass(tmp_path):
    scores = np.random.default_rng(1).integers(0, 50, 5000) / 50
    labels = scores > np.random.default_rng(2).random(5000)
    pq.write_table(pa.table({"y": labels, "p": scores}), tmp_path / "few.parquet")
    stages: list[th.sources.Progress] = []
    actual = th.scan(tmp_path / "few.parquet", label="y", score="p", exact=False, progress=stages.append)
    assert actual == th.rank(labels, scores)
    assert {one.stage for one in stages} == {"counting"}


def test_a_scan_may_be_repeated(folder):
    def once():
        return th.scan(str(folder), label=NAMES["label"], score="p", exact=False, refine=False, buckets=64)

    assert once() == once()


def test_days_add_up(folder, data):
    days = [
        th.scan(path, label=NAMES["label"], score="p", exact=False, refine=False, buckets=1024)
        for path in sorted(folder.iterdir())
    ]
    total = days[0] + days[1] + days[2]
    assert total.total == ROWS
    assert th.auc(th.rank(data[NAMES["label"]], data["p"])) in th.bounds(total, "auc")
    together = th.scan(str(folder), label=NAMES["label"], score="p", exact=False, refine=False, buckets=1024)
    assert th.bounds(total, "auc").width <= th.bounds(together, "auc").width


@pytest.mark.parametrize("change", [{"buckets": 3}, {"missing": "guess"}, {"refine": "twice"}])
def test_options_outside_what_is_understood(folder, change):
    with pytest.raises(th.errors.ArgumentError):
        th.scan(str(folder), label=NAMES["label"], score="p", **change)


def test_scores_and_groups_need_names(folder):
    with pytest.raises(th.errors.ArgumentError):
        th.scan(str(folder), label="y", score=[])
    with pytest.raises(th.errors.ArgumentError):
        th.scan(str(folder), label="y", score="p", by=[])


@pytest.mark.parametrize(
    "how", [{}, {"where": {"select": "NL"}}, {"where": pc.field("w") > 0.5}, {"exact": False}], ids=str
)
def test_a_scan_walks_few_functions(folder, how):
    """Those of rankings, which are the same for every source, and comprehensions are left out."""
    th.scan(str(folder / "*.parquet"), label=NAMES["label"], score="p", **how)
    root, walked = Path(th.__file__).parent, set()

    def note(frame, event, _):
        path = Path(frame.f_code.co_filename)
        function = event == "call" and not frame.f_code.co_name.startswith("<")
        if function and path.is_relative_to(root) and "ranking" not in path.relative_to(root).parts:
            walked.add(frame.f_code)

    sys.setprofile(note)
    try:
        th.scan(str(folder / "*.parquet"), label=NAMES["label"], score="p", **how)
    finally:
        sys.setprofile(None)
    assert len(walked) <= 66
