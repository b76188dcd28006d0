import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.golden import probabilities as golden
from tests.strategies import rankings
from thresher.calibration import losses
from thresher.errors import MissingValueError
from thresher.ranking import Ranking
from thresher.tables import contingency_at

ALL = [losses.zero_one, losses.hinge, losses.logistic, losses.exponential, losses.squared]
margins = st.floats(-50, 50)


@pytest.mark.parametrize("name", golden.LOSSES)
def test_the_five_losses(name):
    assert getattr(losses, name)(golden.MARGINS) == pytest.approx(golden.LOSSES[name], abs=5e-5)


@pytest.mark.parametrize("loss", ALL)
def test_every_loss_is_one_at_the_boundary_and_takes_any_shape(loss):
    assert loss(0) == 1
    assert np.ndim(loss(0.5)) == 0
    assert loss([[0.5, 1], [2, -3]]).shape == (2, 2)


def test_the_options():
    assert losses.zero_one([-1, 0, 1], half_on_boundary=True).tolist() == [1, 0.5, 0]
    assert losses.squared([0, 1, 3], truncated=True).tolist() == [1, 0, 0]


@given(margins)
def test_the_others_bound_the_zero_one_loss(z):
    for loss in ALL[1:]:
        assert loss(z) >= losses.zero_one(z) or (loss(z) == pytest.approx(1) and z <= 0)


@given(margins, margins)
def test_they_fall_with_the_margin(z, other):
    low, high = sorted([z, other])
    for loss in ALL[:4]:
        assert loss(low) >= loss(high)
    assert losses.squared(low, truncated=True) >= losses.squared(high, truncated=True)


def test_extreme_margins_neither_warn_nor_overflow_into_nonsense():
    z = [-1e300, 1e300, -np.inf, np.inf]
    assert losses.logistic(z).tolist() == [1e300 / math.log(2), 0, np.inf, 0]
    assert losses.exponential(z).tolist() == [np.inf, 0, np.inf, 0]
    assert losses.hinge(z).tolist() == [1e300, 0, np.inf, 0]
    assert losses.squared(z, truncated=True).tolist() == [np.inf, 0, np.inf, 0]


@given(rankings)
def test_the_mean_zero_one_loss_is_the_error_rate(ranking):
    away_from_zero = Ranking(ranking.score - 2.5, ranking.pos, ranking.neg)
    assert losses.mean_loss(away_from_zero, losses.zero_one) == pytest.approx(
        contingency_at(away_from_zero, 0).error_rate
    )


def test_mean_loss_counts_cases_and_skips_those_that_are_not_there():
    sure = Ranking([math.inf, 0.5, -math.inf], pos=[2, 1, 0], neg=[0, 1, 4])
    assert losses.mean_loss(sure, losses.hinge) == pytest.approx((0.5 + 1.5) / 8)


@pytest.mark.parametrize("loss", ALL)
def test_nan_margins_are_refused(loss):
    with pytest.raises(MissingValueError, match="1 of 2 margins are NaN"):
        loss([0, np.nan])
