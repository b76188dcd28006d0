import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.learning import Numbers


def test_every_spelling_of_numbers_is_read():
    table = pd.DataFrame(
        {
            "text": ["1.5", None, " 2"],
            "switch": [True, False, None],
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "whole": [1, 2, 3],
        },
        index=[5, 6, 7],
    )
    found = Numbers().fit_transform(table)
    assert (found.dtypes == np.float64).all()
    assert found.index.tolist() == [5, 6, 7]
    np.testing.assert_array_equal(found["text"], [1.5, np.nan, 2])
    np.testing.assert_array_equal(found["switch"], [1, 0, np.nan])
    np.testing.assert_array_equal(found["nullable"], [1, np.nan, 3])


def test_text_in_a_new_table_is_refused_and_not_made_missing():
    fitted = Numbers().fit({"fare": [1.0]})
    with pytest.raises(th.ColumnError, match=r"1 of 2 values are text \('free'; first at row 1\)"):
        fitted.transform({"fare": ["2", "free"]})
