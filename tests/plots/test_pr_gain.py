"""Precision and recall gain, as the library has them."""

import numpy as np

import thresher as th
from tests.plots.samples import drawn, legend, rankings
from thresher.plots import PRGainDisplay


def test_lines_are_the_library_s():
    models = rankings(2)
    display = drawn(PRGainDisplay.from_ranking(models))
    for name, ranking in models.items():
        curve = th.pr_gain(ranking)
        expected = np.column_stack([curve.recall_gain, curve.precision_gain])
        assert np.array_equal(display.lines_[name].get_xydata(), expected)
        assert f"{name} (area {curve.area:.3f})" in legend(display)
    assert display.frame()["recall_gain"].size == sum(line.get_xdata().size for line in display.lines_.values())
