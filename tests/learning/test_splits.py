import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.learning import split

LABELS = np.array([0] * 60 + [1] * 40)


@pytest.mark.parametrize("parts", [(70, 30), (60, 40), (50, 50), (0.6, 0.2, 0.2), (1, 1, 1, 1)])
def test_proportions_are_exact_overall_and_in_each_class(parts):
    found = split(LABELS, parts)
    total = sum(parts)
    for (name, size), part in zip(found.sizes.items(), parts, strict=True):
        assert size == round(100 * part / total)
        assert found.counts[name] == (round(60 * part / total), round(40 * part / total))
    rows = np.concatenate([found[name] for name in found])
    assert sorted(rows.tolist()) == list(range(100))


def test_parts_are_named():
    assert list(split(LABELS)) == ["train", "test"]
    assert list(split(LABELS, (3, 1, 1))) == ["train", "validation", "test"]
    assert list(split(LABELS, {"fit": 3, "check": 1})) == ["fit", "check"]


def test_the_seed_decides_and_nothing_else():
    assert split(LABELS, seed=1)["test"].tolist() == split(LABELS, seed=1)["test"].tolist()
    assert split(LABELS, seed=1)["test"].tolist() != split(LABELS, seed=2)["test"].tolist()


def test_without_strata_the_mix_is_left_to_chance():
    found = split(LABELS, stratify=False)
    assert found.sizes == {"train": 70, "test": 30}
    assert found.how == "at random, seed 0"


def test_groups_are_not_torn_apart():
    groups = np.repeat([f"g{i}" for i in range(25)], 4)
    found = split(LABELS, groups=groups, seed=3)
    assert set(groups[found["train"]]) & set(groups[found["test"]]) == set()
    assert abs(found.sizes["train"] - 70) <= 4


def test_time_goes_forward():
    days = pd.Series(pd.date_range("2020-01-01", periods=50).repeat(2)).sample(frac=1, random_state=0)
    found = split(LABELS, (60, 20, 20), time=days)
    assert found.sizes == {"train": 60, "validation": 20, "test": 20}
    assert days.iloc[found["train"]].max() < days.iloc[found["validation"]].min()
    assert found.how == "by time, the earliest first"


@pytest.mark.parametrize(
    ("labels", "options", "kind", "words"),
    [
        ([], {}, th.EmptyError, "no rows"),
        ([0, 1], {"parts": (1, 1, 1)}, th.EmptyError, "no row is left for"),
        ([0, 1], {"parts": (1,)}, th.ArgumentError, "two or more proportions"),
        ([0, 1], {"parts": (1, -1)}, th.ArgumentError, "above 0"),
        ([0, None], {}, th.MissingValueError, "1 of 2 labels"),
        ([0, 1], {"groups": [1]}, th.LengthError, "1 groups for 2 rows"),
        ([0, 1], {"groups": [1, None]}, th.MissingValueError, "1 of 2 groups"),
        ([0, 1], {"groups": [1, 2], "time": [1, 2]}, th.ArgumentError, "both groups and time"),
        ([0, 1], {"time": [1, "b"]}, th.ColumnError, "no order"),
    ],
)
def test_what_cannot_be_split_is_refused(labels, options, kind, words):
    with pytest.raises(kind, match=words):
        split(labels, **options)
