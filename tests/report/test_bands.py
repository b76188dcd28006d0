from typing import Any

import numpy as np

from tests.report import examples
from thresher.evaluation.bands import class_bands, model_bands
from thresher.report.bands import lines


def test_lines_are_the_limits_to_a_hundred_thousandth():
    found: Any = model_bands(examples.evaluation(250, count=1), "model 1")
    drawn = lines(found)
    for key, band in (("roc", found.roc), ("pr", found.precision_recall), ("reliability", found.reliability)):
        assert np.abs(np.array(drawn[key]["lower"]) - band.lower).max() <= 1e-5
        assert np.abs(np.array(drawn[key]["upper"]) - band.upper).max() <= 1e-5
        assert len(drawn[key]["x"]) == band.x.size


def test_what_has_no_band_has_no_lines():
    drawn = lines(class_bands(examples.classes(), "tree", "cat"))
    assert drawn["roc"] is not None
    assert drawn["net_benefit"] is None
