"""Rows sorted outside memory give the ranking of rows in memory, whatever the scores are like."""

import tempfile

import numpy as np
import pytest

import thresher as th
from tests.reachable import require_same_choices
from thresher.sources import external_sort
from thresher.sources.buckets import LabelCodes
from thresher.sources.external_sort import ExternalSort, Limits

ONE_GROUP = LabelCodes(np.array([False, True]), np.array([True, True]), np.array([0, 0]), groups=1)
SMALL = Limits(held=500, in_range=600, in_full=10**6)
CONDENSED = Limits(held=500, in_range=600, in_full=0, segments=4)
SIZE = 6000
RNG = np.random.default_rng(5)
Y = RNG.random(SIZE) < 0.4
SCORES = {
    "probabilities": 1 / (1 + np.exp(-RNG.normal(size=SIZE) - Y)),
    "sorted": np.sort(RNG.random(SIZE)),
    "one score": np.full(SIZE, 0.25),
    "two scores and few others": np.where(RNG.random(SIZE) < 0.9, RNG.integers(0, 2, SIZE) / 2, RNG.random(SIZE)),
    "a crowd in one bucket": 1e9 + RNG.random(SIZE),
    "all sizes": RNG.normal(size=SIZE) * 10.0 ** RNG.integers(-300, 300, SIZE),
    "both zeros and infinities": RNG.choice([0.0, -0.0, np.inf, -np.inf, 1.0, -1.0], SIZE),
}


def sort(scores, labels=Y, weights=None, *, limits=SMALL, codes=ONE_GROUP, batches=9):
    rows = ExternalSort(weighted=weights is not None, limits=limits)
    try:
        for part in np.array_split(np.arange(len(scores)), batches):
            rows.add(labels[part].astype(np.int8), scores[part], None if weights is None else weights[part])
        return rows.rankings(codes, np.zeros(codes.groups, dtype=np.int64))
    finally:
        rows.close()


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("weighted", [False, True])
def test_rankings_are_those_of_rows_in_memory(name, weighted):
    weights = RNG.integers(1, 9, SIZE) / 8 if weighted else None
    (actual,) = sort(SCORES[name], weights=weights)
    assert actual == th.rank(Y, SCORES[name], weights=weights)


@pytest.mark.parametrize("name", [name for name in SCORES if "zeros" not in name])
def test_condensed_rankings_answer_as_the_rows_do(name):
    """Pairs, hull and choices are those of the rows; what depends on the order inside segments has bounds."""
    (actual,) = sort(SCORES[name], limits=CONDENSED)
    exact = th.rank(Y, SCORES[name])
    assert (actual.Pos, actual.Neg) == (exact.Pos, exact.Neg)
    assert th.auc(actual) == th.auc(exact)
    assert th.bounds(actual, "auc") == th.bounds(exact, "auc")
    require_same_choices(actual, exact)
    assert th.average_precision(exact) in th.bounds(actual, "average_precision")
    assert th.pr_area(exact) in th.bounds(actual, "pr_area")
    assert th.Ranking.from_json(actual.to_json()) == actual


def test_groups():
    groups = RNG.integers(0, 3, SIZE)
    codes = LabelCodes(np.tile([False, True], 3), np.ones(6, dtype=bool), np.repeat([0, 1, 2], 2), groups=3)
    actual = sort(SCORES["probabilities"], groups * 2 + Y, codes=codes)
    for group in range(3):
        chosen = groups == group
        assert actual[group] == th.rank(Y[chosen], SCORES["probabilities"][chosen])


def test_rows_that_do_not_count_are_left_out():
    codes = LabelCodes(np.array([False, True, False]), np.array([True, True, False]), np.zeros(3, int), groups=1)
    labels = np.where(np.arange(SIZE) % 5 == 0, 2, Y)
    (actual,) = sort(SCORES["probabilities"], labels, codes=codes)
    assert actual == th.rank(Y[labels < 2], SCORES["probabilities"][labels < 2])


def test_a_full_disk_is_an_error_in_words(monkeypatch):
    def full(**_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(external_sort, "TemporaryFile", full)
    with pytest.raises(th.errors.SourceError, match="no space to spill") as raised:
        sort(SCORES["probabilities"])
    assert "TMPDIR" in raised.value.fix


def test_nothing_is_left_on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    sort(SCORES["probabilities"])
    assert not list(tmp_path.iterdir())
