"""The one query: what it brings out of an engine."""

import re

import ibis
import numpy as np
import pyarrow as pa
import pytest

import thresher as th
from tests.sources.test_scan import in_duckdb
from thresher.sources.engines.connect import EngineTable
from thresher.sources.engines.query import count_query
from thresher.sources.options import Columns


def test_a_label_of_many_values_brings_no_more_out_of_the_engine_than_a_few_would():
    table = ibis.memtable(pa.table({"y": np.arange(20_000), "p": np.linspace(0, 1, 20_000)}))
    assert count_query(table, Columns("y", ("p",)), buckets=16).count().to_pyarrow().as_py() < 1000
    with pytest.raises(th.errors.LabelError, match=r"more than two labels: .*, …"):
        th.scan(table, label="y", score="p", buckets=16)


def test_third_labels_are_counted():
    rows = {"y": ["a"] * 500 + ["b"] * 300 + ["c"] * 7, "p": np.linspace(-3, 3, 807), "q": np.linspace(0, 1, 807)}
    words = {"7 × 'c'", "300 × 'b'", "500 × 'a'"}
    for scan in (
        lambda source: th.scan(source, label="y", score="p", positive="a"),
        lambda source: th.scan(source, label="y", score=["p", "q"], positive="a"),
        lambda source: th.inference.compare_scan(source, label="y", score=["p", "q"], positive="a"),
    ):
        for source in (rows, ibis.memtable(pa.table(rows))):
            with pytest.raises(th.errors.LabelError) as raised:
                scan(source)
            assert all(one in raised.value.what for one in words)


def test_third_labels_are_counted_where_one_model_misses_scores():
    rows = pa.table({"y": ["a", "b", "c"], "p": [0.5, 0.2, 0.1], "q": pa.array([0.5, None, None], pa.float64())})
    with pytest.raises(th.errors.LabelError) as raised:
        th.scan(ibis.memtable(rows), label="y", score=["p", "q"], positive="a", missing="drop")
    assert all(f"1 × '{label}'" in raised.value.what for label in "abc")


def test_truth_values_are_scores():
    rows = pa.table({"y": [1, 0, 1, 0], "p": [True, False, None, True]})
    actual = th.scan(ibis.memtable(rows), label="y", score="p", missing="drop")
    assert actual == th.rank([1, 0, 0], [1.0, 0.0, 1.0])
    assert actual.dropped == 1


ONCE = pa.table({"y": [0, 1] * 50, "p": range(100), "q": range(100), "w": [0.5] * 100, "g": [1, 2] * 50})


@pytest.mark.parametrize(
    "wanted",
    [Columns("y", ("p",)), Columns("y", ("p", "q")), Columns("y", ("p", "q"), "w", ("g",))],
    ids=["one model", "two models", "two models, weights and groups"],
)
def test_rows_are_read_once_whatever_is_asked(wanted):
    engine = ibis.duckdb.connect()
    asked = count_query(in_duckdb(engine, "rows", ONCE), wanted, buckets=64)
    ((_, plan),) = engine.con.execute(f"EXPLAIN {engine.compile(asked)}").fetchall()
    assert len(re.findall("seq.scan", plan, flags=re.IGNORECASE)) == 1, plan  # SEQ_SCAN, from DuckDB 2.0 on Seq Scan


@pytest.mark.parametrize("how", [{}, {"by": "g", "weights": "w"}], ids=str)
def test_one_question_is_asked(monkeypatch, how):
    stages = []
    answer = EngineTable.answer

    def counted(self, expression, **how_):
        stages.append(how_["stage"])
        return answer(self, expression, **how_)

    monkeypatch.setattr(EngineTable, "answer", counted)
    th.scan(ibis.memtable(ONCE), label="y", score=["p", "q"], exact=False, refine=False, **how)
    assert stages == ["counting"]
