import numpy as np
import pytest

import thresher as th
from thresher.inference.resampled import Resampled
from thresher.inference.standing import Standing
from thresher.inference.statistic import OfRanking, Statistic, statistics_of
from thresher.inference.threshold_statistics import BestCost, CostAt, MeasureAt
from thresher.inference.whole_statistics import Auc, Brier, Decomposed

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])


@pytest.mark.parametrize(
    "statistic", [Auc(), Brier(), Decomposed(), BestCost(), CostAt(0.5), MeasureAt("f1", 0.5), OfRanking("n", len)]
)
def test_every_statistic_keeps_the_protocol(statistic):
    assert isinstance(statistic, Statistic)
    drawn = Resampled.of(Standing.of_ranking(TREE), (TREE.pos, TREE.neg))
    values = statistic.values(np.array([statistic.parts(drawn)] * 3, dtype=float).T)
    assert values.shape == (len(statistic.names), 3)


@pytest.mark.parametrize("statistic", [Auc(), BestCost(), OfRanking("auc", th.auc)])
def test_a_draw_without_positives_has_no_value(statistic):
    drawn = Resampled.of(Standing.of_ranking(TREE), (0 * TREE.pos, TREE.neg))
    values = statistic.values(np.array([statistic.parts(drawn)], dtype=float).T)
    assert np.isnan(values).any()


def test_wide_costs_that_overflow_integers_are_compared_as_floats():
    condition = th.OperatingCondition(class_ratio=1e-9, cost_ratio=123456789.123)
    big = th.Ranking([3, 2, 1], [4 * 10**12, 10**12, 10**12], [10**12, 10**13, 9 * 10**13])
    drawn = Resampled.of(Standing.of_ranking(big), (big.pos, big.neg))
    choice = th.choose(big, condition)
    tp, fp, *_, threshold = BestCost(condition).parts(drawn)
    assert (tp, fp, threshold) == (choice.table.tp, choice.table.fp, choice.threshold)


def test_areas_beyond_int64():
    big = th.Ranking([2, 1], [4 * 10**12, 10**12], [10**12, 10**13])
    drawn = Resampled.of(Standing.of_ranking(big), (big.pos, big.neg))
    assert Auc().values(np.array([Auc().parts(drawn)]).T)[0, 0] == pytest.approx(th.auc(big), rel=1e-14)


def test_a_mapping_names_and_a_class_is_no_statistic():
    assert list(statistics_of({"size": len, "cost": BestCost()})) == [
        ("size",),
        ("cost best_cost", "cost best_threshold"),
    ]
    with pytest.raises(th.ArgumentError, match="is no statistic"):
        statistics_of([BestCost])  # type: ignore[list-item]
