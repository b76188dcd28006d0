import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from thresher.ranking import cuts_above, lookup

NUMBERS = st.floats(allow_nan=False) | st.sampled_from([0.0, -0.0, 0.5, np.inf, -np.inf, 1e308, -1e308, 5e-324])


@given(hnp.arrays(np.float64, st.integers(0, 60), elements=NUMBERS), st.lists(NUMBERS, min_size=1), st.integers(2, 40))
def test_as_many_as_a_count_finds(score, cuts, cells):
    cut = np.array(sorted(cuts, reverse=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "ROWS_WORTH_CELLS", 0)
        patch.setattr(lookup, "CELLS", cells)
        found = cuts_above(score, cut)
    assert found.tolist() == [int((cut > value).sum()) for value in score.tolist()]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_rows(dtype):
    rng = np.random.default_rng(4)
    score = rng.normal(size=lookup.ROWS_WORTH_CELLS + 5).astype(dtype)
    cut = np.array([np.inf, *np.sort(rng.choice(score, 200, replace=False).astype(np.float64))[::-1], -np.inf])
    assert np.array_equal(cuts_above(score, cut), np.searchsorted(-cut, -score.astype(np.float64), side="left"))
