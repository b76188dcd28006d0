"""Calibration maps: fitted on a ranking or on segments, applied to any rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeAlias, get_args, overload

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import as_number, is_one_of, require_integer, require_one_of, require_seed
from thresher._internal.json import (
    fields,
    items,
    json_value,
    label,
    not_written,
    number,
    one_of,
    or_none,
    read_object,
    text,
)
from thresher._internal.results import Result
from thresher.calibration.maps.crossfit import (
    METHODS,
    Candidate,
    Settings,
    VectorMethod,
    best_text,
    compare_methods,
    fit_curve,
    mapped,
)
from thresher.calibration.maps.logistic import LogisticCurve, On, Targets, fit_logistic
from thresher.calibration.maps.steps import Steps, steps_over
from thresher.calibration.maps.vectors import LogLinear, OneVsRest, vectors_in
from thresher.calibration.prevalence import recalibrate
from thresher.calibration.reliability import quantile_splits, require_bins
from thresher.calibration.scores import brier, log_loss, numbers
from thresher.calibration.smoothing import Smoothing
from thresher.cautions import CODES, Caution
from thresher.curves import auc, hull_splits
from thresher.errors import ArgumentError, OneClassError, argument
from thresher.ranking import Floats, Ranking, Segments, require_ranking
from thresher.tables import CostMatrix, OperatingCondition

Method: TypeAlias = Literal["isotonic", "platt", "beta", "temperature", "histogram"]
Curve: TypeAlias = Steps | LogisticCurve | LogLinear | OneVsRest

FORMAT = "thresher/calibration-map/1"
BINS = 10
FOLDS, MOST_FOLDS = 5, 1000

_OPTIONS: dict[str, frozenset[str]] = {
    "isotonic": frozenset({"smoothing", "interpolate"}),
    "histogram": frozenset({"smoothing", "interpolate", "bins"}),
    "platt": frozenset({"on", "targets"}),
    "beta": frozenset({"targets"}),
    "temperature": frozenset({"targets"}),
}
_VECTOR_OPTIONS: dict[str, frozenset[str]] = {
    "temperature": frozenset({"targets"}),
    "vector": frozenset({"targets", "floor"}),
    "dirichlet": frozenset({"targets", "floor", "penalty"}),
    "isotonic": frozenset({"smoothing", "interpolate"}),
    "auto": frozenset({"condition", "folds", "targets", "floor", "penalty", "smoothing", "interpolate"}),
}


@dataclass(frozen=True, slots=True)
class Losses:
    """Brier score and log loss of the rows a map was fitted on."""

    brier: float
    log_loss: float


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationMap(Result):
    """A map from scores, or from vectors of k classes, to probabilities: call it.

    Of two classes it takes scores of any shape. Of k `classes` it takes rows with a probability per class, in that
    order, and returns rows that sum to 1; `before` and `after` are the losses of the rows it was fitted on.

    `auc_before` and `auc_after` are the AUC of the training ranking under its own scores and under
    the map's probabilities: pooling makes ties and usually changes it. Of k classes they are the mean of each class
    against the rest. `candidates` are the methods that "auto" compared, best first.
    """

    method: Method | VectorMethod
    curve: Curve
    auc_before: float
    auc_after: float
    cautions: tuple[Caution, ...] = ()
    classes: tuple[Any, ...] = ()
    before: Losses | None = None
    after: Losses | None = None
    candidates: tuple[Candidate, ...] = ()

    def __call__(self, scores: npt.ArrayLike) -> Floats:
        """The probability of each score, or the vector of each row; NaN is refused."""
        return self.curve(vectors_in(scores, self.classes) if self.classes else numbers(scores, name="scores"))

    def to_dict(self) -> dict[str, Any]:
        """Plain data that `from_dict` reads back exactly."""
        plain: dict[str, Any] = {
            "format": FORMAT,
            "method": self.method,
            "curve": self.curve.to_dict(),
            "auc_before": self.auc_before,
            "auc_after": self.auc_after,
            "cautions": [caution.to_dict() for caution in self.cautions],
        }
        if self.before is None or self.after is None:
            return plain
        return plain | {
            "classes": list(self.classes),
            "before": _losses(self.before),
            "after": _losses(self.after),
            "candidates": [
                {"method": each.method, "cost": each.cost, "behind": _finite_or_text(each.behind)}
                | {"half_width": each.half_width}
                | _losses(each)
                for each in self.candidates
            ],
        }

    def to_json(self) -> str:
        """JSON that `from_json` reads back exactly."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote, of two classes or of k."""
        method = value.get("method") if isinstance(value, Mapping) else None
        of_vectors = isinstance(value, Mapping) and "classes" in value
        stepped = method in ("isotonic", "histogram")
        kinds: list[Any] = [OneVsRest, LogLinear] if of_vectors else [Steps, LogisticCurve]
        readers = {
            "method": one_of(METHODS if of_vectors else _OPTIONS),
            "curve": kinds[0 if stepped else 1].from_dict,
            "auc_before": number(0, 1),
            "auc_after": number(0, 1),
            "cautions": items(lambda one: Caution(**fields(one, {"code": one_of(CODES), "text": text}))),
        }
        if of_vectors:
            losses = {"brier": number(0, 1), "log_loss": number(0, infinite=True)}
            candidate = {"method": one_of(METHODS), **losses, "cost": or_none(number())} | {
                "behind": number(0, infinite=True),
                "half_width": or_none(number(0)),
            }
            readers |= {
                "classes": items(label),
                "before": lambda one: Losses(**fields(one, losses)),
                "after": lambda one: Losses(**fields(one, losses)),
                "candidates": items(lambda one: Candidate(**fields(one, candidate))),
            }
        kind = {"of": "CalibrationMap", "kind": "a calibration map"}
        parts = read_object(value, readers, form=FORMAT, **kind)
        listed = [name for name in ("cautions", "classes", "candidates") if name in parts]
        read = cls(**parts | {name: tuple(parts[name]) for name in listed})
        if of_vectors and (isinstance(read.curve, Steps | LogisticCurve) or read.curve.size != len(read.classes)):
            raise not_written(f'"curve" is not of {len(read.classes):,} classes', **kind)
        return read

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read what `to_json` wrote."""
        return cls.from_dict(json_value(text, name="CalibrationMap"))

    def __str__(self) -> str:
        if self.before is None or self.after is None:
            return repr(self)
        change = f"log loss {self.before.log_loss:.4f} -> {self.after.log_loss:.4f}"
        change += f", Brier {self.before.brier:.4f} -> {self.after.brier:.4f} on its own rows"
        lines = [f"{self.method} map of {len(self.classes):,} classes{self._parameters()}; {change}"]
        if self.candidates:
            cost = "" if self.candidates[0].cost is None else f"{'cost':>9}"
            lines += [best_text(self.candidates), f"{'cross-fitted':<14}{'log loss':>9}{'Brier':>9}{cost}"]
        for each in self.candidates:
            cost = "" if each.cost is None else f"{each.cost:9.4f}"
            lines.append(f"{each.method:<14}{each.log_loss:9.4f}{each.brier:9.4f}{cost}")
        return "\n".join([*lines, *map(str, self.cautions)])

    def _parameters(self) -> str:
        if isinstance(self.curve, OneVsRest):
            pools = ", ".join(str(curve.score.size) for curve in self.curve.curves)
            return f": pools {pools}"
        if not isinstance(self.curve, LogLinear) or self.method == "identity":
            return ""
        if self.method == "temperature":
            slope = self.curve.weights[0, 0]
            return f": temperature {1 / slope:.4g}" if slope else ": temperature infinite"
        penalty = "" if self.curve.penalty is None else f": penalty {self.curve.penalty:g}"
        raised = f", {self.curve.raised:,} entries raised to {self.curve.floor:.3g}" if self.curve.raised else ""
        return penalty + raised


def _losses(losses: Losses | Candidate) -> dict[str, Any]:
    return {"brier": losses.brier, "log_loss": _finite_or_text(losses.log_loss)}


def _finite_or_text(value: float) -> float | str:
    """A number as JSON has it, which has no infinity."""
    return float(value) if np.isfinite(value) else str(float(value))


@overload
def calibration_map(
    ranking: Ranking,
    *,
    method: Method = "isotonic",
    smoothing: Smoothing = None,
    interpolate: bool = False,
    bins: int | None = None,
    on: On | None = None,
    targets: Targets | None = None,
) -> CalibrationMap: ...


@overload
def calibration_map(
    ranking: Segments,
    *,
    method: Literal["temperature", "vector", "dirichlet", "isotonic", "auto"] = "isotonic",
    smoothing: Smoothing = None,
    interpolate: bool = False,
    targets: Targets | None = None,
    penalty: float | None = None,
    floor: float | None = None,
    condition: OperatingCondition | CostMatrix | None = None,
    folds: int | None = None,
    seed: int = 0,
) -> CalibrationMap: ...


def calibration_map(
    ranking: Ranking | Segments,
    *,
    method: Method | VectorMethod | Literal["auto"] = "isotonic",
    smoothing: Smoothing = None,
    interpolate: bool = False,
    bins: int | None = None,
    on: On | None = None,
    targets: Targets | None = None,
    penalty: float | None = None,
    floor: float | None = None,
    condition: OperatingCondition | CostMatrix | None = None,
    folds: int | None = None,
    seed: int = 0,
) -> CalibrationMap:
    """A map from scores to probabilities, or from vectors of k classes to vectors.

    Fit it on rows the model has not learnt from. An option that a method does not know is refused.

    Parameters
    ----------
    ranking
        A ranking with scores of both classes, or segments of k classes.
    method
        For a ranking:
        "isotonic": the hull's pools and their proportions, for any score (Fawcett &
        Niculescu-Mizil 2007). "histogram": bins of nearly equal count (Zadrozny & Elkan 2001).
        "platt", "beta" and "temperature": logistic curves on the log-odds of scores that are
        probabilities; see `thresher.calibration.maps.logistic`.

        For segments: "temperature" divides every ln p by one number, so that the most probable class stays and zeros
        stay zeros. "vector" gives each class a weight and an intercept, "dirichlet" a full matrix of weights under a
        penalty on all that is not on the diagonal (Kull et al. 2019). "isotonic" fits the hull of each class against
        the rest and divides each row by its sum. "auto" takes the best of them and of leaving the vectors as they
        are: of least cost under a `condition`, of least log loss without, on cases that it was not fitted on.
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
        likelihood (the default of the others, for k classes as far as it has an optimum).
    penalty
        For "dirichlet": its size, 0 for none; without it the one of least log loss on inner folds, of 1, 0.1, 0.01,
        0.001 and 0.
    floor
        For "vector" and "dirichlet": what smaller entries are raised to before logarithms are taken, 1 / (2N) (half a
        case) by default. The map counts the entries it raised.
    condition
        For "auto": costs of the classes, and their mix if it is not that of the data.
    folds
        For "auto": how many, 5 by default; they are stratified by class.
    seed
        For folds.

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

    Three leaves of three classes:

    >>> leaves = [[.8, .1, .1], [.2, .5, .3], [.1, .2, .7]]
    >>> three = Segments.parse("[8,1,1][1,6,3][0,2,8]", probability=leaves, classes="abc")
    >>> print(calibration_map(three, method="temperature"))
    temperature map of 3 classes: temperature 0.8029; log loss 0.7281 -> 0.7169, Brier 0.2067 -> 0.2039 on its own rows
    """
    options: dict[str, Any] = {"smoothing": smoothing, "interpolate": interpolate or None, "targets": targets}
    options |= {"bins": bins, "on": on, "penalty": penalty, "floor": floor, "condition": condition, "folds": folds}
    if isinstance(ranking, Segments):
        return _vector_map(ranking, method, options, seed)
    require_ranking(ranking, both_classes=True)
    if not is_one_of(method, _OPTIONS) and is_one_of(method, _VECTOR_OPTIONS):
        fix = f"pass segments of k classes, or {argument('method', 'beta')}"
        raise ArgumentError(f"{method} is a map of vectors, and a ranking has scores", fix, parameter="method")
    require_one_of(method, _OPTIONS, name="method")
    _require_options(method, options, _OPTIONS)
    return _score_map(ranking, method, options)


def _score_map(ranking: Ranking, method: Any, options: dict[str, Any]) -> CalibrationMap:
    if method == "isotonic":
        split = hull_splits(ranking)
    elif method == "histogram":
        bins = BINS if options["bins"] is None else options["bins"]
        require_bins(bins)
        split = quantile_splits(ranking, bins)
    else:
        curve, cautions = fit_logistic(ranking, method, on=options["on"] or "log_odds", targets=options["targets"])
        return CalibrationMap(method, curve, auc(ranking), auc(recalibrate(ranking, curve)), cautions)
    steps, pools, cautions = steps_over(
        ranking, split, smoothing=options["smoothing"], interpolate=bool(options["interpolate"])
    )
    falls = int((np.diff(steps.probability) < 0).sum())
    if falls and not cautions:
        text = f"a higher bin has the lower probability in {falls:,} of {steps.probability.size - 1:,} places"
        cautions = (Caution("not-rising", text),)
    return CalibrationMap(method, steps, auc(ranking), auc(pools), cautions)


def _require_options(method: str, options: Mapping[str, Any], known: Mapping[str, frozenset[str]]) -> None:
    if unknown := sorted({name for name, value in options.items() if value is not None} - known[method]):
        what = f"{method} has no option {', '.join(unknown)}; it knows {', '.join(sorted(known[method]))}"
        raise ArgumentError(what, "leave it out, or pick another method")


def _vector_map(segments: Segments, method: str, options: dict[str, Any], seed: int) -> CalibrationMap:
    require_one_of(method, _VECTOR_OPTIONS, name="method")
    _require_options(method, options, _VECTOR_OPTIONS)
    absent = [name for name, cases in zip(segments.classes, segments.cases, strict=True) if not cases]
    if len(absent) > (len(segments.classes) - 2 if method == "temperature" else 0):
        what = f"class {absent[0]!r} has no cases among {segments.total:,}, and {method} needs cases of every class"
        raise OneClassError(what, "give data with every class, or leave the class and its column out")
    settings = Settings(
        floor=_require_floor(options["floor"], len(segments.classes)),
        penalty=_require_penalty(options["penalty"]),
        smoothing=options["smoothing"],
        interpolate=bool(options["interpolate"]),
        targets=_require_targets(options["targets"]),
        seed=require_seed(seed),
    )
    candidates: tuple[Candidate, ...] = ()
    chosen: Any = method
    if method == "auto":
        folds = FOLDS if options["folds"] is None else options["folds"]
        fix = f"give e.g. {argument('folds', FOLDS)}"
        folds = require_integer(folds, name="folds", least=2, most=MOST_FOLDS, fix=fix)
        candidates = compare_methods(segments, settings, options["condition"], folds=folds)
        chosen = candidates[0].method
    curve, cautions = fit_curve(segments, chosen, settings)
    after = mapped(segments, curve)
    return CalibrationMap(
        method=chosen,
        curve=curve,
        auc_before=_mean_auc(segments),
        auc_after=_mean_auc(after),
        cautions=cautions,
        classes=segments.classes,
        before=Losses(brier(segments), float(log_loss(segments))),
        after=Losses(brier(after), float(log_loss(after))),
        candidates=candidates,
    )


def _mean_auc(segments: Segments) -> float:
    """The mean AUC of the classes that have cases, each against the rest."""
    present = [ranking for ranking in segments.rankings.values() if ranking.Pos]
    return float(np.mean([auc(ranking) for ranking in present]))


def _require_penalty(penalty: Any) -> float | None:
    if penalty is not None and not 0 <= as_number(penalty) < np.inf:
        fix = "give 0 for none, e.g. 0.01, or leave it out to have it chosen on inner folds"
        raise ArgumentError(f"{argument('penalty')} must be 0 or more, got {penalty!r}", fix, parameter="penalty")
    return None if penalty is None else float(penalty)


def _require_floor(floor: Any, k: int) -> float | None:
    if floor is not None and not 0 < as_number(floor) < 1 / k:
        what = f"{argument('floor')} must lie strictly between 0 and 1/{k}, got {floor!r}"
        raise ArgumentError(what, "leave it out for half a case, 1 / (2N)", parameter="floor")
    return None if floor is None else float(floor)


def _require_targets(targets: Any) -> Targets | None:
    if targets is not None:
        require_one_of(targets, get_args(Targets), name="targets")
    return targets
