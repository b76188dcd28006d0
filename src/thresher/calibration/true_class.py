"""Rows of k class probabilities, each with the column of its true class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.calibration.probabilities import probability_matrix
from thresher.errors import LengthError
from thresher.ranking import Floats
from thresher.sources import classes_of
from thresher.sources.arrays import checked_weights
from thresher.sources.columns import column, complete


def probability_rows(
    labels: Any, probabilities: Any, *, where: str, classes: Sequence[Any] | None = None, weights: Any = None
) -> tuple[Floats, npt.NDArray[np.int64], Floats | None]:
    """Check that labels, probabilities and weights belong together: (matrix, true column, weights).

    >>> probability_rows(["b", "a"], [[0.1, 0.9], [0.6, 0.4]], where="here")
    (array([[0.1, 0.9],
           [0.6, 0.4]]), array([1, 0]), None)
    """
    matrix = probability_matrix(probabilities, where=where)
    columns = {"labels": column(labels, name="labels", where=where)}
    if weights is not None:
        columns["weights"] = column(weights, name="weights", where=where)
    kept, _ = complete(columns, missing="raise", where=where, droppable=False)
    if kept[0].size != len(matrix):
        raise LengthError(
            f"there are {kept[0].size:,} labels and {len(matrix):,} rows of probabilities", where, "give one per case"
        )
    names, index = classes_of(kept[0], classes=classes, where=where)
    if len(names) != matrix.shape[1]:
        raise LengthError(
            f"there are {len(names)} classes and {matrix.shape[1]} columns of probabilities (classes {names!r})",
            where=where,
            fix="pass classes=[...] with one name per column, also for classes that no row has",
        )
    return matrix, index, None if weights is None else checked_weights(kept[1], where=where)
