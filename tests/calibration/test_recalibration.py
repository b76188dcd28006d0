from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from tests.golden import probabilities as golden
from tests.strategies import rankings, two_class_rankings
from thresher import auc, rank
from thresher.calibration import adjust_prevalence, calibration_map, recalibrated
from thresher.errors import MissingValueError
from thresher.ranking import Floats, Ranking


def test_r5_equal_probabilities_merge():
    emails = rank(golden.EMAIL_LABELS, golden.EMAIL_SCORES)
    after = recalibrated(emails, calibration_map(emails))
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
        assert recalibrated(ranking, to_number) == Ranking(to_number(ranking.score), ranking.pos, ranking.neg)


@given(two_class_rankings)
def test_a_strictly_rising_map_keeps_segments_and_auc(ranking):
    after = recalibrated(ranking, lambda s: adjust_prevalence(s / 20, 0.1, trained_at=0.5))
    assert str(after) == str(ranking)
    assert auc(after) == auc(ranking)


def test_dropped_rows_stay_counted_and_negative_zero_is_zero():
    ranking = Ranking([2, 1], [1, 0], [0, 1], dropped=3)
    assert recalibrated(ranking, lambda s: s / 2).dropped == 3
    assert recalibrated(ranking, lambda s: -s).dropped == 3
    assert not np.signbit(recalibrated(ranking, lambda s: s * -0.0).score).any()


def test_a_map_that_gives_nan_is_refused():
    with pytest.raises(MissingValueError):
        recalibrated(Ranking([2, 1], [1, 0], [0, 1]), lambda s: s * np.nan)
