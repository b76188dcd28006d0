"""One declared mix through library, command line and page: numbers counted by hand from a small table.

Of 1,000 rows 100 are positive. The score 0.8 is given to 80 positives and 10 negatives, 0.3 to 20 positives and 90
negatives, and 0.1 to 800 negatives. At 1 % positive a call from 0.8 on is right in 0.008 / (0.008 + 0.011) of cases.
"""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import thresher as th
from thresher.cli.app import program
from thresher.report.payload import payload

GROUPS = [(1, 0.8, 80), (0, 0.8, 10), (1, 0.3, 20), (0, 0.3, 90), (0, 0.1, 800)]
LABELS = np.repeat([label for label, _, _ in GROUPS], [cases for *_, cases in GROUPS])
SCORES = np.repeat([score for _, score, _ in GROUPS], [cases for *_, cases in GROUPS])
RARE = th.OperatingCondition(prevalence=0.01, cost_ratio=20)
PRECISION = 0.008 / (0.008 + 0.99 / 90)  # 0.4211 in production
IN_ROWS = 80 / 90  # 0.8889 in these rows
ODDS = (0.01 / 0.99) / (100 / 900)  # what odds are multiplied by
P = {score: score / (1 - score) * ODDS / (1 + score / (1 - score) * ODDS) for score in (0.8, 0.3, 0.1)}
EVALUATION = th.evaluate(LABELS, {"forest": SCORES}, condition=RARE, replicates=50)


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{label},{score}" for label, score in zip(LABELS, SCORES, strict=True)]
    path.write_text("\n".join(["y,forest", *lines, ""]))
    return path


def run(*arguments, fails=False):
    result = CliRunner().invoke(program, [str(argument) for argument in arguments])
    assert result.exit_code == int(fails), result.output
    return result.output


def asked(command, rows, *more):
    return (command, rows, "--label", "y", "--score", "forest", "--prevalence", "1%", "--cost-ratio", 20, *more)


def test_the_library():
    model = EVALUATION["forest"]
    assert model.choice.interval == (0.3, 0.8)
    assert model.measures["precision"].estimate == pytest.approx(PRECISION)
    assert model.data_measures["precision"].estimate == pytest.approx(IN_ROWS)
    brier = 0.01 * (0.8 * (1 - P[0.8]) ** 2 + 0.2 * (1 - P[0.3]) ** 2)
    brier += 0.99 * (10 * P[0.8] ** 2 + 90 * P[0.3] ** 2 + 800 * P[0.1] ** 2) / 900
    assert model.numbers["brier"].estimate == pytest.approx(brier)
    assert th.choose(model.ranking, RARE).measures["precision"] == pytest.approx(PRECISION)
    assert f"{100 * PRECISION:.0f} %" in str(EVALUATION)


def test_gate_fails_where_production_does(rows):
    answer = json.loads(run(*asked("gate", rows, "--require", "precision.estimate >= 0.5", "--json"), fails=True))
    assert answer["requirements"][0]["observed"] == pytest.approx(PRECISION)
    assert answer["condition"]["class_ratio"] == pytest.approx(1 / 99)
    assert "at 1 % positive" in run(*asked("gate", rows, "--require", "precision >= 0.5"), fails=True)
    run("gate", rows, "--label", "y", "--score", "forest", "--require", "precision >= 0.5")


def test_gate_and_choose_honour_the_mix_in_constraints(rows):
    best = json.loads(run(*asked("choose", rows, "--maximise", "recall", "--subject-to", "precision >= 0.4", "--json")))
    assert best["forest"]["measures"]["tpr"] == pytest.approx(0.8)
    answer = run(*asked("gate", rows, "--require", "recall.estimate@precision>=0.4 >= 0", "--json"))
    assert json.loads(answer)["requirements"][0]["observed"] == pytest.approx(0.8)


def test_apply_gives_probabilities_of_production(rows, tmp_path):
    decision, out = tmp_path / "decision.json", tmp_path / "out.csv"
    run(*asked("evaluate", rows, "--decision", decision, "--quiet"))
    run("apply", decision, rows, "--probability", "-o", out)
    lines = {tuple(line.split(",")[1:]) for line in out.read_text().splitlines()[1:]}
    by_score = {float(score): (int(outcome), float(p)) for score, outcome, p in lines}
    pooled = {0.8: (80, 10), 0.3: (20, 90), 0.1: (0, 800)}
    for score, (pos, neg) in pooled.items():
        outcome, p = by_score[score]
        assert p == pytest.approx(0.01 * pos / 100 / (0.01 * pos / 100 + 0.99 * neg / 900))
        assert outcome == (score == 0.8) == (p >= 1 / 21)
    plain = json.loads(decision.read_text())
    assert (plain["rule"]["data_prevalence"], plain["format"]) == (0.1, "thresher/decision/1")
    assert tuple(plain["rule"]["holds_for"]) == EVALUATION["forest"].choice.holds_for
    decision.write_text(decision.read_text().replace("decision/1", "decision/2"))
    refused = CliRunner().invoke(program, ["apply", str(decision), str(rows)])
    assert refused.exit_code == 2
    assert "evaluate again" in refused.output


def test_the_page_shows_the_same():
    page = payload(EVALUATION)
    (model,) = page["models"]
    measures = {each["name"]: each["interval"]["estimate"] for each in model["measures"]}
    assert measures["precision"] == pytest.approx(PRECISION)
    numbers = {each["name"]: each for each in model["numbers"]}
    assert json.dumps(numbers["brier"]).find(str(EVALUATION["forest"].numbers["brier"].estimate)) > 0
    assert page["condition"]["class_ratio"] == pytest.approx(1 / 99)


def test_never_acting_is_priced(rows):
    """A miss costs five, 1 % are positive: never acting costs 0.05, and a poor score is no cheaper."""
    rng = np.random.default_rng(3)
    poor = th.evaluate(LABELS, rng.random(1000), condition=th.OperatingCondition(prevalence=0.01, cost_ratio=5))
    assert poor.rules["never"].cost.estimate == pytest.approx(0.05)
    assert "no-better-than-nothing" in {caution.code for caution in poor.cautions}
    answer = json.loads(run(*asked("gate", rows, "--require", "saving.estimate >= 0", "--json")))
    assert answer["requirements"][0]["observed"] == pytest.approx(EVALUATION.saving.estimate, abs=0.02)
    assert "never act" in run(*asked("evaluate", rows))


def test_restated_thresholds_of_net_benefit(rows):
    answer = run(*asked("gate", rows, "--require", "net_benefit.estimate@0.05 >= -1", "--json"))
    acts = P[0.8] >= 0.05, P[0.3] >= 0.05
    assert acts == (True, False)
    benefit = 0.008 - 0.011 * 0.05 / 0.95
    assert json.loads(answer)["requirements"][0]["observed"] == pytest.approx(benefit)
