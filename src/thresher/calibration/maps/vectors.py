"""Curves of calibration maps of k classes, from vectors to vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher._internal.json import FieldError, fields, items, number, numbers, or_none
from thresher.calibration.maps.steps import Steps
from thresher.calibration.scores import probabilities_in
from thresher.errors import LengthError
from thresher.ranking import Floats
from thresher.ranking.segments import Matrix, require_sums


@dataclass(frozen=True, slots=True, eq=False)
class LogLinear:
    """q = softmax(W ln p + b): temperature, vector scaling and Dirichlet calibration.

    Entries below `floor` are raised to it before the logarithm is taken; without one zeros stay zeros. `raised` counts
    the entries of training cases for which that was so, and `penalty` is that of the fit, if it had one.

    >>> import numpy as np
    >>> halved = LogLinear(np.eye(3) / 2, np.zeros(3))  # temperature 2
    >>> halved(np.array([[0.64, 0.36, 0.0]])).round(4)
    array([[0.5714, 0.4286, 0.    ]])
    """

    weights: Matrix
    intercept: Floats
    floor: float = 0.0
    raised: float = 0
    penalty: float | None = None

    def __post_init__(self) -> None:
        for array in (self.weights, self.intercept):
            array.flags.writeable = False

    def __call__(self, probability: Matrix) -> Matrix:
        """The vectors that these are mapped to."""
        diagonal = self.weights.diagonal()
        with np.errstate(divide="ignore"):
            x = np.log(np.maximum(probability, self.floor))
        if np.array_equal(self.weights, np.diag(diagonal)):
            zero = np.isneginf(x)
            x[zero] = 0.0
            z = x * diagonal + self.intercept
            z[zero] = -np.inf
        else:
            z = x @ self.weights.T + self.intercept
        return softmax(z)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LogLinear) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.intercept.size, self.floor, self.penalty))

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        arrays = {"weights": self.weights.tolist(), "intercept": self.intercept.tolist()}
        return arrays | {"floor": self.floor, "raised": self.raised, "penalty": self.penalty}

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote; a field that is not so raises `FieldError`."""
        readers = {
            "weights": items(numbers()),
            "intercept": numbers(),
            "floor": number(0, 1),
            "raised": number(0),
            "penalty": or_none(number(0)),
        }
        parts = fields(value, readers)
        k = len(parts["intercept"])
        if [len(row) for row in parts["weights"]] != [k] * k:
            raise FieldError(f"must have {k:,} rows of {k:,} numbers", "weights")
        arrays = {name: np.array(parts[name], dtype=np.float64) for name in ("weights", "intercept")}
        return cls(**parts | arrays)

    @property
    def size(self) -> int:
        """The number of classes."""
        return self.intercept.size


@dataclass(frozen=True, slots=True)
class OneVsRest:
    """A map of each class against the rest, then each row divided by its sum.

    A row for which every map says 0 gets the class `shares` of the training cases; `impossible` counts such rows among
    cases held out of the fit.
    """

    curves: tuple[Steps, ...]
    shares: tuple[float, ...]
    impossible: float = 0

    def __call__(self, probability: Matrix) -> Matrix:
        """The vectors that these are mapped to."""
        one_by_one = self.by_class(probability)
        total = one_by_one.sum(axis=1, keepdims=True)
        mapped: Matrix = np.where(total > 0, one_by_one / np.where(total > 0, total, 1.0), np.array(self.shares))
        return mapped

    def by_class(self, probability: Matrix) -> Matrix:
        """What the map of each class says, before rows are divided by their sums."""
        return np.stack([curve(probability[:, i]) for i, curve in enumerate(self.curves)], axis=1)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        curves = [curve.to_dict() for curve in self.curves]
        return {"curves": curves, "shares": list(self.shares), "impossible": self.impossible}

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote; a field that is not so raises `FieldError`."""
        readers = {"curves": items(Steps.from_dict), "shares": numbers(0, 1), "impossible": number(0)}
        parts = fields(value, readers)
        if len(parts["curves"]) != len(parts["shares"]):
            raise FieldError(f'has {len(parts["shares"]):,} entries, and "curves" {len(parts["curves"]):,}', "shares")
        return cls(tuple(parts["curves"]), tuple(parts["shares"]), parts["impossible"])

    @property
    def size(self) -> int:
        """The number of classes."""
        return len(self.curves)


def softmax(z: Matrix) -> Matrix:
    """exp(z) in each row, divided by its sum.

    >>> softmax(np.log([[2.0, 1.0, 1.0]]))
    array([[0.5 , 0.25, 0.25]])
    """
    shares = np.exp(z - z.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    return shares


def vectors_in(values: npt.ArrayLike, classes: tuple[Any, ...]) -> Matrix:
    """Rows of probabilities of the classes, each summing to 1."""
    matrix = probabilities_in(values)
    if matrix.ndim != 2 or matrix.shape[1] != len(classes):
        what = f"probabilities have shape {matrix.shape}, and the map is of {len(classes)} classes"
        raise LengthError(what, f"give a row per case and a column for each of {', '.join(map(repr, classes))}")
    require_sums(matrix)
    return matrix
