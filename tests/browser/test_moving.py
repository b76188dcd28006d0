"""The page moves as the reader does, and every number is Python's."""

import math

import numpy as np
import pytest

import thresher as th
from tests.browser.reader import CALM
from tests.report import examples


@pytest.fixture(scope="module")
def evaluation():
    return examples.evaluation(400, count=2)


@pytest.fixture(scope="module")
def ranking(evaluation):
    return evaluation["model 1"].ranking


def cells(table):
    return {"tp": table.tp, "fn": table.fn, "fp": table.fp, "tn": table.tn}


def shown_cells(reader):
    return {name: value for name, value in reader.cells().items() if name in ("tp", "fn", "fp", "tn")}


def number(text):
    return math.nan if text in ("", "nan") else float(text)


def test_it_opens_at_the_decision(opened, evaluation):
    reader = opened(evaluation)
    assert shown_cells(reader) == cells(evaluation[evaluation.decision.model].table)
    assert reader.decision() == evaluation.decision.to_dict()
    assert reader.complaints == []


def test_numbers_are_pythons_at_many_thresholds(opened, evaluation, ranking):
    reader = opened(evaluation)
    rng = np.random.default_rng(0)
    curve = th.coverage(ranking)
    some = rng.choice(len(curve), 12, replace=False)
    for at in [*curve.threshold[some].tolist(), 0.5, 0.1, 0.999, math.inf, -math.inf]:
        reader.threshold(str(at))
        table = th.tables.contingency_at(ranking, at)
        assert shown_cells(reader) == cells(table), at
        shown = reader.measures()["model 1"]
        assert number(shown["expected cost per case"]) == pytest.approx(
            evaluation.decision.condition.expected_cost(table)
        )
        for name, known in th.MEASURES.items():
            assert number(shown[name.replace("_", " ")]) == pytest.approx(known.of(table), rel=1e-12, nan_ok=True), name


def test_measures_follow_the_class_ratio(opened, evaluation, ranking):
    reader = opened(evaluation)
    reader.threshold(0.4)
    for text, ratio in (("1:20", 1 / 20), ("3", 3.0), ("2:7", 2 / 7)):
        reader.classes(text)
        table = th.tables.contingency_at(ranking, 0.4)
        assert shown_cells(reader) == cells(table)
        shown = reader.measures()["model 1"]
        for name, known in th.MEASURES.items():
            expected = known.of(table, class_ratio=ratio)
            assert number(shown[name.replace("_", " ")]) == pytest.approx(expected, rel=1e-9, nan_ok=True), name


def test_shares_are_typed_as_shares(opened):
    reader = opened(examples.evaluation(400, condition=th.OperatingCondition(prevalence=0.01)))
    field = reader.page.get_by_label("Share of positives, type a value")
    for text, shown in (("0.05", "5%"), ("30", "30%"), ("2.5%", "2.5%"), ("1:19", "5%")):
        reader.classes(text)
        assert field.input_value() == shown
        prevalence = th.Decision.from_dict(reader.decision()).condition.prevalence
        assert prevalence == pytest.approx(float(shown.removesuffix("%")) / 100)
    reader.page.wait_for_timeout(CALM)
    words = reader.page.locator(".prose .words").text_content()
    assert "and 5 % positives" in words
    assert "class ratio" not in words
    for text in ("0", "100", "150%", "abc"):
        reader.classes(text)
        assert reader.page.get_by_role("alert").filter(has_text="Write a share such as 5% or 0.05").is_visible()
        assert th.Decision.from_dict(reader.decision()).condition.prevalence == pytest.approx(0.05)


def brute_force(ranking, condition):
    curve = th.coverage(ranking)
    cost = condition.expected_cost(curve)
    return float(cost.min())


@pytest.mark.parametrize("classes", ["1:1", "1:50", "4:1"])
def test_the_optimum_is_that_of_brute_force(opened, evaluation, classes):
    reader = opened(evaluation)
    reader.classes(classes)
    for costs in ("1:20", "1:3", "1:1", "2:1", "7:1", "50:1"):
        reader.costs(costs)
        condition = th.OperatingCondition(class_ratio=ratio(classes), cost_ratio=ratio(costs))
        shown = reader.measures()
        for name in evaluation.models:
            result = float(shown[name]["expected cost per case"])
            assert result == pytest.approx(brute_force(evaluation[name].ranking, condition), rel=1e-9)
        decision = reader.decision()
        choice = th.choose(evaluation[decision["model"]].ranking, condition)
        assert float(decision["rule"]["threshold"]) == pytest.approx(choice.threshold)
        assert th.Decision.from_dict(decision).condition.cost_ratio == pytest.approx(ratio(costs))


def test_exact_ties_are_decided_as_python_does(opened):
    emails = examples.emails()
    reader = opened(emails)
    for classes, costs in (("3:4", "1:1"), ("3:2", "1:1"), ("1:1", "1:2"), ("3:2", "2:1"), ("3:2", "1:2")):
        reader.classes(classes)
        reader.costs(costs)
        condition = th.OperatingCondition(class_ratio=ratio(classes), cost_ratio=ratio(costs))
        choice = th.choose(emails["tree"].ranking, condition)
        assert shown_cells(reader) == cells(choice.table), (classes, costs)


def ratio(text):
    up, down = (float(part) for part in text.split(":"))
    return up / down


def test_dragging_on_a_curve_moves_the_threshold(opened, evaluation, ranking):
    reader = opened(evaluation)
    seen = {reader.cells()["tp"]}
    for panel in ("roc", "pr", "gain"):
        reader.handle(panel).scroll_into_view_if_needed()
        box = reader.handle(panel).bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        reader.page.mouse.move(x, y)
        reader.page.mouse.down()
        reader.page.mouse.move(x + 40, y - 15, steps=4)
        reader.page.mouse.up()
        reader.settle()
        now = reader.cells()
        assert now["tp"] not in seen, panel
        seen.add(now["tp"])
        at = float(reader.page.get_by_label("Threshold, type a value").input_value())
        assert shown_cells(reader) == cells(th.tables.contingency_at(ranking, at))
        assert not reader.page.get_by_label("follow the optimum").is_checked()


def test_keys_walk_along_the_curve(opened, evaluation):
    reader = opened(evaluation)
    reader.threshold(0.5)
    reader.handle("roc").focus()
    results = [reader.cells()["yes"]]
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        reader.page.keyboard.press(key)
        reader.settle()
        results.append(reader.cells()["yes"])
    way = results[1] - results[0]
    assert way in (-1, 1)
    assert results == [results[0], results[0] + way, results[0] + 2 * way, results[0] + way]
    reader.page.keyboard.press("Home")
    reader.settle()
    home = reader.cells()["yes"]
    reader.page.keyboard.press("End")
    reader.settle()
    assert {home, reader.cells()["yes"]} == {0, 400}


def test_everything_can_be_reached_by_keyboard(opened, evaluation):
    reader = opened(evaluation)
    reached = set()
    for _ in range(60):
        reader.page.keyboard.press("Tab")
        reached.add(
            reader.page.evaluate(
                "() => document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"
            )
        )
    assert {"Copy decision", "Threshold", "Threshold, type a value", "Reset"} <= reached
    assert any(name.startswith("Threshold of ") for name in reached)


def test_sliders_move_by_keys(opened, evaluation):
    reader = opened(evaluation)
    slider = reader.page.get_by_label("Cost ratio, miss : false alarm", exact=True)
    slider.focus()
    for _ in range(10):
        reader.page.keyboard.press("ArrowRight")
    reader.settle()
    assert reader.decision()["condition"]["cost_fn"] > 5


def test_unreadable_input_raises_an_alert(opened, evaluation):
    reader = opened(evaluation)
    before = reader.cells()
    reader.threshold("half")
    assert reader.page.get_by_role("alert").filter(has_text="Write a number").is_visible()
    reader.costs("5:")
    assert reader.page.get_by_role("alert").filter(has_text="Write a ratio").is_visible()
    assert reader.cells() == before


def test_the_address_keeps_what_was_set(opened, evaluation):
    reader = opened(evaluation)
    reader.costs("7:2")
    reader.classes("1:9")
    reader.threshold(0.3)
    reader.press("coverage")
    reader.page.wait_for_function("() => location.hash.includes('coverage')")
    fragment = reader.page.evaluate("() => location.hash")
    again = opened(evaluation, fragment=fragment)
    assert again.decision() == reader.decision()
    assert again.cells() == reader.cells()
    assert again.page.get_by_role("heading", name="Coverage plot").is_visible()


def test_controls_stay_in_place_while_the_answer_changes(opened, evaluation):
    reader = opened(evaluation)
    button = reader.page.get_by_role("button", name="coverage")
    before = button.bounding_box()
    for change, value in ((reader.costs, "7:2"), (reader.classes, "1:9"), (reader.threshold, 0.3)):
        change(value)
        reader.page.wait_for_timeout(CALM)
        assert button.bounding_box() == before, value


def test_a_strange_address_is_ignored(opened, evaluation):
    reader = opened(evaluation, fragment="#cost=-3&threshold=x&model=__proto__&measure=constructor&class=0&plane=moon")
    assert reader.decision() == evaluation.decision.to_dict()
    assert reader.complaints == []


def test_reset_brings_the_start_back(opened, evaluation):
    reader = opened(evaluation)
    reader.costs("1:30")
    assert reader.decision() != evaluation.decision.to_dict()
    reader.press("Reset")
    assert reader.decision() == evaluation.decision.to_dict()


def test_the_decision_under_other_costs_can_be_applied(opened, evaluation):
    reader = opened(evaluation)
    reader.costs("1:4")
    decision = reader.decision()
    labels, scores = examples.models(400, count=2)
    condition = th.OperatingCondition(cost_ratio=1 / 4)
    joint = th.choose({name: evaluation[name].ranking for name in evaluation.models}, condition)
    assert decision["format"] == "thresher/decision/1"
    low, high = decision["rule"]["equivalent"]
    assert low < decision["rule"]["threshold"] <= high
    result = th.Decision.from_dict(decision).apply(scores)
    assert th.contingency(labels, result) == joint.choices[decision["model"]].table
    assert decision["wins"] is None
    assert "Drawing the data again" not in str(th.Decision.from_dict(decision))


def test_models_can_be_hidden_and_chosen(opened, evaluation):
    reader = opened(evaluation)
    curves = reader.page.locator("[data-panel=roc] .lower path.curve")
    assert curves.count() == 2
    reader.press("model 2")
    assert curves.count() == 1
    reader.page.get_by_label("Model", exact=True).select_option(label="model 2")
    reader.settle()
    assert shown_cells(reader) == cells(evaluation["model 2"].table)


def test_panels_are_saved_as_pictures(opened, evaluation, tmp_path):
    reader = opened(evaluation)
    for kind, starts in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with reader.page.expect_download() as saved:
            reader.page.get_by_role("button", name=f"Save ROC plot as {kind}").click()
        saved.value.save_as(tmp_path / kind)
        data = (tmp_path / kind).read_bytes()
        assert starts in data[:200]
        assert len(data) > 2000
    assert reader.complaints == []


def test_saved_pictures_name_the_models_they_draw(opened, evaluation, tmp_path):
    reader = opened(evaluation)
    for panel, named in (("ROC plot", True), ("Margins and losses", False), ("Scores by class", False)):
        with reader.page.expect_download() as saved:
            reader.page.get_by_role("button", name=f"Save {panel} as SVG").click()
        saved.value.save_as(tmp_path / panel)
        text = (tmp_path / panel).read_text(encoding="utf-8")
        assert ("model 1" in text, "model 2" in text) == (named, named), panel


def test_a_threshold_stays_near_where_it_was_set(opened):
    rows = np.arange(5000)
    reader = opened(th.evaluate(rows < 2500, -rows / 5000, replicates=20))
    for asked in (-0.1, -0.3333, -0.9):
        reader.threshold(asked)
        assert abs(reader.decision()["rule"]["threshold"] - asked) < 1 / 400
        assert reader.cells()["yes"] == pytest.approx(-5000 * asked, abs=15)


def test_far_ratios_are_refused(opened, evaluation):
    reader = opened(evaluation, fragment="#cost=1e308&class=1e308")
    assert reader.decision() == evaluation.decision.to_dict()
    reader.costs("1e200")
    assert reader.page.get_by_role("alert").filter(has_text="Write a ratio").is_visible()
    assert "Infinity" not in reader.page.locator("#page").inner_text()
    assert reader.complaints == []


def test_good_models_fill_the_cost_plot_and_dear_thresholds_stay_in_it(opened):
    labels = np.arange(200) % 4 == 0
    good = th.evaluate(labels, np.where(labels, 0.9, 0.1) + np.linspace(0, 0.09, 200) * np.where(labels, -9.5, 4.5))
    reader = opened(good)
    plot = reader.page.locator("[data-panel=cost] .lower .ground").bounding_box()
    curve = reader.page.locator("[data-panel=cost] .curve").first.bounding_box()
    assert curve["height"] > 0.6 * plot["height"]
    for at in ("inf", "-inf", "0.001"):
        reader.threshold(at)
        handle = reader.handle("cost").bounding_box()
        assert plot["y"] - 16 <= handle["y"] <= plot["y"] + plot["height"]
        line = reader.page.locator("[data-panel=cost] .curve.thin").bounding_box()
        assert line["y"] >= plot["y"] - 2
    assert reader.complaints == []
