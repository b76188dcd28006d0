"""`ThresholdClassifier`: any classifier with the threshold that its costs ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from thresher.choices import choose
from thresher.choices.choose import Wanted, operating_condition
from thresher.learning.models.wrapper import ClassifierWrapper
from thresher.learning.validation.scoring import table_cost
from thresher.ranking import Floats, reaches
from thresher.tables import OperatingCondition, contingency


@dataclass(eq=False, repr=False)
class ThresholdClassifier(ClassifierWrapper):
    """A classifier with the threshold that `choose` finds for its costs.

    The threshold is chosen on out-of-fold scores of the training rows, among all of them and not on a grid, and applied
    to the model fitted on all rows. Scores of folds are taken to share one scale, as those of calibrated models do.

    Costs and the class ratio at deployment are the condition's; None means equal costs at the data's class ratio.
    `maximise`, `minimise` and `subject_to` are those of `choose`. `positive` is needed, unless labels are bool or 0/1,
    with a condition, a measure or a constraint. `response` is "predict_proba", "decision_function", or "auto": the
    first there is. `cv` is a number of stratified folds, a splitter, an iterable of splits, or "prefit": a classifier
    that is fitted already, which may also come as `FrozenEstimator(model)`, and should then see other rows here.

    After `fit`, a case is positive iff its score is at least `threshold_`; `choice_` is the `Choice` behind it, made on
    `ranking_`, the training rows ranked by out-of-fold scores.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher import OperatingCondition
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> malignant = y == 0
    >>> careful = ThresholdClassifier(GaussianNB(), OperatingCondition(cost_ratio=20)).fit(X, malignant)
    >>> careful.choice_
    Choice(threshold=2.85643e-09, expected cost 0.1898)
    >>> usual = GaussianNB().fit(X, malignant)
    >>> [int((malignant & ~model.predict(X)).sum()) for model in (usual, careful)]  # missed
    [23, 3]
    """

    condition: OperatingCondition | None = None
    _: KW_ONLY
    maximise: Wanted | None = None
    minimise: Wanted | None = None
    subject_to: str | Sequence[str] | None = None

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The label of each row: the positive one iff the score is at least the threshold."""
        check_is_fitted(self)
        positive = reaches(self.scores(X), self.threshold_)
        return self.classes_[(positive == (self._place == 1)).astype(np.intp)]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Minus the expected cost per case; without a condition, the error rate."""
        table = contingency(y, self.predict(X), positive=self.positive_, weights=sample_weight)
        return -table_cost(operating_condition(self.condition), table)

    def decision_function(self, X: Any) -> Floats:
        """Score less threshold, with scikit-learn's sign: above 0 for the second class."""
        check_is_fitted(self)
        scores = self.scores(X)
        # An infinite threshold calls every case alike, and an infinite score less it would be no number.
        above = np.full_like(scores, -self.threshold_) if np.isinf(self.threshold_) else scores - self.threshold_
        return above if self._place == 1 else -above

    @available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), "predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The inner model's probabilities; the threshold does not change them."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    def _check(self) -> bool:
        return any(part is not None for part in (self.condition, self.maximise, self.minimise, self.subject_to))

    def _learn(self) -> None:
        asked: dict[str, Any] = {"maximise": self.maximise, "minimise": self.minimise, "subject_to": self.subject_to}
        self.choice_ = choose(self.ranking_, self.condition, **asked)
        self.threshold_ = self.choice_.threshold
