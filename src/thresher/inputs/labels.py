"""Labels: which one is positive, for every encoding, never guessed."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from thresher._internal.arguments import short_repr
from thresher._internal.parallel import map_chunks
from thresher._internal.text import in_words
from thresher.errors import LabelError, PositiveLabelError, argument
from thresher.inputs.arrow import objects
from thresher.inputs.columns import Column, column, flagged, is_absent, require_plain, without_zone
from thresher.ranking import Counts, Flags

LABELS_SHOWN = 6


def is_positive(labels: Column, *, positive: Any = None, cases: Counts | None = None) -> Flags:
    """Flag the positive rows of a column of two labels (no missing values).

    Booleans and 0/1 speak for themselves; any other labels need `positive=`. `cases` says how many rows each entry
    stands for, where that is not one.

    >>> is_positive(np.array([0, 1, 1]))
    array([False,  True,  True])
    >>> is_positive(np.array(["ham", "spam"]), positive="spam")
    array([False,  True])
    >>> is_positive(np.array([-1, 1]))
    Traceback (most recent call last):
    thresher.errors.PositiveLabelError: cannot tell which label is positive: -1 or 1
      where: is_positive(labels)
      fix:   pass positive=1 (or the other one); only bool and 0/1 labels need no word
    """
    truth = labels.dtype.kind == "b"
    if (one := labels if truth else _ones(labels)) is not None:
        if positive is None or same(positive, 1):
            return one
        if same(positive, 0):
            return ~one
        raise _absent(positive, [False, True] if truth else [0, 1])
    known = distinct(labels, at_most=3)
    if len(known) > 2:
        raise _too_many(labels, positive, cases)
    with suppress(TypeError):  # the same labels give the same words, whatever row comes first
        known = sorted(known)
    if positive is None:
        raise PositiveLabelError(
            f"cannot tell which label is positive: {' or '.join(map(short_repr, known))}",
            fix=f"pass {argument('positive', known[-1])} (or the other one); only bool and 0/1 labels need no word",
        )
    for asked in (positive, without_zone(positive)):  # columns hold moments in UTC, whatever zone one names
        for label in known:
            if same(asked, label):
                return _equal_to(labels, label)  # in its own type: NumPy rounds integers that it compares with a float
    raise _absent(positive, known)


def columns_positive(columns: Mapping[str, Column], *, positive: Any = None) -> list[Flags]:
    """Flag the positive rows of actual labels and of predictions, read alike.

    A model may predict one label only. A third label is blamed on the column that brings it in.

    >>> columns_positive({"labels": np.array([1, 0]), "predictions": np.array([0, 0])})
    [array([ True, False]), array([False, False])]
    >>> columns_positive({"labels": np.array([1, 0]), "predictions": np.array([2, 0])})
    Traceback (most recent call last):
    thresher.errors.LabelError: predictions hold 2, and the labels are 1 and 0
      where: columns_positive(columns)
      fix:   give predictions that are one of the two labels
    """
    values = list(columns.values())
    if len({"number" if each.dtype.kind in "biuf" else each.dtype.kind for each in values}) > 1:
        values = [each.astype(object) for each in values]  # 1 must not become "1", nor b"a" become "a"
    try:
        flags = is_positive(np.concatenate(values), positive=positive)  # at once: a column may hold one class only
    except LabelError:
        known = distinct(values[0], at_most=3)
        for name, predicted in zip(columns, values, strict=True):
            others = distinct(predicted, at_most=LABELS_SHOWN + 1)
            strays = [each for each in others if not any(same(each, one) for one in known)]
            if len(known) == 2 and strays:
                labels = in_words([repr(label) for label in known])
                what = f"{name} hold {listed(strays)}, and the labels are {labels}"
                raise LabelError(what, f"give {name} that are one of the two labels") from None
        raise
    return np.split(flags, np.cumsum([each.size for each in values[:-1]]))


def positive_values(values: list[Any], *, positive: Any, cases: Counts) -> Flags:
    """Flag the positive ones of distinct labels, each of so many rows."""
    if positive is None and set(values) <= {0, 1} and not set(map(type, values)) - {int, bool, float}:
        return np.array(values) == 1
    return is_positive(column(values, name="labels"), positive=positive, cases=cases)


def _too_many(labels: Column, positive: Any, cases: Counts | None) -> LabelError:
    """The error of a third label, with how many rows carry each of a few."""
    known = distinct(labels, at_most=LABELS_SHOWN + 1)
    shown = [short_repr(label) for label in known]
    if len(known) <= LABELS_SHOWN:
        rows = np.ones(labels.size, dtype=np.int64) if cases is None else cases
        shown = [f"{int(rows[_equal_to(labels, label)].sum()):,} × {short_repr(label)}" for label in known]
    one = known[0] if positive is None else positive
    return LabelError(
        f"there are more than two labels: {_first_words(shown)}",
        fix=f"compare one with the rest: give a column of labels that is true where the label is {short_repr(one)}; "
        "or evaluate all classes together with a confusion matrix",
    )


def classes_of(labels: Column, *, classes: Sequence[Any] | None) -> tuple[list[Any], Column]:
    """Classes in order and the index of each row's class; `classes` fixes the order.

    Without `classes` they come in rising order (numbers by size, texts by spelling).

    >>> classes_of(np.array(["b", "a", "b"]), classes=None)
    (['a', 'b'], array([1, 0, 1]))
    """
    names = sorted_labels(labels) if classes is None else _distinct_names(classes)
    index = _index_of(labels, names)
    if (index < 0).any():
        stray = distinct(labels[index < 0], at_most=LABELS_SHOWN + 1)
        what = f"{int((index < 0).sum()):,} rows carry labels that are not among the classes: {listed(stray)}"
        raise LabelError(what, f"add them to {argument('classes', names)}, or check the spelling")
    return names, index


def sorted_labels(labels: Column) -> list[Any]:
    """Distinct labels in rising order."""
    known = distinct(labels, at_most=1000)
    if len(known) == 1000:
        fix = "check that labels are classes and not numbers to be ranked"
        raise LabelError("there are 1,000 labels or more", fix)
    try:
        return sorted(known)
    except TypeError:
        what = f"labels of different kinds have no order: {listed(known[: LABELS_SHOWN + 1])}"
        raise LabelError(what, f"pass {argument('classes', [...])} in the order you want") from None


def distinct(labels: Column, *, at_most: int) -> list[Any]:
    """The first distinct labels in order of appearance, without sorting rows."""
    if labels.dtype.kind == "O":
        with suppress(TypeError):  # a label that cannot be hashed
            return [_plain(label) for label in itertools.islice(dict.fromkeys(labels.tolist()), at_most)]
    known: list[Any] = []
    rest = labels
    while rest.size and len(known) < at_most:
        first = _plain(rest[0])
        known.append(first)
        rest = rest[~_equal_to(rest, first)]
    return known


def _index_of(labels: Column, names: Sequence[Any]) -> Column:
    """The position of each label in `names`, -1 where it is not there."""
    if labels.dtype.kind == "O":
        with suppress(TypeError):  # a label that cannot be hashed
            place = {name: i for i, name in enumerate(names)}
            return np.fromiter((place.get(label, -1) for label in labels.tolist()), dtype=np.int64, count=labels.size)
    index = np.full(labels.size, -1, dtype=np.int64)
    for i, name in enumerate(names):
        index[_equal_to(labels, name)] = i
    return index


def _plain(label: Any) -> Any:
    times = isinstance(label, np.datetime64 | np.timedelta64)  # of nanoseconds, which would become an int
    return label.item() if isinstance(label, np.generic) and not times else label


def _ones(labels: Column) -> Flags | None:
    """Which labels are 1, where all are 0 or 1."""
    if labels.dtype.kind == "O":
        kinds = (bool, int, float, np.number, np.bool_)
        zero_or_one = flagged(labels, lambda label: isinstance(label, kinds) and label in (0, 1))
        return np.asarray(labels == 1, dtype=np.bool_) if zero_or_one.all() else None
    if labels.dtype.kind not in "iuf":
        return None
    one = np.empty(labels.size, dtype=np.bool_)

    def nothing_else(at: slice) -> bool:
        np.equal(labels[at], 1, out=one[at])
        return bool(np.count_nonzero(labels[at]) == np.count_nonzero(one[at]))  # what is not 0 is 1

    return one if all(map_chunks(nothing_else, labels.size)) else None


def _equal_to(labels: Column, label: Any) -> Flags:
    if labels.dtype.kind == "O":
        return flagged(labels, lambda value: same(value, label))
    return np.asarray(labels == label, dtype=np.bool_)


def same(one: Any, other: Any) -> bool:
    """Whether two labels are the same one; text never equals a number."""
    if isinstance(one, str) != isinstance(other, str):  # which NumPy must not be asked to compare
        return False
    try:
        equal = one == other
    except Exception:  # noqa: BLE001 - records, signalling NaN and classes of the caller's refuse to be compared
        return False
    if np.ndim(equal) or is_absent(equal):  # NA answers NA, which is neither true nor false
        return False
    return bool(equal)


def _distinct_names(classes: Sequence[Any]) -> list[Any]:
    fix = f"give e.g. {argument('classes', [0, 1, 2])}"
    if not isinstance(classes, Iterable):
        raise LabelError(f"classes must be a list of labels, got {short_repr(classes)}", fix)
    names = [_plain(name) for name in classes]
    if held := [name for name in names if is_absent(name) or isinstance(name, list | tuple | dict | set | np.ndarray)]:
        raise LabelError(f"a class is one label, got {short_repr(held[0])}", fix)
    require_plain(names, "classes")
    if any(same(a, b) for i, a in enumerate(names) for b in names[:i]):
        raise LabelError(f"classes names a class twice: {short_repr(names)}", "name each class once")
    return names


def _absent(positive: Any, known: Sequence[Any]) -> PositiveLabelError:
    other_kind = all(isinstance(positive, str) != isinstance(label, str) for label in known)
    hint = f" (positive is {type(positive).__name__}, the labels are {type(known[0]).__name__})" if other_kind else ""
    return PositiveLabelError(
        f"the positive label {short_repr(positive)} is not among the labels {listed(known)}{hint}",
        fix="pass one that is; for a part of the data that may hold no positives, give a column of labels that is"
        f" true where the label is {short_repr(positive)}",
        parameter="positive",
    )


def label_array(names: Sequence[Any]) -> Column:
    """Labels as an array that indices pick from; of mixed types, of objects."""
    return np.array(names) if len({type(name) for name in names}) == 1 else objects(list(names))


def listed(labels: Sequence[Any]) -> str:
    """The first few labels in words."""
    return _first_words([short_repr(label) for label in labels])


def _first_words(texts: Sequence[str]) -> str:
    return in_words(texts) if len(texts) <= LABELS_SHOWN else ", ".join(texts[:LABELS_SHOWN]) + ", …"
