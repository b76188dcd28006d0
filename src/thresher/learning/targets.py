"""Targets of two classes: checked once, with the positive one said wherever it matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from thresher.errors import LabelError, OneClassError
from thresher.ranking import Flags
from thresher.sources import classes_of, is_positive
from thresher.sources.columns import complete


@dataclass(frozen=True, slots=True, eq=False)
class BinaryTarget:
    """Labels as given, which of them are positive, and the place of the positive class among the sorted classes."""

    labels: npt.NDArray[Any]
    flags: Flags
    positive: Any
    place: int


def binary_target(y: Any, *, positive: Any, matters: bool) -> BinaryTarget:
    """Read a target of two classes.

    Booleans and 0/1 speak for themselves. Of other labels the positive one must be said where it `matters`;
    where both classes are treated alike it is the last in order, as everywhere in scikit-learn.

    >>> binary_target(["ham", "spam"], positive=None, matters=False).positive
    'spam'
    >>> binary_target(["ham", "spam"], positive=None, matters=True)
    Traceback (most recent call last):
    thresher.errors.PositiveLabelError: which of the labels 'ham' and 'spam' is the positive one is not said
      where: binary_target(y)
      fix:   pass positive='spam' (or the other one); only bool and 0/1 labels need no word
    """
    labels = class_labels(y)
    kind = type_of_target(labels, input_name="y")
    if kind != "binary":
        raise LabelError(
            f"Only binary classification is supported. The type of the target is {kind}.",
            fix="compare one class with the rest, e.g. y == y[0]",
        )
    names, _ = classes_of(labels, classes=None)
    if len(names) < 2:
        raise OneClassError(
            f"the target holds one class only, {names[0]!r}, and learning needs two", fix="give rows of both classes"
        )
    speaks = set(names) <= {0, 1}
    told = positive if positive is not None else None if matters or speaks else names[-1]
    flags = is_positive(labels, positive=told)
    place = int(bool(flags[np.flatnonzero(labels == names[1])[0]]))
    return BinaryTarget(labels, flags, names[place], place)


def class_labels(y: Any) -> npt.NDArray[Any]:
    """A column of class labels: one per row, none missing, and not numbers to be predicted.

    >>> class_labels([0, 2, 1])
    array([0, 2, 1])
    """
    labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
    complete({"y": labels}, missing="raise", droppable=False)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise LabelError("the target holds infinite numbers, which are no classes", "give class labels")
    check_classification_targets(labels)
    return labels
