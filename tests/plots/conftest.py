"""Pictures are drawn without a window, and leave pyplot as they found it."""

import matplotlib
import pytest

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def pyplot_is_left_alone():
    import matplotlib.pyplot as plt

    before, style = plt.get_fignums(), dict(matplotlib.rcParams)
    yield
    assert plt.get_fignums() == before, "a figure was left open"
    assert dict(matplotlib.rcParams) == style, "the user's style was changed"
