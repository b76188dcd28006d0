"""The target of learning: its column, its classes and which of them is positive."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from thresher._internal.arguments import require_integer
from thresher._internal.results import Tabular
from thresher.errors import (
    ArgumentError,
    LabelError,
    LengthError,
    MissingValueError,
    OneClassError,
    PositiveLabelError,
    argument,
)
from thresher.inputs.arrow import Column
from thresher.inputs.columns import column, complete, float_texts
from thresher.inputs.labels import classes_of, is_positive, label_array, listed, same
from thresher.learning.data.frame import column_of, frame
from thresher.ranking import Counts, Flags, Floats, Indices
from thresher.tables import CostMatrix, OperatingCondition
from thresher.tables.condition import require_class_condition

MOST_CLASSES = 100
# Codes of classes are few, and each has several rows: of more distinct numbers, or rarer ones, few are codes.
_MOST_CODES, _FEW_CODES, _ROWS_PER_CODE = 20, 5, 5
_IF_COUNTED = "; if it is measured or counted, learn whether it reaches a limit instead"
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
    try:
        labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
    except ValueError as error:
        raise LengthError(str(error), "give one label per row") from None
    complete({"y": labels}, missing="raise", droppable=False)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise LabelError("the target holds infinite numbers, which are no classes", "give class labels")
    try:
        with np.errstate(invalid="ignore"):  # of floats beyond all integers
            check_classification_targets(labels)
    except ValueError as error:
        raise LabelError(str(error), "give class labels") from None
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

    `fewest` is how many rows the rarest class must have: as many as there are folds to spread it over. A measurement is
    no class, and refused, too.

    >>> target_column({"spam": ["no", "yes", "no", "yes"]}, "spam")
    Target('spam', {'no': 2, 'yes': 2})
    """
    require_integer(fewest, name="fewest", least=1, fix="give the number of folds")
    target = _read_target(frame(data), name)
    _require_classes(target)
    _require_frequent(target, fewest=fewest)
    return target


def _read_target(table: Any, name: str) -> Target:
    """The target column of a frame, of two classes or more."""
    values = column_of(table, name)
    rows = len(values)
    if absent := int(values.isna().sum()):
        first = ", ".join(str(row) for row in np.flatnonzero(values.isna())[:5])
        what = f"{absent:,} of {rows:,} rows of the target {name!r} are missing (first at rows {first})"
        raise MissingValueError(what, "leave out those rows; do not fill a target")
    if values.nunique() > MOST_CLASSES:
        raise _no_class(name, values.tolist())
    # Categories, nullable and text types become the objects they hold; plain NumPy types stay.
    plain = values.to_numpy() if isinstance(values.dtype, np.dtype) else np.array(values.tolist(), dtype=object)
    classes, codes = classes_of(column(plain, name=name), classes=None)
    if len(classes) == 1:
        where = f"all {rows:,} rows" if rows > 1 else "the only row"
        what = f"the target {name!r} is {classes[0]!r} in {where}, so there is nothing to learn"
        raise OneClassError(what, "give rows of at least two classes, or check the filter before")
    return Target(name, tuple(classes), codes)


def _require_classes(target: Target) -> None:
    """Refuse numbers that are measured or counted rather than codes of classes.

    Numbers with decimals are codes only if they are few and each is frequent; whole numbers are none if there are more
    than twenty of them and most are rare, or if no two rows share one.
    """
    numbers, rows = _numbers(target.classes), target.codes.size
    if numbers is None or len(numbers) < 3:
        return
    distinct, rare = len(numbers), rows < _ROWS_PER_CODE * len(numbers)
    unique = distinct == rows
    if (numbers % 1 == 0).all():
        measured = (rare and distinct > _MOST_CODES) or (unique and distinct > _FEW_CODES)
    else:
        measured = distinct > _MOST_CODES or unique or (rare and distinct > _FEW_CODES)
    if measured:
        raise _no_class(target.name, numbers[target.codes].tolist())


def _many_codes(target: Target) -> bool:
    return len(target.classes) > _FEW_CODES and _numbers(target.classes) is not None


def _no_class(name: str, values: Sequence[Any]) -> LabelError:
    """What to say of a target with more values than classes have."""
    rows, distinct, numbers = len(values), len(set(values)), _numbers(values)
    what = f"the target {name!r} has {distinct:,} distinct values in {rows:,} rows, so it is no class"
    if numbers is None:
        return LabelError(what, "join values into a few classes first, or name another column as the target")
    what = f"{what} but a measurement or a count, which regression predicts and a classifier does not"
    middle = float(np.quantile(numbers, 0.5, method="higher"))
    limit = f"a column that says whether it reaches a limit (half of the rows reach {middle:.6g})"
    return LabelError(what, f"make classes of it first, e.g. {limit}, and name that as the target")


def _numbers(values: Sequence[Any]) -> Floats | None:
    """Numbers, also written as text; None where a value is none, or is true or false."""
    if any(isinstance(value, bool | np.bool_) for value in values):
        return None
    try:
        numbers = np.array(float_texts(list(map(str, values))))
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


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
class LearningTarget:
    """What is learnt: `y`, an entry per row of a table, and the labels it stands for.

    Of two sides `y` flags the `positive` one, and `labels` are the negative and the positive label; those of one class
    against the rest are texts, "not 3" and "3". Otherwise no class is positive, `y` holds labels, and `labels` are all
    classes in order, of which `pooled` were joined into one. `table` has the target so changed.
    """

    table: Any
    y: npt.NDArray[Any]
    labels: tuple[Any, ...]
    positive: Any = None
    pooled: tuple[Any, ...] = ()

    @property
    def classes(self) -> tuple[Any, ...] | None:
        """The classes, None where one of two sides is positive."""
        return None if self.positive is not None else self.labels

    def named(self, y: npt.NDArray[Any]) -> Column:
        """Entries of `y` as labels."""
        return y if self.positive is None else np.array(self.labels)[y.astype(np.intp)]

    def counts(self, rows: Indices) -> Counts:
        """How many of these rows are of each label."""
        _, codes = classes_of(self.y[rows], classes=(False, True) if self.positive is not None else self.labels)
        return np.bincount(codes, minlength=len(self.labels))


def learning_target(
    table: Any,
    target: str,
    *,
    positive: Any = None,
    condition: OperatingCondition | None = None,
    other: Any = None,
    folds: int | None = None,
) -> LearningTarget:
    """The target of a frame: `positive` against the rest, or all of its classes.

    Each label must have the rows that `folds` need. Where classes are more than two, or the costs name them, all are
    learnt unless one is positive. Labels without costs, or too rare where none are given, count as the class `other`.
    """
    goal = _read_target(table, target)
    costs = None if condition is None else condition.costs
    if positive is None and costs is None and other is None:  # otherwise the user says what the classes are
        _require_classes(goal)
    if positive is not None:
        if costs is not None:
            what = f"both {argument('positive', positive)} and costs of named classes are given"
            raise ArgumentError(what, "leave it out to learn all of them, or give costs of a miss and a false alarm")
        if other is not None:
            what = f"{argument('other', other)} joins classes that are all learnt, and one is learnt against the rest"
            raise ArgumentError(what, "leave it out")
        return _one_vs_rest(table, goal, positive=positive, folds=folds)
    if len(goal.classes) == 2 and costs is None and other is None:
        return _one_vs_rest(table, goal, positive=None, folds=folds)
    if condition is not None:
        require_class_condition(condition, goal.classes)
    return _every_class(table, goal, costs=costs, other=other, folds=folds)


def require_enough(target: LearningTarget, train: Indices, *, folds: int) -> None:
    """Refuse training rows of which some fold leaves too few of a class."""
    for label, count in zip(target.labels, target.counts(train).tolist(), strict=True):
        left = _left(count, folds)
        if left < FEWEST_TO_FIT:
            raise LabelError(
                f"{count:,} of the {train.size:,} rows to learn from are {label}, and {folds} folds leave {left} of "
                f"them to some fit, where calibration needs {FEWEST_TO_FIT}",
                "collect more of that class, or join it with another",
            )


def _left(count: int, folds: int) -> int:
    """How many of a class's rows the largest of stratified folds leaves."""
    return count - -(-count // folds)


def _rows_needed(folds: int | None) -> int:
    """The fewest rows of a class that can be put aside in part, and folded."""
    if folds is None or folds < 2:  # fewer folds are refused later
        return 2
    return next(n for n in itertools.count(folds) if _left(n * 3 // 4, folds) >= FEWEST_TO_FIT)


def _one_vs_rest(table: Any, goal: Target, *, positive: Any, folds: int | None) -> LearningTarget:
    fewest, classes, target = max(folds or 2, 2), goal.classes, goal.name
    if len(classes) == 2:
        _require_frequent(goal, fewest=fewest)
        two = binary_target(column(table[target], name=target), positive=positive, matters=True)
        negative = next(label for label in classes if not same(label, two.positive))
        return LearningTarget(table, two.flags, (negative, two.positive), two.positive)
    place = next((place for place, label in enumerate(classes) if same(positive, label)), None)
    if place is None:
        what = f"the target {target!r} has {len(classes)} classes, {listed(classes)}"
        what = f"{what}, and the positive label {positive!r} is none of them"
        raise PositiveLabelError(what, f"pass {argument('positive', classes[0])} or another of them")
    flags = goal.codes == place
    labels = (f"not {classes[place]}", str(classes[place]))
    _require_frequent(Target(target, labels, flags.astype(np.intp)), fewest=fewest)
    named = np.array(labels)[flags.astype(np.intp)].astype(object)
    return LearningTarget(table.assign(**{target: named}), flags, labels, classes[place])


def _every_class(
    table: Any, goal: Target, *, costs: CostMatrix | None, other: Any, folds: int | None
) -> LearningTarget:
    fewest, counts = _rows_needed(folds), dict(zip(goal.classes, goal.counts.tolist(), strict=True))
    known = [name for name in goal.classes if counts[name] >= fewest] if costs is None else costs.classes
    strays = [name for name in goal.classes if not any(same(name, each) for each in known)]
    if other is None:
        if costs is not None and strays:
            what = f"class {strays[0]!r} of the target {goal.name!r} has no costs, which are of {listed(costs.classes)}"
            raise LabelError(what, f"give its costs, or pass {argument('other', known[-1])} to count it as that class")
        strays = []
    elif costs is not None and not any(same(other, each) for each in costs.classes):
        what = f"{argument('other', other)} has no costs, which are of {listed(costs.classes)}"
        raise LabelError(what, "name one of them, or give its costs", parameter="other")
    elif any(isinstance(other, str) is not isinstance(name, str) for name in goal.classes):
        what = f"{argument('other', other)} is no label of the kind of {goal.classes[0]!r}"
        raise LabelError(what, "give a text among texts, a number among numbers", parameter="other")
    if strays:
        names = [other if any(same(name, each) for each in strays) else name for name in goal.classes]
        every, codes = classes_of(label_array(tuple(names))[goal.codes], classes=None)
        goal = Target(goal.name, tuple(every), codes)
        table = table.assign(**{goal.name: goal.labels(codes)})
    if len(goal.classes) < 2:
        raise OneClassError(f"all classes were joined into {other!r}", f"leave {argument('other')} out")
    rarest = int(np.argmin(goal.counts))
    if goal.counts[rarest] < fewest:
        raise LabelError(
            f"class {goal.classes[rarest]!r} of the target {goal.name!r} has {goal.counts[rarest]:,} of "
            f"{goal.codes.size:,} rows, and {folds or 2} folds need {fewest:,}",
            f"collect more of it, use fewer folds, or pass {argument('other', goal.classes[0])}, or another name, "
            f"to join rare classes into one{_IF_COUNTED if _many_codes(goal) else ''}",
        )
    unseen = [] if costs is None else [name for name in costs.classes if not any(same(name, c) for c in goal.classes)]
    if unseen:
        what = f"costs have the class {unseen[0]!r}, and no row of the target {goal.name!r} is of it"
        raise LabelError(what, "give rows of it, or costs without it")
    y = label_array(goal.classes)[goal.codes]
    return LearningTarget(table, y, goal.classes, pooled=tuple(strays))
