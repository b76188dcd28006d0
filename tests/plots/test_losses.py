"""Losses of the margin, as the library computes them."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import drawn, legend
from thresher.plots import MarginLossDisplay


def test_lines_are_the_library_s():
    display = drawn(MarginLossDisplay.from_losses())
    margin = display.margin
    for name, loss in (("hinge", th.losses.hinge), ("squared", th.losses.squared), ("0-1", th.losses.zero_one)):
        assert np.array_equal(display.lines_[name].get_ydata(), loss(margin))
        assert np.interp(0, margin, loss(margin)) == 1


def test_the_jump_of_the_0_1_loss_is_upright():
    x, y = drawn(MarginLossDisplay.from_losses()).lines_["0-1"].get_data()
    (jump,) = np.flatnonzero(np.diff(y))
    assert (x[jump], y[jump], y[jump + 1]) == (0, 1, 0)
    assert x[jump + 1] - x[jump] < 1e-300


def test_a_ranking_gives_means():
    tree = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
    labels = legend(drawn(MarginLossDisplay.from_ranking(tree)))
    assert labels[:2] == ["0-1 (mean 0.300)", "hinge (mean 0.650)"]


def test_own_losses_and_another_range():
    display = drawn(MarginLossDisplay.from_losses({"$a_b$": np.exp}, margin=(1, 3)))
    assert legend(display) == ["$a_b$"]
    assert (display.margin[0], display.margin[-1]) == (1, 3)


@pytest.mark.parametrize("margin", [(1, 1), (2, -2), (0, np.inf)])
def test_a_range_has_two_ends(margin):
    with pytest.raises(th.errors.ArgumentError, match="range"):
        MarginLossDisplay.from_losses(margin=margin)
