"""`ProbableClassifier`: a wrapper that gives every row a probability of the positive class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from thresher.learning.wrapped import WrappedClassifier
from thresher.ranking import Floats


class ProbableClassifier(WrappedClassifier):
    """What wrappers share that turn scores into probabilities: subclasses say how, in `_probability`."""

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, one column per label in the order of `classes_`."""
        check_is_fitted(self)
        probability = self._probability(X)
        columns = (1 - probability, probability)
        return np.stack(columns if self._place == 1 else columns[::-1], axis=1)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The more probable label of each row; for costs, put this model inside a `ThresholdClassifier`."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _probability(self, X: Any) -> Floats:
        """The probability of the positive class of each row."""
        raise NotImplementedError
