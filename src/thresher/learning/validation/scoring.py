"""Measures and costs of predictions in folds, with corrected limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from sklearn.metrics import make_scorer

from thresher._internal.arguments import require_one_of, short_repr
from thresher.calibration import adjust_prevalence, brier, log_loss
from thresher.choices import choose
from thresher.choices.choose import operating_condition
from thresher.curves import auc, average_precision
from thresher.errors import ArgumentError, MeasureError, OneClassError, argument
from thresher.inference import CaseCosts
from thresher.inference.interval import Interval, student_quantile
from thresher.inference.intervals.auc import AVERAGES
from thresher.inference.intervals.table import Table, count_calls
from thresher.inference.rows import cluster_codes
from thresher.inputs.arrow import Column
from thresher.inputs.columns import column
from thresher.inputs.labels import classes_of, is_positive, label_array
from thresher.inputs.matrix import segment
from thresher.inputs.rank import rank
from thresher.learning.validation.fit_and_score import ScoredFold
from thresher.ranking import Flags, Floats, Ranking, Segments
from thresher.tables import Contingency, CostMatrix, Measure, OperatingCondition, confusion, contingency, measure
from thresher.tables.condition import require_class_condition, required_costs

Better: TypeAlias = Literal["higher", "lower", "neither"]
MeasureLike: TypeAlias = "str | Measure | OperatingCondition | CostMatrix | Callable[[Any], float] | FoldMetric"


@dataclass(frozen=True, slots=True)
class FoldMetric:
    """A measure by name, its direction and range, and how it is read off scored rows."""

    name: str
    better: Better
    range: tuple[float, float]
    read: Callable[[ScoredFold], float]

    def __call__(self, fold: ScoredFold) -> float:
        """The measure of a fold, refused in words where it needs both classes."""
        try:
            return self.read(fold)
        except OneClassError:
            what = f"a fold is trained or tested on rows that lack a class, where {self.name} has no value"
            fix = "take fewer, larger or stratified folds, a measure such as error_rate, or that of cv.pooled()"
            raise OneClassError(what, fix) from None


# Of several classes: numbers of segments, and of a confusion matrix those that it has as attributes.
_OF_SEGMENTS: dict[str, tuple[float, Callable[[Segments], float]]] = {
    "brier": (1.0, brier),
    "log_loss": (np.inf, log_loss),
}
_OF_MATRICES = (
    *("overall_accuracy", "mean_class_accuracy", "mcc", "kappa"),
    *(f"{how}_{name}" for how in ("macro", "weighted") for name in ("precision", "recall", "f1")),
)
_OF_RANKINGS: dict[str, tuple[Better, tuple[float, float], Callable[[Ranking], float]]] = {
    "auc": ("higher", (0.0, 1.0), auc),
    "average_precision": ("higher", (0.0, 1.0), average_precision),
    "brier": ("lower", (0.0, 1.0), brier),
    "log_loss": ("lower", (0.0, np.inf), log_loss),
}


def fold_metric(of: MeasureLike, classes: Sequence[Any] | None = None) -> FoldMetric:
    """Any measure of scored rows, of two classes or of the `classes` given.

    "auc", "average_precision", "brier", "log_loss" and functions read the ranking; registered measures and an
    `OperatingCondition`, for the expected cost, read the table of predictions. Of several classes, "brier", "log_loss",
    averages of areas such as "one_vs_one_macro" and functions read the segments; "error_rate", "overall_accuracy",
    "mean_class_accuracy", "macro_f1", "weighted_f1" and their like, "expected_cost" (every error costs 1) and an
    `OperatingCondition` read the confusion matrix of predictions.
    """
    if isinstance(of, FoldMetric):
        return of
    if classes is not None:
        return _metric_of_several(of, classes)
    if isinstance(of, str) and of.lower() in _OF_RANKINGS:
        better, spread, function = _OF_RANKINGS[of.lower()]
        return FoldMetric(of.lower(), better, spread, lambda fold: float(function(fold.ranking())))
    if isinstance(of, OperatingCondition):
        costs = (of.cost_fp, of.cost_fn, of.cost_tp, of.cost_tn)
        spread = (float(min(*costs)), float(max(*costs)))
        return FoldMetric("expected_cost", "lower", spread, lambda fold: table_cost(of, fold.table()))
    if callable(of) and not isinstance(of, Measure):
        name = getattr(of, "__name__", "measure")
        return FoldMetric(name, "higher", (-np.inf, np.inf), lambda fold: _number(of(fold.ranking()), name))
    if not isinstance(of, str | Measure):
        fix = 'give a name such as "error_rate" or "auc", an OperatingCondition, or a function of a ranking'
        raise MeasureError(f"{of!r} is no measure", fix)
    known: Measure = measure(of)
    return FoldMetric(known.name, known.better, known.range, lambda fold: float(known.of(fold.table())))


def _number(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise MeasureError(f"{name} is no number but {short_repr(value)}", "return one number") from None


def _metric_of_several(of: MeasureLike, classes: Sequence[Any]) -> FoldMetric:
    name = of.lower() if isinstance(of, str) else getattr(of, "__name__", "measure")
    if isinstance(of, CostMatrix | OperatingCondition) or name == "expected_cost":
        costs = of if isinstance(of, CostMatrix) else CostMatrix.equal(classes)
        condition = of if isinstance(of, OperatingCondition) else OperatingCondition(costs=costs)
        return _cost_of_several(condition, classes)
    if callable(of) and not isinstance(of, Measure):
        function: Callable[[Any], float] = of
        return FoldMetric(name, "higher", (-np.inf, np.inf), lambda fold: float(function(fold.segments())))
    if name in ("error_rate", "accuracy"):
        of_right = (lambda right: 1 - right) if name == "error_rate" else float
        better: Better = "lower" if name == "error_rate" else "higher"
        return FoldMetric(name, better, (0.0, 1.0), lambda fold: of_right(fold.confusion().overall_accuracy))
    if name in _OF_SEGMENTS:
        most, loss = _OF_SEGMENTS[name]
        return FoldMetric(name, "lower", (0.0, most), lambda fold: float(loss(fold.segments())))
    if name in AVERAGES:
        return FoldMetric(name, "higher", (0.0, 1.0), lambda fold: float(getattr(fold.segments().areas, name)))
    if name in _OF_MATRICES:
        least = -1.0 if name in ("mcc", "kappa") else 0.0
        return FoldMetric(name, "higher", (least, 1.0), lambda fold: float(getattr(fold.confusion(), name)))
    known = ["error_rate", "expected_cost", *_OF_MATRICES, *_OF_SEGMENTS, *AVERAGES]
    what = f"{of!r} is no measure of {len(classes)} classes"
    raise MeasureError(what, f"give one of {', '.join(known)}, an OperatingCondition, or a function of segments")


def _cost_of_several(condition: OperatingCondition, classes: Sequence[Any]) -> FoldMetric:
    require_class_condition(condition, classes)
    matrix = required_costs(condition).for_classes(classes).costs

    def read(fold: ScoredFold) -> float:
        return action_cost(condition, fold.labels, fold.predicted, weights=fold.weight)

    return FoldMetric("expected_cost", "lower", (float(matrix.min()), float(matrix.max())), read)


def require_quality(metric: FoldMetric) -> None:
    """Refuse a measure of which neither more nor less is better."""
    if metric.better == "neither":
        raise MeasureError(f"{metric.name} is neither better nor worse", "pick a measure of quality")


def table_cost(condition: OperatingCondition, table: Contingency) -> float:
    """The cost per case; of one class NaN if a class ratio is declared."""
    if table.Pos and table.Neg:
        return float(condition.expected_cost(table))
    if condition.class_ratio is not None:
        return math.nan
    cells = (table.tp, table.fn, table.fp, table.tn)  # of one class: the rate of the other is undefined
    costs = (condition.cost_tp, condition.cost_fn, condition.cost_fp, condition.cost_tn)
    return float(sum(n * cost for n, cost in zip(cells, costs, strict=True)) / sum(cells))


def variance_factor(folds: int, test_share: float) -> float:
    """The variance of a mean over folds per variance of their values.

    1/folds holds for independent folds; the rest allows for shared training rows (Nadeau & Bengio 2003).
    """
    return 1 / folds + test_share / (1 - test_share)


def corrected_interval(values: Floats, *, test_share: float, level: float, spread: tuple[float, float]) -> Interval:
    """The mean with Student's limits by the corrected variance."""
    mean, method = float(values.mean()), "corrected t"
    if values.size < 2 or not values.var() > 0:
        same = "all folds have the same value, so they say nothing about how folds vary"
        note = same if values.size > 1 else "one fold shows no spread"
        return Interval(mean, math.nan, math.nan, math.nan, level, method, note)
    variance = variance_factor(values.size, test_share) * float(values.var(ddof=1))
    half = student_quantile(level, values.size - 1) * math.sqrt(variance)
    return Interval(mean, max(mean - half, spread[0]), min(mean + half, spread[1]), variance, level, method)


def prediction_table(
    positive: Flags, predicted: Flags, *, weights: Floats | None = None, clusters: Any = None
) -> Table:
    """The table of predictions on test rows; rows of a cluster are not independent."""
    codes = None if clusters is None else cluster_codes(clusters)
    return count_calls(positive, predicted, weight=weights, cluster=codes)


def cost_scorer(
    condition: OperatingCondition, *, positive: Any = None, threshold: Literal["bayes", "best"] | None = None
) -> Any:
    """A scorer of scikit-learn: minus the expected cost per case.

    Without `threshold` it scores the model's own `predict`, which is right for models that decide by the condition,
    such as a `CostSensitiveClassifier`. Most others decide at 0.5 whatever errors cost; ask what they could be worth:

    - "bayes" calls a case positive iff p >= 1 / (1 + cost_ratio), which is best for calibrated probabilities; where
      the condition declares a class ratio, p is restated for it from that of the rows that are scored.
    - "best" takes the cheapest threshold on the rows that are scored. It ranks models fairly and flatters all of them.

    Of rows of one class the cost is NaN where the condition declares a class ratio. With a condition of k classes,
    whose columns of probabilities are in rising order as everywhere in scikit-learn, "bayes" takes the action of least
    expected cost.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning import CostSensitiveClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = OperatingCondition(cost_ratio=20)
    >>> for model in (GaussianNB(), CostSensitiveClassifier(GaussianNB(), costs, fit_weights=True)):
    ...     print(f"{cross_val_score(model, X, y == 0, scoring=cost_scorer(costs)).mean():.3f}")
    -0.862
    -0.255
    """
    if threshold is not None:
        require_one_of(threshold, ("bayes", "best"), name="threshold", fix="or leave it out to use predict")
    methods: dict[Any, Any] = {
        None: "predict",
        "bayes": "predict_proba",
        "best": ("decision_function", "predict_proba"),
    }
    if getattr(condition, "costs", None) is not None:
        return _class_cost_scorer(condition, positive=positive, threshold=threshold)
    options = {"condition": operating_condition(condition), "threshold": threshold, "pos_label": positive}
    return make_scorer(_cost, response_method=methods[threshold], greater_is_better=False, **options)


def _class_cost_scorer(condition: OperatingCondition, *, positive: Any, threshold: str | None) -> Any:
    if threshold == "best":
        what = "costs of k classes are weighed by probabilities, and have no best threshold"
        raise ArgumentError(what, f"pass {argument('threshold', 'bayes')}", parameter="threshold")
    if positive is not None:
        what = f"{argument('positive', positive)} is of two classes, and the costs name each class"
        raise ArgumentError(what, "leave it out", parameter="positive")
    response = "predict" if threshold is None else "predict_proba"
    options = {"condition": condition, "threshold": threshold}
    return make_scorer(_class_cost, response_method=response, greater_is_better=False, **options)


def _class_cost(
    y_true: Any, y_pred: Any, *, condition: OperatingCondition, threshold: str | None, sample_weight: Any = None
) -> float:
    """The cost per case of predictions, or of least expected cost."""
    costs = required_costs(condition)
    costs = costs.for_classes(sorted(costs.classes))
    predictions = y_pred
    if threshold == "bayes":
        probability = np.asarray(y_pred)
        if probability.ndim == 1:  # scikit-learn gives that of the second of two classes alone
            probability = np.stack([1 - probability, probability], axis=1)
        rows = segment(y_true, probability, classes=costs.classes, weights=sample_weight)
        weights = OperatingCondition(costs=costs, mix=condition.mix).class_weights(rows)
        predictions = label_array(costs.actions)[costs.decide(probability, weights=weights)]
    return action_cost(condition, y_true, predictions, weights=sample_weight)


def action_costs(
    condition: OperatingCondition, labels: Column, actions: Column, *, weights: Floats | None, clusters: Any
) -> CaseCosts:
    """What each row costs under the actions taken."""
    names = action_names(condition)
    costs, mix = required_costs(condition), condition.mix
    _, actual = classes_of(labels, classes=costs.classes)
    _, taken = classes_of(actions, classes=names.tolist())
    share = None if mix is None else np.array([mix[name] for name in costs.classes])
    codes = None if clusters is None else cluster_codes(clusters)
    return CaseCosts(costs, actual, taken, np.full(actual.size, math.nan), share, None, weights, codes)


def action_names(condition: OperatingCondition) -> Column:
    """The actions that have costs, as an array."""
    return label_array(required_costs(condition).actions)


def action_cost(condition: OperatingCondition, labels: Any, actions: Any, *, weights: Any = None) -> float:
    """The cost per case of actions by name, at the condition's class mix."""
    costs = required_costs(condition)
    others = costs.actions[len(costs.classes) :]
    return condition.expected_cost(confusion(labels, actions, classes=costs.classes, others=others, weights=weights))


def _cost(
    y_true: Any,
    y_pred: Any,
    *,
    condition: OperatingCondition,
    threshold: str | None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> float:
    if threshold is None:
        return table_cost(condition, contingency(y_true, y_pred, positive=pos_label, weights=sample_weight))
    actual, scores = is_positive(column(y_true, name="y"), positive=pos_label), np.asarray(y_pred)
    none, every = (contingency(actual, np.full(actual.size, call), weights=sample_weight) for call in (False, True))
    both_classes = bool(none.Pos and none.Neg)
    if threshold == "best":
        if both_classes:
            return choose(rank(actual, scores, weights=sample_weight), condition).expected_cost
        return min(table_cost(condition, every), table_cost(condition, none))
    if condition.prevalence is not None and both_classes:
        scores = adjust_prevalence(scores, condition.prevalence, trained_at=none.prevalence)
    predicted = scores >= float(1 / (1 + condition.exact_cost_ratio))
    return table_cost(condition, contingency(actual, predicted, weights=sample_weight))
