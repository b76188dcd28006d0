from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from tests import strategies
from tests.inference.resampling_oracles import draws, example, ranking_of_draw
from thresher.calibration import brier, decomposition
from thresher.inference.bootstrap.bootstrap import bootstrap
from thresher.inference.bootstrap.statistics import BestCost, CostAt, MeasureAt, OfRanking
from thresher.inference.rows import ScoredRows
from thresher.laboratory import Scores, coverage

CONDITIONS = [
    th.OperatingCondition(),
    th.OperatingCondition(cost_ratio=5),
    th.OperatingCondition(class_ratio=0.1, cost_fp=1, cost_fn=7.5),
    th.OperatingCondition(prevalence=0.3, cost_ratio=1 / 3),
]


def expected(ranking, condition, threshold):
    choice = th.choose(ranking, condition)
    table = th.tables.contingency_at(ranking, threshold)
    return {
        "auc": th.auc(ranking),
        "best_cost": choice.expected_cost,
        "best_threshold": choice.threshold,
        "cost": condition.expected_cost(table),
        "f1": table.f1,
        "average_precision": th.average_precision(ranking),
    }


def asked(condition, threshold):
    return ["auc", BestCost(condition), CostAt(threshold, condition), MeasureAt("f1", threshold), th.average_precision]


def require_same(result, source, condition, threshold, *, stratified, model=None):
    for i, times in enumerate(draws(source, replicates=result.replicates, stratified=stratified)):
        ranking = ranking_of_draw(source, times, model)
        if not (ranking.Pos and ranking.Neg):
            assert np.isnan(result.values("auc", model)[i])
            continue
        for name, value in expected(ranking, condition, threshold).items():
            assert result.values(name, model)[i] == pytest.approx(value, rel=1e-12, abs=1e-15, nan_ok=True), name


@given(strategies.two_class_rankings, st.sampled_from(CONDITIONS), st.integers(0, 12), st.booleans())
def test_segments_drawn_are_rows_written_down_again(ranking, condition, threshold, stratified):
    result = bootstrap(ranking, asked(condition, threshold), replicates=4, stratified=stratified)
    require_same(result, ranking, condition, threshold, stratified=stratified)


@given(strategies.labelled_scores(both_classes=True), st.sampled_from(CONDITIONS), st.booleans())
@settings(max_examples=40)
def test_rows_drawn_are_rows_written_down_again_infinite_scores_too(rows, condition, stratified):
    labels, scores = rows
    source = ScoredRows.of(labels, {"a": scores, "b": np.arange(scores.size) % 5})
    result = bootstrap(source, asked(condition, 0.5), replicates=3, stratified=stratified)
    for model in ("a", "b"):
        require_same(result, source, condition, 0.5, stratified=stratified, model=model)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_many_rows_and_the_fast_draw(ties, condition):
    labels, scores = example(6000, 3, ties=ties)
    ranking = th.rank(labels, scores)
    result = bootstrap(ranking, asked(condition, 0.3), replicates=3, stratified=False)
    require_same(result, ranking, condition, 0.3, stratified=False)


def test_weights_are_carried_along():
    labels, scores = example(80, 4, ties=True)
    weights = np.random.default_rng(5).integers(1, 9, 80) / 8
    source = ScoredRows.of(labels, scores, weights=weights)
    for condition in CONDITIONS:
        for stratified in (True, False):
            result = bootstrap(source, asked(condition, 0.3), replicates=20, stratified=stratified)
            require_same(result, source, condition, 0.3, stratified=stratified)


def test_estimates_are_those_of_the_sample():
    labels, scores = example(200, 6, ties=True)
    ranking = th.rank(labels, scores)
    for condition in CONDITIONS:
        result = bootstrap(ranking, asked(condition, 0.3), replicates=1)
        for name, value in expected(ranking, condition, 0.3).items():
            assert result.estimate(name) == pytest.approx(value, rel=1e-12)


def test_losses_of_probabilities():
    rng = np.random.default_rng(7)
    score = np.round(rng.random(300), 2)
    ranking = th.rank(rng.random(300) < score, score)
    result = bootstrap(ranking, ["brier", "decomposition"], replicates=30)
    parts = decomposition(ranking, bins="hull")
    assert result.estimate("miscalibration") == pytest.approx(parts.miscalibration, abs=1e-12)
    for i, times in enumerate(draws(ranking, replicates=30, stratified=False)):
        drawn = ranking_of_draw(ranking, times)
        parts = decomposition(drawn, bins="hull")
        assert result.values("brier")[i] == pytest.approx(brier(drawn), abs=1e-12)
        for name in ("miscalibration", "discrimination", "refinement"):
            assert result.values(name)[i] == pytest.approx(getattr(parts, name), abs=1e-12)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_same_seed_gives_the_same_replicates_whatever_the_threads(threads):
    labels, scores = example(3000, 8)
    source = ScoredRows.of(labels, {"a": scores, "b": -scores})
    first = bootstrap(source, ["auc", BestCost()], replicates=60, seed=4, threads=1)
    again = bootstrap(source, ["auc", BestCost()], replicates=60, seed=4, threads=threads)
    for name in first.names:
        for model in ("a", "b"):
            assert np.array_equal(first.values(name, model), again.values(name, model))
    other = bootstrap(source, ["auc"], replicates=60, seed=5)
    assert not np.array_equal(first.values("auc", "a"), other.values("auc", "a"))


def test_a_ranking_and_its_rows_are_the_same_sample():
    labels, scores = example(500, 9)
    from_ranking = bootstrap(th.rank(labels, scores), ["auc", BestCost()], replicates=50)
    from_rows = bootstrap(ScoredRows.of(labels, scores), ["auc", BestCost()], replicates=50)
    for name in from_ranking.names:
        assert np.array_equal(from_ranking.values(name), from_rows.values(name))


@pytest.mark.parametrize("stratified", [True, False])
@pytest.mark.parametrize("copies", [1, 4, 60])
def test_segments_vary_as_rows_do(stratified, copies):
    """Few large segments are drawn by binomials, rows by number: the moments are the same."""
    tree = th.Ranking([3, 2, 1], [5 * copies, 3 * copies, 2 * copies], [1 * copies, 4 * copies, 9 * copies])
    labels = np.repeat([True, False], [10 * copies, 14 * copies])
    scores = np.concatenate([np.repeat(tree.score, tree.pos), np.repeat(tree.score, tree.neg)])
    by_segment = bootstrap(tree, ["auc"], replicates=3000, stratified=stratified)
    by_row = bootstrap(ScoredRows.of(labels, scores), ["auc"], replicates=3000, stratified=stratified, seed=1)
    one, other = by_segment.values("auc"), by_row.values("auc")
    spread = other.std()
    assert one.mean() == pytest.approx(other.mean(), abs=5 * spread / np.sqrt(3000))
    assert one.std() == pytest.approx(spread, rel=0.08)


def test_models_are_drawn_jointly():
    labels, scores = example(300, 10)
    noisy = scores + 0.1 * np.random.default_rng(11).normal(size=300)
    result = bootstrap(ScoredRows.of(labels, {"a": scores, "b": noisy}), ["auc"], replicates=400)
    a, b = result.values("auc", "a"), result.values("auc", "b")
    assert np.corrcoef(a, b)[0, 1] > 0.9
    paired = result.difference("auc", "a", "b")
    assert paired.width < result.interval("auc", "a").width / 2
    assert paired.estimate == pytest.approx(result.estimate("auc", "a") - result.estimate("auc", "b"))
    mirrored = result.difference("auc", "b", "a")
    assert (mirrored.lower, mirrored.upper) == pytest.approx((-paired.upper, -paired.lower))


def test_thresholds_by_model():
    labels, scores = example(100, 12)
    source = ScoredRows.of(labels, {"a": scores, "b": scores * 10})
    result = bootstrap(source, [MeasureAt("recall", {"a": 0.2, "b": 2.0})], replicates=20)
    assert np.array_equal(result.values("tpr", "a"), result.values("tpr", "b"))


def test_progress_is_reported():
    reports = []
    bootstrap(
        th.Ranking.parse("[3+,1-][2-]"), "auc", replicates=60, progress=lambda done, of: reports.append((done, of))
    )
    assert reports == [(25, 60), (50, 60), (60, 60)]


def test_names_can_be_chosen():
    tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.8, 0.6, 0.3])
    result = bootstrap(
        tree, {"at 0.5": MeasureAt("recall", 0.5), "at 0.7": MeasureAt("recall", 0.7), "best": BestCost()}, replicates=5
    )
    assert result.names == ("at 0.5", "at 0.7", "best best_cost", "best best_threshold")
    assert (result.estimate("at 0.5"), result.estimate("at 0.7")) == (0.6, 0.4)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"level": 1}, "level must lie strictly between 0 and 1"),
        ({"level": 95}, "did you mean level=0.95"),
        ({"replicates": 0}, "replicates must be 1, 2, 3"),
        ({"replicates": 2.5}, "replicates must be 1, 2, 3"),
        ({"replicates": 10**12}, "replicates must be 1, 2, 3, ... up to 1,000,000, got 1000000000000"),
        ({"replicates": 10**5000}, "got an int that Python does not print"),
        ({"threads": 0}, "threads must be"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"statistics": "acuracy"}, "no quantity called 'acuracy'"),
        ({"statistics": []}, "there are no statistics"),
        ({"statistics": ["auc", "auc"]}, "two statistics are called 'auc'"),
        ({"statistics": [MeasureAt("recall", 1), MeasureAt("tpr", 2)]}, "two statistics are called 'tpr'"),
        ({"statistics": [3]}, "3 is no statistic"),
        ({"statistics": "brier"}, r"outside \[0, 1\]"),
        ({"statistics": CostAt({"other": 1})}, "no threshold for model 'model'"),
    ],
)
def test_bad_input(change, error):
    options = {"statistics": ["auc"], "replicates": 5} | change
    with pytest.raises(th.ThresherError, match=error):
        bootstrap(th.Ranking.parse("[20+,5-][10+,5-]"), **options)


def test_what_cannot_be_drawn_again():
    with pytest.raises(th.errors.OneClassError):
        bootstrap(th.Ranking.parse("[3+]"), "auc")
    with pytest.raises(th.ThresherError, match=r"weights that are not whole.*(\n.*)*Rows.of"):
        bootstrap(th.Ranking.parse("[0.5+,1-][2-]"), "auc")
    with pytest.raises(th.ThresherError, match="nothing to draw from in list"):
        bootstrap([1, 0], "auc")  # type: ignore[arg-type]


def test_integer_weights_count_cases():
    weighted = th.Ranking([2, 1], [20.0, 10.0], [5.0, 40.0])
    plain = th.Ranking([2, 1], [20, 10], [5, 40])
    assert np.array_equal(
        bootstrap(weighted, "auc", replicates=9).values("auc"), bootstrap(plain, "auc", replicates=9).values("auc")
    )


SHARE = OfRanking("share", lambda ranking: ranking.Pos / ranking.total)
DECLARED = th.OperatingCondition(class_ratio=0.1, cost_ratio=5)


@pytest.mark.parametrize(
    ("statistic", "stratified"),
    [
        ("auc", True),
        (th.auc, True),
        (partial(th.partial_auc, fpr=(0, 0.5)), True),
        (MeasureAt("recall", 0.5), True),
        (MeasureAt("fpr", 0.5), True),
        (MeasureAt("balanced_accuracy", 0.5), True),
        (MeasureAt("precision", 0.5, class_ratio=0.1), True),
        (CostAt(0.5, DECLARED), True),
        (BestCost(DECLARED), True),
        (replace(SHARE, depends_on_mix=False), True),
        ("brier", False),
        ("decomposition", False),
        (th.average_precision, False),
        (MeasureAt("precision", 0.5), False),
        (MeasureAt("accuracy", 0.5), False),
        (MeasureAt("f2", 0.5), False),
        (CostAt(0.5), False),
        (BestCost(th.OperatingCondition(cost_ratio=5)), False),
        (SHARE, False),
    ],
)
def test_only_what_depends_on_the_mix_is_drawn_with_it(statistic, stratified):
    labels, scores = example(60, 11)
    scores = 1 / (1 + np.exp(-scores))
    ranking = th.rank(labels, scores)
    result = bootstrap(ranking, [statistic], replicates=20)
    assert set(result.stratified.values()) == {stratified}
    same = bootstrap(ranking, [statistic], replicates=20, stratified=stratified)
    for name in result.names:
        assert np.array_equal(result.values(name), same.values(name), equal_nan=True)
    clustered = bootstrap(ScoredRows.of(labels, scores, clusters=np.arange(60)), [statistic], replicates=2)
    assert not any(clustered.stratified.values())


def test_the_share_of_positives_varies_only_where_it_should():
    ranking = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    fixed, drawn = (
        bootstrap(ranking, replace(SHARE, depends_on_mix=mixed), replicates=400).values("share")
        for mixed in (False, True)
    )
    assert np.ptp(fixed) == 0
    assert drawn.std() == pytest.approx(np.sqrt(0.25 / 100), rel=0.1)


def test_both_kinds_at_once_are_each_drawn_as_alone():
    labels, scores = example(80, 12)
    reports = []
    result = bootstrap(
        th.rank(labels, scores),
        ["auc", th.average_precision],
        replicates=30,
        progress=lambda done, draws: reports.append((done, draws)),
    )
    assert result.stratified == {"auc": True, "average_precision": False}
    assert reports[-1] == (60, 60)
    for statistic, name in (("auc", "auc"), (th.average_precision, "average_precision")):
        alone = bootstrap(th.rank(labels, scores), statistic, replicates=30)
        assert np.array_equal(result.values(name), alone.values(name))
        for method in ("percentile", "bca"):
            assert result.interval(name, method=method) == alone.interval(name, method=method)


@pytest.mark.slow
@pytest.mark.parametrize(("Pos", "size"), [(10, 1000), (20, 200)])
def test_limits_of_what_depends_on_the_mix_hold(Pos, size):
    """With fixed class counts those of the Brier score cover 31 and 57 %; precision, F1 and cost 78 to 92 %."""
    share = Pos / size
    condition = th.OperatingCondition(cost_ratio=(1 - share) / share)
    world = Scores.of_auc(0.855, prevalence=share).as_probabilities()
    asked: dict[str, Any] = {
        "brier": "brier",
        "cost": CostAt(share, condition),
        "precision": MeasureAt("precision", share),
        "f1": MeasureAt("f1", share),
        "ap": th.average_precision,
    }
    table = world.table(share)
    truth = {"brier": world.brier, "cost": world.true_cost(share, condition), "ap": world.average_precision}
    truth |= {"precision": table.precision, "f1": table.f1}

    def limits(sample):
        drawn = bootstrap(sample.ranking, asked, replicates=400)
        return {name: drawn.interval(name) for name in asked}

    shares = coverage(world, size, limits, truth, replicates=400, seed=5)
    assert min(share.estimate for share in shares.values()) >= 0.88, shares
