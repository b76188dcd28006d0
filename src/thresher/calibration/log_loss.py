"""Log loss of probabilities: infinite when a case is called certain and is not, and saying so."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from thresher.calibration.true_class import probability_rows
from thresher.cautions import Caution
from thresher.errors import ArgumentError
from thresher.ranking import Floats, Ranking, as_number, in_pieces, kept_number, require_ranking, wide


class LogLoss(float):
    """A log loss: a plain float that also knows why it is infinite, or how it was clipped.

    `certain_and_wrong` counts the cases (or their weight) whose class was given probability 0;
    `clip` is the ε that was asked for, or None. It is a float and not a record, so that it adds,
    compares and formats like any other score.

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
        said = "; ".join(str(caution) for caution in self.cautions)
        return f"{float(self)!r} ({said})" if said else repr(float(self))


def log_loss(ranking: Ranking, *, clip: float | None = None) -> LogLoss:
    """The mean of -ln(probability given to the true class), for scores that are probabilities.

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
    require_ranking(ranking, probabilities=True)
    if clip is None and (known := kept_number(ranking.spans, "log_loss")) is not None:
        return LogLoss(
            known, certain_and_wrong=int(kept_number(ranking.spans, "certain_and_wrong") or 0), cases=ranking.total
        )

    def lost(piece: slice) -> tuple[float, Any]:
        score = ranking.score[piece]
        pos, neg = (wide(counts[piece]) for counts in ranking.narrow)
        wrong = neg[score == 1].sum() + pos[score == 0].sum()
        p = score if clip is None else _clipped(score, clip)
        # Only where there are cases, so that certain and right costs 0 and not 0 · inf.
        of_pos, of_neg = np.flatnonzero(pos != 0), np.flatnonzero(neg != 0)
        with np.errstate(divide="ignore"):
            gained = (pos[of_pos] * np.log(p[of_pos])).sum() + (neg[of_neg] * np.log1p(-p[of_neg])).sum()
        return -float(gained), wrong.item()

    losses, wrong = zip(*in_pieces(lost, len(ranking)), strict=True)
    return LogLoss(abs(math.fsum(losses) / ranking.total), certain_and_wrong=sum(wrong), cases=ranking.total, clip=clip)


def log_loss_multiclass(
    labels: Any,
    probabilities: Any,
    *,
    classes: Sequence[Any] | None = None,
    weights: Any = None,
    clip: float | None = None,
) -> LogLoss:
    """The mean of -ln(probability given to the true class), k classes.

    Rows must sum to 1; clipped rows are not normalised again. Columns as in `squared_error`.

    >>> log_loss_multiclass([1, 3], [[0.70, 0.10, 0.20], [0.99, 0, 0.01]], classes=[1, 2, 3])
    2.480...
    """
    matrix, index, weight = probability_rows(labels, probabilities, classes=classes, weights=weights)
    p = matrix[np.arange(index.size), index]
    if weight is not None:
        p, weight = p[weight > 0], weight[weight > 0]
    each = np.ones(p.size, dtype=np.int64) if weight is None else weight
    wrong, cases = each[p == 0].sum().item(), each.sum().item()
    if clip is not None:
        p = _clipped(p, clip)
    with np.errstate(divide="ignore"):
        loss = np.average(-np.log(p), weights=weight)
    return LogLoss(abs(loss), certain_and_wrong=wrong, cases=cases, clip=clip)


def _clipped(p: Floats, clip: float) -> Floats:
    if not 0 < as_number(clip) < 0.5:
        raise ArgumentError(f"clip must lie between 0 and 0.5, got {clip}", "give e.g. clip=1e-15")
    return np.clip(p, clip, 1 - clip)
