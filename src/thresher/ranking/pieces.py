"""Long arrays piece by piece: each piece stays in the processor's cache, and every processor takes some."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import lru_cache
from itertools import count
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
U = TypeVar("U")
Floats: TypeAlias = npt.NDArray[np.float64]
PIECE = 1 << 18  # shorter ones cost more in handing over the interpreter lock than the cache gains
PIECES_WORTH_THREADS = 2
MOST_THREADS = 8


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pieces_of(size: int) -> list[slice]:
    """The pieces of `size` entries, in order.

    >>> pieces_of(300_000)
    [slice(0, 262144, None), slice(262144, 300000, None)]
    """
    return [slice(start, min(start + PIECE, size)) for start in range(0, size, PIECE)]


def in_pieces(work: Callable[[slice], T], size: int) -> list[T]:
    """What `work` returns for each piece of `size` entries, in order.

    Pieces are the same on every machine, so that sums over them are too.

    >>> in_pieces(lambda piece: piece.stop - piece.start, 300_000)
    [262144, 37856]
    """
    pieces = pieces_of(size)
    return shared_out(work, pieces, 1 if len(pieces) < PIECES_WORTH_THREADS else min(processors(), MOST_THREADS))


def shared_out(work: Callable[[U], T], items: Sequence[U], threads: int) -> list[T]:
    """What `work` returns for each item, in order; each thread takes the next item when it is done with one.

    Handing over every item on its own would cost more than some of them take. Helpers are as many as there are other
    processors. When all are busy, as where work is shared out within work, the calling thread does everything itself.

    >>> shared_out(abs, [-1, 2, -3], threads=2)
    [1, 2, 3]
    """
    if min(threads, len(items)) < 2:
        return [work(item) for item in items]
    found: dict[int, T] = {}
    numbers = count()
    failed: list[BaseException] = []

    def take_turns() -> None:
        try:
            while not failed and (number := next(numbers)) < len(items):
                found[number] = work(items[number])
        except BaseException as error:
            failed.append(error)  # the others stop after the item they are at
            raise

    turns, others = [take_turns], list[Future[None]]()
    try:
        others.extend(_helpers(os.getpid()).submit(_help, turns) for _ in range(min(threads, len(items)) - 1))
        take_turns()
    finally:
        wait(other for other in others if not other.cancel())  # what has not begun by now is not needed
        turns.clear()  # it stays in the queue until a helper comes by, and must not keep arrays alive
    if failed:
        raise failed[0]
    return [found[number] for number in range(len(items))]


def _help(turns: Sequence[Callable[[], None]]) -> None:
    for take_turns in turns:
        take_turns()


@lru_cache(maxsize=1)
def _helpers(process: int) -> ThreadPoolExecutor:  # noqa: ARG001 - a forked process has none of its parent's threads
    """Threads beside the one that asks; they are kept, as starting one takes longer than many a piece."""
    return ThreadPoolExecutor(max(1, min(processors(), MOST_THREADS) - 1), thread_name_prefix="thresher")


def side_by_side(work: Callable[[U], T], items: Sequence[U], size: int) -> tuple[T, ...]:
    """What `work` returns for each item, at the same time where `size` entries are worth it.

    >>> side_by_side(abs, (-1, 2), 2)
    (1, 2)
    """
    return tuple(shared_out(work, items, 1 if size < PIECES_WORTH_THREADS * PIECE else min(processors(), MOST_THREADS)))


def filled(size: int, fill: Callable[[slice, Floats], object]) -> Floats:
    """An array of floats that `fill` writes piece by piece.

    >>> filled(3, lambda piece, out: np.divide(np.arange(3)[piece], 2, out=out))
    array([0. , 0.5, 1. ])
    """
    whole = np.empty(size, dtype=np.float64)
    in_pieces(lambda piece: fill(piece, whole[piece]), size)
    return whole
