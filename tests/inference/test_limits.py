import math

import numpy as np
import pytest

from thresher.inference.limits import percentile_limits


def test_percentiles_leave_out_what_is_undefined():
    assert percentile_limits(np.array([math.nan, *range(101)]), 0.9) == pytest.approx((5, 95))
