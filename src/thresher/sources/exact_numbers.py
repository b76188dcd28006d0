"""Numbers that are sums over segments in order, added up while segments pass by: nothing of them is kept but sums."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from thresher._internal.parallel import map_chunks
from thresher.ranking import Counts, Floats, Indices
from thresher.sources.untied import Untied


class RunningNumbers:
    """Average precision, precision-recall area, Brier score and log loss of segments seen piece by piece.

    Pieces come in any order, each with how many cases score higher. The formulas are those of `average_precision`,
    `pr_area`, `brier` and `log_loss`; the last two are left out where a score is no probability.

    >>> running = RunningNumbers()
    >>> running.add(np.array([0.5]), np.array([10]), np.array([5]), before=(20, 5))
    >>> before = np.array([0, 30]), np.array([0, 10])
    >>> running.add(np.array([0.8, 0.2]), np.array([20, 20]), np.array([5, 40]), before=before)
    >>> round(running.numbers()["average_precision"], 10)
    0.67
    """

    def __init__(self) -> None:
        self._sums: dict[str, list[float]] = {}
        self._cases = [0, 0]
        self._probabilities = True

    def add(self, score: Floats, pos: Counts, neg: Counts, *, before: tuple[Counts | int, Counts | int]) -> None:
        """Take segments with the positives and negatives before each."""
        if not score.size:
            return
        self._cases[0] += int(pos.sum())
        self._cases[1] += int(neg.sum())
        self._probabilities &= bool(score.min() >= 0 and score.max() <= 1)
        right, wrong = (np.broadcast_to(np.asarray(part, dtype=np.float64), score.shape) for part in before)

        def sums(piece: slice) -> dict[str, float]:
            part = _precision_sums(pos[piece], neg[piece], right[piece], wrong[piece])
            return part | (_loss_sums(score[piece], pos[piece], neg[piece]) if self._probabilities else {})

        for found in map_chunks(sums, score.size):
            self._take(found)

    def add_untied(self, cases: Untied, *, before: tuple[int, int]) -> None:
        """Take cases whose scores all differ, with the positives and negatives before the first."""
        score, pos_at = cases.score, cases.pos_at
        if not score.size:
            return
        self._cases[0] += pos_at.size
        self._cases[1] += cases.neg_at.size
        self._probabilities &= bool(score[-1] >= 0 and score[0] <= 1)
        self._take(_untied_precision_sums(pos_at, *before))
        if self._probabilities:
            self._take(_losses(score[pos_at], score[cases.neg_at]))

    def add_all(self, others: Iterable[RunningNumbers]) -> None:
        """Take what others have taken."""
        for other in others:
            self._cases = [mine + more for mine, more in zip(self._cases, other._cases, strict=True)]
            self._probabilities &= other._probabilities
            for name, values in other._sums.items():
                self._sums.setdefault(name, []).extend(values)

    def numbers(self) -> dict[str, float]:
        """The numbers of all segments taken so far."""
        Pos, total = self._cases[0], sum(self._cases)
        per = {"average_precision": Pos, "pr_area": Pos, "brier": total, "log_loss": total, "certain_and_wrong": 1}
        named = list(per) if self._probabilities else list(per)[:2]
        return {name: math.fsum(self._sums[name]) / per[name] for name in named if per[name]}

    def _take(self, found: dict[str, float]) -> None:
        for name, value in found.items():
            self._sums.setdefault(name, []).append(value)


def _precision_sums(pos: Counts, neg: Counts, right: Floats, wrong: Floats) -> dict[str, float]:
    """Sums over the positives of segments, after so many right and wrong calls."""
    has = np.flatnonzero(pos)
    of_pos, of_neg = pos[has].astype(np.float64), neg[has].astype(np.float64)
    right, called = right[has], right[has] + wrong[has]
    cases = of_pos + of_neg
    rate = of_pos / cases
    with np.errstate(divide="ignore", invalid="ignore"):
        curved = (right - rate * called) / cases * np.log1p(cases / called)
    curved[called == 0] = 0.0
    return {
        "average_precision": float((of_pos * (right + of_pos) / (called + cases)).sum()),
        "pr_area": float((of_pos * (rate + curved)).sum()),
    }


def _untied_precision_sums(at: Indices, right: int, wrong: int) -> dict[str, float]:
    """The same over positives that are at these places among cases of different scores."""
    called = at + float(right + wrong)
    negatives = at - np.arange(at.size) + float(wrong)
    with np.errstate(divide="ignore", invalid="ignore"):
        curved = negatives * np.log1p(1 / called)
    curved[called == 0] = 0.0
    precision = (called - negatives + 1) / (called + 1)
    return {"average_precision": float(precision.sum()), "pr_area": float(at.size - curved.sum())}


def _losses(p: Floats, q: Floats) -> dict[str, float]:
    """Sums over positives of these probabilities and over negatives of those."""
    with np.errstate(divide="ignore"):
        log_loss = -float(np.log(p).sum()) - float(np.log1p(-q).sum())
    return {
        "brier": float(np.square(1 - p).sum()) + float(np.square(q).sum()),
        "log_loss": log_loss,
        "certain_and_wrong": float(np.count_nonzero(p == 0) + np.count_nonzero(q == 1)),
    }


def _loss_sums(score: Floats, pos: Counts, neg: Counts) -> dict[str, float]:
    """Sums over the cases of segments whose scores are probabilities."""
    has_pos, has_neg = np.flatnonzero(pos), np.flatnonzero(neg)
    of_pos, of_neg, p, q = pos[has_pos], neg[has_neg], score[has_pos], score[has_neg]
    with np.errstate(divide="ignore"):
        log_loss = -float((of_pos * np.log(p)).sum()) - float((of_neg * np.log1p(-q)).sum())
    return {
        "brier": float((of_pos * (1 - p) ** 2).sum()) + float((of_neg * q**2).sum()),
        "log_loss": log_loss,
        "certain_and_wrong": float(of_pos[p == 0].sum() + of_neg[q == 1].sum()),
    }
