"""Numbers that are sums over segments in order, added up while segments pass by: nothing of them is kept but sums."""

from __future__ import annotations

import math

import numpy as np

from thresher.ranking import Counts, Floats


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
        of_pos, of_neg, right, wrong = (np.asarray(part, dtype=np.float64) for part in (pos, neg, *before))
        cases, called = of_pos + of_neg, right + wrong
        rate = of_pos / cases
        with np.errstate(divide="ignore", invalid="ignore"):
            curved = np.where(called > 0, (right - rate * called) / cases * np.log1p(cases / called), 0.0)
        self._cases[0] += int(pos.sum())
        self._cases[1] += int(neg.sum())
        self._add("average_precision", of_pos * (right + of_pos) / (called + cases))
        self._add("pr_area", of_pos * (rate + curved))
        self._probabilities &= bool(score.min() >= 0 and score.max() <= 1)
        if self._probabilities:
            self._add("brier", (1 - score) ** 2 * of_pos + score**2 * of_neg)
            with np.errstate(divide="ignore"):
                losses = ((of_pos, -np.log(score)), (of_neg, -np.log1p(-score)))
            self._add("log_loss", *(count[count > 0] * loss[count > 0] for count, loss in losses))
            self._add("certain_and_wrong", of_pos[score == 0], of_neg[score == 1])

    def numbers(self) -> dict[str, float]:
        """The numbers of all segments taken so far."""
        Pos, total = self._cases[0], sum(self._cases)
        per = {"average_precision": Pos, "pr_area": Pos, "brier": total, "log_loss": total, "certain_and_wrong": 1}
        named = list(per) if self._probabilities else list(per)[:2]
        return {name: math.fsum(self._sums[name]) / per[name] for name in named if per[name]}

    def _add(self, name: str, *columns: Floats) -> None:
        self._sums.setdefault(name, []).extend(float(column.sum()) for column in columns)
