"""Rows of k class probabilities that sum to 1, each with the column of its true class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.calibration.probabilities import require_sums
from thresher.curves.multiclass import class_rows
from thresher.errors import LengthError
from thresher.ranking import Floats


def probability_rows(
    labels: Any, probabilities: Any, *, classes: Sequence[Any] | None = None, weights: Any = None
) -> tuple[Floats, npt.NDArray[np.int64], Floats | None]:
    """Rows that carry weight: (matrix, true column, weights). Classes that no row has keep their column.

    >>> probability_rows(["b", "a"], [[0.1, 0.9], [0.6, 0.4]])
    (array([[0.1, 0.9],
           [0.6, 0.4]]), array([1, 0]), None)
    """
    rows = class_rows(labels, probabilities, classes=classes, weights=weights, every_class=False)
    if len(rows.classes) < 2:
        raise LengthError(
            f"there is one class, {rows.classes[0]!r}, and one column of probabilities",
            fix="give a column per class, two or more, and name them by classes=[...]",
        )
    matrix = np.stack(rows.scores, axis=1).astype(np.float64)
    require_sums(matrix)
    return matrix, rows.index, rows.weight
