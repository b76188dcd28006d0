"""Brier score and log loss of probabilities, for two classes and for k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import as_number
from thresher._internal.parallel import map_chunks
from thresher.cautions import Caution
from thresher.errors import ArgumentError, LengthError, MissingValueError, ProbabilityError
from thresher.inputs.matrix import class_rows
from thresher.ranking import Flags, Floats, Indices, Ranking, Segments, rankable, require_ranking, widen
from thresher.ranking.segments import require_sums

VALUES_SHOWN = 5

_FIX = "give probabilities, or map the scores to probabilities first with calibration_map(ranking)"


def numbers(values: npt.ArrayLike, *, name: str) -> Floats:
    """Numbers of any shape as float64, none of them NaN."""
    array: Floats = rankable(plain_array(values, name=name)).astype(np.float64)
    missing = np.isnan(array)
    if missing.any():
        what = f"{int(missing.sum()):,} of {array.size:,} {name} are NaN (first at rows {_rows(missing)})"
        raise MissingValueError(what, "fill them or leave those rows out")
    return array


def plain_array(values: Any, *, name: str) -> npt.NDArray[Any]:
    """An array of any shape; masked entries become NaN, so that they count as missing."""
    try:
        return np.asarray(values.astype(np.float64).filled(np.nan) if np.ma.is_masked(values) else values)
    except ValueError:  # NumPy will not make an array of lists of different lengths
        raise LengthError(f"{name} hold rows of different lengths", "give an array or equal rows") from None


def probabilities_in(values: npt.ArrayLike) -> Floats:
    """Probabilities of any shape as float64."""
    array = numbers(values, name="probabilities")
    outside = (array < 0) | (array > 1)
    if outside.any():
        what = f"{int(outside.sum()):,} of {array.size:,} numbers are no probabilities, they lie outside [0, 1]"
        raise ProbabilityError(f"{what} (first {_first_values(array[outside])} at rows {_rows(outside)})", _FIX)
    return array


def brier(ranking: Ranking | Segments) -> float:
    """The mean squared error ½ Σᵢ (pᵢ - [class i])², of two classes or k.

    With the factor ½ it lies in [0, 1], and of a ranking it is the mean of (p - y)²; some libraries leave the factor
    out for k classes. For certain predictions (0 or 1) it equals the error rate. Scores outside [0, 1] are refused.
    (Brier 1950.)

    >>> brier(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3]))
    0.2066...
    >>> leaves = [[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]]
    >>> brier(Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=leaves, classes="abc"))
    0.2066...
    """
    if isinstance(ranking, Segments):
        return float((ranking.counts * class_squared_errors(ranking.probability)).sum() / ranking.total)
    require_ranking(ranking, probabilities=True)

    def squared(piece: slice) -> float:
        # Two sums of squares keep the digits that n·p² - 2·pos·p + pos would cancel.
        of_pos, of_neg = squared_losses(ranking.score[piece], ranking.score[piece])
        pos, neg = (counts[piece] for counts in ranking.narrow)
        return float((of_pos * pos + of_neg * neg).sum())

    return ranking.remember("brier", lambda: math.fsum(map_chunks(squared, len(ranking))) / ranking.total)


def squared_losses(of_pos: Floats, of_neg: Floats) -> tuple[Floats, Floats]:
    """Squared errors of positives and of negatives, by their probabilities."""
    return (1 - of_pos) ** 2, of_neg**2


def squared_error(labels: Any, probabilities: Any, *, classes: Sequence[Any] | None = None) -> Floats:
    """The squared error of each case, k classes: ½ Σᵢ (p̂ᵢ - I[class i])².

    Columns of `probabilities` belong to `classes` in that order; without `classes`, to the
    distinct labels in rising order, and there must be as many of them as columns.

    >>> squared_error([1, 3], [[0.70, 0.10, 0.20], [0.70, 0.10, 0.20]], classes=[1, 2, 3]).round(4)
    array([0.07, 0.57])
    """
    rows = class_rows(labels, probabilities, classes=classes, weights=None)
    matrix = np.stack(rows.scores, axis=1).astype(np.float64)
    require_sums(matrix)
    return row_squared_errors(matrix, rows.index)


def class_squared_errors(matrix: Floats) -> Floats:
    """The squared error of each row of probabilities for cases of each class."""
    squares = matrix * matrix
    others = np.stack([np.delete(squares, i, axis=1).sum(axis=1) for i in range(matrix.shape[1])], axis=1)
    error: Floats = ((1 - matrix) ** 2 + others) / 2
    return error


def row_squared_errors(matrix: Floats, index: Indices) -> Floats:
    """Half the sum of squared errors of each row, whose true column is `index`."""
    difference = matrix.copy()
    difference[np.arange(index.size), index] -= 1
    error: Floats = np.einsum("ij,ij->i", difference, difference) / 2
    return error


class LogLoss(float):
    """A log loss: a float that knows why it is infinite, or how it was clipped.

    `certain_and_wrong` counts the cases (or their weight) whose class was given probability 0; `clip` is the ε that was
    asked for, or None. It is a float and not a record, so that it adds, compares and formats like any other score.

    >>> LogLoss(float("inf"), certain_and_wrong=2, cases=10)
    inf (certain-and-wrong: 2 of 10 cases were given probability 0 for what they are)
    """

    __slots__ = ("cases", "certain_and_wrong", "clip")

    cases: Any
    certain_and_wrong: Any
    clip: float | None

    def __new__(cls, value: float, *, certain_and_wrong: Any = 0, cases: Any = 0, clip: float | None = None) -> Self:
        """Attach the counts to the number."""
        loss = super().__new__(cls, value)
        loss.cases, loss.certain_and_wrong, loss.clip = cases, certain_and_wrong, clip
        return loss

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to know about the number; empty when it speaks for itself."""
        wrong = f"{self.certain_and_wrong:,} of {self.cases:,} cases were given probability 0 for what they are"
        if self.clip is not None:
            text = f"probabilities were moved into [{self.clip:g}, 1 - {self.clip:g}]"
            return (Caution("clipped", f"{text}; {wrong}" if self.certain_and_wrong else text),)
        return (Caution("certain-and-wrong", wrong),) if self.certain_and_wrong else ()

    def __repr__(self) -> str:
        remarks = "; ".join(map(str, self.cautions))
        return f"{float(self)!r} ({remarks})" if remarks else repr(float(self))


def log_loss(ranking: Ranking | Segments, *, clip: float | None = None) -> LogLoss:
    """The mean of -ln(probability given to the true class), two classes or k.

    In nats. It is infinite when a case was certain and wrong, and then says how many were; no
    hidden ε makes it look finite. `clip=ε` moves probabilities into [ε, 1 - ε] on request.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3])
    >>> log_loss(spam_tree)
    0.6024...
    >>> log_loss(Ranking([1, 0.5], pos=[3, 1], neg=[1, 1]))
    inf (certain-and-wrong: 1 of 6 cases were given probability 0 for what they are)
    >>> log_loss(Ranking([1, 0.5], pos=[3, 1], neg=[1, 1]), clip=1e-3)
    1.382... (clipped: probabilities were moved into [0.001, 1 - 0.001]; 1 of 6 cases were given ...)
    """
    if isinstance(ranking, Segments):
        return _class_log_loss(ranking, clip)
    require_ranking(ranking, probabilities=True)

    def lost(piece: slice) -> tuple[float, Any]:
        score = ranking.score[piece]
        pos, neg = (widen(counts[piece]) for counts in ranking.narrow)
        wrong = neg[score == 1].sum() + pos[score == 0].sum()
        p = score if clip is None else _clip(score, clip)
        # Only where there are cases, so that certain and right costs 0 and not 0 · inf.
        has_pos, has_neg = np.flatnonzero(pos != 0), np.flatnonzero(neg != 0)
        of_pos, of_neg = log_losses(p[has_pos], p[has_neg])
        return float((pos[has_pos] * of_pos).sum() + (neg[has_neg] * of_neg).sum()), wrong.item()

    losses, wrong = zip(*map_chunks(lost, len(ranking)), strict=True)
    return LogLoss(abs(math.fsum(losses) / ranking.total), certain_and_wrong=sum(wrong), cases=ranking.total, clip=clip)


def _class_log_loss(segments: Segments, clip: float | None) -> LogLoss:
    p, counts = segments.probability, segments.counts
    cases, wrong = segments.total, counts[p == 0].sum().item()
    seen = counts > 0  # certain and right costs 0 and not 0 · inf
    with np.errstate(divide="ignore"):
        losses = -np.log((p if clip is None else _clip(p, clip))[seen])
    loss = float((counts[seen] * losses).sum() / cases)
    return LogLoss(abs(loss), certain_and_wrong=wrong, cases=cases, clip=clip)


def log_losses(of_pos: Floats, of_neg: Floats) -> tuple[Floats, Floats]:
    """Log losses of positives and of negatives, by their probabilities."""
    with np.errstate(divide="ignore"):
        return -np.log(of_pos), -np.log1p(-of_neg)


def row_log_losses(matrix: Floats, index: Indices) -> Floats:
    """Minus the logarithm of each row's probability of its true class, column `index`."""
    with np.errstate(divide="ignore"):
        return np.abs(np.log(matrix[np.arange(index.size), index]))  # never -0.0


def _clip(p: Floats, clip: float) -> Floats:
    if not 0 < as_number(clip) < 0.5:
        raise ArgumentError(f"clip must lie between 0 and 0.5, got {clip}", "give e.g. clip=1e-15")
    return np.clip(p, clip, 1 - clip)


def _rows(flags: Flags) -> str:
    """The first rows of an array of any shape that hold a flagged entry."""
    by_row = np.atleast_1d(flags).reshape(len(np.atleast_1d(flags)), -1)
    return _first_values(np.flatnonzero(by_row.any(axis=1)))


def _first_values(values: npt.NDArray[Any]) -> str:
    shown = ", ".join(f"{value:g}" for value in values[:VALUES_SHOWN].tolist())
    return shown + (", …" if values.size > VALUES_SHOWN else "")
