"""Tests of folds."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th
from thresher.learning import CalibratedModel, CostSensitiveClassifier, Folds
from thresher.learning.validation.folds import (
    groups_and_times,
    inner_splits,
    parameters_of,
    route,
    row_count,
    rows_of,
    splits_of,
)

TABLE = np.arange(12.0).reshape(4, 3)
KINDS = {
    "array": TABLE,
    "pandas": pd.DataFrame(TABLE, index=[9, 8, 7, 6]),
    "polars": pl.DataFrame(TABLE),
    "csr": sparse.csr_array(TABLE),
    "coo": sparse.coo_array(TABLE),
    "list": TABLE.tolist(),
}


def dense(table):
    return table.toarray() if sparse.issparse(table) else np.asarray(table)


@pytest.mark.parametrize("kind", KINDS)
@given(places=st.lists(st.integers(0, 3), min_size=1))
def test_rows_come_in_the_order_asked_for(kind, places):
    index = np.array(places)
    assert row_count(KINDS[kind]) == 4
    np.testing.assert_array_equal(dense(rows_of(KINDS[kind], index)), TABLE[index])


def test_only_what_has_an_entry_per_row_is_cut():
    parameters = {
        "weight": np.arange(4),
        "name": "four",
        "share": 0.5,
        "three": [1, 2, 3],
        "map": {i: i for i in range(4)},
    }
    cut = parameters_of(parameters, np.array([3]), 4)
    assert cut["weight"].tolist() == [3]
    assert {name: cut[name] for name in parameters if name != "weight"} == {
        n: v for n, v in parameters.items() if n != "weight"
    }


ROW_DATA = {"groups": np.array([1, 1, 2])}


def test_only_what_is_given_is_there():
    assert groups_and_times(None, None, rows=3) == {}
    result = groups_and_times(["a", "b", "b"], None, rows=3)
    assert {name: values.tolist() for name, values in result.items()} == {"groups": ["a", "b", "b"]}


@pytest.mark.parametrize(
    ("groups", "times", "kind", "words"),
    [
        ([1, 2], None, th.errors.LengthError, "2 groups for 3 rows"),
        (None, [1, 2, 3, 4], th.errors.LengthError, "4 times for 3 rows"),
        ([1, None, 2], None, th.errors.MissingValueError, "groups"),
        (7, None, th.ThresherError, "groups"),
    ],
)
def test_entries_are_one_per_row_and_none_is_missing(groups, times, kind, words):
    with pytest.raises(kind, match=words):
        groups_and_times(groups, times, rows=3)


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (GaussianNB(), []),
        (CalibratedModel(GaussianNB()), ["groups"]),
        (make_pipeline(StandardScaler(), CostSensitiveClassifier(GaussianNB())), ["costsensitiveclassifier__groups"]),
        (make_pipeline(StandardScaler(), make_pipeline(CalibratedModel(GaussianNB()))), None),
        (make_pipeline(StandardScaler(), GaussianNB()), []),
        (FrozenEstimator(CalibratedModel(GaussianNB())), []),
    ],
)
def test_groups_reach_wrappers_at_the_end_of_pipelines(model, names):
    wanted = ["pipeline__calibratedmodel__groups"] if names is None else names
    assert list(route(ROW_DATA, model)) == wanted


FLAGS = np.arange(60) % 3 == 0
GROUPS = np.arange(60) // 4


def odd(value: Any) -> Any:
    """What a caller without a type checker might pass."""
    return value


@pytest.mark.parametrize("kind", ["stratified", "plain", "grouped", "stratified grouped", "leave-one-out"])
@pytest.mark.parametrize("seed", [0, 1])
def test_each_row_is_tested_once_per_repeat(kind, seed):
    repeats = 1 if kind == "leave-one-out" else 3
    splits = Folds(4, kind, repeats).splits(FLAGS, groups=GROUPS, seed=seed)
    for repeat in range(repeats):
        tested = np.concatenate([split.test for split in splits if split.repeat == repeat])
        assert sorted(tested.tolist()) == list(range(60))
    for split in splits:
        assert not set(split.train) & set(split.test)
        assert split.train.size + split.test.size == 60


def test_kinds_keep_what_they_promise():
    for split in Folds(4).splits(FLAGS, seed=3):
        assert FLAGS[split.test].sum() == 5
    for kind in ("grouped", "stratified grouped"):
        for split in Folds(4, kind).splits(FLAGS, groups=GROUPS, seed=3):
            assert not set(GROUPS[split.train]) & set(GROUPS[split.test])


def test_seeds_and_repeats_partition_differently_and_reproducibly():
    def tests(seed):
        return [split.test.tolist() for split in Folds(3, repeats=2).splits(FLAGS, seed=seed)]

    assert tests(0) == tests(0)
    assert tests(0) != tests(1)
    assert tests(0)[:3] != tests(0)[3:]


@given(times=st.lists(st.integers(0, 20), min_size=12, max_size=60), count=st.integers(1, 4))
def test_time_folds_never_look_ahead(times, count):
    at = np.array(times)
    flags = np.arange(at.size) % 2 == 0
    if len(set(times)) <= count:
        with pytest.raises(th.errors.ArgumentError, match="distinct times"):
            Folds(count, "time").splits(flags, times=at)
        return
    try:
        splits = Folds(count, "time").splits(flags, times=at)
    except th.errors.ArgumentError as error:
        assert "distinct times" in str(error)  # noqa: PT017
        return
    assert len(splits) == count
    for split in splits:
        assert at[split.train].max() < at[split.test].min()
    tested = np.concatenate([split.test for split in splits])
    assert len(set(tested.tolist())) == tested.size
    assert set(at[tested]) | set(at[splits[0].train]) == set(times)


def test_dates_are_times():
    dates = np.datetime64("2020-01-01") + np.random.default_rng(0).permutation(60)
    for split in Folds(3, "time").splits(FLAGS, times=dates):
        assert dates[split.train].max() < dates[split.test].min()


def test_numbers_splitters_and_pairs_are_folds():
    assert len(splits_of(3, FLAGS)) == 3
    assert not set(GROUPS[(split := splits_of(3, FLAGS, groups=GROUPS)[0]).train]) & set(GROUPS[split.test])
    assert splits_of(3, FLAGS, times=np.arange(60))[0].train.tolist() == list(range(15))
    assert len(splits_of(ShuffleSplit(4, random_state=0), FLAGS)) == 4
    assert splits_of([(range(50), range(50, 60))], FLAGS)[0].test.size == 10


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda: Folds(1), th.errors.ArgumentError, "count must be 2 or more"),
        (lambda: Folds(odd(2.5)), th.errors.ArgumentError, "count must be"),
        (lambda: Folds(5, odd("random")), th.errors.ArgumentError, "kind must be one of"),
        (lambda: Folds(5, repeats=0), th.errors.ArgumentError, "repeats must be"),
        (lambda: Folds(5, "time", repeats=2), th.errors.ArgumentError, "same every time"),
        (lambda: Folds(5).splits(FLAGS[:4]), th.errors.ArgumentError, "5 folds need at least as many rows"),
        (lambda: Folds(5).splits(np.arange(60) < 3), th.errors.ArgumentError, "True has 3"),
        (lambda: Folds(5, "grouped").splits(FLAGS), th.errors.ArgumentError, "need groups"),
        (lambda: Folds(5, "grouped").splits(FLAGS, groups=GROUPS[:9]), th.errors.LengthError, "9 groups for 60 rows"),
        (lambda: Folds(5, "grouped").splits(FLAGS, groups=FLAGS), th.errors.ArgumentError, "there are 2"),
        (lambda: splits_of("five", FLAGS), th.errors.ArgumentError, "folds is 'five'"),
        (lambda: splits_of([], FLAGS), th.errors.ArgumentError, "no folds"),
        (lambda: splits_of([([0, 3], [1])], FLAGS), th.errors.OneClassError, "fold 0 lack class False"),
        (lambda: splits_of([([0, 1], [])], FLAGS), th.errors.ArgumentError, "no test rows"),
    ],
)
def test_folds_that_cannot_be_made_are_refused_in_words(ask, error, words):
    with pytest.raises(error, match=words):
        ask()


def test_inner_folds_keep_groups_together():
    groups = np.repeat(np.arange(12), 5)
    splits = inner_splits(3, groups % 3 == 0, {"groups": groups})
    assert len(splits) == 3
    for split in splits:
        assert not set(groups[split.train]) & set(groups[split.test])
    assert np.concatenate([split.test for split in splits]).size == 60


def test_inner_folds_in_time_learn_from_earlier_rows_of_both_classes():
    times = np.random.default_rng(0).permutation(40)
    flags = (times > 15) & (times % 2 == 0)
    splits = inner_splits(3, flags, {"times": times})
    assert len(splits) == 2  # what is earlier than the first of three blocks holds no positive
    for split in splits:
        assert times[split.train].max() < times[split.test].min()
        assert flags[split.train].any()
    with pytest.raises(th.errors.OneClassError, match="lack class True, in each of 3 folds in time"):
        inner_splits(3, times == 39, {"times": times})
