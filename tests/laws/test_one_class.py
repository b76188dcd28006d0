"""Every function of a ranking needs both classes and says so, or is named here as one that does not."""

import inspect
from typing import Any

import pytest

import thresher as th
from tests.public import OFFERED

# What else a function must be given, to get as far as looking at the classes.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "randomized_rule": {"threshold": 1},
    "contingency_at": {"threshold": 1},
    "bounds": {"of": "auc"},
    "partial_auc": {"fpr": (0, 0.1)},
    "point_at": {"fpr": 0.5},
    "precision_at": {"recall": 0.5},
    "recalibrate": {"to_probability": lambda score: score},
    "table_bounds": {"threshold": 1},
}

# Functions that have an answer for one class, and why.
ANSWERED = {
    "randomized_rule": "counts cases of one score",
    "contingency_at": "a table may have an empty row; its rates are NaN",
    "coverage": "counts stay counts; its rates are NaN",
    "brier": "squared errors need no other class",
    "brier_interval": "nor does their spread",
    "calibration_evidence": "nor does betting against stated probabilities",
    "calibration_test": "nor does drawing labels from stated probabilities",
    "ece": "nor do distances between probabilities and proportions",
    "log_loss": "nor does surprise",
    "recalibrate": "maps scores, whatever the labels",
    "reliability": "proportions of one class are 0 or 1, and right",
    "table_bounds": "a table may have an empty row",
    "smooth": "smoothing is for small counts, 0 among them",
}


WRITERS = ("classroom",)  # needs a place to write to; refused in tests/cli/commands/test_classroom.py
RANKINGS_OR_ROWS = ("auc_interval", "brier_interval")


def functions_of_a_ranking():
    for name, thing in OFFERED.items():
        if inspect.isfunction(thing):
            parameters = list(inspect.signature(thing).parameters.values())
            if name in WRITERS:
                continue
            if parameters and (parameters[0].name == "ranking" or name in RANKINGS_OR_ROWS):
                yield name


FUNCTIONS = sorted(functions_of_a_ranking())


def test_there_are_such_functions():
    assert {"auc", "roc", "hull", "coverage"} <= set(FUNCTIONS)
    assert set(ANSWERED) | set(ARGUMENTS) <= set(FUNCTIONS)


def answer(name, r):
    return OFFERED[name](r, **ARGUMENTS.get(name, {}))


@pytest.mark.parametrize("text", ["[2+][1+]", "[2-][1-]", "[0.5+]", "[1-]"])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ANSWERED])
def test_one_class_is_refused_by_whatever_needs_both(name, text):
    scores = [0.8, 0.3][: text.count("[")]
    with pytest.raises(th.errors.OneClassError, match=r"there are no (positives|negatives) among"):
        answer(name, th.Ranking.parse(text, score=scores))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ANSWERED])
def test_and_two_classes_are_not(name):
    answer(name, th.Ranking.parse("[2+,1-][1+,2-]", score=[0.8, 0.3]))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name in ANSWERED])
def test_whatever_does_not_need_both_answers(name):
    for text in ("[2+][1+]", "[2-][1-]"):
        answer(name, th.Ranking.parse(text, score=[1, 0.3]))
