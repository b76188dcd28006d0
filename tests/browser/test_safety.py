"""Names that break tools stay text, nothing is asked for, and nothing but the page's own script runs."""

import pytest

import thresher as th
from tests import hostile
from tests.report import examples
from thresher._internal.text import visible
from thresher.report import page


def test_hostile_names_stay_text(opened):
    reader = opened(examples.hostile_evaluation())
    assert reader.page.evaluate("() => window.hacked") is None
    assert reader.complaints == []
    assert reader.page.locator("script").count() == 2
    assert reader.page.locator("#page img, #page script, #page iframe").count() == 0
    names = reader.page.eval_on_selector_all(".legend .name", "nodes => nodes.map((node) => node.textContent)")
    assert len(names) == len(hostile.NAMES)
    assert "</script><script>window.hacked=1</script>" in names
    assert "__proto__" in names
    assert visible(hostile.NAMES["written backwards"]) in names


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_hostile_names_turn_and_hide_nothing(opened, scripts):
    parts = (hostile.NAMES[kind] for kind in ("terminal colours", "line separators", "written backwards"))
    name = "".join(parts)
    labels, scores = examples.models(60, count=2)
    named = dict(zip([name, f"other {name}"], scores.values(), strict=True))
    spelt = [f"+{name}" if label else name for label in labels]
    two = th.evaluate(spelt, named, positive=f"+{name}", replicates=20)
    for evaluation in (two, examples.classes(labels=(name, "cow", "dog"))):
        reader = opened(evaluation, scripts=scripts)
        prose = reader.page.locator("#page").inner_text()
        assert visible(name) in prose
        assert not any(sign in prose for sign in "\u202e\u2028\u2029\x1b\x07")
        if scripts:
            for button in reader.page.get_by_role("button", name="CSV").all():
                copied = reader.copied(button.get_attribute("aria-label") or button.inner_text())
                assert not any(sign in copied for sign in "\u202e\u2028\u2029\x1b\x07")


def test_a_name_from_right_to_left_leaves_its_sentence_alone(opened):
    labels, scores = examples.models(60, count=2)
    reader = opened(th.evaluate(labels, dict(zip(["עץ", "tree"], scores.values(), strict=True)), replicates=20))
    lead = reader.page.locator("p.lead").first
    assert "a case positive when \u2068עץ\u2069 says" in lead.inner_text()
    assert lead.evaluate("(node) => getComputedStyle(node).direction") == "ltr"


def test_hostile_names_stay_distinct_in_the_decision(opened):
    evaluation = examples.hostile_evaluation()
    reader = opened(evaluation)
    for place, name in enumerate(evaluation.models):
        reader.page.get_by_label("Model", exact=True).select_option(value=str(place))
        reader.settle()
        table = evaluation[name].table
        assert reader.cells()["tp"] == table.tp
    assert reader.complaints == []


def test_formulas_do_not_run_in_spreadsheets(opened):
    reader = opened(examples.hostile_evaluation())
    head, *rows = reader.table("Measures of all models")
    for cell in (cell for row in (head, *rows) for cell in row):
        assert not cell.lstrip().startswith(("=", "+", "@"))


@pytest.mark.parametrize("make", [examples.evaluation, examples.hostile_evaluation, examples.classes])
def test_nothing_is_asked_for(opened, make):
    reader = opened(make())
    assert len(reader.asked) == 1
    reader.page.mouse.wheel(0, 3000)
    reader.settle()
    assert [address for address in reader.asked[1:] if not address.startswith(("blob:", "data:"))] == []


def test_an_injected_script_does_not_run(opened):
    honest = page(examples.emails())
    attack = "<script>window.hacked=1</script><img src='data:image/png,x' onerror='window.hacked=2'>"
    assert "</main>" in honest
    reader = opened(honest.replace("</main>", f"{attack}</main>", 1))
    assert reader.page.evaluate("() => window.hacked") is None
    assert any("Content Security Policy" in complaint for complaint in reader.complaints)


def test_a_changed_script_does_not_run(opened):
    honest = page(examples.emails())
    changed = honest.replace('<script type="module">', '<script type="module">window.hacked=1;', 1)
    reader = opened(changed, scripts=False)
    assert reader.page.locator("h1").first.is_visible()


def test_a_notebooks_frame_is_sealed(opened):
    frame = examples.emails()._repr_html_()
    around = f"<!DOCTYPE html><html><body><p id='page' class='live'>notebook</p>{frame}</body></html>"
    reader = opened(around)
    inner = reader.page.frame_locator("iframe")
    inner.locator("#page.live").wait_for()
    assert inner.get_by_role("heading", name="1 model on 10 cases").is_visible()
    reached = reader.page.frames[1].evaluate(
        "() => { try { return parent.document.title ?? 'reached' } catch { return 'sealed' } }"
    )
    assert reached == "sealed"
