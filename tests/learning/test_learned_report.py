"""The report says in words what was learnt: baselines, untouched rows, and the curves that were drawn."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.learning.learned_report import learned_sections, write_report
from thresher.learning.workflow_words import baseline_words, curve_words

RNG = np.random.default_rng(4)
TABLE = pd.DataFrame(RNG.normal(size=(160, 3)), columns=["a", "<b>", "c"]).assign(y=RNG.integers(0, 3, 160))


@pytest.fixture(scope="module")
def found():
    return th.learn(TABLE, "y", positive=2, models=["naive bayes"], folds=3)


@pytest.fixture(scope="module")
def text(found, tmp_path_factory):
    place = tmp_path_factory.mktemp("report") / "report.html"
    write_report(found, place, title="Noise")
    return unescape(
        re.sub(r"<script.*?</script>|<style.*?</style>|<(?!b>)[^>]*>", " ", place.read_text(), flags=re.DOTALL)
    )


def test_noise_is_said_not_to_beat_the_baselines(found, text):
    assert not found.beats_baselines
    assert baseline_words(found) in text
    assert "does not beat" in text or "No model beats the baselines" in text


def test_rows_kinds_and_costs_are_told(found, text):
    assert "120 rows to learn y = 2 from, 40 put aside" in text
    assert "3 numerical: a, <b>, c" in text
    assert f"{found.test_cost.estimate:.4g}" in text
    assert "On 40 rows put aside, which nothing had seen" in text


def test_both_curves_are_drawn_and_told_in_numbers(found, text):
    titles = [section.title for section in learned_sections(found)]
    assert titles[-2:] == ["Does it need more rows?", "Does it need more features?"]
    rows, features = list(learned_sections(found))[-2:]
    assert [len(section.panels) for section in (rows, features)] == [1, 1]
    assert rows.panels[0].svg.startswith("<svg")
    assert [line[0] for line in rows.grids[0].rows] == [f"{size}" for size in found.learning_curve.sizes.tolist()]
    assert [line[0] for line in features.grids[0].rows] == ["1", "2", "3"]
    for words in curve_words(found):
        assert words in text


def test_a_curve_without_any_spread_is_drawn():
    flat = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0] * 30, "y": [False, False, True, True] * 30})
    sure = th.learn(flat, "y", models=["tree"], folds=3)
    assert sure.test_cost.estimate == 0
    assert len(list(learned_sections(sure))) == 4
