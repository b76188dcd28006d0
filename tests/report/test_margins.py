import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report import examples
from thresher.report import contents
from thresher.report.margins import LOSSES, margin_plot, margins


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8), st.floats(-3, 3))
def test_every_case_has_a_margin(bars, threshold):
    pos, neg = np.array(bars).T
    edges = np.linspace(-2, 2, len(bars) + 1)
    right, wrong = margins(edges, pos, neg, threshold, reach=4.0)
    assert right.sum() + wrong.sum() == pytest.approx(pos.sum() + neg.sum())
    called = np.repeat(edges[:-1], 4) + np.tile((np.arange(4) + 0.5) / 4 * np.diff(edges)[0], len(bars)) >= threshold
    errors = np.repeat(pos, 4)[~called].sum() / 4 + np.repeat(neg, 4)[called].sum() / 4
    assert wrong.sum() == pytest.approx(errors, abs=2)  # a margin of 0 is no error of either


@pytest.mark.parametrize("name", LOSSES)
def test_losses_bound_errors(name):
    z = np.linspace(-2, 2, 81)
    assert (LOSSES[name](z) >= (z < 0)).all()
    assert LOSSES[name](np.zeros(1))[0] == pytest.approx(1)


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_are_drawn(name):
    for model in contents(examples.awkward()[name])["models"]:
        drawn = margin_plot(model, name="Margins")
        assert "nan" not in drawn
        assert "inf" not in drawn
