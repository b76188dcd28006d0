import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import thresher as th
from thresher.learning.data.frame import column_of, complete_rows, frame, missing_values

TABLE = {"age": [31, 25], "town": ["Oslo", "Rome"]}


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table, dict])
def test_every_kind_of_table_is_the_same_table(made):
    result = frame(made(TABLE))
    assert {name: result[name].tolist() for name in result} == TABLE
    assert result.index.tolist() == [0, 1]


def test_an_index_is_no_column_and_a_matrix_gets_names():
    assert frame(pd.DataFrame(TABLE, index=["a", "b"])).index.tolist() == [0, 1]
    assert list(frame(np.eye(2)).columns) == ["x0", "x1"]


@pytest.mark.parametrize(
    ("data", "kind", "words"),
    [
        (pd.DataFrame({0: [1]}), th.errors.ColumnError, "0 is of type int"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), th.errors.ColumnError, "2 columns are called 'a'"),
        ({"a": []}, th.errors.EmptyError, "no rows"),
        (pd.DataFrame(index=[0, 1]), th.errors.EmptyError, "no columns"),
        ({"a": [1], "b": [1, 2]}, th.errors.LengthError, "a 1, b 2"),
        ([1, 2], th.errors.ColumnError, "list is no table"),
        ({"a": "text"}, th.errors.ColumnError, "'a' is no list of values"),
    ],
)
def test_what_is_no_table_is_refused(data, kind, words):
    with pytest.raises(kind, match=words):
        frame(data)


def test_a_misspelled_column_is_met_with_the_likely_one():
    with pytest.raises(th.errors.ColumnError, match="did you mean 'town'"):
        column_of(frame(TABLE), "twon")
    with pytest.raises(th.errors.ColumnError) as caught:
        column_of(frame(TABLE), "zzz")
    assert caught.value.fix == "the columns are 'age', 'town'"


GAPPY = pd.DataFrame({"age": [31, None, 25], "town": ["Oslo", None, None], "y": [0, 1, 0]})


def test_values_that_lack_are_counted():
    gaps = missing_values(GAPPY)
    assert gaps.counts == {"age": 1, "town": 2, "y": 0}
    assert (gaps.rows, gaps.incomplete_rows) == (3, 2)
    assert str(missing_values({"a": [1]})) == "none of 1 rows lacks a value"


def test_rows_are_dropped_on_request_and_counted():
    complete = complete_rows(GAPPY)
    assert (complete.dropped, complete.rows.tolist()) == (2, [0])
    assert complete_rows(GAPPY, columns=["age"]).rows.tolist() == [0, 2]
    assert len(GAPPY) == 3


def test_dropping_everything_is_refused():
    with pytest.raises(th.errors.EmptyError, match="every one of 2 rows"):
        complete_rows({"a": [None, 1], "b": [1, None]})
    with pytest.raises(th.errors.ArgumentError, match="no columns"):
        complete_rows(GAPPY, columns=[])
    with pytest.raises(th.errors.ColumnError, match="no column 'x'"):
        complete_rows(GAPPY, columns=["x"])
