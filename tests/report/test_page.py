"""Tests of page."""

import base64
import hashlib
import html.parser
import json
import re
import sys

import pytest

import thresher as th
from tests import hostile
from tests.report import examples
from thresher._internal.text import visible
from thresher.cautions import Caution
from thresher.inference.bands.curves import POINTWISE
from thresher.report import Section, page, payload
from thresher.report.page import asset, embedded, policy
from thresher.report.static.svg import Panel, Plot
from thresher.report.static.tables import Table


@pytest.fixture(scope="module")
def evaluation():
    return th.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.55, 0.3, 0.2], seed=1)


def test_words_pictures_and_tables_stand_above(evaluation):
    picture = Plot((0, 1), (0, 1), "rows", "cost").svg(name="Rising")
    section = Section(
        "More <rows>?",
        ["A & B"],
        cautions=[Caution("no-curve", "there is <none>")],
        panels=[Panel("Rising", "It rises.", picture)],
        tables=[Table("Numbers", ("", "cost"), [("1", "2"), ("none", "3")], folded=True, grey=["none"])],
    )
    text = page(evaluation, title="Learnt", sections=[section], grey=["model"])
    above, below = text[: text.index("<main")], text[text.index("<main") :]
    for part in ('<h1 dir="auto">Learnt</h1>', "<h2>More &lt;rows&gt;?</h2>", "A &amp; B", picture, "<td>2</td>"):
        assert part in above
    assert "there is &lt;none&gt;" in above
    assert "<details><summary>Numbers</summary>" in above
    assert '<tr class="baseline"><th scope="row"><bdi>none</bdi>' in above
    assert below.startswith('<main id="page" class="thresher static grey0">')
    assert '<h1 dir="auto">How the models compare</h1>' in below


def test_without_them_the_page_is_what_it_was(evaluation):
    assert "<aside" not in page(evaluation)[: page(evaluation).index('<script type="module">')]


class Reader(html.parser.HTMLParser):
    """Elements, attributes and texts of a page, as a browser would read them."""

    def __init__(self, text):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = [("", {})]
        self.texts = [""]
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_data(self, data):
        self.texts[-1] += data

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    def text(self, tag):
        return [text for (name, _), text in zip(self.elements, self.texts, strict=True) if name == tag]


@pytest.fixture(scope="module")
def written():
    return page(examples.evaluation(), title="Loans")


def digest(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_data_are_the_contents(written):
    (data,) = re.findall(r'<script type="application/json" id="contents">(.*?)</script>', written)
    assert json.loads(data) == payload(examples.evaluation(), title="Loans")


def test_the_policy_names_the_one_script_and_the_one_style(written):
    (script,) = re.findall(r'<script type="module">(.*?)</script>', written, flags=re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", written, flags=re.DOTALL)
    (rules,) = [meta["content"] for meta in Reader(written).of("meta") if "http-equiv" in meta]
    assert script == asset("page.js")
    assert dict(rule.split(" ", 1) for rule in rules.split("; ")) == {
        "default-src": "'none'",
        "script-src": digest(script),
        "style-src": digest(style),
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert policy("a", "b") != policy("a", "c")


def test_the_policy_comes_before_all_it_governs(written):
    assert written.index("Content-Security-Policy") < written.index("<style>") < written.index("<script")


def test_it_asks_for_nothing(written):
    reader = Reader(written)
    assert {tag for tag, _ in reader.elements} & {"link", "img", "iframe", "object", "embed", "base", "form"} == set()
    for _, attributes in reader.elements:
        assert {"src", "style"} & set(attributes) == set()
        assert (attributes.get("href") or "#").startswith("#")  # within the page
        assert not any(name.startswith("on") for name in attributes)


def test_without_scripts_it_shows_answer_pictures_and_tables(written):
    reader = Reader(written)
    assert reader.text("h1")[0].strip() == "Loans"
    assert reader.text("title")[0].strip() == "Loans"
    assert len(reader.of("figure")) == 9
    assert len(reader.of("table")) == 9
    assert any(text.startswith("Call a case positive when model 1 says") for text in reader.text("p"))
    assert any(text.startswith("class-ratio-from-data") for text in reader.text("small"))


def test_the_same_evaluation_gives_the_same_page(written):
    labels, scores = examples.models(300)
    again = th.evaluate(labels, scores, condition=th.OperatingCondition(cost_ratio=5), replicates=60)
    assert page(again, title="Loans") == written


def test_names_stay_text():
    evaluation = examples.hostile_evaluation()
    title = "</title><script>window.hacked=1</script>\ud800"
    written = page(evaluation, title=title)
    written.encode("utf-8")
    reader = Reader(written)
    ordinary = {tag for tag, _ in Reader(page(examples.evaluation())).elements}
    assert {tag for tag, _ in reader.elements} == ordinary
    assert len(reader.of("script")) == 2
    assert "window.hacked=1</script>" not in re.sub(r"&lt;", "", written.replace("<\\/script>", ""))
    (data,) = re.findall(r'id="contents">(.*?)</script>', written)
    assert data.isascii()
    contents = json.loads(data)
    assert contents["title"] == visible(title)
    assert [model["name"] for model in contents["models"]] == list(hostile.NAMES.values())
    assert [model["shown"] for model in contents["models"]] == [visible(name) for name in hostile.NAMES.values()]


def test_hostile_labels_and_classes_stay_text():
    names = ("</script><script>x", "<b>", "\u202e\x1b")
    written = page(examples.classes(labels=names))
    assert len(Reader(written).of("script")) == 2
    assert "\u202e" not in written
    assert "\x1b" not in written
    labels = ["<i>yes</i>" if place % 2 else "no" for place in range(20)]
    evaluation = th.evaluate(labels, {"a": list(range(20))}, positive="<i>yes</i>", replicates=20)
    assert not Reader(page(evaluation)).of("i")


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_have_a_page(name):
    reader = Reader(page(examples.awkward()[name]))
    assert not any("nan" in text.lower() for tag in ("td", "p", "li") for text in reader.text(tag))


def test_json_refuses_what_it_cannot_say():
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded({"x": float("nan")})


def test_it_is_written_to_a_file(tmp_path, written):
    examples.evaluation().to_html(tmp_path / "loans.html", title="Loans")
    assert (tmp_path / "loans.html").read_bytes() == written.encode()
    examples.classes().to_html(str(tmp_path / "classes.html"))
    assert "actual classes in rows" in (tmp_path / "classes.html").read_text(encoding="utf-8")


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(th.errors.OutputError, match="is a directory"):
        examples.emails().to_html(tmp_path)


def test_a_notebook_shows_it_in_a_sandbox():
    for evaluation in (examples.emails(), examples.classes()):
        (frame,) = Reader(evaluation._repr_html_()).of("iframe")
        assert frame["sandbox"] == "allow-scripts allow-downloads"
        assert frame["srcdoc"] == page(evaluation)


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setattr("thresher._internal.optional.find_spec", lambda name: None if name == "jinja2" else object())
    with pytest.raises(th.errors.MissingExtraError) as caught:
        examples.emails().to_html("x.html")
    assert caught.value.fix == 'pip install "thresher[report]"'
    assert examples.emails()._repr_html_() is None


def test_the_bundle_can_be_inlined():
    script, style = asset("page.js"), asset("page.css")
    assert "</script" not in script.lower()
    assert "<!--" not in script
    assert "</style" not in style.lower()


def test_every_picture_with_a_band_says_what_it_promises():
    text = page(examples.evaluation())
    assert ".panel:has(.band):after{content:" in asset("page.css").replace("::", ":")
    assert "a right model leaves one somewhere in up to half of all samples" in asset("page.css")
    assert text.count(f"Shaded bands are {POINTWISE}.") == 4  # without scripts, in captions


def test_it_is_no_larger_than_promised():
    evaluation = examples.evaluation(60_000)
    size = len(page(evaluation).encode()) - len(asset("page.js").encode()) - len(asset("page.css").encode())
    assert size <= 3 * 150_000
    assert len(asset("page.js").encode()) <= 120_000


def test_importing_the_package_needs_no_extra():
    assert "thresher.report.page" in sys.modules
