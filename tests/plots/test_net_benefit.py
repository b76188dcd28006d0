"""Net benefit of models, of acting on everyone and on no one."""

import numpy as np

import thresher as th
from tests.plots.samples import SPAM_TREE, drawn, legend, rankings
from thresher.plots import NetBenefitDisplay


def test_lines_are_the_library_s():
    models = rankings(2)
    display = drawn(NetBenefitDisplay.from_ranking(models))
    for name, ranking in models.items():
        curve = th.net_benefit(ranking)
        assert np.array_equal(display.lines_[name].get_ydata(), curve.model)
        assert np.array_equal(display.everyone_.get_ydata(), curve.everyone)
        assert np.array_equal(display.no_one_.get_ydata(), curve.no_one)
    assert legend(display)[-2:] == ["act on everyone", "act on no one"]


def test_bands_are_drawn():
    band = th.inference.net_benefit_band(SPAM_TREE, replicates=100)
    display = drawn(NetBenefitDisplay.from_ranking(SPAM_TREE, bands=band))
    assert display.ax_.get_ylim()[1] >= band.upper.max()
