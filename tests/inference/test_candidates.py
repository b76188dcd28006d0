import numpy as np
import pytest

import thresher as th
from thresher.curves import hull_splits
from thresher.inference import stability
from thresher.inference.candidates import MOST_CANDIDATES, candidate_splits
from thresher.ranking import falling


def data(n, seed, prevalence=0.1):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < prevalence
    return labels, rng.normal(size=n) + 1.19 * labels


def bent(tail=0, weight=1e-12, times=(1.0, 1.0)):
    """A ranking of weights that is all corners, with a tail of next to no weight."""
    rising = np.arange(1, 401) ** 2.0
    labels = np.repeat([True, False], [400, 400 + tail])
    scores = np.concatenate([np.arange(400) + 10.0, np.arange(400) + 10.0, np.arange(tail) / 10])
    return labels, scores, np.concatenate([rising * times[0], rising[::-1] * times[1], np.full(tail, weight)])


def test_few_splits_are_all_candidates():
    split, free = candidate_splits(th.rank(*data(255, 0)))
    assert split.tolist() == free.tolist() == list(range(256))


@pytest.mark.parametrize("n", [256, 3000, 40_000])
def test_many_splits_are_some_at_even_steps_and_the_corners(n):
    ranking = th.rank(*data(n, 1))
    split, free = candidate_splits(ranking)
    assert (split[0], split[-1]) == (0, len(ranking))
    assert split.size <= MOST_CANDIDATES
    assert (np.diff(split) > 0).all()
    assert set(hull_splits(ranking, pool="ties").tolist()) <= set(split.tolist())
    tp, fp = ranking.covered()
    along = (tp / ranking.Pos + fp / ranking.Neg)[split[free]]
    assert np.diff(along).max() <= 2 / (MOST_CANDIDATES - 100) + 1 / ranking.Pos
    assert {0, split.size - 1} <= set(free.tolist())


def test_of_many_corners_half_as_many_as_allowed_are_taken():
    labels, scores, weights = bent()
    ranking = th.rank(labels, scores, weights=weights)
    assert hull_splits(ranking, pool="ties").size == 401
    split, free = candidate_splits(ranking)
    assert MOST_CANDIDATES // 2 <= split.size <= MOST_CANDIDATES
    assert (split[0], split[-1]) == (0, 400)
    assert free.size >= MOST_CANDIDATES // 3


def test_the_last_split_is_a_candidate_however_weights_round():
    """Of a tail too light to be seen in the sums no row may fall below the last candidate."""
    unseen = 0
    for seed in range(40):
        labels, scores, weights = bent(tail=3, times=tuple(np.random.default_rng(seed).random(2)))
        ranking = th.rank(labels, scores, weights=weights)
        tp, fp = ranking.covered()
        unseen += (tp / ranking.Pos + fp / ranking.Neg)[-2] >= 2
        assert candidate_splits(ranking).split[-1] == len(ranking)
        if seed < 3:
            assert th.evaluate(labels, scores, weights=weights, replicates=20)["model"].honest_cost.estimate > 0
    assert unseen


def test_resamples_are_not_steered_to_what_suits_the_rows_they_left_out():
    """The honest cost is that of choosing among all splits, of the same resamples one by one."""
    condition = th.OperatingCondition(cost_ratio=5)
    apart, optimism = [], []
    for seed in range(10):
        labels, scores = data(20_000, seed)
        ranking = th.rank(labels, scores)
        quick = stability.decision_stability(
            labels, {"m": scores}, {"m": ranking}, condition, replicates=100, seed=seed
        ).honest_cost["m"]
        slow = among_all_splits(labels, scores, 5, 100, seed)
        apart.append(quick.estimate - slow)
        optimism.append(slow - th.choose(ranking, condition).expected_cost)
    assert np.mean(optimism) > 0.002
    assert abs(np.mean(apart)) < 0.1 * np.mean(optimism)


def among_all_splits(labels, scores, cost_ratio, replicates, seed):
    rng = np.random.default_rng(seed)
    block = rng.integers(0, stability.MOST_BLOCKS, labels.size)
    order, _ = falling(scores)
    positive, block = labels[order], block[order]
    costs = []
    for _ in range(replicates):
        drawn = np.bincount(
            rng.integers(0, stability.MOST_BLOCKS, stability.MOST_BLOCKS), minlength=stability.MOST_BLOCKS
        )[block]
        called = int(np.argmin(np.concatenate([[0], np.cumsum(drawn * np.where(positive, -cost_ratio, 1))])))
        left = drawn == 0
        missed, alarms = (left & positive)[called:].sum(), (left & ~positive)[:called].sum()
        costs.append((cost_ratio * missed + alarms) / left.sum())
    return float(np.mean(costs))
