""""""

import json
import math

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import thresher as th
from tests.inference import class_examples
from thresher.inference.intervals.confusion import call_intervals
from thresher.inference.intervals.loss import log_loss_interval

LABELS, MODELS = class_examples.rows(90, 9)
MATRIX = MODELS["poor"]
WEIGHTS = np.random.default_rng(0).exponential(size=90) + 0.1
CLUSTERS = np.arange(90) // 3


def model(**more):
    return class_examples.evaluate(LABELS, MATRIX, **more)["model"]


def same(one, other):
    for field in ("estimate", "lower", "upper", "variance", "level"):
        assert getattr(one, field) == pytest.approx(getattr(other, field), nan_ok=True), field


@pytest.mark.parametrize(
    "more", [{}, {"weights": WEIGHTS}, {"clusters": CLUSTERS}, {"weights": WEIGHTS, "clusters": CLUSTERS}]
)
def test_every_number_is_that_of_the_function_of_its_name(more):
    evaluation = model(**more)
    weights = more.get("weights")
    assert evaluation.confusion == th.confusion(LABELS, MATRIX.argmax(axis=1), weights=weights)
    segments = th.segment(LABELS, MATRIX, weights=weights)
    assert evaluation.segments == segments
    assert evaluation.rankings == {i: th.rank(i == LABELS, MATRIX[:, i], weights=weights) for i in range(3)}
    assert evaluation.expected_cost.estimate == pytest.approx(th.choose(segments).expected_cost)
    assert evaluation.brier.estimate == pytest.approx(th.brier(th.segment(LABELS, MATRIX, weights=weights)))
    assert evaluation.log_loss.estimate == pytest.approx(th.log_loss(th.segment(LABELS, MATRIX, weights=weights)))
    areas = class_examples.areas(LABELS, MATRIX, **more)
    for name in ("one_vs_rest_macro", "one_vs_rest_weighted", "one_vs_one_macro", "one_vs_one_weighted"):
        assert getattr(evaluation.auc, name) == getattr(areas, name)
    for i in range(3):
        same(
            evaluation.auc.one_vs_rest[i],
            th.auc_interval(th.inference.ScoredRows.of(i == LABELS, MATRIX[:, i], **more)),
        )


def test_weights_and_clusters_reach_the_rates():
    same(model().rates.macro_f1, th.intervals(model().confusion).macro_f1)
    evaluation = model(weights=WEIGHTS, clusters=CLUSTERS, level=0.8)
    calls = MATRIX.argmax(axis=1)
    rates = call_intervals(evaluation.confusion, LABELS, calls, WEIGHTS, CLUSTERS, level=0.8)
    for name in ("overall_accuracy", "macro_f1", "macro_recall", "macro_precision"):
        same(getattr(evaluation.rates, name), getattr(rates, name))
    assert evaluation.rates.recall == rates.recall


@pytest.mark.parametrize("name", ["brier", "log_loss"])
def test_losses_widen_with_clusters_and_weights_and_level(name):
    plain = getattr(model(), name)
    tenfold = class_examples.evaluate(
        np.repeat(LABELS, 10), np.repeat(MATRIX, 10, axis=0), clusters=np.repeat(np.arange(90), 10)
    )["model"]
    same(getattr(tenfold, name), plain)
    assert getattr(model(weights=WEIGHTS**3), name).width > plain.width
    assert getattr(model(level=0.5), name).width < plain.width


def test_two_classes_have_the_brier_score_of_two_classes():
    labels, models = class_examples.rows(50, 1, classes=2)
    evaluation = class_examples.evaluate(labels, models["good"])["model"]
    same(evaluation.brier, th.inference.brier_interval(th.rank(labels, models["good"][:, 1])))


def test_sure_and_right_allows_for_the_losses_that_are_foretold():
    """Twenty right calls at 0.97 and more: what may go wrong now and then makes the limits, of k classes as of two."""
    p = np.linspace(0.97, 0.99, 20)
    labels = np.tile([0, 1], 10)
    score = np.where(labels == 1, p, 1 - p)
    evaluation = class_examples.evaluate(labels, np.column_stack([1 - score, score]))["model"]
    same(evaluation.brier, th.inference.brier_interval(th.rank(labels, score)))
    same(evaluation.log_loss, log_loss_interval(th.rank(labels, score)))
    assert evaluation.log_loss.upper > 3 * evaluation.log_loss.estimate


def test_certain_and_wrong_is_infinite_and_says_so():
    matrix = MATRIX.copy()
    matrix[0] = np.eye(3)[(LABELS[0] + 1) % 3]
    evaluation = class_examples.evaluate(LABELS, matrix)["model"]
    assert evaluation.log_loss.estimate == math.inf
    assert evaluation.to_dict()["numbers"]["log_loss"]["estimate"] is None
    assert math.isfinite(evaluation.brier.upper)


def test_plain_data_follow_the_order_of_classes():
    plain = model().to_dict()
    assert plain["by_class"]["recall"][2]["estimate"] == model().rates.recall[2].estimate
    assert plain["by_class"]["one_vs_rest"][1] == model().auc.one_vs_rest[1].to_dict()
    assert plain["confusion"] == model().confusion.to_dict()


LABELS_OF_CLASS_REMARKS, MODELS_OF_CLASS_REMARKS = class_examples.rows(150, 5)
GOOD = MODELS_OF_CLASS_REMARKS["good"]
CERTAIN = {"matrix": np.eye(3)[GOOD.argmax(axis=1)]}
NEVER_2 = GOOD * [1, 1, 0.001] / (GOOD * [1, 1, 0.001]).sum(axis=1, keepdims=True)
STRAY = {"labels": [*LABELS_OF_CLASS_REMARKS[:-3].tolist(), 7, 8, 9], "classes": [0, 1, 2], "other": 1}


PLAIN = th.OperatingCondition(costs=th.CostMatrix.equal([0, 1, 2]), mix=dict.fromkeys(range(3), 1 / 3))


def cautions(labels=LABELS_OF_CLASS_REMARKS, matrix=GOOD, **more):
    more.setdefault("condition", PLAIN)
    return {caution.code: caution.text for caution in class_examples.evaluate(labels, matrix, **more).cautions}


def test_nothing_to_remark():
    assert cautions() == {}


@pytest.mark.parametrize(
    ("code", "text", "options"),
    [
        ("few-cases-of-class", "class 2 has only 29 cases", {"labels": [0] * 61 + [1] * 60 + [2] * 29}),
        ("few-clusters", "only 29 clusters", {"clusters": np.arange(150) % 29}),
        ("extreme-class-ratio", "class 0 is 147 times as frequent as 1", {"labels": [0] * 147 + [1, 2, 2]}),
        ("certain-and-wrong", "probability 0 from model for what they are", CERTAIN),
        ("class-never-called", "never calls a case 2", {"matrix": NEVER_2}),
        ("no-better-than-nothing", "costs 0.", {"matrix": GOOD[:, [1, 2, 0]]}),
        ("predictions-not-likeliest", "predictions of model", {"predictions": (GOOD.argmax(axis=1) + 1) % 3}),
        ("tied-actions", "in 150 cases", {"matrix": np.full((150, 3), 1 / 3), "condition": None}),
        ("one-score", "every case the same", {"matrix": np.full((150, 3), 1 / 3)}),
        ("auc-below-half", "for 2 against the rest", {"matrix": GOOD[:, [1, 2, 0]]}),
        ("pooled-labels", "were pooled: 7, 8 and 9 (3 of 150 rows)", STRAY),
    ],
)
def test_what_a_careful_analyst_would_notice(code, text, options):
    assert text in cautions(**options)[code]


@pytest.mark.parametrize(("cases", "few"), [(29, True), (30, False)])
def test_few_cases_are_fewer_than_thirty(cases, few):
    labels = np.repeat([0, 1, 2], [60, 90 - cases, cases])
    assert ("few-cases-of-class" in cautions(labels)) is few


def test_predictions_that_follow_from_the_matrix_are_no_news():
    assert "predictions-not-likeliest" not in cautions(predictions=GOOD.argmax(axis=1))


WINE = load_wine()
TRAIN, TEST, TRAIN_Y, TEST_Y = train_test_split(WINE.data[:, :4], WINE.target, random_state=1, stratify=WINE.target)
PROBABILITIES = make_pipeline(StandardScaler(), LogisticRegression()).fit(TRAIN, TRAIN_Y).predict_proba(TEST)
EVALUATION = class_examples.evaluate(TEST_Y, {"logistic": PROBABILITIES, "uniform": np.full_like(PROBABILITIES, 1 / 3)})


def test_the_numbers_are_those_of_scikit_learn():
    model = EVALUATION["logistic"]
    assert model.rates.overall_accuracy.estimate == pytest.approx(accuracy_score(TEST_Y, PROBABILITIES.argmax(axis=1)))
    assert model.auc.one_vs_rest_macro.estimate == pytest.approx(
        roc_auc_score(TEST_Y, PROBABILITIES, multi_class="ovr")
    )
    assert model.auc.one_vs_one_macro.estimate == pytest.approx(roc_auc_score(TEST_Y, PROBABILITIES, multi_class="ovo"))
    assert model.log_loss.estimate == pytest.approx(log_loss(TEST_Y, PROBABILITIES))
    assert model.classes == EVALUATION.classes == (0, 1, 2)


def test_intervals_hold_their_estimates():
    for model in EVALUATION.models.values():
        for interval in (model.rates.overall_accuracy, model.auc.one_vs_rest_macro, model.auc.one_vs_one_weighted):
            assert interval.lower <= interval.estimate <= interval.upper


def test_given_predictions_are_reported_and_never_used():
    worst = (PROBABILITIES.argmax(axis=1) + 1) % 3
    evaluation = class_examples.evaluate(TEST_Y, {"a": PROBABILITIES}, predictions={"a": worst})
    assert evaluation["a"].predictions == th.confusion(TEST_Y, worst, classes=[0, 1, 2])
    assert evaluation["a"].confusion == EVALUATION["logistic"].confusion


def test_the_summary_names_every_model_class_and_difference():
    text = str(EVALUATION)
    for part in (
        "logistic",
        "uniform",
        "AUC, one-vs-rest, macro",
        "AUC against the rest",
        "3 classes",
        "log loss",
        "expected cost",
    ):
        assert part in text
    assert ["logistic", "-", "uniform", "one_vs_rest_macro"] in [line.split()[:4] for line in text.split("\n")]
    rule = "use logistic, least expected cost of 0, 1 and 2"
    assert repr(EVALUATION) == f"Evaluation(logistic, uniform; {len(TEST_Y)} rows; {rule})"
    assert isinstance(EVALUATION, th.Evaluation)
    assert isinstance(th.evaluate(TEST_Y == 1, PROBABILITIES[:, 1], replicates=20), th.Evaluation)


def test_models_are_compared_pair_by_pair():
    for measure, comparison in EVALUATION.comparisons.items():
        paired = th.compare(
            TEST_Y,
            {"logistic": PROBABILITIES, "uniform": np.full_like(PROBABILITIES, 1 / 3)},
            measure=measure,
        )
        assert comparison["logistic", "uniform"] == paired["logistic", "uniform"]
        assert comparison["logistic", "uniform"].verdict == "better"
    assert set(EVALUATION.comparisons) == {
        "expected_cost",
        "overall_accuracy",
        "macro_recall",
        "macro_f1",
        "one_vs_rest_macro",
        "one_vs_one_macro",
        "brier",
        "log_loss",
    }
    assert class_examples.evaluate(TEST_Y, PROBABILITIES).comparisons == {}


def test_weights_and_clusters_reach_every_part():
    weights, clusters = np.arange(len(TEST_Y)) % 4 + 1.0, np.arange(len(TEST_Y)) // 2
    models = {"logistic": PROBABILITIES, "uniform": np.full_like(PROBABILITIES, 1 / 3)}
    evaluation = class_examples.evaluate(TEST_Y, models, weights=weights, clusters=clusters)
    assert (evaluation.weighted, evaluation.clusters) == (True, len(set(clusters)))
    paired = th.compare(TEST_Y, models, weights=weights, clusters=clusters, measure="brier")
    assert evaluation.comparisons["brier"]["logistic", "uniform"] == paired["logistic", "uniform"]
    assert "weighted, in 23 clusters" in str(evaluation)
    for plain, other in zip(EVALUATION.models.values(), evaluation.models.values(), strict=True):
        assert plain.rates.macro_f1 != other.rates.macro_f1 or plain.name == "uniform"
        assert plain.confusion != other.confusion


def test_missing_rows_are_dropped_on_request_and_counted():
    holes = PROBABILITIES.copy()
    holes[:4, 2] = np.nan
    with pytest.raises(th.errors.MissingValueError, match="4 of 45"):
        class_examples.evaluate(TEST_Y, {"a": holes, "b": PROBABILITIES})
    evaluation = class_examples.evaluate(TEST_Y, {"a": holes, "b": PROBABILITIES}, missing="drop")
    assert (evaluation.rows, evaluation.dropped) == (41, 4)
    assert evaluation["b"].confusion == th.confusion(TEST_Y[4:], PROBABILITIES[4:].argmax(axis=1))
    assert "4 dropped for missing values" in str(evaluation)


def test_all_of_it_is_plain_data():
    plain = json.loads(EVALUATION.to_json())
    assert plain["classes"] == [0, 1, 2]
    assert plain["models"]["logistic"]["numbers"]["brier"]["lower"] == EVALUATION["logistic"].brier.lower
    assert plain["comparisons"]["brier"][0]["verdict"] == "better"
    assert {"code", "text"} == set(plain["cautions"][0])
    dates = np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="datetime64[D]")[TEST_Y]
    assert json.loads(class_examples.evaluate(dates, PROBABILITIES).to_json())["classes"][0] == "2024-01-01"


def test_bad_input():
    with pytest.raises(th.errors.ArgumentError, match="nothing says which class each column is of"):
        th.evaluate(TEST_Y, PROBABILITIES)
    with pytest.raises(th.errors.LengthError):
        class_examples.evaluate(TEST_Y, PROBABILITIES[:-1])
    with pytest.raises(th.errors.LengthError):
        class_examples.evaluate(TEST_Y, PROBABILITIES[:, :2])
    with pytest.raises(th.errors.ArgumentError, match="no models"):
        class_examples.evaluate(TEST_Y, {})
    with pytest.raises(th.errors.ArgumentError, match="no matrix"):
        class_examples.evaluate(TEST_Y, {"a": PROBABILITIES}, predictions={"b": TEST_Y})
    with pytest.raises(th.errors.ArgumentError, match="level"):
        class_examples.evaluate(TEST_Y, PROBABILITIES, level=0)
    with pytest.raises(th.errors.ArgumentError, match="no model 'x'"):
        EVALUATION["x"]


THRESHOLD = th.evaluate([1, 0, 1, 0], [0.9, 0.2, 0.4, 0.5], replicates=20).decision
COSTS = th.CostMatrix.by_class({2: 8}, [0, 1, 2])
EVEN = th.OperatingCondition(costs=COSTS, mix={0: 0.2, 1: 0.3, 2: 0.5})


@pytest.mark.parametrize("condition", [EVEN, th.OperatingCondition(costs=COSTS), None])
def test_the_decision_is_that_of_choose_and_repeats_its_calls(condition):
    result = class_examples.evaluate(LABELS_OF_CLASS_REMARKS, MODELS_OF_CLASS_REMARKS, condition=condition)
    decision = result.decision
    Draft202012Validator(th.Decision.schema()).validate(json.loads(decision.to_json()))
    assert th.Decision.from_json(decision.to_json()) == decision
    for name, matrix in MODELS_OF_CLASS_REMARKS.items():
        choice = th.choose(th.segment(LABELS_OF_CLASS_REMARKS, matrix), condition)
        model = result[name]
        assert model.expected_cost.estimate == pytest.approx(choice.expected_cost)
        assert model.foretold_cost.estimate == pytest.approx(choice.foretold)
        assert model.confusion == choice.confusion
    won = result[decision.model]
    assert decision.apply(MODELS_OF_CLASS_REMARKS).tolist() == won.costs.actions.tolist()
    assert decision.expected_cost == won.expected_cost
    constants = th.choose(won.segments, condition).constants
    assert decision.best_constant is not None
    assert decision.best_constant.cost.estimate == pytest.approx(min(constants.values()))
    assert decision.most_probable_cost == result.rules["most probable"].cost
    assert decision.saving == result.savings[decision.model] == result.saving
    assert result.baseline == min(("most probable", "constant"), key=lambda name: result.rules[name].cost.estimate)
    assert sum(result.wins.values()) == pytest.approx(1)


def test_probabilities_made_for_another_mix_are_restated():
    """Multiplied by any weights of classes, they decide and foretell as they did, once that is declared."""
    made_at = np.array([0.6, 0.3, 0.1])
    data = np.bincount(LABELS_OF_CLASS_REMARKS) / 150
    moved = GOOD * made_at / data
    moved /= moved.sum(axis=1, keepdims=True)
    plain = class_examples.evaluate(LABELS_OF_CLASS_REMARKS, GOOD, condition=EVEN)
    trained_at = dict(enumerate(made_at.tolist()))
    restated = class_examples.evaluate(LABELS_OF_CLASS_REMARKS, moved, condition=EVEN, trained_at=trained_at)
    assert restated["model"].expected_cost.estimate == pytest.approx(plain["model"].expected_cost.estimate)
    assert restated["model"].foretold_cost.estimate == pytest.approx(plain["model"].foretold_cost.estimate)
    assert restated["model"].log_loss.estimate == pytest.approx(plain["model"].log_loss.estimate)
    assert restated.decision.apply(moved).tolist() == plain.decision.apply(GOOD).tolist()
    with pytest.raises(th.errors.ArgumentError, match="trained_at of k classes is a share for each"):
        class_examples.evaluate(LABELS_OF_CLASS_REMARKS, GOOD, trained_at=0.3)


def test_other_costs_are_tried_one_by_one():
    result = class_examples.evaluate(LABELS_OF_CLASS_REMARKS, MODELS_OF_CLASS_REMARKS, condition=EVEN)
    for one in result.sensitivity.others[::5]:
        array = COSTS.to_array(rows="actual")
        array[one.actual, one.action] *= one.factor
        condition = th.OperatingCondition(costs=th.CostMatrix.from_array(array, [0, 1, 2], rows="actual"), mix=EVEN.mix)
        paid = {
            name: th.choose(th.segment(LABELS_OF_CLASS_REMARKS, matrix), condition).expected_cost
            for name, matrix in MODELS_OF_CLASS_REMARKS.items()
        }
        assert one.expected_cost == pytest.approx(min(paid.values()))
        assert one.of_decision == pytest.approx(paid[result.decision.model])


def test_the_rule_in_use_is_priced_as_calls_or_as_a_decision():
    first = class_examples.evaluate(LABELS_OF_CLASS_REMARKS, MODELS_OF_CLASS_REMARKS, condition=EVEN)
    calls = first.decision.apply(MODELS_OF_CLASS_REMARKS)
    for current in (first.decision, calls):
        again = class_examples.evaluate(
            LABELS_OF_CLASS_REMARKS, MODELS_OF_CLASS_REMARKS, condition=EVEN, current=current
        )
        assert again.rules["current"].cost == first[first.decision.model].expected_cost
    preferred = class_examples.evaluate(
        LABELS_OF_CLASS_REMARKS, MODELS_OF_CLASS_REMARKS, prefer="poor", margin=10, condition=EVEN
    )
    assert preferred.decision.model == "poor"
    assert preferred.decision.runner_up == "good"


def test_two_columns_with_a_positive_class_are_two_classes():
    labels, models = class_examples.rows(60, 2, classes=2)
    matrix = models["good"]
    column = th.evaluate(labels, {"m": matrix[:, 1]}, replicates=50)
    both = th.evaluate(labels, {"m": matrix}, classes=[0, 1], positive=1, replicates=50)
    assert both.to_dict() == column.to_dict()
    vectors = th.evaluate(labels, {"m": matrix}, classes=[0, 1], replicates=50)
    assert vectors.decision.rule.kind == "least-cost"
    with pytest.raises(th.errors.ArgumentError, match="positive is for two classes, and there are 3"):
        th.evaluate(LABELS_OF_CLASS_REMARKS, GOOD, classes=[0, 1, 2], positive=1)
    costs = th.OperatingCondition(costs=th.CostMatrix.equal([0, 1]))
    with pytest.raises(th.errors.ArgumentError, match="both positive and costs of named classes"):
        th.evaluate(labels, matrix, classes=[0, 1], positive=1, condition=costs)


@pytest.mark.parametrize(
    ("match", "more"),
    [
        (
            "'x', and the classes here are|'x'",
            {"condition": th.OperatingCondition(costs=th.CostMatrix.equal([0, 1, "x"]))},
        ),
        ("of two classes without names", {"condition": th.OperatingCondition(cost_ratio=2)}),
        ("called 'constant', the name of a rule", {"matrix": {"constant": GOOD}}),
        ("of two classes", {"measures": ["ks"]}),
        ("there is no class '7'", {"measures": ["recall[7]"]}),
        ("all 150 rows are of class 0", {"labels": [0] * 150}),
        ("the decision in use is a threshold", {"current": THRESHOLD}),
    ],
)
def test_bad_questions_are_answered_in_words(match, more):
    labels, matrix = more.pop("labels", LABELS_OF_CLASS_REMARKS), more.pop("matrix", GOOD)
    with pytest.raises(th.errors.ThresherError, match=match):
        class_examples.evaluate(labels, matrix, classes=[0, 1, 2], **more)


@pytest.mark.parametrize(
    "more", [{}, {"weights": np.arange(1, 121)}, {"clusters": np.arange(120) // 2}, {"fit": "weights"}]
)
def test_of_a_class_without_cases_numbers_are_undefined(more):
    rng = np.random.default_rng(4)
    vectors = rng.dirichlet([2, 2, 2, 0.2], 120)
    labels = np.array([rng.choice(list("abc"), p=row[:3] / row[:3].sum()) for row in vectors])
    evaluation = th.evaluate(labels, {"m": vectors, "n": vectors[:, [1, 0, 2, 3]]}, classes=list("abcd"), **more)
    own, costs = evaluation["m"], th.OperatingCondition(costs=th.CostMatrix.equal("abcd"))
    segments = th.segment(labels, vectors, classes=list("abcd"), weights=more.get("weights"))
    bayes = evaluation.rules["nothing fitted"].cost if "nothing fitted" in evaluation.rules else own.expected_cost
    assert bayes.estimate == pytest.approx(th.choose(segments, costs).expected_cost)
    for number in (own.rates.recall["d"], own.rates.macro_recall, own.auc.one_vs_rest_macro, own.auc.one_vs_rest["d"]):
        assert math.isnan(number.estimate)
        assert "no case is of" in number.note or "no actual positives" in number.note or "no such" in number.note
    assert own.auc.one_vs_rest["a"].estimate == pytest.approx(
        roc_auc_score(labels == "a", vectors[:, 0], sample_weight=more.get("weights"))
    )
    assert evaluation.comparisons["macro_recall"]["m", "n"].note == "no case is of class 'd'"
    assert "class 'd' has no case" in str(evaluation)
    json.loads(evaluation.to_json())
    mix = th.OperatingCondition(costs=th.CostMatrix.equal("abcd"), mix=dict.fromkeys("abcd", 0.25))
    with pytest.raises(th.ThresherError, match="gives class 'd' a share, and no case is of it"):
        th.evaluate(labels, vectors, classes=list("abcd"), condition=mix)


def test_probabilities_times_the_transposed_costs_is_another_decision():
    """Trap: `proba @ C.T` is right only where rows of C are predictions."""
    costs = th.CostMatrix({"a": {"b": 1, "c": 1}, "b": {"a": 5, "c": 1}, "c": {"a": 9, "b": 2}})
    vectors = np.random.default_rng(0).dirichlet([1, 1, 1], 200)
    actual, predicted = costs.to_array(rows="actual"), costs.to_array(rows="predicted")
    assert costs.expected(vectors) == pytest.approx(vectors @ predicted.T)
    assert (costs.decide(vectors) == (vectors @ predicted.T).argmin(axis=1)).all()
    assert (costs.decide(vectors) != (vectors @ actual.T).argmin(axis=1)).mean() > 0.1
