"""Labels and a matrix of probabilities, one column per class, as checked columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of
from thresher.errors import ColumnError, LengthError, ProbabilityError
from thresher.inputs.columns import Column, Missing, column, complete
from thresher.inputs.frames import frame_columns, frame_names, is_frame
from thresher.inputs.labels import classes_of, listed
from thresher.inputs.rank import checked_weights
from thresher.ranking import Floats, Segments, rankable
from thresher.ranking.segments import require_sums


def segment(
    labels: Any,
    probabilities: Any,
    *,
    classes: Sequence[Any] | None = None,
    weights: Any = None,
    missing: Missing = "raise",
) -> Segments:
    """Count the cases of each class per distinct vector of probabilities.

    For k classes what `rank` is for two: the one step that reads rows.

    Parameters
    ----------
    labels
        The actual class of each row: texts, numbers or booleans.
    probabilities
        One row per case and one column per class, each row summing to 1 within 1e-6; rows are never rescaled.
    classes
        Which class each column belongs to; without it, the labels in rising order (numbers by size, texts by spelling),
        which is also that of scikit-learn's `classes_`.
    weights
        One number of at least 0 per row; a row of weight w counts as w rows.
    missing
        "raise" refuses missing values; "drop" leaves those rows out and counts them in `dropped`.

    Examples
    --------
    >>> rows = [[0.7, 0.1, 0.2], [0.7, 0.1, 0.2], [0.2, 0.2, 0.6]]
    >>> segment(["cat", "dog", "cat"], rows, classes=["cat", "cow", "dog"])
    Segments([1,0,1][1,0,0] of 'cat', 'cow' and 'dog')
    """
    rows = class_rows(labels, probabilities, classes=classes, weights=weights, missing=missing)
    if len(rows.classes) < 2:
        what = f"there is one class, {rows.classes[0]!r}, and one column of probabilities"
        raise LengthError(what, "give a column per class, two or more, and name them by classes=[...]")
    matrix = np.stack(rows.scores, axis=1).astype(np.float64) + 0.0
    require_sums(matrix)
    return Segments.count(rows.index, matrix, rows.classes, rows.weight, dropped=rows.dropped)


def probability_matrix(probabilities: Any, classes: Sequence[Any]) -> npt.NDArray[np.float64]:
    """Check new rows of probabilities: a column per class, a frame's by their names.

    >>> probability_matrix([[0.25, 0.75]], ["ham", "spam"])
    array([[0.25, 0.75]])
    """
    names: list[Any] = frame_names(probabilities) if is_frame(probabilities) else list(range(len(classes)))
    if names != list(range(len(classes))):  # which is how pandas numbers columns without names
        by_text = {str(name): name for name in names}
        if absent := [name for name in classes if str(name) not in by_text]:
            what = f"there is no column of class {absent[0]!r} among {listed(list(by_text.values()))}"
            raise ColumnError(what, "name the columns by the classes, or give an array in their order")
        columns = frame_columns(probabilities, [by_text[str(name)] for name in classes])
        probabilities = np.stack([np.asarray(columns[by_text[str(name)]]) for name in classes], axis=1)
    fix = "give one row per case and one column per class"
    matrix = numbers_of(probabilities, name="probabilities", fix=fix, dimensions=2)
    if matrix.shape[1] != len(classes):
        what = f"probabilities have {matrix.shape[1]} columns, and there are {len(classes)} classes: {listed(classes)}"
        raise LengthError(what, fix)
    for i, each in enumerate(matrix.T):
        _probability(each, i)
    require_sums(matrix)
    return matrix


@dataclass(frozen=True, slots=True, eq=False)
class ClassRows:
    """Rows of k classes, by the place of each one's class and a column per class."""

    classes: list[Any]
    index: Column
    scores: list[Column]
    weight: Floats | None
    dropped: int


def class_rows(
    labels: Any,
    probabilities: Any,
    *,
    classes: Sequence[Any] | None,
    weights: Any,
    missing: Missing | None = None,
) -> ClassRows:
    """Check labels and a matrix of probabilities, and leave out rows of weight 0.

    Without `missing`, the caller has no way to leave rows out.
    """
    try:
        matrix = probabilities if isinstance(probabilities, np.ndarray) else np.asarray(probabilities)
    except ValueError:  # rows of different lengths
        matrix = np.empty(0)
    if matrix.ndim != 2:
        what = f"probabilities have shape {matrix.shape}, and a matrix of them has rows and columns"
        fix = "give one row per case and one column per class; for a single column use auc(rank(labels, scores))"
        raise LengthError(what, fix)
    columns = {"labels": column(labels, name="labels")}
    if weights is not None:
        columns["weights"] = column(weights, name="weights")
    columns |= {f"probabilities[:, {i}]": column(matrix[:, i], name="") for i in range(matrix.shape[1])}
    values, dropped = complete(columns, missing="raise" if missing is None else missing, droppable=missing is not None)
    weight = None if weights is None else checked_weights(values.pop(1))
    label, *each = values
    scores = [_probability(rankable(score), i) for i, score in enumerate(each)]
    if weight is not None and not weight.all():
        present = weight > 0
        label, scores, weight = label[present], [score[present] for score in scores], weight[present]
    names, index = classes_of(label, classes=classes)
    if len(names) != len(scores):
        what = f"probabilities have {len(scores)} columns, and there are {len(names)} classes: {names!r}"
        fix = "pass classes=[...] with one name per column, in their order (else that of the sorted labels)"
        raise LengthError(what, fix)
    return ClassRows(names, index, scores, weight, dropped)


def _probability(score: Column, at: int) -> Column:
    outside = np.flatnonzero(~((score >= 0) & (score <= 1)))
    if outside.size:
        first = f"first {score[outside[0]]:g} at row {outside[0]}"
        what = f"{outside.size:,} of {score.size:,} numbers in probabilities[:, {at}] lie outside [0, 1] ({first})"
        fix = "give probabilities; scores of a single class can be ranked as they are, with rank(labels, scores)"
        raise ProbabilityError(what, fix)
    return score
