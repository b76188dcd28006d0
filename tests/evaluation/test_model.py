import numpy as np
import pytest

import thresher as th

RNG = np.random.default_rng(1)
LABELS = RNG.random(120) < 0.4
SCORES = np.clip(0.3 + 0.3 * LABELS + RNG.normal(0, 0.2, 120), 0, 1)


def parts(**more):
    model = th.evaluate(LABELS, SCORES, replicates=5, **more)["model"]
    assert model.brier is not None
    return dict(model.measures) | {"expected_cost": model.expected_cost, "brier": model.brier, "auc": model.auc}


def test_every_interval_has_the_level_asked_for():
    narrow, wide = parts(level=0.6), parts(level=0.99)
    for name, interval in narrow.items():
        assert interval.level == 0.6
        assert interval.width < wide[name].width
    table = th.evaluate(LABELS, SCORES, replicates=5)["model"].table
    same(narrow["f1"], th.measure_interval(table, "f1", level=0.6))
    same(narrow["brier"], th.brier_interval(th.rank(LABELS, SCORES), level=0.6))


def test_the_unit_of_weights_does_not_matter():
    weights = np.random.default_rng(2).exponential(size=120)
    for more in ({}, {"clusters": np.arange(120) // 3}):
        one, hundred = (parts(weights=weights * unit, **more) for unit in (1, 100))
        for name, interval in one.items():
            same(interval, hundred[name])


def test_copies_of_rows_are_no_news():
    plain = parts()
    model = th.evaluate(
        np.repeat(LABELS, 10), np.repeat(SCORES, 10), clusters=np.repeat(np.arange(120), 10), replicates=5
    )["model"]
    assert model.brier is not None
    for name, interval in (*model.measures.items(), ("expected_cost", model.expected_cost), ("brier", model.brier)):
        assert interval.width == pytest.approx(plain[name].width, rel=0.1), name
        assert interval.estimate == pytest.approx(plain[name].estimate)


def test_a_class_ratio_left_to_the_data_is_as_uncertain_as_they_are():
    condition = th.OperatingCondition(cost_tp=10, cost_fn=11, cost_fp=1)
    model = th.evaluate(LABELS, SCORES, condition=condition, replicates=5)["model"]
    same(model.expected_cost, th.cost_interval(model.table, condition))
    assert model.expected_cost.width > 1.5


def test_scores_that_are_no_probabilities_have_no_brier_score():
    for weights in (None, np.ones(120)):
        assert th.evaluate(LABELS, SCORES * 9, weights=weights, replicates=5)["model"].brier is None


def same(one, other):
    for field in ("estimate", "lower", "upper", "variance"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), nan_ok=True), field
