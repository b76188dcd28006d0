"""A scanned table is judged as its rows are, as far as counts and sums tell."""

import json
from importlib import import_module
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

import thresher as th
from tests.sources.test_scan import in_postgres

CONDITION = th.OperatingCondition(cost_ratio=3)


def rows(size=3000):
    rng = np.random.default_rng(5)
    y = (rng.random(size) < 0.3).astype(np.int16)
    tree, logit = (1 / (1 + np.exp(-rng.normal(size=size) - worth * y)) for worth in (1.5, 1.0))
    weight = rng.integers(0, 9, size) / 8
    return {"y": y, "tree": tree, "logit": logit, "w": weight, "narrow": 0.5 + tree / 1000}


@pytest.fixture(params=["duckdb", "postgres"])
def source(request):
    if request.param == "duckdb":
        return ibis.memtable(pa.table(rows())), {}
    server = request.getfixturevalue("postgres")
    in_postgres(server, "evaluated", rows())
    return server.url, {"table": "evaluated"}


def same(interval, expected):
    assert interval.estimate == pytest.approx(expected.estimate, abs=1e-12)
    assert (interval.lower, interval.upper) == pytest.approx((expected.lower, expected.upper), abs=1e-9)
    assert interval.method == expected.method


@pytest.mark.parametrize("weight", [None, "w"])
def test_numbers_are_those_of_the_rows(source, weight):
    place, how = source
    data = rows()
    models = {name: data[name] for name in ("tree", "logit")}
    evaluation = th.evaluation.evaluate_scan(
        place, label="y", score=list(models), condition=CONDITION, weights=weight, **how
    )
    weights = None if weight is None else data[weight]
    expected = th.evaluate(data["y"], models, condition=CONDITION, weights=weights)
    for name in models:
        same(evaluation[name].auc, expected[name].auc)
        same(evaluation[name].expected_cost, expected[name].expected_cost)
        assert set(evaluation[name].measures) == set(expected[name].measures)
        same(evaluation[name].measures["tpr"], expected[name].measures["tpr"])
    assert evaluation.decision.model == expected.decision.model
    assert evaluation.decision.threshold == expected.decision.threshold
    assert evaluation.decision.cost_ratios == pytest.approx(expected.decision.cost_ratios)
    assert evaluation.comparison is not None
    assert expected.comparison is not None
    same(evaluation.comparison["tree", "logit"].interval, expected.comparison["tree", "logit"].interval)


def test_a_table_too_long_to_be_counted_score_by_score(source, monkeypatch):
    """Bounds hold what the rows say, and the decision is certain."""
    scanning = import_module("thresher.sources.scan")
    monkeypatch.setattr(scanning, "ROWS_TO_STREAM", 0)
    place, how = source
    data = rows()
    evaluation = th.evaluation.evaluate_scan(place, label="y", score=["narrow"], condition=CONDITION, **how)["narrow"]
    exact = th.rank(data["y"], data["narrow"])
    assert evaluation.ranking.unresolved.any()
    assert evaluation.bounds["expected_cost"].width == 0
    assert evaluation.choice.expected_cost == th.choose(exact, CONDITION).expected_cost
    for name, value in {
        "auc": th.auc(exact),
        "average_precision": th.average_precision(exact),
        "pr_area": th.pr_area(exact),
        "ks": th.ks(exact).statistic,
        "brier": float(th.brier(exact)),
        "log_loss": float(th.log_loss(exact)),
    }.items():
        assert value in evaluation.bounds[name], name


def test_what_needs_rows_is_left_out():
    evaluation = th.evaluation.evaluate_scan(
        ibis.memtable(pa.table(rows())), label="y", score="tree", condition=CONDITION
    )
    assert np.isnan(evaluation.decision.out_of_bag_cost.estimate)
    assert evaluation.decision.wins is None
    assert "counts-only" in [caution.code for caution in evaluation.cautions]
    assert evaluation.comparison is None
    assert "need rows" in evaluation.summary()


def test_the_decision_is_read_back_and_applied():
    evaluation = th.evaluation.evaluate_scan(ibis.memtable(pa.table(rows())), label="y", score=["tree", "logit"])
    plain = json.loads(evaluation.decision.to_json())
    assert th.Decision.from_dict(plain).to_dict() == plain
    assert evaluation.decision.apply([0.0, 1.0]).tolist() == [False, True]
    assert json.loads(evaluation.to_json())["decision"] == plain


def test_models_are_judged_on_the_same_rows():
    data = rows()
    data["tree"][:5], data["logit"][3:9] = np.nan, np.nan
    table = ibis.memtable(pa.table(data))
    evaluation = th.evaluation.evaluate_scan(table, label="y", score=["tree", "logit"], missing="drop")
    assert evaluation.dropped == 9
    assert {ranking.total for ranking in (model.ranking for model in evaluation.models.values())} == {2991}
    with pytest.raises(th.errors.MissingValueError, match="9 of 3,000 rows"):
        th.evaluation.evaluate_scan(table, label="y", score=["tree", "logit"])


def test_without_the_paired_pass_nothing_is_compared():
    table = ibis.memtable(pa.table(rows()))
    evaluation = th.evaluation.evaluate_scan(table, label="y", score=["tree", "logit"], paired=False)
    assert evaluation.comparison is None
    same(evaluation["tree"].auc, th.auc_interval(evaluation["tree"].ranking))
    with pytest.raises(th.errors.ArgumentError, match="paired pass"):
        th.evaluation.evaluate_scan(table, label="y", score=["tree"], weights="w", paired=False)


@pytest.mark.parametrize("change", [{"level": 2}, {"margin": -1}, {"score": {"tree": 1}}, {"score": []}])
def test_questions_that_are_none(change):
    asked: dict[str, Any] = {"score": ["tree"], **change}
    with pytest.raises(th.errors.ArgumentError):
        th.evaluation.evaluate_scan(ibis.memtable(pa.table(rows(50))), label="y", **asked)


def test_a_model_that_is_not_there():
    evaluation = th.evaluation.evaluate_scan(ibis.memtable(pa.table(rows(50))), label="y", score=["tree"])
    with pytest.raises(th.errors.ArgumentError, match="no model 'forest'"):
        evaluation["forest"]


def test_few_cases_and_costs_that_nobody_gave_are_remarked_on():
    few = {"y": [1, 0] * 10, "tree": np.arange(20) / 20, "logit": np.arange(20) / 30, "w": np.ones(20)}
    place = ibis.memtable(pa.table(few))
    codes = {caution.code for caution in th.evaluation.evaluate_scan(place, label="y", score=["tree"]).cautions}
    assert {"few-positives", "few-negatives", "equal-costs"} <= codes
    both = th.evaluation.evaluate_scan(place, label="y", score=["tree", "logit"])
    assert "equal-costs" in [caution.code for caution in both.cautions]
    weighted = th.evaluation.evaluate_scan(place, label="y", score=["tree"], condition=CONDITION, weights="w")
    assert not {"few-positives", "equal-costs"} & {caution.code for caution in weighted.cautions}
