"""Frames in the embedded engine: odd columns are in nobody's way, and refused by name when they are asked for."""

from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.sources.frame_table import frame_table

Y, P = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
ODD: dict[Any, Any] = {
    "periods": pd.Series(pd.period_range("2026", periods=4, freq="M")),
    "intervals": pd.Series(pd.interval_range(0, 4)),
    "mixed": pd.Series([1, "a", 2, "b"], dtype=object),
    "complex": np.array([1j, 2j, 3j, 4j]),
    "long doubles": np.ones(4, dtype=np.longdouble),
    "years": np.array(["2026"] * 4, dtype="datetime64[Y]"),
    "large": pd.Series([2**70] * 4, dtype=object),
    "wide": pd.Series([Decimal("1" * 50)] * 4, dtype=object),
    "lists": pd.Series([[1]] * 4),
    "mappings": pd.Series([{"a": 1}] * 4),
}
ALL: dict[str, Any] = {"where": lambda t: t.p >= 0}


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_column_is_in_nobodys_way_and_refused_when_asked_for(odd):
    frame = {"y": Y, "p": P, "q": P[::-1], odd: ODD[odd]}
    assert th.scan(frame, label="y", score="p", **ALL) == th.rank(Y, P)
    assert th.compare_scan(frame, label="y", scores=["p", "q"]).names == ("p", "q")
    assert len(th.evaluate_scan(frame, label="y", scores=["p", "q"]).models) == 2
    with pytest.raises(th.ColumnError, match=f"the column '{odd}' holds .*, which the embedded engine cannot hold"):
        th.scan(frame, label="y", score=odd, **ALL)
    with pytest.raises(th.ColumnError, match="which the embedded engine cannot hold"):
        th.compare_scan(frame, label="y", scores=["p", odd])
    with pytest.raises(th.ColumnError, match="which the embedded engine cannot hold"):
        th.scan(frame, label="y", score="p", where=lambda t: t[odd] > 0)


def test_a_column_that_is_named_by_a_number():
    frame = pd.DataFrame({"y": Y, "p": P, 5: P})
    assert th.scan(frame, label="y", score="p", **ALL) == th.rank(Y, P)
    asked: Any = {"label": "y", "score": 5}
    with pytest.raises(th.ColumnError, match="the column 5 is named by no text"):
        th.scan(frame, **asked, **ALL)


def test_columns_that_are_no_columns():
    frame: dict[str, Any] = {"y": Y, "p": P, "matrix": np.zeros((4, 2)), "short": [1, 2], "text": "spam"}
    assert th.scan(frame, label="y", score="p", **ALL) == th.rank(Y, P)
    for name in ("matrix", "short", "text"):
        with pytest.raises(th.LengthError):
            th.scan(frame, label="y", score=name, **ALL)


def test_names_that_stand_twice():
    frame = pd.DataFrame([[1, 0.9, 1, 2], [0, 0.8, 1, 2]], columns=["y", "p", "q", "q"])
    assert th.scan(frame, label="y", score="p", **ALL).total == 2
    with pytest.raises(th.ColumnError, match="has 2 columns called 'q'"):
        th.scan(frame, label="y", score="q", **ALL)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["<f2", ">f2", ">f4", ">f8", ">i4", ">u8"])
def test_numbers_of_any_width_and_byte_order(kind):
    frame = {"y": Y, "p": np.array([4, 2, 3, 1], dtype=kind)}
    assert th.scan(frame, label="y", score="p", **ALL) == th.scan(frame, label="y", score="p")


def test_what_is_missing_everywhere_may_be_any_type():
    table, refused = frame_table({"y": Y, "none": [None] * 4})
    assert table["none"].null_count == 4
    assert refused == {}
