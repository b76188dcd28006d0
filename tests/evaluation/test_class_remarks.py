import numpy as np
import pytest

import thresher as th
from tests.inference import class_examples

LABELS, MODELS = class_examples.rows(150, 5)
GOOD = MODELS["good"]
TWO = {"matrix": {"model": GOOD[:, :2], "whole": GOOD}, "classes": {"model": [0, 1], "whole": [0, 1, 2]}}
STRAY = {"labels": [*LABELS[:-3].tolist(), 7, 8, 9], "classes": [0, 1, 2], "other": 1}


def cautions(labels=LABELS, matrix=GOOD, **more):
    return {caution.code: caution.text for caution in th.evaluate_classes(labels, matrix, **more).cautions}


def test_nothing_to_remark():
    assert cautions() == {}


@pytest.mark.parametrize(
    ("code", "told", "given"),
    [
        ("few-cases-of-class", "class 2 has only 29 cases", {"labels": [0] * 61 + [1] * 60 + [2] * 29}),
        ("few-clusters", "only 29 clusters", {"clusters": np.arange(150) % 29}),
        ("extreme-class-ratio", "class 0 is 147 times as frequent as 1", {"labels": [0] * 147 + [1, 2, 2]}),
        ("class-without-column", "no column for 2, the class of", TWO),
        ("certain-and-wrong", "probability 0 from model for what they are", TWO),
        ("rows-not-summing", "150 of 150 rows of model do not sum to 1", {"matrix": GOOD * 0.9}),
        ("class-never-called", "never calls a case 2", {"matrix": GOOD * [1, 1, 0.001]}),
        ("predictions-not-likeliest", "predictions of model", {"predictions": (GOOD.argmax(axis=1) + 1) % 3}),
        ("tied-likeliest", "in 150 cases", {"matrix": np.full((150, 3), 1 / 3)}),
        ("one-score", "every case the same", {"matrix": np.full((150, 3), 1 / 3)}),
        ("auc-below-half", "for 2 against the rest", {"matrix": GOOD[:, [1, 2, 0]]}),
        ("pooled-labels", "were pooled: 7, 8 and 9 (3 of 150 rows)", STRAY),
    ],
)
def test_what_a_careful_analyst_would_notice(code, told, given):
    assert told in cautions(**given)[code]


@pytest.mark.parametrize(("cases", "told"), [(29, True), (30, False)])
def test_few_cases_are_fewer_than_thirty(cases, told):
    labels = np.repeat([0, 1, 2], [60, 90 - cases, cases])
    assert ("few-cases-of-class" in cautions(labels)) is told


def test_predictions_that_follow_from_the_matrix_are_no_news():
    assert "predictions-not-likeliest" not in cautions(predictions=GOOD.argmax(axis=1))
