"""`Cells`: a finite world, in which every truth is a sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import numbers_of, require_number
from thresher.choices import choose
from thresher.curves import auc
from thresher.errors import ArgumentError, argument
from thresher.inference import Interval
from thresher.laboratory.sample import Sample, Seed, random_generator
from thresher.laboratory.truth import cost_matrix, flipped, formula, require_calls, require_prevalence
from thresher.ranking import Floats, Ranking, require_ranking
from thresher.tables import Contingency, OperatingCondition, contingency_at
from thresher.tables.condition import require_condition

Rule: TypeAlias = Any  # a threshold of the scores, a model with predict, or a function of rows


@dataclass(frozen=True, eq=False, init=False)
class Cells:
    """A finite world: so many cases of every class in each of its cells.

    `counts` has a row per cell and a column per class; of two classes the second is positive. `scores` are what a
    model gives the cells, by default the true probability of a positive. With two classes the world is a `ranking`,
    and every function of thresher that is asked of that ranking tells the truth.

    >>> tree = Cells.of_ranking(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> tree.bayes_error.estimate, tree.auc.estimate, tree.posterior([0, 2]).tolist()
    (0.3, 0.71, [[0.2, 0.8], [0.6666666666666666, 0.3333333333333333]])
    >>> tree.noisy(0.1).bayes_error.estimate
    0.34
    """

    counts: Floats
    scores: Floats | None
    ranking: Ranking | None = field(repr=False)

    def __init__(self, counts: npt.ArrayLike, *, scores: npt.ArrayLike | None = None) -> None:
        fix = "give a row per cell and a column per class, e.g. [[5, 20], [40, 20]]"
        cells = numbers_of(counts, name="counts", fix=fix, dimensions=None)
        if cells.ndim != 2 or cells.shape[1] < 2:
            raise ArgumentError(f"{argument('counts')} has shape {cells.shape}", fix, parameter="counts")
        if not (np.isfinite(cells).all() and (cells >= 0).all()):
            raise ArgumentError(
                f"{argument('counts')} must be at least 0, got {cells.min():g}", fix, parameter="counts"
            )
        with np.errstate(over="ignore"):
            if not np.isfinite(cells.sum()):
                raise ArgumentError(f"the sum of {argument('counts')} overflows", "give counts in another unit")
        empty = [f"row {i}" for i in np.flatnonzero(cells.sum(axis=1) == 0)]
        empty += [f"column {i}" for i in np.flatnonzero(cells.sum(axis=0) == 0)]
        if empty:
            raise ArgumentError(f"{empty[0]} of {argument('counts')} is all 0", "leave empty cells and classes out")
        score, ranking = None, None
        if cells.shape[1] == 2:
            score = cells[:, 1] / cells.sum(axis=1) if scores is None else numbers_of(scores, name="scores")
            if score.size != len(cells):
                raise ArgumentError(f"{score.size} scores for {len(cells)} cells", "give one score for each cell")
            ranking = Ranking(score, pos=cells[:, 1], neg=cells[:, 0])
            score.flags.writeable = False
        elif scores is not None:
            raise ArgumentError("a score belongs to two classes", f"leave {argument('scores')} out")
        cells.flags.writeable = False
        for name, value in (("counts", cells), ("scores", score), ("ranking", ranking)):
            object.__setattr__(self, name, value)

    @classmethod
    def of_ranking(cls, ranking: Ranking) -> Cells:
        """The world of which a ranking counts every case."""
        require_ranking(ranking, both_classes=True)
        return cls(np.column_stack([ranking.neg, ranking.pos]), scores=ranking.score)

    def noisy(self, rate: float) -> Cells:
        """The same world, in which so many labels are replaced by another class."""
        return Cells(self.counts @ flipped(rate, self.counts.shape[1]), scores=self.scores)

    def with_prevalence(self, prevalence: float) -> Cells:
        """The same two classes, of which so large a share of the cases is positive."""
        self._ranked()
        return Cells(self.counts / self.counts.sum(axis=0) * require_prevalence(prevalence), scores=self.scores)

    def sample(self, n: int, seed: Seed = 0) -> Sample:
        """So many rows; `X` is the number of the cell."""
        n, rng = random_generator(n, seed)
        drawn = rng.choice(self.counts.size, size=n, p=(self.counts / self.counts.sum()).ravel())
        cell, labels = np.divmod(drawn, self.counts.shape[1])
        scores = None if self.scores is None else self.scores[cell]
        return Sample(labels, cell[:, np.newaxis].astype(np.float64), scores)

    def posterior(self, X: npt.ArrayLike) -> Floats:
        """The true probability of every class in cells, given by their numbers."""
        cell = numbers_of(X, name="X", dimensions=None).reshape(-1)
        if not (np.isin(cell, np.arange(len(self.counts)))).all():
            raise ArgumentError(f"cells are numbered 0 to {len(self.counts) - 1}", "give such numbers")
        counts = self.counts[cell.astype(np.int64)]
        return counts / counts.sum(axis=1, keepdims=True)

    @property
    def bayes_error(self) -> Interval:
        """The least share of cases that any rule gets wrong."""
        return formula((self.counts.sum() - self.counts.max(axis=1).sum()) / self.counts.sum())

    def bayes_cost(self, condition: OperatingCondition) -> Interval:
        """The least cost per case of any rule."""
        return formula((self._shares(condition) @ cost_matrix(condition)).min(axis=1).sum())

    @property
    def auc(self) -> Interval:
        """The probability that a positive outscores a negative, ties counting half."""
        return formula(auc(self._ranked()))

    def table(self, threshold: float) -> Contingency:
        """The contingency table at a threshold of the scores."""
        return contingency_at(self._ranked(), require_number(threshold, name="threshold"))

    def best_threshold(self, condition: OperatingCondition) -> float:
        """The threshold of the scores that costs least."""
        require_condition(condition)
        return float(choose(self._ranked(), condition).threshold)

    def true_cost(self, rule: Rule, condition: OperatingCondition) -> Interval:
        """What a rule costs per case.

        A rule is a threshold of the scores, a fitted model, or a function from cells to calls.
        """
        rule = getattr(rule, "predict", rule)
        if not callable(rule):
            require_condition(condition)
            return formula(float(condition.expected_cost(self.table(rule))))
        costs = self._shares(condition) @ cost_matrix(condition)
        return formula(costs[np.arange(len(costs)), self._calls(rule)].sum())

    def true_error(self, rule: Rule) -> Interval:
        """The share of cases that a rule gets wrong; rules are those of `true_cost`."""
        rule = getattr(rule, "predict", rule)
        if not callable(rule):
            return formula(float(self.table(rule).error_rate))
        right = self.counts[np.arange(len(self.counts)), self._calls(rule)].sum()
        return formula((self.counts.sum() - right) / self.counts.sum())

    def _calls(self, rule: Callable[[Floats], Any]) -> Any:
        """What every cell is called."""
        cells = np.arange(len(self.counts), dtype=np.float64)[:, np.newaxis]
        return require_calls(rule(cells), *self.counts.shape)

    def _shares(self, condition: OperatingCondition) -> Floats:
        """Joint shares of cells and two classes, at the condition's class mix."""
        require_condition(condition)
        self._ranked()
        totals = self.counts.sum(axis=0)
        prevalence = totals[1] / totals.sum() if condition.prevalence is None else condition.prevalence
        return self.counts / totals * np.array([1 - prevalence, prevalence])

    def _ranked(self) -> Ranking:
        if self.ranking is None:
            what = f"this world has {self.counts.shape[1]} classes, and the question needs two"
            raise ArgumentError(what, "give a world of two classes")
        return self.ranking
