import numpy as np
import pytest

from thresher.ranking.dealing import ranges_of
from thresher.ranking.hands import deal_hand


@pytest.mark.parametrize("step", [1, -1, 3])
def test_rows_go_to_their_ranges_and_keep_their_order(step):
    score = np.random.default_rng(0).normal(size=3000)[::step]
    ranges = ranges_of(score, 20)
    out = np.empty(score.size, dtype=np.int64)
    ends = deal_hand(score, lambda _, items: np.copyto(items, np.arange(score.size)), ranges, out=out)
    number = ranges(score + 0.0)
    assert out.tolist() == np.argsort(number, kind="stable").tolist()
    assert np.diff(ends).tolist() == np.bincount(number, minlength=ranges.count).tolist()


def test_zero_is_one_score():
    seen = []
    score = np.array([0.0, -0.0, -1.0])
    deal_hand(score, lambda *given: seen.append(given[0].copy()), ranges_of(score, 3), out=np.empty(3))
    assert not np.signbit(seen[0][:2]).any()


def test_no_rows():
    score = np.empty(0)
    ends = deal_hand(score, lambda *_: None, ranges_of(np.array([1.0, 2.0]), 4), out=np.empty(0))
    assert ends.tolist() == [0] * 5
