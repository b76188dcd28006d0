"""Commands on k classes: evaluate, apply, gate and compare say what the library says."""

import csv
import json

import numpy as np
import pytest

import thresher as th

CLASSES = ["cat", "dog", "snake"]
ROWS = ["animals.csv", "--label", "animal", "--classes", "cat,dog,snake"]
MODELS = ["--probability", "forest={class}", "--probability", "tree=tree_{class}"]
MIX = ["--mix", "cat=1,dog=1,snake=2"]


@pytest.fixture
def matrices(animals):
    return {
        "forest": np.stack([animals[name] for name in CLASSES], axis=1),
        "tree": np.stack([animals[f"tree_{name}"] for name in CLASSES], axis=1),
    }


@pytest.fixture
def costs(folder):
    """Costs with an action that is no class, in costs.csv."""
    matrix = th.CostMatrix.by_class({"snake": 10}, CLASSES).with_action("refer", 0.6)
    (folder / "costs.csv").write_text(matrix.to_csv())
    return matrix


def condition(costs):
    return th.OperatingCondition(costs=costs, mix={"cat": 0.25, "dog": 0.25, "snake": 0.5})


def test_evaluate_says_what_the_library_says(data, animals, matrices, costs):
    more = ["--costs", "costs.csv", *MIX, "--weight", "weight", "--cluster", "herd", "--level", "0.9", "--seed", "2"]
    message = data(
        "evaluate",
        *ROWS,
        *MODELS,
        *more,
        "--measure",
        "recall[snake]",
        "--prediction",
        "tree=named",
        "--fit",
        "weights",
    )
    answer = th.evaluate(
        animals["animal"],
        matrices,
        classes=CLASSES,
        condition=condition(costs),
        weights=animals["weight"],
        clusters=animals["herd"],
        level=0.9,
        seed=2,
        measures=["recall[snake]"],
        predictions={"tree": animals["named"]},
        fit="weights",
    )
    assert message == json.loads(answer.to_json())


@pytest.mark.usefixtures("costs")
def test_the_answer_comes_first_and_groups_have_their_own(run):
    text = run("evaluate", *ROWS, *MODELS, "--costs", "costs.csv").stdout
    order = [text.index(words) for words in ("Use forest: of cat, dog, snake, refer", "Rules", "Models", "Differences")]
    assert order == sorted(order)
    assert "␊" not in text  # lines of the headline stay lines
    by_year = run("evaluate", *ROWS, *MODELS[:2], "--by", "year").stdout
    assert "year=2020" in by_year
    assert "year=2021" in by_year


@pytest.mark.usefixtures("costs")
def test_classes_are_those_of_the_costs_or_of_the_columns(data):
    named = data("evaluate", *ROWS, *MODELS[2:], "--costs", "costs.csv")
    assert named == data("evaluate", *ROWS[:3], *MODELS[2:], "--costs", "costs.csv")
    assert data("evaluate", *ROWS[:3], *MODELS[2:])["classes"] == CLASSES


@pytest.mark.usefixtures("costs")
def test_the_decision_is_written_and_applied_to_a_file(run, data, matrices, folder):
    run("evaluate", *ROWS, *MODELS, "--costs", "costs.csv", "-o", "report.html", "--decision", "decision.json")
    assert "<!DOCTYPE html>" in (folder / "report.html").read_text()
    decision = th.Decision.load("decision.json")
    expected = decision.apply(matrices[decision.model]).tolist()
    assert {*expected} > {"refer"}
    printed = data("apply", "decision.json", "animals.csv", "-o", "called.csv")
    assert (printed["rows"], printed["positive"]) == (300, None)
    with (folder / "called.csv").open() as text:
        assert [row["predicted"] for row in csv.DictReader(text)] == expected
    run("apply", "decision.json", "animals.csv", "--score", "tree_{class}", "-o", "tree.parquet", "--column", "said")
    assert (
        list(th.sources.files.read_columns("tree.parquet", ["said"])["said"])
        == decision.apply(matrices["tree"]).tolist()
    )
    again = data("evaluate", *ROWS, *MODELS, "--costs", "costs.csv", "--current", "decision.json")
    assert again["rules"]["current"]["saving"]["estimate"] == 0


@pytest.mark.usefixtures("costs")
def test_gate_judges_costs_and_classes(run, data):
    words = ["gate", *ROWS, *MODELS, "--costs", "costs.csv", *MIX]
    held = ["--require", "expected_cost.upper <= 9", "--require", "recall[snake].lower >= 0.01"]
    message = data(*words, *held, "--require", "tree:macro_f1.estimate > 0.01", "--require", 'auc["dog"] >= 0.5')
    assert message["passed"]
    assert [one["model"] for one in message["requirements"]] == ["forest", "forest", "tree", "forest"]
    failed = run(*words, "--require", "recall[snake].lower >= 0.999")
    assert (failed.exit_code, failed.stdout.count("FAIL")) == (1, 1)


def test_compare_by_cost_and_by_loss(data, animals, matrices, costs):
    words = ["compare", *ROWS, *MODELS]
    by_cost = data(*words, "--costs", "costs.csv", *MIX)
    answer = th.compare(animals["animal"], matrices, classes=CLASSES, measure=condition(costs))
    assert by_cost["measure"] == "expected_cost"
    assert by_cost["differences"] == [answer["forest", "tree"].to_dict()]
    assert data(*words, "--measure", "log_loss")["measure"] == "log_loss"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--probability", "p"], "does not say where the name of a class stands"),
        (["--probability", "{clas}"], "does not say where the name of a class stands"),
        (["--probability", "x_{class}"], "there is no column 'x_cat' for the class 'cat'"),
        ([*MODELS, "--score", "cat"], "--score is of two classes"),
        ([*MODELS, "--cost-ratio", "3"], "--cost-ratio is of two classes"),
        ([*MODELS, "--mix", "cat=1,dgo=1,snake=1"], "--mix names 'dgo', which is no class"),
        ([*MODELS, "--mix", "cat=1,dog=1"], "no part for the class 'snake'"),
        ([*MODELS, "--mix", "cat=1,dog,snake=1"], "cannot read 'dog' in --mix"),
        (["--score", "cat"], "--classes is of several classes, and no --probability"),
        ([*MODELS, *MODELS[:2]], "the model 'forest' is given twice"),
    ],
)
def test_bad_input_is_named(run, words, message):
    refused = run("evaluate", *ROWS, *words)
    assert refused.exit_code == 2
    assert message in " ".join(refused.stderr.split())
