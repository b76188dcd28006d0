"""AUC of k classes: one-vs-rest and one-vs-one, macro and weighted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.results import Tabular
from thresher.curves.area import area_of
from thresher.errors import OneClassError
from thresher.inputs.labels import listed
from thresher.ranking import Counts, Floats, Ranking

Matrix: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClassAreas(Tabular):
    """How well each class is ranked above the others, and four averages of that.

    "The" AUC of k classes does not exist: the four averages differ on the same data, so each has its name. One-vs-one
    macro is the M measure of Hand & Till (2001), which does not depend on how common the classes are; both one-vs-rest
    averages do. Averaging one-vs-rest by prevalence goes back to Provost & Domingos (2000).

    Arrays are aligned with `classes`. `pairwise[i, j]` is the AUC of column i over cases of the
    classes i and j only, class i being positive: Hand & Till's A(i|j). It is not symmetric, because
    row i reads column i and row j reads column j; its diagonal is NaN.

    >>> from thresher import segment
    >>> areas = segment(
    ...     ["cat", "cat", "cat", "cow", "cow", "dog"],
    ...     [[0.7, 0.2, 0.1], [0.4, 0.1, 0.5], [0.6, 0.3, 0.1], [0.3, 0.6, 0.1], [0.5, 0.3, 0.2], [0.2, 0.5, 0.3]],
    ... ).areas
    >>> print(areas)
    class   prevalence   one-vs-rest
    cat         0.5000        0.8889
    cow         0.3333        0.8125
    dog         0.1667        0.8000
    one-vs-rest: macro 0.8338, weighted 0.8486
    one-vs-one:  macro 0.8194, weighted 0.8299
    >>> areas.pairwise.round(4)
    array([[   nan, 0.8333, 1.    ],
           [0.9167,    nan, 0.5   ],
           [0.6667, 1.    ,    nan]])
    """

    classes: tuple[Any, ...]
    prevalence: Floats
    one_vs_rest: Floats
    pairwise: Matrix
    dropped: int = 0

    @property
    def one_vs_rest_macro(self) -> float:
        """Plain mean over classes of the AUC of each against the rest."""
        return float(self.one_vs_rest.mean())

    @property
    def one_vs_rest_weighted(self) -> float:
        """Mean over classes of the AUC of each against the rest, weighted by prevalence."""
        return float(np.average(self.one_vs_rest, weights=self.prevalence))

    @property
    def one_vs_one_macro(self) -> float:
        """Mean over pairs of classes of (A(i|j) + A(j|i)) / 2: Hand & Till's M (2001)."""
        return float(self.pairwise[~np.eye(len(self.classes), dtype=np.bool_)].mean())

    @property
    def one_vs_one_weighted(self) -> float:
        """The same mean, a pair of classes weighing what both weigh together."""
        off_diagonal = ~np.eye(len(self.classes), dtype=np.bool_)
        together = np.add.outer(self.prevalence, self.prevalence)
        return float(np.average(self.pairwise[off_diagonal], weights=together[off_diagonal]))

    def __str__(self) -> str:
        width = max(len("class"), *(len(str(name)) for name in self.classes))
        lines = [f"{'class':<{width}}   prevalence   one-vs-rest"]
        for name, share, area in zip(self.classes, self.prevalence, self.one_vs_rest, strict=True):
            lines.append(f"{name!s:<{width}}   {share:10.4f}   {area:11.4f}")
        lines.append(f"one-vs-rest: macro {self.one_vs_rest_macro:.4f}, weighted {self.one_vs_rest_weighted:.4f}")
        lines.append(f"one-vs-one:  macro {self.one_vs_one_macro:.4f}, weighted {self.one_vs_one_weighted:.4f}")
        return "\n".join(lines)

    def _brief(self) -> str:
        macro = f"one-vs-rest {self.one_vs_rest_macro:.4g}, one-vs-one {self.one_vs_one_macro:.4g}"
        return f"{len(self.classes):,} classes, macro {macro}"

    def _columns(self) -> Mapping[str, Any]:
        return {"class": self.classes, "prevalence": self.prevalence, "one_vs_rest": self.one_vs_rest}


def class_areas(
    classes: Sequence[Any], cases: Counts, ranking: Callable[[int, int | None], Ranking], *, dropped: int = 0
) -> ClassAreas:
    """The areas of rankings of class i against class j, or against the rest (None)."""
    absent = [name for name, number in zip(classes, cases.tolist(), strict=True) if not number]
    if absent:
        what = f"no case is of class {listed(absent)} among {cases.sum():,.10g}, and an AUC needs cases of both sides"
        raise OneClassError(what, "give data with every class, or leave the class and its column out")
    each = range(len(classes))
    pairwise = [[np.nan if i == j else area_of(ranking(i, j)) for j in each] for i in each]
    areas = ClassAreas(
        classes=tuple(classes),
        prevalence=cases / cases.sum(),
        one_vs_rest=np.array([area_of(ranking(i, None)) for i in each]),
        pairwise=np.array(pairwise),
        dropped=dropped,
    )
    for array in (areas.prevalence, areas.one_vs_rest, areas.pairwise):
        array.flags.writeable = False
    return areas
