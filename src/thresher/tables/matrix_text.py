"""Confusion matrices as text: a table with totals, recalls at the side and precisions below."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from thresher.ranking import Counts, Floats


def table_text(classes: Sequence[Any], counts: Counts, *, recall: Floats, precision: Floats) -> str:
    """Lay a matrix out in columns; what is 0/0 is called undefined.

    >>> import numpy as np
    >>> recall, precision = np.array([1, 0]), np.array([0.8, np.nan])
    >>> print(table_text(["a", "b"], np.array([[8, 0], [2, 0]]), recall=recall, precision=precision))
    actual      predicted: a           b   total   recall
    a                      8           0       8   1.0000
    b                      2           0       2   0.0000
    total                 10           0      10
    precision         0.8000   undefined
    """
    first, *others = [str(name) for name in classes]
    rows = [
        ["actual", f"predicted: {first}", *others, "total", "recall"],
        *(
            [name, *map(_count, row), _count(sum(row)), _rate(rate)]
            for name, row, rate in zip([first, *others], counts.tolist(), recall.tolist(), strict=True)
        ),
        ["total", *map(_count, counts.sum(axis=0).tolist()), _count(counts.sum().item()), ""],
        ["precision", *map(_rate, precision.tolist()), "", ""],
    ]
    width = [max(len(text) for text in texts) for texts in zip(*rows, strict=True)]
    return "\n".join("   ".join([row[0].ljust(width[0]), *map(str.rjust, row[1:], width[1:])]).rstrip() for row in rows)


def _count(value: float) -> str:
    return f"{value:,.10g}"


def _rate(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
