"""`CalibratedModel`: any classifier with calibrated probabilities."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, get_args

from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import require_one_of
from thresher.calibration import MEstimate, calibration_map
from thresher.calibration.maps.map import Method
from thresher.calibration.smoothing import Smoothing
from thresher.errors import ArgumentError
from thresher.learning.models.wrapper import ClassifierWrapper
from thresher.learning.validation.fit_and_score import response_of
from thresher.ranking import Floats, Ranking


@dataclass(eq=False, repr=False)
class CalibratedModel(ClassifierWrapper):
    """A classifier with probabilities from a calibration map, cross-fitted.

    The map is fitted on out-of-fold scores of the training rows and applied to the model fitted on all rows.

    The method is "isotonic", "histogram", "platt", "beta" or "temperature", as in `calibration_map`; the last two need
    probabilities, and "platt" takes log-odds of probabilities, or decision functions as they are. `smoothing`,
    `interpolate` and `bins` serve "isotonic" and "histogram". Other parameters are those of `ThresholdClassifier`; a
    `MEstimate` needs the positive label, since its prior speaks of one class. After `fit`, `map_` is the
    `CalibrationMap`, and `ranking_` the out-of-fold ranking it was fitted on.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedModel(GaussianNB(), method="isotonic", smoothing="laplace").fit(X[::2], y[::2])
    >>> from thresher import log_loss, rank
    >>> before = rank(y[1::2], GaussianNB().fit(X[::2], y[::2]).predict_proba(X[1::2])[:, 1])
    >>> after = rank(y[1::2], model.predict_proba(X[1::2])[:, 1])
    >>> round(float(log_loss(before)), 3), round(float(log_loss(after)), 3)
    (0.624, 0.323)
    """

    _: KW_ONLY
    method: Method = "isotonic"
    smoothing: Smoothing = None
    interpolate: bool = False
    bins: int | None = None

    @property
    def calibrated_(self) -> Ranking:
        """The training rows ranked by calibrated out-of-fold scores."""
        ranked = self.ranking_
        return Ranking(self.map_(ranked.score), ranked.pos, ranked.neg, dropped=ranked.dropped)

    def _check(self) -> bool:
        require_one_of(self.method, get_args(Method), name="method")
        method = response_of(self.estimator, self.response)
        if method != "predict_proba" and self.method in ("beta", "temperature"):
            raise ArgumentError(
                f"{self.method} calibration maps probabilities, and {type(self.estimator).__name__} scores by {method}",
                fix='pick method="platt" or "isotonic", which take any score',
            )
        return isinstance(self.smoothing, MEstimate)

    def _learn(self) -> None:
        self.map_ = calibration_map(
            self.ranking_,
            method=self.method,
            smoothing=self.smoothing,
            interpolate=self.interpolate,
            bins=self.bins,
            on="score" if self.method == "platt" and self._method != "predict_proba" else None,
        )

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, one column per label in the order of `classes_`."""
        check_is_fitted(self)
        return self._columns(self.map_(self.scores(X)))
