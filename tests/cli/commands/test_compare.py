"""`thresher compare` says what `th.compare` says."""

import pytest

import thresher as th
from tests.cli.conftest import write_csv

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest", "--score", "bayes"]


@pytest.fixture
def rows(columns):
    return columns["malignant"], {name: columns[name] for name in ("forest", "bayes")}


def expected_data(answer, condition=None):
    return {
        "measure": answer.measure,
        "estimates": dict(answer.estimates),
        "paired": True,
        "differences": [one.to_dict() for one in answer.differences.values()],
        "against": answer.against,
        "condition": None if condition is None else condition.to_dict(),
        "dropped": 0,
    }


def test_by_auc(data, rows):
    assert data("compare", *ROWS, "--margin", "0.01") == expected_data(th.compare(*rows, margin=0.01))


def test_by_cost(data, rows):
    condition = th.OperatingCondition(cost_ratio=5)
    answer = th.compare(*rows, measure=condition, replicates=200, seed=2)
    words = ["--measure", "cost", "--cost-ratio", "5", "--replicates", "200", "--seed", "2"]
    assert data("compare", *ROWS, *words) == expected_data(answer, condition)


def test_by_a_measure_at_thresholds(data, rows):
    answer = th.compare(*rows, measure="recall", thresholds={"forest": 0.5, "bayes": 0.4}, replicates=200)
    words = ["--measure", "recall", "--threshold", "forest=0.5", "--threshold", "bayes=0.4", "--replicates", "200"]
    assert data("compare", *ROWS, *words) == expected_data(answer)


@pytest.mark.parametrize("text", ["brier", "net_benefit@0.1", "calibration_slope", "partial_auc[fpr<=0.2]"])
def test_by_a_quantity_at_a_declared_mix(data, rows, text):
    condition = th.OperatingCondition(prevalence=0.05)
    answer = th.compare(*rows, measure=text, condition=condition, trained_at=0.5)
    assert data("compare", *ROWS, "--measure", text, "--prevalence", "5%", "--trained-at", "0.5") == expected_data(
        answer, condition
    )


def test_infinite_estimates_are_no_json(data, folder):
    (folder / "perfect.csv").write_text("y,a,b\n" + "1,0.9,0.8\n0,0.1,0.2\n0,0.1,0.9\n" * 10)
    words = ["--measure", "lr_plus", "--threshold", "a=0.5", "--threshold", "b=0.5", "--replicates", "100"]
    message = data("compare", "perfect.csv", "--label", "y", "--score", "a", "--score", "b", *words)
    assert message["estimates"] == {"a": None, "b": 2.0}


def test_the_table(run):
    text = run("compare", *ROWS, "--margin", "0.01").stdout
    assert "forest - bayes" in text
    assert "better" in text
    assert "Differences within 0.01 count as practically none." in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (ROWS[:5], "there is 1 model to compare"),
        ([*ROWS, "--measure", "recall"], "--threshold forest=... --threshold bayes=..."),
        ([*ROWS, "--measure", "recal"], "did you mean recall"),
        ([*ROWS, "--measure", "saving"], "give auc, partial_auc[fpr<=0.1]"),
        ([*ROWS, "--cost-ratio", "5"], "change no AUC"),
        ([*ROWS, "--measure", "recall", "--threshold", "0.5"], "write MODEL=NUMBER"),
        ([*ROWS, "--measure", "recall", "--threshold", "forest=x"], "write MODEL=NUMBER"),
        ([*ROWS, "--measure", "recall", "--threshold", "forest=1", "--threshold", "forest=2"], "twice"),
        ([*ROWS, "--threshold", "forest=1", "--threshold", "bayes=1"], "an AUC has none"),
        ([*ROWS, "--margin", "-1"], "margin must be 0 or more"),
    ],
)
def test_what_is_refused(refused, words, message):
    assert message in refused("compare", *words)


def test_more_models_than_are_compared_in_pairs(run, data, folder, columns):
    many = {f"m{i}": columns["forest"] * (1 - i / 99) + columns["bayes"] * i / 99 for i in range(21)}
    write_csv(folder / "many.csv", {"malignant": columns["malignant"], **many})
    asked = ["many.csv", "--label", "malignant", *(word for name in many for word in ("--score", name))]
    best = data("compare", *asked)
    assert best["against"] == max(best["estimates"], key=lambda name: best["estimates"][name])
    assert len(best["differences"]) == 20
    assert len(data("compare", *asked, "--against", "all")["differences"]) == 210
    assert data("compare", *asked, "--against", "m2")["against"] == "m2"
    shown = run("evaluate", *asked, "--cost-ratio", "3").stdout
    assert "The 20 cheapest of 21 models are shown" in shown
    assert "is compared with each of the other models" in " ".join(shown.split())
    assert "--against must be" in run("compare", *asked, "--against", "m99").stderr
