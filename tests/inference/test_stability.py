import warnings

import numpy as np
import pytest

import thresher as th
from tests.inference import oracles
from thresher.inference import stability as room
from thresher.inference.design_effect import sampled_cost_interval, sampled_table
from thresher.inference.limits import percentile_limits
from thresher.inference.out_of_bag import out_of_bag_interval
from thresher.inference.stability import decision_stability


def data(n=300, shift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    return labels, {"good": rng.normal(size=n) + shift * labels, "poor": rng.normal(size=n) + 0.2 * labels}


def found(labels, scores, condition=None, **options):
    rankings = {name: th.rank(labels, score, weights=options.get("weights")) for name, score in scores.items()}
    asked = th.OperatingCondition(cost_ratio=3) if condition is None else condition
    return decision_stability(labels, scores, rankings, asked, **options)


def test_against_resampling_row_by_row():
    labels, scores = data(60)
    condition = th.OperatingCondition(cost_ratio=3)
    quick = found(labels, scores, condition, replicates=40, seed=5)
    rng = np.random.default_rng(5)
    wins = {"good": 0.0, "poor": 0.0}
    honest: dict[str, list[float]] = {"good": [], "poor": []}
    for _ in range(40):
        drawn = np.bincount(rng.integers(0, 60, 60), minlength=60)
        picked, left = np.repeat(np.arange(60), drawn), np.flatnonzero(drawn == 0)
        cost = {}
        for name, score in scores.items():
            # Candidates are the splits of the whole data, as any threshold between two of its scores.
            cuts = th.rank(labels, score).thresholds()
            inside = condition.expected_cost(th.contingency_at(th.rank(labels[picked], score[picked]), cuts))
            tied = np.flatnonzero(np.isclose(inside, inside.min(), rtol=1e-12, atol=0))
            best = int(tied[(tied.size - 1) // 2])
            cost[name] = inside[best]
            outside = th.contingency_at(th.rank(labels[left], score[left]), cuts[best])
            honest[name].append(condition.expected_cost(outside))
        least = min(cost.values())
        winners = [name for name in cost if np.isclose(cost[name], least, rtol=1e-12, atol=0)]
        for name in winners:
            wins[name] += 1 / len(winners) / 40
    for name in scores:
        assert quick.apparent_cost[name] == pytest.approx(
            th.choose(th.rank(labels, scores[name]), condition).expected_cost
        )
        assert quick.honest_cost[name].estimate == pytest.approx(np.mean(honest[name]))
        assert quick.wins[name] == pytest.approx(wins[name])


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("class_ratio", [None, 0.1])
def test_unequal_weights_and_declared_ratios_row_by_row(class_ratio, clustered):
    labels, scores = data(60)
    condition = th.OperatingCondition(class_ratio, cost_fn=4, cost_fp=1.5, cost_tn=0.2)
    weights = np.random.default_rng(8).exponential(size=60) + 0.1
    cluster = np.arange(60) // (2 if clustered else 1)
    given = {"clusters": cluster} if clustered else {}
    quick = found(labels, scores, condition, replicates=30, seed=5, weights=weights, level=0.8, **given)
    rng, units = np.random.default_rng(5), int(cluster.max()) + 1
    draws = [np.bincount(rng.integers(0, units, units), minlength=units)[cluster] for _ in range(30)]
    cuts = {name: th.rank(labels, score, weights=weights).thresholds() for name, score in scores.items()}

    def costs(name, drawn, at=condition):
        ranking = th.rank(labels, scores[name], weights=drawn * weights)
        return np.asarray(at.expected_cost(th.contingency_at(ranking, cuts[name])))

    def middle(cost):
        tied = np.flatnonzero(np.isclose(cost, cost.min(), rtol=1e-12, atol=0))
        return int(tied[(tied.size - 1) // 2])

    for name in scores:
        inside = [costs(name, drawn) for drawn in draws]
        outside = [costs(name, drawn == 0) for drawn in draws]
        chosen = [middle(cost) for cost in inside]
        whole = costs(name, np.ones(60))
        best = middle(whole)
        assert quick.apparent_cost[name] == pytest.approx(whole[best])
        sampled = sampled_table(labels, scores[name] >= cuts[name][best], weight=weights, cluster=given.get("clusters"))
        expected = out_of_bag_interval(
            float(np.mean([cost[at] for cost, at in zip(outside, chosen, strict=True)])),
            sampled_cost_interval(sampled, condition, level=0.8),
            condition,
            np.array([cost[best] for cost in inside]),
        )
        for field in ("estimate", "lower", "upper", "variance"):
            assert getattr(quick.honest_cost[name], field) == pytest.approx(getattr(expected, field)), field
        limits = percentile_limits(np.array([cuts[name][at] for at in chosen]), 0.8)
        assert (quick.threshold[name].lower, quick.threshold[name].upper) == pytest.approx(limits)
    for i, ratio in enumerate(quick.cost_ratio.tolist()):
        at = th.OperatingCondition(class_ratio, ratio)
        least = np.array([[costs(name, drawn, at).min() for drawn in draws] for name in scores])
        tied = np.isclose(least, least.min(axis=0), rtol=1e-12, atol=0)
        assert [quick.wins_at[name][i] for name in scores] == pytest.approx((tied / tied.sum(axis=0)).mean(axis=1))


def test_trap_24_the_honest_cost_is_above_the_apparent_one():
    labels, scores = data(80, seed=3)
    drawn = found(labels, scores)
    for name in scores:
        assert drawn.honest_cost[name].estimate > drawn.apparent_cost[name]


def test_the_better_model_wins_and_shares_add_up():
    drawn = found(*data())
    assert drawn.wins["good"] > 0.99
    assert sum(drawn.wins.values()) == pytest.approx(1)
    np.testing.assert_allclose(sum(drawn.wins_at.values()), 1)
    at_condition = np.argmin(np.abs(drawn.cost_ratio - 3))
    assert drawn.wins_at["good"][at_condition] == pytest.approx(drawn.wins["good"])


def test_models_that_agree_share_the_win():
    labels, scores = data()
    drawn = found(labels, {"a": scores["good"], "b": 2 * scores["good"]})
    assert drawn.wins == {"a": 0.5, "b": 0.5}


def test_many_rows_are_dealt_into_blocks(monkeypatch):
    labels, scores = data(4000)
    whole = found(labels, scores, replicates=300)
    monkeypatch.setattr(room, "MOST_BLOCKS", 500)
    dealt = found(labels, scores, replicates=300)
    assert (whole.blocks, dealt.blocks) == (2000, 500)
    for name in scores:
        assert dealt.honest_cost[name].estimate == pytest.approx(whole.honest_cost[name].estimate, rel=0.03)
        width = [each.honest_cost[name].width for each in (whole, dealt)]
        assert width[0] == pytest.approx(width[1], rel=0.35)


def test_clusters_are_drawn_whole():
    labels, scores = data(400)
    alone = found(labels, {"good": scores["good"]}, replicates=400)
    # Each row ten times in one cluster says no more than the row itself.
    times = {"good": np.repeat(scores["good"], 10)}
    clustered = found(np.repeat(labels, 10), times, clusters=np.repeat(np.arange(400), 10), replicates=400)
    ignored = found(np.repeat(labels, 10), times, replicates=400)
    assert clustered.blocks == 400
    for field in ("estimate", "variance"):  # the same draws of the same rows
        mine, its = (getattr(each.honest_cost["good"], field) for each in (clustered, alone))
        assert mine == pytest.approx(its), field
    assert (clustered.wins, clustered.threshold["good"]) == (alone.wins, alone.threshold["good"])
    table = th.contingency(labels, scores["good"] >= clustered.threshold["good"].estimate)
    low, high = oracles.cost_of_copies(table, th.OperatingCondition(cost_ratio=3))
    moved = clustered.honest_cost["good"].estimate - clustered.apparent_cost["good"]
    assert clustered.honest_cost["good"].lower <= low + 1e-9
    assert clustered.honest_cost["good"].upper >= high + moved - 1e-9
    assert clustered.honest_cost["good"].width == pytest.approx(alone.honest_cost["good"].width, rel=0.02)
    assert ignored.honest_cost["good"].width < 0.6 * alone.honest_cost["good"].width


def test_weights_count_as_rows():
    labels, scores = data(200)
    heavy = found(labels, scores, weights=np.full(200, 3.0))
    plain = found(labels, scores)
    assert heavy.wins == plain.wins
    assert heavy.apparent_cost["good"] == pytest.approx(plain.apparent_cost["good"])


def test_seeded():
    labels, scores = data()
    assert (
        found(labels, scores, seed=2).wins_at["good"].tolist() == found(labels, scores, seed=2).wins_at["good"].tolist()
    )
    assert found(labels, scores, seed=2).honest_cost != found(labels, scores, seed=3).honest_cost


def test_scores_near_the_largest_number_are_resampled_like_any():
    labels, scores = data(80)
    far = {name: score / 10 * 1.7e308 for name, score in scores.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn, evaluation = found(labels, far), th.evaluate(labels, far, replicates=50)
    near = found(labels, scores)
    assert drawn.wins == near.wins
    for name in scores:
        assert drawn.honest_cost[name] == near.honest_cost[name]
        for end in ("lower", "upper"):
            assert getattr(drawn.threshold[name], end) / 1.7e307 == pytest.approx(getattr(near.threshold[name], end))
    assert evaluation.decision.threshold / 1.7e307 == pytest.approx(
        th.evaluate(labels, scores, replicates=50).decision.threshold
    )


@pytest.mark.parametrize("more", [{}, {"weights": np.arange(1, 61) % 5 + 1.0}, {"clusters": np.arange(60) // 2}])
def test_what_choosing_a_split_gains(more):
    labels, scores = data(60)
    quick = found(labels, scores, replicates=40, seed=5, **more)
    rng, units = np.random.default_rng(5), np.arange(60) // (2 if "clusters" in more else 1)
    count, heavy = units.max() + 1, more.get("weights", np.ones(60))
    gained: dict[str, list[float]] = {name: [] for name in scores}
    for _ in range(40):
        drawn = np.bincount(rng.integers(0, count, count), minlength=count)[units] * heavy
        for name, score in scores.items():
            gained[name].append(th.ks(th.rank(labels, score, weights=drawn)).statistic)
    for name, score in scores.items():
        whole = th.ks(th.rank(labels, score, weights=heavy)).statistic
        assert quick.ks_gain[name] == pytest.approx(np.mean(gained[name]) - whole)
        assert quick.ks_gain[name] > 0


def test_resamples_that_all_lack_a_class_say_so():
    labels, scores = np.array([True, False]), {"m": np.array([0.9, 0.1])}
    alone = next(seed for seed in range(20) if np.random.default_rng(seed).integers(0, 2, 2).sum() != 1)
    with pytest.raises(th.ArgumentError, match="none of 1 resamples holds both classes"):
        found(labels, scores, replicates=1, seed=alone)
    with pytest.raises(th.ArgumentError, match="none of 1 resamples"):
        th.evaluate(labels, scores, replicates=1, seed=alone)


@pytest.mark.parametrize("most", [2**24 - 1, 2**24, 2**24 + 1, 2**31])
def test_counts_add_up_exactly_however_many_there_are(most):
    """Single precision holds whole numbers up to 2 ** 24, and one more than that is where it would first be wrong."""
    covered = np.array([[1, 3], [most - 4, most - 3]])
    drawn = np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [3.0, 0.0]])
    expected = [
        [sum(int(d) * int(c) for d, c in zip(row, column, strict=True)) for column in covered.T] for row in drawn
    ]
    assert room._times(drawn, covered).tolist() == expected


def test_what_right_calls_cost_counts_too():
    labels, scores = data(60)
    condition = th.OperatingCondition(cost_fn=5, cost_fp=2, cost_tp=1, cost_tn=0.5)
    drawn = found(labels, scores, condition, replicates=10)
    for name, score in scores.items():
        expected = th.choose(th.rank(labels, score), condition).expected_cost
        assert drawn.apparent_cost[name] == pytest.approx(expected)
