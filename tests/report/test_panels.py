import xml.etree.ElementTree as ET

import pytest

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
