"""The one query: what it brings out of an engine, and what it makes of columns that engines hold loosely."""

import sqlite3

import ibis
import numpy as np
import pyarrow as pa
import pytest
from thresher.sources.database import Opened
from thresher.sources.tally import Wanted, tally

import thresher as th


def test_a_label_of_many_values_brings_no_more_out_of_the_engine_than_a_few_would():
    table = ibis.memtable(pa.table({"y": np.arange(20_000), "p": np.linspace(0, 1, 20_000)}))
    assert tally(table, Wanted("y", ("p",)), buckets=16).count().to_pyarrow().as_py() < 1000
    with pytest.raises(th.LabelError, match=r"more than two labels: .*, …"):
        th.scan(table, label="y", score="p", buckets=16)


def test_third_labels_are_counted():
    rows = {"y": ["a"] * 500 + ["b"] * 300 + ["c"] * 7, "p": np.linspace(-3, 3, 807), "q": np.linspace(0, 1, 807)}
    told = {"7 × 'c'", "300 × 'b'", "500 × 'a'"}
    for scan in (
        lambda source: th.scan(source, label="y", score="p", positive="a"),
        lambda source: th.scan_models(source, label="y", scores=["p", "q"], positive="a"),
        lambda source: th.compare_scan(source, label="y", scores=["p", "q"], positive="a"),
    ):
        for source in (rows, ibis.memtable(pa.table(rows))):
            with pytest.raises(th.LabelError) as raised:
                scan(source)
            assert all(one in raised.value.what for one in told)


def test_third_labels_are_counted_where_one_model_misses_scores():
    rows = pa.table({"y": ["a", "b", "c"], "p": [0.5, 0.2, 0.1], "q": pa.array([0.5, None, None], pa.float64())})
    with pytest.raises(th.LabelError) as raised:
        th.scan_models(ibis.memtable(rows), label="y", scores=["p", "q"], positive="a", missing="drop")
    assert all(f"1 × '{label}'" in raised.value.what for label in "abc")


def in_sqlite(path, columns, rows):
    connection = sqlite3.connect(path)
    connection.execute(f"CREATE TABLE mails ({', '.join(columns)})")
    connection.executemany(f"INSERT INTO mails VALUES ({', '.join('?' * len(columns))})", rows)  # noqa: S608
    connection.commit()
    connection.close()
    return ibis.sqlite.connect(path).table("mails")


@pytest.mark.parametrize("stray", ["", "n/a", b"x"])
def test_texts_among_numbers_are_missing_and_no_zeros(tmp_path, stray):
    """Where an engine keeps whatever it is given, a cast would make 0 of them."""
    rows = [(1, 0.9, 1.0), (0, stray, 1.0), (0, 0.2, stray), (1, 0.4, 2.0)]
    table = in_sqlite(tmp_path / "mails.db", ["y INTEGER", "p REAL", "w REAL"], rows)
    with pytest.raises(th.MissingValueError, match="1 of 4 scores"):
        th.scan(table, label="y", score="p")
    assert th.scan(table, label="y", score="p", missing="drop") == th.rank([1, 0, 1], [0.9, 0.2, 0.4])
    with pytest.raises(th.MissingValueError, match=r"1 of 4 scores .*; 1 of 4 weights"):
        th.scan(table, label="y", score="p", weight="w")


def test_truth_values_are_scores():
    rows = pa.table({"y": [1, 0, 1, 0], "p": [True, False, None, True]})
    found = th.scan(ibis.memtable(rows), label="y", score="p", missing="drop")
    assert found == th.rank([1, 0, 0], [1.0, 0.0, 1.0])
    assert found.dropped == 1


ONCE = pa.table({"y": [0, 1] * 50, "p": range(100), "q": range(100), "w": [0.5] * 100, "g": [1, 2] * 50})


@pytest.mark.parametrize(
    "wanted",
    [Wanted("y", ("p",)), Wanted("y", ("p", "q")), Wanted("y", ("p", "q"), "w", ("g",))],
    ids=["one model", "two models", "two models, weights and groups"],
)
def test_rows_are_read_once_whatever_is_asked(wanted):
    engine = ibis.duckdb.connect()
    engine.create_table("rows", ONCE)
    asked = tally(engine.table("rows"), wanted, buckets=64)
    ((_, plan),) = engine.con.execute(f"EXPLAIN {engine.compile(asked)}").fetchall()
    assert plan.count("SEQ_SCAN") == 1, plan


@pytest.mark.parametrize("how", [{}, {"by": "g", "weight": "w"}], ids=str)
def test_one_question_is_asked(monkeypatch, how):
    stages = []
    answer = Opened.answer

    def counted(self, expression, **told):
        stages.append(told["stage"])
        return answer(self, expression, **told)

    monkeypatch.setattr(Opened, "answer", counted)
    scan = th.scan_models_by if "by" in how else th.scan_models
    scan(ibis.memtable(ONCE), label="y", scores=["p", "q"], exact=False, refine=False, **how)
    assert stages == ["counting"]
