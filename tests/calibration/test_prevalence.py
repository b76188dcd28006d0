from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.golden import probabilities as golden
from tests.strategies import rankings, two_class_rankings
from thresher import rank
from thresher.calibration import adjust_prevalence, brier, calibration_map, recalibrate
from thresher.curves import auc, average_precision
from thresher.errors import ArgumentError, MissingValueError, OneClassError, ProbabilityError
from thresher.ranking import Floats, Ranking
from thresher.tables import contingency_at


def test_r5_equal_probabilities_merge():
    emails = rank(golden.EMAIL_LABELS, golden.EMAIL_SCORES)
    after = recalibrate(emails, calibration_map(emails))
    assert str(after) == "[2+][4+,2-][2-]"
    assert after.score == pytest.approx([1, 2 / 3, 0])
    assert (auc(emails), auc(after)) == pytest.approx(golden.R5_AUC)


@given(rankings)
def test_any_map_gives_the_ranking_of_the_mapped_scores(ranking):
    maps: list[Callable[[Floats], Floats]] = [
        lambda s: s // 3,
        lambda s: -s,
        lambda s: np.abs(s - 3),
        lambda s: np.minimum(s, 3),
    ]
    for to_number in maps:
        assert recalibrate(ranking, to_number) == Ranking(to_number(ranking.score), ranking.pos, ranking.neg)


@given(two_class_rankings)
def test_a_strictly_rising_map_keeps_segments_and_auc(ranking):
    after = recalibrate(ranking, lambda s: adjust_prevalence(s / 20, 0.1, trained_at=0.5))
    assert str(after) == str(ranking)
    assert auc(after) == auc(ranking)


def test_dropped_rows_stay_counted_and_negative_zero_is_zero():
    ranking = Ranking([2, 1], [1, 0], [0, 1], dropped=3)
    assert recalibrate(ranking, lambda s: s / 2).dropped == 3
    assert recalibrate(ranking, lambda s: -s).dropped == 3
    assert not np.signbit(recalibrate(ranking, lambda s: s * -0.0).score).any()


def test_a_map_that_gives_nan_is_refused():
    with pytest.raises(MissingValueError):
        recalibrate(Ranking([2, 1], [1, 0], [0, 1]), lambda s: s * np.nan)


inside = st.floats(0.001, 0.999)


@given(st.floats(0, 1), inside, inside)
def test_odds_are_multiplied_by_the_ratio_of_prior_odds(p, trained_at, to):
    adjusted = adjust_prevalence(p, to, trained_at=trained_at)
    factor = (to / (1 - to)) / (trained_at / (1 - trained_at))
    expected = 1.0 if p == 1 else p / (1 - p) * factor / (1 + p / (1 - p) * factor)
    assert adjusted == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1), inside, inside)
def test_there_and_back_again_and_the_order_stays(p, trained_at, to):
    there = adjust_prevalence(p, to, trained_at=trained_at)
    assert adjust_prevalence(np.clip(there, 0, 1), trained_at, trained_at=to) == pytest.approx(p, abs=1e-9)
    order = np.argsort(p)
    assert (np.diff(there[order]) >= -1e-12).all()


def test_bayes_from_counts():
    # Spam tree leaves hold 20+/5-, 10+/5-, 20+/40-; with ten times the negatives the counts say it directly.
    adjusted = adjust_prevalence([20 / 25, 10 / 15, 20 / 60], 50 / 550, trained_at=0.5)
    assert adjusted == pytest.approx([20 / 70, 10 / 60, 20 / 420])


def test_certainty_stays_certain_and_the_prior_maps_to_the_prior():
    assert adjust_prevalence([0, 0.2, 1], 0.7, trained_at=0.2) == pytest.approx([0, 0.7, 1])
    assert adjust_prevalence([0, 0.2, 1], 0.7, trained_at=0.2)[[0, 2]].tolist() == [0, 1]


@pytest.mark.parametrize(("trained_at", "to"), [(0, 0.5), (0.5, 1), (1.2, 0.5), (0.5, np.nan), (None, 0.5)])
def test_prevalences_lie_between_zero_and_one(trained_at, to):
    with pytest.raises(ProbabilityError, match="must lie between 0 and 1"):
        adjust_prevalence([0.5], to, trained_at=trained_at)


def test_bad_probabilities():
    with pytest.raises(ProbabilityError, match="1 of 2"):
        adjust_prevalence([0.5, 1.5], 0.1, trained_at=0.5)
    with pytest.raises(MissingValueError):
        adjust_prevalence([0.5, np.nan], 0.1, trained_at=0.5)
    with pytest.raises(OneClassError):
        adjust_prevalence(Ranking([0.5], [1], [0]), 0.1)
    with pytest.raises(ProbabilityError, match="outside"):
        adjust_prevalence(Ranking([2, 0.5], [1, 0], [0, 1]), 0.1)


@given(two_class_rankings)
def test_rows_written_out_at_the_other_mix_say_the_same(ranking):
    """The negatives of a ranking in k copies: everything of the copied rows is what re-weighting says."""
    copies = 7
    written = Ranking(ranking.score, ranking.pos, ranking.neg * copies)
    weighted = ranking.at_class_ratio(written.class_ratio)
    assert weighted.prevalence == pytest.approx(written.prevalence)
    assert weighted.total == pytest.approx(ranking.total)
    assert auc(weighted) == pytest.approx(auc(ranking))
    assert average_precision(weighted) == pytest.approx(average_precision(written))
    at = float(ranking.score[0])
    assert contingency_at(weighted, at).precision == pytest.approx(contingency_at(written, at).precision)
    assert contingency_at(weighted, at).tpr == pytest.approx(contingency_at(ranking, at).tpr)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(2, 9), st.integers(0, 10**6))
def test_a_ranking_is_restated_as_its_rows_would_be(pos, neg, copies, seed):
    score = np.random.default_rng(seed).random(pos + neg)
    labels = np.arange(pos + neg) < pos
    ranking = Ranking(score, labels.astype(int), (~labels).astype(int))
    to = pos / (pos + copies * neg)
    rare = adjust_prevalence(ranking, to)
    p = adjust_prevalence(score, to, trained_at=pos / (pos + neg))
    weight = np.where(labels, 1, copies)
    assert brier(rare) == pytest.approx(float(weight @ (p - labels) ** 2) / weight.sum())
    already = adjust_prevalence(ranking, to, trained_at=to)
    assert already.score.tolist() == ranking.score.tolist()
    assert already.prevalence == pytest.approx(to)


@pytest.mark.parametrize("wrong", [0, -1, np.inf, np.nan, None, "1"])
def test_a_class_ratio_is_above_zero(wrong):
    with pytest.raises(ArgumentError, match="class_ratio must be above 0"):
        Ranking.parse("[3+][1-]").at_class_ratio(wrong)


def test_rare_negatives_keep_their_digits():
    ranking = Ranking([0.9, 0.25], pos=[10**15, 0], neg=[0, 3])
    odds = Fraction(3, 10**15)  # negatives per positive, the prior that is taken back
    restated = [p * odds / (p * odds + (1 - p)) for p in map(Fraction, (0.9, 0.25))]
    assert adjust_prevalence(ranking, 0.5).score == pytest.approx([float(p) for p in restated], rel=1e-14, abs=0)
