"""`CostMatrix`: what each action costs for each actual class, by name."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_instance, require_number
from thresher._internal.atomic import read_text
from thresher._internal.json import items, json_value, label, not_written, numbers, read_object
from thresher._internal.results import Tabular
from thresher._internal.text import did_you_mean
from thresher.cautions import Caution
from thresher.errors import ConditionError, LabelError, LengthError, SourceError, ThresherError, argument
from thresher.inputs.labels import listed, same
from thresher.ranking import Floats, Indices
from thresher.tables.confusion import ConfusionMatrix
from thresher.tables.contingency import Rows, require_rows

Matrix: TypeAlias = npt.NDArray[np.float64]

FORMAT = "thresher/costs/1"
COLUMNS = ("actual", "predicted", "cost")
LEAST_COST, MOST_COST = 1e-100, 1e100  # in size: floats hold products and squares of these
_SAME = "give costs for the classes of the data, and for no others"
_KIND: dict[str, Any] = {"of": "CostMatrix", "kind": "a cost matrix"}


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class CostMatrix(Tabular):
    """What each action costs for cases of each class, for any number of classes.

    Built from {actual: {predicted: cost}}. `actions` are the classes, in their order, and whatever else may be done
    with a case, such as to refer it to a person. Being right costs 0 unless a cost is given; any other pair must be
    given, or have the `default`. An array says nothing about which side is which: `from_array` asks.

    >>> costs = CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}})
    >>> costs["ham", "spam"], costs["spam", "spam"]
    (10.0, 0.0)
    >>> print(costs.with_action("refer", 0.3))
    actual   action: ham   spam   refer
    ham                0     10     0.3
    spam               1      0     0.3
    """

    classes: tuple[Any, ...]
    actions: tuple[Any, ...]
    costs: Matrix

    def __init__(self, costs: Mapping[Any, Mapping[Any, float]], *, default: float | None = None) -> None:
        fix = 'give {actual: {predicted: cost}}, e.g. {"ham": {"spam": 10}, "spam": {"ham": 1}}'
        require_instance(costs, Mapping, "a mapping of costs", fix=fix)
        for row in costs.values():
            require_instance(row, Mapping, "a mapping of costs for every class", fix=fix)
        classes = tuple(costs)
        others = dict.fromkeys(action for row in costs.values() for action in row if action not in costs)
        actions = (*classes, *others)
        pairs = [(actual, action, costs[actual].get(action, default)) for actual in classes for action in actions]
        absent = [(a, b) for a, b, cost in pairs if cost is None and not same(a, b)]
        if absent:
            what = f"{len(absent):,} of {len(pairs):,} costs are missing, first that of {_pair(*absent[0])}"
            close = [did_you_mean(other, classes) for other in others]
            hint = "".join(f"{text} " for text in close if text)
            raise ConditionError(what, f"{hint}give it, or pass {argument('default', ...)} for all that are not given")
        plain = [0.0 if a == b and a not in costs[a] else _cost(cost, a, b) for a, b, cost in pairs]
        self._fill(classes, actions, np.array(plain).reshape(len(classes), len(actions)))

    def _fill(self, classes: Iterable[Any], actions: Iterable[Any], costs: Matrix) -> None:
        known, named = _plain(classes), _plain(actions)
        if len(known) < 2:
            raise ConditionError(f"{len(known)} class needs no decision", "give the costs of two classes or more")
        moderate = (costs == 0) | ((np.abs(costs) >= LEAST_COST) & (np.abs(costs) <= MOST_COST))
        for i, j in np.argwhere(~moderate)[:1].tolist():
            what = f"the cost of {_pair(known[i], named[j])} is {costs[i, j]:g}, and neither 0 nor in size from"
            raise ConditionError(f"{what} {LEAST_COST:g} to {MOST_COST:g}", "give a number, and all in one unit")
        if not (costs - costs[:, :1]).any():
            what = "all actions cost the same for every class, so that any decision is as good as another"
            raise ConditionError(what, "let wrong calls cost more than right ones")
        costs.flags.writeable = False
        for name, value in (("classes", known), ("actions", named), ("costs", costs)):
            object.__setattr__(self, name, value)

    @classmethod
    def of_arrays(cls, classes: Sequence[Any], actions: Sequence[Any], costs: Matrix) -> Self:
        """Take over checked costs, a row per class and a column per action."""
        matrix = cls.__new__(cls)
        matrix._fill(classes, actions, costs)
        return matrix

    @classmethod
    def from_array(
        cls, costs: npt.ArrayLike, classes: Sequence[Any], *, rows: Rows | None = None, others: Sequence[Any] = ()
    ) -> Self:
        """Costs of an array whose rows are the actual or the predicted classes.

        There is no default for `rows`: textbooks and tools differ, and a transposed matrix of costs goes unnoticed.
        `others` names actions that are no classes, after those that are.

        >>> CostMatrix.from_array([[0, 10], [1, 0]], ["ham", "spam"], rows="actual")["ham", "spam"]
        10.0
        >>> CostMatrix.from_array([[0, 10], [1, 0]], ["ham", "spam"], rows="predicted")["ham", "spam"]
        1.0
        """
        require_rows(rows)
        names, actions = list(classes), [*classes, *others]
        _require_distinct(actions)
        array = numbers_of(costs, name="costs", fix="give rows of numbers", dimensions=2)
        shape = (len(names), len(actions)) if rows == "actual" else (len(actions), len(names))
        if array.shape != shape:
            what = f"costs have shape {array.shape}, and {len(names)} classes and {len(actions)} actions need {shape}"
            raise LengthError(what, f"give one row per {rows} class, in the order of the classes")
        array = array if rows == "actual" else array.T.copy()
        return cls.of_arrays(names, actions, array)

    @classmethod
    def equal(cls, classes: Sequence[Any]) -> Self:
        """Every error costs 1.

        >>> print(CostMatrix.equal("ab"))
        actual   action: a   b
        a                0   1
        b                1   0
        """
        return cls.ordinal(classes, power=0)

    @classmethod
    def ordinal(cls, classes: Sequence[Any], *, power: float = 1) -> Self:
        """Classes in order: an error costs the number of steps between them, to a power.

        >>> CostMatrix.ordinal(["low", "middle", "high"], power=2)["low", "high"]
        4.0
        """
        names = _require_distinct(classes)
        exponent = require_number(power, name="power")
        place = np.arange(len(names), dtype=np.float64)
        steps = np.abs(np.subtract.outer(place, place))
        with np.errstate(over="ignore", under="ignore"):
            costs = np.where(steps > 0, np.maximum(steps, 1) ** exponent, 0.0)
        return cls.of_arrays(names, names, costs)

    @classmethod
    def by_class(cls, costs: Mapping[Any, float], classes: Sequence[Any], *, default: float = 1) -> Self:
        """A miss costs by the class that was missed, whatever it was called instead.

        >>> CostMatrix.by_class({"dangerous": 10}, ["harmless", "odd", "dangerous"])["dangerous", "odd"]
        10.0
        """
        names = _require_distinct(classes)
        for name in costs:
            _place(name, names, "class")
        rows = {a: {b: costs.get(a, default) for b in names if not same(a, b)} for a in names}
        return cls(rows)

    def with_action(self, name: Any, cost: float | Mapping[Any, float]) -> CostMatrix:
        """The same with one more action, at one cost or a cost per actual class.

        >>> CostMatrix.equal("ab").with_action("refer", {"a": 0.2, "b": 0.4})["b", "refer"]
        0.4
        """
        if any(same(name, action) for action in self.actions):
            raise LabelError(f"there is an action {name!r} already", "name the new one otherwise")
        by_class = cost if isinstance(cost, Mapping) else dict.fromkeys(self.classes, cost)
        for each in by_class:
            _place(each, self.classes, "class")
        absent = [each for each in self.classes if each not in by_class]
        if absent:
            raise ConditionError(f"the cost of {_pair(absent[0], name)} is missing", "give one for every class")
        column = [[_cost(by_class[each], each, name)] for each in self.classes]
        return CostMatrix.of_arrays(self.classes, (*self.actions, name), np.hstack([self.costs, column]))

    def __getitem__(self, pair: tuple[Any, Any]) -> float:
        """The cost of an action for a class: `costs[actual, action]`."""
        actual, action = pair
        row, column = _place(actual, self.classes, "class"), _place(action, self.actions, "action")
        return float(self.costs[row, column])

    @property
    def regret(self) -> CostMatrix:
        """What each action costs more than the cheapest for its class; same decisions.

        >>> CostMatrix({"ham": {"ham": 2, "spam": 12}, "spam": {"ham": 1}}).regret["ham", "spam"]
        10.0
        """
        least = self.costs.min(axis=1, keepdims=True)
        return CostMatrix.of_arrays(self.classes, self.actions, self.costs - least)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Actions that are never worth taking, and classes that are cheaper called wrong."""
        return (*self._dominated(), *self._right_costs_more())

    def expected(self, probabilities: npt.ArrayLike, *, weights: npt.ArrayLike | None = None) -> Matrix:
        """The expected cost of each action for each row of probabilities of the classes.

        Terms are added class by class, in order, so that a page or an engine finds the same numbers. `weights` multiply
        the probabilities of the classes: their ratios to those of training where the class mix differs.

        >>> CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}}).expected([[0.25, 0.75]])
        array([[0.75, 2.5 ]])
        """
        return self._expected(self.costs, probabilities, weights)

    def decide(self, probabilities: npt.ArrayLike, *, weights: npt.ArrayLike | None = None) -> Indices:
        """The place in `actions` of the cheapest action for each row; the first of equals.

        >>> costs = CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}})
        >>> [costs.actions[i] for i in costs.decide([[0.25, 0.75], [0.05, 0.95]])]
        ['ham', 'spam']
        """
        return self._expected(self.regret.costs, probabilities, weights).argmin(axis=1)

    def cost(self, confusion: ConfusionMatrix) -> float:
        """Cost per case of a confusion matrix of the same classes, with all its actions.

        >>> matrix = ConfusionMatrix([[90, 10], [5, 5]], classes=["ham", "spam"])
        >>> round(CostMatrix({"ham": {"spam": 10}, "spam": {"ham": 1}}).cost(matrix), 4)
        0.9545
        >>> referred = ConfusionMatrix([[90, 0, 10], [5, 5, 0]], classes=["ham", "spam"], others=["refer"])
        >>> round(CostMatrix.equal(["ham", "spam"]).with_action("refer", 0.25).cost(referred), 4)
        0.0682
        """
        by_class = self.cost_by_class(confusion)
        return float(by_class.sum() / confusion.total) if confusion.total else math.nan

    def cost_by_class(self, confusion: ConfusionMatrix) -> Floats:
        """What the cases of each class cost together, aligned with `classes`."""
        require_instance(confusion, ConfusionMatrix, "a confusion matrix", fix="pass confusion(labels, predictions)")
        rows = [_place(name, confusion.classes, "class") for name in self.classes]
        if len(confusion.classes) != len(self.classes):
            what = f"the matrix has the classes {listed(confusion.classes)}, and costs are of {listed(self.classes)}"
            raise LabelError(what, "give costs for every class")
        columns = [_place(name, self.actions, "action") for name in confusion.actions]
        by_class: Floats = (confusion.counts[rows] * self.costs[:, columns]).sum(axis=1)
        return by_class

    def for_classes(self, classes: Sequence[Any]) -> CostMatrix:
        """The same costs with the classes in another order, other actions after them.

        >>> print(CostMatrix({"a": {"b": 1}, "b": {"a": 5}}).for_classes("ba"))
        actual   action: b   a
        b                0   5
        a                1   0
        """
        names = _require_distinct(classes)
        order = [_place(name, self.classes, "class") for name in names]
        absent = [name for name in self.classes if not any(same(name, each) for each in names)]
        if absent:
            raise LabelError(f"costs have the class {absent[0]!r}, and the classes here are {listed(names)}", _SAME)
        columns = [*order, *range(len(order), len(self.actions))]
        actions = [self.actions[j] for j in columns]
        return CostMatrix.of_arrays(names, actions, self.costs[np.ix_(order, columns)])

    def to_array(self, *, rows: Rows | None = None) -> Matrix:
        """The costs with the actual classes, or the actions, as rows."""
        require_rows(rows)
        return self.costs.copy() if rows == "actual" else self.costs.T.copy()

    def to_dict(self) -> dict[str, Any]:
        """Plain data: names, and a row of costs per actual class."""
        plain = {"classes": list(self.classes), "actions": list(self.actions), "costs": self.costs.tolist()}
        return {"format": FORMAT} | plain

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly."""
        return json.dumps(self.to_dict(), allow_nan=False)

    def to_csv(self) -> str:
        """A table of actual, predicted and cost, which `read_costs` reads back.

        >>> print(CostMatrix.equal("ab").to_csv(), end="")
        actual,predicted,cost
        a,a,0.0
        a,b,1.0
        b,a,1.0
        b,b,0.0
        """
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(zip(*self._columns().values(), strict=True))
        return out.getvalue()

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        names = items(label)
        readers = {"classes": names, "actions": names, "costs": items(numbers())}
        parts = read_object(value, readers, form=FORMAT, **_KIND)
        classes, actions = parts["classes"], parts["actions"]
        if actions[: len(classes)] != classes:
            raise not_written('"actions" do not begin with the classes', **_KIND)
        try:
            return cls.from_array(parts["costs"], classes, rows="actual", others=actions[len(classes) :])
        except ThresherError as error:
            raise not_written(error.what, **_KIND) from None

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(json_value(text, name="CostMatrix"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return False
        names = self.classes == other.classes and self.actions == other.actions
        return names and np.array_equal(self.costs, other.costs)

    def __hash__(self) -> int:
        return hash((self.classes, self.actions, self.costs.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return CostMatrix.of_arrays, (self.classes, self.actions, self.costs.copy())

    def __str__(self) -> str:
        first, *others = map(str, self.actions)
        rows = [["actual", f"action: {first}", *others]]
        rows += [
            [str(name), *(f"{cost:g}" for cost in row)] for name, row in zip(self.classes, self.costs, strict=True)
        ]
        width = [max(map(len, texts)) for texts in zip(*rows, strict=True)]
        return "\n".join("   ".join([row[0].ljust(width[0]), *map(str.rjust, row[1:], width[1:])]) for row in rows)

    def _brief(self) -> str:
        return f"{len(self.classes):,} classes, actions {listed(self.actions)}, costs up to {self.costs.max():g}"

    def _columns(self) -> Mapping[str, Any]:
        actual = [name for name in self.classes for _ in self.actions]
        return dict(zip(COLUMNS, (actual, list(self.actions) * len(self.classes), self.costs.ravel()), strict=True))

    def _expected(self, costs: Matrix, probabilities: npt.ArrayLike, weights: npt.ArrayLike | None) -> Matrix:
        fix = "give one row per case and one column per class"
        p = numbers_of(probabilities, name="probabilities", fix=fix, dimensions=2)
        if p.shape[1] != len(self.classes):
            what = f"probabilities have {p.shape[1]} columns, and there are {len(self.classes)} classes"
            raise LengthError(f"{what}: {listed(self.classes)}", fix)
        w = np.ones(len(self.classes)) if weights is None else numbers_of(weights, name="weights")
        total: Matrix = np.zeros((len(p), len(self.actions)))
        for i, row in enumerate(costs):
            total += (p[:, i] * w[i])[:, np.newaxis] * row
        return total

    def _dominated(self) -> Iterable[Caution]:
        for j, action in enumerate(self.actions):
            column = self.costs[:, j]
            better = [
                other for i, other in enumerate(self.actions) if i != j and self._never_dearer(i, column, before=j)
            ]
            if better:
                text = f"{action!r} is nowhere cheaper than {better[0]!r}, and is never taken"
                yield Caution("dominated-action", text)

    def _never_dearer(self, i: int, column: Floats, *, before: int) -> bool:
        difference = column - self.costs[:, i]
        return bool((difference >= 0).all() and (difference.any() or i < before))

    def _right_costs_more(self) -> Iterable[Caution]:
        for i, name in enumerate(self.classes):
            least = int(self.costs[i].argmin())
            if self.costs[i, least] < self.costs[i, i]:
                cheaper = f"{self.actions[least]!r} ({self.costs[i, least]:g} against {self.costs[i, i]:g})"
                yield Caution("right-costs-more", f"calling {name!r} what it is costs more than calling it {cheaper}")


def read_costs(path: str | PathLike[str], *, default: float | None = None) -> CostMatrix:
    """Read a CSV file with the columns actual, predicted and cost, one line per pair.

    Classes are the actual ones, in the order of the file. Being right costs 0 unless a line says otherwise.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "costs.csv").write_text(CostMatrix.ordinal("abc").to_csv())
    ...     read_costs(Path(folder, "costs.csv")) == CostMatrix.ordinal("abc")
    True
    """
    text = read_text(path).removeprefix("\ufeff")  # a mark that spreadsheets write
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        head, *lines = [(f"line {reader.line_num:,} of {path}", line) for line in reader] or [("", [])]
    except csv.Error as error:
        raise SourceError(f"line {reader.line_num:,} of {path} is no CSV: {error}", "mend it") from None
    return CostMatrix(_costs_by_pair(head[1], lines, path), default=default)


def _costs_by_pair(
    head: list[str], lines: Iterable[tuple[str, list[str]]], path: str | PathLike[str]
) -> dict[str, dict[str, float]]:
    absent = [name for name in COLUMNS if name not in head]
    if absent:
        what = f"{path} has no column {absent[0]!r}"
        raise SourceError(what, f"give the columns {', '.join(COLUMNS)}, one line per pair")
    at = [head.index(name) for name in COLUMNS]
    rows: dict[str, dict[str, float]] = {}
    for place, line in lines:
        if not any(line):
            continue
        if len(line) != len(head):
            raise SourceError(f"{place} has {len(line)} fields where there are {len(head)} columns", "mend it")
        actual, predicted, text = (line[i] for i in at)
        if predicted in rows.setdefault(actual, {}):
            raise SourceError(f"{place} gives the cost of {_pair(actual, predicted)} a second time", "give it once")
        try:
            rows[actual][predicted] = float(text)
        except ValueError:
            what = f"the cost of {_pair(actual, predicted)} is {text!r} in {place}, which is no number"
            raise SourceError(what, "fill in a number") from None
    return rows


def _plain(names: Iterable[Any]) -> tuple[Any, ...]:
    """Names as Python's own texts and numbers, which JSON can write."""
    return tuple(name.item() if isinstance(name, np.generic) else name for name in names)


def _require_distinct(names: Sequence[Any]) -> tuple[Any, ...]:
    known = tuple(names)
    twice = [a for i, a in enumerate(known) if any(same(a, b) for b in known[:i])]
    if twice:
        raise LabelError(f"{twice[0]!r} is named twice among {listed(known)}", "name each class and action once")
    return known


def _place(name: Any, known: Sequence[Any], kind: str) -> int:
    for i, each in enumerate(known):
        if same(each, name):
            return i
    kinds = {"class": "classes", "action": "actions"}[kind]
    raise LabelError(f"there is no {kind} {name!r}", f"{did_you_mean(name, known)} {kinds} are {listed(known)}".strip())


def _cost(value: Any, actual: Any, action: Any) -> float:
    return require_number(value, name=_pair(actual, action), fix="give a number", error=ConditionError)


def _pair(actual: Any, action: Any) -> str:
    return f"{actual!r} called {action!r}"
