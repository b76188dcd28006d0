"""Rows are picked alike from whatever holds them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from thresher.learning.rows import parameters_of, row_count, rows_of

TABLE = np.arange(12.0).reshape(4, 3)
KINDS = {
    "array": TABLE,
    "pandas": pd.DataFrame(TABLE, index=[9, 8, 7, 6]),
    "polars": pl.DataFrame(TABLE),
    "csr": sparse.csr_array(TABLE),
    "coo": sparse.coo_array(TABLE),
    "list": TABLE.tolist(),
}


def dense(table):
    return table.toarray() if sparse.issparse(table) else np.asarray(table)


@pytest.mark.parametrize("kind", KINDS)
@given(places=st.lists(st.integers(0, 3), min_size=1))
def test_rows_come_in_the_order_asked_for(kind, places):
    index = np.array(places)
    assert row_count(KINDS[kind]) == 4
    np.testing.assert_array_equal(dense(rows_of(KINDS[kind], index)), TABLE[index])


def test_only_what_has_an_entry_per_row_is_cut():
    given = {"weight": np.arange(4), "name": "four", "share": 0.5, "three": [1, 2, 3], "map": {i: i for i in range(4)}}
    cut = parameters_of(given, np.array([3]), 4)
    assert cut["weight"].tolist() == [3]
    assert {name: cut[name] for name in given if name != "weight"} == {n: v for n, v in given.items() if n != "weight"}
