"""Out-of-fold scores: each row scored by a copy of the model that has not learnt from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

from thresher.errors import ArgumentError, OneClassError
from thresher.learning.arguments import require_jobs
from thresher.learning.rows import parameters_of, row_count, rows_of
from thresher.learning.scores import positive_scores
from thresher.learning.targets import BinaryTarget
from thresher.ranking import Floats, Indices, Ranking
from thresher.sources import rank


@dataclass(frozen=True, slots=True, eq=False)
class OutOfFold:
    """Scores of test rows, and which row each belongs to; rows that no fold tests are not there."""

    row: Indices
    score: Floats

    def ranking(self, target: BinaryTarget, weights: Any = None) -> Ranking:
        """The rows ranked by these scores. Scores of different fits are taken to share one scale."""
        kept = None if weights is None else np.asarray(weights)[self.row]
        return rank(target.flags[self.row], self.score, weights=kept)


def out_of_fold(
    estimator: Any,
    X: Any,
    target: BinaryTarget,
    *,
    splits: Sequence[tuple[Indices, Indices]],
    method: str,
    parameters: Mapping[str, Any],
    n_jobs: int | None = None,
) -> OutOfFold:
    """Fit a copy on the training rows of each split and score its test rows.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning.targets import binary_target
    >>> X = np.array([[0.0], [0.2], [0.9], [1.0]])
    >>> y = binary_target([0, 0, 1, 1], positive=None, matters=True)
    >>> halves = [(np.array([0, 2]), np.array([1, 3])), (np.array([1, 3]), np.array([0, 2]))]
    >>> found = out_of_fold(GaussianNB(), X, y, splits=halves, method="predict_proba", parameters={})
    >>> print(found.ranking(y))
    [2+][2-]
    """
    if not splits:
        raise ArgumentError("there are no splits into training and test rows", "give cv= two folds or more")
    for number, (train, test) in enumerate(splits):
        if not 0 < target.flags[train].sum() < train.size:
            raise OneClassError(
                f"the {train.size:,} training rows of fold {number} hold one class only",
                fix="take fewer folds, or stratified ones",
            )
        if not test.size:
            raise ArgumentError(f"fold {number} has no test rows", "take fewer folds")
    require_jobs(n_jobs)
    scores = Parallel(n_jobs=n_jobs)(
        delayed(_scored)(clone(estimator), X, target, split, method=method, parameters=parameters) for split in splits
    )
    return OutOfFold(np.concatenate([test for _, test in splits]), np.concatenate(scores))


def _scored(
    estimator: Any,
    X: Any,
    target: BinaryTarget,
    split: tuple[Indices, Indices],
    *,
    method: str,
    parameters: Mapping[str, Any],
) -> Floats:
    train, test = split
    given = parameters_of(parameters, train, row_count(X))
    estimator.fit(rows_of(X, train), target.labels[train], **given)
    return positive_scores(estimator, rows_of(X, test), method=method, positive=target.place)
