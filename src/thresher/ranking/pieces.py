"""Long arrays piece by piece: each piece stays in the processor's cache, and every processor takes some."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
U = TypeVar("U")
Floats: TypeAlias = npt.NDArray[np.float64]
PIECE = 1 << 16
PIECES_WORTH_THREADS = 8
MOST_THREADS = 8


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pieces_of(size: int) -> list[slice]:
    """The pieces of `size` entries, in order.

    >>> pieces_of(100_000)
    [slice(0, 65536, None), slice(65536, 100000, None)]
    """
    return [slice(start, min(start + PIECE, size)) for start in range(0, size, PIECE)]


def in_pieces(work: Callable[[slice], T], size: int) -> list[T]:
    """What `work` returns for each piece of `size` entries, in order.

    Pieces are the same on every machine, so that sums over them are too.

    >>> in_pieces(lambda piece: piece.stop - piece.start, 100_000)
    [65536, 34464]
    """
    pieces = pieces_of(size)
    threads = min(processors(), MOST_THREADS)
    if len(pieces) < PIECES_WORTH_THREADS or threads < 2:
        return [work(piece) for piece in pieces]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, pieces))


def side_by_side(work: Callable[[U], T], items: Sequence[U], size: int) -> tuple[T, ...]:
    """What `work` returns for each item, at the same time where `size` entries are worth it.

    >>> side_by_side(abs, (-1, 2), 2)
    (1, 2)
    """
    threads = min(processors(), MOST_THREADS, len(items))
    if size < PIECES_WORTH_THREADS * PIECE or threads < 2:
        return tuple(map(work, items))
    with ThreadPoolExecutor(threads) as pool:
        return tuple(pool.map(work, items))


def filled(size: int, fill: Callable[[slice, Floats], object]) -> Floats:
    """An array of floats that `fill` writes piece by piece.

    >>> filled(3, lambda piece, out: np.divide(np.arange(3)[piece], 2, out=out))
    array([0. , 0.5, 1. ])
    """
    whole = np.empty(size, dtype=np.float64)
    in_pieces(lambda piece: fill(piece, whole[piece]), size)
    return whole
