"""Nested costs: what each fold costs at a threshold, and by a model, chosen without its rows."""

from __future__ import annotations

import numpy as np

from thresher._internal.arguments import require_instance, require_level, require_one_of
from thresher.choices import choose
from thresher.errors import ArgumentError
from thresher.inference import Interval
from thresher.learning.validation.cross_validate import CrossValidation
from thresher.learning.validation.scoring import ScoredFold, calls_cost, corrected_interval, yardstick
from thresher.ranking import Flags, Floats, reaches
from thresher.tables import OperatingCondition


def nested_costs(cv: CrossValidation, condition: OperatingCondition, model: str | None = None) -> Floats:
    """Expected cost per case of each fold, free of the optimism of choosing and judging on the same rows.

    Models that deal folds within their training rows, as every `CalibratedModel` does, have ranked those rows there:
    the threshold is chosen on that ranking, and without a `model` so is the model. Nothing in that choice has met a
    row of the fold. Of other models, thresholds are chosen on the scores of the other folds, which is a little
    optimistic: those scores come from fits that did learn from this fold. With repeats, entries of the fold's
    rows in other repeats are left out. Scores are taken to share one scale, as those of calibrated models do.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning import cross_validate
    >>> y = np.arange(100) % 4 == 0
    >>> X = np.random.default_rng(0).normal(size=(100, 1)) + 2 * y[:, None]
    >>> cv = cross_validate(GaussianNB(), X, y, folds=4)
    >>> nested_costs(cv, OperatingCondition(cost_ratio=4), "model").round(2)
    array([0.48, 0.36, 0.68, 0.36])
    """
    return _per_fold(cv, condition, nested_calls(cv, condition, model))


def nested_interval(
    cv: CrossValidation, condition: OperatingCondition, model: str | None = None, *, level: float = 0.95
) -> Interval:
    """The mean of nested costs, with limits for how folds vary and for how so many cases do.

    Folds with the same class mix do not show how the mix varies from sample to sample, and calls that are alike in all
    folds do not vary at all; so limits are no narrower than those of the same calls on as many rows.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning import cross_validate
    >>> y = np.arange(100) % 4 == 0
    >>> X = np.random.default_rng(0).normal(size=(100, 1)) + 2 * y[:, None]
    >>> cv = cross_validate(GaussianNB(), X, y, folds=4)
    >>> print(nested_interval(cv, OperatingCondition(cost_ratio=4), "model"))
    0.4700 [0.1030, 0.8370]
    """
    require_level(level)
    calls, spread = nested_calls(cv, condition, model), yardstick(condition).range
    costs = _per_fold(cv, condition, calls)
    folds = corrected_interval(costs, test_share=cv.test_share, level=level, spread=spread)
    once = np.isin(cv.fold, [number for number, split in enumerate(cv.splits) if split.repeat == 0])
    cases = calls_cost(
        cv.labels[once],
        calls[once],
        condition,
        weights=None if cv.weights is None else cv.weights[once],
        clusters=None if cv.groups is None else cv.groups[cv.row[once]],
        level=level,
    )
    mean = folds.estimate
    return Interval(
        mean,
        max(float(np.fmin(folds.lower, mean - (cases.estimate - cases.lower))), spread[0]),
        min(float(np.fmax(folds.upper, mean + (cases.upper - cases.estimate))), spread[1]),
        float(np.fmax(folds.variance, cases.variance)),
        level,
        f"{folds.method}, no narrower than {cases.method}",
    )


def nested_calls(cv: CrossValidation, condition: OperatingCondition, model: str | None = None) -> Flags:
    """Which entries are called positive by a threshold, and without a `model` by a model, chosen on other rows."""
    require_instance(cv, CrossValidation, name="cv", fix="give what cross_validate returns")
    require_instance(condition, OperatingCondition, name="condition", fix="e.g. OperatingCondition()")
    if model is not None:
        require_one_of(model, list(cv.scores), name="model")
    names = list(cv.scores) if model is None else [model]
    nested = all(name in cv.within for name in names)
    if not nested and len(cv.splits) < 2:
        raise ArgumentError("one fold has no others to choose on", "give two or more")
    calls = np.zeros(cv.row.size, dtype=np.bool_)
    for number, split in enumerate(cv.splits):
        here = cv.fold == number
        if nested:
            rest = {name: cv.within[name][number] for name in names}
        else:
            others = ~np.isin(cv.row, split.test)
            rest = {name: _part(cv, others, calls, cv.scores[name]).ranking() for name in names}
        chosen = choose(rest, condition)
        calls[here] = reaches(cv.scores[chosen.model][here], chosen.threshold)
    return calls


def _per_fold(cv: CrossValidation, condition: OperatingCondition, calls: Flags) -> Floats:
    stick = yardstick(condition)
    return np.array([stick.of(_part(cv, cv.fold == number, calls)) for number in range(len(cv.splits))])


def _part(cv: CrossValidation, here: Flags, calls: Flags, score: Floats | None = None) -> ScoredFold:
    weight = None if cv.weights is None else cv.weights[here]
    return ScoredFold(
        cv.labels[here], (calls.astype(np.float64) if score is None else score)[here], calls[here], weight
    )
