"""The target: what a model is to learn, read from its column and checked before anything is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import LabelError, MissingValueError, OneClassError, require_whole
from thresher.learning.frames import column_of, frame
from thresher.ranking import Counts, Indices
from thresher.results import Tabular
from thresher.sources import classes_of
from thresher.sources.columns import Column, column

MOST_CLASSES = 100


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Target(Tabular):
    """A column of labels, its classes in order, and the class of each row by number (label encoding)."""

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
        told = ", ".join(f"{name!r}: {count:,}" for name, count in zip(self.classes, self.counts, strict=True))
        return f"{self.name!r}, {{{told}}}"

    def _columns(self) -> Mapping[str, Any]:
        return {"class": self.classes, "rows": self.counts}


def target_column(data: Any, name: str, *, fewest: int = 2) -> Target:
    """The target of a table, refused when it is missing anywhere, constant, a measurement, or has a class too rare.

    `fewest` is how many rows the rarest class must have: as many as there are folds to spread it over.

    >>> target_column({"spam": ["no", "yes", "no", "yes"]}, "spam")
    Target('spam', {'no': 2, 'yes': 2})
    """
    require_whole(fewest, name="fewest", least=1, fix="give the number of folds")
    values = column_of(frame(data), name)
    rows = len(values)
    if absent := int(values.isna().sum()):
        first = ", ".join(str(row) for row in np.flatnonzero(values.isna())[:5])
        raise MissingValueError(
            f"{absent:,} of {rows:,} rows of the target {name!r} are missing (first at rows {first}), and a model "
            "cannot learn from them",
            "leave out those rows; do not fill a target",
        )
    distinct = values.nunique()
    if distinct > MOST_CLASSES:
        raise LabelError(
            f"the target {name!r} has {distinct:,} distinct values in {rows:,} rows, so it is no class",
            "turn a measurement into classes first, e.g. whether it reaches a limit",
        )
    classes, codes = classes_of(column(_plain(values), name=name), classes=None)
    found = Target(name, tuple(classes), codes)
    if len(classes) == 1:
        raise OneClassError(
            f"the target {name!r} is {classes[0]!r} in {f'all {rows:,} rows' if rows > 1 else 'the only row'}, "
            "so there is nothing to learn",
            "give rows of at least two classes, or check the filter before",
        )
    require_frequent(found, fewest=fewest)
    return found


def require_frequent(target: Target, *, fewest: int) -> None:
    """Refuse a target whose rarest class has fewer rows than this.

    >>> require_frequent(Target("spam", ("no", "yes"), np.array([0, 0, 1])), fewest=2)
    Traceback (most recent call last):
    thresher.errors.LabelError: class 'yes' of the target 'spam' has 1 of 3 rows, and at least 2 are needed to have it
    in every part of the data
      where: target_column(data, 'spam')
      fix:   collect more of it, use fewer folds, or leave the class out or join it with another
    """
    rarest = int(np.argmin(target.counts))
    if target.counts[rarest] < fewest:
        raise LabelError(
            f"class {target.classes[rarest]!r} of the target {target.name!r} has {target.counts[rarest]:,} of "
            f"{target.codes.size:,} rows, and at least {fewest:,} are needed to have it in every part of the data",
            "collect more of it, use fewer folds, or leave the class out or join it with another",
            where=f"target_column(data, {target.name!r})",
        )


def _plain(values: Any) -> Any:
    """Categories, nullable and text types as the objects they hold; plain NumPy types as they are."""
    return values.to_numpy() if isinstance(values.dtype, np.dtype) else np.array(values.tolist(), dtype=object)
