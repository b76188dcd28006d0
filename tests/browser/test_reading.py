"""The page can be read by everyone: without scripts, on paper, on a phone, in the dark, by a screen reader."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import thresher as th
from tests.report import examples
from thresher.report import page


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("make", [examples.evaluation, examples.classes], ids=["two", "many"])
def test_screen_readers_find_no_fault(opened, make, dark):
    reader = opened(make(), dark=dark)
    result = Axe().run(reader.page)
    assert result.violations_count == 0, result.generate_report()


def test_screen_readers_find_no_fault_without_scripts(opened):
    # Axe is a script itself, so it looks at a page whose own script was taken out.
    before, _, rest = page(examples.evaluation()).partition('<script type="module">')
    after = rest.partition("</script>")[2]
    reader = opened(before.replace('class="thresher static"', 'class="thresher static live"') + after)
    result = Axe().run(reader.page)
    assert result.violations_count == 0, result.generate_report()


@pytest.mark.parametrize("make", [examples.evaluation, examples.classes, examples.emails], ids=["two", "many", "small"])
def test_without_scripts_pictures_and_tables_are_there(opened, make):
    reader = opened(make(), scripts=False)
    pictures, tables = reader.page.locator("figure svg"), reader.page.locator("table")
    assert pictures.count() >= 2
    assert tables.count() >= 5
    for place in range(pictures.count()):
        box = pictures.nth(place).bounding_box()
        assert box["width"] > 150
        assert box["height"] > 130
    assert reader.page.locator("p.lead").is_visible()
    assert reader.complaints == []


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("make", [examples.evaluation, examples.classes, examples.hostile_evaluation])
def test_a_phone_needs_no_sideways_scrolling(opened, make, scripts):
    reader = opened(make(), width=390, scripts=scripts)
    assert reader.page.locator("body").bounding_box()["width"] <= 390
    reader.page.mouse.wheel(400, 0)
    reader.page.wait_for_timeout(50)
    assert reader.page.locator("h1").first.bounding_box()["x"] >= 0


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_it_prints(opened, scripts):
    reader = opened(examples.evaluation(), scripts=scripts)
    data = reader.page.pdf(format="A4")
    assert data.startswith(b"%PDF")
    assert len(data) > 20_000
    assert 2 <= data.count(b"/Type /Page\n") + data.count(b"/Type /Page ") + data.count(b"/Type/Page/") <= 20


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_show_no_nonsense(opened, name):
    evaluation = examples.awkward()[name]
    reader = opened(evaluation)
    assert reader.complaints == []
    text = reader.page.locator("#page").inner_text()
    assert "NaN" not in text
    assert "undefined undefined" not in text
    assert "[object" not in text
    reader.costs("20:1")
    reader.threshold("-inf")
    cells = reader.cells()
    assert (cells["fn"], cells["tn"]) == (0, 0)
    assert reader.complaints == []
    drawn = reader.page.eval_on_selector_all("#page path", "nodes => nodes.map((node) => node.getAttribute('d') || '')")
    assert not any("NaN" in path or "Infinity" in path for path in drawn)


def test_pictures_say_that_bands_are_pointwise_while_they_show_one(opened):
    reader = opened(examples.evaluation())
    after = """nodes => Object.fromEntries(nodes.map(
        (node) => [node.dataset.panel, getComputedStyle(node, "::after").content.includes("half of all samples")]))"""

    def words():
        return {name for name, there in reader.page.eval_on_selector_all("figure.panel", after).items() if there}

    assert words() == {"roc", "pr", "benefit", "reliability"}
    reader.page.get_by_label("confidence bands").uncheck()
    reader.page.wait_for_selector(".panel .band", state="detached")
    assert words() == set()


def test_tables_break_between_words(opened):
    reader = opened(examples.evaluation(), width=1300)
    for region in ("Pairwise comparison of models", "Numbers of whole models", "Calibration and refinement"):
        table = reader.page.get_by_role("region", name=region)
        assert table.evaluate("(node) => node.scrollWidth - node.clientWidth") <= 0, region
    names = reader.page.locator(".columns tbody th .name")
    assert max(box["height"] for box in (name.bounding_box() for name in names.all())) < 30


def test_ten_models_fit_on_paper(opened):
    reader = opened(examples.awkward()["ten models"], width=690)
    reader.page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    reader.page.emulate_media(media="print")
    parts = reader.page.locator("table.printed")
    assert parts.count() >= 4
    for table in reader.page.locator("table").all():
        if table.is_visible():
            assert table.bounding_box()["width"] <= 690


def test_the_address_keeps_class_and_threshold(opened):
    evaluation = examples.classes()
    reader = opened(evaluation)
    reader.page.get_by_label("Class", exact=True).select_option(label="dog")
    reader.threshold(0.4)
    cells = reader.cells()
    reader.page.wait_for_function("() => location.hash.includes('of=dog') && location.hash.includes('threshold')")
    again = opened(evaluation, fragment=reader.page.evaluate("() => location.hash"))
    assert again.cells() == cells
    assert again.page.get_by_label("Class", exact=True).input_value() == "2"
    assert again.complaints == []


def test_classes_are_compared_by_several_measures(opened):
    evaluation = examples.classes()
    head, *rows = opened(evaluation).table("Pairwise comparison of models")
    assert head[:2] == ["pair", "difference"]
    assert len(rows) == len(evaluation.comparisons)
    row = next(row for row in rows if row[0] == "forest - tree, Brier score")
    assert float(row[1]) == pytest.approx(evaluation.comparisons["brier"]["forest", "tree"].difference)


def test_labels_of_axes_lie_left_of_their_ticks(opened):
    reader = opened(examples.classes(labels=("elephants", "模型模型模型", "dog")))
    panel = reader.page.locator("[data-panel=confusion] .lower")
    label = panel.locator("text.label", has_text="actual").bounding_box()
    for tick in panel.locator("text.tick[text-anchor=end]").all():
        assert tick.bounding_box()["x"] >= label["x"] + label["width"] - 1


def test_several_classes_can_be_chosen(opened):
    evaluation = examples.classes()
    reader = opened(evaluation)
    assert reader.complaints == []
    text = reader.page.locator("#page").inner_text()
    for label in ("cat", "cow", "dog", "forest", "tree"):
        assert label in text
    assert "NaN" not in text
    for label in ("dog", "cow"):
        reader.page.get_by_label("Class", exact=True).select_option(label=label)
        reader.threshold(0.4)
        result = th.tables.contingency_at(evaluation["forest"].rankings[label], 0.4)
        wanted = {cell: getattr(result, cell) for cell in ("tp", "fn", "fp", "tn")}
        assert wanted.items() <= reader.cells().items()


def test_each_class_against_the_rest_has_bands(opened):
    reader = opened(examples.classes())
    bands = {panel: reader.page.locator(f"[data-panel={panel}] .band") for panel in ("roc", "pr")}
    first = bands["roc"].first.get_attribute("d")
    assert [band.count() for band in bands.values()] == [2, 2]
    reader.page.get_by_label("Class", exact=True).select_option(label="dog")
    reader.settle()
    assert bands["roc"].first.get_attribute("d") != first
    reader.page.get_by_label("confidence bands").uncheck()
    reader.settle()
    assert [band.count() for band in bands.values()] == [0, 0]
