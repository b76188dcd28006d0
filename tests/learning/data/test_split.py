"""Partitions by class, group and time: sizes, mixes and what is refused."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.learning import split
from thresher.learning.data.split import grouped_partition, largest_remainders, stratified_partition, time_partition

shares = st.lists(st.integers(1, 20), min_size=2, max_size=4).map(lambda s: np.array(s) / sum(s))
codes = st.lists(st.integers(0, 3), min_size=1, max_size=120).map(np.array)


@given(st.integers(0, 1000), shares)
def test_integer_sizes_add_up_and_stay_within_one(total, share):
    sizes = largest_remainders(total, share)
    assert sizes.sum() == total
    assert (np.abs(sizes - total * share) < 1).all()


@given(codes, shares, st.integers(0, 5))
def test_each_class_and_all_rows_are_partitioned_fairly(drawn, share, seed):
    part = stratified_partition(drawn, share, np.random.default_rng(seed))
    for code in set(drawn.tolist()):
        inside = np.bincount(part[drawn == code], minlength=share.size)
        assert (np.abs(inside - (drawn == code).sum() * share) < 1 + 1e-9).all()
    sizes = np.bincount(part, minlength=share.size)
    assert (np.abs(sizes - drawn.size * share) < 2).all()


@given(codes, shares, st.integers(1, 9), st.integers(0, 5))
def test_groups_stay_undivided(drawn, share, groups, seed):
    member = np.random.default_rng(seed + 100).integers(0, groups, drawn.size)
    part = grouped_partition(member, drawn, share, np.random.default_rng(seed))
    for group in set(member.tolist()):
        assert len(set(part[member == group].tolist())) == 1


def test_many_groups_come_close_to_the_shares_in_every_class():
    rng = np.random.default_rng(0)
    member, drawn = rng.integers(0, 300, 5000), (rng.random(5000) < 0.05).astype(int)
    part = grouped_partition(member, drawn, np.array([0.6, 0.2, 0.2]), rng)
    for code in (0, 1):
        result = np.bincount(part[drawn == code]) / (drawn == code).sum()
        np.testing.assert_allclose(result, [0.6, 0.2, 0.2], atol=0.02)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=60).map(np.array), shares)
def test_earlier_parts_hold_earlier_rows(time, share):
    part = time_partition(time, share)
    for earlier in range(share.size - 1):
        before, after = time[part <= earlier], time[part > earlier]
        if before.size and after.size:
            assert before.max() < after.min()


LABELS = np.array([0] * 60 + [1] * 40)


@pytest.mark.parametrize("parts", [(70, 30), (60, 40), (50, 50), (0.6, 0.2, 0.2), (1, 1, 1, 1)])
def test_proportions_are_exact_overall_and_in_each_class(parts):
    result = split(LABELS, parts)
    total = sum(parts)
    for (name, size), part in zip(result.sizes.items(), parts, strict=True):
        assert size == round(100 * part / total)
        assert result.counts[name] == (round(60 * part / total), round(40 * part / total))
    rows = np.concatenate([result[name] for name in result])
    assert sorted(rows.tolist()) == list(range(100))


def test_parts_are_named():
    assert list(split(LABELS)) == ["train", "test"]
    assert list(split(LABELS, (3, 1, 1))) == ["train", "validation", "test"]
    assert list(split(LABELS, {"fit": 3, "check": 1})) == ["fit", "check"]


def test_the_seed_decides_and_nothing_else():
    assert split(LABELS, seed=1)["test"].tolist() == split(LABELS, seed=1)["test"].tolist()
    assert split(LABELS, seed=1)["test"].tolist() != split(LABELS, seed=2)["test"].tolist()


def test_without_strata_the_mix_is_left_to_chance():
    result = split(LABELS, stratify=False)
    assert result.sizes == {"train": 70, "test": 30}
    assert result.how == "at random, seed 0"


def test_groups_are_not_torn_apart():
    groups = np.repeat([f"g{i}" for i in range(25)], 4)
    result = split(LABELS, groups=groups, seed=3)
    assert set(groups[result["train"]]) & set(groups[result["test"]]) == set()
    assert abs(result.sizes["train"] - 70) <= 4


def test_time_goes_forward():
    days = pd.Series(pd.date_range("2020-01-01", periods=50).repeat(2)).sample(frac=1, random_state=0)
    result = split(LABELS, (60, 20, 20), times=days)
    assert result.sizes == {"train": 60, "validation": 20, "test": 20}
    assert days.iloc[result["train"]].max() < days.iloc[result["validation"]].min()
    assert result.how == "by time, the earliest first"


@pytest.mark.parametrize(
    ("labels", "options", "kind", "words"),
    [
        ([], {}, th.errors.EmptyError, "no rows"),
        ([0, 1], {"parts": (1, 1, 1)}, th.errors.EmptyError, "no row is left for"),
        ([0, 1], {"parts": (1,)}, th.errors.ArgumentError, "two or more proportions"),
        ([0, 1], {"parts": (1, -1)}, th.errors.ArgumentError, "above 0"),
        ([0, 1], {"parts": (1e308, 1e308)}, th.errors.ArgumentError, "two or more proportions"),
        ([0, 1], {"parts": (1j, 1)}, th.errors.ArgumentError, "two or more proportions"),
        ([0, 1], {"seed": 0.5}, th.errors.ArgumentError, "seed must be a whole number"),
        ([0, None], {}, th.errors.MissingValueError, "1 of 2 labels"),
        ([0, 1], {"groups": [1]}, th.errors.LengthError, "1 groups for 2 rows"),
        ([0, 1], {"groups": [1, None]}, th.errors.MissingValueError, "1 of 2 groups"),
        ([0, 1], {"groups": [1, 2], "times": [1, 2]}, th.errors.ArgumentError, "both groups and times"),
        ([0, 1], {"times": [1, "b"]}, th.errors.ColumnError, "no order"),
    ],
)
def test_what_cannot_be_split_is_refused(labels, options, kind, words):
    with pytest.raises(kind, match=words):
        split(labels, **options)
