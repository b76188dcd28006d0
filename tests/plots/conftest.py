"""Pictures are drawn without a window, and leave pyplot as it was."""

import matplotlib as mpl
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def pyplot_is_left_alone():
    import matplotlib.pyplot as plt

    before, style = plt.get_fignums(), dict(mpl.rcParams)
    yield
    assert plt.get_fignums() == before, "a figure was left open"
    assert dict(mpl.rcParams) == style, "the user's style was changed"
