"""What is written at the leaves of a tree: counts, score, probability and call."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.ranking import Counts, Floats


def leaf_words(
    counts: Counts, probability: Floats, classes: npt.NDArray[Any], *, column: int | None
) -> list[tuple[str, ...]]:
    """The lines of each node; `column` is the positive class, None to list the counts of all classes.

    >>> leaf_words(np.array([[5, 20]]), np.array([[0.2, 0.8]]), np.array(["ham", "spam"]), column=1)
    [('[20+,5-]', 'score 2', 'p 0.8', 'call spam')]
    >>> leaf_words(np.array([[5, 20, 0]]), np.array([[0.2, 0.8, 0]]), np.array(["a", "b", "c"]), column=None)
    [('a 5, b 20, c 0', 'call b')]
    """
    calls = [f"call {classes[place]}" for place in counts.argmax(axis=1)]
    if column is None:
        listed = [", ".join(f"{name} {_count(n)}" for name, n in zip(classes, row, strict=True)) for row in counts]
        return list(zip(listed, calls, strict=True))
    pos, rest = counts[:, column], counts.sum(axis=1) - counts[:, column]
    with np.errstate(divide="ignore", invalid="ignore"):
        score = np.log2(pos / rest)
    return [
        (_segment(p, n), f"score {s:.4g}", f"p {q:.4g}", call)
        for p, n, s, q, call in zip(pos, rest, score, probability[:, column], calls, strict=True)
    ]


def _segment(pos: Any, neg: Any) -> str:
    parts = [f"{_count(number)}{sign}" for number, sign in ((pos, "+"), (neg, "-")) if number]
    return f"[{','.join(parts)}]"


def _count(number: Any) -> str:
    return f"{number:,.4g}" if isinstance(number, float | np.floating) else f"{number}"
