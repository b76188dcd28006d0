import math

import pytest

import thresher as th
from tests.report import examples
from thresher.report.headline import class_paragraphs, paragraphs
from thresher.report.payload import payload
from thresher.report.static.tables import tables


@pytest.fixture(scope="module")
def evaluation():
    return examples.evaluation()


def test_it_names_model_threshold_and_cost(evaluation):
    headline, cost, *_ = paragraphs(evaluation)
    decision = evaluation.decision
    assert headline.startswith(f"Call a case positive when {decision.model} says 0.")
    assert f"The exact threshold is {decision.threshold:.6g}." in cost
    assert f"{decision.expected_cost.estimate:.2f} (95 % interval {decision.expected_cost.lower:.2f}" in cost
    assert "a false positive costs 1, a false negative 5" in cost
    assert "as in these rows (32 % positive)" in cost
    assert f"expect a cost of {decision.out_of_bag_cost.estimate:.2f}" in cost


def test_it_tells_the_ranges(evaluation):
    paragraph = paragraphs(evaluation)[2]
    low, high = evaluation.decision.cost_ratios
    assert f"stays the cheapest model for cost ratios from {low:.4g} to {high:.4g} (now 5)" in paragraph or (
        "stays the cheapest model for" in paragraph and (low == 0 or high == math.inf)
    )
    assert "class ratios" in paragraph


def test_a_mix_declared_as_a_share_is_shown_as_one():

    labels = [1] * 20 + [0] * 20
    scores = {"strict": [0.9] * 10 + [0.3] * 30, "lax": [0.6] * 30 + [0.1] * 10}
    condition = th.OperatingCondition(prevalence=0.125, cost_ratio=5)
    evaluation = th.evaluate(labels, scores, condition=condition, replicates=20)
    text = " ".join(paragraphs(evaluation))

    assert "at this share of positives, or for shares of positives up to 17 % (now 12.5 %) at these costs" in text
    assert "class ratio" not in text
    assert ("class mix declared", "12.5 % positive") in tables(payload(evaluation))[-1].rows


def test_it_tells_how_firm_it_is_and_the_runner_up(evaluation):
    paragraph = paragraphs(evaluation)[3]
    assert "In 60 resamples" in paragraph
    assert "of the same rows; a fresh sample would agree less often" in paragraph
    assert f"The runner-up, {evaluation.decision.runner_up}, costs" in paragraph


@pytest.mark.parametrize(("cost_ratio", "headline"), [(0.5, "Call no case positive"), (2, "Call every case positive")])
def test_rules_that_ignore_scores_are_stated_plainly(cost_ratio, headline):
    condition = th.OperatingCondition(cost_ratio=cost_ratio)
    evaluation = th.evaluate([0, 0, 1, 1], [4, 3, 2, 1], condition=condition, replicates=20)
    assert paragraphs(evaluation)[0].startswith(headline)


def test_ties_are_stated():
    labels = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    scores = [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13]
    condition = th.OperatingCondition(class_ratio=3 / 4)
    paragraph = paragraphs(th.evaluate(labels, scores, condition=condition, replicates=20))[2]
    assert "3 thresholds from 0.28 to 0.77 cost the same" in paragraph
    assert "this is the middle one" in paragraph
    two = paragraphs(th.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.55, 0.3, 0.2], replicates=20))[2]
    assert "2 thresholds from 0.425 to 0.7 cost the same; this is the stricter one." in two
    same = paragraphs(th.evaluate(labels, {"a": scores, "b": scores}, replicates=20))
    assert "a, b cost the same" in same[3]


def test_costs_of_right_calls_are_stated():
    labels, scores = examples.models(60, count=1)
    condition = th.OperatingCondition(cost_fp=2, cost_fn=7, cost_tp=-1)
    paragraph = paragraphs(th.evaluate(labels, scores, condition=condition, replicates=20))[1]
    assert "a false positive costs 2, a true positive −1, a false negative 7" in paragraph


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_make_complete_sentences(name):
    for paragraph in paragraphs(examples.awkward()[name]):
        assert paragraph.endswith(".")
        assert "nan" not in paragraph
        assert "None" not in paragraph


def test_several_classes():
    headline, costs, foretold, weakest = class_paragraphs(examples.classes())
    assert headline == "Use forest: of cat, cow, dog say the one of least expected cost."
    assert costs.startswith("On new rows expect a cost of 0.")
    assert "always" in costs
    assert foretold.startswith("Foretold by forest 0.")
    assert any(name in weakest for name in ("cat", "cow", "dog"))
