"""A score and its class in one whole number, which NumPy sorts at full speed.

Without its sign, the bits of a float order as its size does; moved up by one they leave room for the class. So scores
of one sign are packed without loss, and only that sign has to be remembered beside them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Keys: TypeAlias = npt.NDArray[np.unsignedinteger[Any]]


def packed(score: npt.NDArray[np.floating[Any]], positive: npt.NDArray[np.bool_], *, out: Keys | None = None) -> Keys:
    """Whole numbers that order as (score, class) do among scores of one sign; zero has to be 0.0, not -0.0.

    >>> keys = packed(np.array([0.5, 0.25, 0.5]), np.array([False, True, True]))
    >>> keys.argsort().tolist()
    [1, 0, 2]
    """
    keys: Keys = np.left_shift(score.view(f"u{score.itemsize}"), 1, out=out)
    if score.size and score.min() < 0:
        # The larger a negative number without its sign, the lower it is: turn all its bits but the one for the class.
        sign = score.view(f"i{score.itemsize}") >> (8 * score.itemsize - 1)
        keys ^= (sign << 1).view(keys.dtype)
    keys |= positive
    return keys


def scores_in(keys: Keys, *, negative: bool) -> npt.NDArray[np.floating[Any]]:
    """The scores that were packed, all of one sign.

    >>> scores_in(packed(np.array([-2.0, -np.inf]), np.array([True, False])), negative=True)
    array([ -2., -inf])
    """
    bits = ~keys >> 1 if negative else keys >> 1
    if negative:
        bits |= bits.dtype.type(1 << (8 * bits.itemsize - 1))
    return bits.view(f"f{keys.itemsize}")


def classes_in(keys: Keys) -> npt.NDArray[np.uint8]:
    """1 for each positive, 0 for each negative.

    >>> classes_in(packed(np.array([3.0, 4.0]), np.array([True, False])))
    array([1, 0], dtype=uint8)
    """
    return keys.astype(np.uint8) & np.uint8(1)
