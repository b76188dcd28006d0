import numpy as np
import pytest

import thresher as th
from tests.inference.resampling_oracles import draws, example
from thresher.inference.honest import honest_choice
from thresher.inference.rows import Rows

CONDITION = th.OperatingCondition(cost_ratio=3)


def test_out_of_bag_is_a_loop_over_rows():
    labels, scores = example(60, 1, ties=True)
    rows = Rows.of(labels, scores)
    found = honest_choice(rows, CONDITION, replicates=40)
    costs, recalls, thresholds = [], [], []
    score = rows.scores["model"]
    for times in draws(rows, replicates=40, stratified=False):
        number = np.empty(60, dtype=int)
        number[rows.positive], number[~rows.positive] = times
        inside = np.repeat(np.arange(60), number)
        chosen = th.choose(th.rank(rows.positive[inside], score[inside]), CONDITION).threshold
        left = number == 0
        table = th.contingency(rows.positive[left], score[left] >= chosen)
        costs.append(CONDITION.expected_cost(table))
        recalls.append(table.tpr)
        thresholds.append(chosen)
    assert found.thresholds == pytest.approx(np.array(thresholds))
    assert found.out_of_bag["expected_cost"] == pytest.approx(np.mean(costs))
    assert found.out_of_bag["tpr"] == pytest.approx(np.mean(recalls))
    choice = th.choose(th.rank(labels, scores), CONDITION)
    assert found.apparent["expected_cost"] == choice.expected_cost
    assert found.threshold.estimate == choice.threshold
    assert found.optimism["expected_cost"] == pytest.approx(choice.expected_cost - np.mean(costs))


def test_a_ranking_is_drawn_case_by_case():
    labels, scores = example(80, 2, ties=True)
    from_ranking = honest_choice(th.rank(labels, scores), CONDITION, replicates=400)
    from_rows = honest_choice(Rows.of(labels, scores), CONDITION, replicates=400, seed=1)
    assert from_ranking.out_of_bag["expected_cost"] == pytest.approx(from_rows.out_of_bag["expected_cost"], abs=0.03)


def test_trap_24_the_apparent_cost_flatters_and_the_honest_one_does_not():
    """On average over many small samples, against the cost on a large sample of the same kind."""
    labels, scores = example(200_000, 3)
    world = th.rank(labels, scores)
    apparent, honest, truth, held = [], [], [], 0
    for seed in range(60):
        few = example(50, 1000 + seed)
        found = honest_choice(th.rank(*few), CONDITION, replicates=60, seed=seed, level=0.9)
        apparent.append(found.apparent["expected_cost"])
        honest.append(found.out_of_bag["expected_cost"])
        truth.append(CONDITION.expected_cost(th.contingency_at(world, found.threshold.estimate)))
        held += truth[-1] in found.expected_cost
    assert np.mean(apparent) < np.mean(truth) - 0.03
    assert np.mean(honest) > np.mean(apparent) + 0.03
    assert abs(np.mean(honest) - np.mean(truth)) < np.mean(truth) - np.mean(apparent)
    assert held >= 44  # 54 expected


def test_more_cases_make_the_threshold_surer():
    few, many = (honest_choice(th.rank(*example(n, 4)), CONDITION, replicates=150) for n in (60, 4000))
    assert many.threshold.width < 0.7 * few.threshold.width
    assert few.optimism["expected_cost"] < -0.05 < many.optimism["expected_cost"] < 0
    assert "out of bag" in repr(many)


def test_clusters_are_left_out_whole():
    labels, scores = example(120, 5)
    rows = Rows.of(labels, {"a": scores, "b": -scores}, clusters=np.arange(120) // 4)
    found = honest_choice(rows, CONDITION, model="a", replicates=50)
    assert found.out_of_bag["expected_cost"] >= found.apparent["expected_cost"] - 0.05
    with pytest.raises(th.ArgumentError, match="several models"):
        honest_choice(rows, CONDITION)
    with pytest.raises(th.ArgumentError, match="no model 'c'"):
        honest_choice(rows, CONDITION, model="c")


def test_seeds_and_threads():
    ranking = th.rank(*example(60, 6))
    one, two = (honest_choice(ranking, replicates=60, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.thresholds, two.thresholds)
    assert one.out_of_bag == two.out_of_bag


@pytest.mark.parametrize(
    "ask",
    [
        lambda: honest_choice(th.Ranking.parse("[3+]")),
        lambda: honest_choice(th.Ranking.parse("[3+][2-]"), level=1),
        lambda: honest_choice(th.Ranking.parse("[3+][2-]"), replicates=0),
        lambda: honest_choice(th.Ranking.parse("[3+][2-]"), measures=["nonsense"]),
        lambda: honest_choice(th.Ranking.parse("[0.5+][2-]")),
    ],
)
def test_bad_input(ask):
    with pytest.raises(th.ThresherError):
        ask()


def test_clusters_and_weights_are_worth_what_evaluate_says():
    """The limits of the cost hold those of the same table of weighted or clustered rows, not of plain cases."""
    labels, scores = example(120, 5)
    clusters, weights = np.arange(120) // 6, np.linspace(0.1, 3, 120)
    plain = honest_choice(Rows.of(labels, scores), CONDITION, replicates=50)
    for given in ({"clusters": clusters}, {"weights": weights}, {"weights": weights, "clusters": clusters}):
        found = honest_choice(Rows.of(labels, scores, **given), CONDITION, replicates=50).expected_cost
        seen = th.evaluate(labels, scores, condition=CONDITION, replicates=10, **given)["model"].expected_cost
        assert found.lower <= seen.lower
        assert found.upper >= seen.upper
        assert found.width > plain.expected_cost.width


def test_rows_that_are_all_alike_within_clusters_are_no_more_than_clusters():
    """Ten copies of each row, said to belong together, tell about as much as one of them."""
    labels, scores = example(60, 6)
    once = honest_choice(Rows.of(labels, scores), CONDITION, replicates=300).expected_cost
    copies = Rows.of(np.repeat(labels, 10), np.repeat(scores, 10), clusters=np.repeat(np.arange(60), 10))
    ten_times = honest_choice(copies, CONDITION, replicates=300).expected_cost
    as_if_free = honest_choice(Rows.of(np.repeat(labels, 10), np.repeat(scores, 10)), CONDITION, replicates=300)
    assert ten_times.width == pytest.approx(once.width, rel=0.15)
    assert ten_times.width > 2 * as_if_free.expected_cost.width


def test_single_precision_scores_are_compared_as_doubles():
    """A threshold between two neighbouring singles rounds to one of them unless the scores become doubles first."""
    low = np.float32(0.5)
    high = np.nextafter(low, np.float32(1))
    labels, scores = np.array([0, 1] * 20), np.array([low, high] * 20)
    weights = np.linspace(1, 2, 40)
    single, double = (
        honest_choice(Rows.of(labels, column, weights=weights), CONDITION, replicates=20)
        for column in (scores, scores.astype(np.float64))
    )
    assert single.choice.expected_cost == 0
    assert single.expected_cost == double.expected_cost
