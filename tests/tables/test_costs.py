"""Costs by name: every way to build them, what they decide, and what is refused."""

import json
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.tables import read_costs

WRONG: Any = "true"
TEXT: Any = "1"
NAMES = ["VF", "F", "M", "L"]
ARRAY = np.array([[0, 1, 1, 1], [1, 0, 1, 1], [5, 5, 0, 1], [10, 5, 1, 0.0]])
COSTS = th.CostMatrix(
    {
        "VF": {"F": 1, "M": 1, "L": 1},
        "F": {"VF": 1, "M": 1, "L": 1},
        "M": {"VF": 5, "F": 5, "L": 1},
        "L": {"VF": 10, "F": 5, "M": 1},
    }
)


def test_every_way_to_build_it_gives_the_same(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text(COSTS.to_csv())
    ways = [
        th.CostMatrix.from_array(ARRAY, NAMES, rows="actual"),
        th.CostMatrix.from_array(ARRAY.T, NAMES, rows="predicted"),
        read_costs(path),
        th.CostMatrix.from_json(COSTS.to_json()),
        pickle.loads(pickle.dumps(COSTS)),  # noqa: S301 - made here
    ]
    assert all(each == COSTS and hash(each) == hash(COSTS) for each in ways)
    assert COSTS["L", "VF"] == 10
    assert COSTS["VF", "L"] == 1
    assert np.array_equal(COSTS.to_array(rows="predicted"), ARRAY.T)


def test_right_calls_may_be_left_out_of_a_file(tmp_path):
    lines = [line for line in COSTS.to_csv().splitlines() if not line.endswith(",0.0")]
    (tmp_path / "costs.csv").write_text("\ufeff" + "\r\n".join(lines) + "\r\n\r\n", newline="")  # as spreadsheets do
    assert read_costs(tmp_path / "costs.csv") == COSTS


def test_other_actions_are_charged():
    costs = th.CostMatrix.equal("abc").with_action("refer", {"a": 0.5, "b": 0.25, "c": 1})
    referred = th.ConfusionMatrix([[6, 1, 0, 3], [2, 5, 1, 2], [0, 0, 8, 2]], classes="abc", others=["refer"])
    assert costs.cost(referred) == pytest.approx((1 + 2 + 1 + 3 * 0.5 + 2 * 0.25 + 2) / 30)
    assert costs.for_classes("cab").cost(referred) == pytest.approx(costs.cost(referred))
    assert costs.cost(th.ConfusionMatrix([[1, 1, 0], [0, 1, 0], [0, 0, 1]], "abc")) == 0.25
    with pytest.raises(th.ThresherError, match="no action 'refer'"):
        th.CostMatrix.equal("abc").cost(referred)


def test_shapes_of_costs():
    assert th.CostMatrix.equal("abc").costs.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert th.CostMatrix.ordinal("abc").costs.tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    assert th.CostMatrix.ordinal("abc", power=2).costs.tolist() == [[0, 1, 4], [1, 0, 1], [4, 1, 0]]
    assert th.CostMatrix.by_class({"c": 9}, "abc").costs.tolist() == [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    assert th.CostMatrix({"a": {}, "b": {"a": 3}}, default=2).costs.tolist() == [[0, 2], [3, 0]]


probabilities = st.lists(st.integers(0, 50), min_size=4, max_size=4).filter(any)


@given(st.lists(probabilities, min_size=1, max_size=20), st.lists(st.integers(-8, 8), min_size=4, max_size=4))
def test_the_decision_is_that_of_least_expected_cost(counts, shifts):
    p = np.array(counts, dtype=float)
    p /= p.sum(axis=1, keepdims=True)
    slowly = [[sum(row[i] * ARRAY[i, a] for i in range(4)) for a in range(4)] for row in p.tolist()]
    assert np.allclose(COSTS.expected(p), slowly, rtol=1e-12, atol=0)
    choices = COSTS.decide(p)
    assert all(row[choice] <= min(row) + 1e-12 for row, choice in zip(slowly, choices.tolist(), strict=True))
    # What a class costs anyhow, and the unit of costs, decide nothing.
    shifted = th.CostMatrix.from_array(ARRAY + np.array(shifts)[:, np.newaxis], NAMES, rows="actual")
    assert np.array_equal(shifted.decide(p), choices)
    assert np.array_equal(th.CostMatrix.from_array(4 * ARRAY, NAMES, rows="actual").decide(p), choices)


def test_the_first_of_equal_actions_is_taken():
    assert th.CostMatrix.equal("ab").decide([[0.5, 0.5]]).tolist() == [0]
    assert th.CostMatrix.equal("abc").decide([[0.25, 0.25, 0.5], [0.375, 0.375, 0.25]]).tolist() == [2, 0]


def test_weights_restate_the_class_mix():
    costs = th.CostMatrix.equal("ab")
    p = np.array([[0.75, 0.25], [0.5, 0.5]])
    assert costs.decide(p, weights=[1, 4]).tolist() == [1, 1]


def test_an_action_that_is_no_class():
    referred = COSTS.with_action("refer", 0.6)
    assert referred.actions == (*NAMES, "refer")
    sure, unsure = [0.97, 0.01, 0.01, 0.01], [0.3, 0.2, 0.2, 0.3]
    assert referred.decide([sure, unsure]).tolist() == [0, 4]
    assert th.CostMatrix.from_json(referred.to_json()) == referred


def test_the_cost_of_a_matrix_is_that_of_its_cases_in_any_order_of_classes():
    rng = np.random.default_rng(0)
    labels, calls = rng.choice(NAMES, 300), rng.choice(NAMES, 300)
    slowly = np.mean([COSTS[a, b] for a, b in zip(labels.tolist(), calls.tolist(), strict=True)])
    assert COSTS.cost(th.confusion(labels, calls)) == pytest.approx(slowly, rel=1e-12)
    assert COSTS.cost(th.confusion(labels, calls, classes=NAMES)) == pytest.approx(slowly, rel=1e-12)


def test_regrets_begin_at_nothing():
    costs = th.CostMatrix({"a": {"a": -2, "b": 3}, "b": {"a": 4, "b": 1}})
    assert costs.regret.costs.tolist() == [[0, 5], [3, 0]]


def test_cautions():
    assert COSTS.cautions == ()
    dominated = th.CostMatrix.equal("ab").with_action("wait", 1)
    assert [each.code for each in dominated.cautions] == ["dominated-action"]
    assert "'wait' is nowhere cheaper than 'a'" in dominated.cautions[0].text
    assert [each.code for each in th.CostMatrix.equal("ab").with_action("again", 0.5).cautions] == []
    unreasonable = th.CostMatrix({"a": {"a": 3, "b": 1}, "b": {"a": 2}})
    assert "right-costs-more" in [each.code for each in unreasonable.cautions]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: th.CostMatrix.from_array(ARRAY, NAMES), 'rows must be "actual" or "predicted", got None'),
        (lambda: th.CostMatrix.from_array(ARRAY, NAMES, rows=WRONG), "rows must be"),
        (lambda: th.CostMatrix.from_array(ARRAY[:3], NAMES, rows="actual"), r"shape \(3, 4\)"),
        (lambda: th.CostMatrix.from_array(ARRAY, ["a", "a", "b", "c"], rows="actual"), "'a' is named twice"),
        (
            lambda: th.CostMatrix.from_array(np.array([[0, np.nan], [1, 0]]), "ab", rows="actual"),
            "the cost of 'a' called 'b' is nan",
        ),
        (lambda: th.CostMatrix({"a": {"b": 1}, "b": {}}), "first that of 'b' called 'a'"),
        (lambda: th.CostMatrix({"ham": {"spma": 1}, "spam": {"ham": 2}}), "did you mean 'spam'"),
        (lambda: th.CostMatrix({"a": {"b": np.inf}, "b": {"a": 1}}), "the cost of 'a' called 'b' is inf"),
        (lambda: th.CostMatrix({"a": {"b": TEXT}, "b": {"a": 1}}), "must be a number"),
        (lambda: th.CostMatrix({"a": {"b": 0}, "b": {"a": 0}}), "any decision is as good"),
        (lambda: th.CostMatrix({"a": {"a": 1}}), "1 class needs no decision"),
        (lambda: th.CostMatrix(WRONG), "a mapping of costs is needed"),
        (lambda: COSTS["XL", "F"], "there is no class 'XL'"),
        (lambda: COSTS["VF", "vf"], "did you mean 'VF'"),
        (lambda: COSTS.expected([[0.5, 0.5]]), "probabilities have 2 columns, and there are 4 classes"),
        (lambda: COSTS.cost(th.confusion(["a"], ["b"])), "there is no class 'VF'"),
        (lambda: COSTS.with_action("VF", 1), "an action 'VF' already"),
        (lambda: COSTS.with_action("refer", {"VF": 1}), "'F' called 'refer' is missing"),
        (lambda: th.CostMatrix.by_class({"d": 2}, "abc"), "there is no class 'd'"),
        (lambda: th.CostMatrix.from_json('{"format": "thresher/costs/1"}'), "is missing"),
        (lambda: th.CostMatrix.from_dict(COSTS.to_dict() | {"actions": ["x"]}), "do not begin with the classes"),
        (lambda: th.CostMatrix.from_dict(COSTS.to_dict() | {"costs": [[1]]}), "costs have shape"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(th.ThresherError, match=message):
        call()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no column 'actual'"),
        ("actual,cost\na,1\n", "has no column 'predicted'"),
        ("actual,predicted,cost\na,b,\n", "the cost of 'a' called 'b' is '' in line 2"),
        ("actual,predicted,cost\na,b,1\na,b,2\n", "line 3 of .* a second time"),
        ("actual,predicted,cost\na,b\n", "line 2 of .* has 2 fields"),
        ("actual,predicted,cost\na,b,1\n", "1 class needs no decision"),
        ("actual,predicted,cost\na,b,1\nb,c,1\n", "costs are missing"),
        ("actual,predicted,cost\na,b,1\n" + "b" * 200_000, "line 3 of .* is no CSV: field larger"),
        ('actual,predicted,cost\na,b,1\n"b,a,1\n', "line 3 of .* is no CSV: unexpected end"),
    ],
)
def test_files_that_are_refused(tmp_path, text, message):
    (tmp_path / "costs.csv").write_text(text)
    with pytest.raises(th.ThresherError, match=message):
        read_costs(tmp_path / "costs.csv")


@pytest.mark.parametrize("path", [None, 5, "absent.csv", "", {}, b"x"])
def test_what_is_no_file_is_refused(path):
    with pytest.raises(th.ThresherError):
        read_costs(path)


def test_frames_and_texts_name_every_pair():
    frame = COSTS.to_frame("pandas")
    assert frame.loc[(frame.actual == "L") & (frame.predicted == "VF"), "cost"].tolist() == [10]
    assert json.loads(COSTS.to_json())["costs"] == ARRAY.tolist()
    assert repr(COSTS) == "CostMatrix(4 classes, actions 'VF', 'F', 'M' and 'L', costs up to 10)"
