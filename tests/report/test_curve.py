import json

import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.strategies import two_class_rankings
from thresher.curves.hull import hull_splits
from thresher.report.curve import EVEN, EXACT, POINTS, curve


def numbers(values):
    return np.array([float(value) for value in values])


@given(two_class_rankings)
def test_a_small_curve_is_the_whole_one(ranking):
    found, whole = curve(ranking), th.coverage(ranking)
    assert found["exact"]
    assert found["splits"] == len(whole)
    assert found["tp"] == whole.tp.tolist()
    assert found["fp"] == whole.fp.tolist()
    assert (numbers(found["threshold"]) == whole.threshold).all()
    assert found["hull"] == hull_splits(ranking, pool="ties").tolist()


def many(rows, *, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < 0.3
    return th.rank(labels, rng.normal(size=rows) + labels)


def test_a_long_curve_keeps_the_hull_and_the_choice():
    ranking = many(20_000)
    chosen = 777
    found = curve(ranking, keep=chosen)
    tp, fp = ranking.covered()
    assert not found["exact"]
    assert found["splits"] == 20_001
    assert len(found["tp"]) <= POINTS + 1
    assert 0 < found["deviation"] < 0.01
    corners = hull_splits(ranking, pool="ties")
    assert [found["tp"][place] for place in found["hull"]] == tp[corners].tolist()
    assert (tp[chosen], fp[chosen]) in zip(found["tp"], found["fp"], strict=True)


def test_short_thresholds_make_the_calls_that_are_counted():
    for rows in (EXACT + 5, 5_000):
        ranking = many(rows)
        found = curve(ranking)
        for name in ("threshold", "lowest"):
            table = th.contingency_at(ranking, numbers(found[name]))
            assert table.tp.tolist() == found["tp"]
            assert table.fp.tolist() == found["fp"]


def test_the_optimum_of_the_kept_splits_is_that_of_all():
    ranking = many(30_000, seed=5)
    found = curve(ranking)
    tp, fp = np.array(found["tp"]), np.array(found["fp"])
    for cost_ratio in np.geomspace(0.01, 100, 41):
        condition = th.OperatingCondition(cost_ratio=float(cost_ratio))
        cost = condition.expected_cost(th.Contingency(tp=tp, fn=ranking.Pos - tp, fp=fp, tn=ranking.Neg - fp))
        assert cost.min() == th.choose(ranking, condition).expected_cost


def straight(rows):
    """A perfect ranking upside down: its curve has three corners and no other point that the eye would miss."""
    return th.rank(np.arange(rows) >= rows // 2, -np.arange(rows) / rows)


def tied(rows):
    rng = np.random.default_rng(3)
    labels = rng.random(rows) < 0.01
    return th.rank(labels, np.where(rng.random(rows) < 0.6, 0.5, np.round(rng.random(rows), 4)))


@pytest.mark.parametrize("ranking", [straight(5_000), straight(100_000), many(30_000), tied(60_000)])
def test_a_threshold_set_by_hand_finds_one_near(ranking):
    found = curve(ranking)
    cases = np.array(found["tp"]) + np.array(found["fp"])
    tie = (ranking.pos + ranking.neg).max()
    assert np.diff(cases).max() <= max((ranking.Pos + ranking.Neg) / EVEN, tie)
    assert len(found["tp"]) <= 4_000
    assert len(json.dumps(found)) <= 150_000


def test_whole_percents_are_kept_of_probabilities():
    rng = np.random.default_rng(1)
    labels = rng.random(20_000) < 0.3
    ranking = th.rank(labels, 1 / (1 + np.exp(-rng.normal(size=20_000) - labels)))
    found = curve(ranking)
    assert set(np.arange(2, 99) / 100) <= set(found["threshold"])
    at = th.contingency_at(ranking, numbers(found["threshold"]))
    assert at.tp.tolist() == found["tp"]


def test_the_ends_are_told_apart_from_what_lies_beyond_them():
    ranking = many(5_000)
    found = curve(ranking)
    assert (found["lowest"][1], found["lowest"][-1]) == (ranking.score[0], ranking.score[-1])
    assert (found["tp"][1] + found["fp"][1], found["tp"][-2] + found["fp"][-2]) == (1, 4_999)


def test_weights_are_kept_as_they_are():
    ranking = th.rank([1, 0, 1], [3, 2, 1], weights=[0.5, 0.25, 0.125])
    assert curve(ranking)["tp"] == [0, 0.5, 0.5, 0.625]
