"""`CalibratedModel`: any classifier with calibrated probabilities."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Literal, TypeAlias

from sklearn.utils.validation import check_is_fitted

from thresher._internal.arguments import require_one_of
from thresher.calibration import MEstimate, calibration_map
from thresher.calibration.smoothing import Smoothing
from thresher.cautions import Caution
from thresher.errors import ArgumentError, argument
from thresher.learning.data.target import ClassTarget
from thresher.learning.models.wrapper import ClassifierWrapper
from thresher.learning.validation.fit_and_score import Problem, response_of
from thresher.ranking import Floats, Ranking, Segments
from thresher.tables import CostMatrix, OperatingCondition

Calibration: TypeAlias = Literal["isotonic", "histogram", "platt", "beta", "temperature", "vector", "dirichlet", "auto"]
OF_SCORES: tuple[Calibration, ...] = ("platt", "beta", "histogram")
OF_VECTORS: tuple[Calibration, ...] = ("vector", "dirichlet", "auto")
METHODS: tuple[Calibration, ...] = ("isotonic", "temperature", *OF_SCORES, *OF_VECTORS)
# What `learn` may be asked for, its usual one first.
OF_TWO: tuple[Calibration, ...] = ("platt", "isotonic", "histogram", "beta", "temperature")
OF_SEVERAL: tuple[Calibration, ...] = ("auto", "temperature", "vector", "dirichlet", "isotonic")


@dataclass(eq=False, repr=False)
class CalibratedModel(ClassifierWrapper):
    """A classifier with probabilities from a calibration map, cross-fitted.

    The map is fitted on out-of-fold scores of the training rows and applied to the model fitted on all rows.

    The method is one of `calibration_map`. "isotonic" and "temperature" are for any number of classes; "histogram",
    "platt" and "beta" for two; "vector", "dirichlet" and "auto" map vectors of probabilities, of two classes as well.
    Of two classes "beta" and "temperature" need probabilities, and "platt" takes log-odds of probabilities, or decision
    functions as they are; vectors are probabilities, or softmaxed margins. `smoothing`, `interpolate` and `bins` serve
    "isotonic" and "histogram"; `condition` has the costs by which "auto" chooses. Other parameters are those of
    `CostSensitiveClassifier`; a `MEstimate` needs the positive one of two labels, since its prior speaks of one class.
    After `fit`, `map_` is the `CalibrationMap`, fitted on the out-of-fold `ranking_` or `segments_`.

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
    method: Calibration = "isotonic"
    smoothing: Smoothing = None
    interpolate: bool = False
    bins: int | None = None
    condition: OperatingCondition | CostMatrix | None = None

    @property
    def calibrated_(self) -> Ranking | Segments:
        """The training rows ranked, or counted, by calibrated out-of-fold scores."""
        if self._place is None:
            counted = self.segments_
            return Segments(self.map_(counted.probability), counted.counts, classes=counted.classes)
        ranked = self.ranking_
        return Ranking(self.map_(ranked.score), ranked.pos, ranked.neg, dropped=ranked.dropped)

    def _matters(self) -> bool:
        return isinstance(self.smoothing, MEstimate)

    def _two_only(self) -> bool:
        return self.method in OF_SCORES

    def _by_class(self) -> bool:
        return self.method in OF_VECTORS

    def _check(self, target: ClassTarget) -> None:
        require_one_of(self.method, METHODS, name="method")
        if self.condition is not None and self.method != "auto":
            fix = f"pass {argument('method', 'auto')}, or leave {argument('condition')} out"
            raise ArgumentError(f"{self.method} calibration knows no costs", fix, parameter="condition")
        method = response_of(self.estimator, self.response)
        if target.place is not None and method != "predict_proba" and self.method in ("beta", "temperature"):
            raise ArgumentError(
                f"{self.method} calibration maps probabilities, and {type(self.estimator).__name__} scores by {method}",
                fix='pick method="platt" or "isotonic", which take any score',
            )

    def _learn(self, problem: Problem) -> None:
        method: Any = self.method
        options: dict[str, Any] = {"smoothing": self.smoothing, "interpolate": self.interpolate}
        if problem.target.place is None:
            self.map_ = calibration_map(self.segments_, method=method, condition=self.condition, **options)
            return
        options["on"] = "score" if self.method == "platt" and self._method != "predict_proba" else None
        options["bins"] = self.bins
        try:
            self.map_ = calibration_map(self.ranking_, method=method, **options)
        except ArgumentError:
            if self.method not in ("beta", "temperature"):
                raise
            # Scores that separate the classes have no finite optimum; what is amiss otherwise is refused again.
            fitted = calibration_map(self.ranking_, method=method, targets="platt", **options)
            text = "no finite slope fits these classes best; Platt's targets share each case between them"
            self.map_ = replace(fitted, cautions=(*fitted.cautions, Caution("separable", text)))

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities, one column per label in the order of `classes_`."""
        check_is_fitted(self)
        probability = self.map_(self.scores(X))
        return probability if self._place is None else self._columns(probability)
