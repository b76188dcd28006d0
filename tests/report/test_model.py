import numpy as np
import pytest

import thresher as th
from tests.report import examples
from thresher.report.contents import contents
from thresher.report.grid import grids
from thresher.report.model import CLASSROOM, model, pools
from thresher.report.numbers import interval, said_limits


@pytest.fixture(scope="module")
def evaluation():
    return examples.evaluation()


@pytest.fixture(scope="module")
def found(evaluation):
    return model(evaluation, "model 2")


def test_numbers_are_those_of_the_evaluation(evaluation, found):
    of = evaluation["model 2"]
    numbers = {number["name"]: number for number in found["numbers"]}
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
    assert [measure["name"] for measure in found["measures"]] == list(th.MEASURES)
    assert found["measures"][0]["interval"]["upper"] == of.measures["accuracy"].upper


@pytest.mark.parametrize("mix", [None, 0.01])
def test_quantities_asked_for_are_numbers_of_the_model(mix):
    asked = ("partial_auc[fpr<=0.1]", "recall@threshold=0.5", "net_benefit@0.05", "auc")
    condition = th.OperatingCondition(prevalence=mix)
    evaluation = examples.evaluation(count=2, measures=asked, condition=condition)
    shown = contents(evaluation)
    for each in shown["models"]:
        numbers = {number["name"]: number for number in each["numbers"]}
        assert len(numbers) == len(each["numbers"])
        for text in asked:
            wanted = evaluation.quantities[each["name"]][text]
            assert numbers[text]["interval"] == interval(wanted)
            assert numbers[text]["label"] == ("AUC" if text == "auc" else text)
    table = next(grid for grid in grids(shown) if grid.caption.startswith("Whole models"))
    limits = [said_limits(interval(each[asked[0]])) for each in evaluation.quantities.values()]
    assert (asked[0], *limits) in table.rows


def test_the_optimum_is_the_choice(evaluation, found):
    choice = evaluation["model 2"].choice
    assert found["optimum"]["threshold"] == choice.threshold
    assert found["optimum"]["holds_for"] == list(choice.holds_for)
    place = found["curve"]["threshold"].index(choice.threshold)
    assert found["curve"]["tp"][place] == found["optimum"]["cells"]["tp"] == choice.table.tp


def test_tied_thresholds_are_told():
    condition = th.OperatingCondition(class_ratio=3 / 4)
    emails = examples.emails()["tree"].ranking
    tied = th.choose(emails, condition)
    labels = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    scores = [0.89, 0.80, 0.74, 0.71, 0.63, 0.49, 0.42, 0.32, 0.24, 0.13]
    found = model(th.evaluate(labels, {"tree": scores}, condition=condition, replicates=20), "tree")
    assert found["optimum"]["undecided"] == list(tied.undecided or ())


def test_pools_are_the_hulls():
    ranking = examples.evaluation()["model 1"].ranking
    found = pools(ranking)
    hull = th.hull(ranking, pool="ties")
    assert [pool["pos"] for pool in found] == hull.pos.tolist()
    assert [pool["low"] for pool in found] == pytest.approx(hull.score.tolist(), rel=1e-8)
    assert all(pool["low"] <= pool["score"] <= pool["high"] for pool in found)


def test_infinite_scores_have_no_mean():
    assert pools(th.Ranking([np.inf, 1], pos=[1, 0], neg=[0, 1]))[0]["score"] == "nan"


def test_ties_are_counted_in_rows():
    labels, scores = [1, 0, 1, 0, 1], [3, 3, 2, 1, 1]
    plain = th.evaluate(labels, {"a": scores}, replicates=20)
    weighted = th.evaluate(labels, {"a": scores}, weights=[0.5, 0.5, 2, 1, 1.5], replicates=20)
    assert model(plain, "a")["ties"] == model(weighted, "a")["ties"] == {"segments": 3, "cases": 4}


def test_given_predictions_have_their_table():
    evaluation = th.evaluate([1, 0, 1, 0], {"a": [4, 3, 2, 1]}, predictions={"a": [1, 1, 0, 0]}, replicates=20)
    assert model(evaluation, "a")["given"] == {"tp": 1, "fn": 1, "fp": 1, "tn": 1}


def test_the_classroom_is_for_small_data():
    assert model(examples.emails(), "tree")["segments"]["pos"] == [1, 1, 0, 1, 1, 0, 1, 1, 0, 0]
    assert model(examples.evaluation(CLASSROOM + 1), "model 1")["segments"] is None
