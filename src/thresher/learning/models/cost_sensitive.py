"""`CostSensitiveClassifier`: any classifier that decides by what errors cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from thresher.choices import Choice, ClassChoice, choose
from thresher.choices.choose import Wanted, operating_condition
from thresher.errors import ArgumentError, argument
from thresher.evaluation import LeastCostRule
from thresher.inputs.labels import label_array
from thresher.learning.data.target import ClassTarget
from thresher.learning.models.wrapper import ClassifierWrapper
from thresher.learning.validation.fit_and_score import Problem, response_of
from thresher.learning.validation.scoring import action_cost, table_cost
from thresher.ranking import Floats, Segments, reaches
from thresher.tables import CostMatrix, OperatingCondition, contingency
from thresher.tables.condition import require_class_condition


@dataclass(eq=False, repr=False)
class CostSensitiveClassifier(ClassifierWrapper):
    """A classifier that takes the action of least expected cost.

    Costs and the class mix at deployment are the condition's; None means equal costs at the data's class mix. With
    more than two classes it has `costs=CostMatrix(...)`, whose actions may be more than the classes.

    Nothing is fitted unless asked: probabilities are believed as they are, so that calibrated ones decide best, and
    `rule_` is the `LeastCostRule` applied. With `fit_weights=True` the weights of classes, or the threshold of two, are
    those that `choose` finds on out-of-fold scores of the training rows, among all of them and not on a grid; they are
    applied to the model fitted on all rows. Scores of folds are taken to share one scale, as those of calibrated models
    do. `choice_` is then the choice: a `Choice` made on `ranking_`, after which a case is positive iff its score is at
    least `threshold_`; or a `ClassChoice` made on `segments_`.

    `maximise`, `minimise` and `subject_to` are those of `choose`, and need `fit_weights`. `positive` is needed with a
    condition, a measure or a constraint of two classes, unless labels are bool or 0/1. `response` is "predict_proba",
    "decision_function", or "auto": the first there is. Where weights are fitted, `cv` is a number of stratified folds,
    a splitter, an iterable of splits, or "prefit": a classifier that is fitted already, which may also come as
    `FrozenEstimator(model)`, and should then see other rows here.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher import OperatingCondition
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> malignant = y == 0
    >>> costs = OperatingCondition(cost_ratio=20)
    >>> careful = CostSensitiveClassifier(GaussianNB(), costs, fit_weights=True).fit(X, malignant)
    >>> careful.choice_
    Choice(threshold=2.85643e-09, expected cost 0.1898)
    >>> believing = CostSensitiveClassifier(GaussianNB(), costs).fit(X, malignant)
    >>> usual = GaussianNB().fit(X, malignant)
    >>> [int((malignant & ~model.predict(X)).sum()) for model in (usual, believing, careful)]  # missed
    [23, 19, 3]
    """

    condition: OperatingCondition | None = None
    _: KW_ONLY
    fit_weights: bool = False
    maximise: Wanted | None = None
    minimise: Wanted | None = None
    subject_to: str | Sequence[str] | None = None

    @property
    def choice_(self) -> Choice | ClassChoice:
        """The choice behind fitted weights; that of classes is searched when asked for."""
        check_is_fitted(self)
        if not self.fit_weights:
            raise AttributeError("nothing was fitted, so there is no choice_; ask for rule_")
        return self._choice if self.costs_ is None else self._choose_weights()

    @property
    def rule_(self) -> LeastCostRule | None:
        """The rule applied to probabilities; None where two classes have a threshold."""
        check_is_fitted(self)
        if self.costs_ is None:
            return None
        trained_at = dict(zip(self.costs_.classes, self.class_mix_.tolist(), strict=True))
        weights = tuple(self.weights_.tolist())
        return LeastCostRule(self.costs_, weights, trained_at=trained_at, used_at=self.mix_ or trained_at)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label, or another action, of each row."""
        rule = self.rule_
        if rule is None:
            positive = reaches(self.scores(X), self.threshold_)
            return self.classes_[(positive == (self._place == 1)).astype(np.intp)]
        actions = rule.costs.decide(self._vectors(X), weights=rule.weights)
        names = self.classes_ if rule.actions == rule.classes else label_array(rule.actions)
        return names[actions]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the expected cost per case; without a condition, the error rate."""
        predictions = self.predict(X)
        if self.positive_ is None:
            condition = OperatingCondition(costs=self.costs_, mix=self.mix_)
            return -action_cost(condition, y, predictions, weights=sample_weight)
        table = contingency(y, predictions, positive=self.positive_, weights=sample_weight)
        return -table_cost(operating_condition(self.condition), table)

    def decision_function(self, X: Any) -> Floats:
        """Minus the expected cost, a column per action: it is largest for the one taken.

        Of two classes one number, with scikit-learn's sign, above 0 for the second class: the expected cost of the
        first less that of the second, or the score less the threshold where that was fitted.
        """
        rule = self.rule_
        if rule is None:
            scores = self.scores(X)
            # An infinite threshold calls every case alike, and an infinite score less it would be no number.
            above = np.full_like(scores, -self.threshold_) if np.isinf(self.threshold_) else scores - self.threshold_
            return above if self._place == 1 else -above
        cost = rule.costs.expected(self._vectors(X), weights=rule.weights)
        return cost[:, 0] - cost[:, 1] if cost.shape[1] == 2 else -cost

    @available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The inner model's probabilities; the decision does not change them."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    def _vectors(self, X: Any) -> Floats:
        """Probabilities of the classes, in the order of `classes_`."""
        if self._place is None:
            return self.scores(X)
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def _choose_weights(self) -> ClassChoice:
        condition = OperatingCondition(costs=self.costs_, mix=self.mix_)
        return choose(self.segments_, condition, fit="weights", **self._asked())

    def _asked(self) -> dict[str, Any]:
        """What `choose` is asked for beyond the condition."""
        names = ("maximise", "minimise", "subject_to")
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def _matters(self) -> bool:
        return any(part is not None for part in (self.condition, self.maximise, self.minimise, self.subject_to))

    def _by_class(self) -> bool:
        return getattr(self.condition, "costs", None) is not None

    def _scored(self) -> bool:
        return self.fit_weights

    def _check(self, target: ClassTarget) -> None:
        if target.place is not None:
            operating_condition(self.condition)
        elif self.condition is not None:
            require_class_condition(self.condition, target.classes)
            costs_by_class(target, self.condition)  # refuses costs of other classes
        asked = [name for name in ("maximise", "minimise", "subject_to") if getattr(self, name) is not None]
        if asked and not self.fit_weights:
            what = f"{argument(asked[0])} asks for fitted weights, and nothing is fitted"
            raise ArgumentError(what, f"pass {argument('fit_weights', True)}", parameter=asked[0])
        if not self.fit_weights and response_of(self.estimator, self.response) != "predict_proba":
            what = f"costs are weighed by probabilities, and {type(self.estimator).__name__} has margins"
            fix = f"calibrate it: CalibratedModel(model, ...); or pass {argument('fit_weights', True)}"
            raise ArgumentError(what, fix, parameter="response")

    def _learn(self, problem: Problem) -> None:
        target = problem.target
        asked = self._asked()
        if self.fit_weights and target.place is not None:
            choice = choose(self.ranking_, self.condition, **asked)
            self._choice, self.threshold_ = choice, choice.threshold
            self.costs_, self.mix_ = None, None
            return
        self.costs_, self.mix_ = costs_by_class(target, self.condition)
        if self.fit_weights:
            self.class_mix_ = self.segments_.mix.copy()
            self.weights_ = self._choose_weights().weights.copy()
            return
        cases = np.bincount(target.codes, weights=problem.weight, minlength=len(target.classes))
        rows = Segments([cases / cases.sum()], [cases], classes=target.classes)  # of rows, the class mix is enough
        self.class_mix_ = rows.mix.copy()
        self.weights_ = OperatingCondition(costs=self.costs_, mix=self.mix_).class_weights(rows)


def costs_by_class(
    target: ClassTarget, condition: OperatingCondition | None
) -> tuple[CostMatrix, dict[Any, float] | None]:
    """Costs and declared mix by the classes of a target, whatever condition it is."""
    if target.place is None:
        if condition is None or condition.costs is None:
            return CostMatrix.equal(target.classes), None
        mix = None if condition.mix is None else dict(condition.mix)
        return condition.costs.for_classes(target.classes), mix
    asked = operating_condition(condition)
    sides = {"positive": target.positive, "negative": target.classes[1 - target.place]}
    shares = None if asked.shares is None else dict(zip(sides.values(), asked.shares, strict=True))
    return asked.cost_matrix(**sides).for_classes(target.classes), shares
