"""`learn`: from a table to a calibrated model with a threshold, checked on rows it never saw."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from thresher._internal.results import Tabular
from thresher._internal.text import interval_text, number_text
from thresher.calibration.maps.map import Method
from thresher.cautions import Caution
from thresher.errors import ColumnError, ThresherError
from thresher.evaluation import Decision, Evaluation, evaluate
from thresher.evaluation.rules import require_no_rule_names
from thresher.evaluation.summary import text_table
from thresher.inference import Difference, Interval, corrected_t
from thresher.inference.bootstrap.draws import Progress
from thresher.inference.interval import interval_columns, require_level
from thresher.learning.arguments import require_function, require_jobs, require_kind, require_option
from thresher.learning.data.column_types import ColumnTypes, column_types
from thresher.learning.data.frame import frame
from thresher.learning.data.leakage import leakage
from thresher.learning.data.split import Split, split
from thresher.learning.data.target import goal_of, require_enough
from thresher.learning.models.baselines import MAJORITY, ONE_FEATURE, with_one_majority_score, without_majority_remark
from thresher.learning.models.calibrated import CalibratedModel
from thresher.learning.models.candidates import chosen_models, preferred_models
from thresher.learning.preprocessing.preparation import preparation
from thresher.learning.validation.cross_validate import CrossValidation, cross_validate
from thresher.learning.validation.feature_curve import BestSingle, FeatureCurve, feature_curve, spaced_sizes
from thresher.learning.validation.folds import Folding
from thresher.learning.validation.learning_curve import LearningCurve, learning_curve
from thresher.learning.validation.nested import nested_costs, nested_interval
from thresher.learning.validation.scoring import Yardstick, calls_cost, calls_measures, yardstick
from thresher.ranking import Flags, Floats, reaches
from thresher.sources.columns import column
from thresher.tables import OperatingCondition

Curve = TypeVar("Curve")

_HOW_MANY = "estimator__select__k"
# As few points as an asymptote needs, since every one is a fit in each fold; `learning_curve` and `feature_curve` draw
# finer curves.
_ROWS, _FEATURES, _FEATURE_FOLDS = 4, 4, 3


@dataclass(frozen=True, slots=True, eq=False)
class WinnerCurves:
    """The curves that could be drawn, and a caution for each that could not."""

    rows: LearningCurve | None = None
    features: FeatureCurve | None = None
    cautions: tuple[Caution, ...] = ()


def winner_curves(
    model: CalibratedModel,
    X: Any,
    y: Any,
    *,
    threshold: float,
    condition: OperatingCondition,
    folds: Folding,
    level: float = 0.95,
    seed: int = 0,
    n_jobs: int | None = None,
    stage: Callable[[str], None],
    progress: Progress | None = None,
    **beside: Any,
) -> WinnerCurves:
    """The expected cost against training rows and against prepared features, the best single ones first.

    `model` is a calibrated pipeline of a preparation and a classifier, so that features are prepared and selected
    on the training rows of each fold; `beside` holds groups or times. A few points each, and the second on three
    folds: they are to show whether more is worth asking for. Small parts of few rows may be more than a model or
    its calibration can learn from; a curve that fails for it is left out, with a caution.

    >>> import pandas as pd
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning import column_types, preparation
    >>> X = pd.DataFrame({"age": [*range(20, 40)] * 2, "town": ["Oslo", "Rome"] * 20})
    >>> steps = Pipeline([("prepare", preparation(column_types(X))), ("model", GaussianNB())])
    >>> asked = {"threshold": 0.5, "condition": OperatingCondition(), "folds": 2, "stage": print}
    >>> found = winner_curves(CalibratedModel(steps, method="platt", cv=2), X, X["age"] >= 30, **asked)
    learning curve
    feature curve
    >>> found.features.sizes, found.rows.measure
    ((1, 2, 3), 'expected_cost')
    """
    measure = _at_threshold(condition, threshold)
    given = {"measure": measure, "level": level, "seed": seed, "n_jobs": n_jobs, "progress": progress, **beside}
    cautions: list[Caution] = []

    def drawn(name: str, draw: Callable[[], Curve]) -> Curve | None:
        stage(name)
        try:
            with warnings.catch_warnings():
                # Parts of few rows lack categories and do not converge, which says nothing of the model deployed.
                warnings.simplefilter("ignore", UserWarning)
                return draw()
        except ValueError as error:  # what scikit-learn refuses, and every ThresherError
            cautions.append(_undrawn(name, error))
            return None

    rows = drawn("learning curve", lambda: learning_curve(model, X, y, points=_ROWS, folds=folds, **given))
    few = min(folds, _FEATURE_FOLDS) if isinstance(folds, int) else folds
    features = drawn("feature curve", lambda: _by_features(model, X, y, folds=few, **given))
    return WinnerCurves(rows, features, tuple(cautions))


def _by_features(model: CalibratedModel, X: Any, y: Any, **given: Any) -> FeatureCurve:
    prepare, classifier = model.estimator.steps
    features = clone(prepare[1]).fit(X, y).get_feature_names_out().size
    selecting = clone(model).set_params(estimator=Pipeline([prepare, ("select", BestSingle()), classifier]))
    sizes = spaced_sizes(features, most=_FEATURES)
    found = feature_curve(selecting, X, y, parameter=_HOW_MANY, sizes=sizes, **given)
    return replace(found, parameter="features")


def _undrawn(name: str, error: ValueError) -> Caution:
    reason = error.what if isinstance(error, ThresherError) else str(error).strip().partition("\n")[0]
    return Caution("no-curve", f"there is no {name}: {reason}")


def _at_threshold(condition: OperatingCondition, threshold: float) -> Yardstick:
    """The expected cost of calling rows positive whose score reaches a threshold."""
    cost = yardstick(condition)
    return replace(cost, of=lambda fold: cost.of(replace(fold, called=reaches(fold.score, threshold))))


_NAMES_SHOWN = 6


def summary_text(found: Learned) -> str:
    """A table of all models, the decision, the baselines, and the check on untouched rows."""
    head = ["model", "nested cost", "auc"]
    lines = [
        [
            name,
            interval_text(cost.estimate, cost.lower, cost.upper),
            number_text(found.evaluation[name].auc.estimate),
        ]
        for name, cost in found.nested.items()
    ]
    sizes = found.split.sizes
    return "\n".join(
        [
            f"{sizes['train']:,} rows to learn {found.target!r} from, {sizes['test']:,} put aside.",
            "",
            text_table([head, *lines]),
            "",
            str(found.decision),
            choice_words(found),
            baseline_words(found),
            (
                f"On the rows put aside its calls cost {found.test_cost} per case; "
                f"AUC {found.test[found.decision.model].auc}."
            ),
            *curve_words(found),
            *(f"! {caution}" for caution in found.cautions),
        ]
    )


def choice_words(found: Learned) -> str:
    """What to expect of a decision that is made so."""
    cost = found.nested_choice
    costs = interval_text(cost.estimate, cost.lower, cost.upper)
    return f"With model and threshold chosen without the rows they are judged on, a case costs {costs}."


def baseline_words(found: Learned) -> str:
    """Whether the winner is worth its trouble."""
    winner = found.decision.model
    if winner in (MAJORITY, ONE_FEATURE):
        return f"No model beats the baselines: the {winner} itself is cheapest."
    unbeaten = [name for name, difference in found.against.items() if difference.verdict != "better"]
    if not unbeaten:
        return f"{winner} beats both baselines, the {MAJORITY} and the {ONE_FEATURE}."
    told = " and ".join(f"the {name} ({_difference_words(found.against[name])})" for name in unbeaten)
    return f"{winner} does not beat {told} beyond doubt."


def curve_words(found: Learned) -> list[str]:
    """What more rows and what more features would bring, a sentence for each curve there is."""
    words = []
    if found.learning_curve is not None:
        curve = found.learning_curve
        rest = "too little is known to say what more rows would bring"
        if curve.asymptote is not None:
            far = curve.asymptote
            rest = f"with ever more rows {interval_text(far.estimate, far.lower, far.upper)}"
        now = number_text(float(curve.validation.estimate[-1]))
        words.append(f"Learning curve: cost {now} with {curve.sizes[-1]:,} rows; {rest}.")
    if found.feature_curve is not None:
        best, simplest = found.feature_curve.best, found.feature_curve.simplest
        costs = dict(zip(found.feature_curve.sizes, found.feature_curve.validation.estimate.tolist(), strict=True))
        few = f"; {simplest:,} will do (cost {number_text(costs[simplest])})" if simplest < best else ""
        of = f"{best:,} of {found.feature_curve.sizes[-1]:,} prepared features"
        words.append(f"Feature curve: cost {number_text(costs[best])} with the best {of}{few}.")
    return words


def kind_words(found: Learned) -> list[str]:
    """Which columns are of which kind, the first few by name."""
    kinds: dict[str, list[str]] = {}
    for each in found.columns:
        kinds.setdefault(each.kind, []).append(each.name)
    return [
        f"{len(names):,} {kind}: {', '.join(names[:_NAMES_SHOWN])}"
        + (f" and {len(names) - _NAMES_SHOWN:,} more" if names[_NAMES_SHOWN:] else "")
        for kind, names in kinds.items()
    ]


def _difference_words(found: Difference) -> str:
    if math.isnan(found.lower):
        return f"the same cost difference in every fold, {number_text(found.difference)}"
    return f"cost difference {interval_text(found.difference, found.lower, found.upper)}"


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
        return self.decision.apply(self.probabilities(data))

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
    calls = evaluation.decision.apply(scores)
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
