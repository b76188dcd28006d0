"""`thresher features` chooses what the library's `selection` chooses."""

import numpy as np
import pytest

from thresher.learning import feature_gain, scatter, selection


@pytest.fixture
def here(folder, tumours):
    tumours.to_csv(folder / "tumours.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def answer(tumours):
    return scatter(tumours.filter(like="worst"), tumours["tumour"])


@pytest.mark.usefixtures("here")
def test_a_gain_is_that_of_the_library(data, tumours):
    asked = ["--gain", "worst texture", "--positive", "malignant", "--measure", "auc", "--folds", "3"]
    message = data(*ROWS, *asked)
    gain = feature_gain(tumours, "tumour", "worst texture", positive="malignant", measure="auc", folds=3)
    assert message == gain.to_dict()


ROWS = ["features", "tumours.csv", "--target", "tumour"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("search", ["exact", "top", "forward", "backward", "exhaustive"])
def test_every_search(data, answer, search):
    message = data(*ROWS, "--select", "3", "--search", search)
    chosen = selection(answer, 3, search=search)
    assert message["features"] == list(chosen.names)
    assert message["value"] == pytest.approx(chosen.value)
    assert message["scores"] == pytest.approx(dict(zip(answer.names, answer.scores.tolist(), strict=True)))
    assert message["left_out"] == {"id": "identifier", "side": "categorical"}
    assert message["classes"] == {"benign": 357, "malignant": 212}


@pytest.mark.usefixtures("here")
def test_exact_is_the_best_there_is_and_the_default(data):
    message = data(*ROWS, "--select", "3")
    assert message["search"] == "exact"
    assert message["value"] == pytest.approx(data(*ROWS, "--select", "3", "--search", "exhaustive")["value"])
    assert message["value"] >= data(*ROWS, "--select", "3", "--search", "top")["value"]


@pytest.mark.usefixtures("here")
def test_the_other_criterion_and_scaling(data, tumours):
    message = data(*ROWS, "--select", "2", "--criterion", "hotelling_lawley", "--search", "exhaustive")
    numbers = tumours.filter(like="worst")
    both = scatter(numbers, tumours["tumour"], matrix=True)
    best = selection(both, 2, search="exhaustive", criterion="hotelling_lawley")
    assert message["value"] == pytest.approx(best.value)
    assert data(*ROWS, "--select", "2", "--criterion", "hotelling_lawley")["search"] == "forward"
    scaled = data(*ROWS, "--select", "2", "--scale")
    assert scaled["value"] == pytest.approx(
        selection(scatter(numbers / numbers.std(ddof=0), tumours["tumour"]), 2, search="exact").value
    )


@pytest.mark.usefixtures("here")
def test_the_table_for_people(run, answer):
    result = run(*ROWS, "--select", "2")
    assert result.exit_code == 0
    assert "569 rows: 357 benign, 212 malignant" in result.stdout
    assert "2 of 10 features" in result.stdout
    assert all(name in result.stdout for name in selection(answer, 2, search="exact").names)
    assert "Not looked at: id (identifier), side (categorical)" in result.stdout
    assert run(*ROWS, "--quiet").stdout == ""


def test_missing_values_are_refused_or_dropped(data, refused, here, tumours):
    holes = tumours.assign(**{"worst area": tumours["worst area"].mask(np.arange(569) < 5)})
    holes.to_csv(here / "tumours.csv", index=False)
    assert "5 of 569 rows lack a value, e.g. 'worst area'" in refused(*ROWS)
    message = data(*ROWS, "--missing", "drop")
    assert (message["rows"], message["dropped"]) == (564, 5)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["features", "tumours.csv"], "pass --target"),
        (["features", "tumours.csv", "--target", "tumor"], "did you mean 'tumour'?"),
        ([*ROWS, "--model", "tree"], "--model is of --gain COLUMN, which is not given"),
        ([*ROWS, "--gain", "worst area", "--measure", "auc", "--cost-fn", "5"], "--cost-fn compares by expected cost"),
        ([*ROWS, "--gain", "colour"], "colour"),
        ([*ROWS, "--select", "11"], "11 features are to be chosen, and there are 10 columns of numbers"),
        ([*ROWS, "--criterion", "hotelling_lawley", "--search", "exact"], "--search exhaustive"),
        ([*ROWS, "--search", "best"], "best"),
    ],
)
def test_what_is_refused(refused, words, message):
    assert message in refused(*words)
