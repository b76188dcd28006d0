"""The summary fits any terminal, shows the numbers of the evaluation, and obeys nobody's names."""

import io

import pytest
from rich.console import Console

import thresher as th
from thresher.cli.screen import show
from thresher.cli.summary import summary
from thresher.visible import interval_text

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
        for interval in (model.auc, model.expected_cost, model.honest_cost, model.brier):
            assert interval_text(interval.estimate, interval.lower, interval.upper) in text
    for head in ("AUC", "expected cost", "out-of-bag cost", "threshold", "Brier", "miscalibration", "avg. precision"):
        assert head in text
    assert f"The exact threshold is {evaluation.decision.threshold:.6g}." in text
    for caution in evaluation.cautions:
        assert caution.code in text


def test_every_way_to_act_is_priced(evaluation):
    winner = evaluation[evaluation.decision.model]
    cost = winner.choice.condition.expected_cost(th.contingency_at(winner.ranking, 0.5))
    text = shown(evaluation, 120)
    line = next(line for line in text.splitlines() if "≥ 0.5, the usual" in line)
    assert f" {1000 * cost:,.0f} " in line
    for words in ("never act", "always act", "save", "● forest ≥ "):
        assert words in text


def test_a_hollow_dot_means_the_same_in_every_table(columns):
    scores = {"forest": columns["forest"], "bayes": columns["bayes"], "backwards": -columns["forest"]}
    found = th.evaluate(columns["malignant"], scores, condition=th.OperatingCondition(cost_ratio=3))
    assert "backwards" not in found.may_be_best
    models = shown(found, 200).split("Models")[1]
    for name in scores:
        line = next(line for line in models.splitlines() if f" {name} " in line)
        dot = "●" if name == found.decision.model else "○" if name in found.may_be_best else " "
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
    ("labels", "told"),
    [
        ([0, 0, 0, 1], "Call no case positive, since no score pays for its false alarms"),
        ([0, 1, 1, 1], "Call every case positive, since no score is low enough to risk a miss"),
    ],
)
def test_rules_that_ignore_scores_in_words(labels, told):
    text = shown(th.evaluate(labels, [4, 3, 2, 1]), 120)
    assert told in text
    assert " inf" not in text
    assert "-inf" not in text


def test_of_one_model_the_range_of_its_threshold_is_told():
    found = th.evaluate(
        [1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.55, 0.3, 0.2], condition=th.OperatingCondition(cost_ratio=2)
    )
    assert "This stays the best rule for cost ratios of 1 and above." in shown(found, 120)
