"""Calibration maps of k classes: fitted, cross-fitted and compared."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from thresher._internal.arguments import require_instance
from thresher._internal.results import Result
from thresher.calibration.maps.dirichlet import fit_vectors
from thresher.calibration.maps.logistic import Targets
from thresher.calibration.maps.steps import Steps, steps_over
from thresher.calibration.maps.vectors import LogLinear, OneVsRest
from thresher.calibration.scores import class_squared_errors, log_loss
from thresher.calibration.smoothing import Smoothing
from thresher.cautions import Caution
from thresher.curves import hull_splits
from thresher.errors import ConditionError, LabelError, argument
from thresher.inputs.labels import listed
from thresher.ranking import Counts, Floats, Ranking, Segments
from thresher.ranking.segments import Matrix
from thresher.tables import CostMatrix, OperatingCondition

VectorCurve: TypeAlias = LogLinear | OneVsRest
VectorMethod: TypeAlias = Literal["identity", "temperature", "vector", "dirichlet", "isotonic"]

METHODS: tuple[VectorMethod, ...] = ("identity", "temperature", "vector", "dirichlet", "isotonic")
PENALTIES = (1.0, 0.1, 0.01, 0.001, 0.0)
INNER_FOLDS = 3
HELD_OUT_FOLDS = 5
HALF_WIDTH = 1.959963984540054  # of a 95 % interval, in standard errors


@dataclass(frozen=True, slots=True, repr=False)
class Candidate(Result):
    """Losses and cost of a method on cases that it was not fitted on.

    `behind` is how much more it costs (or loses, without costs) than the best, and `half_width` that of its 95 %
    interval; None where no interval is finite. It takes the fitted maps as given.
    """

    method: VectorMethod
    log_loss: float
    brier: float
    cost: float | None = None
    behind: float = 0.0
    half_width: float | None = 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """What a fit may be asked for; None leaves a choice to it."""

    floor: float | None = None
    penalty: float | None = None
    smoothing: Smoothing = None
    interpolate: bool = False
    targets: Targets | None = None
    seed: int = 0


def fit_curve(segments: Segments, method: VectorMethod, settings: Settings) -> tuple[VectorCurve, tuple[Caution, ...]]:
    """The map of one method and what to know about it.

    >>> leaves = Segments.parse("[8,1,1][1,6,3]", probability=[[.7, .2, .1], [.2, .5, .3]], classes="abc")
    >>> curve, cautions = fit_curve(leaves, "temperature", Settings())
    >>> round(float(1 / curve.weights[0, 0]), 4), cautions
    (0.7158, ())
    """
    k = len(segments.classes)
    if method == "identity":
        return LogLinear(np.eye(k), np.zeros(k)), ()
    if method == "isotonic":
        return _fit_isotonic(segments, settings)
    floor = half_a_case(segments) if settings.floor is None else settings.floor
    penalty = 0.0
    if method == "dirichlet":
        penalty = choose_penalty(segments, settings) if settings.penalty is None else settings.penalty
    platt = settings.targets == "platt"
    fit = fit_vectors(segments.probability, segments.counts, method, floor=floor, penalty=penalty, platt=platt)
    cautions: tuple[Caution, ...] = ()
    if fit.separable:
        text = "no finite weights fit these classes best; Platt's targets share each case between them"
        cautions += (Caution("separable", text),)
    if method == "temperature" and (lost := segments.counts[segments.probability == 0].sum().item()):
        text = (
            f"{lost:,} of {segments.total:,} cases were given probability 0 for what they are; no temperature mends it"
        )
        cautions += (Caution("certain-and-wrong", text),)
    diagonal = fit.curve.weights.diagonal()
    if not (diagonal > 0).all() and method != "dirichlet":
        falling = listed([name for name, weight in zip(segments.classes, diagonal, strict=True) if weight <= 0])
        text = "temperature is infinite: these probabilities order classes no better than chance"
        if method == "vector":
            text = f"the weight of {falling} is not above 0: a higher probability does not raise it"
        cautions += (Caution("not-rising", text),)
    return fit.curve, cautions


def half_a_case(segments: Segments) -> float:
    """The floor below which logarithms are not taken: 1 / (2N), at most 1 / (2k)."""
    return 1 / (2 * max(float(segments.total), len(segments.classes)))


def _fit_isotonic(segments: Segments, settings: Settings) -> tuple[OneVsRest, tuple[Caution, ...]]:
    curve, cautions = _one_vs_rest(segments, settings)
    if all(each.probability.min() > 0 for each in curve.curves):
        return curve, cautions
    # A map never says 0 for a case that it was fitted on, so that only cases held out show how often all of them do.
    impossible = 0
    for train, test in partition(segments, HELD_OUT_FOLDS, settings.seed):
        nowhere = _one_vs_rest(train, settings)[0].by_class(test.probability).sum(axis=1) <= 0
        impossible += test.counts[nowhere].sum().item()
    if impossible:
        text = f"for {impossible:,} of {segments.total:,} cases held out of a fit every map says 0"
        cautions += (Caution("no-class-possible", f"{text}; such rows get the class shares"),)
    return replace(curve, impossible=impossible), cautions


def _one_vs_rest(segments: Segments, settings: Settings) -> tuple[OneVsRest, tuple[Caution, ...]]:
    curves, cautions = [], []
    for name, ranking in segments.rankings.items():
        curve, remarks = _hull_steps(ranking, settings)
        curves.append(curve)
        cautions += [Caution(each.code, f"{name!r}: {each.text}") for each in remarks]
    return OneVsRest(tuple(curves), tuple(segments.mix.tolist())), tuple(cautions)


def _hull_steps(ranking: Ranking, settings: Settings) -> tuple[Steps, tuple[Caution, ...]]:
    split = hull_splits(ranking) if ranking.Pos and ranking.Neg else np.array([0, len(ranking)])
    curve, _, cautions = steps_over(ranking, split, smoothing=settings.smoothing, interpolate=settings.interpolate)
    return curve, cautions


def choose_penalty(segments: Segments, settings: Settings) -> float:
    """The penalty of least log loss on inner folds; of equals the largest."""
    parts = partition(segments, INNER_FOLDS, settings.seed)
    losses = []
    for penalty in PENALTIES:
        tried = replace(settings, penalty=penalty, floor=settings.floor or half_a_case(segments))
        losses.append(sum(_total_loss(train, test, tried) for train, test in parts))
    return PENALTIES[int(np.argmin(losses))]


def _total_loss(train: Segments, test: Segments, settings: Settings) -> float:
    curve, _ = fit_curve(train, "dirichlet", settings)
    return float(log_loss(mapped(test, curve)) * test.total)


def mapped(segments: Segments, curve: VectorCurve) -> Segments:
    """The cases under mapped vectors."""
    return Segments(curve(segments.probability), segments.counts, classes=segments.classes, dropped=segments.dropped)


def partition(segments: Segments, folds: int, seed: int) -> list[tuple[Segments, Segments]]:
    """Each fold's cases, after the others': (train, test), stratified by class.

    Cases of a class go to folds in turn, in random order. Weights that are not whole do not say how many cases there
    are: all of a class and segment then go to one fold.

    >>> leaves = Segments.parse("[8,2][1,9]", probability=[[.8, .2], [.2, .8]], classes="ab")
    >>> [(train.total, test.cases.tolist()) for train, test in partition(leaves, 3, seed=0)]
    [(13, [3, 4]), (13, [3, 4]), (14, [3, 3])]
    """
    rng = np.random.default_rng(seed)
    counts = segments.counts
    parts = np.zeros((folds, *counts.shape), dtype=counts.dtype)
    broken = bool(np.mod(counts, 1).any())
    for i in range(counts.shape[1]):
        present = np.flatnonzero(counts[:, i])
        place = present if broken else np.repeat(present, counts[present, i].astype(np.int64))
        fold = np.empty(place.size, dtype=np.int64)
        fold[rng.permutation(place.size)] = np.arange(place.size) % folds
        np.add.at(parts[..., i], (fold, place), counts[place, i] if broken else 1)
    return [
        (_some(segments, counts - part if not broken else parts.sum(axis=0) - part), _some(segments, part))
        for part in parts
        if part.any() and (counts > part).any()
    ]


def _some(segments: Segments, counts: Counts) -> Segments:
    return Segments(segments.probability, np.maximum(counts, 0), classes=segments.classes)


def compare_methods(
    segments: Segments,
    settings: Settings,
    condition: OperatingCondition | CostMatrix | None,
    *,
    folds: int,
) -> tuple[Candidate, ...]:
    """Every method's losses on cases that it was not fitted on, best first.

    Best is least cost under a condition and least log loss without; of equals the one with fewer parameters.
    """
    costs, weights = (None, np.ones(len(segments.classes))) if condition is None else resolve(condition, segments)
    parts = partition(segments, folds, settings.seed)
    counts = np.concatenate([test.counts for _, test in parts])
    candidates, losses = [], []
    for method in METHODS:
        vectors = np.concatenate([_fit_map(train, method, settings)(test.probability) for train, test in parts])
        with np.errstate(divide="ignore"):
            logs = np.abs(np.log(vectors))  # never -0.0
        paid = None if costs is None else costs.costs.T[costs.decide(vectors, weights=weights)]
        cost = None if paid is None else _mean(paid, counts * weights)
        brier = _mean(class_squared_errors(vectors), counts)
        candidates.append(Candidate(method, _mean(logs, counts), brier, cost))
        losses.append(logs if paid is None else paid)
    order = sorted(range(len(METHODS)), key=lambda i: _judged(candidates[i]))
    best = order[0]
    return tuple(
        replace(candidates[i], **_distance(losses[i], losses[best], counts, weights) if i != best else {})
        for i in order
    )


def _fit_map(segments: Segments, method: VectorMethod, settings: Settings) -> VectorCurve:
    """The map alone, without cautions that take further fits."""
    if method == "isotonic":
        return _one_vs_rest(segments, settings)[0]
    return fit_curve(segments, method, settings)[0]


def _judged(candidate: Candidate) -> float:
    return candidate.log_loss if candidate.cost is None else candidate.cost


def _mean(losses: Matrix, cases: Counts) -> float:
    seen = cases > 0  # certain and right costs 0 and not 0 · inf
    return float((cases[seen] * losses[seen]).sum() / cases.sum())


def _distance(losses: Matrix, least: Matrix, counts: Counts, weights: Floats) -> dict[str, Any]:
    """How far losses lie from the least; at a declared mix stratified by class."""
    seen = counts > 0
    if not np.isfinite(losses[seen]).all():
        return {"behind": math.inf, "half_width": None}
    with np.errstate(invalid="ignore"):  # where no case is, both may be infinite
        apart = np.where(seen, losses - least, 0.0)
    behind = _mean(apart, counts * weights)
    by_class = (counts * apart).sum(axis=0) / np.maximum(counts.sum(axis=0), 1)
    centre = by_class if (weights != 1).any() else behind
    variance = float((counts * (weights * (apart - centre)) ** 2).sum()) / float((counts * weights).sum()) ** 2
    return {"behind": behind, "half_width": HALF_WIDTH * math.sqrt(variance)}


def resolve(condition: Any, segments: Segments) -> tuple[CostMatrix, Floats]:
    """Costs in the order of the classes, and class weights to the declared mix."""
    fix = "pass OperatingCondition(costs=CostMatrix(...)), or the CostMatrix itself"
    require_instance(condition, (OperatingCondition, CostMatrix), name="condition", fix=fix)
    costs = condition if isinstance(condition, CostMatrix) else condition.costs
    if costs is None:
        raise ConditionError("the condition is of two classes, and has no cost matrix", fix)
    if sorted(map(repr, costs.classes)) != sorted(map(repr, segments.classes)):
        what = (
            f"{argument('condition')} has costs of {listed(costs.classes)}, and classes are {listed(segments.classes)}"
        )
        raise LabelError(what, "give costs for every class, by its name")
    order = [costs.classes.index(name) for name in segments.classes]
    actions = [*segments.classes, *costs.actions[len(order) :]]
    columns = [*order, *range(len(order), len(costs.actions))]
    aligned = CostMatrix.of_arrays(segments.classes, actions, costs.costs[np.ix_(order, columns)])
    mix = None if condition is costs else condition.mix
    if mix is None:
        return aligned, np.ones(len(order))
    declared = segments.at_mix(mix)  # refuses a mix of other classes
    return aligned, declared.cases / segments.cases


def best_text(candidates: Sequence[Candidate]) -> str:
    """Which method is best, by how much, and whether that is sure."""
    best, second = candidates[:2]
    by = "log loss" if best.cost is None else "cost"
    sure = ""
    if second.half_width is not None:
        undecided = ": undecided" if second.behind <= second.half_width else ""
        sure = f" (± {second.half_width:.4f}{undecided})"
    return f"{best.method} is best by cross-fitted {by}, {second.behind:.4f} less than {second.method}{sure}"
