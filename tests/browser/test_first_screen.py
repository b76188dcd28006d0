"""What a person sees first: the sentence, four tiles and the rules, at the declared mix, with and without scripts."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import thresher as th
from tests.browser.reader import CALM
from tests.report import examples
from thresher._internal.text import percent_text
from thresher.report import Section, page

RARE = th.OperatingCondition(prevalence=0.01, cost_ratio=20)


@pytest.fixture(scope="module")
def evaluation():
    labels, scores = examples.models(700, count=3)
    return th.evaluate(labels, scores, condition=RARE, current={"model 2": 0.6}, replicates=60)


def first(reader):
    """Facts, sentence, tiles and rules as text, without what only scripts add."""
    tiles = [" ".join(tile.inner_text().split()) for tile in reader.page.locator(".tile").all()]
    rows = [
        " ".join(row.inner_text().replace("may be the best as well", "").split())
        for row in reader.page.locator("table.rules tr").all()
    ]
    words = [reader.page.locator(place).first.inner_text() for place in (".facts", "p.lead", ".rules caption", ".mind")]
    return words, tiles, rows


def test_scripts_change_nothing_that_is_read_first(opened, evaluation):
    live, static = first(opened(evaluation)), first(opened(evaluation, scripts=False))
    assert live == static
    assert "1 % positive, where a miss costs 20 false alarms" in live[0][0]
    assert live[0][2].startswith("Per 1,000 cases in production (1 % positive); a miss costs 20 false alarms")
    assert len(live[1]) == 4
    assert all("never" in tile and "always" in tile and "now in use" in tile for tile in live[1])
    assert len(live[2]) == 1 + len(evaluation.rules)


def test_the_page_is_python_at_the_declared_mix(opened, evaluation):
    reader = opened(evaluation)
    shown = reader.measures()
    for name, model in evaluation.models.items():
        for measure, interval in model.measures.items():
            text = shown[name][measure.replace("_", " ")]
            assert float(text or "nan") == pytest.approx(interval.estimate, rel=1e-9, nan_ok=True), (name, measure)
    head, *rows = reader.table("Measures of all models")
    rows_mix = f"in these rows ({percent_text(evaluation['model 1'].ranking.prevalence)} positive)"
    at = head.index(f"model 1, at its optimum {rows_mix}")
    precision = next(row for row in rows if row[0] == "precision")
    assert float(precision[at]) == pytest.approx(evaluation["model 1"].data_measures["precision"].estimate)
    head, *rows = reader.table("Calibration and refinement")
    brier = next(row for row in rows if row[0] == "Brier score")
    for mix, numbers in (
        ("in production (1 % positive)", "numbers"),
        (rows_mix, "data_numbers"),
    ):
        wanted = getattr(evaluation["model 1"], numbers)["brier"].estimate
        assert float(brier[head.index(f"model 1, {mix}")]) == pytest.approx(wanted, rel=1e-9)


def test_the_chosen_model_stands_first_in_the_table_of_models(opened):
    labels, scores = examples.models(300, count=2)
    last = th.choose({name: th.rank(labels, score) for name, score in scores.items()}, RARE).model
    ordered = {name: scores[name] for name in sorted(scores, key=lambda name: name == last)}
    result = th.evaluate(labels, ordered, condition=RARE, replicates=20)
    assert result.decision.model == last == [*result.models][-1]
    head, *_ = opened(result).table("Calibration and refinement")
    assert head[1] == f"{last}, in production (1 % positive)"
    of_rows = [place for place, text in enumerate(head) if "in these rows" in text]
    assert of_rows[0] > max(place for place, text in enumerate(head) if "in production" in text)


def test_tiles_rules_and_picker_follow_the_sliders(opened, evaluation):
    reader = opened(evaluation)
    reader.costs("3:1")
    reader.classes("20%")
    reader.page.wait_for_timeout(CALM)
    condition = th.OperatingCondition(class_ratio=1 / 4, cost_ratio=3)
    joint = th.choose({name: evaluation[name].ranking for name in evaluation.models}, condition)
    words, tiles, rows = first(reader)
    assert f"when {joint.model} says" in words[1]
    assert "20 % positive" in words[2]
    assert words[3].startswith("Mind, as evaluated: ")
    table = joint.choices[joint.model].table
    assert tiles[0].startswith(f"{200 * table.tpr:.0f} of 200 positives found")
    assert tiles[3].startswith(f"{1000 * joint.expected_cost:.0f} cost")
    assert len(rows) == 1 + len(evaluation.rules)
    assert reader.page.get_by_label("Model", exact=True).locator("option:checked").inner_text() == (
        f"the best ({joint.model})"
    )
    reader.press("Reset")
    reader.page.wait_for_timeout(CALM)
    assert first(reader)[0][3].startswith("Mind: ")


def test_on_a_phone_controls_and_legend_stay_in_sight(opened, evaluation):
    reader = opened(evaluation, width=390)
    reader.page.evaluate("() => document.querySelector('[data-panel=gain]').scrollIntoView()")
    reader.settle()
    bar = reader.page.locator(".controls").bounding_box()
    assert 0 <= bar["y"] < 2
    assert bar["height"] <= 0.2 * 900
    assert reader.page.locator(".controls .chip").first.is_visible()
    assert reader.page.get_by_label("Cost ratio, miss : false alarm", exact=True).is_visible()
    reader.page.get_by_role("button", name="Threshold", exact=True).click()
    reader.threshold(0.5)
    assert reader.cells()["tp"] == th.tables.contingency_at(evaluation[evaluation.decision.model].ranking, 0.5).tp


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_targets_are_large_enough_for_a_finger(opened, evaluation, scripts):
    reader = opened(evaluation, width=390, scripts=scripts)
    if scripts:
        reader.page.get_by_role("button", name="More").click()
    small = []
    for target in reader.page.locator("button, select, summary, input[type=range], input[type=text], .check").all():
        if target.is_visible():
            box = target.bounding_box()
            if min(box["width"], box["height"]) < 24:
                small.append((target.inner_text(), box))
    assert small == []


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_it_prints_on_three_pages(opened, evaluation, scripts):
    reader = opened(evaluation, scripts=scripts)
    data = reader.page.pdf(format="A4", prefer_css_page_size=True)
    pages = data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") + data.count(b"/Type/Page/")
    assert 1 <= pages <= 3


def test_the_first_stop_skips_to_the_controls(opened, evaluation):
    reader = opened(evaluation)
    reader.page.keyboard.press("Tab")
    assert reader.page.evaluate("() => document.activeElement.textContent") == "Skip to the controls and plots"
    reader.page.keyboard.press("Enter")
    assert reader.page.evaluate("() => document.activeElement.className") == "controls"
    assert reader.page.evaluate("() => location.hash") == ""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_screen_readers_find_no_fault_at_a_declared_mix_or_below_sections(opened, evaluation, dark):
    learnt = page(evaluation, title="Learnt", sections=[Section("Verdict", ["It works."])], grey=["model 3"])
    for outcome in (evaluation, learnt):
        reader = opened(outcome, dark=dark)
        reader.page.locator("details.fold > summary").click()
        result = Axe().run(reader.page)
        assert result.violations_count == 0, result.generate_report()
        assert reader.complaints == []
