"""What is no argument at all is refused in words, by every public name of `inference` and `evaluation`."""

import inspect
from functools import partial
from typing import Any

import numpy as np
import pytest

import thresher as th
from thresher import evaluation, inference
from thresher.errors import ArgumentError, ThresherError

RANKING = th.Ranking([0.9, 0.5, 0.1], [3, 3, 1], [1, 2, 3])
TABLE = th.Contingency(tp=3, fn=2, fp=1, tn=4)
LABELS, SCORES = [1, 0, 1, 0], [0.9, 0.1, 0.8, 0.3]
MATRIX = [[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.7, 0.3]]
NAMED = {"a": SCORES, "b": [0.7, 0.2, 0.3, 0.4]}
ASKED: Any = inference  # as if nothing were typed: wrong arguments are the point
JUDGED: Any = evaluation
FOLDS = {"test_share": 0.2}

# A call of every public function that is answered; each argument is then spoilt in turn.
CALLS: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "auc_interval": ([RANKING], {}),
    "auc_power": ([0.8, 50, 50], {}),
    "auc_sample_size": ([0.8], {"width": 0.1}),
    "auc_variance": ([RANKING], {}),
    "bayesian_correlated_t": ([[0.8, 0.7], [0.6, 0.7]], FOLDS),
    "bootstrap": ([RANKING, ["auc"]], {"replicates": 10}),
    "bounds": ([RANKING, "expected_cost"], {}),
    "brier_interval": ([RANKING], {}),
    "calibration_intervals": ([RANKING], {"replicates": 10}),
    "calibration_report": ([RANKING], {"replicates": 10}),
    "calibration_test": ([RANKING], {"replicates": 10}),
    "compare": ([LABELS, NAMED], {}),
    "classified_rows": ([LABELS, MATRIX], {}),
    "compare_power": ([0.8, 0.7, 50, 50], {}),
    "compare_rankings": ([{"a": RANKING, "b": RANKING}], {}),
    "compare_unpaired": ([RANKING, RANKING], {}),
    "corrected_t": ([[0.8, 0.7], [0.6, 0.7]], FOLDS),
    "hanley_mcneil_variance": ([0.8, 50, 50], {}),
    "holm": ([[0.01, 0.2]], {}),
    "out_of_bag_choice": ([RANKING], {"replicates": 10}),
    "mcnemar": ([LABELS, [1, 0, 1, 1], [1, 0, 0, 0]], {}),
    "interval": ([TABLE, "mcc"], {}),
    "net_benefit_band": ([RANKING], {}),
    "precision_recall_band": ([RANKING], {}),
    "rate_interval": ([3, 5], {}),
    "reliability_band": ([RANKING], {"replicates": 10}),
    "roc_band": ([RANKING], {"replicates": 10}),
    "intervals": ([TABLE], {}),
    "evaluate": ([LABELS, SCORES], {"replicates": 10}),
    "evaluate_rankings": ([{"a": RANKING}], {}),
}
CONDITION = th.OperatingCondition(cost_ratio=5)
RATIO = inference.Interval(0.8, 0.5, 1.2, 0.01, 0.95, "given")
MISSED = inference.Interval(20.0, 10.0, 40.0, 30.0, 0.95, "given")
PROBABILITIES = [0.9, 0.5, 0.1]
SEGMENTS = th.segment(["a", "b"] * 6, [[0.7, 0.3], [0.4, 0.6]] * 6, classes=["a", "b"])
BY_NAME = th.OperatingCondition(costs=th.CostMatrix.equal(["a", "b"]))
DELAYS = inference.maturity([1, 2, 3, 4], [20, 10, 5, 0], [3, 3, 3, 3])
# Limits that hold at every look, and what partial labels tell.
CALLS |= {
    "alarm_band": ([6, 120, CONDITION], {}),
    "allocation": ([20, [100, 200], [0.2, 0.1]], {}),
    "arrival_weights": ([DELAYS, [1, 3]], {}),
    "calibration_evidence": ([RANKING], {}),
    "class_ratio_interval": ([RANKING, PROBABILITIES], {"counts": [20, 30, 50], "replicates": 20}),
    "class_ratio_range": ([RANKING, 0.4, CONDITION], {}),
    "cost_change": ([RANKING, RANKING, 0.4, CONDITION], {"class_ratio": 0.5}),
    "covariate_shift_recall": ([30, RANKING, [0.3, 0.1], [50, 70]], {"threshold": 0.4}),
    "delay_test": ([[1, 2, 3], [10, 10, 10], [20, 10, 5]], {}),
    "detector": ([[20, 24, 9], [30, 30, 30]], {"at_least": 0.8}),
    "difference_count_interval": (
        [],
        {
            "rows": [1000, 100],
            "predicted": [30, 40],
            "n": [50, 20],
            "k": [1, 8],
            "sum_f": [1.5, 8],
            "sum_f_squares": [0.2, 4],
            "sum_f_positives": [0.1, 4],
        },
    ),
    "distance": ([[0.1, 0.5, 0.9], [10, 20, 30], [12, 20, 28]], {}),
    "drawn_count_interval": ([2, 50, 1000], {}),
    "drift": ([[500, 300, 200], [[50, 30, 20], [45, 35, 20]]], {}),
    "e_benjamini_hochberg": ([[0.5, 100, 30]], {}),
    "exchangeability": ([[[50, 30, 20], [45, 35, 20]]], {"replicates": 19}),
    "expected_cost_interval": ([CONDITION], {"tp": 30, "alarms": 50, "missed": MISSED, "others": 900}),
    "expected_share": ([PROBABILITIES, [1, 2, 0], [2, 4, 5]], {}),
    "label_shift_recall": (
        [RANKING, RATIO, 100, inference.label_shift_test(RANKING, PROBABILITIES, [20, 30, 50], replicates=20)],
        {"threshold": 0.4},
    ),
    "label_shift_test": ([RANKING, PROBABILITIES], {"counts": [20, 30, 50], "replicates": 20}),
    "maturity": ([[1, 2, 3, 4], [20, 10, 5, 0], [3, 3, 3, 3]], {}),
    "mean_interval": ([30, 100], {}),
    "measure_interval": (["fnr"], {"tp": 30, "alarms": 50, "missed": MISSED, "others": 900}),
    "out_of_fold_cost": ([SEGMENTS, BY_NAME], {"folds": 2}),
    "permanent_random_numbers": ([["a", "b"], "salt"], {}),
    "portfolio_interval": ([[0.1, 0.3, 0.2]], {"counts": [3, 4, 5]}),
    "recall_deviation": ([PROBABILITIES, [True, False, False]], {"recall": 0.6}),
    "recall_interval": ([30, MISSED], {}),
    "regret_interval": ([RANKING, 0.4, CONDITION, RATIO], {}),
    "rising_recall": ([30, 900, [6, 9], [120, 40]], {}),
    "stability_index": ([[500, 300, 200], [50, 30, 20]], {}),
    "stratified_precision": ([[6, 9], [20, 10], [5, 0]], {}),
    "stream_count_interval": ([2, 1000], {"propensity": 0.05}),
    "verified_table": (
        [],
        {"tp": 231, "fp": 32, "fn": 27, "tn": 54, "called_unverified": 166, "other_unverified": 140},
    ),
    "weighted_share_interval": (
        [],
        {"weights": 100, "positive_weights": 30, "squares": 150, "positive_squares": 40, "n": 80},
    ),
    "worst_case_recall": ([30, 900], {}),
}
# These read files and engines, whose own rooms say what a source is.
OF_ENGINES = {"compare_scan", "evaluate_scan"}
# Answered by what was decided, not by arguments; tested with decisions.
OF_DECISIONS = {"contradictions"}


class _Stranger:
    pass


WRONG: dict[str, Any] = {
    "None": None,
    "a number": 5,
    "a text": "x",
    "a list": [1, 2],
    "a matrix": np.ones((2, 2)),
    "a mapping": {"a": [1]},
    "an object": _Stranger(),
}


def functions():
    names = {name: getattr(package, name) for package in (inference, evaluation) for name in package.__all__}
    return {name: value for name, value in names.items() if not isinstance(value, type)}


def test_every_public_function_is_called_here():
    assert set(functions()) == set(CALLS) | OF_ENGINES | OF_DECISIONS


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_that_are_spoilt_are_answered_as_they_are(name):
    arguments, named = CALLS[name]
    functions()[name](*arguments, **named)


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", CALLS)
def test_no_argument_raises_what_is_not_in_words(name, wrong):
    """Whatever stands in place of any one argument is answered, or refused with what, where and fix."""
    function, (arguments, named) = functions()[name], CALLS[name]
    for place in range(len(arguments)):
        spoilt = [WRONG[wrong] if i == place else value for i, value in enumerate(arguments)]
        _answered_or_refused(lambda spoilt=spoilt: function(*spoilt, **named))
    if wrong == "a matrix":
        return  # nobody takes a matrix for a switch
    keywords = list(inspect.signature(function).parameters.values())[len(arguments) :]
    for keyword in keywords:
        _answered_or_refused(lambda keyword=keyword: function(*arguments, **named | {keyword.name: WRONG[wrong]}))


def _answered_or_refused(call):
    refused = None
    try:
        call()
    except ThresherError as error:
        refused = error
    assert refused is None or all((refused.what, refused.where, refused.fix))


def test_the_first_argument_is_never_taken_for_something_else():
    for name in ("auc_interval", "auc_variance", "brier_interval", "calibration_test", "roc_band", "reliability_band"):
        for wrong in WRONG.values():
            with pytest.raises(ArgumentError, match=r"ranking|Ranking"):
                functions()[name](wrong)
    for wrong in WRONG.values():
        for asked in ("mcc", th.OperatingCondition()):
            with pytest.raises(ArgumentError, match="contingency table is needed"):
                ASKED.interval(wrong, asked)
        with pytest.raises(ArgumentError, match="contingency table is needed"):
            ASKED.intervals(wrong)


@pytest.mark.parametrize("wrong", WRONG)
def test_matrices_are_answered_or_refused_in_words(wrong):
    models = {"a": MATRIX, "b": [[0.6, 0.4], [0.3, 0.7]] * 2}
    for function, more in ((evaluation.evaluate, {"replicates": 10}), (inference.compare, {})):
        named: dict[str, Any] = {"classes": [0, 1]} | more
        calls = [((WRONG[wrong], models), named), ((LABELS, WRONG[wrong]), named)]
        keywords = list(inspect.signature(function).parameters)[2:]
        calls += [((LABELS, models), named | {keyword: WRONG[wrong]}) for keyword in keywords]
        for arguments, keyword in calls:
            _answered_or_refused(partial(function, *arguments, **keyword))


def test_a_matrix_names_no_classes():
    with pytest.raises(ArgumentError, match="classes are a list of labels"):
        JUDGED.evaluate(LABELS, MATRIX, classes=np.ones((2, 2)))
    with pytest.raises(ArgumentError, match="classes are a list of labels, and this is 5"):
        JUDGED.evaluate(LABELS, MATRIX, classes=5)


def test_numbers_words_and_callables():
    with pytest.raises(ArgumentError, match="margin must be a number, got None"):
        ASKED.compare_unpaired(RANKING, RANKING, margin=None)
    with pytest.raises(ArgumentError, match=r"method must be .*, got \['wilson'\]"):
        ASKED.rate_interval(3, 5, method=["wilson"])
    with pytest.raises(ArgumentError, match="progress must be a function, got 5"):
        ASKED.bootstrap(RANKING, ["auc"], replicates=10, progress=5)
    with pytest.raises(ArgumentError, match="the grid must be numbers"):
        ASKED.roc_band(RANKING, fpr="x")
    with pytest.raises(ArgumentError, match="p-values are numbers from 0 to 1"):
        ASKED.holm([0.5, 1.5])
    with pytest.raises(ArgumentError, match="has no variance"):
        ASKED.hanley_mcneil_variance(0.8, 0, 50)


def test_results_are_asked_in_words_too():
    """Whatever stands where a model, a pair or a name of what was computed belongs is refused in words."""
    labels, rows = np.arange(40) % 2, {"a": np.arange(40.0), "b": np.arange(40.0) % 7}
    drawn, compared = (
        ASKED.bootstrap(ASKED.ScoredRows.of(labels, rows), ["auc"], replicates=10),
        ASKED.compare(labels, rows),
    )
    judged = JUDGED.evaluate(labels, rows, replicates=10)
    for wrong in (None, 5, "x", ["a"], {"x": 1}, ("a", "x"), np.ones(2), _Stranger()):
        for ask in (
            lambda wrong: judged[wrong],
            lambda wrong: compared[wrong],
            compared.contrast,
            lambda wrong: drawn.values("auc", wrong),  # two models, so None names neither
            lambda wrong: drawn.interval(wrong, "a"),
            lambda wrong: drawn.interval("auc", "a", method=wrong),
            lambda wrong: ASKED.ScoredRows.of(labels, rows).ranking(wrong),
            ASKED.BestCost,
            lambda wrong: ASKED.CostAt(0.5, wrong),
            lambda wrong: ASKED.CostAt([wrong]),
            lambda wrong: ASKED.MeasureAt("f1", {"a": str(wrong)}),
        ):
            with pytest.raises(ThresherError):
                ask(wrong)
