"""Every engine gives NumPy's table: the same rows in files, in DuckDB, PostgreSQL, Spark, SQLite and Polars."""

import sqlite3
from importlib import import_module
from typing import Any

import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.reachable import require_same_choices
from thresher.ranking import exact_number

scanning = import_module("thresher.sources.scan")
exactly = import_module("thresher.sources.exact")
pytestmark = [
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),  # PySpark leaves sockets to the collector
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:The copy keyword:DeprecationWarning"),  # PySpark to pandas
]
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


@pytest.fixture(scope="module", params=ENGINES)
def source(request, folder, data):
    """A source and the options that name its table."""
    if request.param == "sqlite":
        return in_sqlite(folder.parent / "mails.db", "mails", pa.table(data)), {"table": "mails"}
    if request.param == "polars":
        return in_polars("mails", pa.table(data)), {}
    if request.param == "files":
        return str(folder / "*.parquet"), {"exact": False}
    if request.param == "duckdb":
        return ibis.duckdb.connect().read_parquet(str(folder / "*.parquet")), {}
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
        in_postgres(server, "mails", data)
        return server.url, {"table": "mails"}
    session = request.getfixturevalue("spark")
    return session.read.parquet(str(folder)), {}


@pytest.fixture
def bounded(monkeypatch):
    """Rows as too many to be counted score by score."""
    monkeypatch.setattr(scanning, "ROWS_TO_GROUP", 0)


@pytest.fixture(scope="module")
def of_files(folder):
    """What the embedded engine gives, for the others to be compared with."""

    def found(**how):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scanning, "ROWS_TO_GROUP", 0)
            return th.scan(str(folder), label=NAMES["label"], exact=False, **how)

    return found


@pytest.mark.usefixtures("bounded")
def test_buckets_are_the_same_on_every_engine(source, of_files, data):
    place, how = source
    found = th.scan(place, label=NAMES["label"], score="p", refine=False, buckets=256, **how)
    assert found == of_files(score="p", refine=False, buckets=256)
    assert found.unresolved.any()
    exact = th.rank(data[NAMES["label"]], data["p"])
    assert th.auc(exact) in th.auc_bounds(found)
    assert th.average_precision(exact) in th.average_precision_bounds(found)
    assert (found.Pos, found.Neg) == (exact.Pos, exact.Neg)


@pytest.mark.usefixtures("bounded")
def test_refining_leaves_little_open_and_is_the_same_everywhere(source, of_files, data):
    place, how = source
    found = th.scan(place, label=NAMES["label"], score="p", buckets=256, **how)
    assert found == of_files(score="p", buckets=256)
    assert th.auc_bounds(found).width < 2e-4
    assert th.auc(th.rank(data[NAMES["label"]], data["p"])) in th.auc_bounds(found)


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("cost_ratio", [0.6, 1, 7])
def test_refining_for_a_condition_makes_its_choice_certain(source, of_files, data, cost_ratio):
    place, how = source
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    asked: dict[str, Any] = {"score": "p", "refine": condition, "buckets": 64}
    found = th.scan(place, label=NAMES["label"], **asked, **how)
    assert found == of_files(**asked)
    once = of_files(score="p", refine=False, buckets=64)
    assert th.best_cost_bounds(once, condition=condition).width > 0
    assert th.best_cost_bounds(found, condition=condition).width == 0
    exact = th.rank(data[NAMES["label"]], data["p"])
    assert th.choose(found, condition).expected_cost == th.choose(exact, condition).expected_cost
    assert found.unresolved.sum() > 10  # nothing was spent elsewhere


@pytest.mark.usefixtures("bounded")
def test_refining_for_a_condition_serves_every_model_and_group(folder):
    condition = th.OperatingCondition(cost_ratio=3)
    asked: dict[str, Any] = {"refine": condition, "buckets": 64, "exact": False, "label": NAMES["label"]}
    models = th.scan_models(str(folder), scores=["p", "q"], **asked)
    groups = th.scan_by(str(folder), score="p", by="select", **asked)
    for found in (*models.values(), *groups.values()):
        assert th.best_cost_bounds(found, condition=condition).width == 0


@pytest.mark.usefixtures("bounded")
def test_weights_of_a_common_unit_are_the_same_everywhere(source, of_files, data):
    place, how = source
    found = th.scan(place, label=NAMES["label"], score="q", weight="w", refine=False, buckets=256, **how)
    assert found == of_files(score="q", weight="w", refine=False, buckets=256)
    assert th.auc(th.rank(data[NAMES["label"]], data["q"], weights=data["w"])) in th.auc_bounds(found)


WEIGHTS = {
    "random": lambda rng: rng.random(1500),
    "tenths": lambda rng: rng.integers(1, 9, 1500) * 0.1,
    "of any size": lambda rng: 10 ** rng.uniform(-6, 6, 1500),
    "eighths": lambda rng: rng.integers(1, 9, 1500) / 8,
}
OF_WEIGHTS = [
    (th.auc_bounds, th.auc),
    (th.ks_bounds, lambda r: th.ks(r).statistic),
    (th.average_precision_bounds, th.average_precision),
    (th.pr_area_bounds, th.pr_area),
    (th.brier_bounds, th.brier),
    (th.log_loss_bounds, lambda r: float(th.log_loss(r))),
    (th.best_cost_bounds, lambda r: th.choose(r).expected_cost),
]


@pytest.mark.parametrize("name", WEIGHTS)
@pytest.mark.parametrize("kept", [None, 0, 1 << 22])
def test_bounds_allow_for_how_an_engine_adds_weights(monkeypatch, name, kept):
    if kept is not None:
        monkeypatch.setattr(scanning, "ROWS_TO_GROUP", 0)
        monkeypatch.setattr(scanning, "ROWS_AT_ONCE", 700)
        for limit, value in {"ROWS_KEPT": kept, "SEGMENTS": 1, "SEGMENTS_PER_RANGE": 1}.items():
            monkeypatch.setattr(exactly, limit, value)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        scores = (rng.integers(0, 50, 1500) + 0.5) / 51
        labels, weights = rng.random(1500) < scores, WEIGHTS[name](rng)
        table = ibis.memtable(pa.table({"y": labels, "p": scores, "w": weights}))
        found = th.scan(table, label="y", score="p", weight="w", exact=None if kept is None else True, buckets=16)
        exact = th.rank(labels, scores, weights=weights)
        assert found.exact == (kept != 0)
        assert not found.exact or (found.ranges is None) == (name == "eighths")
        for bounds, value in OF_WEIGHTS:
            assert value(exact) in bounds(found)
            assert bounds(found).width < 1e-10 or not found.exact


def test_weights_that_nobody_added_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    labels, scores, weights = rng.random(900) < 0.4, rng.normal(size=900), rng.random(900)
    table = ibis.memtable(pa.table({"y": labels, "p": scores, "w": weights}))
    assert th.scan(table, label="y", score="p", weight="w") == th.rank(labels, scores, weights=weights)


def test_float32_scores_are_compared_exactly(source, data):
    place, how = source
    how = {name: value for name, value in how.items() if name != "exact"}
    assert th.scan(place, label=NAMES["label"], score="q", **how) == th.rank(data[NAMES["label"]], data["q"])


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("kept", [0, 1 << 22])
def test_exact_range_by_range(source, monkeypatch, data, kept):
    monkeypatch.setattr(scanning, "ROWS_AT_ONCE", 700)
    monkeypatch.setattr(exactly, "ROWS_KEPT", kept)
    monkeypatch.setattr(exactly, "SEGMENTS", 1)
    monkeypatch.setattr(exactly, "SEGMENTS_PER_RANGE", 1)
    place, how = source
    found = th.scan(
        place, label=NAMES["label"], score="p", buckets=256, where=lambda t: t.w > 0, **{**how, "exact": True}
    )
    exact = th.rank(data[NAMES["label"]], data["p"])
    assert found.exact == (kept > 0)
    assert th.auc(found) == th.auc(exact)
    assert th.auc_bounds(found) == th.auc_bounds(exact)
    assert th.best_cost_bounds(found).width == 0
    assert th.average_precision(found) == pytest.approx(th.average_precision(exact), rel=1e-14)
    assert th.pr_area(found) == pytest.approx(th.pr_area(exact), rel=1e-14)
    assert th.ks(found).statistic == th.ks(exact).statistic
    for bounds in (th.average_precision_bounds, th.pr_area_bounds, th.ks_bounds):
        assert bounds(found).width == 0
    for cost_ratio in (0.2, 1, 7):
        condition = th.OperatingCondition(cost_ratio=cost_ratio)
        one, other = th.choose(found, condition), th.choose(exact, condition)
        assert one.expected_cost == other.expected_cost
        assert one.threshold == other.threshold


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("seed", range(4))
def test_choices_are_those_of_the_rows_where_some_scores_are_infinite(monkeypatch, seed):
    monkeypatch.setattr(scanning, "ROWS_AT_ONCE", 60)
    for name, value in {"ROWS_KEPT": 0, "SEGMENTS": 1, "SEGMENTS_PER_RANGE": 1}.items():
        monkeypatch.setattr(exactly, name, value)
    rng = np.random.default_rng(seed)
    scores = rng.integers(-9, 9, 300) * 1.0 if seed % 2 else rng.normal(size=300)
    labels = rng.random(300) < 1 / (1 + np.exp(-scores))
    scores[:4], labels[:4], scores[-3:] = np.inf, [False, False, False, True], -np.inf
    table, exact = ibis.memtable(pa.table({"y": labels, "p": scores})), th.rank(labels, scores)
    asked: dict[str, Any] = {"label": "y", "score": "p", "buckets": 16}
    require_same_choices(th.scan(table, exact=True, **asked), exact)
    for ratio in (0.01, 1, 7):
        condition = th.OperatingCondition(cost_ratio=ratio)
        found = th.scan(table, exact=False, refine=condition, **asked)
        assert th.best_cost_bounds(found, condition=condition) == th.best_cost_bounds(exact, condition=condition)
        assert th.choose(found, condition).threshold == th.choose(exact, condition).threshold


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("at_once", [1 << 22, 700])
def test_a_table_that_changes_under_an_exact_scan_is_told(monkeypatch, data, at_once):
    monkeypatch.setattr(scanning, "ROWS_AT_ONCE", at_once)
    engine = ibis.duckdb.connect()
    table = engine.create_table("mails", pa.table(data))

    def written_to(_):
        engine.insert("mails", table.limit(ROWS))

    with pytest.raises(th.SourceError, match="changed while it was read"):
        th.scan(table, label=NAMES["label"], score="p", exact=True, buckets=16, progress=written_to)


@pytest.mark.usefixtures("bounded")
def test_losses_are_exact_range_by_range(folder, monkeypatch, data):
    monkeypatch.setattr(scanning, "ROWS_AT_ONCE", 700)
    monkeypatch.setattr(exactly, "ROWS_KEPT", 0)
    monkeypatch.setattr(exactly, "SEGMENTS", 1)
    monkeypatch.setattr(exactly, "SEGMENTS_PER_RANGE", 1)
    probability = (data["p"] > 0) & (data["p"] < 1)
    exact = th.rank(data[NAMES["label"]][probability], data["p"][probability])
    asked: dict[str, Any] = {"label": NAMES["label"], "score": "p", "buckets": 256, "exact": True}
    found = th.scan(str(folder), where=lambda t: (t.p > 0) & (t.p < 1), **asked)
    assert not found.exact
    for one, bounds in ((th.brier, th.brier_bounds), (th.log_loss, th.log_loss_bounds)):
        assert float(one(found)) == pytest.approx(float(one(exact)), rel=1e-14)
        assert bounds(found).width == 0
    certain = th.scan(str(folder), where=lambda t: (t.p >= 0) & (t.p <= 1), **asked)
    within = (data["p"] >= 0) & (data["p"] <= 1)
    expected = th.log_loss(th.rank(data[NAMES["label"]][within], data["p"][within]))
    assert repr(th.log_loss(certain)) == repr(expected)
    assert th.Ranking.from_json(found.to_json()) == found
    assert exact_number((found + found).ranges, "brier") is None


def test_several_models_in_one_pass(source, data):
    place, how = source
    how = {name: value for name, value in how.items() if name != "exact"}
    found = th.scan_models(place, label=NAMES["label"], scores=["p", "q"], where=lambda t: t.w > 0, **how)
    assert found == {model: th.rank(data[NAMES["label"]], data[model]) for model in ("p", "q")}


@pytest.mark.usefixtures("bounded")
def test_groups_in_one_pass(source, data):
    place, how = source
    found = th.scan_by(place, label=NAMES["label"], score="p", by="select", refine=False, buckets=256, **how)
    assert set(found) == {"NL", "B'E"}
    for country, ranking in found.items():
        mine = data["select"] == country
        exact = th.rank(data[NAMES["label"]][mine], data["p"][mine])
        assert (ranking.Pos, ranking.Neg) == (exact.Pos, exact.Neg)
        assert th.auc(exact) in th.auc_bounds(ranking)


def test_models_and_groups_in_one_pass(source, data):
    place, how = source
    how = {name: value for name, value in how.items() if name != "exact"}
    asked: dict[str, Any] = {"label": NAMES["label"], "scores": ["p", "q"], "by": "select"}
    told: list[th.Progress] = []
    found = th.scan_models_by(place, where=lambda t: t.w > 0, progress=told.append, **asked, **how)
    assert {one.stage for one in told} == {"counting", "counting every score"}
    for country in ("NL", "B'E"):
        mine = data["select"] == country
        for model in ("p", "q"):
            assert found[country][model] == th.rank(data[NAMES["label"]][mine], data[model][mine])


def test_a_group_of_which_nothing_is_left_is_named():
    rows_: dict[str, list[Any]] = {"y": [1, 0, None, None], "p": [0.5, 0.2, 0.7, 0.1], "week": [1, 1, 2, 2]}
    for source in (rows_, ibis.memtable(pa.table(rows_))):
        with pytest.raises(th.EmptyError, match="nothing is left of 'p' in 2"):
            th.scan_by(source, label="y", score="p", by="week", missing="drop")
        found = th.scan_by(source, label="y", score="p", by="week", missing="drop", where={"week": 1})
        assert found == {1: th.rank([1, 0], [0.5, 0.2])}


def test_filters(source, data):
    place, how = source
    how = {name: value for name, value in how.items() if name != "exact"}
    mine = data["select"] == "B'E"
    exact = th.rank(data[NAMES["label"]][mine], data["p"][mine])
    for where in ({"select": "B'E"}, {"select": ["B'E", "'; DROP TABLE mails"]}, lambda t: t["select"] == "B'E"):
        assert th.scan(place, label=NAMES["label"], score="p", where=where, **how) == exact
    text: Any = "1=1; DROP TABLE mails"
    with pytest.raises(th.ArgumentError, match="never read from a text"):
        th.scan(place, label=NAMES["label"], score="p", where=text, **how)


def test_names_are_names_and_nothing_is_executed(source):
    """The label column is called like an attack; the table is still there, and absent names are refused."""
    place, how = source
    for name in ("p; DROP TABLE mails", 'p"', "p' OR '1'='1"):
        with pytest.raises(th.ColumnError, match="has no column"):
            th.scan(place, label=NAMES["label"], score=name, **how)
    assert th.scan(place, label=NAMES["label"], score="p", **how).total == ROWS


def test_texts_are_no_scores(source):
    place, how = source
    with pytest.raises(th.ScoreError, match="scores must be numbers"):
        th.scan(place, label=NAMES["label"], score="select", where=lambda t: t.w > 0, **how)


def test_labels_that_are_texts(source, data):
    place, how = source
    how = how | {"exact": None}
    labels: dict[str, Any] = {"label": "select", "score": "p", "where": lambda t: t.w > 0}
    assert th.scan(place, positive="NL", **labels, **how) == th.rank(data["select"], data["p"], positive="NL")
    with pytest.raises(th.PositiveLabelError, match="cannot tell which label is positive"):
        th.scan(place, **labels, **how)
    with pytest.raises(th.PositiveLabelError, match="not among the labels"):
        th.scan(place, positive="DE", **labels, **how)


def test_three_labels(source):
    place, how = source
    with pytest.raises(th.LabelError, match="more than two labels"):
        th.scan(place, label="w", score="p", positive=1, where=lambda t: t.p >= 0, **how)


def test_no_rows(source):
    place, how = source
    with pytest.raises(th.EmptyError):
        th.scan(place, label=NAMES["label"], score="p", where=lambda t: t.w < 0, **how)


def test_one_class_is_a_ranking_with_one_class(source):
    place, how = source
    found = th.scan(place, label=NAMES["label"], score="p", where={NAMES["label"]: 1}, **how)
    assert found.Neg == 0
    with pytest.raises(th.OneClassError):
        th.auc_bounds(found)


def test_progress_is_told(source):
    place, how = source
    told: list[th.Progress] = []
    th.scan(place, label=NAMES["label"], score="p", where=lambda t: t.w > 0, progress=told.append, **how)
    assert told
    assert told[0].stage == "counting"
    assert all(one.seconds >= 0 for one in told)


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
        return tmp_path / "faulty.parquet", {"where": lambda t: t.w.isnull() | (t.w >= 0)}
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
    with pytest.raises(th.MissingValueError, match=r"1 of 8 labels .*; 2 of 8 scores are missing or NaN, and they"):
        th.scan(place, label="y", score="p", **how)
    with pytest.raises(th.MissingValueError, match="1 of 8 weights"):
        th.scan(place, label="y", score="p", weight="w", **how)


def test_what_is_missing_may_be_dropped(faulty):
    place, how = faulty
    kept = [i for i in range(8) if i not in (2, 3, 4)]
    found = th.scan(place, label="y", score="p", missing="drop", **how)
    assert found == th.rank([FAULTY["y"][i] for i in kept], [FAULTY["p"][i] for i in kept])
    assert found.dropped == 3
    weighted = th.scan(place, label="y", score="p", weight="w", missing="drop", **how)
    rows_left = [i for i in kept if FAULTY["w"][i] is not None]
    columns = ([FAULTY[name][i] for i in rows_left] for name in ("y", "p", "w"))
    labels, scores, weights = columns
    assert weighted == th.rank(labels, scores, weights=weights)
    assert weighted.dropped == 4


def test_bad_weights_are_refused(faulty):
    place, how = faulty
    for rows, beside in ((place, how), (FAULTY, {})):
        with pytest.raises(th.WeightError, match="2 of 5 weights are negative or infinite"):
            th.scan(rows, label="y", score="p", weight="bad", missing="drop", **beside)


@pytest.mark.parametrize("engine", [False, True])
def test_what_is_wrong_with_rows_that_are_dropped_does_not_matter(engine):
    """A row without a label may have any weight, and a score that no float64 holds."""
    data = {"y": [1, 0, None], "p": [1, 2, 2**60 + 1], "w": [1.0, 1.0, -1.0]}
    rows = ibis.memtable(pa.table(data)) if engine else pa.table(data)
    found = th.scan(rows, label="y", score="p", weight="w", missing="drop")
    assert (found.total, found.dropped) == (2, 1)
    with pytest.raises(th.MissingValueError):
        th.scan(rows, label="y", score="p", weight="w")
    models = pa.table({"y": [1, 0, 1], "p": [1, 2, 3], "q": [1, 2, None], "w": [1.0, 1.0, -1.0]})
    source = ibis.memtable(models) if engine else models
    with pytest.raises(th.WeightError, match="1 of 3 weights"):
        th.scan_models(source, label="y", scores=["q", "p"], weight="w", missing="drop")


def test_whole_numbers_beyond_a_float64_are_refused(tmp_path):
    pq.write_table(pa.table({"y": [0, 1], "p": [1, 2**53 + 1]}), tmp_path / "wide.parquet")
    with pytest.raises(th.ScoreError, match=r"2\*\*53"):
        th.scan(tmp_path / "wide.parquet", label="y", score="p", where=lambda t: t.y >= 0)


def test_ibis_tables_of_any_engine(data):
    table = ibis.memtable(pa.table(data))
    assert th.scan(table, label=NAMES["label"], score="p") == th.rank(data[NAMES["label"]], data["p"])


def test_database_files(tmp_path, data):
    engine = ibis.duckdb.connect(tmp_path / "mails.duckdb")
    engine.create_table("mails", pa.table(data))
    engine.disconnect()
    place = tmp_path / "mails.duckdb"
    assert th.scan(place, table="mails", label=NAMES["label"], score="p") == th.rank(data[NAMES["label"]], data["p"])
    with pytest.raises(th.SourceError, match="has no table 'mail'"):
        th.scan(place, table="mail", label=NAMES["label"], score="p")
    with pytest.raises(th.SourceError, match="no database file"):
        th.scan(tmp_path / "absent.duckdb", table="mails", label=NAMES["label"], score="p")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "arrow"])
def test_files_of_other_formats_through_the_engine(tmp_path, suffix):
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
    assert th.scan(path, label="y", score="p", where=lambda t: t.y >= 0) == expected


def test_few_scores_are_exact_after_one_pass(tmp_path):
    scores = np.random.default_rng(1).integers(0, 50, 5000) / 50
    labels = scores > np.random.default_rng(2).random(5000)
    pq.write_table(pa.table({"y": labels, "p": scores}), tmp_path / "few.parquet")
    stages: list[th.Progress] = []
    found = th.scan(tmp_path / "few.parquet", label="y", score="p", exact=False, progress=stages.append)
    assert found == th.rank(labels, scores)
    assert {one.stage for one in stages} == {"counting"}


def test_a_scan_may_be_repeated(folder):
    def once():
        return th.scan(str(folder), label=NAMES["label"], score="p", exact=False, refine=False, buckets=64)

    assert once() == once()


@pytest.mark.usefixtures("bounded")
def test_days_add_up(folder, data):
    days = [
        th.scan(path, label=NAMES["label"], score="p", exact=False, refine=False, buckets=1024)
        for path in sorted(folder.iterdir())
    ]
    whole = days[0] + days[1] + days[2]
    assert whole.total == ROWS
    assert th.auc(th.rank(data[NAMES["label"]], data["p"])) in th.auc_bounds(whole)
    together = th.scan(str(folder), label=NAMES["label"], score="p", exact=False, refine=False, buckets=1024)
    assert th.auc_bounds(whole).width <= th.auc_bounds(together).width


@pytest.mark.parametrize("change", [{"buckets": 3}, {"missing": "guess"}, {"refine": "twice"}])
def test_options_outside_what_is_understood(folder, change):
    with pytest.raises(th.ArgumentError):
        th.scan(str(folder), label=NAMES["label"], score="p", **change)


def test_scores_and_groups_need_names(folder):
    with pytest.raises(th.ArgumentError):
        th.scan_models(str(folder), label="y", scores="p")
    with pytest.raises(th.ArgumentError):
        th.scan_by(str(folder), label="y", score="p", by=[])
