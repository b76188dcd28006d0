import math

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.special import xlog1py, xlogy
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator

from tests.calibration import oracles
from thresher import rank
from thresher.calibration.logistic_curve import LogisticCurve, log_odds
from thresher.calibration.logistic_map import beta, platt, temperature
from thresher.errors import ArgumentError, ProbabilityError, ScoreError
from thresher.ranking import Ranking

TREE = Ranking([0.9, 0.6, 0.2], [20, 10, 20], [5, 5, 40])


def shifted(seed: int, cases: int = 400) -> Ranking:
    rng = np.random.default_rng(seed)
    score = rng.beta(2, 3, cases).round(3)
    return rank(rng.random(cases) < np.clip(score, 0, 1) ** 1.5, score)


class Scores(DummyClassifier):  # type: ignore[misc]
    """A classifier whose decision function is its one feature."""

    def decision_function(self, X):
        return np.asarray(X)[:, 0]


def test_platt_with_counts_against_a_search_without_derivatives():
    ranking = shifted(14)
    t = log_odds(ranking.score)
    (a, c), _ = oracles.best_loss(ranking, lambda w: w[0] * t + w[1], [1, 0])
    curve, cautions = platt(ranking, targets="counts")
    assert (curve.a, curve.b, curve.c) == pytest.approx((a, a, c), abs=1e-5)
    assert cautions == ()


def test_platt_targets_against_a_search_without_derivatives():
    high, low = (TREE.Pos + 1) / (TREE.Pos + 2), 1 / (TREE.Neg + 2)
    soft = Ranking(TREE.score, TREE.pos * high + TREE.neg * low, TREE.pos * (1 - high) + TREE.neg * (1 - low))
    t = log_odds(TREE.score)
    (a, c), _ = oracles.best_loss(soft, lambda w: w[0] * t + w[1], [1, 0])
    curve, _ = platt(TREE)
    assert (curve.a, curve.c) == pytest.approx((a, c), abs=1e-5)


def test_platt_on_scores_against_scikit_learn_sigmoid():
    rng = np.random.default_rng(15)
    score = rng.normal(size=300)
    label = rng.random(300) < 1 / (1 + np.exp(-(2 * score - 1)))
    X = score[:, np.newaxis]
    peer = CalibratedClassifierCV(FrozenEstimator(Scores().fit(X, label)), method="sigmoid", ensemble=False, cv=2)
    expected = peer.fit(X, label).predict_proba(X)[:, 1]
    curve, _ = platt(rank(label, score), on="score")
    assert curve(score) == pytest.approx(expected, abs=1e-4)


def test_beta_against_a_search_without_derivatives():
    ranking = shifted(16)
    s = ranking.score
    (a, b, c), loss = oracles.best_loss(
        ranking,
        lambda w: w[0] * np.log(s) - w[1] * np.log1p(-s) + w[2],
        [1, 1, 0],
        [(0, None), (0, None), (None, None)],
    )
    curve, _ = beta(ranking)
    assert (curve.a, curve.b, curve.c) == pytest.approx((a, b, c), abs=1e-3)
    assert mean_log_loss(ranking, curve) <= loss + 1e-12


@pytest.mark.parametrize("power", [(-0.7, 1.0), (1.0, -0.7)])
def test_beta_slopes_stop_at_zero(power):
    # Labels that follow a curve with one negative slope: the best curve allowed has it at 0.
    s = np.linspace(0.02, 0.98, 49)
    z = power[0] * np.log(s) - power[1] * np.log1p(-s)
    pos = np.round(1000 / (1 + np.exp(-z))).astype(int)
    ranking = Ranking(s, pos, 1000 - pos)
    curve, _ = beta(ranking)
    free, _ = oracles.best_loss(
        ranking, lambda w: w[0] * np.log(ranking.score) - w[1] * np.log1p(-ranking.score) + w[2], [1, 1, 0]
    )
    assert min(free[:2]) < 0
    assert min(curve.a, curve.b) == 0
    assert max(curve.a, curve.b) > 0
    _, loss = oracles.best_loss(
        ranking,
        lambda w: w[0] * np.log(ranking.score) - w[1] * np.log1p(-ranking.score) + w[2],
        [1, 1, 0],
        [(0, None), (0, None), (None, None)],
    )
    assert mean_log_loss(ranking, curve) <= loss + 1e-9


def test_temperature_against_a_search_without_derivatives():
    ranking = shifted(17)
    t = log_odds(ranking.score)
    (a,), _ = oracles.best_loss(ranking, lambda w: w[0] * t, [1])
    curve, _ = temperature(ranking)
    assert (curve.a, curve.b, curve.c) == pytest.approx((a, a, 0), abs=1e-6)


def test_temperature_leaves_one_half_alone_and_finds_the_truth():
    s = np.array([16 / 17, 4 / 5, 1 / 2, 1 / 5])  # log-odds twice those of the proportions 4/5, 2/3, 1/2, 1/3
    curve, _ = temperature(Ranking(s, [20, 10, 7, 20], [5, 5, 7, 40]))
    assert curve.a == pytest.approx(0.5)
    assert curve(s) == pytest.approx([4 / 5, 2 / 3, 1 / 2, 1 / 3])


@given(oracles.probability_rankings())
def test_weights_are_replicates(ranking):
    for fit in (platt, beta, temperature):
        # Platt's targets, so that separable rankings have an answer as well
        weighted, _ = fit(oracles.weighted(ranking, 3), targets="platt")
        replicated, _ = fit(oracles.replicated(ranking, 3), targets="platt")
        assert weighted(ranking.score) == pytest.approx(replicated(ranking.score), abs=1e-6)


@given(oracles.probability_rankings(certain=False))
def test_each_family_contains_the_next_so_its_loss_is_lower(ranking):
    low, high = ranking.score[ranking.pos > 0].min(), ranking.score[ranking.neg > 0].max()
    upper, lower = ranking.score[ranking.pos > 0].max(), ranking.score[ranking.neg > 0].min()
    assume(low < high and lower < upper and low < 0.5 < high)
    losses = [mean_log_loss(ranking, fit(ranking, targets="counts")[0]) for fit in (beta, temperature)]
    assert losses[0] <= losses[1] + 1e-9
    assert losses[1] <= mean_log_loss(ranking, LogisticCurve("log_odds", 1, 1, 0)) + 1e-9
    assert mean_log_loss(ranking, platt(ranking, targets="counts")[0]) <= losses[1] + 1e-9


@pytest.mark.parametrize("fit", [platt, beta, temperature])
def test_trap_17_scores_outside_zero_to_one_have_no_log_odds(fit):
    with pytest.raises(ProbabilityError) as caught:
        fit(Ranking([2.0, 0.5, -1.0], [2, 1, 1], [1, 1, 2]))
    assert 'on="score"' in caught.value.fix


@pytest.mark.parametrize("fit", [platt, beta, temperature])
def test_trap_17_infinite_log_odds_are_set_and_reported(fit):
    ranking = Ranking([1, 0.8, 0.3, 0], [9, 6, 2, 1], [1, 2, 6, 9])
    curve, cautions = fit(ranking)
    assert [caution.code for caution in cautions] == ["infinite-log-odds"]
    assert "20 of 36 cases" in cautions[0].text
    assert curve.limit == pytest.approx(1 + math.log(4))
    mapped = curve(np.array([0, 0.3, 0.8, 1]))
    assert ((mapped > 0) & (mapped < 1)).all()
    assert all(oracles.rising(mapped.tolist()))
    near = Ranking(1 / (1 + np.exp(-log_odds(ranking.score, limit=curve.limit))), ranking.pos, ranking.neg)
    assert fit(near)[0](near.score) == pytest.approx(mapped[::-1], abs=1e-6)


def test_trap_17_only_certain_scores():
    curve, cautions = platt(Ranking([1, 0], [8, 3], [2, 7]), targets="counts")
    assert curve(np.array([1.0, 0.0])) == pytest.approx([0.8, 0.3])
    assert cautions[0].code == "infinite-log-odds"


@pytest.mark.parametrize(("times", "plus"), [(1e300, 0), (1e-300, 0), (1, 1e9), (5e307, -5e307), (1e-322, 0)])
def test_trap_17_huge_tiny_and_far_scores_are_standardised_first(times, plus):
    score = np.array([3.0, 2.0, 1.0, 0.0])
    pos, neg = [8, 5, 4, 1], [1, 4, 5, 8]
    plain, _ = platt(Ranking(score, pos, neg), on="score")
    moved, _ = platt(Ranking(score * times + plus, pos, neg), on="score")
    assert moved(score * times + plus) == pytest.approx(plain(score), abs=1e-3 if times == 1e-322 else 1e-7)
    assert np.ptp(plain(score)) > 0.5


def test_infinite_scores_cannot_be_fitted_but_can_be_mapped():
    with pytest.raises(ScoreError, match="infinite scores"):
        platt(Ranking([np.inf, 1, 0], [2, 1, 1], [1, 1, 2]), on="score")
    curve, _ = platt(Ranking([2, 1, 0], [2, 1, 1], [1, 1, 2]), on="score")
    assert curve(np.array([-np.inf, np.inf])).tolist() == [0, 1]


@pytest.mark.parametrize("text", ["[3+][2-]", "[3+][1+,1-][2-]", "[3+,1-][2-]"])
@pytest.mark.parametrize("fit", [platt, beta])
def test_separable_classes_have_no_finite_slope_unless_targets_are_soft(fit, text):
    score = np.linspace(0.9, 0.1, text.count("["))
    ranking = Ranking.parse(text, score=score.tolist())
    with pytest.raises(ArgumentError) as caught:
        fit(ranking, targets="counts")
    assert 'targets="platt"' in caught.value.fix
    mapped = fit(ranking, targets="platt")[0](ranking.score)
    assert ((mapped > 0) & (mapped < 1)).all()


def test_classes_the_wrong_way_round():
    backwards = Ranking([0.9, 0.1], [0, 3], [2, 0])
    with pytest.raises(ArgumentError, match="separate"):
        platt(backwards, targets="counts")
    falling, cautions = platt(backwards)
    assert falling.a < 0
    assert "falls" in cautions[0].text
    for fit in (beta, temperature):
        flat, cautions = fit(backwards)
        assert (flat.a, flat.b) == (0, 0)
        assert (cautions[0].code, "is flat" in cautions[0].text) == ("not-rising", True)


def test_temperature_separates_at_one_half():
    with pytest.raises(ArgumentError, match="separate"):
        temperature(Ranking([0.9, 0.5, 0.1], [2, 1, 0], [0, 1, 3]))
    curve, _ = temperature(Ranking([0.9, 0.6], [9, 0], [0, 2]))  # separable, but not at one half
    assert math.isfinite(curve.a)


@pytest.mark.parametrize("score", [0.3, 0.5, 1.0])
def test_one_score_gets_the_prevalence(score):
    ranking = Ranking([score], [3], [1])
    for fit in (platt, beta):
        assert fit(ranking, targets="counts")[0](np.array([score])) == pytest.approx([0.75])
    assert platt(ranking, on="score", targets="counts")[0](np.array([5.0])) == pytest.approx([0.75])


def test_temperature_of_one_half_only_is_one():
    assert temperature(Ranking([0.5], [3], [1]))[0].a == 1


def test_unknown_words():
    with pytest.raises(ArgumentError, match="'raw'"):
        platt(TREE, on="raw")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="'soft'"):
        beta(TREE, targets="soft")  # type: ignore[arg-type]


def mean_log_loss(ranking: Ranking, curve: LogisticCurve) -> float:
    p = curve(ranking.score)
    return float(-(xlogy(ranking.pos, p) + xlog1py(ranking.neg, -p)).sum() / ranking.total)
