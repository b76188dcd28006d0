"""What training rows teach about columns survives a file, and comes from training rows alone."""

import json

import numpy as np
import pandas as pd
import pytest

from thresher.learning import column_types, frame
from thresher.learning.expected_columns import ExpectedColumn, expected_columns

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
def found():
    kinds = column_types(TABLE, types={"floor": "categorical"})
    return {column.name: column for column in expected_columns(TABLE, kinds, np.array([0, 1, 2]))}


def test_readings_kinds_and_gaps(found):
    readings = {name: column.reading for name, column in found.items()}
    assert readings == {
        "age": "number",
        "vip": "truth",
        "when": "date",
        "town": "text",
        "size": "text",
        "floor": "number",
    }
    assert [name for name, column in found.items() if column.gaps] == ["age"]


def test_categories_are_those_of_training_rows(found):
    assert found["town"].categories == ("Oslo", "Rome")
    assert found["floor"].categories == ("1", "2")
    assert found["size"].categories == ("S", "M", "L")
    assert found["age"].categories == ()


def test_plain_data_are_read_back(found):
    for column in found.values():
        assert ExpectedColumn.from_dict(json.loads(json.dumps(column.to_dict()))) == column
