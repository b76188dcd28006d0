"""Nested costs: what each fold costs at a threshold chosen on the other folds."""

from __future__ import annotations

import numpy as np

from thresher.choices import OperatingCondition, choose
from thresher.errors import ArgumentError
from thresher.learning.cross_validation import CrossValidation
from thresher.learning.yardstick import ScoredFold, yardstick
from thresher.ranking import Flags, Floats


def nested_costs(cv: CrossValidation, condition: OperatingCondition, model: str) -> Floats:
    """Expected cost per case of each fold, free of the optimism of choosing and judging a threshold on the same rows.

    The threshold of a fold is chosen on the out-of-fold scores of all entries of other rows, so that scores are
    taken to share one scale, as those of calibrated models do. With repeats, entries of the fold's rows in other
    repeats are left out too.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning import cross_validate
    >>> y = np.arange(100) % 4 == 0
    >>> X = np.random.default_rng(0).normal(size=(100, 1)) + 2 * y[:, None]
    >>> cv = cross_validate(GaussianNB(), X, y, folds=4)
    >>> nested_costs(cv, OperatingCondition(cost_ratio=4), "model").round(2)
    array([0.48, 0.36, 0.68, 0.36])
    """
    if len(cv.splits) < 2:
        raise ArgumentError("one fold has no others to choose on", "nested_costs(cv, condition)", "give two or more")
    score, stick = cv.scores[model], yardstick(condition)
    costs = []
    for number, split in enumerate(cv.splits):
        here, others = cv.fold == number, ~np.isin(cv.row, split.test)
        rest = _part(cv, score, others, score[others] > 0)
        threshold = choose(rest.ranking(), condition).threshold
        costs.append(stick.of(_part(cv, score, here, score[here] >= threshold)))
    return np.array(costs)


def _part(cv: CrossValidation, score: Floats, here: Flags, called: Flags) -> ScoredFold:
    weight = None if cv.weights is None else cv.weights[here]
    return ScoredFold(cv.labels[here], score[here], called, weight)
