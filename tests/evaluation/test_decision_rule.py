"""What a decision of k classes applies, and what its JSON refuses."""

import json

import numpy as np
import pytest

import thresher as th
from thresher._internal.json import FieldError
from thresher.evaluation.decision_rule import LeastCostRule, read_rule

COSTS = th.CostMatrix(
    {"low": {"middle": 1, "high": 2}, "middle": {"low": 1, "high": 1}, "high": {"low": 9, "middle": 4}}
).with_action("refer", 0.6)
MIX = {"low": 0.5, "middle": 0.3, "high": 0.2}
RULE = LeastCostRule(COSTS, (1.0, 1.0, 2.0), trained_at=MIX, used_at={"low": 0.4, "middle": 0.3, "high": 0.3})
ROWS = np.array([[0.9, 0.1, 0.0], [0.4, 0.3, 0.3], [0.0, 0.1, 0.9], [0.1, 0.8, 0.1]])


def test_the_action_of_least_expected_cost_is_taken():
    expected = []
    for row in ROWS:
        cost = {
            a: sum(w * p * COSTS[c, a] for w, p, c in zip(RULE.weights, row, COSTS.classes, strict=True))
            for a in COSTS.actions
        }
        expected.append(min(cost, key=cost.__getitem__))
    assert RULE.apply(ROWS).tolist() == expected
    assert "refer" in expected


def test_the_first_of_equal_actions_is_taken():
    rule = LeastCostRule(th.CostMatrix.equal("ab"), (1, 1), trained_at={}, used_at={})
    assert rule.apply([[0.5, 0.5]]).tolist() == ["a"]


def test_columns_of_a_frame_are_taken_by_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(ROWS, columns=list(COSTS.classes))
    assert RULE.apply(frame[["high", "low", "middle"]]).tolist() == RULE.apply(ROWS).tolist()
    assert RULE.apply(pd.DataFrame(ROWS)).tolist() == RULE.apply(ROWS).tolist()
    with pytest.raises(th.errors.ColumnError, match="no column of class 'low'"):
        RULE.apply(frame.rename(columns={"low": "little"}))


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0.5, 0.5]], "2 columns, and there are 3 classes"),
        ([[0.5, 0.6, -0.1]], "outside"),
        ([[0.5, 0.6, np.nan]], "outside"),
        ([[0.5, 0.3, 0.1]], "do not sum to 1"),
        ([0.5, 0.3, 0.2], "probabilities"),
    ],
)
def test_what_are_no_probabilities_is_refused(rows, words):
    with pytest.raises(th.ThresherError, match=words):
        RULE.apply(rows)


def test_json_round_trip_is_exact():
    assert read_rule(json.loads(json.dumps(RULE.to_dict()))) == RULE
    numbered = LeastCostRule(
        th.CostMatrix.equal([0, 1, 2]), (1, 2, 3), dict.fromkeys(range(3), 1 / 3), {0: 1, 1: 0, 2: 0}
    )
    assert read_rule(json.loads(json.dumps(numbered.to_dict()))) == numbered
    assert set(th.Decision.schema()["$defs"]["least_cost_rule"]["required"]) == set(RULE.to_dict())
    alike = LeastCostRule(th.CostMatrix.equal([1, "1"]), (1, 1), {1: 0.5, "1": 0.5}, {1: 0.5, "1": 0.5})
    with pytest.raises(th.errors.LabelError, match="the same text"):
        alike.to_dict()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "cheapest"),
        ("classes", ["low"]),
        ("actions", ["middle", "low", "high", "refer"]),
        ("actions", ["low", "middle", "high"]),
        ("costs", [[0, 1], [1, 0]]),
        ("costs", [[0, 1, 2, "inf"]] * 3),
        ("weights", [1, 1]),
        ("weights", [1, 1, -1]),
        ("weights", [0, 0, 0]),
        ("trained_at", {"low": 1}),
        ("used_at", {"low": 0.4, "middle": 0.3, "high": 2}),
        ("used_at", [0.4, 0.3, 0.3]),
        ("ties", "last action"),
    ],
)
def test_malformed_rules_are_refused_by_the_field(field, value):
    with pytest.raises(FieldError) as caught:
        read_rule(RULE.to_dict() | {field: value})
    assert field in str(caught.value) or "costs" in str(caught.value)  # which no longer fit the names
