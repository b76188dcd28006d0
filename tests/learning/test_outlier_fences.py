import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import median_abs_deviation

import thresher as th
from thresher.learning.outlier_fences import fences, require_method

columns = st.lists(st.integers(-50, 50).map(float), min_size=4, max_size=30)


@given(columns)
def test_iqr_is_tukeys(values):
    low, high = np.percentile(values, [25, 75])
    found = fences(np.array(values)[:, None], method="iqr", factor=None)
    if high > low:
        assert found.low[0] == pytest.approx(low - 1.5 * (high - low))
        assert found.high[0] == pytest.approx(high + 1.5 * (high - low))
    else:
        assert (found.low[0], found.high[0]) == (-np.inf, np.inf)


@given(columns)
def test_robust_z_is_scipys_deviation(values):
    spread = median_abs_deviation(values, scale="normal")
    found = fences(np.array(values)[:, None], method="robust_z", factor=3)
    if spread > 0:
        assert found.high[0] == pytest.approx(np.median(values) + 3 * spread)


@given(columns, st.sampled_from(["iqr", "robust_z"]))
def test_missing_values_move_no_fence(values, method):
    one = fences(np.array(values)[:, None], method=method, factor=None)
    gappy = fences(np.array([*values, np.nan, np.nan])[:, None], method=method, factor=None)
    assert (one.low[0], one.high[0]) == (gappy.low[0], gappy.high[0])
    assert not gappy.beyond(np.array([[np.nan]])).any()


def test_a_column_that_is_wholly_missing_has_no_fences():
    found = fences(np.full((3, 1), np.nan), method="iqr", factor=None)
    assert (found.low[0], found.high[0]) == (-np.inf, np.inf)


def test_unknown_ways_are_refused():
    with pytest.raises(th.ArgumentError, match="no way 'z'"):
        require_method("z")
    with pytest.raises(th.ArgumentError, match="above 0"):
        fences(np.ones((2, 1)), method="iqr", factor=0)
