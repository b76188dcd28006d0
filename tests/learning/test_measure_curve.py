"""Curves of a measure: means over folds, limits at each point."""

import numpy as np
import pytest

import thresher as th
from thresher.learning.corrected import corrected_interval
from thresher.learning.measure_curve import MeasureCurve, require_defined
from thresher.learning.yardstick import yardstick


def test_each_point_has_its_corrected_limits():
    values = np.random.default_rng(0).random((4, 5))
    curve = MeasureCurve.of(values, test_share=0.2, level=0.9, spread=(0, 1))
    for place, row in enumerate(values):
        point = corrected_interval(row, test_share=0.2, level=0.9, spread=(0, 1))
        assert (curve.estimate[place], curve.lower[place], curve.upper[place]) == (
            point.estimate,
            point.lower,
            point.upper,
        )
    still = MeasureCurve.of(np.zeros((1, 3)), test_share=0.2, level=0.9, spread=(0, 1))
    assert still.to_dict() == {"estimate": [0.0], "lower": [None], "upper": [None]}
    with pytest.raises(ValueError, match="read-only"):
        curve.estimate[0] = 1


def test_undefined_values_are_refused():
    with pytest.raises(th.MeasureError, match="undefined or infinite in 1 of 2 fits"):
        require_defined(np.array([0.5, np.nan]), yardstick("precision"))
