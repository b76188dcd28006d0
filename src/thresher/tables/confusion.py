"""Confusion matrices: actual against predicted classes. They add."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, cast, get_args

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_one_of, short_repr
from thresher._internal.json import items, json_value, label, not_written, number, numbers, read_object
from thresher._internal.results import Tabular
from thresher.errors import EmptyError, LabelError, LengthError, MeasureError, ThresherError, WeightError
from thresher.inputs import classes_of
from thresher.inputs.columns import Missing
from thresher.inputs.labels import LABELS_SHOWN, distinct, listed, same, sorted_labels
from thresher.ranking import EXACT_INTEGERS, Counts, Floats, require_safe_total
from thresher.tables.contingency import Contingency, Rows, complete_columns, require_rows
from thresher.tables.measures import Measure
from thresher.tables.measures import measure as named

Averaging: TypeAlias = Literal["micro", "macro", "weighted"]

FORMAT = "thresher/confusion/1"
CLASSES_SHOWN = 20

_SINGLE_NUMBERS = {
    "overall_accuracy": "there are no cases",
    "mcc": "all cases are of one class, or all are predicted as one",
    "kappa": "all cases are of one class and all are predicted as it",
}


def _average(how: Averaging, measure: str, meaning: str) -> Any:
    """An average over classes, as a property of a matrix."""
    return property(lambda matrix: matrix.average(how, measure), doc=meaning)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionMatrix(Tabular):
    """Counts of actual (rows) against predicted (columns) classes.

    Rows are the actual classes, as in scikit-learn; other tools print the transpose. Measures are aligned with
    `classes`. What is 0/0 is NaN, never 0, and so is an average that needs it; `describe` says why. `others` names
    columns of actions that are no classes, such as "refer": those cases are not recalled, count in every accuracy, and
    enter no class's precision.

    >>> reviews = ConfusionMatrix(
    ...     [[700, 200, 100], [200, 8300, 100], [0, 100, 300]], classes=["negative", "neutral", "positive"]
    ... )
    >>> print(reviews)
    actual     predicted: negative   neutral   positive    total   recall
    negative                   700       200        100    1,000   0.7000
    neutral                    200     8,300        100    8,600   0.9651
    positive                     0       100        300      400   0.7500
    total                      900     8,600        500   10,000
    precision               0.7778    0.9651     0.6000
    overall accuracy 0.93, mean class accuracy 0.805
    >>> reviews.macro_f1, reviews.weighted_f1
    (0.789..., 0.930...)
    """

    counts: Counts
    classes: tuple[Any, ...]
    dropped: int = 0
    others: tuple[Any, ...] = ()

    def __init__(
        self, counts: npt.ArrayLike, classes: Sequence[Any], dropped: int = 0, others: Sequence[Any] = ()
    ) -> None:
        names, _ = classes_of(np.empty(0, dtype=object), classes=classes)
        if not names:
            raise EmptyError("there are no classes", "name at least one class per row and column")
        k = len(names)
        actions, _ = classes_of(np.empty(0, dtype=object), classes=[*names, *others])
        parts = {"counts": _check_counts(counts, k, len(actions)), "classes": tuple(names), "dropped": dropped}
        for name, value in (parts | {"others": tuple(actions[k:])}).items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_array(
        cls, counts: npt.ArrayLike, classes: Sequence[Any], *, rows: Rows | None = None, others: Sequence[Any] = ()
    ) -> Self:
        """A matrix of an array whose rows are the "actual" or the "predicted" classes.

        >>> ConfusionMatrix.from_array([[9, 5], [1, 85]], ["ill", "well"], rows="predicted")
        ConfusionMatrix([[9, 1], [5, 85]], classes=['ill', 'well'])
        """
        require_rows(rows)
        array = np.asarray(counts)
        return cls(array if rows == "actual" else array.T, classes, others=others)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        names = items(label)
        readers = {"counts": items(numbers(0)), "classes": names, "dropped": number(0, integer=True), "others": names}
        kind: dict[str, Any] = {"of": "ConfusionMatrix", "kind": "a confusion matrix"}
        parts = read_object(value, readers, form=FORMAT, optional=["dropped", "others"], **kind)
        try:
            return cls(**parts)
        except ThresherError as error:
            raise not_written(error.what, **kind) from None

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(json_value(text, name="ConfusionMatrix"))

    @property
    def total(self) -> Any:
        """All cases, or their weight."""
        return self.counts.sum().item()

    @property
    def actual(self) -> Counts:
        """Cases of each class: the row totals."""
        return self.counts.sum(axis=1)

    @property
    def actions(self) -> tuple[Any, ...]:
        """What the columns are: the classes, then the others."""
        return (*self.classes, *self.others)

    @property
    def predicted(self) -> Counts:
        """Cases on which each action is taken: the column totals, aligned with `actions`."""
        return self.counts.sum(axis=0)

    @property
    def correct(self) -> Counts:
        """Cases of each class that are called right: the diagonal."""
        return np.diagonal(self.counts)

    @property
    def per_class(self) -> Contingency:
        """Each class against the rest: one table, its cells aligned with `classes`.

        Every measure of a contingency table is thereby one of each class.

        >>> ConfusionMatrix([[8, 2], [1, 9]], classes=["cat", "dog"]).per_class.specificity
        array([0.9, 0.8])
        """
        tp = self.correct
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)  # adding up what is wrong never rounds below 0, as subtracting what is right may
        fn, fp = wrong.sum(axis=1), wrong.sum(axis=0)[: len(tp)]
        tn = np.maximum(tp.sum() - tp + wrong.sum() - fn - fp, 0)
        return Contingency(tp=tp, fn=fn, fp=fp, tn=tn)

    def one_vs_rest(self, positive: Any) -> Contingency:
        """The table of one class (positive) against all others together.

        >>> ConfusionMatrix([[7, 2, 1], [2, 83, 1], [0, 1, 3]], classes=[1, 2, 3]).one_vs_rest(3)
        Contingency(tp=3, fn=1, fp=2, tn=94)
        """
        for i, name in enumerate(self.classes):
            if isinstance(name, str) == isinstance(positive, str) and name == positive:  # 1 is not "1"
                each = self.per_class
                return Contingency(tp=each.tp[i], fn=each.fn[i], fp=each.fp[i], tn=each.tn[i])
        what = f"{positive!r} is not among the classes {listed(self.classes)}"
        raise LabelError(what, f"give one of them, e.g. {self.classes[0]!r}")

    def independent(self) -> ConfusionMatrix:
        """Expected counts if predictions ignored the actual class, same marginals.

        >>> ConfusionMatrix([[30, 20], [10, 40]], classes=["spam", "ham"]).independent()
        ConfusionMatrix([[20.0, 30.0], [20.0, 30.0]], classes=['spam', 'ham'])
        """
        if not self.total:
            return self
        return ConfusionMatrix(np.outer(self.actual / self.total, self.predicted), self.classes, others=self.others)

    @property
    def overall_accuracy(self) -> float:
        """Proportion of all cases called right; also micro recall."""
        return _ratio(self.correct.sum().item(), self.total)

    @property
    def precision(self) -> Floats:
        """Per class, the proportion of cases called so that are so."""
        return self.per_class.precision

    @property
    def recall(self) -> Floats:
        """Per class, the proportion of its cases that are called so."""
        return self.per_class.recall

    @property
    def f1(self) -> Floats:
        """Per class, the harmonic mean of precision and recall: 2 tp / (2 tp + fp + fn)."""
        return self.per_class.f1

    def average(self, how: Averaging, measure: str | Measure) -> float:
        """One number for all classes, from the tables of each class against the rest.

        "micro" measures the sum of the tables; "macro" is the plain mean over classes; "weighted" weighs classes by
        their cases, so those without cases do not count. Macro F1 is the mean of the F1 values, not the F1 of macro
        precision and macro recall, which others call by the same name (Opitz & Burst 2019). A measure that is undefined
        for a class that counts leaves the average undefined: NaN, where others silently put 0.

        >>> reviews = ConfusionMatrix([[700, 200, 100], [200, 8300, 100], [0, 100, 300]], classes=[-1, 0, 1])
        >>> [round(reviews.average(how, "precision"), 4) for how in ("micro", "macro", "weighted")]
        [0.93, 0.781, 0.9318]
        """
        require_one_of(how, get_args(Averaging), name="how", fix='say which, e.g. average("macro", "f1")')
        known, table = named(measure), self.per_class
        if how == "micro":
            return float(known.of(Contingency(*(cell.sum() for cell in (table.tp, table.fn, table.fp, table.tn)))))
        counts = (how != "weighted") | (table.Pos > 0)
        if not counts.any():
            return math.nan
        return float(np.average(known.of(table)[counts], weights=table.Pos[counts] if how == "weighted" else None))

    def why_undefined(self, how: Averaging, measure: str | Measure) -> str:
        """Which classes leave an average without a value, and why; empty if none do.

        >>> ConfusionMatrix([[95, 0], [5, 0]], classes=["ham", "spam"]).why_undefined("macro", "precision")
        "with 'spam' as the positive class, nothing is predicted positive"
        """
        if not math.isnan(self.average(how, measure)):
            return ""
        known, table = named(measure), self.per_class
        if not table.total.any():
            return "there are no cases"
        counts = (how != "weighted") | (table.Pos > 0)
        undefined = np.isnan(known.of(table)) & counts
        names = ", ".join(repr(name) for name, at in zip(self.classes, undefined.tolist(), strict=True) if at)
        return f"with {names} as the positive class, {known.undefined}"

    micro_precision = _average(
        "micro", "precision", "Precision of the added tables: the accuracy of the cases that are called a class."
    )
    micro_recall = _average("micro", "recall", "Recall of the added tables: the overall accuracy.")
    micro_f1 = _average(
        "micro", "f1", "F1 of the added tables; the overall accuracy where every case is called a class."
    )
    macro_precision = _average("macro", "precision", "Mean of the classes' precisions.")
    macro_recall = _average("macro", "recall", "Mean over classes of the proportion called right.")
    mean_class_accuracy = macro_recall
    macro_f1 = _average("macro", "f1", "Mean of the classes' F1 values.")
    weighted_precision = _average("weighted", "precision", "Mean of the classes' precisions, weighted by their cases.")
    weighted_recall = _average("weighted", "recall", "Mean recall weighted by cases: the overall accuracy.")
    weighted_f1 = _average("weighted", "f1", "Mean of the classes' F1 values, weighted by their cases.")

    @property
    def mcc(self) -> float:
        """Correlation of actual and predicted class for k classes, R_K (Gorodkin 2004).

        With s cases, c of them called right, and t and p the actual and predicted totals:
        (c s - Σ t p) / sqrt((s² - Σ t²) (s² - Σ p²)). For two classes it is the MCC of either.

        >>> ConfusionMatrix([[30, 20], [10, 40]], classes=["spam", "ham"]).mcc
        0.408...
        """
        agreement, _ = self._beyond_chance()
        spread = math.sqrt(_pairs_apart(self.actual.tolist()) * _pairs_apart(self.predicted.tolist()))
        return _ratio(max(-spread, min(agreement, spread)), spread)  # summed weights may round past 1

    @property
    def kappa(self) -> float:
        """Agreement beyond chance (Cohen 1960): (c s - Σ t p) / (s² - Σ t p); see `mcc`.

        >>> ConfusionMatrix([[30, 20], [10, 40]], classes=["spam", "ham"]).kappa
        0.4
        """
        agreement, most = self._beyond_chance()
        return _ratio(min(agreement, most), most)

    def describe(self, measure: str) -> str:
        """A number of the matrix in words, with the reason when it is undefined.

        >>> lazy = ConfusionMatrix([[95, 0], [5, 0]], classes=["ham", "spam"])
        >>> lazy.describe("macro_precision")
        "macro_precision undefined: with 'spam' as the positive class, nothing is predicted positive"
        >>> lazy.describe("mean_class_accuracy")
        'mean_class_accuracy 0.5'
        """
        name = str(measure)
        how, _, of = ("macro_recall" if name == "mean_class_accuracy" else name).partition("_")
        if name in _SINGLE_NUMBERS:
            value, reason = getattr(self, name), _SINGLE_NUMBERS[name]
        elif how in get_args(Averaging):
            average = cast("Averaging", how), of
            value, reason = self.average(*average), self.why_undefined(*average)
        else:
            fix = 'give overall_accuracy, mean_class_accuracy, mcc, kappa or an average such as "macro_f1"'
            fix += "; for a single class, ask one_vs_rest(c).describe(...)"
            raise MeasureError(f"a confusion matrix has no number called {name!r}", fix)
        return f"{name} undefined: {reason}" if math.isnan(value) else f"{name} {value:.4g}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data: rows of counts and the classes as they are."""
        plain = {"format": FORMAT, "counts": self.counts.tolist(), "classes": list(self.classes)}
        others = {"others": list(self.others)} if self.others else {}
        return plain | others | ({"dropped": self.dropped} if self.dropped else {})

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly.

        >>> matrix = ConfusionMatrix([[2, 1], [0, 3]], classes=["cat", 1])
        >>> ConfusionMatrix.from_json(matrix.to_json()) == matrix
        True
        """
        try:
            return json.dumps(self.to_dict(), allow_nan=False)
        except (TypeError, ValueError):
            what = f"JSON has no way to write the classes {listed(self.classes)}"
            raise LabelError(what, "name the classes by texts, numbers or booleans") from None

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if (self.classes, self.others) != (other.classes, other.others):
            kind, names = ("classes", "classes") if self.classes != other.classes else ("actions", "others")
            what = f"the matrices have different {kind}: {listed(getattr(self, kind))} against"
            fix = f"count both with the same {names}=[...] in the same order"
            raise LabelError(f"{what} {listed(getattr(other, kind))}", fix)
        return ConfusionMatrix(self.counts + other.counts, self.classes, self.dropped + other.dropped, self.others)

    def __radd__(self, other: object) -> ConfusionMatrix:
        # sum(matrices) starts from 0.
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return False
        return self.actions == other.actions and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((len(self.classes), self.total))

    def _brief(self) -> str:
        dropped = f", dropped={self.dropped}" if self.dropped else ""
        if len(self.classes) <= LABELS_SHOWN:
            others = f", others={list(self.others)}" if self.others else ""
            return f"{self.counts.tolist()}, classes={list(self.classes)}{others}{dropped}"
        cases = f"{self.total:,.10g} cases, overall accuracy {self.overall_accuracy:.4g}{dropped}"
        return f"{len(self.classes):,} classes {listed(self.classes)}: {cases}"

    def _columns(self) -> Mapping[str, Any]:
        actual = [label for label in self.classes for _ in self.actions]
        return {"actual": actual, "predicted": [*self.actions] * len(self.classes), "count": self.counts.ravel()}

    def text(self, *, rows: Rows = "actual") -> str:
        """The matrix as text, with the actual or the predicted classes as rows.

        >>> print(ConfusionMatrix([[9, 1], [5, 85]], classes=["ill", "well"]).text(rows="predicted"))
        predicted   actual: ill   well   total   precision
        ill                   9      5      14      0.6429
        well                  1     85      86      0.9884
        total                10     90     100
        recall           0.9000 0.9444
        overall accuracy 0.94, mean class accuracy 0.9222
        """
        require_rows(rows)
        if len(self.classes) > CLASSES_SHOWN:
            return repr(self)
        precision = [*map(_rate, self.precision.tolist()), *([""] * len(self.others))]
        sides = [
            ("actual", self.classes, self.counts, [*map(_rate, self.recall.tolist())], "recall"),
            ("predicted", self.actions, self.counts.T, precision, "precision"),
        ]
        down, across = sides if rows == "actual" else sides[::-1]
        side, names, counts, rates, rate = down
        first, *more = map(str, across[1])
        grid = [
            [side, f"{across[0]}: {first}", *more, "total", rate],
            *(
                [str(name), *map(_count, row), _count(sum(row)), each]
                for name, row, each in zip(names, counts.tolist(), rates, strict=True)
            ),
            ["total", *map(_count, counts.sum(axis=0).tolist()), _count(self.total), ""],
            [across[4], *across[3], "", ""],
        ]
        width = [max(map(len, texts)) for texts in zip(*grid, strict=True)]
        lines = ["   ".join([row[0].ljust(width[0]), *map(str.rjust, row[1:], width[1:])]).rstrip() for row in grid]
        accuracies = (self.describe(name).replace("_", " ") for name in ("overall_accuracy", "mean_class_accuracy"))
        return "\n".join([*lines, ", ".join(accuracies)])

    def __str__(self) -> str:
        return self.text()

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructor makes arrays read-only on the other side too.
        return type(self), (self.counts, self.classes, self.dropped, self.others)

    def _beyond_chance(self) -> tuple[Any, Any]:
        """Agreement beyond chance and the most there can be, times squared cases."""
        # Python integers never overflow; int64 products do near 3e9 cases.
        marginals, total = list(zip(self.actual.tolist(), self.predicted.tolist(), strict=False)), self.total
        by_chance, most = sum(t * p for t, p in marginals), sum(t * (total - p) for t, p in marginals)
        return sum(self.correct.tolist()) * total - by_chance, most


def confusion(
    labels: Any,
    predictions: Any,
    *,
    classes: Sequence[Any] | None = None,
    others: Sequence[Any] = (),
    weights: Any = None,
    missing: Missing = "raise",
) -> ConfusionMatrix:
    """Count actual against predicted classes, any number of them.

    Labels and predictions are compared as they are: the number 1 is not the text "1".

    Parameters
    ----------
    labels, predictions
        The actual and the predicted class of each row: texts, numbers or booleans.
    classes
        The order of the classes, also of some that do not occur; without it, all in either column in rising order.
    others
        Predictions that are no classes, such as "refer".
    weights
        One number of at least 0 per row; a row of weight w counts as w rows.
    missing
        "raise" refuses missing values; "drop" leaves those rows out and counts them in `dropped`.

    Examples
    --------
    >>> confusion(["cat", "dog", "cat", "cow"], ["cat", "dog", "dog", "cow"])
    ConfusionMatrix([[1, 0, 1], [0, 1, 0], [0, 0, 1]], classes=['cat', 'cow', 'dog'])
    """
    columns, weight, dropped = complete_columns(labels, predictions, weights, missing)
    if weight is not None and not weight.all():
        columns, weight = [values[weight > 0] for values in columns], weight[weight > 0]
    if classes is None:  # asked apart, never in one array: NumPy would turn the number 1 into the text "1"
        present = [name for values in columns for name in distinct(values, at_most=1000)]
        known = [name for name in present if not any(same(name, other) for other in others)]
        classes = sorted_labels(np.fromiter(known, dtype=object, count=len(known)))
    names, actual = classes_of(columns[0], classes=classes)
    actions, predicted = classes_of(columns[1], classes=[*names, *others])
    k, a = len(names), len(actions)
    counts = np.bincount(actual * a + predicted, weights=weight, minlength=k * a).reshape(k, a)
    return ConfusionMatrix(counts, names, dropped, actions[k:])


def _check_counts(counts: Any, k: int, a: int) -> Counts:
    """Read-only counts, a row per class and a column per action."""
    try:
        array = np.array(counts)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.shape != (k, a):
        fix = "give one row per actual and one column per predicted class, in the order of classes"
        need = f"{k} rows and columns" if a == k else f"{k} rows and, with {a - k} more actions, {a} columns"
        raise LengthError(f"counts have shape {array.shape}, and {k} classes need {need}", fix)
    if array.dtype.kind == "f" and not isinstance(counts, np.ndarray) and (array >= EXACT_INTEGERS).any():
        pairs = zip(np.array(counts, dtype=object).ravel().tolist(), array.ravel().tolist(), strict=True)
        if lost := [count for count, nearest in pairs if np.isfinite(nearest) and count != nearest]:
            what = f"the count {lost[0]} does not fit a float64 exactly, and other counts are no integers"
            raise WeightError(what, "divide all counts by the same number, or round them yourself")
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            array = array.astype(np.float64)
    if array.dtype.kind not in "biuf" or not (np.isfinite(array) & (array >= 0)).all():
        raise WeightError(
            f"counts must be finite numbers of 0 or more, got {short_repr(array.tolist())}", "give counts of cases"
        )
    require_safe_total(float(array.sum(dtype=np.float64)))
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    array.flags.writeable = False
    return array


def _pairs_apart(totals: list[Any]) -> Any:
    """Ordered pairs of cases in different classes, s² - Σ t²: 0 when all are in one."""
    everything = sum(totals)
    return sum(total * (everything - total) for total in totals)


def _ratio(numerator: Any, denominator: Any) -> float:
    return float(numerator / denominator) if denominator else math.nan


def _count(value: float) -> str:
    return f"{value:,.10g}"


def _rate(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.4f}"
