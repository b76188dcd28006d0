"""`cost_scorer`: what calls cost, as a scorer for scikit-learn's searches and cross-validations."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.metrics import make_scorer

from thresher.calibration import adjust_prevalence
from thresher.choices import OperatingCondition, choose
from thresher.choices.threshold import operating_condition
from thresher.errors import require_one_of
from thresher.learning.yardstick import table_cost
from thresher.sources import is_positive, rank
from thresher.sources.columns import column
from thresher.tables import Contingency, contingency


def cost_scorer(
    condition: OperatingCondition, *, positive: Any = None, threshold: Literal["bayes", "best"] | None = None
) -> Any:
    """A scorer of scikit-learn: minus the expected cost per case, so that a greater score is a cheaper model.

    Without `threshold` the calls are those of the model's own `predict`, so that `GridSearchCV(...).score` is what
    `GridSearchCV(...).predict` costs. That is right for models which decide by the condition, such as a
    `ThresholdClassifier`; most others call at 0.5 whatever errors cost, and are judged at a threshold that nobody will
    use. For those, ask what they could be worth:

    - "bayes" calls a case positive when its probability says that this is cheaper, which is best for calibrated
      probabilities: p >= 1 / (1 + cost_ratio), p restated first for the class ratio of the condition where it
      declares one (from that of the rows that are scored).
    - "best" takes the cheapest threshold on the rows that are scored. It ranks models fairly and flatters all of them.

    `sample_weight` is taken where scikit-learn passes it on. Of rows of one class the cost is NaN where the condition
    declares a class ratio.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher.learning import ThresholdClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> costs = OperatingCondition(cost_ratio=20)
    >>> for model in (GaussianNB(), ThresholdClassifier(GaussianNB(), costs)):
    ...     print(f"{cross_val_score(model, X, y == 0, scoring=cost_scorer(costs)).mean():.3f}")
    -0.862
    -0.255
    """
    asked = operating_condition(condition)
    options: dict[str, Any] = {"condition": asked, "pos_label": positive, "greater_is_better": False}
    if threshold is None:
        return make_scorer(_cost_of_calls, response_method="predict", **options)
    require_one_of(threshold, ("bayes", "best"), name="threshold", fix="or leave it out to use predict")
    if threshold == "bayes":
        return make_scorer(_cost_of_probabilities, response_method="predict_proba", **options)
    return make_scorer(_least_cost, response_method=("decision_function", "predict_proba"), **options)


def _cost_of_calls(
    y_true: Any, y_pred: Any, *, condition: OperatingCondition, pos_label: Any = None, sample_weight: Any = None
) -> float:
    return table_cost(condition, contingency(y_true, y_pred, positive=pos_label, weights=sample_weight))


def _cost_of_probabilities(
    y_true: Any, y_score: Any, *, condition: OperatingCondition, pos_label: Any = None, sample_weight: Any = None
) -> float:
    actual = is_positive(column(y_true, name="y"), positive=pos_label)
    nobody = contingency(actual, np.zeros_like(actual), weights=sample_weight)
    probability = np.asarray(y_score)
    if condition.prevalence is not None and _both_classes(nobody):
        probability = adjust_prevalence(probability, condition.prevalence, trained_at=nobody.prevalence)
    predicted = probability >= float(1 / (1 + condition.exact_cost_ratio))
    return table_cost(condition, contingency(actual, predicted, weights=sample_weight))


def _least_cost(
    y_true: Any, y_score: Any, *, condition: OperatingCondition, pos_label: Any = None, sample_weight: Any = None
) -> float:
    ranking = rank(y_true, y_score, positive=pos_label, weights=sample_weight)
    if ranking.Pos and ranking.Neg:
        return choose(ranking, condition).expected_cost
    everyone, nobody = (
        Contingency(tp=Pos, fn=ranking.Pos - Pos, fp=Neg, tn=ranking.Neg - Neg)
        for Pos, Neg in ((ranking.Pos, ranking.Neg), (0, 0))
    )
    return min(table_cost(condition, everyone), table_cost(condition, nobody))


def _both_classes(table: Contingency) -> bool:
    return bool(table.Pos and table.Neg)
