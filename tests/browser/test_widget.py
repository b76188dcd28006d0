"""The widget's script in a browser: what Python sets is shown, and what the reader sets is told."""

import pytest

import thresher as th
from tests.report import examples
from thresher.report import payload
from thresher.report.page import asset, embedded

# A model as notebooks hand it to widgets, and the bundle as a module of its own.
AROUND = """<!DOCTYPE html><html><head><meta charset="utf-8"><style>{style}</style></head>
<body><p id="page" class="live">notebook</p><div id="cell"></div>
<script type="application/json" id="told">{told}</script>
<script type="text/plain" id="bundle">{script}</script>
<script type="module">
const heard = {{}};
const values = JSON.parse(document.getElementById("told").textContent);
window.model = {{
  saved: 0,
  get: (name) => values[name],
  set: (name, value) => {{ values[name] = value; }},
  save_changes: () => {{ window.model.saved += 1; }},
  on: (name, act) => {{ heard[name] = act; }},
  off: (name) => {{ delete heard[name]; }},
  fromPython: (name, value) => {{ values[name] = value; heard[`change:${{name}}`](); }},
}};
const text = document.getElementById("bundle").textContent;
const bundle = await import(URL.createObjectURL(new Blob([text], {{ type: "text/javascript" }})));
window.stop = await bundle.default.render({{ model: window.model, el: document.getElementById("cell") }});
document.body.dataset.ready = "yes";
</script></body></html>"""


@pytest.fixture
def evaluation():
    return examples.evaluation(200, count=2)


@pytest.fixture
def reader(opened, evaluation):
    outcome: dict[str, object] = {"contents": embedded(payload(evaluation)), "threshold": None}
    outcome["condition"] = {"class_ratio": evaluation.decision.condition.class_ratio, "cost_ratio": 5}
    html = AROUND.format(style=asset("page.css"), script=asset("page.js"), told=embedded(outcome))
    result = opened(html)
    result.page.wait_for_selector("body[data-ready]")
    return result


def test_it_shows_the_decision(reader, evaluation):
    assert reader.cells()["tp"] == evaluation[evaluation.decision.model].table.tp
    assert reader.complaints == []


def test_python_sets_the_threshold_and_the_condition(reader, evaluation):
    ranking = evaluation["model 1"].ranking
    reader.page.evaluate("() => window.model.fromPython('threshold', 0.3)")
    reader.settle()
    assert reader.cells()["tp"] == th.tables.contingency_at(ranking, 0.3).tp
    reader.page.evaluate("() => window.model.fromPython('threshold', '-inf')")
    reader.settle()
    assert reader.cells()["fn"] == 0
    reader.page.evaluate("() => window.model.fromPython('threshold', null)")
    reader.page.evaluate("() => window.model.fromPython('condition', {class_ratio: 0.1, cost_ratio: 2})")
    reader.settle()
    best = th.choose(ranking, th.OperatingCondition(class_ratio=0.1, cost_ratio=2))
    assert reader.cells()["tp"] == best.table.tp


def test_the_reader_tells_python(reader):
    reader.threshold(0.25)
    reader.costs("7:1")
    reader.page.wait_for_function("() => window.model.get('condition').cost_ratio === 7")
    assert reader.page.evaluate("() => window.model.get('threshold')") == 0.25
    assert reader.page.evaluate("() => window.model.saved") >= 1
    assert reader.page.evaluate("() => location.hash") == ""
