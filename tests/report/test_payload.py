"""The payload of the page: every number is the library's, whatever people named."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import thresher as th
from tests.report import examples
from tests.strategies import labelled_scores, two_class_rankings
from thresher.curves.hull import hull_splits
from thresher.evaluation.bands import class_bands, model_bands
from thresher.report.numbers import ci_text, interval_data
from thresher.report.page import embedded
from thresher.report.payload import (
    BARS,
    EVEN,
    EXACT,
    POINTS,
    bands_data,
    class_model_data,
    curve_data,
    distribution,
    model_data,
    payload,
    pools,
)
from thresher.report.static.tables import tables


def numbers(values):
    return np.array([float(value) for value in values])


@given(two_class_rankings)
def test_a_small_curve_has_every_split(ranking):
    curve, coverage = curve_data(ranking), th.coverage(ranking)
    assert curve["exact"]
    assert curve["splits"] == len(coverage)
    assert curve["tp"] == coverage.tp.tolist()
    assert curve["fp"] == coverage.fp.tolist()
    assert (numbers(curve["threshold"]) == coverage.threshold).all()
    assert curve["hull"] == hull_splits(ranking, pool="ties").tolist()


def many(rows, *, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < 0.3
    return th.rank(labels, rng.normal(size=rows) + labels)


def test_a_long_curve_keeps_the_hull_and_the_choice():
    ranking = many(20_000)
    chosen = 777
    curve = curve_data(ranking, keep=chosen)
    tp, fp = ranking.covered()
    assert not curve["exact"]
    assert curve["splits"] == 20_001
    assert len(curve["tp"]) <= POINTS + 1
    assert 0 < curve["deviation"] < 0.01
    corners = hull_splits(ranking, pool="ties")
    assert [curve["tp"][place] for place in curve["hull"]] == tp[corners].tolist()
    assert (tp[chosen], fp[chosen]) in zip(curve["tp"], curve["fp"], strict=True)


def test_short_thresholds_make_the_calls_that_are_counted():
    for rows in (EXACT + 5, 5_000):
        ranking = many(rows)
        curve = curve_data(ranking)
        for name in ("threshold", "lowest") if curve["exact"] else ("threshold",):
            table = th.tables.contingency_at(ranking, numbers(curve[name]))
            assert table.tp.tolist() == curve["tp"]
            assert table.fp.tolist() == curve["fp"]


def test_the_optimum_of_the_chosen_splits_is_that_of_all():
    ranking = many(30_000, seed=5)
    curve = curve_data(ranking)
    tp, fp = np.array(curve["tp"]), np.array(curve["fp"])
    for cost_ratio in np.geomspace(0.01, 100, 41):
        condition = th.OperatingCondition(cost_ratio=float(cost_ratio))
        cost = condition.expected_cost(th.Contingency(tp=tp, fn=ranking.Pos - tp, fp=fp, tn=ranking.Neg - fp))
        assert cost.min() == th.choose(ranking, condition).expected_cost


def straight(rows):
    """A perfect ranking upside down: its curve has three corners and no other point that the eye would miss."""
    return th.rank(np.arange(rows) >= rows // 2, -np.arange(rows) / rows)


def tied(rows):
    rng = np.random.default_rng(3)
    labels = rng.random(rows) < 0.01
    return th.rank(labels, np.where(rng.random(rows) < 0.6, 0.5, np.round(rng.random(rows), 4)))


@pytest.mark.parametrize("ranking", [straight(5_000), straight(100_000), many(30_000), tied(60_000)])
def test_any_threshold_has_one_near(ranking):
    curve = curve_data(ranking)
    cases = np.array(curve["tp"]) + np.array(curve["fp"])
    tie = (ranking.pos + ranking.neg).max()
    assert np.diff(cases).max() <= max((ranking.Pos + ranking.Neg) / EVEN, tie)
    assert len(curve["tp"]) <= 4_000
    assert len(json.dumps(curve)) <= 150_000


def test_integer_percents_stay_thresholds_of_probabilities():
    rng = np.random.default_rng(1)
    labels = rng.random(20_000) < 0.3
    ranking = th.rank(labels, 1 / (1 + np.exp(-rng.normal(size=20_000) - labels)))
    curve = curve_data(ranking)
    assert set(np.arange(2, 99) / 100) <= set(curve["threshold"])
    at = th.tables.contingency_at(ranking, numbers(curve["threshold"]))
    assert at.tp.tolist() == curve["tp"]


def test_the_first_and_last_scores_have_their_own_splits():
    ranking = many(5_000)
    curve = curve_data(ranking)
    assert curve["lowest"] == ["inf", ranking.score[0], ranking.score[-1]]
    assert (curve["tp"][1] + curve["fp"][1], curve["tp"][-2] + curve["fp"][-2]) == (1, 4_999)


def test_weights_are_not_rounded():
    ranking = th.rank([1, 0, 1], [3, 2, 1], weights=[0.5, 0.25, 0.125])
    assert curve_data(ranking)["tp"] == [0, 0.5, 0.5, 0.625]


@given(labelled_scores())
def test_every_case_is_in_one_bar(rows):
    labels, scores = rows
    ranking = th.rank(labels, scores)
    histogram = distribution(ranking)
    assert sum(histogram["pos"]) == ranking.Pos
    assert sum(histogram["neg"]) == ranking.Neg
    assert len(histogram["pos"]) == len(histogram["neg"]) == BARS
    assert len(histogram["edges"]) == BARS + 1


def test_bars_are_those_of_numpy():
    rng = np.random.default_rng(2)
    labels, scores = rng.random(500) < 0.5, rng.normal(size=500)
    histogram = distribution(th.rank(labels, scores))
    ends = scores.min(), scores.max()
    assert histogram["pos"] == np.histogram(scores[labels], BARS, ends)[0].tolist()
    assert histogram["neg"] == np.histogram(scores[~labels], BARS, ends)[0].tolist()


def test_probabilities_are_shown_over_the_unit():
    assert distribution(th.Ranking([0.4, 0.3], pos=[1, 0], neg=[0, 1]))["edges"][::BARS] == [0.0, 1.0]


def test_one_score_and_infinite_scores_have_a_width():
    for score in ([7.0], [np.inf], [-np.inf], [0.0]):
        edges = distribution(th.Ranking(score, pos=[1], neg=[1]))["edges"]
        assert edges[0] < edges[-1]


def test_lines_are_the_limits_to_a_hundred_thousandth():
    bands: Any = model_bands(examples.evaluation(250, count=1), "model 1")
    drawn = bands_data(bands)
    for key, band in (("roc", bands.roc), ("pr", bands.precision_recall), ("reliability", bands.reliability)):
        assert np.abs(np.array(drawn[key]["lower"]) - band.lower).max() <= 1e-5
        assert np.abs(np.array(drawn[key]["upper"]) - band.upper).max() <= 1e-5
        assert len(drawn[key]["x"]) == band.x.size


def test_what_has_no_band_has_no_lines():
    drawn = bands_data(class_bands(examples.classes(), "tree", "cat"))
    assert drawn["roc"] is not None
    assert drawn["net_benefit"] is None


@pytest.fixture(scope="module")
def evaluation():
    return examples.evaluation()


@pytest.fixture(scope="module")
def data(evaluation):
    return model_data(evaluation, "model 2")


def test_numbers_are_those_of_the_evaluation(evaluation, data):
    of = evaluation["model 2"]
    numbers = {number["name"]: number for number in data["numbers"]}
    assert numbers["auc"]["interval"]["lower"] == of.auc.lower
    assert numbers["brier"]["value"] == of.brier.estimate
    assert numbers["miscalibration"]["value"] == of.numbers["miscalibration"].estimate
    assert numbers["average_precision"]["interval"]["upper"] == of.numbers["average_precision"].upper
    assert numbers["auc_calibrated"] == {
        "name": "auc_calibrated",
        "label": "AUC after calibration",
        "interval": None,
        "value": of.calibration.auc_after,
    }
    assert [measure["name"] for measure in data["measures"]] == list(th.MEASURES)
    assert data["measures"][0]["interval"]["upper"] == of.measures["accuracy"].upper


@pytest.mark.parametrize("mix", [None, 0.01])
def test_quantities_asked_for_are_numbers_of_the_model(mix):
    asked = ("partial_auc[fpr<=0.1]", "recall@threshold=0.5", "net_benefit@0.05", "auc")
    condition = th.OperatingCondition(prevalence=mix)
    evaluation = examples.evaluation(count=2, measures=asked, condition=condition)
    shown = payload(evaluation)
    for each in shown["models"]:
        numbers = {number["name"]: number for number in each["numbers"]}
        assert len(numbers) == len(each["numbers"])
        for text in asked:
            wanted = evaluation.quantities[each["name"]][text]
            assert numbers[text]["interval"] == interval_data(wanted)
            assert numbers[text]["label"] == ("AUC" if text == "auc" else text)
    table = next(grid for grid in tables(shown) if grid.caption.startswith("Whole models"))
    limits = [ci_text(interval_data(each[asked[0]])) for each in evaluation.quantities.values()]
    assert (asked[0], *limits) in table.rows


def test_the_optimum_is_the_choice(evaluation, data):
    choice = evaluation["model 2"].choice
    assert data["optimum"]["threshold"] == choice.threshold
    assert data["optimum"]["holds_for"] == list(choice.holds_for)
    place = data["curve"]["threshold"].index(choice.threshold)
    assert data["curve"]["tp"][place] == data["optimum"]["cells"]["tp"] == choice.table.tp


def test_tied_thresholds_are_shown():
    condition = th.OperatingCondition(class_ratio=3 / 4)
    emails = examples.emails()["tree"].ranking
    tied = th.choose(emails, condition)
    labels = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    scores = [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13]
    data = model_data(th.evaluate(labels, {"tree": scores}, condition=condition, replicates=20), "tree")
    assert data["optimum"]["undecided"] == list(tied.undecided or ())


def test_pools_are_the_hulls():
    ranking = examples.evaluation()["model 1"].ranking
    shown = pools(ranking)
    hull = th.hull(ranking, pool="ties")
    assert [pool["pos"] for pool in shown] == hull.pos.tolist()
    assert [pool["low"] for pool in shown] == pytest.approx(hull.score.tolist(), rel=1e-8)
    assert all(pool["low"] <= pool["score"] <= pool["high"] for pool in shown)


def test_infinite_scores_have_no_mean():
    assert pools(th.Ranking([np.inf, 1], pos=[1, 0], neg=[0, 1]))[0]["score"] == "nan"


def test_ties_are_counted_in_rows():
    labels, scores = [1, 0, 1, 0, 1], [3, 3, 2, 1, 1]
    plain = th.evaluate(labels, {"a": scores}, replicates=20)
    weighted = th.evaluate(labels, {"a": scores}, weights=[0.5, 0.5, 2, 1, 1.5], replicates=20)
    assert model_data(plain, "a")["ties"] == model_data(weighted, "a")["ties"] == {"segments": 3, "cases": 4}


def test_given_predictions_have_their_table():
    evaluation = th.evaluate([1, 0, 1, 0], {"a": [4, 3, 2, 1]}, predictions={"a": [1, 1, 0, 0]}, replicates=20)
    assert model_data(evaluation, "a")["predictions"] == {"tp": 1, "fn": 1, "fp": 1, "tn": 1}


@pytest.fixture(scope="module")
def evaluation_of_classes():
    return examples.classes()


def test_rows_are_those_of_the_evaluation(evaluation_of_classes):
    data, of = class_model_data(evaluation_of_classes, "tree"), evaluation_of_classes["tree"]
    assert [row["label"] for row in data["classes"]] == ["cat", "cow", "dog"]
    for row in data["classes"]:
        assert row["recall"]["estimate"] == of.rates.recall[row["label"]].estimate
        assert row["auc"]["lower"] == of.auc.one_vs_rest[row["label"]].lower
        assert row["f1"]["estimate"] == of.confusion.one_vs_rest(row["label"]).f1
    assert sum(row["count"] for row in data["classes"]) == evaluation_of_classes.rows


def test_curves_are_those_of_each_class_against_the_rest(evaluation_of_classes):
    data = class_model_data(evaluation_of_classes, "forest")
    assert data["curves"][1] == curve_data(evaluation_of_classes["forest"].rankings["cow"])
    assert (
        th.auc(evaluation_of_classes["forest"].rankings["dog"])
        == evaluation_of_classes["forest"].auc.one_vs_rest["dog"].estimate
    )


def test_numbers_are_named(evaluation_of_classes):
    data = class_model_data(evaluation_of_classes, "forest")
    numbers = {number["name"]: number["value"] for number in data["numbers"]}
    assert numbers["overall_accuracy"] == evaluation_of_classes["forest"].rates.overall_accuracy.estimate
    assert numbers["log_loss"] == evaluation_of_classes["forest"].log_loss.estimate


def test_many_classes_share_the_points_of_curves():
    many = examples.classes(labels=tuple(range(12)), rows=4000)
    data = class_model_data(many, "forest")
    assert all(len(each["tp"]) <= 251 for each in data["curves"])
    assert [row["label"] for row in data["classes"]][:2] == ["0", "1"]


def test_bands_are_those_of_each_class(evaluation_of_classes):
    data = class_model_data(evaluation_of_classes, "forest")
    assert data["bands"][1] == bands_data(class_bands(evaluation_of_classes, "forest", "cow"))
    assert data["bands"][0]["roc"]["lower"] != data["bands"][1]["roc"]["lower"]


CONTRACT = Path(__file__).parents[2] / "frontend" / "src" / "contents.ts"


def interface(name):
    """The names of an interface's fields, nested ones left out."""
    (body,) = re.findall(rf"export interface {name} \{{\n(.*?)\n\}}", CONTRACT.read_text(encoding="utf-8"), re.DOTALL)
    return set(re.findall(r"^  (\w+)\??:", body, flags=re.MULTILINE))


@pytest.fixture(scope="module")
def binary():
    return payload(examples.evaluation())


@pytest.fixture(scope="module")
def several():
    return payload(examples.classes())


def test_fields_are_those_of_the_contract(binary, several):
    model = binary["models"][0]
    for name, value in {
        "Contents": binary,
        "Model": model,
        "Curve": model["curve"],
        "Pool": model["pools"][0],
        "Lines": model["bands"]["roc"],
        "Condition": binary["condition"],
        "Cells": model["optimum"]["cells"],
        "Interval": model["expected_cost"],
        "Measure": binary["measures"][0],
        "Pair": binary["comparison"][0],
        "ClassModel": several["class_models"][0],
        "ClassRow": several["class_models"][0]["classes"][0],
        "LeastCost": several["least_cost"],
        "LeastCostModel": several["least_cost"]["models"][0],
    }.items():
        assert set(value) == interface(name), name
    assert set(several) == set(binary)


def test_data_tell_what_was_read():
    labels, scores = examples.models(50, count=1)
    names = np.where(labels, "yes", "no").astype(object)
    names[7] = None
    evaluation = th.evaluate(
        names,
        scores,
        positive="yes",
        weights=np.linspace(1, 2, 50),
        clusters=np.arange(50) // 2,
        missing="drop",
        replicates=20,
    )
    data = payload(evaluation)["data"]
    assert (data["rows"], data["dropped"], data["weighted"], data["clusters"]) == (49, 1, True, 25)
    assert (data["positive"], data["negative"]) == ("yes", "no")
    assert data["Pos"] == evaluation["model 1"].ranking.Pos
    assert data["fingerprint"] == evaluation.decision.fingerprint


@pytest.mark.parametrize(("labels", "names"), [([1, 0, 1, 0], ("1", "0")), ([True, False] * 2, ("True", "False"))])
def test_labels_are_named_as_given(labels, names):
    data = payload(th.evaluate(labels, [4, 3, 2, 1], replicates=20))["data"]
    assert (data["positive"], data["negative"]) == names


def test_costs_of_right_calls_are_a_baseline():
    labels, scores = examples.models(80, count=2)
    condition = th.OperatingCondition(prevalence=0.2, cost_fp=3, cost_fn=10, cost_tp=-2, cost_tn=1)
    evaluation = th.evaluate(labels, scores, condition=condition, replicates=20)
    shown = payload(evaluation)["condition"]
    best = evaluation[evaluation.decision.model].table
    share = shown["class_ratio"] / (1 + shown["class_ratio"])
    cost = share * best.fnr * shown["cost_fn"] + (1 - share) * best.fpr * shown["cost_fp"] + shown["baseline"]
    assert cost == pytest.approx(evaluation.decision.expected_cost.estimate)
    assert shown["cost_ratio"] == shown["cost_fn"] / shown["cost_fp"]
    assert not shown["class_ratio_from_data"]


def test_an_undeclared_class_ratio_is_marked_as_the_datas(binary):
    assert binary["condition"]["class_ratio_from_data"]
    assert binary["condition"]["class_ratio"] == binary["data"]["Pos"] / binary["data"]["Neg"]


def test_comparison_has_every_pair(binary):
    assert [(pair["a"][-1], pair["b"][-1]) for pair in binary["comparison"]] == [("1", "2"), ("1", "3"), ("2", "3")]
    assert payload(examples.emails())["comparison"] == []


@pytest.mark.parametrize("name", examples.awkward())
def test_the_edges_of_data_are_plain_data(name):
    page = payload(examples.awkward()[name])
    assert json.loads(embedded(page)) == page


def texts(data):
    """All texts inside plain data, keys and the raw names left out."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for name, value in data.items():
            if name not in ("name", "decision"):
                yield from texts(value)
    elif isinstance(data, list):
        for value in data:
            yield from texts(value)


def test_nothing_that_is_shown_hides_or_turns_text():
    name = "a\u202eb\x1bc\u2028d"
    labels, scores = examples.models(60, count=2)
    named = dict(zip([name, f"other {name}"], scores.values(), strict=True))
    evaluation = th.evaluate(np.where(labels, name, f"not {name}"), named, positive=name, replicates=20)
    several = examples.classes(labels=(name, "cow", "dog"))
    for page in (payload(evaluation, title=name), payload(several, title=name)):
        assert any("a�b␛c�d" in text for text in texts(page))
        assert not any(sign in text for text in texts(page) for sign in "\u202e\x1b\u2028")
    assert payload(evaluation)["decision"]["model"] == evaluation.decision.model


def test_names_from_right_to_left_stay_within_their_sentence():
    labels, scores = examples.models(60, count=2)
    page = payload(th.evaluate(labels, dict(zip("אב", scores.values(), strict=True)), replicates=20))
    assert "when \u2068א\u2069 says" in page["answer"][0]


def test_titles(binary, several):
    assert binary["title"] == "3 models on 300 cases"
    assert several["title"] == "2 models on 90 cases"
    assert payload(examples.emails(), title="Ten e-mails")["title"] == "Ten e-mails"
    assert payload(examples.emails())["title"] == "1 model on 10 cases"


def test_classes_are_compared_and_cautioned():
    evaluation = examples.classes()
    page = payload(evaluation)
    assert [caution["code"] for caution in page["cautions"]] == [caution.code for caution in evaluation.cautions]
    assert {pair["measure"] for pair in page["comparison"]} >= {"overall accuracy", "Brier score"}
    pair = evaluation.comparisons["brier"]["forest", "tree"]
    assert [one["difference"] for one in page["comparison"] if one["measure"] == "Brier score"] == [pair.difference]
    captions = [grid.caption for grid in tables(page)]
    assert "Differences, paired" in captions
