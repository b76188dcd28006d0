import math

import numpy as np
import pytest

import thresher as th
from tests.inference import class_examples, oracles
from thresher.inference.comparison.classes import CLASS_MEASURES

LABELS, MODELS = class_examples.rows(150, 2)


def test_the_difference_is_a_minus_b():
    for measure, known in CLASS_MEASURES.items():
        result = th.compare(LABELS, MODELS, measure=measure)
        one = result["good", "poor"]
        assert one.difference == pytest.approx(result.estimates["good"] - result.estimates["poor"])
        assert (one.difference > 0) is (known.better == "higher"), measure
        assert one.verdict == "better", measure
        assert result["poor", "good"].verdict == "worse"
        assert one.lower < one.difference < one.upper
        assert one.better == result.better == known.better


def test_two_classes_are_compared_as_compare_does():
    labels, models = class_examples.rows(60, 4, classes=2, ties=True)
    scores = {name: matrix[:, 1] for name, matrix in models.items()}
    for weights in (None, np.arange(60) % 5 + 1):
        plain = th.compare(labels, scores, weights=weights)["good", "poor"]
        result = th.compare(labels, models, measure="one_vs_rest_macro", weights=weights)["good", "poor"]
        assert (result.difference, result.variance) == pytest.approx((plain.difference, plain.variance))
        assert result.p_value > plain.p_value  # Student's, not normal


def test_accuracies_differ_by_the_rows_that_one_model_alone_calls_right():
    first, second = (matrix.argmax(axis=1) == LABELS for matrix in MODELS.values())
    n, ahead, behind = LABELS.size, int((first > second).sum()), int((first < second).sum())
    result = th.compare(LABELS, MODELS)["good", "poor"]
    mean = (ahead - behind) / n
    variance = ((ahead + behind) / n - mean**2) / (n - 1)
    assert (result.difference, result.variance) == pytest.approx((mean, variance))
    from scipy import stats

    half = stats.t.ppf(0.975, n - 1) * math.sqrt(variance)
    assert (result.lower, result.upper) == pytest.approx((mean - half, mean + half))
    assert result.p_value == pytest.approx(2 * stats.t.sf(mean / math.sqrt(variance), n - 1))


def test_averages_have_the_freedom_of_the_scarcest_class():
    from scipy import stats

    scarce = np.bincount(LABELS).min()
    result = th.compare(LABELS, MODELS, measure="macro_f1")["good", "poor"]
    half = stats.t.ppf(0.975, scarce - 1) * math.sqrt(result.variance)
    assert result.upper - result.difference == pytest.approx(half)


def test_clusters_give_the_freedom():
    from scipy import stats

    result = th.compare(LABELS, MODELS, clusters=np.arange(150) % 11)["good", "poor"]
    assert result.method == "delta, paired by clusters"
    half = stats.t.ppf(0.975, 10) * math.sqrt(result.variance)
    assert result.upper - result.difference == pytest.approx(half)


def test_p_values_are_adjusted_after_holm():
    rng = np.random.default_rng(0)
    models = MODELS | {"third": class_examples.matrix(LABELS, rng, strength=0.8)}
    result = th.compare(LABELS, models, measure="brier")
    raw = [one.p_value for one in result.differences.values()]
    assert [one.p_adjusted for one in result.differences.values()] == pytest.approx(oracles.holm(raw))
    plain = th.compare(LABELS, models, measure="brier", correction="none")
    assert [one.p_adjusted for one in plain.differences.values()] == raw


def test_the_margin_decides_what_is_practically_equal():
    near = {"a": MODELS["good"], "b": 0.999 * MODELS["good"] + 0.001 / 3}
    assert th.compare(LABELS, near, measure="brier", margin=0.01)["a", "b"].verdict == "practically equal"
    assert th.compare(LABELS, MODELS, measure="brier", margin=0.9)["good", "poor"].verdict == "practically equal"


@pytest.mark.parametrize("measure", CLASS_MEASURES)
def test_models_that_never_differ_may_still_do_so_elsewhere(measure):
    result = th.compare(LABELS, {"a": MODELS["good"], "b": MODELS["good"]}, measure=measure)["a", "b"]
    assert result.difference == 0
    assert result.lower < 0 < result.upper
    assert (result.verdict, result.p_value) == ("undecided", 1)
    assert math.isinf(result.upper) is (measure == "log_loss")  # the only loss without an end
    averaged = CLASS_MEASURES[measure].averaged or measure == "expected_cost"
    cases = np.bincount(LABELS).min() if averaged else 150
    if measure != "log_loss":
        assert result.upper == pytest.approx(1 - 0.025 ** (1 / cases))
        assert f"{cases} independent cases" in result.note


@pytest.mark.parametrize("measure", ["macro_f1", "macro_recall", "one_vs_rest_macro"])
def test_a_class_of_one_case_says_next_to_nothing(measure):
    labels = np.array([0] * 10 + [1] * 10 + [2])
    rng = np.random.default_rng(0)
    models = {name: class_examples.matrix(labels, rng, strength=2.0) for name in "ab"}
    result = th.compare(labels, models, measure=measure)["a", "b"]
    assert result.method == "exact cases"
    assert (result.lower, result.upper) == pytest.approx(
        ((1 + result.difference) * 0.025 - 1, 1 - (1 - result.difference) * 0.025)
    )


def test_an_infinite_loss_differs_from_nothing():
    wrong = np.eye(3)[(LABELS + 1) % 3]
    result = th.compare(LABELS, {"a": MODELS["good"], "b": wrong}, measure="log_loss")
    assert math.isnan(result["a", "b"].difference)
    assert "probability 0" in str(result["a", "b"])
    assert result["a", "b"].to_dict()["lower"] is None


def test_rows_are_dropped_for_both_models():
    holes = MODELS["good"].copy()
    holes[:5, 1] = np.nan
    result = th.compare(LABELS, {"good": holes, "poor": MODELS["poor"]}, missing="drop")
    complete = th.compare(LABELS[5:], {name: matrix[5:] for name, matrix in MODELS.items()})
    assert result.dropped == 5
    assert result["good", "poor"] == complete["good", "poor"]


@pytest.mark.slow
def test_limits_hold_as_often_as_the_level():
    truth = {
        name: th.compare(*class_examples.rows(60_000, 1), measure=name)["good", "poor"].difference
        for name in ("overall_accuracy", "one_vs_rest_macro", "log_loss")
    }
    held: dict[str, list[bool]] = {name: [] for name in truth}
    for seed in range(400):
        labels, models = class_examples.rows(60, 1000 + seed)
        for name, value in truth.items():
            result = th.compare(labels, models, measure=name)["good", "poor"]
            held[name].append(result.lower <= value <= result.upper)
    assert all(0.92 <= np.mean(each) <= 0.985 for each in held.values()), {n: np.mean(e) for n, e in held.items()}


def test_bad_input():
    with pytest.raises(th.errors.ArgumentError, match="no two models"):
        th.compare(LABELS, {"a": MODELS["good"]})
    with pytest.raises(th.errors.ArgumentError, match="no two models"):
        th.compare(LABELS, MODELS["good"])
    with pytest.raises(th.errors.MeasureError, match="average, of which there are four"):
        th.compare(LABELS, MODELS, measure="auc")
    with pytest.raises(th.errors.ArgumentError, match="correction"):
        th.compare(LABELS, MODELS, correction="bonferroni")  # type: ignore[arg-type]
    with pytest.raises(th.errors.ArgumentError, match="level"):
        th.compare(LABELS, MODELS, level=95)
    with pytest.raises(th.errors.ArgumentError, match="margin"):
        th.compare(LABELS, MODELS, margin=-1)
    with pytest.raises(th.errors.ArgumentError, match="class 2 lies in 1 of 3 clusters"):
        th.compare(LABELS, MODELS, clusters=np.where(LABELS == 2, 2, np.arange(150) % 2))
    with pytest.raises(th.errors.ArgumentError, match="positive is of two classes"):
        th.compare(LABELS, MODELS, positive=1)
    with pytest.raises(th.errors.ArgumentError, match="change no brier"):
        th.compare(LABELS, MODELS, measure="brier", condition=th.OperatingCondition(costs=COSTS))
    with pytest.raises(th.errors.ArgumentError, match="other is of matrices"):
        th.compare(LABELS == 1, {"a": np.arange(150), "b": np.arange(150)[::-1]}, other=1)


COSTS = th.CostMatrix.ordinal([2, 0, 1])
EVEN = th.OperatingCondition(costs=COSTS, mix={0: 0.2, 1: 0.3, 2: 0.5})


@pytest.mark.parametrize("condition", [EVEN, th.OperatingCondition(costs=COSTS)])
def test_costs_differ_by_what_the_cases_cost(condition):
    result = th.compare(LABELS, MODELS, measure=condition)
    paid = {}
    for name, matrix in MODELS.items():
        segments = th.segment(LABELS, matrix)
        choice = th.choose(segments, condition)
        assert result.estimates[name] == pytest.approx(choice.expected_cost)
        calls = COSTS.for_classes([0, 1, 2]).decide(matrix, weights=choice.weights)
        paid[name] = COSTS.for_classes([0, 1, 2]).costs[LABELS, calls]
    away, n = paid["good"] - paid["poor"], np.bincount(LABELS)
    by_class = [away[i == LABELS].var(ddof=1) / n[i] for i in range(3)]
    variance = away.var(ddof=1) / n.sum()
    if condition is EVEN:
        variance = sum(share**2 * of for share, of in zip((0.2, 0.3, 0.5), by_class, strict=True))
    one = result["good", "poor"]
    assert one.variance == pytest.approx(variance)
    assert one.verdict == "better"
    assert th.compare(LABELS, MODELS, measure="expected_cost", condition=condition)["good", "poor"] == one
    against = th.compare(LABELS, MODELS | {"third": MODELS["poor"]}, measure=condition, against="third")
    assert list(against.differences) == [("third", "good"), ("third", "poor")]
