"""Tests of evaluation."""

import io
import math

import ibis
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import thresher as th
from thresher._internal.text import interval_text
from thresher.cli.console.evaluation import scan_blocks, summary
from thresher.cli.console.screen import show
from thresher.cli.console.tables import calls, ratio_range, same_calls

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
LOWER, UPPER = NUMBERS | st.just(-math.inf), NUMBERS | st.just(math.inf)


@given(LOWER, UPPER)
def test_infinity_is_never_named(low, high):
    for text in (" ".join(calls(low)), " ".join(calls(high)), same_calls((low, high)), ratio_range((low, high))):
        assert "inf" not in text
        assert text == text.strip()


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        (0.1234567, "call a case positive when its score is >= 0.123457"),
        (math.inf, "call no case positive"),
        (-math.inf, "call every case positive"),
    ],
)
def test_what_is_called(threshold, message):
    assert " ".join(calls(threshold)) == message


HOSTILE = "[red]\x1b[2J</script>\u202e=cmd()"


@pytest.fixture(scope="module")
def evaluation(columns):
    scores = {name: columns[name] for name in ("forest", "logistic", "bayes")}
    return th.evaluate(columns["malignant"], scores, condition=th.OperatingCondition(cost_ratio=3))


def shown(evaluation, width, *, colours=False):
    out = io.StringIO()
    screen = Console(
        file=out,
        width=width,
        highlight=False,
        markup=False,
        emoji=False,
        force_terminal=colours,
        color_system="truecolor" if colours else None,
    )
    show(screen, summary(evaluation, screen, title="rows.csv"))
    return out.getvalue()


@pytest.mark.parametrize("width", [60, 79, 80, 95, 96, 120, 200])
def test_it_fits(evaluation, width):
    assert max(map(len, shown(evaluation, width).splitlines())) <= width


def one_line(text):
    return " ".join(text.replace("│", " ").split())


@pytest.mark.parametrize("width", [60, 100, 200])
def test_every_number_is_there_at_any_width(evaluation, width):
    text = one_line(shown(evaluation, width))
    for model in evaluation.models.values():
        for interval in (model.auc, model.expected_cost, model.out_of_bag_cost, model.brier):
            assert interval_text(interval.estimate, interval.lower, interval.upper) in text
    for head in ("AUC", "expected cost", "out-of-bag cost", "threshold", "Brier", "miscalibration", "avg. precision"):
        assert head in text
    assert f"The exact threshold is {evaluation.decision.threshold:.6g}." in text
    for caution in evaluation.cautions:
        assert caution.code in text


def test_every_way_to_act_is_priced(evaluation):
    winner = evaluation[evaluation.decision.model]
    cost = winner.choice.condition.expected_cost(th.tables.contingency_at(winner.ranking, 0.5))
    text = shown(evaluation, 120)
    line = next(line for line in text.splitlines() if "≥ 0.5, the usual" in line)
    assert f" {1000 * cost:,.0f} " in line
    for words in ("never act", "always act", "save", "● forest ≥ "):
        assert words in text


def test_a_hollow_dot_means_the_same_in_every_table(columns):
    scores = {"forest": columns["forest"], "bayes": columns["bayes"], "backwards": -columns["forest"]}
    answer = th.evaluate(columns["malignant"], scores, condition=th.OperatingCondition(cost_ratio=3))
    assert "backwards" not in answer.may_be_best
    models = shown(answer, 200).split("Models")[1]
    for name in scores:
        line = next(line for line in models.splitlines() if f" {name} " in line)
        dot = "●" if name == answer.decision.model else "○" if name in answer.may_be_best else " "
        assert line.strip("│ ").startswith(f"{dot} {name}".strip())


def test_who_is_cheapest_where(evaluation):
    text = shown(evaluation, 120)
    assert "◂ now" in text.split("Cheapest")[1]


def test_one_model_is_compared_with_nobody(columns):
    text = shown(th.evaluate(columns["malignant"], {"forest": columns["forest"]}), 100)
    assert "Differences" not in text
    assert "Runner-up" not in text
    assert "Cheapest" not in text


def test_ten_models(columns):
    scores = {f"a model with a rather long name, number {i}": columns["forest"] ** (i + 1) for i in range(10)}
    text = shown(th.evaluate(columns["malignant"], scores), 60)
    assert max(map(len, text.splitlines())) <= 60


@pytest.mark.parametrize("colours", [False, True])
def test_hostile_names_are_only_text(columns, colours):
    scores = {HOSTILE: columns["forest"], "b": columns["bayes"]}
    text = shown(th.evaluate(columns["malignant"], scores), 120, colours=colours)
    assert "[red]␛[2J</script>\ufffd=cmd()" in text
    assert "\x1b[2J" not in text
    assert "\u202e" not in text


@pytest.mark.parametrize(
    ("labels", "scores"),
    [
        ([1, 0], [0.9, 0.1]),
        ([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5]),
        ([1, 1, 0, 0], [0.1, 0.2, 0.8, 0.9]),
        ([1, 0, 0, 0, 0], [0.9, 0.8, 0.3, 0.2, 0.1]),
        ([1, 0, 1, 0], [40, -30, 20, 10]),
        ([1, 0, 1, 0], [float("inf"), 1, 2, float("-inf")]),
    ],
)
@pytest.mark.parametrize("width", [60, 120])
def test_the_smallest_and_strangest_data(labels, scores, width):
    text = shown(th.evaluate(labels, scores), width)
    assert "nan" not in text
    assert "Call a case positive when model says" in text or "every case positive" in text or "no case" in text


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 0, 0, 1], "Call no case positive, since no score pays for its false alarms"),
        ([0, 1, 1, 1], "Call every case positive, since no score is low enough to risk a miss"),
    ],
)
def test_rules_that_ignore_scores_in_words(labels, message):
    text = shown(th.evaluate(labels, [4, 3, 2, 1]), 120)
    assert message in text
    assert " inf" not in text
    assert "-inf" not in text


def test_of_one_model_the_range_of_its_threshold_is_shown():
    answer = th.evaluate(
        [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.55, 0.3, 0.2], condition=th.OperatingCondition(cost_ratio=2)
    )
    assert "This stays the best rule for cost ratios of 1 and above." in shown(answer, 120)


@pytest.fixture(scope="module")
def table(columns):
    return ibis.memtable(pa.table(columns))


@pytest.fixture(scope="module")
def answer(table):
    condition = th.OperatingCondition(cost_ratio=3)
    return th.evaluation.evaluate_scan(table, label="malignant", score=["forest", "logistic"], condition=condition)


def screen_of(answer, title="rows"):
    screen = Console(file=io.StringIO(), width=100)
    show(screen, list(scan_blocks(answer, 100, title=title)))
    return screen.file.getvalue()  # type: ignore[attr-defined]


def test_the_screen_tells_decision_bounds_differences_and_cautions(answer, columns):
    shown = screen_of(answer)
    positives = int(columns["malignant"].sum())
    assert f"{positives} positive, {240 - positives} negative" in shown
    assert f"Use {answer.decision.model}" in shown
    assert "the least that any threshold reaches is" in shown
    for words in ("Models", "Bounds", "Differences in AUC", "Runner-up: ", "counts-only", "exactly"):
        assert words in shown
    for name in answer["forest"].bounds:
        assert name in shown


def test_one_model_has_no_differences(table):
    shown = screen_of(th.evaluation.evaluate_scan(table, label="malignant", score=["forest"]))
    assert "Differences" not in shown
    assert "Runner-up" not in shown


def test_dropped_rows_are_counted(columns):
    gap = {name: values.tolist() for name, values in columns.items() if name in ("malignant", "forest")}
    gap["forest"][:3] = [None] * 3
    rows = ibis.memtable(pa.table(gap))
    shown = screen_of(th.evaluation.evaluate_scan(rows, label="malignant", score=["forest"], missing="drop"))
    assert "3 dropped for missing values" in shown


def test_names_cannot_write_to_the_terminal(columns):
    name = "for\x1b[31mest"
    rows = ibis.memtable(pa.table({"malignant": columns["malignant"], name: columns["forest"]}))
    answer = th.evaluation.evaluate_scan(rows, label="malignant", score=[name])
    assert "\x1b" not in screen_of(answer, title="rows\x1b[2J")
