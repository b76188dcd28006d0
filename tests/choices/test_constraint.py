import math

import numpy as np
import pytest

import thresher as th
from thresher.choices.constraint import constraints

CURVE = th.coverage(th.Ranking.parse("[20+,5-][10+,5-][20+,40-]"))


def test_reads_synonyms_and_several_at_once():
    read = constraints(["sensitivity >= .9", "fpr<=1e-2 and Precision > 0.5"])
    assert [str(each) for each in read] == ["tpr >= 0.9", "fpr <= 0.01", "precision > 0.5"]


def test_undefined_meets_no_bound():
    (bound,) = constraints("precision >= 0")
    assert bound.holds(CURVE).tolist() == [False, True, True, True]


def test_bounds_are_inclusive_only_when_they_say_so():
    at_least, above = constraints("recall >= 0.6, recall > 0.6")
    assert at_least.holds(CURVE).tolist() == [False, False, True, True]
    assert above.holds(CURVE).tolist() == [False, False, False, True]


def test_nearest_value():
    (bound,) = constraints("precision >= 0.9")
    assert bound.nearest(CURVE) == 0.8
    nothing = th.Contingency(tp=np.zeros(1), fn=np.ones(1), fp=np.zeros(1), tn=np.ones(1))
    assert math.isnan(bound.nearest(nothing))


@pytest.mark.parametrize(
    "text", ["", "recall", "recall >= ", "recall => 0.9", ">= 0.9", "recall >= 0.9 0.8", "recall = 1"]
)
def test_malformed_constraints_are_refused(text):
    with pytest.raises(th.errors.MeasureError, match="constraint"):
        constraints(text)


def test_unknown_measure_comes_with_a_suggestion():
    with pytest.raises(th.errors.MeasureError, match="did you mean recall"):
        constraints("recal >= 0.9")
