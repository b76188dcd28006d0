"""The page of k classes: what is set changes the decision, and Python makes the same calls with the copied one."""

import json
from functools import cache

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import thresher as th
from tests import hostile
from tests.report import examples
from thresher._internal.text import visible

CLASSES = ["cat", "cow", "dog"]
COSTS = th.CostMatrix({"cat": {"cow": 1, "dog": 1}, "cow": {"cat": 1, "dog": 1}, "dog": {"cat": 8, "cow": 4}})
COLUMNS = ["cost per case", "more than the one used", "foretold", "foretold − paid"]


@cache
def rows(classes=tuple(CLASSES), n=240):
    """Labels and two models whose probabilities are whole 65,535ths, as the page has them."""
    rng = np.random.default_rng(8)
    actual = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])

    def matrix(strength):
        raw = np.exp(rng.normal(size=(n, 3)) + strength * np.eye(3)[actual])
        steps = np.floor(65_535 * raw / raw.sum(axis=1, keepdims=True))
        steps[:, 0] += 65_535 - steps.sum(axis=1)
        return steps / 65_535

    return np.array(classes)[actual], {"forest": matrix(1.8), "tree": matrix(0.9)}


@cache
def evaluation(costs=COSTS, mix=None):
    """Two models under costs and a class mix, given as pairs."""
    labels, models = rows()
    condition = th.OperatingCondition(costs=costs, mix=None if mix is None else dict(mix))
    return th.evaluate(labels, models, classes=CLASSES, condition=condition, replicates=40)


def cost(reader, actual, action, value):
    field = reader.page.get_by_label(f"Cost of actual {actual} said {action}", exact=True)
    field.fill(str(value))
    field.press("Enter")
    reader.settle()


def copied(reader):
    return th.Decision.from_json(json.dumps(reader.decision()))


def press(reader, name):
    reader.page.locator(".setting").get_by_role("button", name=name, exact=True).first.click()
    reader.settle()


def matrix_of(reader, model):
    _, *lines = reader.table(f"Confusion matrix of {model}")
    return [[float(cell) for cell in line[1:]] for line in lines]


def ways(reader):
    head, *lines = reader.table("What each way to act costs")
    return {line[0].strip(): dict(zip(head, line, strict=True)) for line in lines}


def calls(decision, model):
    """Cases by class and by what Python does with them."""
    labels, models = rows()
    taken = decision.apply(models[model])
    actions = decision.rule.actions
    return [[int(((labels == name) & (taken == action)).sum()) for action in actions] for name in CLASSES]


def test_what_is_set_decides_and_python_makes_the_same_calls(opened):
    reader = opened(evaluation())
    assert reader.decision() == evaluation().decision.to_dict()
    cost(reader, "dog", "cat", 2.5)
    cost(reader, "cow", "dog", "0,5")
    reader.page.get_by_label("Name of another action").fill("refer")
    press(reader, "Add action")
    for name in CLASSES:
        cost(reader, name, "refer", 0.45)
    for name, share in (("dog", "50%"), ("cat", "0.2")):
        reader.type(f"Share of {name}", share)
    decision = copied(reader)
    priced = th.CostMatrix({"cat": {"cow": 1, "dog": 1}, "cow": {"cat": 1, "dog": 0.5}, "dog": {"cat": 2.5, "cow": 4}})
    priced = priced.with_action("refer", 0.45)
    assert decision.rule.costs == priced
    mix = decision.condition.mix
    assert sum(mix.values()) == pytest.approx(1)
    assert mix["cat"] == 0.2
    python = evaluation(priced, tuple(mix.items()))
    assert decision.model == python.decision.model
    assert decision.rule.weights == python.decision.rule.weights
    cells = matrix_of(reader, decision.model)
    assert cells == calls(decision, decision.model) == python[decision.model].confusion.counts.tolist()
    shown = ways(reader)
    for name, model in python.models.items():
        for column, known in zip(COLUMNS[::3], (model.expected_cost, model.foretold_minus_paid), strict=True):
            ends = [float(shown[name][f"{column}{end}"]) for end in ("", ", lower", ", upper")]
            assert ends == pytest.approx([known.estimate, known.lower, known.upper], abs=1e-6)
        assert float(shown[name]["foretold"]) == pytest.approx(model.foretold_cost.estimate)
    for way, rule in (("most probable class", "most probable"), ("best constant", "constant")):
        assert float(shown[way]["cost per case"]) == pytest.approx(python.rules[rule].cost.estimate)
    assert decision.best_constant.action == python.decision.best_constant.action
    assert decision.foretold_cost.estimate == pytest.approx(python.decision.foretold_cost.estimate)
    assert reader.complaints == []


def test_what_was_evaluated_is_shown_as_it_was(opened):
    reader = opened(evaluation())
    lead, shown = reader.page.locator("p.lead").inner_text(), ways(reader)
    assert lead == f"Use {evaluation().decision.model}: of cat, cow, dog say the one of least expected cost."
    named = {"most probable": "most probable class", "constant": "best constant"}
    for name, rule in evaluation().rules.items():
        way = shown[named.get(name, name)]
        assert float(way["cost per case"]) == rule.cost.estimate
        assert float(way["cost per case, upper"]) == rule.cost.upper
        if rule.saving is not None:
            assert float(way["more than the one used"]) == rule.saving.estimate


def test_the_most_probable_class_is_a_decision_too(opened):
    reader = opened(evaluation())
    press(reader, "most probable")
    decision = copied(reader)
    labels, models = rows()
    best = np.array(CLASSES)[models[decision.model].argmax(axis=1)]
    assert decision.apply(models[decision.model]).tolist() == best.tolist()
    usual = th.tables.confusion(labels, best, classes=CLASSES).counts.tolist()
    assert matrix_of(reader, decision.model) == usual
    press(reader, "Reset")
    assert reader.decision() == evaluation().decision.to_dict()


def test_presets_and_an_arbitrary_choice(opened):
    reader = opened(evaluation())
    for name, known in (("equal", th.CostMatrix.equal(CLASSES)), ("ordinal", th.CostMatrix.ordinal(CLASSES))):
        press(reader, name)
        assert copied(reader).rule.costs == known
    press(reader, "as evaluated")
    press(reader, "by class")
    assert copied(reader).rule.costs == th.CostMatrix.by_class({"dog": 8}, CLASSES)
    for i, actual in enumerate(CLASSES):
        for action in CLASSES:
            cost(reader, actual, action, i)
    reader.page.wait_for_function("() => document.querySelector('p.lead').textContent.startsWith('Every action costs')")
    assert reader.page.get_by_role("button", name="Copy decision").is_disabled()
    cost(reader, "cat", "cow", "many")
    assert reader.page.get_by_text("Write a number").is_visible()


def test_the_address_keeps_what_was_set(opened):
    reader = opened(evaluation())
    cost(reader, "dog", "cat", 3)
    reader.page.get_by_label("Name of another action").fill("ask & wait")
    press(reader, "Add action")
    reader.type("Share of dog", "60%")
    reader.page.get_by_label("Model used").select_option(label="tree")
    reader.page.wait_for_function("() => location.hash.includes('use=tree') && location.hash.includes('mix=')")
    fragment = reader.page.evaluate("() => location.hash")
    again = opened(evaluation(), fragment=fragment)
    assert again.decision() == reader.decision()
    wrong = opened(evaluation(), fragment="#costs=1+2_3&mix=2+2+2&rule=moon&use=__proto__&also=cat")
    assert wrong.decision() == evaluation().decision.to_dict()
    assert wrong.complaints == []


def test_keys_alone_set_everything(opened):
    reader = opened(evaluation())
    reader.page.keyboard.press("Tab")
    reader.page.keyboard.press("Enter")  # to the controls
    focused = "() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"
    seen = []
    for _ in range(40):
        reader.page.keyboard.press("Tab")
        seen.append(reader.page.evaluate(focused))
        if seen[-1] == "Cost of actual dog said cat":
            reader.page.keyboard.type("3")
            reader.page.keyboard.press("Enter")
        if seen[-1] == "Share of cat":
            reader.page.keyboard.press("ArrowRight")
    assert {"most probable", "Cost of actual cat said dog", "Add action", "Share of dog"} <= set(seen)
    decision = reader.decision()
    assert decision["rule"]["costs"][2] == [3, 4, 0]
    assert sum(decision["condition"]["mix"]) == pytest.approx(1)
    assert decision["condition"]["mix"][0] != pytest.approx(evaluation().sample.class_mix.mix[0])


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_hostile_classes_and_actions_stay_text(opened, scripts):
    kinds = ("closes a script", "the prototype", "written backwards")
    classes = [hostile.NAMES[kind] for kind in kinds]
    labels, models = rows()
    named = np.array(classes, dtype=object)[[CLASSES.index(each) for each in labels]]
    costs = th.CostMatrix.equal(classes).with_action(hostile.NAMES["an image that runs"], 0.3)
    condition = th.OperatingCondition(costs=costs)
    models = {hostile.NAMES["a method"]: models["forest"], hostile.NAMES["ends an attribute"]: models["tree"]}
    result = th.evaluate(named, models, classes=classes, condition=condition, replicates=20)
    reader = opened(result, scripts=scripts, width=390)
    assert reader.page.evaluate("() => window.hacked") is None if scripts else True
    assert reader.page.locator("#page img, #page iframe").count() == 0
    assert all(visible(name) in reader.page.locator("#page").inner_text() for name in classes)
    if scripts:
        label = f"Cost of actual {visible(classes[0])} said {visible(classes[1])}"
        reader.page.get_by_label(label, exact=True).fill("7")
        reader.page.get_by_label(label, exact=True).press("Enter")
        reader.settle()
        decision = copied(reader)
        assert decision.rule.classes == tuple(classes)
        assert decision.rule.actions == costs.actions
        assert decision.rule.costs[classes[0], classes[1]] == 7
        assert set(decision.rule.used_at) == set(classes)
    assert reader.page.locator("body").bounding_box()["width"] <= 390
    assert reader.complaints == []


def test_classes_that_are_numbers_keep_their_names(opened):
    result = examples.classes(labels=(10, 2, 7))
    reader = opened(result)
    press(reader, "ordinal")
    decision = copied(reader)
    assert decision.rule.classes == (10, 2, 7)
    assert decision.rule.used_at == pytest.approx(dict(zip((10, 2, 7), result.sample.class_mix.mix, strict=True)))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_readers_and_screen_readers_find_no_fault(opened, dark):
    costs = "0+1+1+0.4_1+0+1+0.4_8+4+0+0.4"
    reader = opened(evaluation(), fragment=f"#also=refer&costs={costs}", dark=dark, width=390 if dark else 1280)
    assert reader.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    result = Axe().run(reader.page)
    assert result.violations_count == 0, result.generate_report()
    assert (reader.complaints, len(reader.asked)) == ([], 1)


def test_without_scripts_costs_and_ways_are_there(opened):
    reader = opened(evaluation(), scripts=False)
    text = reader.page.locator("#page").inner_text()
    for known in ("What that costs: forest", "What each way to act costs", "Costs per case: actual classes in rows"):
        assert known in text
    way = reader.page.get_by_role("row", name="tree, least expected cost")
    assert way.is_visible()
