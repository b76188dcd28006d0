"""The report says in words what was learnt: baselines, untouched rows, and the curves that were drawn."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher._internal.text import interval_text
from thresher.learning.learned import baseline_words, curve_words
from thresher.learning.report import learned_sections, write_report
from thresher.report import page as report_page

RNG = np.random.default_rng(4)
TABLE = pd.DataFrame(RNG.normal(size=(160, 3)), columns=["a", "<b>", "c"]).assign(y=RNG.integers(0, 3, 160))


@pytest.fixture(scope="module")
def result():
    return th.learn(TABLE, "y", positive=2, models=["naive bayes"], folds=3)


@pytest.fixture(scope="module")
def text(result, tmp_path_factory):
    place = tmp_path_factory.mktemp("report") / "report.html"
    write_report(result, place, title="Noise")
    return unescape(
        re.sub(r"<script.*?</script>|<style.*?</style>|<(?!b>)[^>]*>", " ", place.read_text(), flags=re.DOTALL)
    )


def test_noise_does_not_beat_the_baselines(result, text):
    assert not result.beats_baselines
    assert baseline_words(result) in text
    assert "does not beat" in text or "No model beats the baselines" in text


def test_rows_kinds_and_costs_are_shown(result, text):
    assert "120 rows to learn y = 2 from, 40 put aside" in text
    assert "3 numerical: a, <b>, c" in text
    cost = result.test_cost
    assert interval_text(cost.estimate, cost.lower, cost.upper) in text
    assert "On 40 rows put aside, which nothing had seen" in text


def test_both_curves_are_drawn_with_their_numbers(result, text):
    *_, curves, _ = learned_sections(result)
    assert [panel.title for panel in curves.panels] == ["Learning curve", "Feature curve"]
    assert all(panel.svg.startswith("<svg") for panel in curves.panels)
    rows, features = curves.tables
    assert [line[0] for line in rows.rows] == [f"{size}" for size in result.learning_curve.sizes.tolist()]
    assert [line[0] for line in features.rows] == ["1", "2", "3"]
    for words in curve_words(result):
        assert words in text


def test_comparisons_of_models_open_on_request(result, tmp_path):
    write_report(result, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "<details><summary>Differences in AUC, paired</summary>" in text
    assert '"folded":true' in text
    assert '"folded":false' in report_page(result.evaluation)


def test_a_curve_without_any_spread_is_drawn():
    flat = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0] * 30, "y": [False, False, True, True] * 30})
    sure = th.learn(flat, "y", models=["tree"], folds=3)
    assert sure.test_cost.estimate == 0
    assert [section.title for section in learned_sections(sure)] == [
        "Verdict",
        "On the rows put aside",
        "What tree does",
        "Leaks",
        "Does it need more rows, or more features?",
        "How it was learnt",
    ]


def test_the_verdict_comes_first_and_the_models_last(text):
    places = [text.index(words) for words in ("Verdict", "On the rows put aside", "Leaks", "How the models compare")]
    assert places == sorted(places)


def test_every_caution_is_on_the_page(result, text):
    for caution in result.cautions:
        assert caution.code in text
        assert caution.text in text


def test_a_leak_is_shown_with_the_verdict():
    leaking = TABLE.assign(code=np.where(TABLE["y"] == 2, "k7", "k1"))
    result = th.learn(leaking, "y", positive=2, models=["naive bayes"], folds=3, curves=False)
    verdict, aside, _, leaks, _ = learned_sections(result)
    assert [caution.code for caution in verdict.cautions] == ["feature-equals-target"]
    assert verdict.cautions[0] in leaks.cautions
    assert [tile.what for tile in aside.tiles][1:3] == ["missed", "false alarms"]
