"""Which rows of a table are compared, and what is refused of them."""

import ibis
import pyarrow as pa
import pytest

import thresher as th
from thresher.sources.engines.pairs import open_pairs
from thresher.sources.options import Columns, Options

NAN = float("nan")
COLUMNS = {
    "y": pa.array([1, 0, 1, None, 0, 1, 0]),
    "a": pa.array([0.9, 0.8, None, 0.5, NAN, -0.0, 0.0]),
    "b": pa.array([3, 2, 1, 1, 0, 5, 4]),
    "w": pa.array([1.0, 2.0, 1.0, 1.0, 1.0, 0.0, 0.5]),
    "c": pa.array(["x", "x", "y", "y", "z", None, "z"]),
    "text": pa.array(list("abcdefg")),
    "large": pa.array([2**53 + 1, 1, 2, 3, 4, 5, 6]),
    "minus": pa.array([1.0, -1.0, 1.0, 1.0, 1.0, 1.0, float("inf")]),
}


def opened(*scores, weights=None, cluster=None, **how):
    table = ibis.memtable(pa.table(COLUMNS))
    return open_pairs(table, Columns("y", scores, weights), Options(**how), cluster=cluster)


def left(*scores, **how):
    """The rows that are left, as tuples of all their columns."""
    with opened(*scores, missing="drop", **how) as rows:
        actual = rows.engine.answer(rows.table, stage="reading", listener=None).to_pylist()
        return rows, sorted(tuple(row.values()) for row in actual)


def test_rows_that_miss_something_are_left_out_and_counted():
    rows, actual = left("a", "b")
    assert rows.dropped == 3
    assert rows.cases == (2, 2)
    assert rows.weight == (2.0, 2.0)
    assert actual == [(0, 0.0, 4.0), (0, 0.8, 2.0), (1, 0.0, 5.0), (1, 0.9, 3.0)]


def test_weights_of_nothing_vanish_and_are_not_missing():
    rows, actual = left("a", weights="w")
    assert rows.dropped == 3
    assert rows.cases == (1, 2)
    assert rows.weight == (1.0, 2.5)
    assert actual == [(0, 0.0, 0.5), (0, 0.8, 2.0), (1, 0.9, 1.0)]


def test_a_missing_cluster_is_a_missing_value():
    rows, actual = left("b", cluster="c")
    assert rows.dropped == 2
    assert {row[-1] for row in actual} == {"x", "y", "z"}


def test_a_filter_comes_first():
    rows, actual = left("a", where={"c": ["x", "y"]})
    assert rows.dropped == 2
    assert len(actual) == 2
    rows, _ = left("a", where=lambda table: table.b > 1, positive=0)
    assert rows.cases == (2, 2)


@pytest.mark.parametrize(
    ("scores", "how", "error", "words"),
    [
        (("a", "b"), {}, th.errors.MissingValueError, "3 of 7 rows miss a label"),
        (("text",), {}, th.errors.ScoreError, "scores must be numbers"),
        (("large",), {"missing": "drop"}, th.errors.ScoreError, "1 of 7 scores do not fit"),
        (
            ("b",),
            {"missing": "drop", "weights": "minus"},
            th.errors.WeightError,
            "2 of 7 weights are negative or infinite",
        ),
        (("b",), {"missing": "drop", "weights": "text"}, th.errors.WeightError, "weights must be numbers"),
        (("b",), {"missing": "drop", "where": {"y": 1}}, th.errors.OneClassError, "no negatives among 3"),
        (("b",), {"missing": "drop", "positive": 7}, th.errors.PositiveLabelError, "7"),
        (("absent",), {}, th.errors.ColumnError, "absent"),
        (("b",), {"missing": "ignore"}, th.errors.ArgumentError, 'missing must be "raise" or "drop"'),
        (("b",), {"missing": None}, th.errors.ArgumentError, 'missing must be "raise" or "drop"'),
        (("b",), {"progress": 5}, th.errors.ArgumentError, "progress is called"),
        (("b",), {"where": {"b": 99}}, th.errors.EmptyError, "there are no rows"),
        (
            ("a",),
            {"missing": "drop", "where": {"c": "y", "b": 1}},
            th.errors.EmptyError,
            "no row is left after dropping",
        ),
        (("b",), {"weights": "w", "where": {"b": 5}}, th.errors.EmptyError, "all weights are 0"),
        (("b",), {"cluster": 'c"; DROP TABLE rows; --'}, th.errors.ColumnError, "DROP TABLE"),
    ],
)
def test_what_is_refused_everywhere_is_refused(scores, how, error, words):
    with pytest.raises(error, match=words), opened(*scores, **how):
        pass
