"""Constraints on a choice: `recall >= 0.9`, `fpr <= 0.01`, read once and checked at every split."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import MeasureError
from thresher.ranking import Flags
from thresher.tables import Contingency, Limit, limits_of

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True, slots=True)
class Constraint(Limit):
    """One bound on one measure.

    >>> (constraint,) = constraints("recall >= 0.9")
    >>> str(constraint), constraint.holds(Contingency(tp=[9, 8], fn=[1, 2], fp=[0, 0], tn=[5, 5]))
    ('tpr >= 0.9', array([ True, False]))
    """

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


def constraints(wanted: str | Limit | Sequence[str | Limit] | None) -> tuple[Constraint, ...]:
    """Read constraints from a text or several; `and` or a comma joins them within a text.

    >>> [str(constraint) for constraint in constraints("recall >= 0.9 and fpr <= 0.01")]
    ['tpr >= 0.9', 'fpr <= 0.01']
    """
    if wanted is not None and not isinstance(wanted, str | Limit | Sequence):
        raise MeasureError(f"a constraint is text, got {wanted!r}", 'e.g. "recall >= 0.9"')
    each = [] if wanted is None else [wanted] if isinstance(wanted, str | Limit) else list(wanted)
    return tuple(
        Constraint(limit.measure, limit.relation, limit.bound)
        for one in each
        for limit in ([one] if isinstance(one, Limit) else limits_of(str(one)))
    )
