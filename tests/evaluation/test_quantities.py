"""Quantities of an evaluation: limits that allow for the search of a threshold, and are never surer than the cases."""

import math

import numpy as np
import pytest
from scipy.special import ndtr

import thresher as th
from thresher.evaluation import quantities
from thresher.evaluation.model import NUMBERS
from thresher.evaluation.requirements import judge, requirement
from thresher.laboratory import Scores, coverage
from thresher.tables import MODEL_NUMBERS

REPLICATES = 200


@pytest.fixture(scope="module")
def columns():
    """Labels, two models of different worth, weights and clusters: 240 rows."""
    rng = np.random.default_rng(7)
    positive = rng.random(240) < 0.4
    noise = rng.normal(size=(2, 240))
    scores = {
        name: 1 / (1 + np.exp(-(noise[i] + worth * positive)))
        for i, (name, worth) in enumerate({"forest": 2.5, "bayes": 1.0}.items())
    }
    return {"malignant": positive, **scores, "weight": rng.uniform(0.5, 2, 240), "patient": np.arange(240) // 2}


@pytest.fixture(scope="module")
def gate(columns):
    scores = {name: columns[name] for name in ("forest", "bayes")}
    evaluation = th.evaluate(columns["malignant"], scores, condition=th.OperatingCondition(cost_ratio=3))
    return lambda text: judge(requirement(text), evaluation, replicates=REPLICATES), evaluation


def test_numbers_are_those_of_the_evaluation(gate):
    of, evaluation = gate
    model = evaluation["bayes"]
    assert list(model.numbers) == list(NUMBERS)
    for name, interval in model.numbers.items():
        judgement = of(f"bayes:{name} >= 0")
        assert judgement.interval == interval, name
        assert judgement.threshold is None
        assert of(f"bayes:{name}.estimate >= 0").observed == interval.estimate
    for name in ("expected_cost", "out_of_bag_cost"):
        assert of(f"bayes:{name} >= 0").interval == getattr(model, name)


def test_scores_that_are_no_probabilities_lack_some_numbers():
    evaluation = th.evaluate([0, 1] * 20, [3, 5] * 20)
    for name in ("brier", "log_loss", "miscalibration", "refinement"):
        judgement = judge(requirement(f"{name} <= 1"), evaluation, replicates=REPLICATES)
        assert not judgement.passed
        assert judgement.interval.note == "the scores of model are no probabilities"


def test_a_fixed_threshold_needs_no_resampling(gate, columns):
    of, _ = gate
    table = th.tables.contingency_at(th.rank(columns["malignant"], columns["forest"]), 0.4)
    judgement = of("recall@threshold=0.4 >= 0")
    assert judgement.interval == th.interval(table, "recall")
    assert judgement.threshold == 0.4


@pytest.mark.parametrize("text", ["recall@fpr<=0.1 >= 0", "fpr@recall>=0.9 <= 1", "precision >= 0", "f2@fpr<0.3 >= 0"])
def test_a_threshold_that_was_looked_for_makes_limits_no_narrower(gate, columns, text):
    of, evaluation = gate
    judgement = of(text)
    table = th.tables.contingency_at(evaluation["forest"].ranking, judgement.threshold)
    plain = th.interval(table, judgement.requirement.quantity.name)
    assert judgement.interval.estimate == pytest.approx(plain.estimate)
    assert judgement.interval.lower <= plain.lower
    assert judgement.interval.upper >= plain.upper
    assert len(columns["malignant"]) == 240


def test_the_best_under_a_constraint_is_what_choose_finds(gate):
    of, evaluation = gate
    choice = th.choose(evaluation["forest"].ranking, maximise="recall", subject_to="fpr <= 0.1")
    assert of("recall@fpr<=0.1 >= 0").interval.estimate == choice.value


def test_a_perfect_model_is_not_certain():
    labels, scores = [0, 1] * 20, [0.1, 0.9] * 20
    evaluation = th.evaluate(labels, scores)
    for name in ("ks", "average_precision", "recall@fpr<=0.1", "precision", "auc"):
        judgement = judge(requirement(f"{name} >= 0.5"), evaluation, replicates=REPLICATES)
        assert judgement.interval.estimate == 1
        assert 0.5 < judgement.interval.lower < 1


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("cases", [3, 20])
def test_no_limit_is_impossible(cases, clustered):
    labels, scores = [0, 1] * cases, [0.1, 0.9] * cases
    clusters = list(range(2 * cases)) if clustered else None
    evaluation = th.evaluate(labels, scores, clusters=clusters)
    for text in ("recall <= 1", "ks <= 1", "average_precision <= 1", "pr_area <= 1", "auc <= 1", "tpr@fpr<=0.1 <= 1"):
        judgement = judge(requirement(text), evaluation, replicates=REPLICATES)
        assert 0 <= judgement.interval.lower < judgement.interval.estimate == judgement.interval.upper == 1
        assert judgement.passed
    for text in ("fpr >= 0", "fpr@tpr>=0.9 >= 0", "fpr@threshold=0.5 >= 0", "log_loss >= 0"):
        judgement = judge(requirement(text), evaluation, replicates=REPLICATES)
        assert judgement.interval.lower >= 0
        assert judgement.passed


def test_moving_limits_to_all_scores_keeps_them_possible(monkeypatch):
    monkeypatch.setattr(quantities, "MOST_SEGMENTS", 5)
    scores = np.arange(40.0)
    labels = scores >= 19
    labels[18] = True
    labels[19] = False
    evaluation = th.evaluate(labels, scores)
    judgement = judge(requirement("recall@fpr<=0.1 <= 1"), evaluation, replicates=REPLICATES)
    best = th.choose(th.rank(labels, scores), maximise="recall", subject_to="fpr <= 0.1")
    assert judgement.interval.estimate == pytest.approx(best.value)
    assert judgement.interval.upper <= 1
    assert judgement.passed


def test_joining_scores_hardly_moves_the_limits(monkeypatch):
    rng = np.random.default_rng(5)
    labels = rng.random(4000) < 0.3
    scores = {"model": rng.normal(size=4000) + 1.5 * labels}
    evaluation = th.evaluate(labels, scores)
    for text in ("recall@fpr<=0.1 >= 0", "precision@recall>=0.5 >= 0"):
        fine = judge(requirement(text), evaluation, replicates=REPLICATES).interval
        with monkeypatch.context() as patched:
            patched.setattr(quantities, "MOST_SEGMENTS", 500)
            coarse = judge(requirement(text), evaluation, replicates=REPLICATES).interval
        assert coarse.estimate == fine.estimate
        assert coarse.width == pytest.approx(fine.width, rel=0.25)
        assert abs(coarse.lower - fine.lower) < 0.2 * fine.width


def test_entire_clusters_are_drawn_with_their_weights(columns):
    scores = {"forest": columns["forest"]}
    options = {"clusters": columns["patient"], "weights": columns["weight"]}
    evaluation = th.evaluate(columns["malignant"], scores, **options)
    for text in ("ks >= 0", "recall@threshold=0.5 >= 0", "recall@fpr<=0.2 >= 0"):
        judgement = judge(requirement(text), evaluation, replicates=REPLICATES)
        assert judgement.interval.lower < judgement.interval.estimate < judgement.interval.upper
        assert judgement.passed


def test_plain_data_hold_no_infinities(gate):
    of, _ = gate
    answer = of("precision@recall>1 >= 0.5").to_dict()
    assert answer["observed"] is None
    assert answer["passed"] is False
    assert "no threshold meets" in answer["interval"]["note"]
    assert not any(isinstance(value, float) and not math.isfinite(value) for value in answer.values())


TEXTS = [
    *(name for name in MODEL_NUMBERS if name not in ("partial_auc", "standardised_partial_auc", "net_benefit")),
    "partial_auc[fpr<=0.2]",
    "standardised_partial_auc[tpr>=0.7]",
    "net_benefit@0.2",
    "recall@threshold=0.5",
    "precision@recall>=0.5",
    "expected_cost@threshold=0.5",
    "f2",
]


@pytest.mark.parametrize("condition", [None, th.OperatingCondition(prevalence=0.05, cost_ratio=4)])
@pytest.mark.parametrize("kind", ["plain", "weights", "clusters"])
def test_evaluate_gives_every_quantity_of_every_model_as_the_gate_does(columns, condition, kind):
    options = {"weights": {"weights": columns["weight"]}, "clusters": {"clusters": columns["patient"]}}.get(kind, {})
    scores = {name: columns[name] for name in ("forest", "bayes")}
    settings = {"condition": condition, "trained_at": 0.5, **options}
    evaluation = th.evaluate(columns["malignant"], scores, measures=TEXTS, replicates=REPLICATES, **settings)
    assert list(evaluation.quantities) == ["forest", "bayes"]
    ratio = None if condition is None else condition.class_ratio
    for model, each in evaluation.quantities.items():
        assert list(each) == TEXTS
        for text, interval in each.items():
            assert interval.lower <= interval.estimate <= interval.upper, text
            assert interval == judge(requirement(f"{model}:{text} >= 0"), evaluation, replicates=REPLICATES).interval, (
                text
            )
        part = evaluation[model]
        production = part.production
        assert each["partial_auc[fpr<=0.2]"].estimate == pytest.approx(th.partial_auc(part.ranking, fpr=(0, 0.2)))
        standardised = th.partial_auc(part.ranking, tpr=(0.7, 1), standardised=True)
        assert each["standardised_partial_auc[tpr>=0.7]"].estimate == pytest.approx(standardised)
        benefit = th.net_benefit(production, threshold=[0.2]).model[0]
        assert each["net_benefit@0.2"].estimate == pytest.approx(benefit)
        half = th.tables.contingency_at(part.ranking, 0.5)
        assert each["recall@threshold=0.5"].estimate == pytest.approx(half.tpr)
        cost = th.OperatingCondition() if condition is None else condition
        assert each["expected_cost@threshold=0.5"].estimate == pytest.approx(cost.expected_cost(half))
        assert each["f2"].estimate == pytest.approx(th.tables.measure("f2").of(part.table, class_ratio=ratio))
        assert each["brier"] == part.numbers["brier"]
        assert each["saving"] == evaluation.savings[model]
    assert evaluation.to_dict()["quantities"]["bayes"]["auc"]["estimate"] == evaluation["bayes"].auc.estimate
    assert "net_benefit@0.2" in str(evaluation)


def test_calibration_numbers_are_those_of_the_report(columns):
    condition = th.OperatingCondition(prevalence=0.1)
    rows = th.inference.ScoredRows.of(columns["malignant"], columns["bayes"])
    model = th.evaluate(columns["malignant"], columns["bayes"], condition=condition)["model"]
    report = th.inference.calibration_report(rows, condition=condition)
    plain = th.inference.calibration_report(th.rank(columns["malignant"], columns["bayes"]))
    for name, interval in report.numbers.items():
        for one, other in ((model.numbers[name], interval), (model.data_numbers[name], plain.numbers[name])):
            assert (one.estimate, one.lower, one.upper) == pytest.approx((other.estimate, other.lower, other.upper)), (
                name
            )


def test_partial_areas_cover_what_they_should():
    """Normal scores one apart: the area below fpr 0.2 is a known integral."""
    world = Scores.of_auc(ndtr(1 / math.sqrt(2)), prevalence=1 / 3)

    def area(sample):
        evaluation = th.evaluate(sample.labels, sample.scores, measures=["partial_auc[fpr<=0.2]"], replicates=50)
        return evaluation.quantities["model"]["partial_auc[fpr<=0.2]"]

    assert coverage(world, 120, area, world.partial_auc(0.2), replicates=150).estimate >= 0.9


@pytest.mark.parametrize(
    ("measures", "what"),
    [
        ("auc", "a list of texts"),
        (["acuracy"], "no quantity called"),
        (['recall["L"]'], "of several classes"),
        (["macro_f1"], "of several classes"),
    ],
)
def test_what_is_refused_before_anything_is_computed(measures, what):
    with pytest.raises(th.ThresherError, match=what):
        th.evaluate([0, 1], [0.1, 0.9], measures=measures)
