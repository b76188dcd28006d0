"""`learn`: from a table to a calibrated model with a decision."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple

from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from thresher._internal.arguments import require_function, require_instance, require_level, require_one_of
from thresher._internal.parallel import Progress
from thresher.cautions import Caution
from thresher.errors import located
from thresher.evaluation import Decision, LeastCostEvaluation, LeastCostRule, ThresholdEvaluation, evaluate
from thresher.evaluation.least_cost.rules import require_no_reserved_names
from thresher.evaluation.rules import require_no_rule_names
from thresher.inference import Difference, Interval, corrected_t, interval, intervals
from thresher.inputs.arrow import Column
from thresher.inputs.columns import column
from thresher.inputs.labels import listed
from thresher.learning.columns_by_class import columns_by_class, redundant_columns
from thresher.learning.data.column_types import ColumnTypes, column_types
from thresher.learning.data.frame import frame
from thresher.learning.data.leakage import leakage
from thresher.learning.data.shift import covariate_shift
from thresher.learning.data.split import split
from thresher.learning.data.target import LearningTarget, learning_target, require_enough
from thresher.learning.learned import Learned, TunedSettings, features_of, measures_of, scores_of_model
from thresher.learning.models.calibrated import OF_SEVERAL, OF_TWO, CalibratedModel, Calibration
from thresher.learning.models.candidates import (
    MAJORITY,
    ONE_FEATURE,
    drop_majority_caution,
    merge_majority_scores,
    models_to_compare,
    order_of_preference,
)
from thresher.learning.models.tuned import TunedModel, Tuning, model_with, race_settings, settings_to_try
from thresher.learning.preprocessing.encoders import Text
from thresher.learning.preprocessing.preparation import preparation
from thresher.learning.preprocessing.shared import PreparedRows, SharedPreparation
from thresher.learning.validation.cross_validate import CrossValidation, cross_validate, nested_costs, nested_interval
from thresher.learning.validation.folds import Folding
from thresher.learning.validation.scoring import prediction_table
from thresher.learning.winner_cautions import winner_cautions
from thresher.learning.winner_curves import WinnerCurves, winner_curves
from thresher.ranking import Floats
from thresher.tables import CostMatrix, OperatingCondition

COMPARING = "comparing models"
TUNING = "comparing models, and settings of each"
_TEST_SHARE = 25
_INNER_FOLDS = 3


def learn(
    data: Any,
    target: str,
    *,
    positive: Any = None,
    other: Any = None,
    condition: OperatingCondition | None = None,
    prefer: str | None = None,
    models: Sequence[str] | Mapping[str, Any] | None = None,
    types: Mapping[str, Any] | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    derive: Sequence[str] = (),
    calibration: Calibration | None = None,
    tune: Tuning = False,
    missing: Literal["indicator", "fill"] = "indicator",
    text: Text = "tf-idf",
    folds: Folding = 5,
    groups: Any = None,
    times: Any = None,
    deployment: Any = None,
    curves: bool = True,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    stage: Callable[[str], None] | None = None,
    progress: Progress | None = None,
) -> Learned:
    """Prepare a table, compare models, decide for one, and check it on unseen rows.

    A quarter of the rows is put aside. On the others every candidate model and two baselines are prepared,
    fitted and calibrated inside each fold, compared in pairs, and one is chosen with its threshold under the
    condition. That one is fitted on all of them and tried once on the quarter put aside.

    Parameters
    ----------
    data, target
        A table of named columns, and the name of the column to learn.
    positive
        The positive one of two labels; needed unless labels are bool or 0/1. Of several classes it is learnt against
        the rest; without it all of them are learnt, and the decision is the action of least expected cost.
    other
        Of several classes, the one that rare labels count as (or those without costs), instead of being refused.
    condition
        Costs and class mix at deployment; without it errors cost the same.
    prefer
        Which of the models that may be best is taken: "simplest", "first", a model's name, or by default the cheapest.
    models
        Names of candidate models, or a mapping of names to classifiers; all candidates by default.
    types, orders, derive, missing, text
        As in `column_types` and `preparation`.
    calibration
        The method of `CalibratedModel`: "platt" unless given, and of several classes "auto", the best map by cost.
    tune
        Whether settings of models are chosen, too, on folds within the rows that each is fitted on; a mapping has the
        grid of each model to tune, as scikit-learn's searches take it: `{"logistic": {"C": [0.1, 10]}}`.
    folds, groups, times
        As in `cross_validate`; groups stay together and times run forward in folds and in the test rows alike.
    deployment
        Rows from where the model will be used, without labels: the rows put aside are compared with them, column by
        column, as `covariate_shift` does, and a caution says which differ.
    curves
        Whether to draw the winner's expected cost against training rows and against features, too.
    stage, progress
        Called with what begins, in words; called with how many of its fits are done and how many there are.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> table = load_breast_cancer(as_frame=True).frame.assign(target=lambda t: t.target == 0)
    >>> costs = OperatingCondition(cost_ratio=5)
    >>> learned = learn(table, "target", models=["logistic"], condition=costs, folds=10, curves=False)
    >>> learned.decision.model, learned.beats_baselines
    ('logistic', True)
    """
    require_function(stage, name="stage")
    require_level(level)
    condition = OperatingCondition() if condition is None and positive is not None else condition
    if condition is not None:
        require_instance(condition, OperatingCondition, name="condition", fix="e.g. OperatingCondition()")
    begin = stage or (lambda _: None)
    models_to_compare(models, seed=seed)  # refuses models before anything is read
    table = frame(data)
    number = folds if isinstance(folds, int) else None
    goal = learning_target(table, target, positive=positive, condition=condition, other=other, folds=number)
    if condition is None:
        equal = None if goal.classes is None else CostMatrix.equal(goal.classes)
        condition = OperatingCondition(costs=equal)
    compared = models_to_compare(models, seed=seed, classes=len(goal.labels))
    require_free_names(compared, goal)
    settings, preferred = settings_to_try(tune, compared), order_of_preference(prefer, tuple(compared))
    columns = column_types(goal.table, target=target, types=types, orders=orders, derive=derive)
    parts = split(goal.y, {"train": 100 - _TEST_SHARE, "test": _TEST_SHARE}, groups=groups, times=times, seed=seed)
    train, test = parts["train"], parts["test"]
    if number is not None and number > 1:  # fewer folds are refused later
        require_enough(goal, train, folds=number)
    prepare = preparation(columns, missing=missing, text=text, seed=seed)
    wrap = partial(
        calibrated_candidates,
        options=calibration_options(calibration, goal, condition),
        folds=inner_folds(groups, times, seed=seed),
    )
    candidates, shared = wrap(compared, prepare), wrap(compared, SharedPreparation(prepare, PreparedRows()))
    row_data = {
        name: None if values is None else column(values, name=name)[train]
        for name, values in (("groups", groups), ("times", times))
    }
    features = features_of(goal.table, columns)
    shift = test_shift(features.iloc[test], deployment, columns, level=level)
    X, y = features.iloc[train], goal.y[train]
    fits: dict[str, Any] = {"folds": folds, "seed": seed, "n_jobs": n_jobs, "progress": progress, **row_data}
    fits["classes"] = goal.classes
    begin(TUNING if settings else COMPARING)
    tuned = {name: TunedModel(shared[name], settings=tried) for name, tried in settings.items()}
    cv = merge_majority_scores(cross_validate(shared | tuned, X, y, **fits))
    begin("deciding")
    asked: dict[str, Any] = {"condition": condition, "level": level, "seed": seed}
    evaluation = evaluate_scores(goal, cv.labels, cv.scores, clusters=cv.clusters, prefer=preferred, **asked)
    evaluation = replace(evaluation, cautions=drop_majority_caution(evaluation.cautions))
    decision, winner = evaluation.decision, evaluation.decision.model
    begin(f"fitting {winner} on all rows that are not put aside")
    race = race_settings(shared[winner], settings[winner], X, y, **row_data) if winner in settings else None
    candidate = candidates[winner] if race is None else model_with(candidates[winner], race.setting)
    model = candidate.fit(X, y, **row_data)
    scores = {winner: scores_of_model(model, features.iloc[test], positive=goal.positive)}
    clusters = None if groups is None else column(groups, name="groups")[test]
    tested = check_decision(goal, goal.y[test], scores, decision, clusters=clusters, **asked)
    drawn = WinnerCurves()
    if curves:
        fits |= {"decide": decision.apply, "condition": condition, "level": level, "stage": begin}
        drawn = winner_curves(candidate, X, y, **fits)
    return Learned(
        model=model,
        decision=decision,
        evaluation=evaluation,
        validation=cv,
        nested={name: nested_interval(cv, condition, name, level=level) for name in candidates},
        nested_choice=nested_interval(cv, condition, level=level),
        against=baseline_differences(cv, condition, winner, level=level),
        test=tested.evaluation,
        test_cost=tested.cost,
        test_measures=tested.measures,
        columns=columns,
        split=parts,
        target=target,
        positive=goal.positive,
        labels=goal.labels,
        learning_curve=drawn.rows,
        feature_curve=drawn.features,
        tuning=TunedSettings.of(settings, cv, race) if settings else None,
        by_class=columns_by_class(X, goal.named(y), columns),
        redundant=redundant_columns(X, columns),
        cautions=(
            *pooled_classes(goal, target),
            *leakage(goal.table, target, columns=columns, split=parts, groups=groups),
            *shift,
            *winner_cautions(model, X, y, decision, cv, condition=condition, positive=goal.positive, level=level),
            *evaluation.cautions,
            *drawn.cautions,
        ),
    )


class Checked(NamedTuple):
    """How the deployed model did on the rows put aside."""

    evaluation: ThresholdEvaluation | LeastCostEvaluation
    cost: Interval
    measures: Mapping[str, Interval]


def evaluate_scores(
    goal: LearningTarget, y: Column, scores: Mapping[str, Floats], **options: Any
) -> ThresholdEvaluation | LeastCostEvaluation:
    """Evaluate scores of rows with these entries of the target."""
    if goal.classes is None:
        return evaluate(goal.named(y), scores, positive=goal.labels[1], **options)
    return evaluate(y, scores, classes=goal.classes, **options)


def check_decision(
    goal: LearningTarget,
    y: Column,
    scores: Mapping[str, Floats],
    decision: Decision,
    *,
    condition: OperatingCondition,
    clusters: Any,
    level: float,
    seed: int,
) -> Checked:
    """What a decision costs on rows that nothing has seen, and its measures there."""
    options: dict[str, Any] = {"condition": condition, "clusters": clusters, "level": level, "seed": seed}
    ((winner, own),) = scores.items()
    calls = decision.apply(own)
    if goal.classes is not None and isinstance(decision.rule, LeastCostRule):
        # Where a mix is declared, the class mix learnt from says what probabilities are made for, so that the weights
        # are those of the decision, and not of another one for the mix of these rows.
        made_at = None if condition.mix is None else decision.rule.trained_at
        several = evaluate(y, scores, classes=goal.classes, trained_at=made_at, **options)
        return Checked(several, several[winner].expected_cost, measures_of(several, winner))
    table = prediction_table(y, calls, clusters=clusters)
    return Checked(
        evaluate_scores(goal, y, scores, predictions=goal.named(calls), **options),
        interval(table, condition, level=level),
        intervals(table, class_ratio=condition.class_ratio, level=level),
    )


def calibration_options(
    calibration: Calibration | None, goal: LearningTarget, condition: OperatingCondition
) -> dict[str, Any]:
    """How models are calibrated: of two sides by Platt's map, of classes by the best."""
    known = OF_TWO if goal.classes is None else OF_SEVERAL
    method = known[0] if calibration is None else calibration
    require_one_of(method, known, name="calibration")
    return {"method": method} | ({"condition": condition} if method == "auto" else {})


def inner_folds(groups: Any, times: Any, *, seed: int) -> Any:
    """The folds that calibration maps are fitted on, within training rows."""
    if times is not None:
        return _INNER_FOLDS  # a number of folds runs forward in time where there are times
    splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
    return splitter(_INNER_FOLDS, shuffle=True, random_state=seed)


def calibrated_candidates(
    models: Mapping[str, Any], prepare: Any, *, options: Mapping[str, Any], folds: Any
) -> dict[str, CalibratedModel]:
    """Every model behind the preparation, calibrated on inner folds."""
    return {
        name: CalibratedModel(Pipeline([("prepare", prepare), ("model", model)]), cv=folds, **options)
        for name, model in models.items()
    }


def baseline_differences(
    cv: CrossValidation, condition: OperatingCondition, winner: str, *, level: float
) -> dict[str, Difference]:
    """The winner's nested cost minus that of each other baseline."""
    costs = {name: nested_costs(cv, condition, name) for name in dict.fromkeys((winner, MAJORITY, ONE_FEATURE))}
    difference = partial(corrected_t, costs[winner], test_share=cv.test_share, level=level, better="lower")
    return {name: replace(difference(cost), a=winner, b=name) for name, cost in costs.items() if name != winner}


def test_shift(tested: Any, deployment: Any, columns: ColumnTypes, *, level: float) -> tuple[Caution, ...]:
    """The caution that rows put aside are unlike those at deployment."""
    if deployment is None:
        return ()
    with located("the rows at deployment"):
        used = features_of(deployment, columns)
    return covariate_shift(tested, used, level=level).cautions


def require_free_names(models: Mapping[str, Any], goal: LearningTarget) -> None:
    """Refuse models that have the name of a rule, before they are fitted."""
    if goal.classes is None:
        require_no_rule_names(tuple(models), current=False)
    else:
        require_no_reserved_names(models)


def pooled_classes(goal: LearningTarget, target: str) -> tuple[Caution, ...]:
    """The caution that labels were joined into one class."""
    if not goal.pooled:
        return ()
    return (Caution("pooled-labels", f"classes of {target!r} were joined into one: {listed(goal.pooled)}"),)
