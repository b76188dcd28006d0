"""Scores of fitted classifiers: one number per row that is higher for the positive class."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np

from thresher.errors import ArgumentError
from thresher.ranking import Floats

Response: TypeAlias = Literal["auto", "predict_proba", "decision_function"]

_RESPONSES = ("auto", "predict_proba", "decision_function")


def response_of(estimator: Any, response: Response) -> str:
    """The method that scores; "auto" takes probabilities where there are any, else the decision function.

    >>> from sklearn.svm import LinearSVC
    >>> response_of(LinearSVC(), "auto")
    'decision_function'
    """
    if response not in _RESPONSES:
        raise ArgumentError(f"response must be one of {', '.join(_RESPONSES)}, got {response!r}", "pick one")
    tried = _RESPONSES[1:] if response == "auto" else (response,)
    found = [method for method in tried if hasattr(estimator, method)]
    if not found:
        raise ArgumentError(
            f"{type(estimator).__name__} has no {' or '.join(tried)}, so it gives no scores",
            fix="take a classifier that scores, e.g. LogisticRegression()",
        )
    return found[0]


def positive_scores(estimator: Any, X: Any, *, method: str, positive: int) -> Floats:
    """One score per row, higher for the class at place `positive` of `classes_`.

    Decision functions of two classes speak for the second; for the first their sign is turned.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> stump = DecisionTreeClassifier().fit([[0], [1], [2]], ["ham", "spam", "spam"])
    >>> positive_scores(stump, [[0], [2]], method="predict_proba", positive=1)
    array([0., 1.])
    """
    values = np.asarray(getattr(estimator, method)(X), dtype=np.float64)
    if values.ndim == 1:
        return values if positive == 1 else -values
    return values[:, positive].copy()
