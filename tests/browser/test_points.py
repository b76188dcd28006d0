"""Classifiers as points: sliders move the equal-cost line, and every cost is Python's."""

import pytest
from axe_playwright_python.sync_playwright import Axe

import thresher as th

C = th.Contingency
TABLES = {"M1": C(tp=50, fn=0, fp=30, tn=20), "M2": C(tp=20, fn=30, fp=0, tn=50), "M3": C(tp=35, fn=15, fp=15, tn=35)}
TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]")


@pytest.fixture(scope="module")
def choice():
    return th.choose({**TABLES, "tree": TREE}, th.OperatingCondition(cost_fp=2, cost_fn=1))


def test_costs_and_the_cheapest_follow_the_sliders(opened, choice):
    reader = opened(choice)
    for miss, alarm in ((1, 1), (3, 1), (1, 4)):
        reader.costs(f"{miss}:{alarm}")
        now = th.choose({**TABLES, "tree": TREE}, th.OperatingCondition(cost_fp=2, cost_fn=2 * miss / alarm))
        head, *rows = reader.table("What each classifier costs")
        shown = {row[0].split(" ", 1)[1]: float(row[head.index("cost per case")]) for row in rows}
        assert shown == pytest.approx(now.costs)
        named = [name for name in now.best if name in reader.page.locator("p.lead").inner_text()]
        assert named == list(now.best)


def test_a_point_chosen_by_key_stands_in_the_address(opened, choice):
    reader = opened(choice, fragment="#cost=3")
    point = reader.page.get_by_role("button", name="A M1")
    point.focus()
    reader.page.keyboard.press("Enter")
    reader.settle()
    assert point.get_attribute("aria-pressed") == "true"
    reader.page.wait_for_timeout(400)
    assert reader.page.evaluate("() => location.hash") == "#cost=3&of=A"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_readers_and_screen_readers_find_no_fault(opened, choice, dark):
    for scripts in (True, False):
        reader = opened(choice, dark=dark, width=390 if dark else 1280, scripts=scripts)
        assert reader.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        if scripts:
            result = Axe().run(reader.page)
            assert result.violations_count == 0, result.generate_report()
        assert reader.complaints == []
        assert len(reader.asked) == 1
