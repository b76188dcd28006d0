import math
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import xlog1py, xlogy
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from tests.calibration import oracles
from thresher import rank
from thresher.calibration.maps.logistic import LogisticCurve, fit_logistic, log_odds, logistic_fit
from thresher.errors import ArgumentError, ProbabilityError, ScoreError
from thresher.ranking import Ranking

platt, beta, temperature = (partial(fit_logistic, method=method) for method in ("platt", "beta", "temperature"))
shift = st.floats(-100, 100)
scale = st.floats(0.01, 100)


def gradient(features, pos, neg, slopes, constant):
    z = sum(w * x for w, x in zip(slopes, features, strict=True)) + constant
    residual = (pos + neg) / (1 + np.exp(-z)) - pos
    return [x @ residual / (pos + neg).sum() for x in features] + [residual.sum() / (pos + neg).sum()]


@given(
    st.lists(
        st.tuples(st.integers(-12, 12).map(lambda x: x / 4), st.integers(1, 9), st.integers(1, 9)),
        min_size=2,
        max_size=8,
    ),
    shift,
    scale,
)
def test_the_gradient_vanishes_whatever_the_units(rows, by, times):
    x, pos, neg = (np.array(column) for column in zip(*rows, strict=True))
    slopes, constant = logistic_fit([x], pos, neg, intercept=True, nonnegative=False)
    assert gradient([x], pos, neg, slopes, constant) == pytest.approx([0, 0], abs=1e-9)
    moved, start = logistic_fit([x * times + by], pos, neg, intercept=True, nonnegative=False)
    z, moved_z = slopes[0] * x + constant, moved[0] * (x * times + by) + start
    assert moved_z == pytest.approx(z, abs=1e-5)


def test_two_values_are_fitted_exactly():
    slopes, constant = logistic_fit(
        [np.array([1.0, 0.0])], np.array([3, 1]), np.array([1, 4]), intercept=True, nonnegative=False
    )
    assert constant == pytest.approx(np.log(1 / 4))
    assert slopes[0] + constant == pytest.approx(np.log(3))


@pytest.mark.parametrize("intercept", [True, False])
def test_peer_scikit_learn(intercept):
    rng = np.random.default_rng(13)
    x = rng.normal(size=(300, 2))
    y = rng.random(300) < 1 / (1 + np.exp(-(x @ [1.5, 0.5] - 0.7)))
    peer = LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000, fit_intercept=intercept).fit(x, y)
    slopes, constant = logistic_fit([x[:, 0], x[:, 1]], y.astype(int), 1 - y, intercept=intercept, nonnegative=False)
    assert slopes == pytest.approx(peer.coef_[0], abs=1e-5)
    assert constant == pytest.approx(float(peer.intercept_[0]) if intercept else 0, abs=1e-5)


@given(st.integers(0, 10_000))
def test_bounds_hold_and_no_feasible_neighbour_is_better(seed):
    rng = np.random.default_rng(seed)
    features = list(rng.normal(size=(2, 20)))
    pos, neg = rng.integers(0, 4, 20), rng.integers(1, 4, 20)
    pos[0] = 1
    slopes, constant = logistic_fit(features, pos, neg, intercept=True, nonnegative=True)
    of = gradient(features, pos, neg, slopes, constant)
    assert of[2] == pytest.approx(0, abs=1e-8)
    for slope, rise in zip(slopes, of[:2], strict=True):  # Karush, Kuhn and Tucker's conditions
        assert slope >= 0
        assert rise == pytest.approx(0, abs=1e-8) if slope > 0 else rise >= -1e-8


def test_a_rare_class_is_fitted_as_sharply():
    x, pos, neg = np.array([1.0, 0.0]), np.array([3, 1]), np.array([10**7, 10**8])
    slopes, constant = logistic_fit([x], pos, neg, intercept=True, nonnegative=False)
    assert constant == pytest.approx(np.log(1e-8), abs=1e-8)
    assert slopes[0] == pytest.approx(np.log(30), abs=1e-8)


def test_no_optimum_no_answer(monkeypatch):
    monkeypatch.setattr("thresher.calibration.maps.logistic.MOST_STEPS", 2)
    x, pos, neg = np.array([5.0, 1.0, 0.0]), np.array([9, 3, 1]), np.array([1, 1, 4])
    with pytest.raises(ArgumentError, match="did not converge in 2 steps"):
        logistic_fit([x], pos, neg, intercept=True, nonnegative=False)


coefficients = st.floats(0.1, 4)


@given(st.floats(0.001, 0.999), coefficients, coefficients, st.floats(-3, 3))
def test_the_formula_of_beta_calibration(s, a, b, c):
    curve = LogisticCurve("log_odds", a, b, c)
    odds = math.exp(c) * s**a / (1 - s) ** b  # Kull et al. 2017, equation 3
    assert curve(np.array([s])) == pytest.approx([odds / (1 + odds)])


@given(st.floats(0.001, 0.999), coefficients, st.floats(-3, 3))
def test_equal_slopes_are_platt_on_log_odds(s, a, c):
    expected = 1 / (1 + math.exp(-(a * math.log(s / (1 - s)) + c)))
    assert LogisticCurve("log_odds", a, a, c)(np.array([s])) == pytest.approx([expected])
    assert LogisticCurve("log_odds", a, a * (1 + 1e-15), c)(np.array([s])) == pytest.approx([expected])


def test_on_scores_it_is_a_sigmoid_from_the_centre():
    curve = LogisticCurve("score", 2.0, 2.0, 0.5, centre=10.0, unit=4.0)
    assert curve(np.array([10.0, 14.0])) == pytest.approx([1 / (1 + math.exp(-0.5)), 1 / (1 + math.exp(-2.5))])
    assert curve(np.array([-np.inf, -1e308, 1e308, np.inf])).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(("a", "b", "ends"), [(1, 2, [0, 1]), (0, 2, [0.5, 1]), (2, 0, [0, 0.5]), (0, 0, [0.5, 0.5])])
def test_certain_scores_go_to_the_limit_of_the_curve(a, b, ends):
    assert LogisticCurve("log_odds", a, b, 0)(np.array([0.0, 1.0])) == pytest.approx(ends)


def test_a_limit_keeps_certain_scores_uncertain():
    curve = LogisticCurve("log_odds", 1, 1, 0, limit=3)
    assert curve(np.array([0, 1e-300, 1])) == pytest.approx([1 / (1 + math.exp(3))] * 2 + [1 / (1 + math.exp(-3))])


@pytest.mark.parametrize("on", ["score", "log_odds"])
def test_a_flat_curve_takes_every_score(on):
    flat = LogisticCurve(on, 0.0, 0.0, 1.0)
    assert flat(np.array([0.0, 0.5, 1.0])) == pytest.approx([1 / (1 + math.exp(-1))] * 3)


def test_trap_31_log_odds_of_what_is_no_probability_are_refused():
    with pytest.raises(ProbabilityError, match=r"first 1\.5 at rows 1"):
        LogisticCurve("log_odds", 1, 1, 0)(np.array([0.5, 1.5]))


@pytest.mark.parametrize("p", [5e-324, 1e-12, 0.3, 0.5, 1 - 2**-53])
def test_log_odds_at_both_ends_of_float64(p):
    assert log_odds(np.array([p]))[0] == pytest.approx(math.log(p) - math.log1p(-p))


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


@pytest.mark.parametrize("fit", [platt, beta, temperature], ids=["platt", "beta", "temperature"])
def test_trap_17_scores_outside_zero_to_one_have_no_log_odds(fit):
    with pytest.raises(ProbabilityError) as caught:
        fit(Ranking([2.0, 0.5, -1.0], [2, 1, 1], [1, 1, 2]))
    assert "on='score'" in caught.value.fix


@pytest.mark.parametrize("fit", [platt, beta, temperature], ids=["platt", "beta", "temperature"])
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
@pytest.mark.parametrize("fit", [platt, beta], ids=["platt", "beta"])
def test_separable_classes_have_no_finite_slope_unless_targets_are_soft(fit, text):
    score = np.linspace(0.9, 0.1, text.count("["))
    ranking = Ranking.parse(text, score=score.tolist())
    with pytest.raises(ArgumentError) as caught:
        fit(ranking, targets="counts")
    assert "targets='platt'" in caught.value.fix
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
