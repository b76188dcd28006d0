import math
import warnings

import numpy as np
import pytest

import thresher as th
from tests.inference import oracles
from tests.inference.resampling_oracles import draws, example
from thresher.curves import hull_splits
from thresher.inference.bootstrap.replicates import percentile_limits
from thresher.inference.bootstrap.sample import sort_rows
from thresher.inference.decision import stability
from thresher.inference.decision.stability import (
    MOST_CANDIDATES,
    candidate_splits,
    decision_stability,
    least_cost,
    out_of_bag_choice,
    out_of_bag_interval,
)
from thresher.inference.intervals.table import count_calls, table_interval
from thresher.inference.rows import ScoredRows
from thresher.laboratory import Scores, coverage
from thresher.ranking import falling_order


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
        assert candidate_splits(ranking)[0][-1] == len(ranking)
        if seed < 3:
            assert th.evaluate(labels, scores, weights=weights, replicates=20)["model"].out_of_bag_cost.estimate > 0
    assert unseen


def test_resamples_are_not_steered_to_what_suits_the_rows_they_left_out():
    """The honest cost is that of choosing among all splits, of the same resamples one by one."""
    condition = th.OperatingCondition(cost_ratio=5)
    apart, optimism = [], []
    for seed in range(10):
        labels, scores = data(20_000, seed)
        ranking = th.rank(labels, scores)
        quick = decision_stability(
            labels, {"m": scores}, {"m": ranking}, condition, replicates=100, seed=seed
        ).out_of_bag_cost["m"]
        slow = among_all_splits(labels, scores, 5, 100, seed)
        apart.append(quick.estimate - slow)
        optimism.append(slow - th.choose(ranking, condition).expected_cost)
    assert np.mean(optimism) > 0.002
    assert abs(np.mean(apart)) < 0.1 * np.mean(optimism)


def among_all_splits(labels, scores, cost_ratio, replicates, seed):
    rng = np.random.default_rng(seed)
    block = rng.integers(0, stability.MOST_BLOCKS, labels.size)
    order, _ = falling_order(scores)
    positive, block = labels[order], block[order]
    costs = []
    for _ in range(replicates):
        drawn = np.bincount(
            rng.integers(0, stability.MOST_BLOCKS, stability.MOST_BLOCKS), minlength=stability.MOST_BLOCKS
        )[block]
        split = int(np.argmin(np.concatenate([[0], np.cumsum(drawn * np.where(positive, -cost_ratio, 1))])))
        left = drawn == 0
        missed, alarms = (left & positive)[split:].sum(), (left & ~positive)[:split].sum()
        costs.append((cost_ratio * missed + alarms) / left.sum())
    return float(np.mean(costs))


TABLE = th.Contingency(tp=30, fn=20, fp=10, tn=40)
EVEN = th.OperatingCondition()


def test_the_wider_spread_is_moved_by_the_optimism():
    costs = np.random.default_rng(0).normal(0.3, 0.2, 999)
    result = out_of_bag_interval(0.36, th.interval(TABLE, EVEN), 0.0, costs)
    assert (result.lower, result.upper) == pytest.approx((0, np.quantile(costs, 0.975) + 0.06))
    assert result.estimate == 0.36
    assert result.variance == pytest.approx(costs.var(ddof=1))
    assert result.apparent == pytest.approx(0.3)


def test_errors_that_no_resample_shows_are_allowed_for():
    plain = th.interval(TABLE, EVEN)
    result = out_of_bag_interval(0.36, plain, 0.0, np.full(50, 0.3))
    assert (result.lower, result.upper) == pytest.approx((plain.lower, plain.upper + 0.06))


def test_dear_misses_are_covered():
    """The true cost at the chosen threshold, where misses are dear and the data show none."""
    condition, world = th.OperatingCondition(cost_ratio=20), Scores.of_auc(0.85, prevalence=0.3)

    def holds(sample):
        result = th.inference.out_of_bag_choice(sample.ranking, condition, replicates=100)
        return float(world.true_cost(result.choice.threshold, condition)) in result.expected_cost

    assert coverage(world, 100, holds, replicates=40).estimate >= 0.9


def test_nothing_left_out_says_so():
    result = out_of_bag_interval(math.nan, th.interval(TABLE, EVEN), 0.0, np.array([0.1, 0.2]))
    assert math.isnan(result.lower)
    assert "left out too little" in result.note


@pytest.mark.parametrize("n", [4, 6, 100])
def test_perfect_data_leave_doubt(n):
    labels = np.arange(n) < n // 2
    for result in (
        th.evaluate(labels, -np.arange(float(n))).decision.out_of_bag_cost,
        th.inference.out_of_bag_choice(th.rank(labels, -np.arange(float(n)))).expected_cost,
    ):
        assert result.lower <= result.estimate < result.upper
        assert result.lower >= 0


def test_no_limit_lies_below_what_cases_can_cost():
    result = th.evaluate(
        [1, 0, 1, 0, 1], {"a": [0.9, 0.2, 0.8, 0.4, 0.3]}, weights=[1, 2, 1.5, 1, 1], clusters=list("xxyzy")
    ).decision.out_of_bag_cost
    assert 0 <= result.lower <= result.estimate <= result.upper
    paying = th.OperatingCondition(cost_tp=-2, cost_fn=1)
    paid = out_of_bag_interval(-0.5, th.interval(TABLE, paying), least_cost(paying), np.array([-2.5, 0.0]))
    assert paid.lower >= -2


def test_limits_move_down_with_a_cost_that_came_out_lower():
    seen = th.interval(th.Contingency(tp=30, fn=20, fp=10, tn=40), th.OperatingCondition())
    result = out_of_bag_interval(seen.estimate - 0.1, seen, 0.0, np.full(50, seen.estimate))
    assert result.lower == pytest.approx(seen.lower - 0.1)
    assert result.upper == seen.upper


def data_of_stability(n=300, shift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    return labels, {"good": rng.normal(size=n) + shift * labels, "poor": rng.normal(size=n) + 0.2 * labels}


def stability_of(labels, scores, condition=None, **options):
    rankings = {name: th.rank(labels, score, weights=options.get("weights")) for name, score in scores.items()}
    asked = th.OperatingCondition(cost_ratio=3) if condition is None else condition
    return decision_stability(labels, scores, rankings, asked, **options)


def test_against_resampling_row_by_row():
    labels, scores = data_of_stability(60)
    condition = th.OperatingCondition(cost_ratio=3)
    quick = stability_of(labels, scores, condition, replicates=40, seed=5)
    rng = np.random.default_rng(5)
    wins = {"good": 0.0, "poor": 0.0}
    honest: dict[str, list[float]] = {"good": [], "poor": []}
    for _ in range(40):
        drawn = np.bincount(rng.integers(0, 60, 60), minlength=60)
        picked, left = np.repeat(np.arange(60), drawn), np.flatnonzero(drawn == 0)
        cost = {}
        for name, score in scores.items():
            # Candidates are the splits of all the data, as any threshold between two of its scores.
            cuts = th.rank(labels, score).thresholds()
            inside = condition.expected_cost(th.tables.contingency_at(th.rank(labels[picked], score[picked]), cuts))
            tied = np.flatnonzero(np.isclose(inside, inside.min(), rtol=1e-12, atol=0))
            best = int(tied[(tied.size - 1) // 2])
            cost[name] = inside[best]
            outside = th.tables.contingency_at(th.rank(labels[left], score[left]), cuts[best])
            honest[name].append(condition.expected_cost(outside))
        least = min(cost.values())
        winners = [name for name in cost if np.isclose(cost[name], least, rtol=1e-12, atol=0)]
        for name in winners:
            wins[name] += 1 / len(winners) / 40
    for name in scores:
        assert quick.apparent_cost[name] == pytest.approx(
            th.choose(th.rank(labels, scores[name]), condition).expected_cost
        )
        assert quick.out_of_bag_cost[name].estimate == pytest.approx(np.mean(honest[name]))
        assert quick.wins[name] == pytest.approx(wins[name])


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("class_ratio", [None, 0.1])
def test_unequal_weights_and_declared_ratios_row_by_row(class_ratio, clustered):
    labels, scores = data_of_stability(60)
    condition = th.OperatingCondition(class_ratio, cost_fn=4, cost_fp=1.5, cost_tn=0.2)
    weights = np.random.default_rng(8).exponential(size=60) + 0.1
    cluster = np.arange(60) // (2 if clustered else 1)
    settings = {"clusters": cluster} if clustered else {}
    quick = stability_of(labels, scores, condition, replicates=30, seed=5, weights=weights, level=0.8, **settings)
    rng, units = np.random.default_rng(5), int(cluster.max()) + 1
    draws = [np.bincount(rng.integers(0, units, units), minlength=units)[cluster] for _ in range(30)]
    cuts = {name: th.rank(labels, score, weights=weights).thresholds() for name, score in scores.items()}

    def costs(name, drawn, at=condition):
        ranking = th.rank(labels, scores[name], weights=drawn * weights)
        return np.asarray(at.expected_cost(th.tables.contingency_at(ranking, cuts[name])))

    def middle(cost):
        tied = np.flatnonzero(np.isclose(cost, cost.min(), rtol=1e-12, atol=0))
        return int(tied[(tied.size - 1) // 2])

    for name in scores:
        inside = [costs(name, drawn) for drawn in draws]
        outside = [costs(name, drawn == 0) for drawn in draws]
        chosen = [middle(cost) for cost in inside]
        on_data = costs(name, np.ones(60))
        best = middle(on_data)
        assert quick.apparent_cost[name] == pytest.approx(on_data[best])
        sampled = count_calls(
            labels, scores[name] >= cuts[name][best], weight=weights, cluster=settings.get("clusters")
        )
        expected = out_of_bag_interval(
            float(np.mean([cost[at] for cost, at in zip(outside, chosen, strict=True)])),
            table_interval(sampled, condition, level=0.8),
            least_cost(condition),
            np.array([cost[best] for cost in inside]),
        )
        for field in ("estimate", "lower", "upper", "variance"):
            assert getattr(quick.out_of_bag_cost[name], field) == pytest.approx(getattr(expected, field)), field
        limits = percentile_limits(np.array([cuts[name][at] for at in chosen]), 0.8)
        assert (quick.threshold[name].lower, quick.threshold[name].upper) == pytest.approx(limits)
    for i, ratio in enumerate(quick.cost_ratio.tolist()):
        at = th.OperatingCondition(class_ratio, ratio)
        least = np.array([[costs(name, drawn, at).min() for drawn in draws] for name in scores])
        tied = np.isclose(least, least.min(axis=0), rtol=1e-12, atol=0)
        assert [quick.wins_at[name][i] for name in scores] == pytest.approx((tied / tied.sum(axis=0)).mean(axis=1))


def test_trap_24_the_honest_cost_is_above_the_apparent_one():
    labels, scores = data_of_stability(80, seed=3)
    drawn = stability_of(labels, scores)
    for name in scores:
        assert drawn.out_of_bag_cost[name].estimate > drawn.apparent_cost[name]


def test_the_better_model_wins_and_shares_add_up():
    drawn = stability_of(*data_of_stability())
    assert drawn.wins["good"] > 0.99
    assert sum(drawn.wins.values()) == pytest.approx(1)
    np.testing.assert_allclose(sum(drawn.wins_at.values()), 1)
    at_condition = np.argmin(np.abs(drawn.cost_ratio - 3))
    assert drawn.wins_at["good"][at_condition] == pytest.approx(drawn.wins["good"])


def test_models_that_agree_share_the_win():
    labels, scores = data_of_stability()
    drawn = stability_of(labels, {"a": scores["good"], "b": 2 * scores["good"]})
    assert drawn.wins == {"a": 0.5, "b": 0.5}


def test_many_rows_share_blocks(monkeypatch):
    labels, scores = data_of_stability(4000)
    fine = stability_of(labels, scores, replicates=300)
    monkeypatch.setattr(stability, "MOST_BLOCKS", 500)
    coarse = stability_of(labels, scores, replicates=300)
    assert (fine.blocks, coarse.blocks) == (2000, 500)
    for name in scores:
        assert coarse.out_of_bag_cost[name].estimate == pytest.approx(fine.out_of_bag_cost[name].estimate, rel=0.03)
        width = [each.out_of_bag_cost[name].width for each in (fine, coarse)]
        assert width[0] == pytest.approx(width[1], rel=0.35)


def test_clusters_are_drawn_entirely():
    labels, scores = data_of_stability(400)
    alone = stability_of(labels, {"good": scores["good"]}, replicates=400)
    # Each row ten times in one cluster says no more than the row itself.
    times = {"good": np.repeat(scores["good"], 10)}
    clustered = stability_of(np.repeat(labels, 10), times, clusters=np.repeat(np.arange(400), 10), replicates=400)
    ignored = stability_of(np.repeat(labels, 10), times, replicates=400)
    assert clustered.blocks == 400
    for field in ("estimate", "variance"):  # the same draws of the same rows
        ours, its = (getattr(each.out_of_bag_cost["good"], field) for each in (clustered, alone))
        assert ours == pytest.approx(its), field
    assert (clustered.wins, clustered.threshold["good"]) == (alone.wins, alone.threshold["good"])
    table = th.contingency(labels, scores["good"] >= clustered.threshold["good"].estimate)
    low, high = oracles.cost_of_copies(table, th.OperatingCondition(cost_ratio=3))
    moved = clustered.out_of_bag_cost["good"].estimate - clustered.apparent_cost["good"]
    assert clustered.out_of_bag_cost["good"].lower <= low + 1e-9
    assert clustered.out_of_bag_cost["good"].upper >= high + moved - 1e-9
    assert clustered.out_of_bag_cost["good"].width == pytest.approx(alone.out_of_bag_cost["good"].width, rel=0.02)
    assert ignored.out_of_bag_cost["good"].width < 0.6 * alone.out_of_bag_cost["good"].width


def test_weights_count_as_rows():
    labels, scores = data_of_stability(200)
    heavy = stability_of(labels, scores, weights=np.full(200, 3.0))
    plain = stability_of(labels, scores)
    assert heavy.wins == plain.wins
    assert heavy.apparent_cost["good"] == pytest.approx(plain.apparent_cost["good"])


def test_seeded():
    labels, scores = data_of_stability()
    assert (
        stability_of(labels, scores, seed=2).wins_at["good"].tolist()
        == stability_of(labels, scores, seed=2).wins_at["good"].tolist()
    )
    assert stability_of(labels, scores, seed=2).out_of_bag_cost != stability_of(labels, scores, seed=3).out_of_bag_cost


def test_scores_near_the_largest_number_are_resampled_like_any():
    labels, scores = data_of_stability(80)
    far = {name: score / 10 * 1.7e308 for name, score in scores.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn, evaluation = stability_of(labels, far), th.evaluate(labels, far, replicates=50)
    near = stability_of(labels, scores)
    assert drawn.wins == near.wins
    for name in scores:
        assert drawn.out_of_bag_cost[name] == near.out_of_bag_cost[name]
        for end in ("lower", "upper"):
            assert getattr(drawn.threshold[name], end) / 1.7e307 == pytest.approx(getattr(near.threshold[name], end))
    assert evaluation.decision.threshold / 1.7e307 == pytest.approx(
        th.evaluate(labels, scores, replicates=50).decision.threshold
    )


@pytest.mark.parametrize("more", [{}, {"weights": np.arange(1, 61) % 5 + 1.0}, {"clusters": np.arange(60) // 2}])
def test_what_choosing_a_split_gains(more):
    labels, scores = data_of_stability(60)
    quick = stability_of(labels, scores, replicates=40, seed=5, **more)
    rng, units = np.random.default_rng(5), np.arange(60) // (2 if "clusters" in more else 1)
    count, heavy = units.max() + 1, more.get("weights", np.ones(60))
    gained: dict[str, list[float]] = {name: [] for name in scores}
    for _ in range(40):
        drawn = np.bincount(rng.integers(0, count, count), minlength=count)[units] * heavy
        for name, score in scores.items():
            gained[name].append(th.ks(th.rank(labels, score, weights=drawn)).statistic)
    for name, score in scores.items():
        on_data = th.ks(th.rank(labels, score, weights=heavy)).statistic
        assert quick.ks_gain[name] == pytest.approx(np.mean(gained[name]) - on_data)
        assert quick.ks_gain[name] > 0


def test_resamples_that_all_lack_a_class_say_so():
    labels, scores = np.array([True, False]), {"m": np.array([0.9, 0.1])}
    alone = next(seed for seed in range(20) if np.random.default_rng(seed).integers(0, 2, 2).sum() != 1)
    with pytest.raises(th.errors.ArgumentError, match="none of 1 resamples holds both classes"):
        stability_of(labels, scores, replicates=1, seed=alone)
    with pytest.raises(th.errors.ArgumentError, match="none of 1 resamples"):
        th.evaluate(labels, scores, replicates=1, seed=alone)


@pytest.mark.parametrize("most", [2**24 - 1, 2**24, 2**24 + 1, 2**31])
def test_counts_add_up_exactly_however_many_there_are(most):
    """Single precision holds whole numbers up to 2 ** 24, and one more than that is where it would first be wrong."""
    covered = np.array([[1, 3], [most - 4, most - 3]])
    drawn = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [3.0, 0.0]])
    expected = [
        [sum(int(d) * int(c) for d, c in zip(row, column, strict=True)) for column in covered.T] for row in drawn
    ]
    assert stability._resampled_counts(drawn, covered).tolist() == expected


def test_what_right_calls_cost_counts_too():
    labels, scores = data_of_stability(60)
    condition = th.OperatingCondition(cost_fn=5, cost_fp=2, cost_tp=1, cost_tn=0.5)
    drawn = stability_of(labels, scores, condition, replicates=10)
    for name, score in scores.items():
        expected = th.choose(th.rank(labels, score), condition).expected_cost
        assert drawn.apparent_cost[name] == pytest.approx(expected)


CONDITION = th.OperatingCondition(cost_ratio=3)


def test_out_of_bag_is_a_loop_over_rows():
    labels, scores = example(60, 1, ties=True)
    rows = sort_rows(ScoredRows.of(labels, scores))
    result = out_of_bag_choice(rows, CONDITION, replicates=40)
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
    assert result.thresholds == pytest.approx(np.array(thresholds))
    assert result.out_of_bag["expected_cost"] == pytest.approx(np.mean(costs))
    assert result.out_of_bag["tpr"] == pytest.approx(np.mean(recalls))
    choice = th.choose(th.rank(labels, scores), CONDITION)
    assert result.apparent["expected_cost"] == choice.expected_cost
    assert result.threshold.estimate == choice.threshold
    assert result.optimism["expected_cost"] == pytest.approx(choice.expected_cost - np.mean(costs))


def test_a_ranking_is_drawn_case_by_case():
    labels, scores = example(80, 2, ties=True)
    from_ranking = out_of_bag_choice(th.rank(labels, scores), CONDITION, replicates=400)
    from_rows = out_of_bag_choice(ScoredRows.of(labels, scores), CONDITION, replicates=400, seed=1)
    assert from_ranking.out_of_bag["expected_cost"] == pytest.approx(from_rows.out_of_bag["expected_cost"], abs=0.03)


def test_trap_24_the_apparent_cost_flatters_and_the_honest_one_does_not():
    """On average over many small samples, against the true cost at the threshold chosen."""
    world = Scores.of_auc(0.8, prevalence=0.4)
    results = [
        out_of_bag_choice(world.sample(50, seed).ranking, CONDITION, replicates=60, seed=seed, level=0.9)
        for seed in range(60)
    ]
    truths = [float(world.true_cost(result.threshold.estimate, CONDITION)) for result in results]
    apparent, honest = (
        np.mean([getattr(each, name)["expected_cost"] for each in results]) for name in ("apparent", "out_of_bag")
    )
    truth = np.mean(truths)
    assert apparent < truth - 0.03
    assert honest > apparent + 0.03
    assert abs(honest - truth) < truth - apparent
    held = sum(value in result.expected_cost for value, result in zip(truths, results, strict=True))
    assert held >= 44  # 54 expected


def test_more_cases_make_the_threshold_surer():
    few, many = (out_of_bag_choice(th.rank(*example(n, 4)), CONDITION, replicates=150) for n in (60, 4000))
    assert many.threshold.width < 0.7 * few.threshold.width
    assert few.optimism["expected_cost"] < -0.05 < many.optimism["expected_cost"] < 0
    assert "out of bag" in repr(many)


def test_clusters_are_left_out_entirely():
    labels, scores = example(120, 5)
    rows = ScoredRows.of(labels, {"a": scores, "b": -scores}, clusters=np.arange(120) // 4)
    result = out_of_bag_choice(rows, CONDITION, model="a", replicates=50)
    assert result.out_of_bag["expected_cost"] >= result.apparent["expected_cost"] - 0.05
    with pytest.raises(th.errors.ArgumentError, match="several models"):
        out_of_bag_choice(rows, CONDITION)
    with pytest.raises(th.errors.ArgumentError, match="no model 'c'"):
        out_of_bag_choice(rows, CONDITION, model="c")


def test_seeds_and_threads():
    ranking = th.rank(*example(60, 6))
    one, two = (out_of_bag_choice(ranking, replicates=60, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.thresholds, two.thresholds)
    assert one.out_of_bag == two.out_of_bag


@pytest.mark.parametrize(
    "ask",
    [
        lambda: out_of_bag_choice(th.Ranking.parse("[3+]")),
        lambda: out_of_bag_choice(th.Ranking.parse("[3+][2-]"), level=1),
        lambda: out_of_bag_choice(th.Ranking.parse("[3+][2-]"), replicates=0),
        lambda: out_of_bag_choice(th.Ranking.parse("[3+][2-]"), measures=["nonsense"]),
        lambda: out_of_bag_choice(th.Ranking.parse("[0.5+][2-]")),
    ],
)
def test_bad_input(ask):
    with pytest.raises(th.ThresherError):
        ask()


def test_clusters_and_weights_are_worth_what_evaluate_says():
    """The limits of the cost hold those of the same table of weighted or clustered rows, not of plain cases."""
    labels, scores = example(120, 5)
    clusters, weights = np.arange(120) // 6, np.linspace(0.1, 3, 120)
    plain = out_of_bag_choice(ScoredRows.of(labels, scores), CONDITION, replicates=50)
    for settings in ({"clusters": clusters}, {"weights": weights}, {"weights": weights, "clusters": clusters}):
        result = out_of_bag_choice(ScoredRows.of(labels, scores, **settings), CONDITION, replicates=50).expected_cost
        seen = th.evaluate(labels, scores, condition=CONDITION, replicates=10, **settings)["model"].expected_cost
        assert result.lower <= seen.lower
        assert result.upper >= seen.upper
        assert result.width > plain.expected_cost.width


def test_rows_that_are_all_alike_within_clusters_are_no_more_than_clusters():
    """Ten copies of each row, said to belong together, tell about as much as one of them."""
    labels, scores = example(60, 6)
    once = out_of_bag_choice(ScoredRows.of(labels, scores), CONDITION, replicates=300).expected_cost
    copies = ScoredRows.of(np.repeat(labels, 10), np.repeat(scores, 10), clusters=np.repeat(np.arange(60), 10))
    ten_times = out_of_bag_choice(copies, CONDITION, replicates=300).expected_cost
    as_if_free = out_of_bag_choice(
        ScoredRows.of(np.repeat(labels, 10), np.repeat(scores, 10)), CONDITION, replicates=300
    )
    assert ten_times.width == pytest.approx(once.width, rel=0.15)
    assert ten_times.width > 2 * as_if_free.expected_cost.width


def test_single_precision_scores_are_compared_as_doubles():
    """A threshold between two neighbouring singles rounds to one of them unless the scores become doubles first."""
    low = np.float32(0.5)
    high = np.nextafter(low, np.float32(1))
    labels, scores = np.array([0, 1] * 20), np.array([low, high] * 20)
    weights = np.linspace(1, 2, 40)
    single, double = (
        out_of_bag_choice(ScoredRows.of(labels, column, weights=weights), CONDITION, replicates=20)
        for column in (scores, scores.astype(np.float64))
    )
    assert single.choice.expected_cost == 0
    assert single.expected_cost == double.expected_cost
