"""The classroom in a browser: Python's sentences, steps by keys, questions, sliders, paper."""

import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

import thresher as th
from thresher.report import lesson_page, lesson_payload, page
from thresher.report.lesson import LESSONS

TREE = th.Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[2, 1, -1])
EMAILS = th.rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13])
TABLES = {"C1": th.Contingency(30, 20, 10, 40), "C2": th.Contingency(40, 10, 20, 30)}
READ_ALL = """async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));  // the page draws earlier in the same frame
    const texts = [];
    for (const each of document.querySelectorAll("nav.lessons button")) {
        each.click();
        await frame();
        const listed = [...document.querySelectorAll("details .steps li")].map((step) => step.textContent);
        texts.push({ listed, first: document.querySelector(".told").textContent });
    }
    return texts;
}"""


@pytest.fixture(scope="module")
def tree():
    return lesson_page(lesson_payload(TREE, tables=TABLES, positive="spam", negative="ham", title="Spam tree"))


@pytest.fixture(scope="module")
def emails():
    return lesson_page(lesson_payload(EMAILS, lesson="pool"))


def words(reader):
    return reader.page.locator(".told").text_content()


def test_sentences_are_those_of_python(opened):
    rng = np.random.default_rng(5)
    lessons, expected = [], []
    for _ in range(50):
        counts = rng.integers(0, 6, size=(2, rng.integers(2, 7)))
        ranking = th.Ranking(np.arange(counts.shape[1]), *counts) + th.Ranking.parse("[1+,2-]")
        lessons += lesson_payload(ranking)["lessons"]
        made = (getattr(th.lesson, name) for name in LESSONS[:-1])  # the last, points, is of tables
        expected += [[str(step) for step in make(ranking)] for make in made]
    many = lesson_payload(TREE) | {"lessons": lessons}
    shown = opened(lesson_page(many)).page.evaluate(READ_ALL)
    assert [each["listed"] for each in shown] == expected
    assert [each["first"] for each in shown] == [steps[0] for steps in expected]


def test_steps_by_buttons_and_keys_stand_in_the_address(opened, tree):
    reader = opened(tree)
    reader.press("Next step")
    reader.page.keyboard.press("ArrowRight")
    reader.settle()
    assert words(reader) == str(th.lesson.walk(TREE, positive="spam", negative="ham")[2])
    assert reader.page.evaluate("() => location.hash") == "#lesson=walk&step=2"
    reader.press("Pairs")
    reader.page.keyboard.press("End")
    reader.settle()
    assert "1,300 won, 950 tied, 250 lost" in words(reader)
    assert "0.71" in words(reader)
    assert reader.page.locator("[data-panel=lesson] .key li").all_text_contents() == ["won", "tied", "lost"]
    cells = reader.page.locator("[data-panel=lesson] .lessontext").all_text_contents()
    assert {"800", "400", "100", "50"} <= set(cells)
    again = opened(tree, fragment="#lesson=pairs&step=2")
    assert words(again) == str(th.lesson.pairs(TREE, positive="spam", negative="ham")[2])


def test_each_step_can_be_a_question(opened, emails):
    reader = opened(emails, fragment="#lesson=pool&step=3&ask=1")
    step, last = th.lesson.pool(EMAILS)[3:]
    assert words(reader) == step.question
    assert "0.8125" not in reader.page.locator("main").inner_text()
    reader.press("Show the numbers")
    assert words(reader) == str(step)
    reader.press("Next step")
    assert words(reader) == last.question
    reader.page.keyboard.press("ArrowRight")
    reader.settle()
    assert words(reader) == str(last)
    shares = [text.split("\n")[-1] for text in reader.page.locator(".strip li").all_inner_texts()]
    assert shares == ["1", "1", "2/3", "2/3", "0", "0"]


@pytest.mark.parametrize(
    ("step", "place", "text"),
    [
        ("calibration&step=2", 0.4, "squared error 13.6 at probability 0.4"),
        ("calibration&step=2", 0.2, "squared error 14.4 at probability 0.2"),
        ("costs&step=1", 1, "height 0.7 on the descending diagonal"),
    ],
)
def test_dragging_a_leaf_and_a_line(opened, tree, step, place, text):
    reader = opened(tree, fragment=f"#lesson={step}")
    slider = reader.page.locator(".dragging input")
    slider.evaluate("(node, at) => { node.value = at; node.dispatchEvent(new Event('input')); }", place * 200)
    assert reader.page.locator(".result").inner_text() == text


def test_points_have_letters_and_dominance(opened, tree):
    reader = opened(tree, fragment="#lesson=points&step=2")
    assert reader.page.locator(".lettertext").all_text_contents() == ["C1", "C2"]
    assert words(reader).startswith("Nobody dominates anybody")
    reader.page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    assert reader.page.locator(".sheet:not(.answers) .lettertext").all_text_contents() == ["C1", "C2"]


def test_on_paper_it_is_a_worksheet_and_its_answers(opened, emails):
    reader = opened(emails)
    reader.page.emulate_media(media="print")
    reader.page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    blank, answers = reader.page.locator(".sheet .steps").all()
    steps = th.lesson.pool(EMAILS)
    assert answers.locator("li").all_inner_texts() == list(map(str, steps))
    written = [re.sub("\xa0+", "?", text) for text in blank.locator("li").all_text_contents()]
    assert written == [step.question for step in steps]
    segments = reader.page.locator(".sheet:not(.answers) .strip li").all_text_contents()
    assert segments == [f"{sign}?" for sign in "++−++−++−−"]
    assert reader.page.locator(".classroom").is_hidden()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
@pytest.mark.parametrize(("width", "dark"), [(1200, False), (360, True)], ids=["desk", "phone"])
def test_everybody_can_read_it(opened, tree, width, dark, scripts):
    reader = opened(tree, width=width, dark=dark, scripts=scripts, fragment="#lesson=pairs&step=3")
    assert reader.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    if scripts:
        for name in ("pairs", "calibration", "points"):
            reader.page.evaluate(f"() => {{ location.hash = 'lesson={name}&step=2'; }}")
            reader.settle()
            result = Axe().run(reader.page)
            assert result.violations_count == 0, result.generate_report()
    else:
        assert reader.page.locator("figure svg, .panel svg").count() >= 7
        assert "1,300 won, 950 tied, 250 lost" in reader.page.locator("main").inner_text()
    assert reader.complaints == []
    assert len(reader.asked) == 1


def test_bytes_are_the_same_and_names_are_only_text(opened):
    mean = "<img src=x onerror=alert(1)>"
    html, again = (lesson_page(lesson_payload(EMAILS, positive=mean, negative="\u202eham", title=mean)) for _ in "ab")
    assert html == again
    both = (html, page(th.evaluate([1, 0], [2, 1])))
    (lesson,), (report,) = (re.findall('Content-Security-Policy" content="([^"]*)"', text) for text in both)
    assert re.sub("sha256-[^&]*", "", lesson) == re.sub("sha256-[^&]*", "", report)
    reader = opened(html)
    assert reader.page.locator("img").count() == 0
    assert reader.complaints == []
