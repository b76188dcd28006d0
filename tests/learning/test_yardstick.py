"""Any measure reads the same numbers off scored rows."""

import numpy as np
import pytest

import thresher as th
from thresher.learning.yardstick import ScoredFold, yardstick

LABELS = np.array([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], dtype=bool)
SCORES = np.array([0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
FOLD = ScoredFold(LABELS, SCORES, SCORES >= 0.5)
RANKING = th.rank(LABELS, SCORES)
TABLE = th.contingency(LABELS, SCORES >= 0.5)


@pytest.mark.parametrize(
    ("wanted", "value", "better"),
    [
        ("auc", 0.75, "higher"),
        ("AUC", 0.75, "higher"),
        ("brier", th.brier(RANKING), "lower"),
        ("log_loss", float(th.log_loss(RANKING)), "lower"),
        ("average_precision", th.average_precision(RANKING), "higher"),
        ("error_rate", TABLE.error_rate, "lower"),
        (th.measure("recall"), TABLE.tpr, "higher"),
        (th.OperatingCondition(cost_ratio=5), (5 * 2 + 1) / 10, "lower"),
        (th.pr_area, th.pr_area(RANKING), "higher"),
    ],
)
def test_the_value_is_that_of_the_library(wanted, value, better):
    stick = yardstick(wanted)
    assert stick.of(FOLD) == pytest.approx(value)
    assert stick.better == better
    assert stick.range[0] <= stick.of(FOLD) <= stick.range[1]


def test_weights_count_as_rows():
    weights = np.arange(1, 11)
    again = np.repeat(np.arange(10), weights)
    weighted = ScoredFold(LABELS, SCORES, SCORES >= 0.5, weights.astype(float))
    repeated = ScoredFold(LABELS[again], SCORES[again], SCORES[again] >= 0.5)
    for wanted in ("auc", "brier", "f1", th.OperatingCondition(cost_ratio=3)):
        assert yardstick(wanted).of(weighted) == pytest.approx(yardstick(wanted).of(repeated))


def test_one_class_has_a_cost_at_the_datas_ratio_alone():
    only = ScoredFold(np.array([True, True]), np.array([0.9, 0.1]), np.array([True, False]))
    assert yardstick(th.OperatingCondition(cost_ratio=4)).of(only) == 2
    assert np.isnan(yardstick(th.OperatingCondition(class_ratio=1, cost_ratio=4)).of(only))
    with pytest.raises(th.OneClassError):
        yardstick("auc").of(only)


@pytest.mark.parametrize("wanted", ["acuracy", 5, None])
def test_what_is_no_measure_is_refused(wanted):
    with pytest.raises(th.MeasureError):
        yardstick(wanted)
