"""`thresher choose` says what `th.choose` says."""

import pytest

import thresher as th

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest"]
RATIO = ["--cost-ratio"]


@pytest.fixture
def ranking(columns):
    return th.rank(columns["malignant"], columns["forest"])


def test_by_cost(data, ranking):
    choice = th.choose(ranking, th.OperatingCondition(cost_ratio=3))
    message = data("choose", *ROWS, "--cost-ratio", "3")["forest"]
    assert message["threshold"] == choice.threshold
    assert message["expected_cost"] == choice.expected_cost
    assert message["table"] == {cell: getattr(choice.table, cell) for cell in ("tp", "fn", "fp", "tn")}
    assert tuple(message["holds_for"]) == choice.holds_for
    assert message["interval"] == list(choice.interval)


def test_by_a_measure_under_constraints(data, ranking):
    choice = th.choose(ranking, maximise="f1", subject_to=["fpr <= 0.1", "recall >= 0.5"], at_most=80)
    words = ["--maximise", "f1", "--subject-to", "fpr <= 0.1", "--subject-to", "recall >= 0.5", "--at-most", "80"]
    message = data("choose", *ROWS, *words)["forest"]
    assert message["threshold"] == choice.threshold
    assert message["objective"] == "f1"
    assert message["value"] == choice.value


def test_several_models_share_one_table(run):
    text = run("choose", *ROWS, "--score", "bayes", "--minimise", "fpr", "--subject-to", "recall >= 0.8").stdout
    assert text.splitlines()[0].split() == ["model", "threshold", "fpr", "expected", "cost"]
    assert "forest: call a case positive" in text
    assert "bayes: call a case positive" in text


def test_all_ties_are_listed(run, folder):
    (folder / "ties.csv").write_text("y,p\n1,4\n0,3\n1,2\n0,1\n")
    text = run("choose", "ties.csv", "--label", "y", "--score", "p").stdout
    assert "2 thresholds tie for best: 3.5, 1.5; the stricter one is recommended." in text
    (folder / "three.csv").write_text("y,p\n1,6\n0,5\n1,4\n0,3\n1,2\n0,1\n")
    text = run("choose", "three.csv", "--label", "y", "--score", "p").stdout
    assert "3 thresholds tie for best: 5.5, 3.5, 1.5; the middle one is recommended." in text


def test_a_measure_chooses_what_costs_may_not(run, ranking):
    """The range of costs and the runner-up are named as what they are, not as if cost had chosen."""
    condition = th.OperatingCondition(cost_ratio=30, class_ratio=1 / 9)
    choice = th.choose(ranking, condition, maximise="f1")
    text = " ".join(
        run("choose", *ROWS, "--maximise", "f1", "--cost-ratio", "30", "--class-ratio", "1:9").stdout.split()
    )
    assert choice.holds_for is None or choice.holds_for[1] < 30
    assert "It stays the cheapest" not in text
    assert choice.runner_up is not None
    second = th.tables.measure("f1").of(choice.runner_up.table, class_ratio=1 / 9)
    assert second < choice.value
    assert f"Next best: >= {choice.runner_up.threshold:.6g}, with f1 {second:.3f}, at" in text


def test_where_a_measures_choice_would_be_the_cheapest(run, folder):
    (folder / "f1.csv").write_text("y,p\n1,5\n1,4\n0,3\n1,2\n0,1\n")
    words = ["f1.csv", "--label", "y", "--score", "p", "--maximise", "f1"]
    assert "It stays the cheapest for cost ratios of 1 and above (now 3)." in run("choose", *words, *RATIO, "3").stdout
    message = "It would be the cheapest for cost ratios of 1 and above (now 0.5)."
    assert message in run("choose", *words, *RATIO, "0.5").stdout


@pytest.mark.parametrize(
    ("ratio", "message"), [("0.1", "p: call no case positive."), ("9", "p: call every case positive.")]
)
def test_rules_without_a_threshold_in_words(run, folder, ratio, message):
    (folder / "worst.csv").write_text("y,p,q\n0,4,0\n1,3,1\n0,2,0\n1,1,1\n")
    text = run("choose", "worst.csv", "--label", "y", "--score", "p", "--score", "q", *RATIO, ratio).stdout
    assert message in text
    assert "inf" not in text


def test_rules_that_ignore_scores(data, folder):
    (folder / "worst.csv").write_text("y,p\n0,4\n0,3\n0,2\n1,1\n")
    message = data("choose", "worst.csv", "--label", "y", "--score", "p")["p"]
    assert message["threshold"] == "inf"
    assert message["cautions"][0]["code"] == "all-negative"


def test_a_ranking_on_file(data, folder, ranking):
    (folder / "day.json").write_text(ranking.to_json())
    assert data("choose", "day.json")["day"] == data("choose", *ROWS)["forest"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*ROWS, "--maximise", "f1", "--minimise", "fpr"], "both --maximise and --minimise are given"),
        (
            [*ROWS, "--maximise", "acuracy"],
            "did you mean accuracy or overall_accuracy? Measures of a table are accuracy, ",
        ),
        ([*ROWS, "--subject-to", "recall >= 2"], "no threshold meets tpr >= 2"),
        ([*ROWS, "--subject-to", "recall is high"], "cannot read the constraint"),
        ([*ROWS, "--at-most", "-1"], "--at-most must be a number, 0 or more"),
        (["day.json", "--label", "y"], "a ranking has no columns"),
        (["absent.json"], "there is no file absent.json"),
        (["bad.json"], "bad.json holds no ranking that thresher merge wrote"),
    ],
)
def test_what_is_refused(refused, folder, words, message):
    (folder / "bad.json").write_text("{}")
    assert message in refused("choose", *words)
