"""Classes, costs and tables of k classes, as commands name and read them."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from thresher._internal.arguments import short_repr
from thresher._internal.text import count_text, did_you_mean
from thresher.cli.commands.table import CallOptions
from thresher.cli.console.screen import working
from thresher.cli.options import GroupOptions, LabelOptions
from thresher.cli.reading import (
    Group,
    filter_texts,
    listening,
    positive_label,
    require_column,
    require_other_columns,
    rows_by_group,
    take_rows,
)
from thresher.errors import ArgumentError, EmptyError, LabelError, LengthError, MissingValueError, argument
from thresher.inference import Interval, intervals
from thresher.inference.intervals.confusion import ConfusionIntervals, call_intervals
from thresher.inputs.arrow import objects
from thresher.inputs.columns import Column, column, flagged, is_absent, is_missing
from thresher.inputs.labels import distinct, listed, same, sorted_labels
from thresher.inputs.rank import checked_weights
from thresher.ranking import Counts, Flags, Floats, Indices
from thresher.sources.counter import Codes
from thresher.sources.scan import columns_that_fit, count_values
from thresher.tables import ConfusionMatrix, Contingency, CostMatrix, read_costs

_CASES = "thresher cases"  # a column of how many rows share the values of the others
_MOST_CLASSES = 200  # that nobody named
_SEPARATORS = re.compile(r"[\s,]+")


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows by the places of their classes, with weights or clusters."""

    actual: Indices
    predicted: Indices
    weight: Floats | None
    cluster: Indices | None

    def matrix(self, classes: Sequence[Any], others: Sequence[Any], cases: Counts, *, dropped: int) -> ConfusionMatrix:
        """The table of the rows, each of so many cases."""
        if not cases.size:
            raise EmptyError("there are no rows with a label and a prediction", "check the columns")
        shape = len(classes), len(classes) + len(others)
        counts = np.zeros(shape, dtype=np.int64 if self.weight is None else np.float64)
        np.add.at(counts, (self.actual, self.predicted), cases if self.weight is None else self.weight)
        return ConfusionMatrix(counts, classes, dropped, others)


@dataclass(frozen=True, slots=True, eq=False)
class Calls:
    """Actual against predicted classes, what cells cost, and the positive class."""

    matrix: ConfusionMatrix
    costs: CostMatrix | None
    positive: Any = None
    sample: Sample | None = None

    def measure(self, *, level: float) -> Measured:
        """Every measure with its limits."""
        positive = self.positive
        if positive is None and {*self.matrix.classes} == {0, 1}:
            positive = 1
        rest = None if positive is None else self.matrix.one_vs_rest(positive)
        rows = self.sample
        if rows is None:
            limits = intervals(self.matrix, level=level)
        else:
            limits = call_intervals(self.matrix, rows.actual, rows.predicted, rows.weight, rows.cluster, level=level)
        against = {} if rest is None or self.sample is not None else dict(intervals(rest, level=level))
        return Measured(self.matrix, limits, self.costs, positive, rest, against, level)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A confusion matrix with limits, costs, and one class against the others."""

    matrix: ConfusionMatrix
    limits: ConfusionIntervals
    costs: CostMatrix | None
    positive: Any
    rest: Contingency | None
    against: Mapping[str, Interval]
    level: float


def class_names(text: str, *, option: str = "--classes") -> list[str]:
    """Names between commas; one that holds a comma stands between double quotes.

    >>> class_names('cat, "dog, small",cow')
    ['cat', 'dog, small', 'cow']
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as error:
        what = f"{option} {text!r} is no list of names: {error}"
        raise ArgumentError(what, 'write names between commas, as cat,"dog, small",cow') from None
    names = [name.strip() for row in rows for name in row]
    if not all(names) or not names:
        raise ArgumentError(f"{option} {text!r} names an empty class", "write names between commas, as cat,dog,cow")
    if twice := next((name for i, name in enumerate(names) if name in names[:i]), None):
        raise ArgumentError(f"{option} names the class {twice!r} twice", "name each class once")
    return names


def typed_classes(names: Sequence[str], labels: Column) -> list[Any]:
    """Names as labels of a column hold them: numbers where these are numbers."""
    return [positive_label(name, labels) for name in names]


def typed_costs(path: str, labels: Column) -> CostMatrix:
    """The costs in a file, their classes as labels of a column hold them."""
    costs = read_costs(path)
    names = typed_classes(costs.actions, labels)
    return CostMatrix.of_arrays(names[: len(costs.classes)], names, costs.to_array(rows="actual"))


def class_of(text: str, classes: Sequence[Any], option: str) -> Any:
    """The class that a text names; `LabelError` where there is none."""
    typed = positive_label(text, objects(list(classes)))
    for name in classes:
        if str(name) == text or same(name, typed):
            return name
    fix = f"{did_you_mean(text, classes)} the classes are {listed(classes)}".strip()
    raise LabelError(f"{option} names {text!r}, which is no class", fix)


def parse_mix(text: str, classes: Sequence[Any]) -> dict[Any, float]:
    """Shares of all classes, from CLASS=NUMBER between commas, in proportion.

    >>> parse_mix("ham=3,spam=1", ["ham", "spam"])
    {'ham': 0.75, 'spam': 0.25}
    """
    parts: dict[Any, float] = {}
    for word in class_names(text, option="--mix"):
        name, equals, number = word.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise ArgumentError(f"cannot read {word!r} in --mix", "write e.g. --mix cat=1,dog=3")
        if not 0 <= value < float("inf"):
            raise ArgumentError(f"the part of {name!r} in --mix is {number}", "give numbers of 0 or more")
        parts[class_of(name, classes, "--mix")] = value
    if absent := [name for name in classes if name not in parts]:
        raise ArgumentError(f"--mix has no part for the class {absent[0]!r}", "give one for every class, or 0")
    if not (total := sum(parts.values())):
        raise ArgumentError("all parts of --mix are 0", "give one above 0")
    return {name: part / total for name, part in parts.items()}


def parse_counts(
    text: str, classes: str | None, *, rows: Literal["actual", "predicted"], costs: str | None, positive: str | None
) -> Calls:
    """The matrix that a command line spells out: rows between slashes."""
    lines = [_SEPARATORS.split(line.strip(" ,")) for line in re.split(r"[/;\n]", text.strip(" /;\n"))]
    for i, line in enumerate(lines, 1):
        if len(line) != len(lines[0]):
            what = f"row {i} of --counts has {count_text(len(line), 'number')}, and row 1 has {len(lines[0])}"
            raise LengthError(what, 'write as many in each row, as "8 2 / 1 9"')
    counts = [[_count(word) for word in line] for line in lines]
    names: list[Any] = list(range(1, min(len(counts), len(counts[0])) + 1))
    priced = None if costs is None else read_costs(costs)
    if priced is not None:
        names = list(priced.classes)
    if classes is not None:
        names = list(class_names(classes))
    others = () if priced is None else priced.actions[len(priced.classes) :]
    matrix = ConfusionMatrix.from_array(counts, names, rows=rows, others=others)
    if priced is not None:
        _require_priced(priced, names)
    return Calls(matrix, priced, None if positive is None else class_of(positive, names, "--positive"))


def _count(word: str) -> float:
    try:
        return int(word) if word.strip("+").isdigit() else float(word)
    except ValueError:
        what = f"{word!r} in --counts is no number" if word else "a row of --counts is empty"
        raise ArgumentError(what, 'write rows of numbers between slashes, as "8 2 / 1 9"') from None


def read_calls(
    source: str,
    columns: CallOptions,
    groups: GroupOptions,
    *,
    cluster: str | None,
    classes: str | None,
    costs: str | None,
) -> dict[Group, Calls]:
    """The table of each group; rows in memory where they have weights or clusters."""
    label = require_column(source, columns, columns.label, "--label", "true labels")
    prediction = require_column(source, columns, columns.prediction, "--prediction", "predicted labels")
    roles = {"--prediction": prediction, "--weight": columns.weight, "--cluster": cluster}
    require_other_columns(label, roles.items())
    used = {"labels": label, "predictions": prediction, "weights": columns.weight, "clusters": cluster}
    names = {kind: name for kind, name in used.items() if name is not None}
    values = _counted(source, columns, groups, list(names.values()), in_memory=len(names) > 2)
    cases: Counts = values.pop(_CASES)
    present = _complete({kind: values[name] for kind, name in names.items()}, cases, missing=columns.missing)
    actual, predicted = _of_one_kind(values[label], values[prediction])
    priced = None if costs is None else typed_costs(costs, actual)
    known = _class_order(actual[present], predicted[present], classes, priced)
    others = () if priced is None else priced.actions[len(known) :]
    weight = None
    if columns.weight is not None:
        weight = np.zeros(present.size)
        weight[present] = checked_weights(column(values[columns.weight][present], name="weights"))
    index = [np.full(present.size, -1) for _ in range(2)]
    of_costs = costs if classes is None else None
    for place, of, each, names_of in zip(
        index, ("labels", "predictions"), (actual, predicted), (known, [*known, *others]), strict=True
    ):
        place[present] = _places(each[present], names_of, cases[present], of=of, costs=of_costs)
    positive = None if columns.positive is None else class_of(columns.positive, known, "--positive")
    tables: dict[Group, Calls] = {}
    for group, rows in rows_by_group(values, groups.by).items():
        inside = np.zeros(present.size, dtype=np.bool_)
        inside[rows] = True
        taken = np.flatnonzero(inside & present & (True if weight is None else weight > 0))
        sample = Sample(
            index[0][taken],
            index[1][taken],
            None if weight is None else weight[taken],
            None if cluster is None else Codes().encode(values[cluster][taken]),
        )
        matrix = sample.matrix(known, others, cases[taken], dropped=int(cases[inside & ~present].sum()))
        tables[group] = Calls(matrix, priced, positive, sample if len(names) > 2 else None)
    return tables


def _counted(
    source: str, columns: LabelOptions, groups: GroupOptions, names: Sequence[str], *, in_memory: bool
) -> dict[str, Column]:
    """Combinations of values in the rows taken, with the number of rows of each."""
    texts = filter_texts(groups.where, source, columns)
    wanted = list(dict.fromkeys([*names, *groups.by, *texts]))
    if in_memory:
        with working("reading rows"):
            rows = columns_that_fit(source, wanted, table=columns.table_name)
        if rows is None:
            what = "limits with weights or clusters need rows, and there are more than fit in memory"
            raise ArgumentError(what, "leave --weight and --cluster out, or give a sample of the rows")
        values, cases = rows, np.ones(len(rows[wanted[0]]), dtype=np.int64)
    else:
        with listening("counting rows") as listener:
            values, cases = count_values(source, wanted, table=columns.table_name, listener=listener)
    return take_rows(values | {_CASES: cases}, texts)


def _complete(columns: Mapping[str, Column], cases: Counts, *, missing: str) -> Flags:
    """Which entries miss nothing; refuses others unless they may be left out."""
    present = np.ones(cases.size, dtype=np.bool_)
    for kind, values in columns.items():
        absent = is_missing(values)
        if absent is not None and missing == "raise":
            what = f"{int(cases[absent].sum()):,} of {int(cases.sum()):,} {kind} are missing"
            raise MissingValueError(what, f"fill them, or pass {argument('missing', 'drop')} to leave those rows out")
        present &= True if absent is None else ~absent
    if not present.any():
        raise EmptyError(f"none of {int(cases.sum()):,} rows is complete", "check the columns")
    return present


def _of_one_kind(actual: Column, predicted: Column) -> tuple[Column, Column]:
    """Columns of one type: a file types each by itself, 1 here and "1" there."""
    numbers = [each.dtype.kind in "biuf" for each in (actual, predicted)]
    if numbers[0] == numbers[1]:
        return actual, predicted
    texts, other = (predicted, actual) if numbers[0] else (actual, predicted)
    typed = {text: text if is_absent(text) else positive_label(text, other) for text in set(texts.tolist())}
    mixed = objects([typed[text] for text in texts.tolist()])
    return (actual.astype(object), mixed) if numbers[0] else (mixed, predicted.astype(object))


def _class_order(actual: Column, predicted: Column, classes: str | None, costs: CostMatrix | None) -> list[Any]:
    """The classes: as named, as the costs have them, or the labels in rising order."""
    if classes is not None:
        named = typed_classes(class_names(classes), actual)
        if costs is not None:
            _require_priced(costs, named)
        return named
    if costs is not None:
        return list(costs.classes)
    known: dict[Any, None] = {}
    for each in (actual, predicted):
        known |= dict.fromkeys(distinct(each, at_most=_MOST_CLASSES + 1))
    if len(known) > _MOST_CLASSES:
        what = f"there are more than {_MOST_CLASSES} labels: {listed(list(known))}"
        fix = f"check that the columns hold classes and not numbers, or name all by {argument('classes', [...])}"
        raise LabelError(what, fix)
    kinds = [[name for name in known if isinstance(name, str) is text] for text in (False, True)]
    return [name for names in kinds if names for name in sorted_labels(objects(names))]


def _places(labels: Column, known: Sequence[Any], cases: Counts, *, of: str, costs: str | None) -> Indices:
    """The place of each label among the classes; refuses one that is none by name."""
    place = {name: i for i, name in enumerate(known)}
    index = np.fromiter((place.get(label, -1) for label in labels.tolist()), dtype=np.int64, count=labels.size)
    strays = np.flatnonzero(index < 0)
    if strays.size:
        stray = labels[strays[:1]].tolist()[0]
        rows = int(cases[flagged(labels, lambda label: same(label, stray))].sum())
        where = "--classes" if costs is None else costs
        what = f"{count_text(rows, 'row')} of {of} hold {short_repr(stray)}, which is no class of {where}"
        raise LabelError(what, f"{did_you_mean(stray, known)} the classes are {listed(known)}".strip())
    return index


def _require_priced(costs: CostMatrix, classes: Sequence[Any]) -> None:
    """Raise unless costs are of these classes, in whatever order."""
    sides = [(classes, costs.classes, "--costs lacks"), (costs.classes, classes, "--classes lacks")]
    for one, other, lacks in sides:
        if absent := [name for name in one if not any(same(name, each) for each in other)]:
            fix = f"{did_you_mean(absent[0], other)} name the same classes in both".strip()
            raise LabelError(f"{lacks} the class {absent[0]!r}", fix)
