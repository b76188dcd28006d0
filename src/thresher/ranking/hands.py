"""Hands: as many rows as are dealt into ranges at once, in few long calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.ranking.dealing import Ranges, dealt

Rows: TypeAlias = npt.NDArray[Any]  # one item per row, with all that has to be known of it
Fill: TypeAlias = Callable[[Rows, Rows], object]

ROWS_PER_HAND = 1 << 18
MOST_HANDS = 128  # then hands are larger: a range is gathered from all of them


def deal_hand(score: Rows, fill: Fill, ranges: Ranges, *, out: Rows) -> npt.NDArray[np.int32]:
    """Put rows into `out` range by range; where each range begins and the last ends.

    `fill(scores, items)` writes an item for each row, whose scores it gets with zero as 0.0. All is done in few long
    calls: with shorter ones, threads would spend more time on handing over the interpreter lock than the cache gains.

    >>> from thresher.ranking.dealing import ranges_of
    >>> score, out = np.array([3.0, 1.0, 2.0]), np.empty(3)
    >>> deal_hand(score, lambda scores, items: np.copyto(items, scores), ranges_of(score, 3), out=out).tolist()
    [0, 0, 1, 3]
    >>> out
    array([1., 3., 2.])
    """
    if not score.size or not score.min() > 0 or not score.flags.c_contiguous:  # in order, it is read faster
        score = score + score.dtype.type(0)  # -0.0 + 0.0 is 0.0: zero is one score
    items = np.empty(score.size, dtype=out.dtype)
    fill(score, items)
    return dealt(items, ranges(score), ranges.count, out=out)[1]
