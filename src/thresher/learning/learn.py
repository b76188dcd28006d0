"""`learn`: from a table to a calibrated model with a threshold."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from thresher._internal.arguments import require_function, require_instance, require_level, require_one_of
from thresher._internal.parallel import Progress
from thresher._internal.results import Tabular
from thresher._internal.text import interval_text, number_text
from thresher.calibration.maps.map import Method
from thresher.cautions import Caution
from thresher.errors import ColumnError, ThresherError
from thresher.evaluation import Decision, ThresholdEvaluation, evaluate
from thresher.evaluation.results import limits_text
from thresher.evaluation.rules import require_no_rule_names
from thresher.evaluation.summary import text_table
from thresher.inference import Difference, Interval, corrected_t, interval, intervals
from thresher.inference.interval import interval_columns
from thresher.inputs.columns import column
from thresher.learning.data.column_types import ColumnTypes, column_types
from thresher.learning.data.frame import frame
from thresher.learning.data.leakage import leakage
from thresher.learning.data.split import Split, split
from thresher.learning.data.target import one_vs_rest, require_enough
from thresher.learning.models.calibrated import CalibratedModel
from thresher.learning.models.candidates import (
    MAJORITY,
    ONE_FEATURE,
    drop_majority_caution,
    merge_majority_scores,
    models_to_compare,
    order_of_preference,
)
from thresher.learning.preprocessing.preparation import preparation
from thresher.learning.validation.cross_validate import CrossValidation, cross_validate, nested_costs, nested_interval
from thresher.learning.validation.feature_curve import BestSingle, FeatureCurve, feature_curve
from thresher.learning.validation.folds import Folding
from thresher.learning.validation.learning_curve import LearningCurve, learning_curve, spaced_sizes
from thresher.learning.validation.scoring import fold_metric, prediction_table
from thresher.ranking import Flags, Floats, reaches
from thresher.tables import OperatingCondition

Curve = TypeVar("Curve")

COMPARING = "comparing models"
_TEST_SHARE = 25
_INNER_FOLDS = 3
# As few points as an asymptote needs, since every one is a fit in each fold; `learning_curve` and `feature_curve` draw
# finer curves.
_ROWS, _FEATURES, _FEATURE_FOLDS = 4, 4, 3
_NAMES_SHOWN = 6


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Learned(Tabular):
    """A model to deploy, its decision, and everything that led there.

    `nested` is each model's expected cost over folds at thresholds chosen on the rows each fold learns from, and
    `nested_choice` that of choosing the model there, too; `against` is the winner's cost minus that of each baseline.
    `test`, `test_cost` and `test_measures` judge the deployed model on unseen rows, at the condition's class mix.
    `labels` are those of the negative and the positive side. Curves are the winner's expected cost, None where they
    were not asked for or the rows do not allow them.
    """

    model: Any
    decision: Decision
    evaluation: ThresholdEvaluation
    validation: CrossValidation
    nested: Mapping[str, Interval]
    nested_choice: Interval
    against: Mapping[str, Difference]
    test: ThresholdEvaluation
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
        """The calibrated probability of the positive class of each row."""
        return np.asarray(self.model.predict_proba(_features(data, self.columns))[:, 1])

    def calls(self, data: Any) -> Flags:
        """Which rows of a table the decision calls positive."""
        return self.decision.apply(self.probabilities(data))

    def summary(self) -> str:
        """All models, the decision, the baselines, and the check on rows put aside."""
        head = ["model", "nested cost", "auc"]
        lines = [
            [name, limits_text(cost), number_text(self.evaluation[name].auc.estimate)]
            for name, cost in self.nested.items()
        ]
        sizes, area = self.split.sizes, self.test[self.decision.model].auc
        return "\n".join(
            [
                f"{sizes['train']:,} rows to learn {self.target!r} from, {sizes['test']:,} put aside.",
                "",
                text_table([head, *lines]),
                "",
                str(self.decision),
                choice_words(self),
                baseline_words(self),
                f"On the rows put aside its calls cost {self.test_cost} per case; AUC {area}.",
                *curve_words(self),
                *(f"! {caution}" for caution in self.cautions),
            ]
        )

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
    times: Any = None,
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
        The positive label; needed unless labels are bool or 0/1. Of several classes it is learnt against the rest.
    condition
        Costs and class ratio at deployment; without it errors cost the same.
    prefer
        Which of the models that may be best is taken: "simplest", "first", a model's name, or by default the cheapest.
    models
        Names of candidate models, or a mapping of names to classifiers; all candidates by default.
    types, orders, missing, calibration
        As in `column_types`, `preparation` and `CalibratedModel`.
    folds, groups, times
        As in `cross_validate`; groups stay together and times run forward in folds and in the test rows alike.
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
    require_one_of(calibration, get_args(Method), name="calibration")
    require_level(level)
    condition = OperatingCondition() if condition is None else condition
    require_instance(condition, OperatingCondition, name="condition", fix="e.g. OperatingCondition()")
    begin = stage or (lambda _: None)
    compared = models_to_compare(models, seed=seed)
    require_no_rule_names(tuple(compared), current=False)
    preferred = order_of_preference(prefer, tuple(compared))
    table = frame(data)
    truth = one_vs_rest(table, target, positive=positive, fewest=max(folds, 2) if isinstance(folds, int) else 2)
    columns = column_types(table, target=target, types=types, orders=orders)
    parts = split(truth.flags, {"train": 100 - _TEST_SHARE, "test": _TEST_SHARE}, groups=groups, times=times, seed=seed)
    train, test = parts["train"], parts["test"]
    if isinstance(folds, int) and folds > 1:  # fewer folds are refused later
        require_enough(truth, train, folds=folds)
    inner: Any = _INNER_FOLDS  # a number of folds runs forward in time where there are times
    if times is None:
        splitter = StratifiedKFold if groups is None else StratifiedGroupKFold
        inner = splitter(_INNER_FOLDS, shuffle=True, random_state=seed)
    prepare = preparation(columns, missing=missing, seed=seed)
    candidates = {
        name: CalibratedModel(Pipeline([("prepare", prepare), ("model", model)]), method=calibration, cv=inner)
        for name, model in compared.items()
    }
    row_data = {
        name: None if values is None else column(values, name=name)[train]
        for name, values in (("groups", groups), ("times", times))
    }
    features = _features(table, columns)
    X, y = features.iloc[train], truth.flags[train]
    fits: dict[str, Any] = {"folds": folds, "seed": seed, "n_jobs": n_jobs, "progress": progress, **row_data}
    begin(COMPARING)
    cv = merge_majority_scores(cross_validate(candidates, X, y, **fits))
    begin("deciding")
    options: dict[str, Any] = {"condition": condition, "positive": truth.labels[1], "level": level, "seed": seed}
    evaluation = evaluate(truth.named(cv.labels), cv.scores, clusters=cv.clusters, prefer=preferred, **options)
    evaluation = replace(evaluation, cautions=drop_majority_caution(evaluation.cautions))
    decision = evaluation.decision
    winner = decision.model
    begin(f"fitting {winner} on all rows that are not put aside")
    model = candidates[winner].fit(X, y, **row_data)
    scores = model.predict_proba(features.iloc[test])[:, 1]
    actual, calls = truth.flags[test], decision.apply(scores)
    clusters = None if groups is None else column(groups, name="groups")[test]
    calls_table = prediction_table(actual, calls, clusters=clusters)
    drawn = WinnerCurves()
    if curves:
        fits |= {"threshold": decision.threshold, "condition": condition, "level": level, "stage": begin}
        drawn = winner_curves(candidates[winner], X, y, **fits)
    costs = {name: nested_costs(cv, condition, name) for name in dict.fromkeys((winner, MAJORITY, ONE_FEATURE))}
    difference = partial(corrected_t, costs[winner], test_share=cv.test_share, level=level, better="lower")
    return Learned(
        model=model,
        decision=decision,
        evaluation=evaluation,
        validation=cv,
        nested={name: nested_interval(cv, condition, name, level=level) for name in candidates},
        nested_choice=nested_interval(cv, condition, level=level),
        against={name: replace(difference(cost), a=winner, b=name) for name, cost in costs.items() if name != winner},
        test=evaluate(
            truth.named(actual), {winner: scores}, predictions=truth.named(calls), clusters=clusters, **options
        ),
        test_cost=interval(calls_table, condition, level=level),
        test_measures=intervals(calls_table, class_ratio=condition.class_ratio, level=level),
        columns=columns,
        split=parts,
        target=target,
        positive=truth.positive,
        labels=truth.labels,
        learning_curve=drawn.rows,
        feature_curve=drawn.features,
        cautions=(
            *leakage(truth.table, target, columns=columns, split=parts, groups=groups),
            *evaluation.cautions,
            *drawn.cautions,
        ),
    )


class WinnerCurves(NamedTuple):
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
    stage: Callable[[str], None],
    **options: Any,
) -> WinnerCurves:
    """The expected cost against training rows, and against the best single features.

    `model` is a calibrated pipeline of a preparation and a classifier, so that features are prepared and selected
    on the training rows of each fold; `options` are those of the curves. A curve for which there are too few rows is
    left out, with a caution.
    """
    cost = fold_metric(condition)
    options["measure"] = replace(cost, read=lambda fold: cost(replace(fold, predicted=reaches(fold.score, threshold))))
    cautions: list[Caution] = []

    def attempt(name: str, draw: Callable[[], Curve]) -> Curve | None:
        stage(name)
        try:
            with warnings.catch_warnings():
                # Parts of few rows lack categories and do not converge, which says nothing of the model deployed.
                warnings.simplefilter("ignore", UserWarning)
                return draw()
        except ValueError as error:  # what scikit-learn refuses, and every ThresherError
            reason = error.what if isinstance(error, ThresherError) else str(error).strip().partition("\n")[0]
            cautions.append(Caution("no-curve", f"there is no {name}: {reason}"))
            return None

    rows = attempt("learning curve", lambda: learning_curve(model, X, y, points=_ROWS, folds=folds, **options))
    few = min(folds, _FEATURE_FOLDS) if isinstance(folds, int) else folds
    features = attempt("feature curve", lambda: _by_features(model, X, y, folds=few, **options))
    return WinnerCurves(rows, features, tuple(cautions))


def choice_words(learned: Learned) -> str:
    """The cost to expect of a decision made this way."""
    costs = limits_text(learned.nested_choice)
    return f"With model and threshold chosen without the rows they are judged on, a case costs {costs}."


def baseline_words(learned: Learned) -> str:
    """Whether the winner is worth its trouble."""
    winner = learned.decision.model
    if winner in (MAJORITY, ONE_FEATURE):
        cheaper = [name for name, cost in learned.nested.items() if cost.estimate < learned.nested[winner].estimate]
        verb = "costs" if len(cheaper) == 1 else "cost"
        doubt = f", though {' and '.join(cheaper)} {verb} less with nested choices" if cheaper else ""
        return f"No model beats the baselines beyond doubt: the {winner} itself is cheapest{doubt}."
    unbeaten = {name: difference for name, difference in learned.against.items() if difference.verdict != "better"}
    if not unbeaten:
        return f"{winner} beats both baselines, the {MAJORITY} and the {ONE_FEATURE}."
    names = []
    for name, costs in unbeaten.items():
        doubt = f"cost difference {interval_text(costs.difference, costs.lower, costs.upper)}"
        if np.isnan(costs.lower):
            doubt = f"the same cost difference in every fold, {number_text(costs.difference)}"
        names.append(f"the {name} ({doubt})")
    return f"{winner} does not beat {' and '.join(names)} beyond doubt."


def curve_words(learned: Learned) -> list[str]:
    """What more rows and what more features would bring, a sentence for each curve."""
    words = []
    if (rows := learned.learning_curve) is not None:
        more = "too little is known to say what more rows would bring"
        if rows.asymptote is not None:
            more = f"with ever more rows {limits_text(rows.asymptote)}"
        now = number_text(float(rows.validation.estimate[-1]))
        words.append(f"Learning curve: cost {now} with {rows.sizes[-1]:,} rows; {more}.")
    if (features := learned.feature_curve) is not None:
        best, simplest, sizes = features.best, features.simplest, features.sizes
        costs = dict(zip(sizes, map(number_text, features.validation.estimate.tolist()), strict=True))
        few = f"; {simplest:,} will do (cost {costs[simplest]})" if simplest < best else ""
        words.append(
            f"Feature curve: cost {costs[best]} with the best {best:,} of {sizes[-1]:,} prepared features{few}."
        )
    return words


def kind_words(learned: Learned) -> list[str]:
    """Which columns are of which kind, the first few by name."""
    kinds: dict[str, list[str]] = {}
    for each in learned.columns:
        kinds.setdefault(each.kind, []).append(each.name)
    return [
        f"{len(names):,} {kind}: {', '.join(names[:_NAMES_SHOWN])}"
        + (f" and {len(names) - _NAMES_SHOWN:,} more" if names[_NAMES_SHOWN:] else "")
        for kind, names in kinds.items()
    ]


def _features(data: Any, columns: ColumnTypes) -> Any:
    table = frame(data)
    if absent := [name for name in columns.used if name not in table.columns]:
        what = f"{len(absent)} of {len(columns.used)} columns are not there: {', '.join(map(repr, absent[:8]))}"
        raise ColumnError(what, "give a table with the columns the model learnt from")
    return table[columns.used]


def _by_features(model: CalibratedModel, X: Any, y: Any, **options: Any) -> FeatureCurve:
    prepare, classifier = model.estimator.steps
    features = clone(prepare[1]).fit(X, y).get_feature_names_out().size
    selecting = clone(model).set_params(estimator=Pipeline([prepare, ("select", BestSingle()), classifier]))
    sizes = spaced_sizes(1, features, min(_FEATURES, features)).tolist()
    curve = feature_curve(selecting, X, y, parameter="estimator__select__k", sizes=sizes, **options)
    return replace(curve, parameter="features")
