"""Whatever is given in place of a ranking, a table, a condition or a number is refused by a `ThresherError`."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import thresher as th
from tests.public import OFFERED
from thresher import losses

PACKAGES = ("tables", "curves", "choices", "calibration")
FUNCTIONS = sorted(
    name
    for name, thing in OFFERED.items()
    if inspect.isfunction(thing) and thing.__module__.split(".")[1] in PACKAGES and name != "read_costs"  # of a file
)

RANKING = th.Ranking.parse("[3+,1-][1+,2-]", score=[0.8, 0.3])
BOUNDED = th.Ranking.of_ranges([0.6, 0.1], [0.9, 0.4], pos=[3, 2], neg=[2, 4])
TABLE = th.Contingency(tp=3, fn=1, fp=2, tn=4)
MATRIX = th.ConfusionMatrix([[3, 1], [1, 2]], classes=["a", "b"])
CONDITION = th.OperatingCondition(cost_ratio=2)

# What every other argument is, so that only one of them is wrong.
RIGHT: dict[str, Any] = {
    "counts": [1, 2],
    "fpr": 0.2,
    "from_": 0.2,
    "labels": [1, 0, 1],
    "m": 2,
    "models": {"a": RANKING},
    "name": "accuracy",
    "Neg": 5,
    "of": "accuracy",
    "Pos": 5,
    "predictions": [1, 0, 0],
    "prior": 0.5,
    "probabilities": [[0.5, 0.5], [0.4, 0.6], [0.3, 0.7]],
    "ranking": RANKING,
    "recall": 0.5,
    "segments": th.Segments([[0.5, 0.5], [0.2, 0.8]], [[1, 2], [0, 3]], classes="ab"),
    "slope": 1.0,
    "table": TABLE,
    "threshold": 0.5,
    "to": 0.3,
    "tpr": 0.5,
    "to_probability": lambda score: score,
    "value": 0.7,
}
NEEDED: dict[str, dict[str, Any]] = {
    "adjust_prevalence": {"trained_at": 0.5},
    "randomized_rule": {"threshold": 0.8},
    "partial_auc": {"fpr": (0, 0.5)},
    "point_at": {"fpr": 0.5},
}
NUMBERS = {"adjust_prevalence", "laplace", "m_estimate"}  # of these, a list and an array are the right first argument

NOTHING: list[Any] = [None, object(), {}, b"x", 1j]
COLUMNS: list[Any] = [[0.1, 0.2], np.array([0.1, 0.2])]
NO_NUMBER: list[Any] = [*NOTHING, "x", "0.5", [[1, 2], [3]], 10**400]
NO_SCALAR: list[Any] = [*NO_NUMBER, *COLUMNS]
NO_WORD: list[Any] = [5, "loose", *NOTHING[1:], *COLUMNS]  # None often means: as usual


def call(name, /, **wrong):
    function = OFFERED[name]
    needed = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    return function(**{part: RIGHT[part] for part in needed} | NEEDED.get(name, {}) | wrong)


def first(name):
    return next(iter(inspect.signature(OFFERED[name]).parameters))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_rightly_called_every_function_answers(name):
    """So that what is refused below is refused for the one thing that is wrong."""
    call(name)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_wrong_first_argument_is_refused(name):
    for wrong in [*NOTHING, 5, "x", [[1, 2], [3]], *([] if name in NUMBERS else COLUMNS)]:
        with pytest.raises(th.ThresherError):
            call(name, **{first(name): wrong})


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if first(name) == "ranking"])
def test_the_error_shows_how_to_make_a_ranking(name):
    for columns in COLUMNS:
        with pytest.raises(
            th.errors.ArgumentError, match=rf"a ranking is needed, got (?s:.)*where: {name}\("
        ) as refused:
            call(name, ranking=columns)
        assert refused.value.fix == "pass rank(labels, scores)"
    with pytest.raises(th.errors.ArgumentError) as refused:
        call(name, ranking="[3+][1-]")
    assert "Ranking.parse" in refused.value.fix


OPTIONS = [
    ("adjust_prevalence", "to", NO_SCALAR),
    ("adjust_prevalence", "trained_at", NO_SCALAR),
    ("calibration_map", "method", NO_WORD),
    ("calibration_map", "smoothing", NO_WORD),
    ("chi_squared", "table", [RANKING, [[3, 1], [2, 4]]]),
    ("choose", "at_most", NO_SCALAR[1:]),
    ("choose", "condition", [5, "x", {}, *COLUMNS]),
    ("choose", "maximise", [5, "x", {}, *COLUMNS]),
    ("choose", "minimise", [5, "x", {}, *COLUMNS]),
    ("choose", "subject_to", [5, "x", {}, *COLUMNS]),
    ("randomized_rule", "probability", NO_SCALAR),
    ("randomized_rule", "threshold", NO_SCALAR),
    ("contingency_at", "threshold", NO_NUMBER),
    ("decomposition", "bins", [*NO_WORD[:-2], [1, 2, 3], [1.0, np.nan]]),
    ("ece", "count", NO_SCALAR),
    ("ece", "level", NO_SCALAR),
    ("ece", "replicates", [*NO_SCALAR, 2.5, 0]),
    ("ece", "seed", ["x", {}, -1, 2.5]),
    ("ece", "bins", NO_WORD),
    ("fisher", "alternative", NO_WORD),
    ("fisher", "table", [RANKING, MATRIX]),
    ("hull", "pool", NO_WORD),
    ("isometric", "Neg", NO_SCALAR),
    ("isometric", "Pos", NO_SCALAR),
    ("isometric", "plane", NO_WORD),
    ("isometric", "points", [*NO_SCALAR, 2.5]),
    ("isometric", "value", NO_SCALAR),
    ("log_loss", "clip", NO_SCALAR[1:]),
    ("m_estimate", "m", NO_SCALAR),
    ("m_estimate", "prior", NO_SCALAR),
    ("net_benefit", "threshold", NO_NUMBER[1:]),
    ("partial_auc", "fpr", [5, "x", *COLUMNS[:0], [0.1], [0.2, 0.1]]),
    ("point_at", "fpr", NO_SCALAR),
    ("point_at", "on", NO_WORD),
    ("precision_at", "recall", NO_NUMBER),
    ("recalibrate", "to_probability", [None, 5, "x", *COLUMNS]),
    ("reliability", "count", NO_SCALAR),
    ("reliability", "bins", NO_WORD),
    ("smooth", "smoothing", NO_WORD),
    ("table_bounds", "threshold", NO_NUMBER),
    ("thin", "points", [*NO_SCALAR[:-3], 2.5]),
]


@pytest.mark.parametrize(("name", "option", "values"), OPTIONS, ids=[f"{name}-{option}" for name, option, _ in OPTIONS])
def test_a_wrong_option_is_refused(name, option, values):
    for wrong in values:
        with pytest.raises(th.ThresherError):
            call(name, **{option: wrong})


def test_bounds_refuse_the_same_of_rankings_that_count_ranges():
    for wrong in NO_SCALAR[1:]:
        with pytest.raises(th.errors.ArgumentError):
            th.bounds(BOUNDED, "expected_cost", threshold=wrong)
    for wrong in NO_NUMBER:
        with pytest.raises(th.errors.ArgumentError):
            th.curves.table_bounds(BOUNDED, wrong)


ASKED: dict[str, tuple[Callable[[Any], Any], list[Any]]] = {
    "Ranking.interval": (RANKING.interval, [*NO_SCALAR, True, 1.0, -1, 3]),
    "Ranking.threshold": (RANKING.threshold, [*NO_SCALAR, True, 1.0, -1, 3]),
    "Ranking.parse": (th.Ranking.parse, [*NO_SCALAR, 5]),
    "Ranking(score)": (lambda wrong: th.Ranking(wrong, [1, 2], [1, 0]), [*NO_NUMBER, "xy"]),
    "Ranking(pos)": (lambda wrong: th.Ranking([2, 1], wrong, [1, 0]), [*NO_NUMBER, "xy"]),
    "Ranking.of_ranges(low)": (lambda wrong: th.Ranking.of_ranges(wrong, [1, 2], pos=[2, 2], neg=[0, 2]), NO_NUMBER),
    "Contingency": (lambda wrong: th.Contingency(tp=wrong, fn=1, fp=1, tn=1), NO_NUMBER),
    "Contingency.at_class_ratio": (TABLE.at_class_ratio, NO_SCALAR),
    "Contingency.dominates": (TABLE.dominates, [*NO_SCALAR, MATRIX, RANKING]),
    "Contingency.f_beta": (TABLE.f_beta, NO_SCALAR),
    "Contingency.describe": (TABLE.describe, NO_SCALAR),
    "ConfusionMatrix.average": (lambda wrong: MATRIX.average(wrong, "f1"), NO_WORD),
    "ConfusionMatrix.describe": (MATRIX.describe, [*NO_SCALAR, 5]),
    "ConfusionMatrix.one_vs_rest": (MATRIX.one_vs_rest, NO_SCALAR),
    "Measure.of": (th.tables.measure("f2").of, [*NO_SCALAR, MATRIX, RANKING]),
    "Coverage.at": (th.coverage(RANKING).at, [*NO_SCALAR, True, 1.0, -1, 3]),
    "CostCurve.at": (th.cost_curve(RANKING).at, NO_NUMBER),
    "OperatingCondition(class_ratio)": (lambda wrong: th.OperatingCondition(class_ratio=wrong), NO_SCALAR[1:]),
    "OperatingCondition(cost_fp)": (lambda wrong: th.OperatingCondition(cost_fp=wrong), NO_SCALAR[1:]),
    "OperatingCondition(cost_tp)": (lambda wrong: th.OperatingCondition(cost_tp=wrong), NO_SCALAR),
    "OperatingCondition.expected_cost": (CONDITION.expected_cost, [*NO_SCALAR, MATRIX, RANKING]),
    "OperatingCondition.for_data": (CONDITION.for_data, [*NO_SCALAR, TABLE]),
    "OperatingCondition.for_data, declared": (th.OperatingCondition(class_ratio=1).for_data, [None, TABLE]),
    "OperatingCondition.slope_coverage": (CONDITION.slope_coverage, [*NO_SCALAR, TABLE]),
    "MEstimate(m)": (lambda wrong: th.calibration.MEstimate(m=wrong, prior=0.5), NO_SCALAR),
    "MEstimate(prior)": (lambda wrong: th.calibration.MEstimate(m=2, prior=wrong), NO_SCALAR),
    "CalibrationMap": (th.calibration_map(RANKING), NO_NUMBER),
    "losses.hinge": (losses.hinge, NO_NUMBER),
    "losses.mean_loss(ranking)": (lambda wrong: losses.mean_loss(wrong, losses.hinge), [*NO_SCALAR, TABLE]),
    "losses.mean_loss(loss)": (lambda wrong: losses.mean_loss(RANKING, wrong), NO_SCALAR),
}


@pytest.mark.parametrize("asked", ASKED)
def test_what_things_are_asked_is_checked_as_well(asked):
    ask, values = ASKED[asked]
    for wrong in values:
        with pytest.raises(th.ThresherError):
            ask(wrong)
