import multiprocessing
import os
import threading
import weakref
from functools import partial
from time import sleep

import numpy as np
import pytest

import thresher as th
from thresher._internal import parallel
from thresher._internal.parallel import fill_chunks, map_blocks, map_chunks, parallel_map


@pytest.mark.parametrize("size", [0, 1, 6, 7, 8, 700])
@pytest.mark.parametrize("threads", [1, 3])
def test_chunks_cover_everything_once_and_in_order(monkeypatch, size, threads):
    monkeypatch.setattr(parallel, "CHUNK", 7)
    monkeypatch.setattr(parallel, "processors", lambda: threads)
    seen = map_chunks(lambda chunk: list(range(size))[chunk], size)
    assert [number for chunk in seen for number in chunk] == list(range(size))
    assert fill_chunks(size, lambda chunk, out: np.copyto(out, np.arange(size)[chunk])).tolist() == list(range(size))


def test_numbers_do_not_depend_on_threads(monkeypatch):
    rng = np.random.default_rng(3)
    labels = rng.random(2_000_000) < 0.2
    scores = rng.random(labels.size)
    measures = []
    for threads in (1, 4):
        monkeypatch.setattr(parallel, "processors", lambda threads=threads: threads)
        ranking = th.rank(labels, scores)
        measures.append(
            (th.average_precision(ranking), th.pr_area(ranking), th.brier(ranking), th.roc(ranking)[0].sum())
        )
    assert measures[0] == measures[1]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_item_is_worked_on_once_and_results_keep_their_order(threads):
    seen = []

    def negative(item: int) -> int:
        seen.append(item)
        return -item

    assert parallel_map(negative, range(300), threads) == [-item for item in range(300)]
    assert sorted(seen) == list(range(300))


def test_threads_work_at_the_same_time():
    met = threading.Barrier(2, timeout=60)
    parallel_map(lambda _: met.wait(), range(2), 2)  # one alone would wait in vain


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_after_an_error_no_more_items_are_begun(error):
    begun = []
    both = threading.Barrier(2, timeout=60)

    def fail(item):
        begun.append(item)
        both.wait()
        raise error

    with pytest.raises(error):
        parallel_map(fail, range(1000), 2)
    assert len(begun) <= 2


def test_an_error_in_a_chunk_is_not_lost(monkeypatch):
    monkeypatch.setattr(parallel, "CHUNK", 1)

    def fail(chunk: slice) -> None:
        raise th.errors.ArgumentError(str(chunk.start), "there")

    with pytest.raises(th.errors.ArgumentError):
        map_chunks(fail, 50)


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
        parallel_map(work, range(1000), 2)
    assert len(begun) < 10


@pytest.mark.parametrize("items", [[], [-1]])
def test_fewer_items_than_threads(items):
    assert parallel_map(abs, items, 2) == [abs(item) for item in items]


def test_work_within_work_is_parallel_map_too_and_nobody_waits_for_ever():
    def outer(item):
        return sum(parallel_map(lambda inner: item * inner, range(50), 3))

    assert parallel_map(outer, range(40), 4) == [item * 1225 for item in range(40)]


def test_an_error_of_another_thread_is_raised_where_work_was_parallel_map():
    main = threading.get_ident()

    def work(_):
        if threading.get_ident() != main:
            raise ValueError("elsewhere")
        sleep(0.01)

    with pytest.raises(ValueError, match="elsewhere"):
        parallel_map(work, range(1000), 2)


def test_work_that_no_thread_began_holds_nothing_alive():
    busy, over = threading.Event(), threading.Event()

    def hold(_):
        busy.set()
        over.wait(60)

    holding = [threading.Thread(target=parallel_map, args=(hold, range(parallel.MOST_THREADS), parallel.MOST_THREADS))]
    holding[0].start()
    busy.wait(60)
    array = np.zeros(3)
    known = weakref.ref(array)
    parallel_map(partial(np.add, array), range(4), 2)
    del array
    over.set()
    holding[0].join()
    assert known() is None


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_forked_process_works_without_the_threads_it_has_lost():
    assert parallel_map(abs, range(50), 2) == list(range(50))
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_in_a_fork).get(timeout=60) == list(range(50))


def _in_a_fork():
    both = threading.Barrier(2, timeout=30)
    parallel_map(lambda _: both.wait(), range(2), 2)  # it has a pool
    return parallel_map(abs, range(50), 2)


def test_blocks_have_their_own_seeds():
    one = map_blocks(lambda rng, size: rng.random(size), 60, items=9, seed=3, threads=1)
    two = map_blocks(lambda rng, size: rng.random(size), 60, items=9, seed=3, threads=3)
    assert [block.size for block in one] == [25, 25, 10]
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert len(np.unique(np.concatenate(one))) == 60


def test_an_error_in_a_block_is_not_swallowed():
    def fail(_, size):
        raise KeyError(size)

    with pytest.raises(KeyError):
        map_blocks(fail, 60, items=9, seed=0, threads=2)


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_rises_to_the_end_in_the_calling_thread(threads):
    reports, callers = [], set()

    def progress(done, replicates):
        reports.append((done, replicates))
        callers.add(threading.get_ident())

    map_blocks(lambda *_: sleep(0.001), 260, items=9, seed=0, threads=threads, progress=progress)
    assert reports == sorted(set(reports))
    assert reports[-1] == (260, 260)
    assert callers == {threading.get_ident()}
    assert threads > 1 or len(reports) == 11
