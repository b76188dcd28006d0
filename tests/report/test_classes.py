import pytest

import thresher as th
from tests.report import examples
from thresher.evaluation.bands import class_bands
from thresher.report.bands import lines
from thresher.report.classes import class_model
from thresher.report.curve import curve


@pytest.fixture(scope="module")
def evaluation():
    return examples.classes()


def test_rows_are_those_of_the_evaluation(evaluation):
    found, of = class_model(evaluation, "tree"), evaluation["tree"]
    assert found["matrix"] == of.confusion.counts.tolist()
    assert [row["label"] for row in found["classes"]] == ["cat", "cow", "dog"]
    for row in found["classes"]:
        assert row["recall"]["estimate"] == of.rates.recall[row["label"]].estimate
        assert row["auc"]["lower"] == of.auc.one_vs_rest[row["label"]].lower
        assert row["f1"]["estimate"] == of.confusion.one_vs_rest(row["label"]).f1
    assert sum(row["count"] for row in found["classes"]) == evaluation.rows


def test_curves_are_those_of_each_class_against_the_rest(evaluation):
    found = class_model(evaluation, "forest")
    assert found["curves"][1] == curve(evaluation["forest"].rankings["cow"])
    assert th.auc(evaluation["forest"].rankings["dog"]) == evaluation["forest"].auc.one_vs_rest["dog"].estimate


def test_numbers_are_named(evaluation):
    numbers = {number["name"]: number["value"] for number in class_model(evaluation, "forest")["numbers"]}
    assert numbers["overall_accuracy"] == evaluation["forest"].rates.overall_accuracy.estimate
    assert numbers["log_loss"] == evaluation["forest"].log_loss.estimate


def test_many_classes_share_the_room():
    many = examples.classes(labels=tuple(range(12)), rows=4000)
    found = class_model(many, "forest")
    assert all(len(each["tp"]) <= 251 for each in found["curves"])
    assert [row["label"] for row in found["classes"]][:2] == ["0", "1"]


def test_bands_are_those_of_each_class(evaluation):
    found = class_model(evaluation, "forest")
    assert found["bands"][1] == lines(class_bands(evaluation, "forest", "cow"))
    assert found["bands"][0]["roc"]["lower"] != found["bands"][1]["roc"]["lower"]
