import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.learning import Categories
from thresher.learning.preprocessing.encoders import named_category


def test_one_spelling_of_each_category():
    table = pd.DataFrame(
        {"floor": [3.0, None], "town": pd.Categorical(["Oslo", None]), "switch": [True, None], "n": [1, 2]}
    )
    found = Categories().fit_transform(table)
    assert found.iloc[0].tolist() == ["3", "Oslo", "True", "1"]
    assert found.iloc[1, :3].isna().all()
    assert Categories().fit(table).get_feature_names_out().tolist() == ["floor", "town", "switch", "n"]
    assert np.isnan(found["floor"][1])


def test_a_category_outside_a_declared_order_is_refused():
    fitted = Categories({"size": ["S", "M"]}).fit({"size": ["S"]})
    with pytest.raises(th.ColumnError, match=r"1 of 2 values of column 'size' .* \(first 'XL' at row 2\)"):
        fitted.transform({"size": ["M", None, "XL"]})


def test_features_are_named_by_column_and_category():
    assert named_category("town", "Oslo") == "town=Oslo"
