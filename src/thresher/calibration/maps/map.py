"""Calibration maps: fitted on a ranking, applied to any score."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_one_of
from thresher._internal.json import fields, items, json_value, number, one_of, read_object, text
from thresher._internal.results import Result
from thresher.calibration.maps.logistic import LogisticCurve, On, Targets, fit_logistic
from thresher.calibration.maps.steps import Steps, steps_over
from thresher.calibration.prevalence import recalibrate
from thresher.calibration.reliability import quantile_splits, require_bins
from thresher.calibration.scores import numbers
from thresher.calibration.smoothing import Smoothing
from thresher.cautions import CODES, Caution
from thresher.curves import auc, hull_splits
from thresher.errors import ArgumentError
from thresher.ranking import Floats, Ranking, require_ranking

Method: TypeAlias = Literal["isotonic", "platt", "beta", "temperature", "histogram"]

FORMAT = "thresher/calibration-map/1"
BINS = 10

_OPTIONS: dict[str, frozenset[str]] = {
    "isotonic": frozenset({"smoothing", "interpolate"}),
    "histogram": frozenset({"smoothing", "interpolate", "bins"}),
    "platt": frozenset({"on", "targets"}),
    "beta": frozenset({"targets"}),
    "temperature": frozenset({"targets"}),
}


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationMap(Result):
    """A map from scores to probabilities: call it with scores of any shape.

    `auc_before` and `auc_after` are the AUC of the training ranking under its own scores and under
    the map's probabilities: pooling makes ties and usually changes it.
    """

    method: Method
    curve: Steps | LogisticCurve
    auc_before: float
    auc_after: float
    cautions: tuple[Caution, ...] = ()

    def __call__(self, scores: npt.ArrayLike) -> Floats:
        """The probability of each score; NaN is refused."""
        return self.curve(numbers(scores, name="scores"))

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back exactly."""
        return {
            "format": FORMAT,
            "method": self.method,
            "curve": self.curve.to_dict(),
            "auc_before": self.auc_before,
            "auc_after": self.auc_after,
            "cautions": [{"code": caution.code, "text": caution.text} for caution in self.cautions],
        }

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote."""
        method = value.get("method") if isinstance(value, Mapping) else None
        kind: type[Steps | LogisticCurve] = Steps if method in ("isotonic", "histogram") else LogisticCurve
        readers = {
            "method": one_of(_OPTIONS),
            "curve": kind.from_dict,
            "auc_before": number(0, 1),
            "auc_after": number(0, 1),
            "cautions": items(lambda one: Caution(**fields(one, {"code": one_of(CODES), "text": text}))),
        }
        parts = read_object(value, readers, of="CalibrationMap", kind="a calibration map", form=FORMAT)
        return cls(**parts | {"cautions": tuple(parts["cautions"])})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(json_value(text, name="CalibrationMap"))


def calibration_map(
    ranking: Ranking,
    *,
    method: Method = "isotonic",
    smoothing: Smoothing = None,
    interpolate: bool = False,
    bins: int | None = None,
    on: On | None = None,
    targets: Targets | None = None,
) -> CalibrationMap:
    """A map from scores to probabilities, fitted on a ranking.

    Fit it on rows the model has not learnt from. An option that a method does not know is refused.

    Parameters
    ----------
    ranking
        Scores of both classes.
    method
        "isotonic": the hull's pools and their proportions, for any score (Fawcett &
        Niculescu-Mizil 2007). "histogram": bins of nearly equal count (Zadrozny & Elkan 2001).
        "platt", "beta" and "temperature": logistic curves on the log-odds of scores that are
        probabilities; see `thresher.calibration.maps.logistic`.
    smoothing
        None, "laplace" or `MEstimate(m, prior)`, per pool or bin; it can reorder them, which a
        caution reports.
    interpolate
        Straight ramps between the end scores of neighbouring pools (scikit-learn's line) instead of steps
        midway between them, where thresholds lie. Either way each pool keeps its own value; with ramps a
        probability between two pools may contradict the call of a threshold.
    bins
        How many bins a histogram has; 10 by default.
    on
        For "platt": "log_odds" (the default) needs scores in [0, 1], "score" takes any finite ones.
    targets
        "platt" keeps slopes finite on separable data (Platt's default); "counts" is maximum
        likelihood (the default of the other two).

    Examples
    --------
    >>> from thresher import rank
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> isotonic = calibration_map(emails)
    >>> isotonic([0.99, 0.78, 0.75, 0.3, 0.0]).round(4)
    array([1.    , 1.    , 0.6667, 0.6667, 0.    ])
    >>> calibration_map(emails, interpolate=True)([0.77, 0.74, 0.32, 0.28]).round(4)
    array([0.8333, 0.6667, 0.6667, 0.3333])
    >>> round(isotonic.auc_before, 4), round(isotonic.auc_after, 4)
    (0.75, 0.8333)
    >>> calibration_map(emails, smoothing="laplace")([0.89, 0.74, 0.13]).round(4)
    array([0.6667, 0.6   , 0.3333])
    >>> CalibrationMap.from_json(isotonic.to_json()) == isotonic
    True
    """
    require_ranking(ranking, both_classes=True)
    options = {"smoothing": smoothing, "interpolate": interpolate or None, "bins": bins, "on": on, "targets": targets}
    require_one_of(method, _OPTIONS, name="method")
    if unknown := sorted({name for name, value in options.items() if value is not None} - _OPTIONS[method]):
        what = f"{method} has no option {', '.join(unknown)}; it knows {', '.join(sorted(_OPTIONS[method]))}"
        raise ArgumentError(what, "leave it out, or pick another method")
    if method == "isotonic":
        split = hull_splits(ranking)
    elif method == "histogram":
        bins = BINS if bins is None else bins
        require_bins(bins)
        split = quantile_splits(ranking, bins)
    else:
        curve, cautions = fit_logistic(ranking, method, on=on or "log_odds", targets=targets)
        return CalibrationMap(method, curve, auc(ranking), auc(recalibrate(ranking, curve)), cautions)
    steps, pools, cautions = steps_over(ranking, split, smoothing=smoothing, interpolate=interpolate)
    falls = int((np.diff(steps.probability) < 0).sum())
    if falls and not cautions:
        text = f"a higher bin has the lower probability in {falls:,} of {steps.probability.size - 1:,} places"
        cautions = (Caution("not-rising", text),)
    return CalibrationMap(method, steps, auc(ranking), auc(pools), cautions)
