"""`confusion`: rows of actual and predicted classes, counted into a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from thresher.sources import classes_of
from thresher.sources.arrays import checked_weights
from thresher.sources.columns import Column, Missing, column, complete
from thresher.sources.labels import distinct, sorted_labels
from thresher.tables.confusion_matrix import ConfusionMatrix


def confusion(
    labels: Any,
    predictions: Any,
    *,
    classes: Sequence[Any] | None = None,
    weights: Any = None,
    missing: Missing = "raise",
) -> ConfusionMatrix:
    """Count actual against predicted classes, any number of them.

    Labels and predictions are compared as they are: the number 1 is not the text "1". Rows of
    weight 0 vanish; a row of weight w counts as w rows.

    Parameters
    ----------
    labels, predictions
        The actual and the predicted class of each row: texts, numbers or booleans.
    classes
        The order of the classes, which may name some that do not occur; without it, all that
        occur in either column in rising order.
    weights
        One number of at least 0 per row.
    missing
        "raise" refuses missing values; "drop" leaves those rows out and counts them in `dropped`.

    Examples
    --------
    >>> confusion(["cat", "dog", "cat", "cow"], ["cat", "dog", "dog", "cow"])
    ConfusionMatrix([[1, 0, 1], [0, 1, 0], [0, 0, 1]], classes=['cat', 'cow', 'dog'])
    """
    given = {"labels": labels, "predictions": predictions} | ({} if weights is None else {"weights": weights})
    columns = {name: column(values, name=name) for name, values in given.items()}
    kept, dropped = complete(columns, missing=missing)
    weight = None if weights is None else checked_weights(kept[2])
    if weight is not None and not weight.all():
        kept, weight = [values[weight > 0] for values in kept], weight[weight > 0]
    # Asked apart, never in one array: NumPy would turn the number 1 into the text "1".
    known = _all_classes(kept[0], kept[1]) if classes is None else classes
    names, actual = classes_of(kept[0], classes=known)
    _, called = classes_of(kept[1], classes=names)
    k = len(names)
    counts = np.bincount(actual * k + called, weights=weight, minlength=k * k).reshape(k, k)
    return ConfusionMatrix(counts, tuple(names), dropped)


def _all_classes(labels: Column, predictions: Column) -> list[Any]:
    found = distinct(labels, at_most=1000) + distinct(predictions, at_most=1000)
    return sorted_labels(np.fromiter(found, dtype=object, count=len(found)))
