"""`ConfusionMatrix`: actual against predicted classes for any number of classes. Matrices add."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.errors import LabelError, ThresherError
from thresher.plain_data import FieldError, items, json_value, not_written, number, numbers, read_object
from thresher.ranking import Counts, Floats
from thresher.results import Tabular
from thresher.sources.labels import LABELS_SHOWN, listed
from thresher.tables.averages import ClassAverages, average_named
from thresher.tables.contingency import Contingency
from thresher.tables.matrix_counts import checked_classes, checked_counts
from thresher.tables.matrix_text import table_text

FORMAT = "thresher/confusion/1"
CLASSES_SHOWN = 20


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ConfusionMatrix(ClassAverages, Tabular):
    """Counts of actual (rows) against predicted (columns) classes, in the order of `classes`.

    Rows are the actual classes, as in scikit-learn; other tools print the transpose. Arrays of
    measures are aligned with `classes`. What is 0/0 is NaN, never 0, and an average that needs it
    is NaN too; `describe` says why in words. `dropped` counts rows left out on request.

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

    def __init__(self, counts: npt.ArrayLike, classes: Sequence[Any], dropped: int = 0) -> None:
        names = checked_classes(classes)
        for name, value in {"counts": checked_counts(counts, names), "classes": names, "dropped": dropped}.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        readers = {"counts": items(numbers(0)), "classes": items(_label), "dropped": number(0, whole=True)}
        kind: dict[str, Any] = {"of": "ConfusionMatrix", "kind": "a confusion matrix"}
        found = read_object(value, readers, form=FORMAT, optional=["dropped"], **kind)
        try:
            return cls(**found)
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
    def predicted(self) -> Counts:
        """Cases called each class: the column totals."""
        return self.counts.sum(axis=0)

    @property
    def correct(self) -> Counts:
        """Cases of each class that are called right: the diagonal."""
        return np.diagonal(self.counts)

    @property
    def per_class(self) -> Contingency:
        """Each class against the rest, as one table whose cells are arrays aligned with `classes`.

        Every measure of a contingency table is thereby one of each class.

        >>> ConfusionMatrix([[8, 2], [1, 9]], classes=["cat", "dog"]).per_class.specificity
        array([0.9, 0.8])
        """
        tp = self.correct
        wrong = self.counts.copy()
        np.fill_diagonal(wrong, 0)  # adding up what is wrong never rounds below 0, as subtracting what is right may
        fn, fp = wrong.sum(axis=1), wrong.sum(axis=0)
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
        raise LabelError(
            f"{positive!r} is not among the classes {listed(self.classes)}",
            fix=f"give one of them, e.g. {self.classes[0]!r}",
        )

    def independent(self) -> ConfusionMatrix:
        """The matrix with the same marginals whose predictions ignore the actual class (expected counts).

        >>> ConfusionMatrix([[30, 20], [10, 40]], classes=["spam", "ham"]).independent()
        ConfusionMatrix([[20.0, 30.0], [20.0, 30.0]], classes=['spam', 'ham'])
        """
        if not self.total:
            return self
        return ConfusionMatrix(np.outer(self.actual / self.total, self.predicted), self.classes)

    @property
    def overall_accuracy(self) -> float:
        """Proportion of cases called right; it is also micro precision, micro recall and micro F1."""
        return _ratio(self.correct.sum().item(), self.total)

    @property
    def mean_class_accuracy(self) -> float:
        """Mean over classes of the proportion called right; it is also macro recall."""
        return self.average("macro", "recall")

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
        """Agreement beyond chance (Cohen 1960): (c s - Σ t p) / (s² - Σ t p), as in `mcc`.

        >>> ConfusionMatrix([[30, 20], [10, 40]], classes=["spam", "ham"]).kappa
        0.4
        """
        agreement, most = self._beyond_chance()
        return _ratio(min(agreement, most), most)

    def describe(self, measure: str) -> str:
        """A number of the whole matrix in words, with the reason when it is undefined.

        >>> lazy = ConfusionMatrix([[95, 0], [5, 0]], classes=["ham", "spam"])
        >>> lazy.describe("macro_precision")
        "macro_precision undefined: with 'spam' as the positive class, nothing is predicted positive"
        >>> lazy.describe("mean_class_accuracy")
        'mean_class_accuracy 0.5'
        >>> lazy.one_vs_rest("spam").describe("precision")
        'precision undefined: nothing is predicted positive'
        """
        name = str(measure)
        if name in _WHOLE:
            value, reason = getattr(self, name), _WHOLE[name]
        else:
            how, of = average_named("macro_recall" if name == "mean_class_accuracy" else name)
            value, reason = self.average(how, of), self.why_undefined(how, of)
        return f"{name} undefined: {reason}" if math.isnan(value) else f"{name} {value:.4g}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data: rows of counts and the classes as they are."""
        plain = {"format": FORMAT, "counts": self.counts.tolist(), "classes": list(self.classes)}
        return plain | ({"dropped": self.dropped} if self.dropped else {})

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly.

        >>> matrix = ConfusionMatrix([[2, 1], [0, 3]], classes=["cat", 1])
        >>> ConfusionMatrix.from_json(matrix.to_json()) == matrix
        True
        """
        try:
            return json.dumps(self.to_dict(), allow_nan=False)
        except (TypeError, ValueError):
            raise LabelError(
                f"JSON has no way to write the classes {listed(self.classes)}",
                fix="name the classes by texts, numbers or booleans",
            ) from None

    def __add__(self, other: ConfusionMatrix) -> ConfusionMatrix:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        if self.classes != other.classes:
            raise LabelError(
                f"the matrices have different classes: {listed(self.classes)} against {listed(other.classes)}",
                fix="count both with the same classes=[...] in the same order",
            )
        return ConfusionMatrix(self.counts + other.counts, self.classes, self.dropped + other.dropped)

    def __radd__(self, other: object) -> ConfusionMatrix:
        # sum(matrices) starts from 0.
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConfusionMatrix)
            and self.classes == other.classes
            and np.array_equal(self.counts, other.counts)
        )

    def __hash__(self) -> int:
        return hash((len(self.classes), self.total))

    def _brief(self) -> str:
        dropped = f", dropped={self.dropped}" if self.dropped else ""
        if len(self.classes) <= LABELS_SHOWN:
            return f"{self.counts.tolist()}, classes={list(self.classes)}{dropped}"
        return (
            f"{len(self.classes):,} classes {listed(self.classes)}: {self.total:,.10g} cases, "
            f"overall accuracy {self.overall_accuracy:.4g}{dropped}"
        )

    def _columns(self) -> Mapping[str, Any]:
        classes, k = list(self.classes), len(self.classes)
        actual = [label for label in classes for _ in range(k)]
        return {"actual": actual, "predicted": classes * k, "count": self.counts.ravel()}

    def __str__(self) -> str:
        if len(self.classes) > CLASSES_SHOWN:
            return repr(self)
        table = table_text(self.classes, self.counts, recall=self.recall, precision=self.precision)
        whole = [self.describe("overall_accuracy"), self.describe("mean_class_accuracy")]
        return "\n".join([table, ", ".join(text.replace("_", " ") for text in whole)])

    def __reduce__(self) -> tuple[Any, ...]:
        # Built anew, because arrays forget on the way that they are read-only.
        return type(self), (self.counts, self.classes, self.dropped)

    def _beyond_chance(self) -> tuple[Any, Any]:
        """Agreement beyond chance and the most there can be, times the square of all cases (R_K, kappa)."""
        # Python integers never overflow; int64 products do near 3e9 cases.
        actual, predicted, total = self.actual.tolist(), self.predicted.tolist(), self.total
        by_chance = sum(t * p for t, p in zip(actual, predicted, strict=True))
        apart = sum(t * (total - p) for t, p in zip(actual, predicted, strict=True))
        return sum(self.correct.tolist()) * total - by_chance, apart


_WHOLE = {
    "overall_accuracy": "there are no cases",
    "mcc": "all cases are of one class, or all are predicted as one",
    "kappa": "all cases are of one class and all are predicted as it",
}


def _pairs_apart(totals: list[Any]) -> Any:
    """Ordered pairs of cases in different classes, s² - Σ t²: exactly 0 when all are in one."""
    everything = sum(totals)
    return sum(total * (everything - total) for total in totals)


def _label(value: Any) -> Any:
    if not isinstance(value, str | int | float) or (isinstance(value, float) and not math.isfinite(value)):
        raise FieldError(f"must be a text, a number, true or false, got {value!r}")
    return value


def _ratio(numerator: Any, denominator: Any) -> float:
    return float(numerator / denominator) if denominator else math.nan
