"""Tests of schema."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.learning import column_types, frame
from thresher.learning.data.schema import ExpectedColumn, Remarks, conform, expected_columns, require_expected_columns

TABLE = frame(
    {
        "age": [31, None, 25, 40],
        "vip": [True, False, True, True],
        "when": pd.to_datetime(["2024-01-01", "2024-02-01", "2024-03-01", "2024-04-01"]),
        "town": ["Oslo", "Rome", "Oslo", "Bern"],
        "size": pd.Categorical(["S", "M", "M", "S"], categories=["S", "M", "L"], ordered=True),
        "floor": [1.0, 2.0, 2.0, 1.0],
    }
)


@pytest.fixture
def result():
    kinds = column_types(TABLE, types={"floor": "categorical"})
    return {column.name: column for column in expected_columns(TABLE, kinds, np.array([0, 1, 2]))}


def test_readings_kinds_and_gaps(result):
    readings = {name: column.reading for name, column in result.items()}
    assert readings == {
        "age": "number",
        "vip": "truth",
        "when": "date",
        "town": "text",
        "size": "text",
        "floor": "number",
    }
    assert [name for name, column in result.items() if column.gaps] == ["age"]


def test_categories_are_those_of_training_rows(result):
    assert result["town"].categories == ("Oslo", "Rome")
    assert result["floor"].categories == ("1", "2")
    assert result["size"].categories == ("S", "M", "L")
    assert result["age"].categories == ()


def test_plain_data_are_read_back(result):
    for column in result.values():
        assert ExpectedColumn.from_dict(json.loads(json.dumps(column.to_dict()))) == column


def column(kind, reading="number", categories=(), *, gaps=False):
    return ExpectedColumn("c", kind, reading, gaps, tuple(categories))


def read(values, expected, before=0):
    return conform(frame({"c": values}), [expected], before=before)


@given(st.lists(st.floats(-1e38, 1e38), min_size=1, max_size=20))
def test_numbers_written_as_text_are_the_same_numbers(numbers):
    plain = read(numbers, column("numerical"))[0]["c"].tolist()
    assert read([repr(number) for number in numbers], column("numerical"))[0]["c"].tolist() == plain == numbers


@given(st.lists(st.sampled_from(["Oslo", "Rome", "Bern", None]), min_size=1, max_size=30), st.integers(1, 7))
def test_remarks_of_pieces_add_up_to_those_of_all_rows(towns, size):
    expected = column("categorical", "text", ["Oslo"])
    total = Remarks(*read(towns, expected)[1:])
    pieces = Remarks()
    for start in range(0, len(towns), size):
        pieces += Remarks(*read(towns[start : start + size], expected)[1:])
    assert pieces.unseen == total.unseen
    assert pieces.gaps == total.gaps


@pytest.mark.parametrize("word", ["", " NA", "nan", "null", "None"])
def test_words_for_missing(word):
    rows, _, gaps = read(["1", word], column("numerical"))
    assert np.isnan(rows["c"].iloc[1])
    assert gaps == Counter(c=1)
    assert not read(["1", word], column("numerical", gaps=True))[2]


def test_truth_values_in_any_spelling():
    assert read(["true", "False", None], column("boolean", "truth"))[0]["c"].tolist() == [True, False, None]
    assert read([1, 0], column("boolean"))[0]["c"].tolist() == [1, 0]


def test_numbers_that_are_categories_are_spelt_as_in_training():
    rows, unseen, _ = read(["3.0", "4", "x"], column("categorical", "number", ["3"]))
    assert unseen == {"c": Counter({"4": 1, "x": 1})}
    assert rows["c"].tolist() == [3.0, 4.0, "x"]
    assert read(["NA", "01"], column("categorical", "text", ["NA", "01"]))[1] == {}


@pytest.mark.parametrize(
    ("values", "expected", "words"),
    [
        (["1", "old"], column("numerical"), "held numbers in training, and row 12 holds 'old'"),
        ([1, np.inf], column("numerical"), "held finite numbers in training, and row 12 holds inf"),
        ([1, 2], column("boolean"), "held 0 or 1 only in training, and row 12 holds 2"),
        (["true", "perhaps"], column("boolean", "truth"), "row 12 holds 'perhaps'"),
        (["S", "XL"], column("ordinal", "text", "SML"), "held S < M < L in training, and row 12 holds 'XL'"),
        (["2024-01-01", "soon"], column("date", "text"), "held dates in training, and row 12 holds 'soon'"),
    ],
)
def test_values_of_another_kind_are_refused_with_their_row(values, expected, words):
    with pytest.raises(th.errors.ColumnError, match=words):
        read(values, expected, before=10)


def test_dates_of_any_type():
    expected = column("date", "date")
    assert read(["2024-01-01"], expected)[0]["c"].tolist() == ["2024-01-01"]
    stamp = pd.Timestamp("2024-01-01")
    assert read(pd.Series([stamp, pd.NaT]), expected)[0]["c"].tolist()[0] == stamp


def test_names_are_suggested():
    with pytest.raises(th.errors.ColumnError, match=r"new.csv has no column 'c'; did you mean 'C'\?"):
        require_expected_columns(["C", "d"], [column("numerical")], place="new.csv")


def test_many_unseen_categories_are_counted():
    words = next(Remarks({"c": Counter(a=1, b=2, c=3, d=4, e=5)}).lines())
    assert words.startswith(
        "15 rows have a category of column 'c' that training rows had not: 'e', 'd' and 'c' and 2 more"
    )
