"""Shares of variance by component."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import drawn
from thresher.plots import ScreeDisplay


def test_bars_are_the_ratios_and_the_line_their_sum():
    display = drawn(ScreeDisplay.from_ratios([0.5, 0.3, 0.2]), components=2)
    assert [bar.get_height() for bar in display.bars_] == [0.5, 0.3, 0.2]
    assert display.cumulative_.get_ydata() == pytest.approx([0.5, 0.8, 1.0])
    assert display.mark_.get_xdata()[0] == 2.5
    assert display.frame()["component"].tolist() == [1, 2, 3]


def test_nothing_kept_nothing_marked():
    assert drawn(ScreeDisplay.from_ratios(np.array([1.0]))).mark_ is None


@pytest.mark.parametrize("ratios", [[], [[0.5]], [0.7, 0.7], [-0.1, 0.5], [np.nan]])
def test_ratios_are_shares(ratios):
    with pytest.raises(th.errors.ArgumentError, match="shares"):
        ScreeDisplay.from_ratios(ratios)
