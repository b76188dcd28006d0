"""Constraints on a choice: `recall >= 0.9`, `fpr <= 0.01`, read once and checked at every split."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import MeasureError
from thresher.ranking import Flags
from thresher.tables import Contingency, Measure, measure

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_FORM = re.compile(r"\s*([A-Za-z][\w .-]*?)\s*(>=|<=|>|<)\s*([-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True, slots=True)
class Constraint:
    """One bound on one measure.

    >>> (constraint,) = constraints("recall >= 0.9")
    >>> str(constraint), constraint.holds(Contingency(tp=[9, 8], fn=[1, 2], fp=[0, 0], tn=[5, 5]))
    ('tpr >= 0.9', array([ True, False]))
    """

    measure: Measure
    relation: str
    bound: float

    def holds(self, table: Contingency) -> Flags:
        """Where it holds; an undefined measure meets no bound."""
        return np.asarray(_COMPARE[self.relation](self.measure.of(table), self.bound), dtype=np.bool_)

    def nearest(self, table: Contingency) -> float:
        """The value that comes closest to the bound; NaN when undefined everywhere."""
        values = np.atleast_1d(self.measure.of(table))
        defined = values[~np.isnan(values)]
        if not defined.size:
            return float("nan")
        return float(defined.max() if ">" in self.relation else defined.min())

    def __str__(self) -> str:
        return f"{self.measure.name} {self.relation} {self.bound:g}"


def constraints(given: str | Sequence[str] | None) -> tuple[Constraint, ...]:
    """Read constraints from a text or several; `and` or a comma joins them within a text.

    >>> [str(constraint) for constraint in constraints("recall >= 0.9 and fpr <= 0.01")]
    ['tpr >= 0.9', 'fpr <= 0.01']
    """
    if given is not None and not isinstance(given, str | Sequence):
        raise MeasureError(f"a constraint is text, got {given!r}", "choose(subject_to=...)", 'e.g. "recall >= 0.9"')
    texts = [] if given is None else [given] if isinstance(given, str) else list(given)
    return tuple(_read(part) for text in texts for part in re.split(r"\s+and\s+|,", str(text)))


def _read(text: str) -> Constraint:
    form = _FORM.fullmatch(text)
    if form is None:
        raise MeasureError(
            f"cannot read the constraint {text!r}",
            where="choose(subject_to=...)",
            fix='write a measure, one of >= <= > < and a number, e.g. "recall >= 0.9"',
        )
    return Constraint(measure(form[1]), form[2], float(form[3]))
