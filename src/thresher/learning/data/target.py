"""The target of learning: its column, its classes and which of them is positive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from thresher._internal.arguments import require_integer
from thresher._internal.results import Tabular
from thresher.errors import LabelError, MissingValueError, OneClassError, PositiveLabelError, argument
from thresher.inputs.arrow import Column
from thresher.inputs.columns import column, complete
from thresher.inputs.labels import classes_of, is_positive, listed, same
from thresher.learning.data.frame import column_of, frame
from thresher.ranking import Counts, Flags, Indices

MOST_CLASSES = 100
# Three folds within three folds, which a linear SVM is calibrated on, have three rows of each class in five.
FEWEST_TO_FIT = 5


@dataclass(frozen=True, slots=True, eq=False)
class ClassTarget:
    """Labels, their classes in order, and each row's class by its place among them.

    Of two classes, `place` is that of the positive one; it is None where no class is positive.
    """

    labels: npt.NDArray[Any]
    classes: tuple[Any, ...]
    codes: Indices
    place: int | None

    @property
    def positive(self) -> Any:
        """The positive label, None where no class is."""
        return None if self.place is None else self.classes[self.place]

    @property
    def flags(self) -> Flags:
        """Which rows are positive."""
        return np.asarray(self.codes == self.place, dtype=np.bool_)

    @property
    def several(self) -> tuple[Any, ...] | None:
        """The classes, None where one of two is positive."""
        return self.classes if self.place is None else None

    @property
    def truth(self) -> npt.NDArray[Any]:
        """What is to be predicted: whether rows are positive, or their labels."""
        return self.labels if self.place is None else self.flags


def class_target(
    y: Any, *, positive: Any = None, matters: bool = True, classes: Sequence[Any] | None = None
) -> ClassTarget:
    """Read a target of two classes, one of them positive, or of more.

    Of booleans and 0/1 the positive one is known. Of other labels it must be given where it `matters`;
    where both classes are treated alike it is the last in order, as everywhere in scikit-learn. With `classes`, which
    fixes their order, and with more than two, no class is positive.
    """
    labels = class_labels(y)
    names, codes = classes_of(labels, classes=classes)
    if len(names) < 2:
        what = f"the target holds one class only, {names[0]!r}, and learning needs two"
        raise OneClassError(what, "give rows of two classes or more")
    if absent := [
        name for name, cases in zip(names, np.bincount(codes, minlength=len(names)), strict=True) if not cases
    ]:
        raise OneClassError(f"no row is of class {absent[0]!r}", "give rows of every class, or leave the class out")
    if classes is not None or len(names) > 2:
        if positive is not None:
            one = f"compare it with the rest: give labels that are true where the label is {positive!r}"
            what = f"{argument('positive', positive)} is of two classes, and the target has {len(names)}"
            raise LabelError(what, f"leave it out, so that all classes are learnt; or {one}")
        return ClassTarget(labels, tuple(names), codes, None)
    if positive is None and not matters and not set(names) <= {0, 1}:
        positive = names[-1]
    flags = is_positive(labels, positive=positive)
    return ClassTarget(labels, tuple(names), codes, int(codes[flags][0]))


def binary_target(y: Any, *, positive: Any, matters: bool) -> ClassTarget:
    """Read a target of two classes; more are refused."""
    labels = class_labels(y)
    kind = type_of_target(labels, input_name="y")
    if kind != "binary":
        what = f"Only binary classification is supported. The type of the target is {kind}."  # scikit-learn's words
        rest = "compare one class with the rest, e.g. y == y[0]"
        every = "CalibratedModel(method='dirichlet') or CostSensitiveClassifier()"
        raise LabelError(what, f"{rest}; for all classes at once take {every}")
    return class_target(labels, positive=positive, matters=matters)


def class_labels(y: Any) -> npt.NDArray[Any]:
    """A column of class labels: one per row, none missing, and no measurements."""
    labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
    complete({"y": labels}, missing="raise", droppable=False)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise LabelError("the target holds infinite numbers, which are no classes", "give class labels")
    check_classification_targets(labels)
    return labels


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Target(Tabular):
    """A column of labels, its classes in order, and each row's class by number."""

    name: str
    classes: tuple[Any, ...]
    codes: Indices

    @property
    def counts(self) -> Counts:
        """Rows of each class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def labels(self, codes: Any) -> Column:
        """Labels again, from numbers of classes."""
        return np.array(self.classes, dtype=object)[np.asarray(codes, dtype=np.int64)]

    def _brief(self) -> str:
        counts = ", ".join(f"{name!r}: {count:,}" for name, count in zip(self.classes, self.counts, strict=True))
        return f"{self.name!r}, {{{counts}}}"

    def _columns(self) -> Mapping[str, Any]:
        return {"class": self.classes, "rows": self.counts}


def target_column(data: Any, name: str, *, fewest: int = 2) -> Target:
    """The target of a table, refused where nothing can be learnt from it.

    `fewest` is how many rows the rarest class must have: as many as there are folds to spread it over.

    >>> target_column({"spam": ["no", "yes", "no", "yes"]}, "spam")
    Target('spam', {'no': 2, 'yes': 2})
    """
    require_integer(fewest, name="fewest", least=1, fix="give the number of folds")
    values = column_of(frame(data), name)
    rows = len(values)
    if absent := int(values.isna().sum()):
        first = ", ".join(str(row) for row in np.flatnonzero(values.isna())[:5])
        what = f"{absent:,} of {rows:,} rows of the target {name!r} are missing (first at rows {first})"
        raise MissingValueError(what, "leave out those rows; do not fill a target")
    distinct = values.nunique()
    if distinct > MOST_CLASSES:
        what = f"the target {name!r} has {distinct:,} distinct values in {rows:,} rows, so it is no class"
        raise LabelError(what, "turn a measurement into classes first, e.g. whether it reaches a limit")
    # Categories, nullable and text types become the objects they hold; plain NumPy types stay.
    plain = values.to_numpy() if isinstance(values.dtype, np.dtype) else np.array(values.tolist(), dtype=object)
    classes, codes = classes_of(column(plain, name=name), classes=None)
    target = Target(name, tuple(classes), codes)
    if len(classes) == 1:
        where = f"all {rows:,} rows" if rows > 1 else "the only row"
        what = f"the target {name!r} is {classes[0]!r} in {where}, so there is nothing to learn"
        raise OneClassError(what, "give rows of at least two classes, or check the filter before")
    _require_frequent(target, fewest=fewest)
    return target


def _require_frequent(target: Target, *, fewest: int) -> None:
    """Refuse a target whose rarest class has fewer rows than this."""
    rarest = int(np.argmin(target.counts))
    if target.counts[rarest] < fewest:
        raise LabelError(
            f"class {target.classes[rarest]!r} of the target {target.name!r} has {target.counts[rarest]:,} of "
            f"{target.codes.size:,} rows, and at least {fewest:,} are needed to have it in every part of the data",
            "collect more of it, use fewer folds, or leave the class out or join it with another",
        )


@dataclass(frozen=True, slots=True, eq=False)
class OneVsRest:
    """A target with one class positive: which rows are, and both sides' labels.

    `labels` are the negative and the positive one. Of more than two classes they are texts, "not 3" and "3", and
    `table` is the table with these in its target.
    """

    table: Any
    flags: Flags
    positive: Any
    labels: tuple[Any, Any]

    def named(self, flags: Flags) -> Column:
        """Flags as labels of both sides."""
        return np.array(self.labels)[flags.astype(np.intp)]


def one_vs_rest(table: Any, target: str, *, positive: Any = None, fewest: int = 2) -> OneVsRest:
    """The target of a frame, `positive` against the rest of its classes.

    `fewest` is how many rows each side must have.
    """
    goal = target_column(table, target, fewest=1)
    classes = goal.classes
    if len(classes) == 2:
        _require_frequent(goal, fewest=fewest)
        two = binary_target(column(table[target], name=target), positive=positive, matters=True)
        negative = next(label for label in classes if not same(label, two.positive))
        return OneVsRest(table, two.flags, two.positive, (negative, two.positive))
    what = f"the target {target!r} has {len(classes)} classes, {listed(classes)}"
    example = argument("positive", classes[0])
    if positive is None:
        fix = f"pass {example} to learn that class against all others; learn once per class to have each of them"
        raise PositiveLabelError(f"{what}: cannot tell which one is positive", fix)
    place = next((place for place, label in enumerate(classes) if same(positive, label)), None)
    if place is None:
        what = f"{what}, and the positive label {positive!r} is none of them"
        raise PositiveLabelError(what, f"pass {example} or another of them")
    flags = goal.codes == place
    sides = OneVsRest(table, flags, classes[place], (f"not {classes[place]}", str(classes[place])))
    _require_frequent(Target(target, sides.labels, flags.astype(np.intp)), fewest=fewest)
    return replace(sides, table=table.assign(**{target: sides.named(flags).astype(object)}))


def require_enough(target: OneVsRest, train: Indices, *, folds: int) -> None:
    """Refuse training rows of which some fold leaves too few of a class."""
    for label, side in zip(target.labels, (~target.flags, target.flags), strict=True):
        count = int(side[train].sum())
        left = count - -(-count // folds)
        if left < FEWEST_TO_FIT:
            raise LabelError(
                f"{count:,} of the {train.size:,} rows to learn from are {label}, and {folds} folds leave {left} of "
                f"them to some fit, where calibration needs {FEWEST_TO_FIT}",
                "collect more of that class, or join it with another",
            )
