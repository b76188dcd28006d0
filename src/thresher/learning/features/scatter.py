"""Scatter within and between classes, from one pass over the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_instance
from thresher._internal.results import Result
from thresher.errors import ArgumentError, EmptyError, LabelError, LengthError, MissingValueError
from thresher.inputs.columns import column, is_missing
from thresher.inputs.labels import classes_of
from thresher.ranking import Counts, Floats, Indices

Matrix = npt.NDArray[np.float64]

# Entries of a block of rows: few enough to stay in the processor's cache while they are read three times.
_BLOCK = 2**18
_MATRIX_BLOCK = 2**21


def moments(
    X: npt.NDArray[np.generic], codes: Indices, *, classes: int, matrix: bool, block: int | None = None
) -> tuple[Counts, Matrix, Matrix]:
    """Counts and means per class, and squared deviations summed over classes.

    Rows are read once, `block` entries at a time, in float64; `codes` are their classes, 0 to classes - 1. A block's
    deviations D are taken from the means so far, so that with n rows of a class before and m in the block the squares
    grow by ΣD² - m²/(n + m) δ², where δ is the mean of D. The subtraction loses no more than a factor m/n, and a
    feature that is constant within its classes has squares of exactly 0.
    """
    rows, features = X.shape
    counts = np.zeros(classes, dtype=np.int64)
    means = np.zeros((classes, features))
    squares = np.zeros((features, features) if matrix else features)
    step = max(16, (block or (_MATRIX_BLOCK if matrix else _BLOCK)) // max(features, 1))
    buffer = np.empty((min(step, rows), features))
    for start in range(0, rows, step):
        part, code = X[start : start + step], codes[start : start + step]
        seen = np.bincount(code, minlength=classes)
        for new in np.flatnonzero((seen > 0) & (counts == 0)):
            means[new] = part[np.argmax(code == new)]
        present = np.flatnonzero(seen)
        place = np.empty(classes, dtype=np.int64)
        place[present] = np.arange(present.size)
        deviation = buffer[: len(part)]
        np.take(means, code, axis=0, out=deviation, mode="clip")
        np.subtract(part, deviation, out=deviation)
        member = (place[code] == np.arange(present.size)[:, None]).astype(np.float64)
        more = seen[present].astype(np.float64)
        shift = member @ deviation / more[:, None]
        total = counts[present] + more
        squares += deviation.T @ deviation if matrix else np.einsum("ij,ij->j", deviation, deviation)
        squares -= _outer_sums(shift, more * (more / total), matrix=matrix)
        means[present] += (more / total)[:, None] * shift
        counts[present] += seen[present]
    # Rounding must not leave a sum of squares below 0.
    diagonal = np.einsum("ii->i", squares) if matrix else squares
    np.maximum(diagonal, 0.0, out=diagonal)
    return counts, means, squares


def _outer_sums(vectors: Matrix, weights: Floats, *, matrix: bool) -> Matrix:
    """Σ w v vᵀ over the rows v, or only its diagonal."""
    if matrix:
        return (vectors * weights[:, None]).T @ vectors
    return np.einsum("k,kj,kj->j", weights, vectors, vectors)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scatter(Result):
    """Count and mean of each class, and squared deviations from the class means.

    Two of them add, as rankings do. All matrices have divisor N, so that within + between = total. `squares` holds p
    numbers, or p x p of them when matrices were asked for.
    """

    classes: tuple[Any, ...]
    counts: Counts
    means: Matrix
    squares: Matrix
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (self.counts, self.means, self.squares):
            array.setflags(write=False)

    @property
    def N(self) -> int:
        """How many rows were seen."""
        return int(self.counts.sum())

    @property
    def mean(self) -> Floats:
        """The mean of each feature over all rows."""
        return self._shares @ self.means

    @property
    def within(self) -> Floats:
        """Of each feature, its variance within the classes: the diagonal of S_W."""
        return (self.squares if self.squares.ndim == 1 else np.diagonal(self.squares)) / self.N

    @property
    def between(self) -> Floats:
        """Of each feature, the variance of its class means: the diagonal of S_B."""
        apart = self.means - self.mean
        return np.einsum("k,kj,kj->j", self._shares, apart, apart)

    @property
    def spread(self) -> Matrix:
        """The rows √(N_k/N) (μ_k - μ), one per class: S_B is their sum of squares."""
        return np.sqrt(self._shares)[:, None] * (self.means - self.mean)

    @property
    def within_matrix(self) -> Matrix:
        """S_W = Σ_k (N_k/N) Σ_k, Σ_k being the covariance of class k with divisor N_k."""
        if self.squares.ndim == 1:
            what = "only the variance of each feature was computed, not the matrix of their covariances"
            raise ArgumentError(what, "pass matrix=True to scatter(X, y)")
        return self.squares / self.N

    @property
    def between_matrix(self) -> Matrix:
        """S_B = Σ_k (N_k/N) (μ_k - μ)(μ_k - μ)ᵀ."""
        return self.spread.T @ self.spread

    @property
    def total_matrix(self) -> Matrix:
        """S_W + S_B: the covariance matrix of all rows, with divisor N."""
        return self.within_matrix + self.between_matrix

    @property
    def scores(self) -> Floats:
        """J of each feature; infinite without scatter within classes, NaN for a constant."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.between / self.within

    @property
    def J(self) -> float:
        """J = trace(S_B) / trace(S_W) of all features; NaN when all are constant."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return float(np.divide(self.between.sum(), self.within.sum()))

    def of(self, features: Sequence[int] | npt.NDArray[np.int64]) -> Scatter:
        """The scatter of some features, by their positions.

        >>> scatter([[1, 0], [3, 0], [8, 0], [8, 1]], [0, 0, 1, 1]).of([0]).J
        18.0
        """
        chosen = np.asarray(features, dtype=np.int64)
        squares = self.squares[chosen] if self.squares.ndim == 1 else self.squares[np.ix_(chosen, chosen)]
        names = tuple(self.names[i] for i in chosen)
        return Scatter(self.classes, self.counts, self.means[:, chosen], squares, names)

    def __add__(self, other: object) -> Scatter:
        if not isinstance(other, Scatter):
            return NotImplemented
        if self.names != other.names or self.squares.ndim != other.squares.ndim:
            what = "one of these scatters has matrices and the other has not"
            if self.names != other.names:
                what = f"these are scatters of different features ({len(self.names):,} and {len(other.names):,})"
            raise ArgumentError(what, "add scatters of the same columns, computed with the same matrix=")
        classes, _ = _classes(np.array([*self.classes, *other.classes], dtype=object))
        (n, means), (m, other_means) = self._aligned(classes), other._aligned(classes)
        # Chan, Golub & LeVeque (1983), per class.
        share, apart = m / np.maximum(n + m, 1), other_means - means
        squares = self.squares + other.squares
        squares += _outer_sums(apart, n * share, matrix=squares.ndim == 2)
        # A class that one side has not seen has the other's mean to the last bit.
        means = np.where((n == 0)[:, None], other_means, means + share[:, None] * apart)
        return Scatter(tuple(classes), n + m, means, squares, self.names)

    def _brief(self) -> str:
        counts = ", ".join(f"{name!r}: {count:,}" for name, count in zip(self.classes, self.counts, strict=True))
        return f"{self.N:,} rows of {len(self.names):,} features, {{{counts}}}, J={self.J:.4g}"

    @property
    def _shares(self) -> Floats:
        return self.counts / self.N

    def _aligned(self, classes: Sequence[Any]) -> tuple[Counts, Matrix]:
        """Counts and means, with zeros for classes that were not seen here."""
        place = [classes.index(name) for name in self.classes]
        counts = np.zeros(len(classes), dtype=np.int64)
        means = np.zeros((len(classes), self.means.shape[1]))
        counts[place], means[place] = self.counts, self.means
        return counts, means


def scatter(X: Any, y: Any, *, matrix: bool = False) -> Scatter:
    """Scatter within and between the classes of `y`, from one pass over the rows.

    With `matrix=True` the p x p covariances within classes are computed too, which trace(S_W⁻¹ S_B) needs; without, a
    feature costs one number, so ten thousand of them are no burden. Rows with NaN or infinity are refused.

    >>> scatter([[1, 0], [3, 0], [8, 0], [8, 1]], [0, 0, 1, 1])
    Scatter(4 rows of 2 features, {0: 2, 1: 2}, J=14.5)
    """
    rows = number_table(X, least=1)
    names, labels = feature_names(X, rows.shape[1]), column(y, name="y")
    if labels.size != len(rows):
        raise LengthError(f"X has {len(rows):,} rows and y {labels.size:,}", "give one label per row")
    if (absent := is_missing(labels)) is not None:
        raise MissingValueError(f"{int(absent.sum()):,} of {labels.size:,} labels are missing", "leave out those rows")
    classes, codes = _classes(labels)
    counts, means, squares = moments(rows, codes, classes=len(classes), matrix=matrix)
    if not (np.isfinite(means).all() and np.isfinite(squares).all()):
        place = np.argwhere(~np.isfinite(rows).T)  # by column, then by row
        if not len(place):
            raise MissingValueError("sums of squares overflow", "scale the features first")
        first = f"first in column {names[place[0, 0]]!r}, row {place[0, 1]}"
        what = f"{len(place):,} of {rows.size:,} entries are NaN or infinite ({first}), and they are never guessed"
        raise MissingValueError(
            what, "fill them on the training rows, e.g. with preparation(columns), or drop those rows"
        )
    return Scatter(tuple(classes), counts, means, squares, names)


def scatter_of_chunks(chunks: Iterable[tuple[Any, Any]], *, matrix: bool = False) -> Scatter:
    """Scatter of rows that come in pieces (X, y); a piece may lack classes.

    >>> scatter_of_chunks([([[1.0], [3.0]], [0, 0]), ([[8.0], [8.0]], [1, 1])])
    Scatter(4 rows of 1 features, {0: 2, 1: 2}, J=18)
    """
    total: Scatter | None = None
    fix = "give e.g. [(X1, y1), (X2, y2)]"
    require_instance(chunks, Iterable, name="chunks", fix=fix)
    for number, chunk in enumerate(chunks):
        require_instance(chunk, (tuple, list), name=f"piece {number}", fix=fix)
        if len(chunk) != 2:
            raise ArgumentError(f"piece {number} is no pair of rows and labels", fix)
        X, y = chunk
        if len(X):
            piece = scatter(X, y, matrix=matrix)
            total = piece if total is None else total + piece
    if total is None:
        raise EmptyError("there are no rows", "give at least one")
    return total


def feature_names(X: Any, features: int) -> tuple[str, ...]:
    """Names of a table's columns; x0, x1, ... where it has none."""
    named = getattr(X, "columns", None)
    return tuple(f"x{i}" for i in range(features)) if named is None else tuple(str(name) for name in named)


def number_table(X: Any, *, least: int) -> npt.NDArray[Any]:
    """Rows and columns of numbers, at least so many rows."""
    try:
        rows = np.asarray(X)
    except ValueError:
        raise LengthError("rows of X differ in length", "give rows and columns of numbers") from None
    if rows.ndim != 2 or rows.dtype.kind not in "biuf":
        what = f"X has shape {rows.shape} and type {rows.dtype}, and a table of numbers is needed"
        raise LengthError(what, "give rows and columns of numbers; preparation(columns) makes them of other columns")
    if len(rows) < least:
        raise EmptyError("one row does not vary" if len(rows) else "there are no rows", f"give at least {least}")
    return rows


def _classes(labels: npt.NDArray[Any]) -> tuple[list[Any], npt.NDArray[np.int64]]:
    try:
        return classes_of(labels, classes=None)
    except LabelError:
        distinct = list(dict.fromkeys(labels.tolist()))
        # Numbers and texts have no common order; their spelling has one, and adding scatters needs the same every time.
        if len({type(name) for name in distinct}) < 2:
            raise
        return classes_of(labels, classes=sorted(distinct, key=repr))
