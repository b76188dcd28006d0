import json

import numpy as np
import pytest

from thresher.inference.band import Band


def test_columns_are_read_only_and_plain_in_a_dict():
    band = Band(np.array([0.0, 1.0]), np.array([0.5, np.nan]), np.zeros(2), np.ones(2), 0.95, "percentile bootstrap")
    with pytest.raises(ValueError, match="read-only"):
        band.lower[0] = 1
    plain = json.loads(json.dumps(band.to_dict(), allow_nan=False))
    assert plain["estimate"] == [0.5, None]
    assert (plain["level"], plain["simultaneous"]) == (0.95, False)
