"""Lazy frames are read batch by batch where they would not fit, and give the counts of a frame that holds its rows."""

import datetime as dt
import threading
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import thresher as th
from thresher.inputs import frames
from thresher.inputs.frames import PROGRESS_THREAD, frame_stream

scanning = import_module("thresher.sources.scan")
SIZE = 3000
RNG = np.random.default_rng(4)
Y = RNG.random(SIZE) < 0.3
ROWS = pa.table(
    {
        "y": Y,
        "p": RNG.normal(size=SIZE) + Y,
        "q": pa.array(RNG.normal(size=SIZE).astype(np.float32)),
        "w": RNG.integers(1, 5, SIZE) / 4,
        "town": pa.array(["Oslo", None, 'R"ome'] * (SIZE // 3)).dictionary_encode(),
        "day": pa.array([dt.date(2026, 1, 1 + i % 3) for i in range(SIZE)]),
        "rest": pa.array([[1, 2]] * SIZE),
    }
)


def lazily(kind, path):
    if kind == "data set":
        return ds.dataset(path)
    if kind == "relation":
        return duckdb.connect().from_parquet(str(path))
    frame = pl.scan_parquet(path)
    return nw.from_native(frame) if kind == "Narwhals" else frame


@pytest.fixture(params=["Polars", "Narwhals", "relation", "data set"])
def frame(request, tmp_path):
    pq.write_table(ROWS, tmp_path / "rows.parquet", row_group_size=500)
    return lazily(request.param, tmp_path / "rows.parquet")


@pytest.mark.parametrize("how", [{}, {"weights": "w"}, {"where": {"town": ["Oslo", None]}}], ids=str)
def test_counts_are_those_of_rows_that_are_held(frame, monkeypatch, how):
    expected = th.scan(ROWS, label="y", score="p", **how)
    assert th.scan(frame, label="y", score="p", **how) == expected
    monkeypatch.setattr(scanning, "memory_budget", lambda: 0)
    assert th.scan(frame, label="y", score="p", exact=True, **how) == expected


@pytest.mark.parametrize("by", ["town", "day"])
def test_groups_are_those_of_rows_that_are_held(frame, by):
    expected = th.scan(ROWS, label="y", score="q", by=by)
    assert th.scan(frame, label="y", score="q", by=by) == expected
    assert th.scan(frame, label="y", score="q", by=by, where=pc.field("w") > 0) == expected


def test_what_does_not_fit_is_counted_in_buckets(frame, monkeypatch):
    exact = th.scan(ROWS, label="y", score="p")
    monkeypatch.setattr(scanning, "memory_budget", lambda: 0)
    reports: list[th.sources.Progress] = []
    actual = th.scan(frame, label="y", score="p", buckets=64, progress=reports.append)
    assert not actual.exact
    assert th.auc(exact) in th.bounds(actual, "auc")
    assert reports[-1].rows == SIZE
    assert th.scan(frame, label="y", score="p", exact=True, buckets=64) == exact


def test_buckets_on_request(frame):
    """Also of rows that would fit."""
    assert not th.scan(frame, label="y", score="p", exact=False, buckets=16).exact


def test_models_are_compared_batch_by_batch(frame):
    actual = th.inference.compare_scan(frame, label="y", score=["p", "q"])["p", "q"]
    expected = th.compare(ROWS["y"], {name: ROWS[name] for name in ("p", "q")})["p", "q"]
    assert (actual.lower, actual.upper) == pytest.approx((expected.lower, expected.upper), rel=1e-9)


def test_columns_are_checked_with_a_suggestion(frame):
    for exact in (None, False):
        with pytest.raises(th.errors.ColumnError, match="did you mean 'p'"):
            th.scan(frame, label="y", score="P", exact=exact)


def test_columns_of_lists_are_refused_when_they_are_asked_for(frame):
    for exact in (None, False):
        with pytest.raises(th.ThresherError, match="not one value per row"):
            th.scan(frame, label="y", score="p", by="rest", exact=exact)


def test_no_rows(frame):
    none: Any = frame.filter("p > 1e9") if hasattr(frame, "to_arrow_reader") else None
    if none is None and hasattr(frame, "head"):
        none = frame.head(0)
    if isinstance(none, pa.Table):  # of a data set, whose rows are then held
        none = ds.dataset(none)
    for exact in (None, False):
        with pytest.raises(th.errors.EmptyError):
            th.scan(none, label="y", score="p", exact=exact)


def test_rows_that_come_once_are_counted():
    for exact in (None, True, False):
        reader = ROWS.to_reader(max_chunksize=100)
        actual = th.scan(reader, label="y", score="p", exact=exact)
        assert th.auc(th.scan(ROWS, label="y", score="p")) in th.bounds(actual, "auc")
        assert actual.exact or exact is False


def test_types_that_arrow_does_not_have_are_held():
    frame = pl.LazyFrame({"y": [1, 0], "p": [0.9, 0.2], "z": pl.Series([object(), object()], dtype=pl.Object)})
    assert frame_stream(frame) is None
    assert th.scan(frame, label="y", score="p", exact=False) == th.rank([1, 0], [0.9, 0.2])


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of Polars before 2
def test_what_a_lazy_frame_says_when_it_fails(tmp_path):
    with pytest.raises(th.errors.SourceError, match=r"the frame could not be scanned: .*absent"):
        th.scan(pl.scan_csv(tmp_path / "absent.csv"), label="y", score="p")
    late = pl.LazyFrame({"y": ["1", "0"], "p": ["0.5", "no"]}).with_columns(pl.col("p").cast(pl.Float64))
    for exact in (None, False):
        with pytest.raises(th.errors.SourceError, match="conversion"):
            th.scan(late, label="y", score="p", positive="1", exact=exact)


@pytest.mark.parametrize("budget", [None, 0])
def test_threads_may_share_a_relation(monkeypatch, budget):
    """The engine would let them wait for each other for ever."""
    if budget is not None:
        monkeypatch.setattr(scanning, "memory_budget", lambda: budget)
    relation = duckdb.connect().from_arrow(ROWS.drop_columns("rest"))
    expected = th.scan(relation, label="y", score="p", exact=False)
    with ThreadPoolExecutor(4) as threads:
        scans = [threads.submit(th.scan, relation, label="y", score="p", exact=False) for _ in range(8)]
        assert all(scan.result(timeout=60) == expected for scan in scans)


def test_rows_that_fit_are_worked_out_once():
    """They need not come out the same again."""
    times: list[int] = []

    def worked(frame: pl.DataFrame) -> pl.DataFrame:
        times.append(frame.height)
        return frame

    lazy = pl.LazyFrame(ROWS.drop_columns("rest")).map_batches(worked)
    for scan in (
        lambda: th.scan(lazy, label="y", score="p"),
        lambda: th.scan(lazy, label="y", score="p", exact=False),
        lambda: th.scan(lazy, label="y", score="p", where=pc.field("w") > 0),
        lambda: th.inference.compare_scan(lazy, label="y", score=["p", "q"]),
        lambda: th.evaluation.evaluate_scan(lazy, label="y", score=["p", "q"]),
    ):
        times.clear()
        scan()
        assert [rows for rows in times if rows] == [SIZE]


def test_columns_may_be_called_anything():
    rows = ROWS.select(["y", "p"]).append_column("scanner", ROWS["w"]).append_column("schema", ROWS["w"])
    rows = rows.append_column("a.b", ROWS["p"]).append_column('x"y', ROWS["p"])
    expected = th.scan(ROWS, label="y", score="p")
    relation = duckdb.connect().from_arrow(rows)
    for frame in (rows.to_pandas(), pl.DataFrame(rows).lazy(), relation):
        for score in ("p", "a.b", 'x"y'):
            assert th.scan(frame, label="y", score=score) == expected


def test_nanoseconds_and_times_stay_what_they_are_batch_by_batch(monkeypatch):
    moments = pa.array([3001, 3001, 3999, 3999, 4000, 4000], pa.timestamp("ns", tz="Asia/Tokyo"))
    hours = pa.array([dt.time(1), dt.time(2), None] * 2, pa.time64("ns"))
    rows = pa.table({"y": [1, 0] * 3, "p": np.arange(6) / 8, "moment": moments, "hour": hours})
    lazy = [ds.dataset(rows), pl.DataFrame(rows).lazy()]
    expected = [th.scan(rows, label="y", score="p", by=by) for by in ("moment", "hour")]
    monkeypatch.setattr(scanning, "memory_budget", lambda: 0)
    for frame in lazy:
        assert [th.scan(frame, label="y", score="p", by=by) for by in ("moment", "hour")] == expected
        with pytest.raises(th.errors.EmptyError):
            th.scan(frame, label="y", score="p", where={"moment": dt.datetime(1970, 1, 1, microsecond=3)})  # noqa: DTZ001
        assert th.scan(frame, label="y", score="p", where={"hour": dt.time(2)}).total == 2


def test_expressions_may_use_any_column(frame):
    where = (pc.list_value_length(pc.field("rest")) == 2) & (pc.field("w") > 0.5)
    actual = th.scan(frame, label="y", score="p", where=where)
    assert actual == th.scan(ROWS.filter(pc.field("w") > 0.5), label="y", score="p")


def test_a_listener_does_not_wait_for_the_scan_that_waits_for_it():
    relation = duckdb.connect().from_arrow(ROWS.drop_columns("rest"))
    errors: list[Exception] = []

    def listening() -> None:
        try:
            th.scan(relation, label="y", score="p")
        except th.errors.SourceError as error:
            errors.append(error)

    listener = threading.Thread(target=listening, name=PROGRESS_THREAD)
    with frames._one_at_a_time():
        listener.start()
        listener.join(timeout=60)
        assert "cannot be scanned by the progress function" in str(errors[0])
    assert th.scan(relation, label="y", score="p") == th.scan(ROWS, label="y", score="p")


@pytest.mark.parametrize("how", [{}, {"where": {"y": [True, False]}}, {"weights": "w"}], ids=str)
def test_columns_that_nobody_asks_for_are_not_worked_out(monkeypatch, how):
    lazy = pl.LazyFrame(ROWS.drop_columns("rest")).with_columns(bad=pl.col("town").cast(pl.Int64))
    expected = th.scan(ROWS, label="y", score="p", **how)
    for budget in (None, 0):
        if budget is not None:
            monkeypatch.setattr(scanning, "memory_budget", lambda: 0)
        assert th.scan(lazy, label="y", score="p", exact=True, **how) == expected
        actual = th.scan(lazy, label="y", score="p", exact=False, **how)
        assert th.auc(expected) in th.bounds(actual, "auc")
