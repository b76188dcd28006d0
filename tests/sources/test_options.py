from importlib import import_module

import pytest

import thresher as th

FOUR_ROWS = {"y": [1, 0, 1, 0], "p": [0.9, 0.1, 0.8, 0.3], "w": [1.0, 2.0, 3.0, 4.0]}


@pytest.mark.parametrize(
    ("source", "how", "words"),
    [
        (None, {}, "nothing to scan in NoneType"),
        (["a.csv", "b.csv"], {}, "nothing to scan in list"),
        ("", {}, "nothing to scan in an empty path"),
        (FOUR_ROWS, {"score": "y"}, "'y' is asked for as more than the label"),
        (FOUR_ROWS, {"weights": "y"}, "'y' is asked for as more than the label"),
        (FOUR_ROWS, {"label": None}, "a column is named by text, got None"),
        (FOUR_ROWS, {"score": []}, "score must name columns"),
        (FOUR_ROWS, {"columns": ["p"]}, "columns must map names to types"),
        (FOUR_ROWS, {"exact": "yes"}, "exact must be None, True or False"),
        (FOUR_ROWS, {"progress": 3}, "progress is called with"),
        (FOUR_ROWS, {"buckets": "x"}, "buckets must be 16 to"),
    ],
)
def test_what_cannot_be_scanned_is_refused_in_words(source, how, words):
    with pytest.raises(th.errors.ArgumentError, match=words):
        th.scan(source, **({"label": "y", "score": "p"} | how))


def test_frames_may_name_columns_by_numbers():
    frame = import_module("pandas").DataFrame({0: FOUR_ROWS["y"], 1: FOUR_ROWS["p"]})
    assert th.scan(frame, label=0, score=1) == th.rank(FOUR_ROWS["y"], FOUR_ROWS["p"])  # type: ignore[call-overload]
    with pytest.raises(th.errors.ColumnError, match="has no column 2"):
        th.scan(frame, label=0, score=2)  # type: ignore[call-overload]


@pytest.mark.parametrize("by", [3, [None]])
def test_groups_are_named_by_text(by):
    with pytest.raises(th.ThresherError):
        th.scan(FOUR_ROWS, label="y", score="p", by=by)


def test_a_table_of_an_engine_holds_no_tables_and_a_column_no_rows():
    ibis, arrow = import_module("ibis"), import_module("pyarrow")
    table = ibis.memtable(arrow.table(FOUR_ROWS))
    with pytest.raises(th.errors.ArgumentError, match="holds no tables"):
        th.scan(table, table="mails", label="y", score="p")
    with pytest.raises(th.errors.ArgumentError, match="nothing to scan in IntegerColumn"):
        th.scan(table.y, label="y", score="p")
