"""What the page of k classes decides with agrees with what Python decided."""

import json

import numpy as np
import pytest

import thresher as th
from tests.inference import class_examples
from tests.report import golden_vectors
from thresher.report.vectors import MOST_SEGMENTS, STEPS, least_cost_data, read_vectors


def test_the_golden_file_is_current():
    text = golden_vectors.FILE.read_text(encoding="utf-8")
    assert text == golden_vectors.text(), "run: python -m tests.report.golden_vectors"


def test_quantised_vectors_make_the_decisions_of_the_evaluation():
    labels, models = class_examples.rows(400, 3)
    costs = th.CostMatrix.by_class({2: 5}, [0, 1, 2])
    result = class_examples.evaluate(labels, models, condition=th.OperatingCondition(costs=costs))
    data = json.loads(json.dumps(least_cost_data(result)))
    assert th.Decision.from_dict(data["decision"]) == result.decision
    for model in data["models"]:
        vectors, counts = read_vectors(model)
        actions = costs.decide(vectors / STEPS, weights=model["weights"])
        matrix = np.zeros((3, 3))
        np.add.at(matrix.T, actions, counts)
        assert matrix.tolist() == model["confusion"]
        assert np.sum(model["cost_cells"]) / 400 == pytest.approx(model["expected_cost"]["estimate"])
        assert (model["sampled"], model["error"], counts.sum()) == (False, 0, 400)


def test_more_segments_are_sampled_within_the_error_that_is_stated():
    labels, models = class_examples.rows(45_000, 4)
    result = class_examples.evaluate(labels, models["poor"], replicates=20)
    (model,) = least_cost_data(result)["models"]
    vectors, counts = read_vectors(model)
    assert model["sampled"]
    assert model["segments"] == 45_000
    assert len(vectors) <= MOST_SEGMENTS + 3
    assert counts.sum(axis=0) == pytest.approx(np.bincount(labels))
    actions = vectors.argmax(axis=1)
    wrong = counts.sum() - counts[np.arange(len(vectors)), actions].sum()
    assert 0 < model["error"] < 0.01
    assert abs(wrong / counts.sum() - result["model"].expected_cost.estimate) < 2 * model["error"]
