import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from thresher.learning.dealing import by_group, by_time, largest_remainders, stratified

shares = st.lists(st.integers(1, 20), min_size=2, max_size=4).map(lambda s: np.array(s) / sum(s))
codes = st.lists(st.integers(0, 3), min_size=1, max_size=120).map(np.array)


@given(st.integers(0, 1000), shares)
def test_whole_sizes_add_up_and_stay_within_one(total, share):
    sizes = largest_remainders(total, share)
    assert sizes.sum() == total
    assert (np.abs(sizes - total * share) < 1).all()


@given(codes, shares, st.integers(0, 5))
def test_each_class_and_the_whole_are_dealt_fairly(drawn, share, seed):
    part = stratified(drawn, share, np.random.default_rng(seed))
    for code in set(drawn.tolist()):
        inside = np.bincount(part[drawn == code], minlength=share.size)
        assert (np.abs(inside - (drawn == code).sum() * share) < 1 + 1e-9).all()
    whole = np.bincount(part, minlength=share.size)
    assert (np.abs(whole - drawn.size * share) < 2).all()


@given(codes, shares, st.integers(1, 9), st.integers(0, 5))
def test_groups_stay_whole(drawn, share, groups, seed):
    member = np.random.default_rng(seed + 100).integers(0, groups, drawn.size)
    part = by_group(member, drawn, share, np.random.default_rng(seed))
    for group in set(member.tolist()):
        assert len(set(part[member == group].tolist())) == 1


def test_many_groups_come_close_to_the_shares_in_every_class():
    rng = np.random.default_rng(0)
    member, drawn = rng.integers(0, 300, 5000), (rng.random(5000) < 0.05).astype(int)
    part = by_group(member, drawn, np.array([0.6, 0.2, 0.2]), rng)
    for code in (0, 1):
        found = np.bincount(part[drawn == code]) / (drawn == code).sum()
        np.testing.assert_allclose(found, [0.6, 0.2, 0.2], atol=0.02)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60).map(np.array), shares)
def test_earlier_parts_hold_earlier_rows(time, share):
    part = by_time(time, share)
    for earlier in range(share.size - 1):
        before, after = time[part <= earlier], time[part > earlier]
        if before.size and after.size:
            assert before.max() < after.min()
