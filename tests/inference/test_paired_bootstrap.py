import numpy as np
import pytest

import thresher as th
from thresher.inference import paired_bootstrap as room
from thresher.inference.scored_rows import scored_rows

AT = {"a": 0.0, "b": 0.5, "c": -0.5}


def rows(n=120, **more):
    rng = np.random.default_rng(0)
    labels = rng.random(n) < 0.5
    return labels, {name: rng.normal(size=n) + labels for name in AT}, more


def scored(n=120, **more):
    labels, scores, _ = rows(n)
    return scored_rows(labels, scores, where="here", **more)


@pytest.mark.parametrize("more", [{}, {"weights": np.arange(1.0, 121)}, {"clusters": np.arange(120) // 4}])
def test_the_data_come_first_and_resamples_keep_what_models_share(more):
    found = room.resampled_tables(scored(**more), AT, 50, np.random.default_rng(1))
    labels, scores, _ = rows()
    for name, table in found.items():
        expected = th.contingency(labels, scores[name] >= AT[name], weights=more.get("weights"))
        assert [float(np.asarray(cell)[0]) for cell in (table.tp, table.fn, table.fp, table.tn)] == pytest.approx(
            [expected.tp, expected.fn, expected.fp, expected.tn]
        )
    first = found["a"]
    for table in found.values():  # the same rows for all models: the same positives in every resample
        assert np.asarray(table.Pos) == pytest.approx(np.asarray(first.Pos))
        assert np.asarray(table.Neg) == pytest.approx(np.asarray(first.Neg))
    assert np.ptp(np.asarray(first.Pos)) > 0


def test_drawing_from_the_small_table_is_drawing_rows():
    plain = room.resampled_tables(scored(), AT, 8000, np.random.default_rng(1))
    one_by_one = room.resampled_tables(scored(clusters=np.arange(120)), AT, 8000, np.random.default_rng(2))
    for one, other in (("a", "b"), ("b", "c")):
        spread = [np.cov(t[one].accuracy[1:], t[other].accuracy[1:]) for t in (plain, one_by_one)]
        assert spread[0] == pytest.approx(spread[1], rel=0.1, abs=1e-4)


def test_resampled_costs_choose_as_choose_does():
    condition = th.OperatingCondition(cost_ratio=2)
    data = scored()
    found = room.resampled_costs(data, condition, 5, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    labels, scores, _ = rows()
    for i in range(1, 6):
        drawn = rng.integers(120, size=120)
        for name in AT:
            chosen = th.choose(th.rank(labels[drawn], scores[name][drawn]), condition)
            assert found[name][i] == pytest.approx(chosen.expected_cost, abs=1e-12)
