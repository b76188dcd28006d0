"""The report says in words what was learnt: baselines, untouched rows, and the curves that were drawn."""

import re
from html import unescape
from typing import Any

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
        "The columns by class",
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


def test_the_columns_that_separate_best_are_drawn_by_class(result, text):
    rng = np.random.default_rng(0)
    label = np.arange(120) % 2 == 0
    wide = pd.DataFrame({f"x{i}": rng.normal(size=120) + 2 * i * label for i in range(8)})
    wide["town"] = np.where(rng.random(120) < 0.5 + 0.2 * label, "<Oslo>", "Rome")
    wide["again"] = wide["x1"] * 2
    learned: Any = th.learn(wide.assign(ill=label), "ill", models=["naive bayes"], folds=3, curves=False)
    assert learned.by_class.classes == ("False", "True")
    assert sum(each.rows for each in learned.by_class.columns) == 10 * 90  # rows put aside are not looked at
    section = next(each for each in learned_sections(learned) if each.title == "The columns by class")
    assert [panel.title for panel in section.panels] == ["x7", "x6", "x5", "x4", "x3", "x2"]
    assert "The 6 of 10 columns that separate the classes best" in section.paragraphs[0]
    assert section.paragraphs[1] == "Columns that tell almost all of each other: x1 and again (1.00)."
    few = th.learn(wide[["town", "x7"]].assign(ill=label), "ill", models=["naive bayes"], folds=3, curves=False)
    svg = next(each for each in learned_sections(few) if each.title == "The columns by class").panels[1].svg
    assert "&lt;Oslo" in svg
    assert "<Oslo" not in svg
    assert "All columns of the rows learnt from" in text  # of noise, too
    assert "<b>" in [each.name for each in result.by_class.columns]


def test_the_model_is_read_line_by_line(tmp_path):
    wide = TABLE.assign(y=TABLE["a"] > 0)
    learned = th.learn(wide, "y", models=["logistic"], prefer="logistic", folds=3, curves=False)
    write_report(learned, tmp_path / "report.html")
    lines = learned.text().split("\n")
    assert len(lines) > 3
    page = unescape((tmp_path / "report.html").read_text())
    assert f"<pre>{learned.text()}\n</pre>" in page


def test_a_leak_is_shown_with_the_verdict():
    leaking = TABLE.assign(code=np.where(TABLE["y"] == 2, "k7", "k1"))
    result = th.learn(leaking, "y", positive=2, models=["naive bayes"], folds=3, curves=False)
    verdict, aside, _, leaks, *_ = learned_sections(result)
    assert [caution.code for caution in verdict.cautions] == ["feature-equals-target"]
    assert verdict.cautions[0] in leaks.cautions
    assert [tile.what for tile in aside.tiles][1:3] == ["missed", "false alarms"]
