import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import thresher as th
from thresher.inference.bootstrap.quantities import statistics_of
from thresher.inference.bootstrap.sample import ModelOrder, Resampled
from thresher.inference.bootstrap.statistics import Auc, BestCost, CostAt, Decomposed, MeasureAt, OfRanking, Statistic

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])


@pytest.mark.parametrize(
    "statistic", [Auc(), Decomposed(), BestCost(), CostAt(0.5), MeasureAt("f1", 0.5), OfRanking("n", len)]
)
def test_every_statistic_keeps_the_protocol(statistic):
    assert isinstance(statistic, Statistic)
    drawn = Resampled.of(ModelOrder.of_ranking(TREE), (TREE.pos, TREE.neg))
    values = statistic.values(np.array([statistic.parts(drawn)] * 3, dtype=float).T)
    assert values.shape == (len(statistic.names), 3)


@pytest.mark.parametrize("statistic", [Auc(), BestCost(), OfRanking("auc", th.auc)])
def test_a_draw_without_positives_has_no_value(statistic):
    drawn = Resampled.of(ModelOrder.of_ranking(TREE), (0 * TREE.pos, TREE.neg))
    values = statistic.values(np.array([statistic.parts(drawn)], dtype=float).T)
    assert np.isnan(values).any()


def test_wide_costs_that_overflow_integers_are_compared_as_floats():
    condition = th.OperatingCondition(class_ratio=1e-9, cost_ratio=123456789.123)
    big = th.Ranking([3, 2, 1], [4 * 10**12, 10**12, 10**12], [10**12, 10**13, 9 * 10**13])
    drawn = Resampled.of(ModelOrder.of_ranking(big), (big.pos, big.neg))
    choice = th.choose(big, condition)
    tp, fp, *_, threshold = BestCost(condition).parts(drawn)
    assert (tp, fp, threshold) == (choice.table.tp, choice.table.fp, choice.threshold)


def test_areas_beyond_int64():
    big = th.Ranking([2, 1], [4 * 10**12, 10**12], [10**12, 10**13])
    drawn = Resampled.of(ModelOrder.of_ranking(big), (big.pos, big.neg))
    assert Auc().values(np.array([Auc().parts(drawn)]).T)[0, 0] == pytest.approx(th.auc(big), rel=1e-14)


STATISTICS = [
    Auc(),
    Decomposed(),
    BestCost(),
    BestCost(th.OperatingCondition(cost_ratio=3, class_ratio=0.25)),
    CostAt(0.5),
    MeasureAt("f1", 0.5),
    OfRanking("auc", th.auc),
]


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float64])
@given(
    pos=hnp.arrays(np.int8, (4, 3), elements=st.integers(0, 5)),
    neg=hnp.arrays(np.int8, (4, 3), elements=st.integers(0, 5)),
)
def test_several_replicates_at_once_are_each_of_them(statistic, dtype, pos, neg):
    order = ModelOrder.of_ranking(TREE)
    drawn = pos.astype(dtype), neg.astype(dtype)
    together = Resampled.of(order, drawn)
    one_by_one = [statistic.parts(Resampled.of(order, times)) for times in zip(*drawn, strict=True)]
    assert np.array_equal(np.array(statistic.parts(together)), np.array(one_by_one).T, equal_nan=True)
    assert [each.Pos for each in together.each()] == pos.sum(axis=1).tolist()


@pytest.mark.parametrize("cost_ratio", [1, 7, 10**6, 10**15])
def test_counts_of_four_bytes_never_overflow(cost_ratio):
    rng = np.random.default_rng(0)
    pos, neg = rng.integers(0, 40_000, (2, 50)).astype(np.int32), rng.integers(0, 40_000, (2, 50)).astype(np.int32)
    order = ModelOrder.of_ranking(th.Ranking(np.arange(50) / 50, np.ones(50), np.ones(50)))
    narrow, wide = (Resampled.of(order, (pos.astype(kind), neg.astype(kind))) for kind in (np.int32, np.int64))
    for statistic in (Auc(), BestCost(th.OperatingCondition(cost_ratio=cost_ratio))):
        assert np.array_equal(statistic.parts(narrow), statistic.parts(wide))


@pytest.mark.parametrize("absent", [0, 1])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("cost_ratio", [1e10, 1e19])
def test_costs_beyond_the_counts_of_draws_without_a_class(absent, dtype, cost_ratio):
    drawn = [np.ones((2, 3), dtype=dtype), np.ones((2, 3), dtype=dtype)]
    drawn[absent][:] = 0
    parts = BestCost(th.OperatingCondition(cost_ratio=cost_ratio)).parts(
        Resampled.of(ModelOrder.of_ranking(TREE), (drawn[0], drawn[1]))
    )
    assert np.isnan(parts[4]).all()


class OfOneReplicate:
    """A statistic that takes the first replicate for the only one."""

    names = ("hits",)
    smooth = True
    depends_on_mix = False
    variance = None

    def require(self, ranking):
        pass

    def parts(self, drawn):
        return (drawn.tp[0],)

    def values(self, parts):
        return parts


def test_a_statistic_of_one_replicate_is_refused():
    with pytest.raises(th.errors.ArgumentError, match="gives parts of shape"):
        th.bootstrap(TREE, OfOneReplicate(), replicates=10)


def test_a_mapping_names_and_a_class_is_no_statistic():
    assert list(statistics_of({"size": len, "cost": BestCost()})) == [
        ("size",),
        ("cost best_cost", "cost best_threshold"),
    ]
    with pytest.raises(th.errors.ArgumentError, match="is no statistic"):
        statistics_of([BestCost])  # type: ignore[list-item]


@pytest.mark.parametrize("value", ["a", None, [1, 2]])
def test_what_is_no_number_is_no_statistic(value):
    with pytest.raises(th.errors.ArgumentError, match=r"the statistic 'own' gives .*, which is no number"):
        th.bootstrap(th.rank([1, 0], [0.9, 0.2]), {"own": lambda _: value}, replicates=2)
