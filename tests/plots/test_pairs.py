"""The grid of pairs and the curve that parts them."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import EMAILS, SPAM_TREE, drawn, legend
from thresher.plots import PairsDisplay


@pytest.mark.parametrize("ranking", [EMAILS, SPAM_TREE], ids=["emails", "tree"])
def test_the_grid_is_the_library_s_and_the_curve_lies_on_it(ranking):
    display = drawn(PairsDisplay.from_ranking(ranking))
    assert np.array_equal(display.image_.get_array(), th.curves.pairs_grid(ranking))
    assert display.image_.get_extent() == [0, ranking.Neg, 0, ranking.Pos]
    assert display.image_.origin == "lower"
    table = th.coverage(ranking)
    assert np.array_equal(display.curve_.get_xydata(), np.column_stack([table.fp, table.tp]))
    assert display.frame()["won"].mean() == pytest.approx(th.auc(ranking))


def test_outcomes_are_counted_in_the_legend():
    assert legend(drawn(PairsDisplay.from_ranking(SPAM_TREE))) == ["lost: 250", "tied: 950", "won: 1,300", "AUC 0.710"]


def test_few_cases_are_labelled_with_their_scores():
    ax = drawn(PairsDisplay.from_ranking(EMAILS)).ax_
    assert [label.get_text() for label in ax.get_xticklabels()] == ["0.74", "0.49", "0.24", "0.13"]


def test_weights_and_one_class_have_no_grid():
    with pytest.raises(th.errors.ArgumentError, match="weights"):
        PairsDisplay.from_ranking(th.Ranking([1, 0], [0.5, 0], [0, 0.5]))
    with pytest.raises(th.errors.OneClassError):
        PairsDisplay.from_ranking(th.Ranking([1], [1], [0]))


def test_a_flat_grid_is_not_drawn_to_scale():
    assert drawn(PairsDisplay.from_ranking(th.Ranking.parse("[1+][40-]"))).ax_.get_aspect() == "auto"
