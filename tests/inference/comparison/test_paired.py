"""Tests of paired."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import thresher as th
import thresher.inference as ti
from tests.inference import oracles
from tests.inference.bootstrap.test_quantities import TEXTS
from tests.inference.intervals.test_auc import modelled_rows
from thresher.errors import ArgumentError, LengthError, MeasureError, OneClassError
from thresher.inference.comparison import paired as paired_module
from thresher.inference.comparison.paired import resample_costs, resample_tables

COMPARED = [text for text in TEXTS if text not in ("uncertainty", "auc")]


def scored(n, seed, *, same=False):
    """Labels and two models that see much of the same."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.35
    shared = rng.normal(size=n) + 1.3 * labels - 0.8
    a, b = (1 / (1 + np.exp(-(shared + 0.5 * rng.normal(size=n)))) for _ in range(2))
    return labels, {"a": a, "b": b if same else b**1.7}


@pytest.mark.parametrize("declared", [None, th.OperatingCondition(prevalence=0.1, cost_ratio=2)])
def test_differences_are_those_of_the_functions_and_spread_as_resamples_do(declared):
    labels, scores = scored(200, seed=3)
    # without a condition there is no chosen threshold
    at = {"precision": "precision@threshold=0.4"} if declared is None else {}
    asked = {text: at.get(text, text) for text in COMPARED}
    rows = th.inference.ScoredRows.of(labels, scores)
    drawn = th.bootstrap(rows, [*asked.values()], condition=declared, replicates=300, stratified=declared is not None)
    for text, same in asked.items():
        thresholds = {"a": 0.4, "b": 0.4} if text in at else None
        result = th.compare(labels, scores, measure=text, thresholds=thresholds, condition=declared, replicates=300)
        one = result["a", "b"]
        for model in ("a", "b"):
            assert result.estimates[model] == pytest.approx(drawn.estimate(same, model), abs=1e-9), text
        spread = float(np.std(drawn.values(same, "a") - drawn.values(same, "b")))
        assert one.lower <= one.difference <= one.upper, text
        assert math.sqrt(one.variance) == pytest.approx(spread, rel=0.35), text
        assert result["b", "a"].difference == -one.difference, text


@pytest.mark.parametrize(
    "text", ["partial_auc[fpr<=0.3]", "brier", "log_loss", "net_benefit@0.2", "calibration_slope", "average_precision"]
)
def test_equal_models_rarely_differ(text):
    differ = [th.compare(*scored(150, seed, same=True), measure=text)["a", "b"].p_value < 0.05 for seed in range(200)]
    assert np.mean(differ) < 0.1


def test_weights_and_clusters_matter():
    labels, scores = scored(300, seed=5)
    cluster = np.arange(300) // 3
    tripled = np.repeat(np.arange(300), 3)
    plain = th.compare(labels, scores, measure="brier")["a", "b"]
    copies = th.compare(labels[tripled], {k: v[tripled] for k, v in scores.items()}, measure="brier", clusters=tripled)
    assert copies["a", "b"].variance == pytest.approx(plain.variance, rel=0.02)
    weighted = th.compare(labels, scores, measure="log_loss", weights=np.where(labels, 2.0, 1.0), clusters=cluster)
    heavy = np.where(labels, 2.0, 1.0)
    loss = {k: -np.log(np.where(labels, v, 1 - v)) for k, v in scores.items()}
    assert weighted["a", "b"].difference == pytest.approx(np.average(loss["a"] - loss["b"], weights=heavy))


def test_a_model_compared_with_itself_is_not_certain_to_be_equal():
    labels, scores = scored(100, seed=1)
    for text in ("brier", "partial_auc[fpr<=0.2]", "ici", "net_benefit@0.2", "ks", "calibration_slope"):
        one = th.compare(labels, {"a": scores["a"], "b": scores["a"]}, measure=text, replicates=200)["a", "b"]
        assert one.difference == 0
        assert one.lower < 0 < one.upper
        assert one.p_value == 1


def test_a_side_that_is_neither_better_is_named_higher_or_lower():
    labels, scores = scored(2000, seed=2)
    extreme = {"a": scores["a"], "b": scores["a"] ** 3 / (scores["a"] ** 3 + (1 - scores["a"]) ** 3)}
    result = th.compare(labels, extreme, measure="calibration_slope")
    assert result["a", "b"].verdict == "higher"
    assert result["b", "a"].verdict == "lower"
    assert result["a", "b"].difference == pytest.approx(result.estimates["a"] * 2 / 3)


def test_joining_scores_keeps_the_estimate(monkeypatch):
    labels, scores = scored(2000, seed=7)
    fine = th.compare(labels, scores, measure="recall@fpr<=0.1", replicates=200)["a", "b"]
    monkeypatch.setattr(paired_module, "MOST_SEGMENTS", 300)
    coarse = th.compare(labels, scores, measure="recall@fpr<=0.1", replicates=200)["a", "b"]
    assert coarse.difference == pytest.approx(fine.difference, abs=1e-12)
    assert math.sqrt(coarse.variance) == pytest.approx(math.sqrt(fine.variance), rel=0.3)


def test_an_infinite_loss_has_no_difference():
    result = th.compare([1, 0, 1, 0], {"a": [0.0, 0.2, 0.9, 0.1], "b": [0.8, 0.2, 0.9, 0.1]}, measure="log_loss")
    assert math.isnan(result["a", "b"].difference)
    assert "probability 0" in result["a", "b"].note


@pytest.mark.parametrize(
    ("settings", "what"),
    [
        ({"measure": "saving"}, "saving cannot be compared"),
        ({"measure": 'recall["L"]'}, "cannot be compared"),
        ({"measure": "brier", "thresholds": {"a": 0.5, "b": 0.5}}, "brier has none"),
        ({"measure": "recall@threshold=0.5", "thresholds": {"a": 0.5, "b": 0.5}}, "has one"),
        ({"measure": "partial_auc"}, "needs a range"),
        ({"measure": "brier", "trained_at": 3}, "trained_at"),
        ({"measure": th.OperatingCondition(), "condition": th.OperatingCondition()}, "two operating conditions"),
    ],
)
def test_what_is_refused(settings, what):
    with pytest.raises(th.ThresherError, match=what):
        th.compare(*scored(50, 0), **settings)


def test_scores_that_are_no_probabilities_are_refused():
    labels, scores = scored(50, 0)
    with pytest.raises(th.errors.ProbabilityError, match="outside"):
        th.compare(labels, scores | {"c": 3 * scores["a"]}, measure="brier")


@pytest.mark.parametrize("text", ["accuracy@threshold=0.5", "expected_cost@threshold=0.5", "tpr@fpr<=0.5", "auc"])
def test_a_comparison_is_named_by_its_quantity(text):
    labels, p = [1, 1, 0, 1, 0, 0], np.array([0.9, 0.6, 0.7, 0.8, 0.2, 0.1])
    assert th.compare(labels, {"a": p, "b": 1 - p}, measure=text, replicates=100).measure == text


def test_models_that_no_row_tells_apart_may_differ_by_as_much_as_the_measure_can():
    labels, p = [1, 1, 0, 1, 0, 0], np.array([0.9, 0.6, 0.7, 0.8, 0.2, 0.1])
    for text, end in (("log_loss", math.inf), ("calibration_intercept", math.inf), ("brier", 1)):
        difference = th.compare(labels, {"a": p, "b": p}, measure=text)["a", "b"]
        assert difference.difference == 0
        assert (difference.upper == math.inf) == (end == math.inf)
        assert 0 < difference.upper <= end
        assert ("conservative" in difference.note) == (end == 1)


def correlated(n=300, shift=0.25, seed=7):
    """Two models that err on the same rows, A a little better than B."""
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    shared = rng.normal(size=n) + labels
    return labels, {"a": shared + shift * labels + 0.3 * rng.normal(size=n), "b": shared + 0.3 * rng.normal(size=n)}


class TestAuc:
    @given(modelled_rows())
    def test_differences_are_those_of_delong(self, rows):
        labels, scores = rows
        result = ti.compare(labels, dict(zip("xyz", scores, strict=True)), correction="none")
        expected = oracles.delong_covariance(labels, scores)
        assert result.covariance == pytest.approx(expected, abs=1e-12)
        for i, a in enumerate("xyz"):
            for j, b in enumerate("xyz"):
                if a == b:
                    continue
                one = result[a, b]
                areas = [th.auc(th.rank(labels, scores[k])) for k in (i, j)]
                assert one.difference == pytest.approx(areas[0] - areas[1], abs=1e-12)
                assert -1 <= one.lower <= one.difference <= one.upper <= 1
                assert one.upper > one.lower
                variance = expected[i, i] + expected[j, j] - 2 * expected[i, j]
                assert one.variance == pytest.approx(variance, abs=1e-12)
                if variance > 1e-9:
                    lower, upper = oracles.paired_auc_limits(labels, scores[i], scores[j])
                    assert (one.lower, one.upper) == pytest.approx((max(-1, lower), min(1, upper)), abs=1e-9)
                    z = one.difference / math.sqrt(variance)
                    assert one.p_value >= 2 * stats.norm.sf(abs(z)) - 1e-9
                else:
                    assert one.method == "exact pairs"

    @given(modelled_rows(models=2), st.floats(0.01, 0.99))
    def test_p_and_limits_agree(self, rows, level):
        labels, (a, b) = rows
        one = ti.compare(labels, {"a": a, "b": b}, level=level)["a", "b"]
        if abs(one.p_value - (1 - level)) > 1e-9:
            assert (one.p_value < 1 - level) == (not one.lower <= 0 <= one.upper)

    @pytest.mark.parametrize(("Pos", "Neg"), [(5, 100), (10, 40), (20, 20)])
    def test_equal_models_differ_by_chance_no_more_often_than_the_level(self, Pos, Neg):
        """DeLong's normal limits exclude 0 in 5.4 to 10.9 % of such samples; at most 5.5 % may, give or take chance."""
        rng, times, refused = np.random.default_rng(3), 1500, 0
        labels = np.arange(Pos + Neg) < Pos
        for _ in range(times):
            scores = {name: 0.74 * labels + rng.normal(size=labels.size) for name in "ab"}  # AUCs of 0.7
            refused += ti.compare(labels, scores)["a", "b"].p_value < 0.05
        assert refused / times <= 0.055 + 2.5 * math.sqrt(0.05 * 0.95 / times)

    @given(modelled_rows(models=2))
    def test_a_minus_b_is_minus_b_minus_a(self, rows):
        labels, (a, b) = rows
        one, turned = ti.compare(labels, {"a": a, "b": b}), ti.compare(labels, {"b": b, "a": a})
        for other in (one["b", "a"].mirrored, turned["a", "b"], turned["b", "a"].mirrored):
            for name in ("difference", "lower", "upper", "variance", "p_value"):
                assert getattr(one["a", "b"], name) == pytest.approx(getattr(other, name), abs=1e-9)

    def test_the_sign_is_that_of_a_minus_b(self):
        labels, scores = [1] * 12 + [0] * 12, [*range(24, 12, -1), *range(12, 0, -1)]
        scores[11], scores[12] = scores[12], scores[11]
        result = ti.compare(labels, {"good": scores, "bad": [-s for s in scores]})
        assert result["good", "bad"].difference > 0
        assert result["good", "bad"].verdict == "better"
        assert result["bad", "good"].difference < 0
        assert result["bad", "good"].verdict == "worse"

    def test_trap_28_paired_is_surer_than_unpaired(self):
        labels, scores = correlated(n=400, shift=0.13, seed=1)
        paired = ti.compare(labels, scores)["a", "b"]
        apart = ti.compare_unpaired(*(th.rank(labels, each) for each in scores.values()))
        assert paired.difference == pytest.approx(apart.difference, abs=1e-12)
        assert paired.p_value < 0.05 < apart.p_value
        assert paired.verdict == "better"
        assert apart.verdict == "undecided"

    def test_trap_28_rankings_are_refused_with_the_reason(self):
        r = th.Ranking.parse("[2+][1+,1-][2-]")
        with pytest.raises(ArgumentError, match=r"no longer knows which case got which score[\s\S]*compare_unpaired"):
            ti.compare([1, 1, 1, 0, 0, 0], {"a": r, "b": r})
        with pytest.raises(ArgumentError, match="models are compared by name"):
            ti.compare([1, 0], r)

    def test_the_same_scores_differ_by_nothing_but_not_surely(self):
        labels, scores = correlated()
        result = ti.compare(labels, {"a": scores["a"], "again": scores["a"] * 2})["a", "again"]
        assert result.difference == 0
        assert result.lower < 0 < result.upper
        assert result.p_value == 1
        assert result.verdict == "undecided"
        assert "conservative" in result.note

    def test_two_perfect_models_are_not_known_to_be_equal(self):
        result = ti.compare([1, 1, 1, 0, 0, 0], {"a": [6, 5, 4, 3, 2, 1], "b": [9, 8, 7, 1, 2, 3]})["a", "b"]
        assert (result.lower, result.upper) == pytest.approx((0.025 ** (1 / 3) - 1, 1 - 0.025 ** (1 / 3)))

    def test_weights_and_clusters_go_into_the_covariance(self):
        labels, scores = correlated()
        clusters = np.arange(labels.size) // 3
        result = ti.compare(labels, scores, clusters=clusters)
        expected = oracles.obuchowski_covariance(labels, list(scores.values()), clusters.tolist())
        assert result.covariance == pytest.approx(expected, abs=1e-12)
        equal = ti.compare(labels, scores, weights=np.full(labels.size, 0.3))
        assert equal.covariance == pytest.approx(ti.compare(labels, scores).covariance, abs=1e-12)
        uneven = ti.compare(labels, scores, weights=1.0 + labels * np.arange(labels.size))
        assert uneven["a", "b"].variance > 1.1 * equal["a", "b"].variance


class TestResampling:
    AT = {"a": 0.6, "b": 0.5}  # noqa: RUF012

    def test_a_measure_at_thresholds_agrees_with_theory(self):
        """Accuracy: the difference is a mean of -1, 0 and 1 over rows, whose variance is known."""
        labels, scores = correlated(n=1000)
        right = {name: (scores[name] >= self.AT[name]) == labels for name in "ab"}
        away = right["a"].astype(float) - right["b"]
        result = ti.compare(labels, scores, measure="accuracy", thresholds=self.AT, replicates=20_000)
        assert result.estimates["a"] == right["a"].mean()
        assert result["a", "b"].difference == pytest.approx(away.mean())
        assert result["a", "b"].variance == pytest.approx(away.var() / labels.size, rel=0.05)
        assert result["a", "b"].lower <= result["a", "b"].difference <= result["a", "b"].upper
        assert result.covariance is None

    def test_weighted_rows_and_clusters_of_one_agree_with_plain_rows(self):
        labels, scores = correlated(n=400)
        settings: dict[str, Any] = {"measure": "f1", "thresholds": self.AT, "replicates": 6000}
        plain = ti.compare(labels, scores, **settings)["a", "b"]
        others: list[dict[str, Any]] = [{"weights": np.full(400, 2.0)}, {"clusters": np.arange(400)}]
        for more in others:
            other = ti.compare(labels, scores, **settings, **more)["a", "b"]
            assert other.difference == pytest.approx(plain.difference, abs=1e-12)
            assert other.variance == pytest.approx(plain.variance, rel=0.1)

    def test_clusters_are_drawn_entirely(self):
        labels, scores = correlated(n=200)
        many = np.repeat(labels, 5), {name: np.repeat(each, 5) for name, each in scores.items()}
        settings: dict[str, Any] = {"measure": "accuracy", "thresholds": self.AT, "replicates": 5000}
        once = ti.compare(labels, scores, **settings)["a", "b"].variance
        clustered = ti.compare(*many, clusters=np.repeat(np.arange(200), 5), **settings)["a", "b"].variance
        careless = ti.compare(*many, **settings)["a", "b"].variance
        right = {name: (scores[name] >= self.AT[name]) == labels for name in "ab"}
        exact = (right["a"].astype(float) - right["b"]).var() / 200  # of a mean over clusters
        noise = 3 * math.sqrt(2 / 5000)  # of a variance of so many resamples
        assert clustered == pytest.approx(exact, rel=noise)
        assert once == pytest.approx(exact, rel=noise)
        assert careless == pytest.approx(exact / 5, rel=noise)

    @pytest.mark.parametrize("measure", ["error_rate", "fpr", "balanced_error_rate"])
    def test_lower_may_be_better(self, measure):
        labels, scores = correlated(n=2000, shift=2.0)
        scores["b"] = -scores["b"]
        one = ti.compare(labels, scores, measure=measure, thresholds={"a": 1.0, "b": -1.0})["a", "b"]
        assert one.difference < 0
        assert one.verdict == "better"
        assert one.mirrored.verdict == "worse"

    def test_expected_cost_at_fixed_thresholds(self):
        labels, scores = correlated(n=500)
        condition = th.OperatingCondition(prevalence=0.1, cost_fp=1, cost_fn=7)
        result = ti.compare(labels, scores, measure=condition, thresholds=self.AT)
        for name in "ab":
            table = th.tables.contingency_at(th.rank(labels, scores[name]), self.AT[name])
            assert result.estimates[name] == pytest.approx(condition.expected_cost(table), abs=1e-12)
        assert result.measure == "expected cost"
        assert result.better == "lower"

    @pytest.mark.parametrize(
        "condition",
        [
            th.OperatingCondition(cost_ratio=3),
            th.OperatingCondition(class_ratio=0.2, cost_ratio=5),
            th.OperatingCondition(prevalence=0.3, cost_fp=2, cost_fn=9, cost_tp=-1, cost_tn=0.5),
        ],
    )
    def test_without_thresholds_each_is_chosen_again(self, condition):
        labels, scores = correlated(n=300, shift=1.0)
        scores = {name: each.round(1) for name, each in scores.items()}
        result = ti.compare(labels, scores, measure=condition, replicates=300)
        for name in "ab":
            assert result.estimates[name] == pytest.approx(
                th.choose(th.rank(labels, scores[name]), condition).expected_cost, abs=1e-12
            )
        assert result["a", "b"].difference < 0
        assert result["a", "b"].verdict == "better"
        weighted = ti.compare(labels, scores, measure=condition, weights=[2] * 300, replicates=300)
        assert weighted["a", "b"].lower == pytest.approx(result["a", "b"].lower, abs=1e-12)
        if condition.class_ratio is None:  # otherwise rows are drawn class by class, and clusters cannot be
            single = ti.compare(labels, scores, measure=condition, clusters=range(300), replicates=300)
            assert single["a", "b"].lower == pytest.approx(result["a", "b"].lower, abs=1e-12)

    def test_a_score_of_infinity_cannot_be_refused(self):
        labels, scores = [1, 0, 0, 0, 1, 0], [0.5, np.inf, 0.2, 0.1, 0.4, 0.3]
        condition = th.OperatingCondition(cost_ratio=0.01)
        result = ti.compare(labels, {"a": scores, "b": [6, 2, 3, 4, 5, 1]}, measure=condition, replicates=100)
        chosen = th.choose(th.rank(labels, scores), condition)
        assert result.estimates["a"] == pytest.approx(chosen.expected_cost, abs=1e-12)

    def test_the_seed_decides(self):
        labels, scores = correlated()
        settings: dict[str, Any] = {"measure": "mcc", "thresholds": self.AT, "replicates": 200}
        one, again, other = (ti.compare(labels, scores, **settings, seed=seed)["a", "b"] for seed in (1, 1, 2))
        assert one == again
        assert one != other

    def test_models_that_call_alike_are_not_surely_equal(self):
        labels, scores = correlated()
        result = ti.compare(labels, {"a": scores["a"], "b": scores["a"]}, measure="f1", thresholds={"a": 0.5, "b": 0.5})
        assert result["a", "b"].difference == 0
        assert result["a", "b"].lower < 0 < result["a", "b"].upper
        assert "all resamples agree" in result["a", "b"].note

    def test_a_measure_that_is_undefined_says_so(self):
        labels, scores = correlated()
        result = ti.compare(labels, scores, measure="precision", thresholds={"a": 0.5, "b": np.inf})
        assert math.isnan(result["a", "b"].difference)
        assert "undefined" in str(result["a", "b"])


class TestBadInput:
    def test_too_few_models_and_unknown_pairs(self):
        with pytest.raises(ArgumentError, match="1 model"):
            ti.compare([1, 0], {"a": [1, 2]})
        labels, scores = correlated()
        with pytest.raises(ArgumentError, match="no pair"):
            ti.compare(labels, scores)["a", "z"]

    def test_lengths_and_classes(self):
        with pytest.raises(LengthError, match="scores of 'b' 3"):
            ti.compare([1, 0], {"a": [1, 2], "b": [1, 2, 3]})
        with pytest.raises(OneClassError):
            ti.compare([1, 1], {"a": [1, 2], "b": [1, 2]})

    def test_arguments(self):
        labels, scores = correlated(n=50)
        wrong: tuple[tuple[dict[str, Any], str], ...] = (
            ({"level": 95}, "level"),
            ({"margin": -1}, "margin"),
            ({"correction": "bonferroni"}, "correction"),
            ({"measure": "f1"}, "none is given"),
            ({"measure": "f1", "thresholds": {"a": 1}}, "name each of a, b"),
            ({"measure": "f1", "thresholds": {"a": 1, "b": math.nan}}, "no number"),
            ({"thresholds": {"a": 1, "b": 1}}, "an AUC has none"),
            ({"replicates": 3}, "replicates"),
            ({"clusters": [1] * 50}, "clusters holds positives"),
        )
        for more, words in wrong:
            with pytest.raises(ArgumentError, match=words):
                ti.compare(labels, scores, **more)
        with pytest.raises(MeasureError, match="no better side"):
            ti.compare(labels, scores, measure="prevalence", thresholds={"a": 1, "b": 1})
        with pytest.raises(MeasureError, match="no quantity called"):
            ti.compare(labels, scores, measure="acuracy")

    def test_rows_with_gaps_are_dropped_for_all_models(self):
        labels, scores = correlated(n=60)
        holed = scores | {"b": np.where(np.arange(60) == 3, np.nan, scores["b"])}
        result = ti.compare(labels, holed, missing="drop")
        assert result.dropped == 1
        keep = np.arange(60) != 3
        expected = ti.compare(labels[keep], {name: each[keep] for name, each in scores.items()})
        assert result["a", "b"].lower == pytest.approx(expected["a", "b"].lower, abs=1e-12)


@pytest.mark.parametrize("clusters", [6, 30])
def test_few_clusters_give_students_limits_with_as_many_degrees_of_freedom_less_one(clusters):
    """As many as hold the scarcer class: here positives, of which one cluster has none."""
    labels, scores = correlated()
    cluster = np.arange(300) % clusters
    labels = labels & (cluster > 0)
    result = ti.compare(labels, scores, clusters=cluster)
    one = result["a", "b"]
    assert result.pairs == clusters - 1
    error = math.sqrt(one.variance)
    half = stats.t.ppf(0.975, clusters - 2) * error
    assert (one.lower, one.upper) == pytest.approx((one.difference - half, one.difference + half))
    assert one.p_value == pytest.approx(2 * stats.t.sf(abs(one.difference) / error, clusters - 2))
    contrast = result.contrast({"a": 1, "b": -1})
    assert (contrast.lower, contrast.upper, contrast.p_value) == pytest.approx((one.lower, one.upper, one.p_value))


def test_with_many_cases_limits_are_normal():
    labels, scores = correlated(n=20_000)
    one = ti.compare(labels, scores)["a", "b"]
    half = stats.norm.ppf(0.975) * math.sqrt(one.variance)
    assert (one.lower, one.upper) == pytest.approx((one.difference - half, one.difference + half), abs=0.005 * half)


def test_models_are_named_by_text():
    with pytest.raises(ArgumentError, match="named by text"):
        ti.compare([1, 0], {1: [1, 0], "1": [0, 1], "c": [1, 1]})


@pytest.mark.parametrize("options", [{"seed": -1}, {"seed": 1.5}, {"replicates": 2.5}, {"replicates": None}])
def test_seeds_and_replicates_are_integers(options):
    with pytest.raises(ArgumentError):
        ti.compare([1, 0, 1, 0], {"a": [1, 0, 2, 3], "b": [0, 1, 2, 3]}, **options)


AT = {"a": 0.0, "b": 0.5, "c": -0.5}


def three_models(n=120):
    rng = np.random.default_rng(0)
    labels = rng.random(n) < 0.5
    return labels, {name: rng.normal(size=n) + labels for name in AT}


def three_scored(**more):
    return ti.ScoredRows.of(*three_models(), **more)


@pytest.mark.parametrize("more", [{}, {"weights": np.arange(1.0, 121)}, {"clusters": np.arange(120) // 4}])
def test_the_data_come_first_and_resamples_keep_what_models_share(more):
    result = resample_tables(three_scored(**more), AT, 50, np.random.default_rng(1))
    labels, scores = three_models()
    for name, table in result.items():
        expected = th.contingency(labels, scores[name] >= AT[name], weights=more.get("weights"))
        assert [float(np.asarray(cell)[0]) for cell in (table.tp, table.fn, table.fp, table.tn)] == pytest.approx(
            [expected.tp, expected.fn, expected.fp, expected.tn]
        )
    first = result["a"]
    for table in result.values():  # the same rows for all models: the same positives in every resample
        assert np.asarray(table.Pos) == pytest.approx(np.asarray(first.Pos))
        assert np.asarray(table.Neg) == pytest.approx(np.asarray(first.Neg))
    assert np.ptp(np.asarray(first.Pos)) > 0


def test_drawing_from_the_small_table_is_drawing_rows():
    plain = resample_tables(three_scored(), AT, 8000, np.random.default_rng(1))
    one_by_one = resample_tables(three_scored(clusters=np.arange(120)), AT, 8000, np.random.default_rng(2))
    for one, other in (("a", "b"), ("b", "c")):
        spread = [np.cov(t[one].accuracy[1:], t[other].accuracy[1:]) for t in (plain, one_by_one)]
        assert spread[0] == pytest.approx(spread[1], rel=0.1, abs=1e-4)


def test_resampled_costs_choose_as_choose_does():
    condition = th.OperatingCondition(cost_ratio=2)
    data = three_scored()
    result = resample_costs(data, condition, 5, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    labels, scores = three_models()
    for i in range(1, 6):
        drawn = rng.integers(120, size=120)
        for name in AT:
            chosen = th.choose(th.rank(labels[drawn], scores[name][drawn]), condition)
            assert result[name][i] == pytest.approx(chosen.expected_cost, abs=1e-12)


@pytest.mark.parametrize("condition", [th.OperatingCondition(cost_ratio=0.05), th.OperatingCondition(class_ratio=0.01)])
def test_where_calling_nothing_is_cheapest_it_costs_what_misses_do(condition):
    labels, scores = three_models()
    scores = {name: -values for name, values in scores.items()}  # the first to be called are mostly negative
    result = resample_costs(ti.ScoredRows.of(labels, scores), condition, 30, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    sides = np.flatnonzero(labels), np.flatnonzero(~labels)
    if condition.class_ratio is None:
        redrawn = list(rng.integers(120, size=(30, 120)))
    else:  # class by class, all draws of positives first
        redrawn = list(np.hstack([side[rng.integers(side.size, size=(30, side.size))] for side in sides]))
    for i, drawn in enumerate([np.arange(120), *redrawn]):
        nothing = th.Contingency(tp=0, fn=int(labels[drawn].sum()), fp=0, tn=int((~labels[drawn]).sum()))
        for name in AT:
            assert result[name][i] <= condition.expected_cost(nothing) + 1e-12
            chosen = th.choose(th.rank(labels[drawn], scores[name][drawn]), condition)
            assert result[name][i] == pytest.approx(chosen.expected_cost, abs=1e-12)


def test_to_call_nothing_refuses_an_infinite_score():
    labels, scores = three_models()
    top = int(np.flatnonzero(~labels)[0])
    for values in scores.values():
        values[top] = np.inf
    condition = th.OperatingCondition(cost_ratio=0.01)
    data = ti.ScoredRows.of(labels, scores)
    result = resample_costs(data, condition, 5, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    for i in range(6):
        drawn = np.arange(120) if i == 0 else rng.integers(120, size=120)
        for name in AT:
            chosen = th.choose(th.rank(labels[drawn], scores[name][drawn]), condition)
            assert result[name][i] == pytest.approx(chosen.expected_cost, abs=1e-12)
            assert result[name][i] <= labels[drawn].mean() * 0.01 + 1e-12


def test_models_that_call_nothing_are_equal():
    """Above every score no model has a precision, and all have the same accuracy: neither is better."""
    labels, scores = three_models()
    above = dict.fromkeys(AT, 99.0)
    precision = th.compare(labels, scores, measure="precision", thresholds=above)["a", "b"]
    assert np.isnan(precision.difference)
    assert (precision.verdict, precision.note) == ("undecided", "the measure is undefined on the data")
    accuracy = th.compare(labels, scores, measure="accuracy", thresholds=above)["a", "b"]
    assert (accuracy.difference, accuracy.p_value, accuracy.verdict) == (0, 1, "undecided")
    assert "all resamples agree" in accuracy.note
    few = min(int(labels.sum()), int((~labels).sum()))
    assert accuracy.upper == -accuracy.lower == pytest.approx(1 - 0.025 ** (1 / few))
    wide = th.compare(labels, scores, measure="accuracy", thresholds=above, margin=0.5)["a", "b"]
    assert wide.verdict == "practically equal"


@pytest.mark.parametrize("more", [{}, {"weights": np.linspace(1, 2, 40)}])
def test_single_precision_scores_are_compared_as_doubles(more):
    """A threshold between two neighbouring singles rounds to one of them unless the scores become doubles first."""
    low = np.float32(0.5)
    high = np.nextafter(low, np.float32(1))
    labels, scores = np.array([0, 1] * 20), np.array([low, high] * 20)
    between = (float(low) + float(high)) / 2
    models = {"a": scores, "b": scores[::-1].copy()}
    result = th.compare(labels, models, measure="accuracy", thresholds={"a": between, "b": between}, **more)
    assert result.estimates["a"] == 1
    assert result.estimates["b"] == 0


@pytest.mark.parametrize("more", [{}, {"weights": np.full(120, 2.0)}, {"clusters": np.arange(120)}])
def test_stratified_resamples_hold_the_classes_fixed_unless_there_are_clusters(more):
    for stratified in (True, False):
        result = resample_tables(three_scored(**more), AT, 50, np.random.default_rng(1), stratified=stratified)
        for table in result.values():
            assert (np.ptp(table.Pos) == 0) == (stratified and "clusters" not in more)
            assert np.ptp(table.total) == 0
            assert np.ptp(table.tp) > 0


@pytest.mark.parametrize("seed", [11, 17])
def test_the_order_of_rows_does_not_matter_where_a_model_makes_no_error(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(6, 30))
    labels = (rng.random(rows) < 0.4).astype(int)
    perfect, poor = np.where(labels, 0.9, 0.1) + rng.random(rows) * 0.05, rng.random(rows)
    weights = rng.random(rows) + 0.1

    def p_value(order):
        scores = {"a": perfect[order], "b": poor[order]}
        result = ti.compare(labels[order], scores, weights=weights[order])
        assert result.estimates["a"] == 1
        return result["a", "b"].p_value

    expected = p_value(np.arange(rows))
    for _ in range(20):
        assert p_value(rng.permutation(rows)) == pytest.approx(expected, rel=1e-9)


def test_the_same_scores_have_the_same_auc_in_every_place():
    rng = np.random.default_rng(50)
    labels, scores = rng.random(50) < 0.4, rng.random(50)
    result = ti.compare(labels, {f"m{i}": scores for i in range(5)})
    assert {one.difference for one in result.differences.values()} == {0.0}
