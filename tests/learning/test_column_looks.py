import pandas as pd
import pytest

import thresher as th
from thresher.learning.column_looks import declared, looked_at


def look(values, most=1000):
    column = pd.Series(values, name="a")
    return looked_at(column, column.dropna(), most=most)


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
    found = look(values)
    assert (found.kind, found.reason) == (kind, reason)


def test_one_value_with_gaps_is_no_constant():
    assert look([3.5, None, 3.5]).kind == "numerical"


def test_a_few_numbers_with_words_are_categories():
    assert look(["0", "1", "2", "3+"] * 20).kind == "categorical"


def test_measurements_among_words_are_a_mix_and_codes_are_none():
    codes = [f"{i % 40}" for i in range(60)] + ["PC 17", "A/5"] * 20
    assert look(codes).kind == "categorical"
    measured = [f"{i / 8}" for i in range(60)] + ["error", "off"] * 20
    with pytest.raises(
        th.ColumnError, match=r"column 'a' holds numbers, but 40 of 100 values are text \('error', 'off'"
    ):
        look(measured)
    assert look([*measured[:10], *["error", "off"] * 45, "inf"]).kind == "categorical"


def test_an_ordered_categorical_may_be_declared_ordinal_without_an_order():
    values = pd.Series(pd.Categorical(["b", "a"], categories=["b", "a"], ordered=True), name="a")
    assert declared(values, "ordinal", ()).order == ("b", "a")


def test_declared_dates_are_those_that_can_be_read():
    assert declared(pd.Series(["2024-01-01"], name="a"), "date", ()).reason == "declared"
