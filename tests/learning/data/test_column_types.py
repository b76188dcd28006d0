"""Kinds of columns: what is inferred, declared and refused."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import thresher as th
from thresher.learning import ColumnTypes, column_types
from thresher.learning.data.column_types import declared_kind, infer_kind


def look(values, most=1000):
    column = pd.Series(values, name="a")
    return infer_kind(column, column.dropna(), most=most)


@pytest.mark.parametrize(
    ("values", "kind", "reason"),
    [
        ([1.5, None, 2], "numerical", "numbers"),
        (["1.5", "2"], "numerical", "numbers written as text"),
        (["007", "12"], "categorical", "texts that repeat"),
        (["2024-01-01", "2024-01-02T10:00"], "date", "dates written as text"),
        (["2024-01-01", "2024-13-45"], "categorical", "texts that repeat"),
        ([0.0, None, 1.0], "boolean", "0 or 1"),
        (["x", None], "categorical", "texts that repeat"),
        (["x", "x"], "constant", "one value in every row"),
        ([7, 7], "constant", "one value in every row"),
    ],
)
def test_reasons_are_given(values, kind, reason):
    result = look(values)
    assert (result.kind, result.reason) == (kind, reason)


def test_one_value_with_gaps_is_no_constant():
    assert look([3.5, None, 3.5]).kind == "numerical"


def test_a_few_numbers_with_words_are_categories():
    assert look(["0", "1", "2", "3+"] * 20).kind == "categorical"


def test_measurements_among_words_are_a_mix_and_codes_are_none():
    codes = [f"{i % 40}" for i in range(60)] + ["PC 17", "A/5"] * 20
    assert look(codes).kind == "categorical"
    measured = [f"{i / 8}" for i in range(60)] + ["error", "off"] * 20
    with pytest.raises(
        th.errors.ColumnError, match=r"column 'a' holds numbers, but 40 of 100 values are text \('error', 'off'"
    ):
        look(measured)
    assert look([*measured[:10], *["error", "off"] * 45, "inf"]).kind == "categorical"


def test_an_ordered_categorical_may_be_declared_ordinal_without_an_order():
    values = pd.Series(pd.Categorical(["b", "a"], categories=["b", "a"], ordered=True), name="a")
    assert declared_kind(values, "ordinal", ()).order == ("b", "a")


def test_declared_dates_are_those_that_can_be_read():
    assert declared_kind(pd.Series(["2024-01-01"], name="a"), "date", ()).reason == "declared"


N = 60
RNG = np.random.default_rng(0)
DAYS = pd.date_range("2020-01-01", periods=N)
COLUMNS = {
    "numbers": ("numerical", RNG.normal(size=N)),
    "whole numbers": ("numerical", RNG.integers(0, 9, N)),
    "nullable": ("numerical", pd.array([1, 2, None] * 20, dtype="Int64")),
    "numbers as text": ("numerical", [str(i) for i in RNG.integers(10, 99, N)]),
    "distinct amounts": ("numerical", np.arange(N) * 37),
    "switch": ("boolean", RNG.random(N) < 0.5),
    "zero or one": ("boolean", np.arange(N) % 2),
    "gappy switch": ("boolean", [True, False, None] * 20),
    "towns": ("categorical", ["Oslo", "Rome", "Bern"] * 20),
    "postcodes": ("categorical", [f"0{i % 7}123" for i in range(N)]),
    "dependants": ("categorical", ["0", "1", "2", "3+"] * 15),
    "factor": ("categorical", pd.Categorical(["a", "b"] * 30)),
    "ticked": ("categorical", ["x", None] * 30),
    "grade": ("ordinal", pd.Categorical(["low", "high"] * 30, categories=["low", "high"], ordered=True)),
    "sold": ("date", DAYS),
    "sold as text": ("date", DAYS.strftime("%Y-%m-%d").tolist()),
    "sold in zone": ("date", DAYS.tz_localize("Europe/Oslo")),
    "note": ("text", [f"the parcel number {i} came late" for i in range(N)]),
    "customer_id": ("identifier", RNG.permutation(N) * 37),
    "PassengerId": ("identifier", RNG.permutation(N) * 37),
    "running": ("identifier", np.arange(100, 100 + N)),
    "uuid text": ("identifier", [f"{i:08x}" + "z" for i in range(N)]),
    "same": ("constant", ["x"] * N),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_kinds_are_inferred(name):
    kind, values = COLUMNS[name]
    result = column_types(pd.DataFrame({name: values}))[name]
    assert result.kind == kind, result.reason
    assert result.rows == N


def test_a_name_that_ends_like_id_is_not_enough():
    assert column_types({"amount paid": RNG.permutation(N) * 37})["amount paid"].kind == "numerical"


def test_counts_and_the_target_left_out():
    result = column_types({"age": [31, None, 25], "y": [0, 1, 0]}, target="y")
    assert (result["age"].missing, result["age"].distinct, len(result)) == (1, 2, 1)
    assert result.target == "y"
    with pytest.raises(KeyError):
        result["y"]


def test_a_column_that_is_not_there():
    with pytest.raises(KeyError, match="town"):
        column_types({"age": [31, 25, 40]})["town"]


def test_kinds_are_overruled():
    table = {"floor": [1, 2, 3, 1], "note": ["a", "b", "c", "d"], "odd": [[1], [2], [3], [4]]}
    result = column_types(table, types={"floor": "categorical", "note": "text", "odd": "ignored"})
    assert [column.kind for column in result] == ["categorical", "text", "ignored"]
    assert result.used == ["floor", "note"]


def test_orders_are_declared_kind():
    result = column_types({"floor": [2.0, None, 1.0]}, orders={"floor": [1, 2, 3]})["floor"]
    assert (result.kind, result.order, result.reason) == ("ordinal", ("1", "2", "3"), "order declared: 1 < 2 < 3")


def test_a_polars_frame_gives_the_same():
    table = {
        name: list(values) for name, (_, values) in COLUMNS.items() if name in ("numbers", "towns", "note", "switch")
    }
    assert column_types(pl.DataFrame(table)) == column_types(pd.DataFrame(table))


def test_it_prints_as_a_table_and_goes_through_plain_data():
    result = column_types({"town": ["Oslo", "Rome", "Oslo"], "age": [1.5, None, 3]}, orders={"town": ["Oslo", "Rome"]})
    assert str(result).splitlines() == [
        "column  kind       distinct  missing  example  why",
        "town    ordinal           2           Oslo     order declared: Oslo < Rome",
        "age     numerical         2        1  1.5      numbers",
    ]
    assert ColumnTypes.from_dict(result.to_dict()) == result


def test_long_examples_are_cut_and_lines_joined():
    result = column_types({"a": ["one\ntwo three four five six seven", "b c d e"]}, types={"a": "text"})
    assert result["a"].example == "one two three four five…"


BAD: dict[str, tuple[Any, dict[str, Any], type[th.ThresherError], str]] = {
    "all missing": (
        {"a": [None, None]},
        {},
        th.errors.MissingValueError,
        "column 'a' has no values: all 2 rows are missing",
    ),
    "mixed": ({"a": [1, "x", 2]}, {}, th.errors.ColumnError, r"mixes kinds of values: 2 int, 1 str \(first at row 1\)"),
    "lists": ({"a": [[1], [2]]}, {}, th.errors.ColumnError, "holds values of type list"),
    "many categories": (
        {"a": [f"c{i}" for i in range(1500)] * 2},
        {},
        th.errors.ColumnError,
        "column 'a' has 1,500 categories in 3,000 rows, more than 1,000",
    ),
    "text among numbers": (
        {"a": [*map(str, range(50)), "n/a", None]},
        {},
        th.errors.ColumnError,
        r"column 'a' holds numbers, but 1 of 51 values are text \('n/a'; first at row 50\)",
    ),
    "text declared numerical": (
        {"a": ["x", "y"]},
        {"types": {"a": "numerical"}},
        th.errors.ColumnError,
        "2 of 2 values are text",
    ),
    "infinite": ({"a": [1.0, np.inf]}, {}, th.errors.ColumnError, "1 of 2 values of column 'a' are infinite"),
    "too large": ({"a": [1.0, 1e308]}, {}, th.errors.ColumnError, r"1 of 2 values .* are larger than 3.4e\+38"),
    "no such kind": ({"a": [1]}, {"types": {"a": "number"}}, th.errors.ArgumentError, "there is no kind 'number'"),
    "no such column": ({"age": [1]}, {"types": {"agee": "date"}}, th.errors.ColumnError, "there is no column 'agee'"),
    "no such target": ({"age": [1]}, {"target": "y"}, th.errors.ColumnError, "there is no column 'y'"),
    "no order": ({"a": ["x"]}, {"types": {"a": "ordinal"}}, th.errors.ColumnError, "its order is not declared"),
    "stray": ({"a": ["x", "q"]}, {"orders": {"a": ["x"]}}, th.errors.ColumnError, r"first 'q' at row 1"),
    "no date": (
        {"a": ["2020-01-01", "soon"]},
        {"types": {"a": "date"}},
        th.errors.ColumnError,
        "first 'soon' at row 1",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_doubtful_columns_are_refused_in_one_paragraph(name):
    data, options, kind, words = BAD[name]
    with pytest.raises(kind, match=words) as caught:
        column_types(data, **options)
    assert len(str(caught.value).splitlines()) == 3


def test_many_categories_may_be_declared_kind():
    values = [f"c{i}" for i in range(1500)] * 2
    assert column_types({"a": values}, types={"a": "categorical"})["a"].distinct == 1500
    assert column_types({"a": values}, most_categories=2000)["a"].kind == "categorical"
