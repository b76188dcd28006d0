"""Cross-validation: out-of-fold scores, and nested costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from thresher._internal.arguments import require_instance, require_level, require_one_of
from thresher._internal.parallel import Progress
from thresher._internal.results import Tabular
from thresher.cautions import Caution
from thresher.choices import choose
from thresher.errors import ArgumentError, MeasureError
from thresher.inference import Difference, Interval, corrected_t, interval
from thresher.inputs.arrow import Column
from thresher.learning.validation.fit_and_score import ScoredFold, fit_and_score, in_parallel, problem_of
from thresher.learning.validation.folds import Folding, FoldSplit, mean_test_share, splits_of
from thresher.learning.validation.scoring import (
    MeasureLike,
    action_costs,
    action_names,
    corrected_interval,
    fold_metric,
    prediction_table,
    require_quality,
)
from thresher.ranking import Flags, Floats, Indices, Ranking, Segments, reaches
from thresher.tables import OperatingCondition


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CrossValidation(Tabular):
    """Out-of-fold scores: entry i belongs to row `row[i]`, tested in fold `fold[i]`.

    `labels` flags positives; `scores` and `predictions` hold a column per model. Of several `classes`, labels and
    predictions are these, and scores are matrices with a column per class. With repeats a row has an entry per
    repeat. `labels`, `scores`, `predictions`, `weights` and `clusters` are what `evaluate` and `compare` take. `within`
    has the rankings (or segments) of training rows by models that make folds within them (`CalibratedModel`), one per
    fold.
    """

    labels: Column
    scores: Mapping[str, Floats]
    predictions: Mapping[str, Column]
    row: Indices
    fold: Indices
    splits: tuple[FoldSplit, ...]
    positive: Any
    weights: Floats | None = None
    groups: Column | None = None
    within: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    classes: tuple[Any, ...] | None = None

    @property
    def clusters(self) -> Column | None:
        """Entries that belong together: groups, or rows that are tested more than once."""
        if self.groups is not None:
            return self.groups[self.row]
        repeated = len({split.repeat for split in self.splits}) > 1 or len(set(self.row.tolist())) < self.row.size
        return self.row if repeated else None

    @property
    def test_share(self) -> float:
        """The mean share of a fold's rows that it is tested on, as `corrected_t` needs it."""
        return mean_test_share(self.splits)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """What to mind when the columns are used as one."""
        text = f"scores of {len(self.splits)} fits stand in one column; where fits differ in scale, ranks mix"
        return (Caution("pooled-folds", text),)

    def rankings(self, model: str | None = None) -> tuple[Ranking, ...]:
        """One ranking per fold, which mixes no scales."""
        if self.classes is not None:
            fix = "ask for segments(model), and one class's ranking by segments(model)[0].ranking(name)"
            raise ArgumentError(f"{len(self.classes)} classes have no one ranking", fix)
        return tuple(fold.ranking() for fold in self._folds(model))

    def segments(self, model: str | None = None) -> tuple[Segments, ...]:
        """Of several classes: one count by class and vector of probabilities per fold."""
        if self.classes is None:
            raise ArgumentError("two classes are ranked", "ask for rankings(model)")
        return tuple(fold.segments() for fold in self._folds(model))

    def pooled(self, model: str | None = None) -> Any:
        """All entries as one ranking, or segments, as if fits shared one scale."""
        every = self._entries(np.ones(self.row.size, dtype=np.bool_), self._name(model))
        return every.counted()

    def per_fold(self, measure: MeasureLike = "auc", model: str | None = None) -> Floats:
        """Any measure in each fold, NaN where it is undefined; leave-one-out has no AUC."""
        metric = fold_metric(measure, self.classes)
        return np.array([metric(fold) for fold in self._folds(model)])

    def estimate(self, measure: MeasureLike = "auc", model: str | None = None, *, level: float = 0.95) -> Interval:
        """The mean over folds, with limits that allow for shared training rows."""
        require_level(level)
        metric = fold_metric(measure, self.classes)
        values = _defined(self.per_fold(measure, model), metric.name)
        return corrected_interval(values, test_share=self.test_share, level=level, spread=metric.range)

    def difference(
        self, a: str, b: str, measure: MeasureLike = "auc", *, level: float = 0.95, margin: float = 0.0
    ) -> Difference:
        """Model a minus model b over folds, by the corrected resampled t test."""
        metric = fold_metric(measure, self.classes)
        require_quality(metric)
        of_a, of_b = (_defined(self.per_fold(measure, name), metric.name) for name in (a, b))
        test = corrected_t(of_a, of_b, test_share=self.test_share, level=level, margin=margin, better=metric.better)
        return replace(test, a=a, b=b)

    def _brief(self) -> str:
        rows, folds = len(set(self.row.tolist())), len(self.splits)
        return f"{', '.join(self.scores)}; {rows:,} rows, {folds} folds"

    def _columns(self) -> Mapping[str, Any]:
        models, scores = len(self.scores), np.concatenate(list(self.scores.values()))
        of_classes = {f"p({name})": scores[:, place] for place, name in enumerate(self.classes or ())}
        return {
            "row": np.tile(self.row, models),
            "fold": np.tile(self.fold, models),
            "positive" if self.classes is None else "label": np.tile(self.labels, models),
            "model": np.repeat(np.array(list(self.scores), dtype=object), self.row.size),
            **(of_classes or {"score": scores}),
            "predicted": np.concatenate([self.predictions[name] for name in self.scores]),
        }

    def _folds(self, model: str | None) -> list[ScoredFold]:
        name = self._name(model)
        return [self._entries(self.fold == number, name) for number in range(len(self.splits))]

    def _entries(self, here: Flags, model: str) -> ScoredFold:
        weight = None if self.weights is None else self.weights[here]
        entries = self.labels[here], self.scores[model][here], self.predictions[model][here]
        return ScoredFold(*entries, weight, classes=self.classes)

    def _name(self, model: str | None) -> str:
        if model in self.scores or (model is None and len(self.scores) == 1):
            return next(iter(self.scores)) if model is None else model
        what = "there are several models" if model is None else f"there is no model {model!r}"
        raise ArgumentError(what, f"pass model= one of {', '.join(self.scores)}")


def cross_validate(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    classes: Sequence[Any] | None = None,
    folds: Folding = 5,
    groups: Any = None,
    times: Any = None,
    weights: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> CrossValidation:
    """Score rows by models that have not learnt from them, on the same folds.

    `estimators` is one classifier, or a mapping of names to classifiers; they are copied and never changed. `positive`
    is needed unless labels are bool or 0/1. Of more than two classes none is positive: models have a column of
    probabilities per class, in the order of `classes` (rising by default), which asks for the same of two classes.

    `folds` is a number, `Folds(count, kind, repeats)`, a splitter, or pairs of
    training and test rows; a number is stratified, grouped where `groups` say which rows belong together, and forward
    in time where `times` say when each was observed, also in the folds within a `CalibratedModel`.
    `weights` are those of rows, in fitting and in measuring. `seed` is that of the partition; models take theirs as
    `random_state`. `progress` is called with how many of the fits are done and how many there are.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_leaf_nodes=8, random_state=0)}
    >>> cv = cross_validate(models, X, y == 0, folds=10)
    >>> cv
    CrossValidation(bayes, tree; 569 rows, 10 folds)
    >>> cv.difference("bayes", "tree", "auc").verdict
    'better'
    >>> from thresher import evaluate
    >>> evaluate(cv.labels, cv.scores, clusters=cv.clusters).decision.model
    'bayes'
    """
    models = dict(estimators) if isinstance(estimators, Mapping) else {"model": estimators}
    if not models or not all(isinstance(name, str) and hasattr(model, "fit") for name, model in models.items()):
        what = "estimators must be a classifier or a mapping of names to classifiers"
        raise ArgumentError(what, 'give e.g. {"tree": DecisionTreeClassifier()}')
    problem = problem_of(X, y, positive=positive, classes=classes, weights=weights, groups=groups, times=times)
    target, weight = problem.target, problem.weight
    splits = splits_of(folds, target.labels, groups=groups, times=times, seed=seed)
    # All models of a fold, then the next fold: what is prepared for one model serves the next.
    tasks = [(model, problem, split.train, [split.test]) for split in splits for model in models.values()]
    scored = [fold for (fold,) in in_parallel(fit_and_score, tasks, n_jobs=n_jobs, progress=progress)]
    by_model = {name: scored[place :: len(models)] for place, name in enumerate(models)}
    row = np.concatenate([split.test for split in splits])
    within = {name: tuple(fold.within for fold in own if fold.within is not None) for name, own in by_model.items()}
    return CrossValidation(
        labels=target.truth[row],
        scores={name: np.concatenate([fold.score for fold in own]) for name, own in by_model.items()},
        predictions={name: np.concatenate([fold.predicted for fold in own]) for name, own in by_model.items()},
        row=row,
        fold=np.repeat(np.arange(len(splits)), [split.test.size for split in splits]),
        splits=splits,
        positive=target.positive,
        weights=None if weight is None else weight[row],
        groups=problem.row_data.get("groups"),
        within={name: rankings for name, rankings in within.items() if len(rankings) == len(splits)},
        classes=target.several,
    )


def nested_costs(cv: CrossValidation, condition: OperatingCondition, model: str | None = None) -> Floats:
    """Cost per case of each fold, at thresholds chosen without the fold's rows.

    Models that make folds within their training rows, as every `CalibratedModel` does, have ranked those rows there:
    the threshold is chosen on that ranking, and without a `model` so is the model. Of other models, thresholds are
    chosen on the scores of the other folds, which is a little optimistic: those scores come from fits that did learn
    from this fold. Scores are taken to share one scale, as those of calibrated models do. Of several classes nothing is
    chosen but the model: actions are those of least expected cost.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> y = np.arange(100) % 4 == 0
    >>> X = np.random.default_rng(0).normal(size=(100, 1)) + 2 * y[:, None]
    >>> cv = cross_validate(GaussianNB(), X, y, folds=4)
    >>> nested_costs(cv, OperatingCondition(cost_ratio=4), "model").round(2)
    array([0.48, 0.36, 0.68, 0.36])
    """
    return _fold_costs(cv, condition, nested_predictions(cv, condition, model))


def nested_interval(
    cv: CrossValidation, condition: OperatingCondition, model: str | None = None, *, level: float = 0.95
) -> Interval:
    """The mean of nested costs, with limits for how folds and cases vary.

    Folds with the same class mix do not show how the mix varies, and predictions that are alike in all folds do not
    vary at all; so limits are no narrower than those of the same predictions on as many rows.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> y = np.arange(100) % 4 == 0
    >>> X = np.random.default_rng(0).normal(size=(100, 1)) + 2 * y[:, None]
    >>> cv = cross_validate(GaussianNB(), X, y, folds=4)
    >>> print(nested_interval(cv, OperatingCondition(cost_ratio=4), "model"))
    0.4700 [0.1030, 0.8370]
    """
    require_level(level)
    predicted, spread = nested_predictions(cv, condition, model), fold_metric(condition, cv.classes).range
    costs = _fold_costs(cv, condition, predicted)
    folds = corrected_interval(costs, test_share=cv.test_share, level=level, spread=spread)
    once = np.isin(cv.fold, [number for number, split in enumerate(cv.splits) if split.repeat == 0])
    weights = None if cv.weights is None else cv.weights[once]
    clusters = None if cv.groups is None else cv.groups[cv.row[once]]
    if cv.classes is None:
        table = prediction_table(cv.labels[once], predicted[once], weights=weights, clusters=clusters)
        cases = interval(table, condition, level=level)
    else:
        paid = action_costs(condition, cv.labels[once], predicted[once], weights=weights, clusters=clusters)
        cases = paid.interval(level=level)
    mean = folds.estimate
    return Interval(
        mean,
        max(float(np.fmin(folds.lower, mean - (cases.estimate - cases.lower))), spread[0]),
        min(float(np.fmax(folds.upper, mean + (cases.upper - cases.estimate))), spread[1]),
        float(np.fmax(folds.variance, cases.variance)),
        level,
        f"{folds.method}, no narrower than {cases.method}",
    )


def nested_predictions(cv: CrossValidation, condition: OperatingCondition, model: str | None = None) -> Column:
    """Entries predicted positive by a threshold (or model) chosen on others.

    Of several classes, the actions of least expected cost, at the class mix of the rows learnt from.
    """
    require_instance(cv, CrossValidation, name="cv", fix="give what cross_validate returns")
    require_instance(condition, OperatingCondition, name="condition", fix="e.g. OperatingCondition()")
    if model is not None:
        require_one_of(model, list(cv.scores), name="model")
    names = list(cv.scores) if model is None else [model]
    nested = all(name in cv.within for name in names)
    if not nested and len(cv.splits) < 2:
        raise ArgumentError("one fold has no others to choose on", "give two or more")
    kind = np.dtype(np.bool_) if cv.classes is None else action_names(condition).dtype
    predicted = np.zeros(cv.row.size, dtype=kind)
    for number, split in enumerate(cv.splits):
        if nested:
            learnt = {name: cv.within[name][number] for name in names}
        else:
            others = ~np.isin(cv.row, split.test)
            learnt = {name: cv._entries(others, name).counted() for name in names}
        here = cv.fold == number
        if cv.classes is None:
            chosen = choose(learnt, condition)
            predicted[here] = reaches(cv.scores[chosen.model][here], chosen.threshold)
        else:
            choices = {name: choose(segments, condition) for name, segments in learnt.items()}
            best = min(choices, key=lambda name: choices[name].expected_cost)
            predicted[here] = choices[best].apply(cv.scores[best][here])
    return predicted


def _fold_costs(cv: CrossValidation, condition: OperatingCondition, predicted: Column) -> Floats:
    cost = fold_metric(condition, cv.classes)
    decided = replace(cv, scores={"": np.zeros(predicted.size)}, predictions={"": predicted})
    return np.array([cost(fold) for fold in decided._folds("")])


def _defined(values: Floats, name: str) -> Floats:
    undefined = int(np.isnan(values).sum())
    if undefined:
        what = f"{name} is undefined in {undefined} of {values.size} folds"
        raise MeasureError(what, "take fewer folds, or a measure that is defined there; per_fold shows which")
    return values
