"""Contingency and confusion tables: counts in cells, shaded by row."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import EMAILS, HOSTILE, drawn, words
from thresher.plots import ConfusionDisplay, ContingencyDisplay
from thresher.plots.tables import _short

REVIEWS = th.ConfusionMatrix([[700, 200, 100], [200, 8300, 100], [0, 100, 300]], classes=["neg", "neutral", "pos"])


class TestContingency:
    def test_cells_hold_counts_and_rates(self):
        display = drawn(ContingencyDisplay.from_table(th.Contingency(tp=30, fn=20, fp=10, tn=40)))
        assert [text.get_text() for text in display.texts_] == [
            "tp 30\n60.0%",
            "fn 20\n40.0%",
            "fp 10\n20.0%",
            "tn 40\n80.0%",
        ]
        assert np.array_equal(display.image_.get_array(), [[0.6, 0.4], [0.2, 0.8]])

    def test_an_absent_class_has_no_rates(self):
        display = drawn(ContingencyDisplay.from_table(th.Contingency(tp=0, fn=0, fp=1, tn=2)))
        assert display.texts_[0].get_text() == "tp 0"

    def test_a_curve_is_no_single_table(self):
        with pytest.raises(th.errors.ArgumentError, match="11 splits"):
            ContingencyDisplay.from_table(th.coverage(EMAILS))

    def test_columns(self):
        frame = ContingencyDisplay.from_table(th.Contingency(tp=1, fn=2, fp=3, tn=4)).frame()
        assert list(zip(frame["actual"], frame["predicted"], frame["count"], strict=True))[1] == ("+", "-", 2)


class TestConfusion:
    def test_rows_are_actual_classes_and_shares_theirs(self):
        display = drawn(ConfusionDisplay.from_matrix(REVIEWS, name="reviews"))
        assert display.image_.get_array()[0].tolist() == [0.7, 0.2, 0.1]
        assert np.diagonal(np.asarray(display.image_.get_array())) == pytest.approx(REVIEWS.recall)
        assert [label.get_text() for label in display.ax_.get_yticklabels()] == ["neg", "neutral", "pos"]
        assert display.ax_.get_title(loc="left") == "reviews, accuracy 0.930"
        assert display.texts_[4].get_text() == "8300"

    def test_a_class_without_cases_has_no_shares(self):
        frame = drawn(ConfusionDisplay.from_matrix(th.ConfusionMatrix([[3, 1], [0, 0]], classes=[0, 1]))).frame()
        assert np.isnan(frame["share_of_actual"][2:]).all()

    def test_class_names_are_literal(self):
        names = [name for name in HOSTILE if name]
        display = drawn(ConfusionDisplay.from_matrix(th.ConfusionMatrix(np.eye(len(names), dtype=int), classes=names)))
        assert "$\\frac{$" in words(display)
        assert not any(label.get_parse_math() for label in display.ax_.get_xticklabels())

    def test_many_classes_are_shaded_only(self):
        display = drawn(ConfusionDisplay.from_matrix(th.ConfusionMatrix(np.eye(70, dtype=int), classes=range(70))))
        assert display.texts_ == []

    def test_columns_of_any_class(self):
        matrix = th.ConfusionMatrix([[1, 2], [3, 4]], classes=["1", 1])
        frame = ConfusionDisplay.from_matrix(matrix).frame()
        assert frame["predicted"].tolist() == ["1", 1, "1", 1]
        assert frame["count"].tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0"), (0.25, "0.25"), (9999, "9999"), (10_000, "10k"), (999_000, "999k"), (3e9, "3G")]
)
def test_counts_stay_short(count, text):
    assert _short(count) == text
