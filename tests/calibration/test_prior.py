import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thresher.calibration import adjust_prevalence
from thresher.errors import MissingValueError, ProbabilityError

inside = st.floats(0.001, 0.999)


@given(st.floats(0, 1), inside, inside)
def test_odds_are_multiplied_by_the_ratio_of_prior_odds(p, from_, to):
    adjusted = adjust_prevalence(p, from_, to)
    factor = (to / (1 - to)) / (from_ / (1 - from_))
    expected = 1.0 if p == 1 else p / (1 - p) * factor / (1 + p / (1 - p) * factor)
    assert adjusted == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), min_size=1), inside, inside)
def test_there_and_back_again_and_the_order_stays(p, from_, to):
    there = adjust_prevalence(p, from_, to)
    assert adjust_prevalence(np.clip(there, 0, 1), to, from_) == pytest.approx(p, abs=1e-9)
    order = np.argsort(p)
    assert (np.diff(there[order]) >= -1e-12).all()


def test_bayes_from_counts():
    # Spam tree leaves hold 20+/5-, 10+/5-, 20+/40-; with ten times the negatives the counts say it directly.
    adjusted = adjust_prevalence([20 / 25, 10 / 15, 20 / 60], from_=0.5, to=50 / 550)
    assert adjusted == pytest.approx([20 / 70, 10 / 60, 20 / 420])


def test_certainty_stays_certain_and_the_prior_maps_to_the_prior():
    assert adjust_prevalence([0, 0.2, 1], 0.2, 0.7) == pytest.approx([0, 0.7, 1])
    assert adjust_prevalence([0, 0.2, 1], 0.2, 0.7)[[0, 2]].tolist() == [0, 1]


@pytest.mark.parametrize(("from_", "to"), [(0, 0.5), (0.5, 1), (1.2, 0.5), (0.5, np.nan)])
def test_prevalences_lie_between_zero_and_one(from_, to):
    with pytest.raises(ProbabilityError, match="must lie between 0 and 1"):
        adjust_prevalence([0.5], from_, to)


def test_bad_probabilities():
    with pytest.raises(ProbabilityError, match="1 of 2"):
        adjust_prevalence([0.5, 1.5], 0.5, 0.1)
    with pytest.raises(MissingValueError):
        adjust_prevalence([0.5, np.nan], 0.5, 0.1)
