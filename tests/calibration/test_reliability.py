from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

import thresher as th
from tests.calibration import oracles
from tests.golden import probabilities as golden
from tests.strategies import rankings
from thresher import rank
from thresher.calibration import ece, reliability
from thresher.calibration.calibration_error import MOST_GROUPS
from thresher.calibration.reliability import quantile_splits, splits_of, uniform_splits
from thresher.errors import ArgumentError, OneClassError, ProbabilityError, WeightError
from thresher.ranking import Ranking, mean_scores


@given(rankings, st.integers(1, 8))
def test_quantile_edges_are_the_splits_nearest_to_equal_shares(ranking, bins):
    covered = np.cumsum([0, *(ranking.pos + ranking.neg)])
    nearest = {int(np.argmin(np.abs(covered * bins - i * ranking.total))) for i in range(1, bins)}
    assert quantile_splits(ranking, bins).tolist() == sorted(nearest | {0, len(ranking)})


@given(oracles.probability_rankings(both_classes=False), st.integers(1, 8))
def test_uniform_bins_hold_the_scores_between_their_edges(ranking, bins):
    split = uniform_splits(ranking, bins)
    bin_of = [sum(score >= i / bins for i in range(1, bins)) for score in ranking.score.tolist()]
    runs = [set(bin_of[start:end]) for start, end in pairwise(split)]
    assert [len(run) for run in runs] == [1] * len(runs)
    assert len(set.union(*runs)) == len(runs)
    assert (split[0], split[-1]) == (0, len(ranking))


@given(rankings, st.integers(1, 8))
def test_runs_hold_all_cases_and_their_mean_lies_inside(ranking, bins):
    split = quantile_splits(ranking, bins)
    pos, neg = ranking.runs(split)
    assert (pos.sum(), neg.sum()) == (ranking.Pos, ranking.Neg)
    mean = mean_scores(ranking, split)
    assert mean @ (pos + neg) == pytest.approx(ranking.score @ (ranking.pos + ranking.neg))
    assert (mean <= ranking.score[split[:-1]]).all()
    assert (mean >= ranking.score[split[1:] - 1]).all()


def test_the_mean_of_neighbours_stays_between_them():
    low = 0.1
    score = [low, *np.nextafter([low] * 2, [1, 0])]
    ranking = Ranking(score, [7, 7, 7], [3, 3, 3])
    assert ranking.score[-1] <= mean_scores(ranking, np.array([0, 3]))[0] <= ranking.score[0]


def test_small_weights_are_not_lost_in_running_sums():
    ranking = Ranking([0.9, 0.5, 0.4], [1e18, 0, 0], [0, 1e-3, 1e-3])
    pos, neg = ranking.runs(np.array([0, 1, 3]))
    assert (pos.tolist(), neg.tolist()) == ([1e18, 0], [0, 2e-3])


def test_unknown_bins_and_counts():
    ranking = Ranking([0.5], [1], [1])
    with pytest.raises(ArgumentError, match="'deciles'"):
        splits_of(ranking, "deciles", count=10)  # type: ignore[arg-type]
    for count in (0, -1, 2.5):
        with pytest.raises(ArgumentError, match="count must be"):
            splits_of(ranking, "uniform", count=count)  # type: ignore[arg-type]


EMAILS = rank(golden.EMAIL_LABELS, golden.EMAIL_SCORES)
TREE = Ranking([0.9, 0.6, 0.3], [20, 10, 20], [5, 5, 40])


def test_exact_rows_are_the_segments():
    table = reliability(TREE)
    assert table.score.tolist() == [0.9, 0.6, 0.3]
    assert table.observed == pytest.approx([4 / 5, 2 / 3, 1 / 3])
    assert (table.pos.tolist(), table.neg.tolist()) == ([20, 10, 20], [5, 5, 40])
    assert table.lowest.tolist() == table.highest.tolist() == table.score.tolist()


def test_hull_rows_are_its_pools():
    table = reliability(EMAILS, bins="hull")
    assert table.observed == pytest.approx([1, 1, 2 / 3, 2 / 3, 0, 0])
    assert table.score == pytest.approx([0.89, 0.80, 2.08 / 3, 1.23 / 3, 0.24, 0.13])
    assert table.lowest.tolist() == [0.89, 0.80, 0.63, 0.32, 0.24, 0.13]
    assert table.highest.tolist() == [0.89, 0.80, 0.74, 0.49, 0.24, 0.13]


def test_quantile_and_uniform_rows():
    fifths = reliability(EMAILS, bins="quantile", count=5)
    assert (fifths.pos + fifths.neg).tolist() == [2] * 5
    halves = reliability(TREE, bins="uniform", count=2)
    assert halves.score == pytest.approx([(25 * 0.9 + 15 * 0.6) / 40, 0.3])
    assert len(reliability(TREE, bins="uniform", count=100)) == 3, "bins without cases have no row"


@given(oracles.probability_rankings())
def test_every_table_holds_every_case_once(ranking):
    for bins in ("exact", "hull", "quantile", "uniform"):
        table = reliability(ranking, bins=bins, count=4)
        assert (table.pos.sum(), table.neg.sum()) == (ranking.Pos, ranking.Neg)
        assert table.score @ (table.pos + table.neg) == pytest.approx(ranking.score @ (ranking.pos + ranking.neg))
        assert all(oracles.rising(table.score[::-1].tolist()))


@pytest.mark.parametrize("bins", ["uniform", "quantile"])
def test_peer_scikit_learn(bins):
    rng = np.random.default_rng(5)
    score = rng.random(1000)  # no score on an edge, where scikit-learn closes bins on the other side
    label = rng.random(1000) < score
    observed, mean = calibration_curve(label, score, n_bins=10, strategy=bins)
    table = reliability(rank(label, score), bins=bins, count=10)
    assert table.observed[::-1] == pytest.approx(observed)
    assert table.score[::-1] == pytest.approx(mean)


def test_the_table_as_plain_data_and_as_text():
    plain = reliability(TREE).to_dict()
    assert plain["bins"] == "exact"
    assert plain["pos"] == [20, 10, 20]
    assert str(reliability(TREE)).splitlines()[1].split() == ["0.9000", "0.8000", "20", "5"]
    assert repr(reliability(TREE)) == "Reliability(3 rows, bins='exact')"
    with pytest.raises(ValueError, match="read-only"):
        reliability(TREE).observed[0] = 1


def test_one_class_has_a_table_but_no_hull():
    sure = Ranking([0.9, 0.2], [1, 1], [0, 0])
    assert reliability(sure).observed.tolist() == [1, 1]
    with pytest.raises(OneClassError):
        reliability(sure, bins="hull")


def test_bad_input():
    with pytest.raises(ProbabilityError):
        reliability(Ranking([2, 1], [1, 0], [0, 1]))
    with pytest.raises(ArgumentError):
        reliability(TREE, bins="quantile", count=0)


def calibrated(cases: int, seed: int, *, off: float = 1.0) -> Ranking:
    rng = np.random.default_rng(seed)
    score = rng.random(cases)
    return rank(rng.random(cases) < score**off, score)


@given(oracles.probability_rankings(both_classes=False), st.integers(1, 6))
def test_the_estimate_is_that_of_a_loop_over_cases(ranking, bins):
    assert ece(ranking, count=bins, replicates=1).estimate == pytest.approx(
        oracles.uniform_ece(ranking, bins), abs=1e-12
    )


def test_over_exact_segments():
    tree = Ranking([0.9, 0.6, 0.3], [20, 10, 20], [5, 5, 40])
    gap = ece(tree, bins="exact")
    assert gap.estimate == pytest.approx((2.5 + 1 + 2) / 100)
    assert (gap.bins, gap.count) == ("exact", 3)


def test_trap_15_a_calibrated_model_shows_an_error_and_the_null_explains_it():
    gap = ece(calibrated(1000, 6), count=15)
    assert gap.estimate > 0.02
    assert gap.null_mean == pytest.approx(0.04, abs=0.01)
    assert gap.null_lower < gap.estimate < gap.null_upper
    assert gap.p_value > 0.05
    assert "if calibrated" in repr(gap)


def test_a_miscalibrated_model_stands_out():
    gap = ece(calibrated(1000, 7, off=2))
    assert gap.estimate > gap.null_upper
    assert gap.p_value == 1 / 1001


def test_p_values_of_calibrated_models_are_spread_evenly():
    p = [ece(calibrated(300, seed), replicates=200, seed=seed, bins="quantile").p_value for seed in range(60)]
    assert 0.35 < np.mean(p) < 0.65
    assert np.mean(np.array(p) <= 0.1) < 0.25


def test_the_null_is_that_of_labels_drawn_row_by_row():
    ranking = calibrated(200, 8)
    rng = np.random.default_rng(9)
    score = np.repeat(ranking.score, ranking.pos + ranking.neg)
    by_row = [oracles.uniform_ece(rank(rng.random(200) < score, score), 5) for _ in range(400)]
    gap = ece(ranking, count=5, replicates=2000)
    assert gap.null_mean == pytest.approx(np.mean(by_row), rel=0.08)
    assert np.quantile(gap.null, [0.1, 0.9]) == pytest.approx(np.quantile(by_row, [0.1, 0.9]), rel=0.12)


def test_neighbours_drawn_together_give_the_same_null():
    many = calibrated(4 * MOST_GROUPS, 10)
    few = Ranking(many.score.round(3), many.pos, many.neg)
    assert len(few) <= MOST_GROUPS < len(many)
    together, apart = ece(many, replicates=500), ece(few, replicates=500)
    assert together.null_mean == pytest.approx(apart.null_mean, rel=0.05)
    assert together.estimate == pytest.approx(oracles.uniform_ece(many, 10), abs=1e-12)


def test_the_seed_decides_and_generators_are_taken():
    ranking = calibrated(100, 11)
    assert ece(ranking, seed=1).null.tolist() == ece(ranking, seed=1).null.tolist()
    assert ece(ranking, seed=1).null.tolist() != ece(ranking, seed=2).null.tolist()
    assert ece(ranking, seed=np.random.default_rng(1)).null.tolist() == ece(ranking, seed=1).null.tolist()


def test_integer_weights_are_counts_and_others_have_no_null():
    tree = Ranking([0.9, 0.6, 0.3], [20, 10, 20], [5, 5, 40])
    doubled = ece(oracles.weighted(tree, 2))
    assert doubled.null.tolist() == ece(oracles.replicated(tree, 2)).null.tolist()
    with pytest.raises(WeightError, match="not whole"):
        ece(oracles.weighted(tree, 0.3))


def test_null_values_that_equal_the_estimate_count_as_reached():
    gap = ece(Ranking([0.5], [1], [0]), replicates=50)  # one case: always 0.5 off
    assert gap.null.tolist() == [0.5] * 50
    assert gap.p_value == 1


def test_bad_input_calibration_error():
    ranking = calibrated(MOST_GROUPS + 1, 12)
    with pytest.raises(ArgumentError, match="too many bins"):
        ece(ranking, bins="exact")
    with pytest.raises(ArgumentError) as caught:
        ece(ranking, bins="hull")  # type: ignore[call-overload]
    assert "miscalibration" in caught.value.fix
    with pytest.raises(ArgumentError, match="replicates"):
        ece(ranking, replicates=0)
    with pytest.raises(ArgumentError, match="level"):
        ece(ranking, level=1)
    with pytest.raises(ProbabilityError):
        ece(Ranking([2], [1], [1]))


@given(st.integers(0, 10**6), st.floats(0.01, 0.9), st.none() | st.floats(0.05, 0.9))
def test_at_a_declared_prevalence_it_is_that_of_the_restated_cases(seed, prevalence, trained_at):
    rng = np.random.default_rng(seed)
    labels, p = np.arange(40) < 15, np.round(rng.uniform(0.02, 0.98, 40), 2)
    ranking = th.rank(labels, p)
    rare = th.adjust_prevalence(ranking, prevalence, trained_at=trained_at)
    gaps = np.abs(rare.pos - (rare.pos + rare.neg) * rare.score)
    gap = th.ece(ranking, bins="exact", prevalence=prevalence, trained_at=trained_at, replicates=20)
    assert gap.estimate == pytest.approx(gaps.sum() / rare.total, abs=1e-9)
    own = th.ece(ranking, prevalence=ranking.prevalence, replicates=20)
    assert own.estimate == pytest.approx(th.ece(ranking, replicates=20).estimate)
    assert own.null == pytest.approx(th.ece(ranking, replicates=20).null)


def test_calibrated_probabilities_are_so_at_another_prevalence():
    rng = np.random.default_rng(4)
    p = rng.uniform(0.05, 0.95, 4000)
    gap = th.ece(th.rank(rng.random(4000) < p, p), prevalence=0.05)
    assert gap.p_value > 0.05
    assert gap.null_lower <= gap.estimate <= gap.null_upper


@pytest.mark.parametrize("wrong", [{"prevalence": 0}, {"prevalence": 1.5}, {"trained_at": "half"}])
def test_prevalences_are_proportions(wrong):
    with pytest.raises(th.ThresherError):
        th.ece(th.Ranking([0.9, 0.2], [3, 1], [1, 3]), **wrong)
