import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from thresher.ranking.packing import classes_in, packed, scores_in


@pytest.mark.parametrize("width", [32, 64])
@given(data=st.data())
def test_what_is_packed_comes_back_in_order(width, data):
    negative = data.draw(st.booleans())
    values = st.floats(
        width=width, allow_nan=False, min_value=None if negative else 0.0, max_value=-0.0 if negative else None
    )
    scores = data.draw(
        hnp.arrays(f"f{width // 8}", st.integers(1, 50), elements=values.filter(bool) if negative else values)
    )
    scores = scores + scores.dtype.type(0)
    flags = data.draw(hnp.arrays(np.bool_, scores.size))
    keys = packed(scores, flags)
    assert keys.itemsize == scores.itemsize
    assert scores_in(keys, negative=negative).tolist() == scores.tolist()
    assert classes_in(keys).tolist() == flags.tolist()
    rows = list(zip(scores.tolist(), flags.tolist(), strict=True))
    assert [rows[i] for i in np.argsort(keys, kind="stable")] == sorted(rows)


def test_both_signs_are_packed_at_once():
    scores = np.array([-1.0, 2.0, -0.5, 0.0])
    keys = packed(scores, np.array([True, False, True, False]))
    below = scores < 0
    assert scores_in(keys[below], negative=True).tolist() == [-1.0, -0.5]
    assert scores_in(keys[~below], negative=False).tolist() == [2.0, 0.0]


def test_no_rows():
    assert packed(np.empty(0), np.empty(0, dtype=bool)).size == 0


@pytest.mark.parametrize("byte", [1, 2, 255])
def test_any_byte_but_zero_is_true(byte):
    flags = np.array([byte, 0, byte], dtype=np.uint8).view(np.bool_)
    keys = packed(np.array([0.9, 0.8, 0.7]), flags)
    assert scores_in(keys, negative=False).tolist() == [0.9, 0.8, 0.7]
    assert classes_in(keys).tolist() == [1, 0, 1]
