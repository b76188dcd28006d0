import pandas as pd
import pytest

import thresher as th
from thresher.learning import complete_rows, missing_values

TABLE = pd.DataFrame({"age": [31, None, 25], "town": ["Oslo", None, None], "y": [0, 1, 0]})


def test_values_that_lack_are_counted():
    found = missing_values(TABLE)
    assert found.counts == {"age": 1, "town": 2, "y": 0}
    assert (found.rows, found.incomplete_rows) == (3, 2)
    assert str(missing_values({"a": [1]})) == "none of 1 rows lacks a value"


def test_rows_are_dropped_on_request_and_counted():
    found = complete_rows(TABLE)
    assert (found.dropped, found.kept.tolist()) == (2, [0])
    assert complete_rows(TABLE, columns=["age"]).kept.tolist() == [0, 2]
    assert len(TABLE) == 3


def test_dropping_everything_is_refused():
    with pytest.raises(th.EmptyError, match="every one of 2 rows"):
        complete_rows({"a": [None, 1], "b": [1, None]})
    with pytest.raises(th.ArgumentError, match="no columns"):
        complete_rows(TABLE, columns=[])
    with pytest.raises(th.ColumnError, match="no column 'x'"):
        complete_rows(TABLE, columns=["x"])
