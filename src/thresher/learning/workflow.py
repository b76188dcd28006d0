"""`learn`: from a table to a calibrated model with a threshold for your costs, checked on rows it never saw."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from thresher.calibration.map import Method
from thresher.cautions import Caution
from thresher.choices import OperatingCondition
from thresher.errors import ColumnError
from thresher.evaluation import Decision, Evaluation, apply, evaluate
from thresher.evaluation.rules import require_no_rule_names
from thresher.inference import Difference, Interval, corrected_t
from thresher.inference.interval import interval_columns, require_level
from thresher.inference.resampling import Progress
from thresher.learning.arguments import require_function, require_jobs, require_kind, require_option
from thresher.learning.baselines import MAJORITY, ONE_FEATURE, with_one_majority_score, without_majority_remark
from thresher.learning.calibrated_model import CalibratedModel
from thresher.learning.called_rows import calls_cost, calls_measures
from thresher.learning.column_types import ColumnTypes, column_types
from thresher.learning.cross_validation import CrossValidation, cross_validate
from thresher.learning.feature_curve import FeatureCurve
from thresher.learning.folds import Folding
from thresher.learning.frames import frame
from thresher.learning.goal import goal_of, require_enough
from thresher.learning.leakage import leakage
from thresher.learning.learning_curve import LearningCurve
from thresher.learning.nested import nested_costs, nested_interval
from thresher.learning.preparation import preparation
from thresher.learning.splits import Split, split
from thresher.learning.workflow_curves import WinnerCurves, winner_curves
from thresher.learning.workflow_words import summary_text
from thresher.learning.zoo import chosen_models, preferred_models
from thresher.ranking import Flags, Floats
from thresher.results import Tabular
from thresher.sources.columns import column

_TEST_SHARE = 25
_WITHIN = 3
COMPARING = "comparing models"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Learned(Tabular):
    """A model to deploy, the decision that goes with it, and everything that led there.

    `nested` is each model's expected cost over folds at thresholds chosen on the rows each fold learns from, and
    `nested_choice` that of choosing the model there, too; `against` is the winner's cost minus that of each baseline.
    `test` evaluates the deployed model on rows that nothing else has seen; `test_cost` is what its calls cost there and
    `test_measures` how good they are, at the condition's class mix. `labels` are what the negative and the positive
    side are called.
    `learning_curve` and `feature_curve` are the winner's expected cost against training rows and features, None where
    they were not asked for or the rows do not allow them.
    """

    model: Any
    decision: Decision
    evaluation: Evaluation
    validation: CrossValidation
    nested: Mapping[str, Interval]
    nested_choice: Interval
    against: Mapping[str, Difference]
    test: Evaluation
    test_cost: Interval
    test_measures: Mapping[str, Interval]
    columns: ColumnTypes
    split: Split
    target: str
    positive: Any
    labels: tuple[Any, Any]
    learning_curve: LearningCurve | None
    feature_curve: FeatureCurve | None
    cautions: tuple[Caution, ...]

    @property
    def beats_baselines(self) -> bool:
        """Whether the winner is cheaper than both baselines beyond doubt."""
        return self.decision.model not in (MAJORITY, ONE_FEATURE) and all(
            difference.verdict == "better" for difference in self.against.values()
        )

    def probabilities(self, data: Any) -> Floats:
        """The calibrated probability of the positive class for rows of a table with the same columns."""
        return np.asarray(self.model.predict_proba(_features(data, self.columns))[:, 1])

    def calls(self, data: Any) -> Flags:
        """Which rows of a table the decision calls positive."""
        return apply(self.decision, self.probabilities(data))

    def summary(self) -> str:
        """What was tried, what won, whether it beats the baselines, and what it costs on untouched rows."""
        return summary_text(self)

    def __str__(self) -> str:
        return self.summary()

    def _brief(self) -> str:
        return f"{self.decision.model} for {self.target!r}, test cost {self.test_cost}"

    def _columns(self) -> Mapping[str, Any]:
        columns = interval_columns(({"model": name}, cost) for name, cost in self.nested.items())
        auc = [self.evaluation[name].auc.estimate for name in self.nested]
        return columns | {"auc": auc, "chosen": [name == self.decision.model for name in self.nested]}


def learn(
    data: Any,
    target: str,
    *,
    positive: Any = None,
    condition: OperatingCondition | None = None,
    prefer: str | None = None,
    models: Sequence[str] | Mapping[str, Any] | None = None,
    types: Mapping[str, Any] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    calibration: Method = "platt",
    missing: Literal["indicator", "fill"] = "indicator",
    folds: Folding = 5,
    groups: Any = None,
    time: Any = None,
    curves: bool = True,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    stage: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Learned:
    """Prepare a table, compare models on the same folds, decide for one, and check it on untouched rows.

    A quarter of the rows is put aside. On the others every model of the zoo and two baselines are prepared,
    fitted and calibrated inside each fold, compared in pairs, and one is chosen with its threshold under the
    condition. That one is fitted on all of them and tried once on the quarter put aside.

    Parameters
    ----------
    data, target
        A table of named columns, and the name of the column to learn.
    positive
        The positive label; needed unless labels are bool or 0/1. Of more than two classes it is told from the rest.
    condition
        Costs and class ratio at deployment; without it errors cost the same.
    prefer
        Which of the models that may be best is taken: "simplest", "first" (as given) or a model's name. Without it the
        cheapest is.
    models
        Names of the zoo's models, or a mapping of names to classifiers; all of the zoo unless told.
    types, orders
        As in `column_types`, for columns that are not what they seem.
    calibration
        How scores are mapped to probabilities, as in `CalibratedModel`.
    missing
        How missing values of features are treated, as in `preparation`.
    folds, groups, time
        As in `cross_validate`; groups stay together and time runs forward in folds and in the test rows alike.
    curves
        Whether to draw the winner's expected cost against training rows and against features, too.
    level, seed, n_jobs
        Of all intervals; of everything random; fits at once.
    stage, progress
        Called with what begins, in words; called with how many of its fits are done and how many there are.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> table = load_breast_cancer(as_frame=True).frame.assign(target=lambda t: t.target == 0)
    >>> costs = OperatingCondition(cost_ratio=5)
    >>> found = learn(table, "target", models=["logistic"], condition=costs, folds=10, curves=False)
    >>> found.decision.model, found.beats_baselines
    ('logistic', True)
    """
    for name, called in (("stage", stage), ("progress", progress)):
        require_function(called, name=name)
    require_option(calibration, get_args(Method), name="calibration")
    require_level(level)
    require_jobs(n_jobs)
    if condition is not None:
        require_kind(condition, OperatingCondition, name="condition", fix="e.g. OperatingCondition()")
    begin = stage or (lambda _: None)
    asked = condition if condition is not None else OperatingCondition()
    tried = chosen_models(models, seed=seed)
    require_no_rule_names(tuple(tried), current=False)
    preferred = preferred_models(prefer, tuple(tried))
    table = frame(data)
    fewest = max(folds, 2) if isinstance(folds, int) else 2
    goal = goal_of(table, target, positive=positive, fewest=fewest)
    columns = column_types(table, target=target, types=types, orders=orders)
    dealt = split(goal.flags, {"train": 100 - _TEST_SHARE, "test": _TEST_SHARE}, groups=groups, time=time, seed=seed)
    if isinstance(folds, int) and folds > 1:  # fewer are refused by whoever deals them
        require_enough(goal, dealt["train"], folds=folds)
    features, (train, test) = _features(table, columns), (dealt["train"], dealt["test"])
    inner = _within(groups, time, seed)
    candidates = {
        name: CalibratedModel(
            Pipeline([("prepare", preparation(columns, missing=missing, seed=seed)), ("model", model)]),
            method=calibration,
            cv=inner,
        )
        for name, model in tried.items()
    }
    beside: dict[str, Any] = {
        name: None if given is None else column(given, name=name)[train]
        for name, given in (("groups", groups), ("times", time))
    }
    X, y = features.iloc[train], goal.flags[train]
    begin(COMPARING)
    cv = with_one_majority_score(
        cross_validate(candidates, X, y, folds=folds, seed=seed, n_jobs=n_jobs, progress=progress, **beside)
    )
    begin("deciding")
    given: dict[str, Any] = {"condition": asked, "positive": goal.labels[1], "level": level, "seed": seed}
    evaluation = evaluate(goal.named(cv.labels), cv.scores, clusters=cv.clusters, prefer=preferred, **given)
    evaluation = replace(evaluation, cautions=without_majority_remark(evaluation.cautions))
    costs = {name: nested_costs(cv, asked, name) for name in candidates}
    winner = evaluation.decision.model
    begin(f"fitting {winner} on all rows that are not put aside")
    final = candidates[winner].fit(X, y, **beside)
    scores = final.predict_proba(features.iloc[test])[:, 1]
    calls = apply(evaluation.decision, scores)
    clusters = None if groups is None else column(groups, name="groups")[test]
    tested = evaluate(
        goal.named(goal.flags[test]), {winner: scores}, predictions=goal.named(calls), clusters=clusters, **given
    )
    drawn = WinnerCurves()
    if curves:
        drawn = winner_curves(
            candidates[winner],
            X,
            y,
            threshold=evaluation.decision.threshold,
            condition=asked,
            folds=folds,
            level=level,
            seed=seed,
            n_jobs=n_jobs,
            stage=begin,
            progress=progress,
            **beside,
        )
    return Learned(
        model=final,
        decision=evaluation.decision,
        evaluation=evaluation,
        validation=cv,
        nested={name: nested_interval(cv, asked, name, level=level) for name in candidates},
        nested_choice=nested_interval(cv, asked, level=level),
        against={
            name: replace(
                corrected_t(costs[winner], costs[name], test_share=cv.test_share, level=level, better="lower"),
                a=winner,
                b=name,
            )
            for name in (MAJORITY, ONE_FEATURE)
            if name != winner
        },
        test=tested,
        test_cost=calls_cost(goal.flags[test], calls, asked, clusters=clusters, level=level),
        test_measures=calls_measures(
            goal.flags[test], calls, class_ratio=asked.class_ratio, clusters=clusters, level=level
        ),
        columns=columns,
        split=dealt,
        target=target,
        positive=goal.positive,
        labels=goal.labels,
        learning_curve=drawn.rows,
        feature_curve=drawn.features,
        cautions=(
            *leakage(goal.table, target, columns=columns, split=dealt, groups=groups),
            *evaluation.cautions,
            *drawn.cautions,
        ),
    )


def _within(groups: Any, time: Any, seed: int) -> Any:
    """How calibration deals folds within training rows: by class, whole groups, or forward in time."""
    if time is not None:
        return _WITHIN
    dealer = StratifiedKFold if groups is None else StratifiedGroupKFold
    return dealer(_WITHIN, shuffle=True, random_state=seed)


def _features(data: Any, columns: ColumnTypes) -> Any:
    table = frame(data)
    if absent := [name for name in columns.used if name not in table.columns]:
        raise ColumnError(
            f"{len(absent)} of {len(columns.used)} columns are not there: {', '.join(map(repr, absent[:8]))}",
            fix="give a table with the columns the model learnt from",
        )
    return table[columns.used]
