import numpy as np
import pandas as pd

from thresher.learning import MissingFlags


def test_every_kind_of_missing_is_flagged():
    table = pd.DataFrame(
        {
            "a": [1.0, np.nan],
            "b": ["x", None],
            "c": pd.array([1, None], dtype="Int64"),
            "d": pd.to_datetime(["2020-01-01", None]),
        }
    )
    fitted = MissingFlags().fit(table)
    assert fitted.transform(table).tolist() == [[0, 0, 0, 0], [1, 1, 1, 1]]
    assert fitted.get_feature_names_out().tolist() == ["a: missing", "b: missing", "c: missing", "d: missing"]
