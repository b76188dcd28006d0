"""One production mix: every number of every function is stated at the class mix that the condition declares.

The oracle knows rows and nothing else: rates by counting, the mix by Bayes' rule, probabilities restated one by one.
"""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import thresher as th
from thresher._internal.text import percent_text
from thresher.evaluation import ThresholdEvaluation
from thresher.evaluation.requirements import judge, requirement
from thresher.evaluation.summary import rule_cells
from thresher.laboratory import Scores, coverage
from thresher.report.payload import payload

MEASURES = ("precision", "npv", "accuracy", "tpr", "fpr", "f1", "mcc", "lift", "predicted_positive_rate", "prevalence")
RARE = th.OperatingCondition(prevalence=0.01, cost_ratio=20)


def rows(seed, size):
    """Labels, and the probabilities of a good and of a poor model."""
    rng = np.random.default_rng(seed)
    labels = np.arange(size) < max(3, size // 3)
    scores = {
        name: np.clip(np.round(1 / (1 + np.exp(-(rng.normal(size=size) + shift * labels))), 2), 0.01, 0.99)
        for name, shift in (("good", 3), ("poor", 1))
    }
    return labels, scores


def of_rates(name, tpr, fpr, prevalence):
    """A measure from two rates and the mix, each formula written out."""
    tp, fn, fp, tn = prevalence * tpr, prevalence * (1 - tpr), (1 - prevalence) * fpr, (1 - prevalence) * (1 - fpr)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "precision": np.divide(tp, tp + fp),
            "npv": np.divide(tn, tn + fn),
            "accuracy": tp + tn,
            "tpr": tpr,
            "fpr": fpr,
            "f1": np.divide(2 * tp, 2 * tp + fp + fn),
            "mcc": np.divide(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))),
            "lift": np.divide(tp, (tp + fp) * prevalence),
            "predicted_positive_rate": tp + fp,
            "prevalence": prevalence,
        }[name]


def restated(p, prevalence, trained_at):
    odds = p / (1 - p) * (prevalence / (1 - prevalence)) / (trained_at / (1 - trained_at))
    return odds / (1 + odds)


def rates(evaluation: ThresholdEvaluation, name, labels, scores):
    calls = scores[name] >= evaluation[name].choice.threshold
    return calls[labels].mean(), calls[~labels].mean()


@settings(max_examples=10)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(12, 40),
    st.floats(0.001, 0.9),
    st.floats(0.2, 50),
    st.none() | st.floats(0.05, 0.9),
)
def test_every_number_is_stated_at_the_declared_mix(seed, size, prevalence, cost_ratio, trained_at):
    labels, scores = rows(seed, size)
    condition = th.OperatingCondition(prevalence=prevalence, cost_ratio=cost_ratio)
    evaluation = th.evaluate(labels, scores, condition=condition, trained_at=trained_at, replicates=5)
    plain = evaluation.to_dict()
    weight = np.where(labels, prevalence / labels.mean(), (1 - prevalence) / (1 - labels.mean())) / size
    for name, score in scores.items():
        model = evaluation[name]
        tpr, fpr = rates(evaluation, name, labels, scores)
        alone = th.choose(th.rank(labels, score), condition)
        for measure in MEASURES:
            expected = pytest.approx(of_rates(measure, tpr, fpr, prevalence), abs=1e-9, nan_ok=True)
            interval = model.measures[measure]
            assert interval.estimate == expected
            assert alone.measures[measure] == expected
            written = plain["models"][name]["measures"][measure]["estimate"]
            assert (np.nan if written is None else written) == pytest.approx(interval.estimate, nan_ok=True)
            assert np.isnan(interval.estimate) or interval.lower <= interval.estimate <= interval.upper
        p = restated(score, prevalence, labels.mean() if trained_at is None else trained_at)
        assert model.numbers["brier"].estimate == pytest.approx(weight @ (p - labels) ** 2, abs=1e-9)
        loss = -np.where(labels, np.log(p), np.log1p(-p))
        assert model.numbers["log_loss"].estimate == pytest.approx(weight @ loss, abs=1e-9)
        assert model.expected_cost.estimate == pytest.approx(
            prevalence * (1 - tpr) * cost_ratio + (1 - prevalence) * fpr, abs=1e-9
        )
    decision = evaluation.decision
    assert decision.condition.prevalence == pytest.approx(prevalence)
    assert decision.data_prevalence == pytest.approx(labels.mean())
    agree(evaluation, labels, scores, seed)


def agree(evaluation, labels, scores, seed):
    """gate, compare, the texts, the page and apply say what the evaluation says."""
    decision = evaluation.decision
    model = evaluation[decision.model]
    for measure in MEASURES:
        asked = requirement(f"{decision.model}:{measure}.estimate >= 0")
        expected = pytest.approx(model.measures[measure].estimate, abs=1e-9, nan_ok=True)
        assert judge(asked, evaluation, replicates=100).observed == expected
    calls = decision.apply(scores)
    table = th.contingency(labels, calls)
    assert (table.tp, table.fp) == (model.table.tp, model.table.fp)
    precision = model.measures["precision"].estimate
    if not np.isnan(precision):
        rule = next(iter(evaluation.rules.values()))
        assert rule_cells(evaluation, rule)[3][0] == percent_text(precision)
        assert percent_text(precision) in str(evaluation)
    measure = MEASURES[seed % 8]  # the last two have no better side
    if seed % 2 == 0 and not any(np.isnan(each.measures[measure].estimate) for each in evaluation.models.values()):
        compared = th.compare(labels, scores, measure=measure, condition=evaluation.condition, replicates=100)
        for name, value in compared.estimates.items():
            assert value == pytest.approx(evaluation[name].measures[measure].estimate, abs=1e-9)
    settled = {"condition": evaluation.condition, "trained_at": decision.trained_at}
    for text in ("brier", "log_loss", "average_precision", "net_benefit@0.1", "calibration_in_the_large"):
        name, at, place = text.partition("@")
        gate = judge(requirement(f"{decision.model}:{name}.estimate{at}{place} >= -9"), evaluation, replicates=100)
        again = th.bootstrap(model.ranking, [text], replicates=1, **settled)
        assert gate.observed == pytest.approx(again.estimate(text), abs=1e-9)
    if seed % 4 == 0:
        shown = {each["name"]: each for each in payload(evaluation)["models"]}
        for name, each in evaluation.models.items():
            for entry in shown[name]["measures"]:
                estimate = float(entry["interval"]["estimate"])
                assert estimate == pytest.approx(each.measures[entry["name"]].estimate, abs=1e-9, nan_ok=True)


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.integers(12, 60), st.floats(0.05, 0.9))
def test_probabilities_made_for_another_mix_are_restated_for_that_of_the_rows(seed, size, trained_at):
    labels, scores = rows(seed, size)
    evaluation = th.evaluate(labels, scores, trained_at=trained_at, replicates=5)
    for name, score in scores.items():
        p = restated(score, labels.mean(), trained_at)
        numbers = evaluation[name].numbers
        assert numbers["brier"].estimate == pytest.approx(np.mean((p - labels) ** 2), abs=1e-9)
        assert evaluation[name].choice.threshold == th.choose(th.rank(labels, score)).threshold
        own = th.OperatingCondition(prevalence=float(labels.mean()))
        declared = th.evaluate(labels, scores, condition=own, trained_at=trained_at, replicates=5)[name]
        assert numbers["log_loss"].estimate == pytest.approx(declared.numbers["log_loss"].estimate, abs=1e-9)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(12, 60), st.floats(0.001, 0.9), st.floats(0.2, 50))
def test_a_decision_gives_probabilities_at_the_declared_mix(seed, size, prevalence, cost_ratio):
    """Among rows of one probability of the map, re-weighted to the mix, that share is positive."""
    labels, scores = rows(seed, size)
    condition = th.OperatingCondition(prevalence=prevalence, cost_ratio=cost_ratio)
    decision = th.evaluate(labels, scores, condition=condition, replicates=5).decision
    probability = decision.probability(scores[decision.model])
    weight = np.where(labels, prevalence / labels.mean(), (1 - prevalence) / (1 - labels.mean()))
    for value in np.unique(probability):
        here = probability == value
        assert value == pytest.approx(weight[here & labels].sum() / weight[here].sum(), abs=1e-9)


def test_without_a_declared_mix_the_data_speak_for_themselves():
    labels, scores = rows(1, 40)
    evaluation = th.evaluate(labels, scores, condition=th.OperatingCondition(cost_ratio=3), replicates=5)
    for model in evaluation.models.values():
        assert model.measures is model.data_measures
        assert model.numbers is model.data_numbers
        assert model.production is model.ranking
        assert not model.mix_declared


@pytest.mark.parametrize("weighted", [False, True])
def test_limits_come_from_the_sampling_of_tpr_and_fpr(weighted):
    """A rarer mix than the data's makes precision lower, not surer of itself than its rates are."""
    labels, scores = rows(5, 400)
    weights = np.full(labels.size, 3.0) if weighted else None
    evaluation = th.evaluate(labels, scores["good"], condition=RARE, replicates=5, weights=weights)["model"]
    precision = evaluation.measures["precision"]
    in_data = evaluation.data_measures["precision"]
    assert precision.upper < in_data.lower
    ends = [of_rates("precision", t, f, 0.01) for t in _ends(evaluation, "tpr") for f in _ends(evaluation, "fpr")]
    assert min(ends) <= precision.lower <= precision.estimate <= precision.upper <= max(ends)
    assert evaluation.measures["tpr"] == evaluation.data_measures["tpr"]
    assert evaluation.measures["prevalence"].width == 0


def _ends(model, name):
    interval = model.measures[name]
    return interval.lower, interval.upper


def test_scores_that_are_no_probabilities_have_no_losses():
    labels, scores = rows(5, 60)
    evaluation = th.evaluate(labels, scores["good"] * 10, condition=RARE, replicates=5)["model"]
    assert set(evaluation.numbers) == {"auc", "average_precision", "pr_area", "ks"}
    assert evaluation.average_precision < evaluation.data_numbers["average_precision"].estimate


def test_limits_of_numbers_of_the_model_hold_at_a_declared_mix():
    """Of rows with 37.5 % positives, intervals at 5 % hold the truth of the world in which 5 % are."""
    rows, deployed = (Scores.of_auc(0.855, prevalence=share).as_probabilities() for share in (0.375, 0.05))
    truth = {name: getattr(deployed, name) for name in ("brier", "average_precision", "log_loss")}
    options: dict[str, Any] = {
        "condition": th.OperatingCondition(prevalence=0.05),
        "trained_at": 0.375,
        "replicates": 2,
    }

    def numbers(sample):
        return th.evaluate(sample.labels, sample.scores, **options)["model"].numbers

    shares = coverage(rows, 160, numbers, truth, replicates=120)
    assert {name: share.estimate for name, share in shares.items() if share.estimate < 0.9} == {}


@pytest.mark.parametrize("wrong", [0, 1, -0.1, 2, np.nan, "half", [0.5]])
def test_trained_at_is_a_prevalence(wrong):
    with pytest.raises(th.errors.ArgumentError, match="trained_at must lie between 0 and 1"):
        th.evaluate([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.3], trained_at=wrong)
