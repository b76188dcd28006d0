import xml.etree.ElementTree as ET

import pytest

import thresher as th
from tests.report import examples
from thresher.report import contents
from thresher.report.panels import class_panels, panels

ALL = [
    "Coverage plot",
    "ROC curve",
    "Precision-recall curve",
    "Cost curve",
    "Net benefit",
    "Reliability",
    "Scores by class",
    "Gain",
    "Margins and losses",
]


def test_every_panel_is_there():
    evaluation = examples.evaluation()
    assert [panel.title for panel in panels(evaluation, contents(evaluation))] == ALL


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_can_be_drawn(name):
    evaluation = examples.awkward()[name]
    for panel in panels(evaluation, contents(evaluation)):
        ET.fromstring(panel.svg)  # noqa: S314 - our own
        assert "nan" not in panel.svg
        assert "inf" not in panel.svg


def test_the_cost_curve_draws_and_names_the_other_rules():
    labels, scores = examples.models(300, count=2)
    condition = th.OperatingCondition(prevalence=0.1, cost_ratio=5)
    for current, last in ((None, "dashed: cut at 0.5."), ({"model 2": 0.9}, "dash-dotted: now in use.")):
        evaluation = th.evaluate(labels, scores, condition=condition, current=current, replicates=20)
        (drawn,) = (panel for panel in panels(evaluation, contents(evaluation)) if panel.title == "Cost curve")
        assert "dotted: never and always act, dashed: cut at 0.5" in drawn.caption
        assert drawn.caption.endswith(last)
        assert drawn.svg.count('stroke-dasharray="4 2"') == 1
        assert drawn.svg.count('stroke-dasharray="4 1 1 1"') == (current is not None)


def test_scores_that_are_no_probabilities_lack_two_panels():
    evaluation = examples.awkward()["no probabilities"]
    assert [panel.title for panel in panels(evaluation, contents(evaluation))] == [*ALL[:4], *ALL[6:], "Pairs grid"]


def test_classes_have_a_panel_per_model():
    evaluation = examples.classes()
    drawn = class_panels(evaluation, contents(evaluation))
    assert [panel.title for panel in drawn] == [
        "Confusion: forest",
        "Confusion: tree",
        "One against the rest: forest",
        "One against the rest: tree",
    ]
    assert drawn[0].svg.count("<rect") == 9
    assert drawn[2].svg.count('stroke-width="2"') == 3


def shaded(evaluation, title):
    (panel,) = (panel for panel in panels(evaluation, contents(evaluation)) if panel.title == title)
    return panel.svg.count('fill-opacity="0.18"')


@pytest.mark.parametrize(("title", "bands"), [("ROC curve", 3), ("Net benefit", 3), ("Reliability", 1)])
def test_up_to_three_models_have_bands_and_of_more_the_chosen_one(title, bands):
    assert shaded(examples.evaluation(), title) == bands
    assert shaded(examples.awkward()["ten models"], title) == 1


def test_bands_are_drawn_at_a_declared_class_mix_too():
    condition = th.OperatingCondition(class_ratio=0.1)
    declared = th.evaluate(*examples.models(100, count=2), condition=condition, replicates=20)
    assert [shaded(declared, title) for title in ("ROC curve", "Precision-recall curve", "Net benefit")] == [2, 2, 2]


def test_few_classes_have_bands():
    for evaluation, bands in ((examples.classes(), 3), (examples.classes(labels=tuple(range(5))), 0)):
        drawn = class_panels(evaluation, contents(evaluation))
        assert drawn[-1].svg.count('fill-opacity="0.18"') == bands
