"""How often each model wins when the data are drawn again."""

import numpy as np

import thresher as th
from tests.plots.samples import drawn, legend, scored
from thresher.plots import WinsDisplay


def test_lines_are_the_shares_of_resamples():
    labels, scores = scored(3, rows=120)
    found = th.evaluate(labels, scores, replicates=40, condition=th.OperatingCondition(cost_ratio=4))
    display = drawn(WinsDisplay.from_evaluation(found))
    for name, line in display.lines_.items():
        assert np.array_equal(line.get_xdata(), found.stability.cost_ratio)
        assert np.array_equal(line.get_ydata(), found.stability.wins_at[name])
    assert display.condition_.get_xdata()[0] == 4
    assert legend(display)[-1] == "now, 4"
    assert display.frame()["wins"].size == 3 * found.stability.cost_ratio.size
