import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference
from tests.strategies import labelled_scores, rows_of, weights
from thresher.ranking import counted, counted_weights, counting, rankable
from thresher.ranking.packing import packed
from thresher.ranking.pieces import shared_out


def segments(found):
    return list(zip(*(column.tolist() for column in found), strict=True))


def in_threads(monkeypatch, processors, *, rows=1):
    monkeypatch.setattr(counting, "ROWS_WORTH_A_THREAD", rows)
    monkeypatch.setattr(counting, "processors", lambda: processors)


@given(labelled_scores())
def test_segments_are_those_of_a_count_by_hand(given_rows):
    labels, scores = given_rows
    score = rankable(scores)
    assert segments(counted(labels, score)) == reference.segments(rows_of(labels, scores))


@given(labelled_scores(), st.data())
def test_weights_are_added_up_by_score(given_rows, data):
    labels, scores = given_rows
    weight = data.draw(st.lists(weights.filter(bool), min_size=labels.size, max_size=labels.size))
    found = counted_weights(labels, rankable(scores), np.array(weight))
    assert segments(found) == reference.segments(rows_of(labels, scores, weight))


def test_counts_take_few_bytes_and_weights_are_float64():
    flags, score = np.array([True, False, True]), np.array([1.0, 1.0, 2.0], dtype=np.float32)
    for found in (counted(flags, score), counted(flags[:1], score[:1])):
        assert [column.dtype for column in found] == [np.float64, np.uint8, np.uint8]
    assert [column.dtype for column in counted_weights(flags, score, np.ones(3))] == [np.float64] * 3


@pytest.mark.parametrize(("rows", "dtype"), [(255, np.uint8), (256, np.uint16), (65_536, np.uint32)])
def test_counts_that_need_more_bytes_get_them(rows, dtype):
    score, pos, neg = counted(np.arange(rows + 1) < rows - 1, np.append(np.zeros(rows), 1.0))
    assert (score.tolist(), pos.tolist(), neg.tolist()) == ([1.0, 0.0], [0, rows - 1], [1, 1])
    assert pos.dtype == neg.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("sign", [1, -1])
def test_few_scores_are_tallied_and_those_too_close_are_sorted(dtype, sign):
    rng = np.random.default_rng(9)
    flags = rng.random(5000) < 0.3
    even = (sign * rng.integers(1, 90, 5000) / 100).astype(dtype)
    few = (sign * rng.integers(1, 9, 5000) / 10).astype(dtype)
    close = np.where(rng.random(5000) < 0.5, few, np.nextafter(few, dtype(9 * sign)))
    for score, tallied in ((even, True), (few, True), (close, False)):
        found = counting._tallied(packed(score, flags), negative=sign < 0)
        assert (found is not None) == tallied
        assert segments(counted(flags, score)) == reference.segments(rows_of(flags, score))
        if found is not None:
            assert segments(found) == segments(counted(flags, score))


@pytest.mark.parametrize("ranges", [2, 3, 16, 300])
@pytest.mark.parametrize("hand", [7, 100, 10_000])
def test_any_number_of_ranges_and_hands_gives_the_same_segments(monkeypatch, ranges, hand):
    rng = np.random.default_rng(8)
    score = np.concatenate([rng.normal(size=1500), rng.integers(-3, 4, 500), [np.inf, -np.inf, 0.0, -0.0]])
    positive, weight = rng.random(score.size) < 0.4, rng.integers(1, 9, score.size) / 8
    monkeypatch.setattr(counting, "ROWS_PER_RANGE", score.size // ranges)
    monkeypatch.setattr(counting, "ROWS_PER_HAND", hand)
    assert segments(counted(positive, score)) == reference.segments(rows_of(positive, score))
    assert segments(counted_weights(positive, score, weight)) == reference.segments(rows_of(positive, score, weight))


def test_zero_has_one_sign_and_one_segment():
    score, pos, neg = counted(np.array([True, False, True]), np.array([-0.0, 0.0, -0.0]))
    assert (score.tolist(), pos.tolist(), neg.tolist()) == ([0.0], [2], [1])
    score, pos, neg = counted(np.array([True, False, True]), np.array([-0.0, 1.0, 0.0]))
    assert (score.tolist(), pos.tolist(), neg.tolist()) == ([1.0, 0.0], [0, 2], [1, 0])
    assert not np.signbit(score).any()
    score, pos, neg = counted_weights(np.array([True, False, True]), np.array([-0.0, 1.0, 0.0]), np.ones(3))
    assert (score.tolist(), pos.tolist(), neg.tolist()) == ([1.0, 0.0], [0, 2], [1, 0])
    assert not np.signbit(score).any()
    assert not np.signbit(score).any()


def test_neighbours_one_ulp_apart_are_two_segments():
    for dtype in (np.float64, np.float32):
        one = dtype(0.1)
        score = np.array([one, np.nextafter(one, dtype(1))], dtype=dtype)
        assert len(counted(np.array([True, False]), score)[0]) == 2


@pytest.mark.parametrize("processors", [2, 3, 5, 8, 64])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("values", ["distinct", "few", "one", "two", "infinite", "zeros"])
def test_threads_give_the_segments_of_one_thread(monkeypatch, processors, dtype, values):
    rng = np.random.default_rng(5)
    score = {
        "distinct": rng.permutation(5000) / 7,
        "few": rng.integers(0, 9, 5000) / 10,
        "one": np.full(5000, 0.3),
        "two": rng.integers(0, 2, 5000),
        "infinite": rng.choice([np.inf, -np.inf, 0.0, -0.0, 1.0], 5000),
        "zeros": rng.choice([0.0, -0.0], 5000),
    }[values].astype(dtype)
    positive = rng.random(5000) < 0.3
    weight = rng.integers(1, 9, 5000) / 8
    alone = segments(counted(positive, score)), segments(counted_weights(positive, score, weight))
    in_threads(monkeypatch, processors)
    together = segments(counted(positive, score)), segments(counted_weights(positive, score, weight))
    assert together == alone
    assert alone[0] == reference.segments(rows_of(positive, score))


@pytest.mark.parametrize("only", [True, False])
def test_threads_that_meet_one_class_only(monkeypatch, only):
    score, flags = np.arange(100.0), np.full(100, only)
    in_threads(monkeypatch, 4)
    score_found, pos, neg = counted(flags, score)
    assert score_found.tolist() == score[::-1].tolist()
    assert (pos.sum(), neg.sum()) == ((100, 0) if only else (0, 100))


def test_more_threads_than_rows(monkeypatch):
    in_threads(monkeypatch, 8)
    for rows in range(1, 12):
        score = np.arange(float(rows))
        assert segments(counted(score % 2 == 0, score)) == reference.segments(rows_of(score % 2 == 0, score))


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_both_sides_of_the_border_where_threads_start(monkeypatch, extra):
    in_threads(monkeypatch, 2, rows=500)
    rows = 2 * 500 + extra
    started = []

    def noted(work, items, threads):
        started.append(threads)
        return shared_out(work, items, threads)

    monkeypatch.setattr(counting, "shared_out", noted)
    score = np.random.default_rng(1).normal(size=rows)
    assert segments(counted(score > 0, score)) == reference.segments(rows_of(score > 0, score))
    assert set(started) == ({1} if extra < 0 else {2})


def test_real_sizes_use_threads_when_there_are_processors(monkeypatch):
    monkeypatch.setattr(counting, "processors", lambda: 2)
    score = np.random.default_rng(1).normal(size=2 * counting.ROWS_WORTH_A_THREAD)
    found, pos, neg = counted(score > 0.5, score)
    assert (np.diff(found) < 0).all()
    assert (pos.sum(), neg.sum()) == ((score > 0.5).sum(), (score <= 0.5).sum())
    assert found.size == np.sort(score)[::-1].size


def test_counting_leaves_its_input_alone_and_shares_nothing_with_it(monkeypatch):
    for processors in (1, 4):
        in_threads(monkeypatch, processors)
        flags, score = np.array([True, False, True, False] * 8), np.arange(32.0) % 5
        weight = np.ones(32)
        kept = flags.copy(), score.copy(), weight.copy()
        for column in (flags, score, weight):
            column.flags.writeable = False
        for found in (counted(flags, score), counted_weights(flags, score, weight)):
            assert not any(np.shares_memory(a, b) for a in found for b in (flags, score, weight))
        for before, after in zip(kept, (flags, score, weight), strict=True):
            assert before.tolist() == after.tolist()


def test_strided_input():
    score, flags = np.arange(40.0)[::-3], np.tile([True, False], 20)[::-3]
    assert segments(counted(flags, score)) == reference.segments(rows_of(flags, score))


def test_many_callers_at_once(monkeypatch):
    in_threads(monkeypatch, 3)
    rng = np.random.default_rng(3)
    score, flags = rng.integers(0, 50, 2000) / 7, rng.random(2000) < 0.5
    expected, found = segments(counted(flags, score)), []
    callers = [threading.Thread(target=lambda: found.append(segments(counted(flags, score)))) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert found == [expected] * 8
