"""--current and --prefer mean what the library's arguments mean, and what is ambiguous is refused."""

import json

import pytest

import thresher as th
from thresher.cli.current import current_option

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest", "--score", "logistic", "--cost-ratio", "5"]
CONDITION = th.OperatingCondition(cost_ratio=5)


@pytest.fixture(scope="module")
def library(columns):
    def evaluated(**options):
        scores = {name: columns[name] for name in ("forest", "logistic")}
        return th.evaluate(columns["malignant"], scores, condition=CONDITION, **options)

    return evaluated


def test_a_threshold_a_column_and_a_decision(data, library, columns, tmp_path):
    file = tmp_path / "earlier.json"
    decision = library().decision
    file.write_text(decision.to_json(), encoding="utf-8")
    for text, current in (("logistic=0.4", {"logistic": 0.4}), ("said", columns["said"]), (str(file), decision)):
        expected = json.loads(library(current=current, prefer="logistic", margin=0.01).to_json())
        assert data("evaluate", *ROWS, "--current", text, "--prefer", "logistic", "--margin", "0.01") == expected


def test_a_gate_knows_what_is_saved(run, library, columns):
    saving = library(current=columns["said"]).saving
    low = run("gate", *ROWS, "--current", "said", "--require", f"saving >= {saving.lower - 0.001:.4f}")
    high = run("gate", *ROWS, "--current", "said", "--require", f"saving >= {saving.lower + 0.001:.4f}")
    assert (low.exit_code, high.exit_code) == (0, 1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--current", "nobody"], "--current nobody is no column, no file, and no model's threshold"),
        (["--current", "0.4"], "could be one of 2 models"),
        (["--current", "bayes=0.4"], "there is no model 'bayes'"),
        (["--current", "malignant"], "is given as --label and as --current"),
        (["--current", "said", "--prefer", "current"], "give --current MODEL=NUMBER or the file of a decision"),
        (["--prefer", "bayes"], "the model 'bayes' is preferred"),
    ],
)
def test_refusals(run, words, told):
    result = run("evaluate", *ROWS, *words)
    assert result.exit_code == 2
    assert told in result.stderr


def test_what_could_mean_two_things_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rule").write_text("{}", encoding="utf-8")
    with pytest.raises(th.ArgumentError, match="could mean a column or a file"):
        current_option("rule", models=["m"], columns=["rule", "m"])
    with pytest.raises(th.ArgumentError, match="could mean a column or a threshold"):
        current_option("m=0.5", models=["m"], columns=["m=0.5", "m"])
    assert current_option("calls", models=["m"], columns=None) == "calls"
