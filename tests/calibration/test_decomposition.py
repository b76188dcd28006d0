import numpy as np
import pytest
from hypothesis import given
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss

from tests.calibration import oracles
from tests.golden import probabilities as golden
from thresher import rank
from thresher.calibration import brier, calibration_map, decomposition, recalibrate
from thresher.errors import ArgumentError, OneClassError, ProbabilityError
from thresher.ranking import Ranking


@pytest.mark.parametrize("case", golden.BRIER, ids=lambda case: case.id)
def test_reference_values(case):
    parts = decomposition(rank(case.labels, case.scores))
    assert parts.brier == pytest.approx(case.brier)
    assert parts.calibration == pytest.approx(case.calibration, abs=1e-15)
    assert parts.refinement == pytest.approx(case.refinement)
    assert parts.cautions == ()


def test_r5_all_calibration_loss_before_and_all_refinement_loss_after():
    emails = rank(golden.EMAIL_LABELS, golden.EMAIL_SCORES)
    before = decomposition(emails)
    after = decomposition(recalibrate(emails, calibration_map(emails)))
    assert (round(before.brier, 3), round(after.brier, 3)) == golden.R5_BRIER
    assert (before.calibration, before.refinement) == (before.brier, 0)
    assert after.calibration == pytest.approx(0, abs=1e-15)
    assert after.refinement == pytest.approx(after.brier)


def test_p2_empirical_probabilities_have_no_calibration_loss():
    parts = decomposition(Ranking([1 / 3, 2 / 3, 4 / 5], [20, 10, 20], [40, 5, 5]))
    assert parts.calibration == pytest.approx(0, abs=1e-15)
    assert round(parts.refinement, 2) == golden.P2_MEAN
    off = decomposition(Ranking([0.40, 2 / 3, 4 / 5], [20, 10, 20], [40, 5, 5]))
    assert off.calibration == pytest.approx((13.6 - 40 / 3) / 100)


@given(oracles.probability_rankings())
def test_brier_is_calibration_plus_refinement_over_exact_segments(ranking):
    parts = decomposition(ranking)
    segments = list(zip(ranking.pos.tolist(), ranking.neg.tolist(), strict=True))
    gaps = [(n + p) * (s - p / (n + p)) ** 2 for s, (p, n) in zip(ranking.score.tolist(), segments, strict=True)]
    assert parts.refinement == pytest.approx(float(oracles.refinement(segments)))
    assert parts.calibration == pytest.approx(sum(gaps) / ranking.total, abs=1e-15)
    assert parts.calibration + parts.refinement == pytest.approx(parts.brier, abs=1e-15)
    assert parts.bins == "exact"


@given(oracles.probability_rankings())
def test_over_the_hull_refinement_is_that_of_pools_and_calibration_what_the_map_saves(ranking):
    parts = decomposition(ranking, bins="hull")
    after = brier(recalibrate(ranking, calibration_map(ranking)))
    assert parts.refinement == pytest.approx(float(oracles.refinement(oracles.pools(ranking))), abs=1e-15)
    assert parts.refinement == pytest.approx(after, abs=1e-15)
    assert parts.calibration == pytest.approx(brier(ranking) - after, abs=1e-14)
    assert parts.calibration >= 0
    assert parts.bins == "hull"


@given(oracles.probability_rankings())
def test_corp_adds_up_and_does_not_depend_on_the_segments_shown(ranking):
    parts, over_hull = decomposition(ranking), decomposition(ranking, bins="hull")
    assert parts.miscalibration - parts.discrimination + parts.uncertainty == pytest.approx(parts.brier)
    assert parts.uncertainty == pytest.approx(ranking.Pos * ranking.Neg / ranking.total**2)
    assert parts.miscalibration >= 0
    assert parts.discrimination >= 0
    for name in ("brier", "miscalibration", "discrimination", "uncertainty"):
        assert getattr(parts, name) == getattr(over_hull, name)


@given(oracles.probability_rankings())
def test_weights_are_replicates(ranking):
    for bins in ("exact", "hull"):
        weighted = decomposition(oracles.weighted(ranking, 3), bins=bins)
        replicated = decomposition(oracles.replicated(ranking, 3), bins=bins)
        for name in ("brier", "calibration", "refinement", "miscalibration", "discrimination", "uncertainty"):
            assert getattr(weighted, name) == pytest.approx(getattr(replicated, name), abs=1e-14)


def test_trap_16_distinct_scores_degenerate_and_say_so_while_the_hull_does_not():
    rng = np.random.default_rng(3)
    score = rng.random(300)
    ranking = rank(rng.random(300) < score, score)
    exact, over_hull = decomposition(ranking), decomposition(ranking, bins="hull")
    assert (exact.refinement, exact.calibration) == (0, exact.brier)
    assert [caution.code for caution in exact.cautions] == ["distinct-scores"]
    assert over_hull.refinement > 0.1
    assert over_hull.cautions == ()
    assert "over exact segments" in str(exact)
    assert "over the hull's pools" in str(over_hull)


def test_pure_segments_of_several_cases_are_no_degenerate_case():
    parts = decomposition(Ranking([0.9, 0.2], [3, 0], [0, 2]))
    assert parts.cautions == ()
    assert parts.calibration == parts.brier


def test_corp_against_scikit_learn_isotonic_regression():
    rng = np.random.default_rng(4)
    score = rng.random(400).round(2)
    label = rng.random(400) < score**2
    fitted = IsotonicRegression().fit_transform(score, label)
    parts = decomposition(rank(label, score))
    assert parts.miscalibration == pytest.approx(brier_score_loss(label, score) - brier_score_loss(label, fitted))
    assert parts.discrimination == pytest.approx(label.var() - brier_score_loss(label, fitted))


def test_bad_input():
    with pytest.raises(OneClassError):
        decomposition(Ranking([0.5, 0.4], [1, 1], [0, 0]))
    with pytest.raises(ProbabilityError):
        decomposition(Ranking([2, 1], [1, 0], [0, 1]))
    with pytest.raises(ArgumentError, match="'quantile'"):
        decomposition(Ranking([0.5], [1], [1]), bins="quantile")
