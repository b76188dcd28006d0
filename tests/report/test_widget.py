import json
import math

import pytest

import thresher as th
from tests.report import examples
from thresher.report import payload
from thresher.report.page import asset

pytest.importorskip("anywidget", reason="needs the extra widget")


@pytest.fixture
def shown():
    labels, scores = examples.models(60, count=2)
    condition = th.OperatingCondition(class_ratio=0.5, cost_fp=2, cost_fn=7, cost_tp=-1)
    return th.evaluate(labels, scores, condition=condition, replicates=20).widget()


def send(shown, name, value):
    """What the page would send."""
    shown.set_state({name: value})


def test_it_runs_the_pages_script(shown):
    assert shown._esm == asset("page.js")
    assert shown._css == asset("page.css")


def test_it_holds_the_contents():
    evaluation = examples.emails()
    assert json.loads(evaluation.widget().contents) == payload(evaluation)


def test_the_threshold_goes_both_ways(shown):
    send(shown, "threshold", 0.25)
    assert shown.threshold == 0.25
    send(shown, "threshold", "inf")
    assert shown.threshold == math.inf
    send(shown, "threshold", None)
    assert shown.threshold is None
    shown.threshold = -math.inf
    assert shown.get_state("threshold")["threshold"] == "-inf"


def test_the_condition_goes_both_ways(shown):
    assert shown.get_state("condition")["condition"] == {"class_ratio": 0.5, "cost_ratio": 4}
    send(shown, "condition", {"class_ratio": 0.25, "cost_ratio": 3})
    assert shown.condition == th.OperatingCondition(class_ratio=0.25, cost_fp=2, cost_fn=5, cost_tp=-1)
    send(shown, "condition", {"class_ratio": 2, "cost_ratio": 3})
    assert shown.condition.class_ratio == 2
    assert shown.condition.cost_ratio == 3
    shown.condition = th.OperatingCondition(class_ratio=1, cost_ratio=9)
    assert shown.get_state("condition")["condition"] == {"class_ratio": 1, "cost_ratio": 9}


def test_changes_can_be_watched(shown):
    seen = []
    shown.observe(lambda change: seen.append(change["new"]), names="threshold")
    send(shown, "threshold", 0.125)
    assert seen == [0.125]
