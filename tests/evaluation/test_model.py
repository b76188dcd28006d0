import math

import numpy as np
import pytest

import thresher as th
from tests.inference import oracles
from tests.inference.oracles import apparent
from thresher.calibration.cox import calibration_intercept, calibration_slope
from thresher.inference.intervals.lowess import calibration_distances

RNG = np.random.default_rng(1)
LABELS = RNG.random(120) < 0.4
SCORES = np.clip(0.3 + 0.3 * LABELS + RNG.normal(0, 0.2, 120), 0, 1)


def parts(**more):
    model = th.evaluate(LABELS, SCORES, replicates=5, **more)["model"]
    assert model.brier is not None
    return dict(model.measures) | dict(model.numbers) | {"expected_cost": model.expected_cost}


def test_every_interval_has_the_level_asked_for():
    narrow, wide = parts(level=0.6), parts(level=0.99)
    for name, interval in narrow.items():
        assert interval.level == 0.6
        assert interval.width < wide[name].width
    table = th.evaluate(LABELS, SCORES, replicates=5)["model"].table
    same(narrow["f1"], th.interval(table, "f1", level=0.6))
    same(narrow["brier"], th.inference.brier_interval(th.rank(LABELS, SCORES), level=0.6))


def test_the_unit_of_weights_does_not_matter():
    weights = np.random.default_rng(2).exponential(size=120)
    for more in ({}, {"clusters": np.arange(120) // 3}):
        one, hundred = (parts(weights=weights * unit, **more) for unit in (1, 100))
        for name, interval in one.items():
            same(interval, hundred[name])


def test_copies_of_rows_are_no_news():
    plain = th.evaluate(LABELS, SCORES, replicates=5)["model"]
    model = th.evaluate(
        np.repeat(LABELS, 10), np.repeat(SCORES, 10), clusters=np.repeat(np.arange(120), 10), replicates=5
    )["model"]
    for name, interval in model.measures.items():
        assert (interval.lower, interval.upper) == pytest.approx(oracles.measure_of_copies(plain.table, name)), name
    cost = model.expected_cost
    assert (cost.lower, cost.upper) == pytest.approx(oracles.cost_of_copies(plain.table, th.OperatingCondition()))
    for name in ("brier", "log_loss"):
        same(model.numbers[name], plain.numbers[name])
    for name, interval in model.numbers.items():
        assert apparent(interval) == pytest.approx(apparent(plain.numbers[name])), name
        # Squares of slopes times n / (n - 1), by both classes together and not by each.
        slack = 0.5 if name in ("ici", "e50", "e90") else 0.03  # which are resampled
        assert interval.variance == pytest.approx(plain.numbers[name].variance, rel=slack), name


def test_a_class_ratio_left_to_the_data_is_as_uncertain_as_they_are():
    condition = th.OperatingCondition(cost_tp=10, cost_fn=11, cost_fp=1)
    model = th.evaluate(LABELS, SCORES, condition=condition, replicates=5)["model"]
    same(model.expected_cost, th.interval(model.table, condition))
    assert model.expected_cost.width > 1.5


def test_scores_that_are_no_probabilities_have_no_brier_score():
    for weights in (None, np.ones(120)):
        assert th.evaluate(LABELS, SCORES * 9, weights=weights, replicates=5)["model"].brier is None


def test_every_number_of_the_model_comes_with_its_interval():
    model = th.evaluate(LABELS, SCORES, replicates=50)["model"]
    ranking = th.rank(LABELS, SCORES)
    parts = th.decomposition(ranking, bins="hull")
    expected = {
        "auc": th.auc(ranking),
        "average_precision": th.average_precision(ranking),
        "pr_area": th.pr_area(ranking),
        "ks": th.ks(ranking).statistic,
        "brier": th.brier(ranking),
        "log_loss": float(th.log_loss(ranking)),
        "miscalibration": parts.miscalibration,
        "refinement": parts.refinement,
        "discrimination": parts.discrimination,
        "uncertainty": parts.uncertainty,
        "calibration_intercept": calibration_intercept(ranking),
        "calibration_slope": calibration_slope(ranking),
        "calibration_in_the_large": float((LABELS - SCORES).mean()),
        "observed_expected": float(LABELS.sum() / SCORES.sum()),
        **dict(zip(("ici", "e50", "e90"), calibration_distances(ranking), strict=True)),
    }
    assert list(model.numbers) == list(expected)
    for name, interval in model.numbers.items():
        assert apparent(interval) == pytest.approx(expected[name]), name
        assert interval.lower <= interval.estimate <= interval.upper, name
        assert interval.width > 0, name
    assert model.to_dict()["numbers"]["pr_area"] == model.numbers["pr_area"].to_dict()
    ranked = th.evaluate(LABELS, SCORES * 9, replicates=5)["model"].numbers
    assert list(ranked) == ["auc", "average_precision", "pr_area", "ks"]


def test_what_choosing_a_split_gains_in_resamples_is_taken_off():
    evaluation = th.evaluate(LABELS, SCORES, replicates=50)
    assert f"{evaluation.stability.ks_gain['model']:.4f}" in evaluation["model"].numbers["ks"].note


@pytest.mark.parametrize("more", ["weights", "clusters"])
def test_weights_and_clusters_reach_every_number(more):
    columns = {"weights": np.random.default_rng(2).exponential(size=120) ** 2, "clusters": np.arange(120) // 6}
    plain, changed = parts(), parts(**{more: columns[more]})
    for name, interval in plain.items():
        of = "variance" if name == "miscalibration" else "width"
        before, after = getattr(interval, of), getattr(changed[name], of)
        if math.isfinite(before) and before > 0:
            assert after != pytest.approx(before, rel=1e-3), name


def same(one, other):
    for field in ("estimate", "lower", "upper", "variance"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), nan_ok=True), field
