"""Intervals, one line each: measures of models, and differences between them."""

import numpy as np
import pytest

import thresher as th
from tests.plots.samples import HOSTILE, drawn, scored, words
from thresher.plots import ComparisonDisplay, MeasuresDisplay

LABELS, SCORES = scored(3, rows=150)
RESULT = th.evaluate(LABELS, SCORES, replicates=20, margin=0.05)
PAIRS = [] if RESULT.comparison is None else list(RESULT.comparison.differences.values())


def spans(container):
    """(lower, estimate, upper) of the bars of a container."""
    estimate = container.lines[0].get_xdata()
    ends = [segment[:, 0] for segment in container.lines[2][0].get_segments()]
    return [(low, middle, high) for (low, high), middle in zip(ends, estimate, strict=True)]


class TestMeasures:
    def test_bars_are_the_intervals(self):
        display = drawn(MeasuresDisplay.from_evaluation(RESULT))
        for name, model in RESULT.models.items():
            expected = [model.auc, *(model.measures[each] for each in ("accuracy", "tpr"))]
            for span, interval in zip(spans(display.bars_[name]), expected, strict=False):
                assert span == pytest.approx((interval.lower, interval.estimate, interval.upper))
        assert display.frame()["measure"][:2].tolist() == ["auc", "accuracy"]

    def test_undefined_is_named(self):
        intervals = th.intervals(th.Contingency(tp=0, fn=3, fp=0, tn=7))
        display = drawn(MeasuresDisplay.from_intervals({"model": {"precision": intervals["precision"]}}))
        assert "undefined" in words(display)
        assert np.isnan(display.frame()["estimate"][0])

    def test_models_have_the_same_measures(self):
        one = th.auc_interval(th.Ranking.parse("[3+,1-][1+,3-]"))
        with pytest.raises(th.errors.ArgumentError, match="same measures"):
            MeasuresDisplay.from_intervals({"a": {"auc": one}, "b": {"f1": one}})

    def test_names_are_literal(self):
        one = th.auc_interval(th.Ranking.parse("[3+,1-][1+,3-]"))
        display = drawn(MeasuresDisplay.from_intervals({name: {"$\\frac{$": one} for name in HOSTILE}))
        assert "$\\frac{$" in [label.get_text() for label in display.ax_.get_yticklabels()]


class TestComparison:
    def test_bars_are_the_differences(self):
        display = drawn(ComparisonDisplay.from_evaluation(RESULT))
        for bar, each in zip(display.bars_, PAIRS, strict=True):
            assert spans(bar) == [pytest.approx((each.lower, each.difference, each.upper))]
        assert len(display.bars_) == 3
        frame = display.frame()
        assert frame["verdict"].tolist() == [each.verdict for each in PAIRS]
        assert frame["a"].tolist() == ["model 0", "model 0", "model 1"]

    def test_the_margin_of_indifference_is_shaded(self):
        near, plain = th.compare(LABELS, SCORES, margin=0.05), th.compare(LABELS, SCORES)
        assert drawn(ComparisonDisplay.from_comparison(near)).margin_ is not None
        assert drawn(ComparisonDisplay.from_comparison(plain)).margin_ is None

    def test_verdicts_are_in_words(self):
        texts = words(drawn(ComparisonDisplay.from_evaluation(RESULT)))
        for each in PAIRS:
            assert any(text.startswith(f"{each.verdict} (p ") for text in texts)

    def test_one_model_has_nothing_to_compare(self):
        alone = th.evaluate(LABELS, SCORES["model 0"], replicates=20)
        with pytest.raises(th.errors.ArgumentError, match="one model"):
            ComparisonDisplay.from_evaluation(alone)
