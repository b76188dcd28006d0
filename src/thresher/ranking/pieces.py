"""Long arrays piece by piece: each piece stays in the processor's cache, and every processor takes some."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Floats: TypeAlias = npt.NDArray[np.float64]
PIECE = 1 << 16
PIECES_WORTH_THREADS = 8
MOST_THREADS = 8


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_pieces(work: Callable[[slice], T], size: int) -> list[T]:
    """What `work` returns for each piece of `size` entries, in order.

    Pieces are the same on every machine, so that sums over them are too.

    >>> in_pieces(lambda piece: piece.stop - piece.start, 100_000)
    [65536, 34464]
    """
    pieces = [slice(start, min(start + PIECE, size)) for start in range(0, size, PIECE)]
    threads = min(processors(), MOST_THREADS)
    if len(pieces) < PIECES_WORTH_THREADS or threads < 2:
        return [work(piece) for piece in pieces]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, pieces))


def filled(size: int, fill: Callable[[slice, Floats], object]) -> Floats:
    """An array of floats that `fill` writes piece by piece.

    >>> filled(3, lambda piece, out: np.divide(np.arange(3)[piece], 2, out=out))
    array([0. , 0.5, 1. ])
    """
    whole = np.empty(size, dtype=np.float64)
    in_pieces(lambda piece: fill(piece, whole[piece]), size)
    return whole
