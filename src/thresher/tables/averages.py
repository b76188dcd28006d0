"""Averages over classes: micro, macro and weighted, each under its own name."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from thresher.errors import MeasureError, require_one_of
from thresher.ranking import Flags
from thresher.tables.contingency import Contingency
from thresher.tables.measures import Measure
from thresher.tables.measures import measure as named

Averaging: TypeAlias = Literal["micro", "macro", "weighted"]


class ClassAverages(ABC):
    """The averages of whatever has a table of each class against the rest."""

    __slots__ = ()

    classes: tuple[Any, ...]

    @property
    @abstractmethod
    def per_class(self) -> Contingency:
        """Each class against the rest, as one table whose cells are arrays aligned with `classes`."""

    def average(self, how: Averaging, measure: str | Measure) -> float:
        """One number for all classes, from the tables of each class against the rest.

        "micro" adds the tables up and measures their sum; "macro" is the plain mean over classes;
        "weighted" is the mean weighted by how many cases each class has, so classes without cases
        do not count. Macro F1 is the mean of the F1 values, not the F1 of macro precision and macro
        recall, which others call by the same name (Opitz & Burst 2019). A measure that is undefined
        for a class that counts leaves the average undefined: NaN, where others silently put 0.

        >>> from thresher.tables import ConfusionMatrix
        >>> reviews = ConfusionMatrix([[700, 200, 100], [200, 8300, 100], [0, 100, 300]], classes=[-1, 0, 1])
        >>> [round(reviews.average(how, "precision"), 4) for how in ("micro", "macro", "weighted")]
        [0.93, 0.781, 0.9318]
        """
        _where, fix = "ConfusionMatrix.average(how, measure)", 'say which, e.g. average("macro", "f1")'
        require_one_of(how, get_args(Averaging), name="how", fix=fix)
        known, table = named(measure), self.per_class
        if how == "micro":
            return float(known.of(Contingency(*(cell.sum() for cell in (table.tp, table.fn, table.fp, table.tn)))))
        counts = _counting(table, how)
        if not counts.any():
            return math.nan
        return float(np.average(known.of(table)[counts], weights=table.Pos[counts] if how == "weighted" else None))

    def why_undefined(self, how: Averaging, measure: str | Measure) -> str:
        """In words, which classes leave an average without a value, and why; empty when it has one.

        >>> from thresher.tables import ConfusionMatrix
        >>> ConfusionMatrix([[95, 0], [5, 0]], classes=["ham", "spam"]).why_undefined("macro", "precision")
        "with 'spam' as the positive class, nothing is predicted positive"
        """
        if not math.isnan(self.average(how, measure)):
            return ""
        known, table = named(measure), self.per_class
        if not table.total.any():
            return "there are no cases"
        undefined = np.isnan(known.of(table)) & _counting(table, how)
        names = ", ".join(repr(name) for name, at in zip(self.classes, undefined.tolist(), strict=True) if at)
        return f"with {names} as the positive class, {known.undefined}"

    @property
    def micro_precision(self) -> float:
        """Precision of the added one-vs-rest tables: the overall accuracy."""
        return self.average("micro", "precision")

    @property
    def micro_recall(self) -> float:
        """Recall of the added one-vs-rest tables: the overall accuracy."""
        return self.average("micro", "recall")

    @property
    def micro_f1(self) -> float:
        """F1 of the added one-vs-rest tables: the overall accuracy."""
        return self.average("micro", "f1")

    @property
    def macro_precision(self) -> float:
        """Mean of the classes' precisions."""
        return self.average("macro", "precision")

    @property
    def macro_recall(self) -> float:
        """Mean of the classes' recalls: the mean class accuracy."""
        return self.average("macro", "recall")

    @property
    def macro_f1(self) -> float:
        """Mean of the classes' F1 values."""
        return self.average("macro", "f1")

    @property
    def weighted_precision(self) -> float:
        """Mean of the classes' precisions, weighted by their cases."""
        return self.average("weighted", "precision")

    @property
    def weighted_recall(self) -> float:
        """Mean of the classes' recalls, weighted by their cases: the overall accuracy."""
        return self.average("weighted", "recall")

    @property
    def weighted_f1(self) -> float:
        """Mean of the classes' F1 values, weighted by their cases."""
        return self.average("weighted", "f1")


def average_named(name: str) -> tuple[Averaging, Measure]:
    """Read the name of an average, such as "macro_f1".

    >>> how, measure = average_named("weighted_precision")
    >>> how, measure.name
    ('weighted', 'precision')
    """
    how, _, measure = name.partition("_")
    if how not in get_args(Averaging):
        raise MeasureError(
            f"a confusion matrix has no number called {name!r}",
            fix='give overall_accuracy, mean_class_accuracy, mcc, kappa or an average such as "macro_f1";'
            " for a single class, ask one_vs_rest(c).describe(...)",
        )
    return cast("Averaging", how), named(measure)


def _counting(table: Contingency, how: Averaging) -> Flags:
    """Which classes take part in an average."""
    cases = np.asarray(table.Pos)
    return cases > 0 if how == "weighted" else np.ones(cases.size, dtype=np.bool_)
