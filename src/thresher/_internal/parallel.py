"""One parallel map over chunks of long arrays and seeded blocks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import cache, lru_cache
from itertools import count
from threading import get_ident
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
U = TypeVar("U")
Progress: TypeAlias = Callable[[int, int], object]

CHUNK = 1 << 18  # shorter ones cost more in passing the interpreter lock than the cache gains
MOST_THREADS = 8
BLOCK = 25  # replicates per seed: small enough to share among threads, large enough that seeding costs nothing
MOST_REPLICATES = 1_000_000  # of a bootstrap or a test; more would be a slip, and fill the memory
ITEMS_WORTH_THREADS = 1 << 19  # in a block; with fewer, threads wait for each other longer than they work


@cache
def reuse_memory() -> None:
    """Let glibc reuse arrays of up to 30 MiB, which it learns from one that is freed."""
    np.empty(30 << 20, dtype=np.uint8)


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads_for(size: int) -> int:
    """How many threads arrays of this length are worth: one up to a chunk."""
    return min(processors(), MOST_THREADS) if size > CHUNK else 1


def chunks(size: int) -> list[slice]:
    """Slices of `size` entries, the same on every machine, so that sums are too."""
    return [slice(start, min(start + CHUNK, size)) for start in range(0, size, CHUNK)]


def map_chunks(work: Callable[[slice], T], size: int) -> list[T]:
    """What `work` returns for each chunk of `size` entries, in order."""
    if 0 < size <= CHUNK:
        return [work(slice(0, size))]
    return parallel_map(work, chunks(size), threads_for(size))


def fill_chunks(size: int, fill: Callable[[slice, npt.NDArray[np.float64]], object]) -> npt.NDArray[np.float64]:
    """Make an array of floats that `fill(chunk, out)` writes chunk by chunk."""
    values = np.empty(size, dtype=np.float64)
    map_chunks(lambda chunk: fill(chunk, values[chunk]), size)
    return values


def parallel_map(work: Callable[[U], T], items: Sequence[U], threads: int) -> list[T]:
    """What `work` returns for each item, in order; a free thread takes the next item.

    The calling thread works too. Threads of the pool are as many as there are other processors; when all are busy,
    as in a parallel map inside another one, the calling thread does everything itself.
    """
    if min(threads, len(items)) < 2:
        return [work(item) for item in items]
    results: dict[int, T] = {}
    numbers = count()
    failed: list[BaseException] = []

    def take_items() -> None:
        try:
            while not failed and (number := next(numbers)) < len(items):
                results[number] = work(items[number])
        except BaseException as error:
            failed.append(error)  # the others stop after their current item
            raise

    shared, others = [take_items], list[Future[None]]()
    try:
        with suppress(RuntimeError):  # a thread that cannot start, for want of memory: the others do its work
            others.extend(_pool(os.getpid()).submit(_run, shared) for _ in range(min(threads, len(items)) - 1))
        take_items()
    finally:
        wait(other for other in others if not other.cancel())  # what has not begun by now is not needed
        shared.clear()  # a cancelled task stays in the pool's queue, and must not hold arrays alive
    if failed:
        raise failed[0]
    return [results[number] for number in range(len(items))]


def map_blocks(
    work: Callable[[np.random.Generator, int], T],
    replicates: int,
    *,
    items: int,
    seed: int,
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """What `work(rng, size)` returns for each block of replicates, in order.

    Every block has its own generator, spawned from the seed, so the result is the same whatever `threads` is. None
    means one per processor where a replicate has enough `items` to keep them busy. `progress(done, replicates)` is
    called in the calling thread.
    """
    sizes = [min(BLOCK, replicates - done) for done in range(0, replicates, BLOCK)]
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    caller, finished, reported = get_ident(), list[int](), 0

    def block(number: int) -> T:
        nonlocal reported
        result = work(np.random.default_rng(seeds[number]), sizes[number])
        finished.append(sizes[number])
        if progress is not None and get_ident() == caller:
            reported = sum(finished)
            progress(reported, replicates)
        return result

    reuse_memory()
    if threads is None:
        threads = min(processors(), MOST_THREADS) if items >= ITEMS_WORTH_THREADS else 1
    results = parallel_map(block, range(len(sizes)), threads)
    if progress is not None and reported < replicates:
        progress(replicates, replicates)
    return results


def _run(shared: Sequence[Callable[[], None]]) -> None:
    for take_items in shared:
        take_items()


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:  # noqa: ARG001 - a forked process has none of its parent's threads
    """Threads besides the calling one; they live on, as starting one takes long."""
    return ThreadPoolExecutor(max(1, min(processors(), MOST_THREADS) - 1), thread_name_prefix="thresher")
