"""Counts of a confusion matrix as given: square, finite and named, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.errors import EmptyError, LengthError, WeightError
from thresher.ranking import Counts, require_safe_total
from thresher.sources import classes_of


def checked_classes(classes: Sequence[Any]) -> tuple[Any, ...]:
    """Distinct names of at least one class."""
    names, _ = classes_of(np.empty(0, dtype=object), classes=classes)
    if not names:
        raise EmptyError("there are no classes", "name at least one class per row and column")
    return tuple(names)


def checked_counts(counts: Any, classes: tuple[Any, ...]) -> Counts:
    """A square of counts, one row and column per class, read-only."""
    try:
        array = np.array(counts)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.shape != (len(classes), len(classes)):
        raise LengthError(
            f"counts have shape {array.shape}, and {len(classes)} classes need {len(classes)} rows and columns",
            fix="give one row per actual and one column per predicted class, in the order of classes",
        )
    if array.dtype.kind not in "biuf" or not (np.isfinite(array) & (array >= 0)).all():
        raise WeightError(f"counts must be finite numbers of 0 or more, got {array.tolist()}", "give counts of cases")
    require_safe_total(float(array.sum(dtype=np.float64)))
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    array.flags.writeable = False
    return array
