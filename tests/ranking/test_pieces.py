import multiprocessing
import os
import threading
import weakref
from functools import partial
from time import sleep

import numpy as np
import pytest

import thresher as th
from thresher.ranking import pieces
from thresher.ranking.pieces import filled, in_pieces, shared_out


@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 700])
@pytest.mark.parametrize("threads", [1, 3])
def test_pieces_cover_everything_once_and_in_order(monkeypatch, size, threads):
    monkeypatch.setattr(pieces, "PIECE", 7)
    monkeypatch.setattr(pieces, "processors", lambda: threads)
    seen = in_pieces(lambda piece: list(range(size))[piece], size)
    assert [number for piece in seen for number in piece] == list(range(size))
    assert filled(size, lambda piece, out: np.copyto(out, np.arange(size)[piece])).tolist() == list(range(size))


def test_numbers_do_not_depend_on_threads(monkeypatch):
    rng = np.random.default_rng(3)
    labels = rng.random(2_000_000) < 0.2
    scores = rng.random(labels.size)
    found = []
    for threads in (1, 4):
        monkeypatch.setattr(pieces, "processors", lambda threads=threads: threads)
        ranking = th.rank(labels, scores)
        found.append((th.average_precision(ranking), th.pr_area(ranking), th.brier(ranking), th.roc(ranking)[0].sum()))
    assert found[0] == found[1]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_item_is_worked_on_once_and_results_keep_their_order(threads):
    seen = []

    def negative(item: int) -> int:
        seen.append(item)
        return -item

    assert shared_out(negative, range(300), threads) == [-item for item in range(300)]
    assert sorted(seen) == list(range(300))


def test_threads_work_at_the_same_time():
    met = threading.Barrier(2, timeout=60)
    shared_out(lambda _: met.wait(), range(2), 2)  # one alone would wait in vain


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_no_more_items_are_begun(error):
    begun = []
    both = threading.Barrier(2, timeout=60)

    def fail(item):
        begun.append(item)
        both.wait()
        raise error

    with pytest.raises(error):
        shared_out(fail, range(1000), 2)
    assert len(begun) <= 2


def test_an_error_in_a_piece_is_not_lost(monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 1)

    def fail(piece: slice) -> None:
        raise th.ArgumentError(str(piece.start), "there")

    with pytest.raises(th.ArgumentError):
        in_pieces(fail, 50)


def test_nor_by_threads_that_did_not_fail_themselves():
    begun = []
    both = threading.Barrier(2, timeout=60)

    def work(item):
        begun.append(item)
        if item < 2:
            both.wait()
        if item == 0:
            raise ValueError
        sleep(0.02)

    with pytest.raises(ValueError, match=r"^$"):
        shared_out(work, range(1000), 2)
    assert len(begun) < 10


@pytest.mark.parametrize("items", [[], [-1]])
def test_fewer_items_than_threads(items):
    assert shared_out(abs, items, 2) == [abs(item) for item in items]


def test_work_within_work_is_shared_out_too_and_nobody_waits_for_ever():
    def outer(item):
        return sum(shared_out(lambda inner: item * inner, range(50), 3))

    assert shared_out(outer, range(40), 4) == [item * 1225 for item in range(40)]


def test_an_error_of_a_helper_is_raised_where_work_was_shared_out():
    main = threading.get_ident()

    def work(_):
        if threading.get_ident() != main:
            raise ValueError("elsewhere")
        sleep(0.01)

    with pytest.raises(ValueError, match="elsewhere"):
        shared_out(work, range(1000), 2)


def test_work_that_no_helper_began_keeps_nothing_alive():
    busy, over = threading.Event(), threading.Event()

    def hold(_):
        busy.set()
        over.wait(60)

    holding = [threading.Thread(target=shared_out, args=(hold, range(pieces.MOST_THREADS), pieces.MOST_THREADS))]
    holding[0].start()
    busy.wait(60)
    array = np.zeros(3)
    known = weakref.ref(array)
    shared_out(partial(np.add, array), range(4), 2)
    del array
    over.set()
    holding[0].join()
    assert known() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_process_works_without_the_helpers_it_has_lost():
    assert shared_out(abs, range(50), 2) == list(range(50))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_in_a_fork).get(timeout=60) == list(range(50))


def _in_a_fork():
    both = threading.Barrier(2, timeout=30)
    shared_out(lambda _: both.wait(), range(2), 2)  # it has a helper of its own
    return shared_out(abs, range(50), 2)
