""""""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from tests import hostile
from tests.report import examples
from thresher.calibration.losses import LOSSES
from thresher.report import payload
from thresher.report.static.panels import (
    MOST_NUMBERS,
    class_panels,
    confusion_svg,
    margins,
    margins_svg,
    panels,
)

SVG = "{http://www.w3.org/2000/svg}"


def test_shades_are_shares_of_the_row():
    root = ET.fromstring(confusion_svg([[8, 2, 0], [0, 5, 5], [0, 0, 1]], ["a", "b", "c"], name="m"))  # noqa: S314
    shade = [float(cell.get("fill-opacity", "")) for cell in root.iter(f"{SVG}rect")]
    assert shade == pytest.approx([0.48, 0.18, 0, 0, 0.33, 0.33, 0, 0, 0.58])
    assert [node.text for node in root.iter(f"{SVG}text") if node.get("font-size")] == list("820055001")


def test_a_class_without_cases_has_no_shade():
    assert "nan" not in confusion_svg([[0, 0], [1, 1]], ["a", "b"], name="m")


def test_names_stay_text_and_short():
    names = list(hostile.NAMES.values())[:3]
    root = ET.fromstring(confusion_svg([[1] * 3] * 3, names, name=names[0]))  # noqa: S314
    assert {node.tag for node in root.iter()} <= {f"{SVG}{tag}" for tag in ("svg", "title", "text", "rect")}
    assert max(len(node.text or "") for node in root.iter(f"{SVG}text")) <= 12


def test_many_classes_are_shades_only():
    many = MOST_NUMBERS + 1
    root = ET.fromstring(confusion_svg([[1] * many] * many, ["x"] * many, name="m"))  # noqa: S314
    assert len(list(root.iter(f"{SVG}rect"))) == many * many
    assert len(list(root.iter(f"{SVG}text"))) == many + 2


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8), st.floats(-3, 3))
def test_every_case_has_a_margin(bars, threshold):
    pos, neg = np.array(bars).T
    edges = np.linspace(-2, 2, len(bars) + 1)
    right, wrong = margins(edges, pos, neg, threshold, reach=4.0)
    assert right.sum() + wrong.sum() == pytest.approx(pos.sum() + neg.sum())
    positive = np.repeat(edges[:-1], 4) + np.tile((np.arange(4) + 0.5) / 4 * np.diff(edges)[0], len(bars)) >= threshold
    errors = np.repeat(pos, 4)[~positive].sum() / 4 + np.repeat(neg, 4)[positive].sum() / 4
    assert wrong.sum() == pytest.approx(errors, abs=2)  # a margin of 0 is no error of either


@pytest.mark.parametrize("name", LOSSES)
def test_losses_bound_errors(name):
    z = np.linspace(-2, 2, 81)
    assert (LOSSES[name](z) >= (z < 0)).all()
    assert LOSSES[name](np.zeros(1))[0] == pytest.approx(1)


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_are_drawn(name):
    for model in payload(examples.awkward()[name])["models"]:
        drawn = margins_svg(model, name="Margins")
        assert "nan" not in drawn
        assert "inf" not in drawn


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
    assert [panel.title for panel in panels(evaluation, payload(evaluation))] == ALL


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_can_be_drawn(name):
    evaluation = examples.awkward()[name]
    for panel in panels(evaluation, payload(evaluation)):
        ET.fromstring(panel.svg)  # noqa: S314 - our own
        assert "nan" not in panel.svg
        assert "inf" not in panel.svg


def test_the_cost_curve_draws_and_names_the_other_rules():
    labels, scores = examples.models(300, count=2)
    condition = th.OperatingCondition(prevalence=0.1, cost_ratio=5)
    for current, last in ((None, "dashed: cut at 0.5."), ({"model 2": 0.9}, "dash-dotted: now in use.")):
        evaluation = th.evaluate(labels, scores, condition=condition, current=current, replicates=20)
        (drawn,) = (panel for panel in panels(evaluation, payload(evaluation)) if panel.title == "Cost curve")
        assert "dotted: never and always act, dashed: cut at 0.5" in drawn.caption
        assert drawn.caption.endswith(last)
        assert drawn.svg.count('stroke-dasharray="4 2"') == 1
        assert drawn.svg.count('stroke-dasharray="4 1 1 1"') == (current is not None)


def test_scores_that_are_no_probabilities_lack_two_panels():
    evaluation = examples.awkward()["no probabilities"]
    assert [panel.title for panel in panels(evaluation, payload(evaluation))] == [*ALL[:4], *ALL[6:]]


def test_classes_have_a_panel_per_model():
    evaluation = examples.classes()
    drawn = class_panels(evaluation, payload(evaluation))
    assert [panel.title for panel in drawn] == [
        "Confusion: forest",
        "What that costs: forest",
        "Confusion: tree",
        "What that costs: tree",
        "One against the rest: forest",
        "One against the rest: tree",
    ]
    assert drawn[0].svg.count("<rect") == 9
    assert drawn[1].caption.endswith(
        f"{np.sum(payload(evaluation)['least_cost']['models'][0]['cost_cells']):g} in all."
    )
    assert drawn[4].svg.count('stroke-width="2"') == 3


def shaded(evaluation, title):
    (panel,) = (panel for panel in panels(evaluation, payload(evaluation)) if panel.title == title)
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
        drawn = class_panels(evaluation, payload(evaluation))
        assert drawn[-1].svg.count('fill-opacity="0.18"') == bands
