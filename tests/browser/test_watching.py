"""The page of a watch: no script, no request, read on a phone, in the dark and by axe."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.watching import worlds
from thresher.report.watching import watch_page


@pytest.fixture(scope="module")
def html():
    return watch_page(worlds.demo_check())


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)], ids=["desk", "phone in the dark"])
def test_it_reads_everywhere(chromium, written, html, width, dark):
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", reduced_motion="reduce"
    )
    try:
        page = context.new_page()
        asked, complaints = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(written(html))
        for summary in page.locator("summary").all():
            summary.click()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        result = Axe().run(page)
        assert result.violations_count == 0, result.generate_report()
        assert len(asked) == 1
        assert complaints == []
    finally:
        context.close()


def test_verdicts_are_there_without_scripts(opened, html):
    reader = opened(html, scripts=False, width=390)
    words = reader.page.locator(".tiles").inner_text()
    check = worlds.demo_check()
    for one in check.promises.values():
        assert {"broken": "broken", "holds": "holds", "undecided": "not known yet"}[one.verdict] in words
    first = reader.page.locator(".lead").bounding_box()
    assert first["y"] + first["height"] < 450  # grasped without scrolling
