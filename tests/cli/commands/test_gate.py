"""`thresher gate` leaves with 0 when all requirements hold, 1 when one fails, 2 when it cannot know."""

import csv
import json
import re
from xml.etree import ElementTree as ET

import pytest

import thresher as th
from tests import hostile
from thresher._internal.text import plain_text

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest"]


def required(*texts):
    return [word for text in texts for word in ("--require", text)]


def test_all_hold(run):
    result = run("gate", *ROWS, *required("auc >= 0.85", "recall@fpr<=0.2 >= 0.5"))
    assert result.exit_code == 0
    assert "all 2 requirements hold" in result.stdout


def test_one_fails_and_the_table_says_which(run):
    result = run("gate", *ROWS, *required("auc >= 0.85", "precision >= 0.99"))
    assert result.exit_code == 1
    assert result.stderr == ""
    assert "pass   auc >= 0.85" in result.stdout
    assert "FAIL   precision >= 0.99" in result.stdout
    assert "1 of 2 requirements failed" in result.stdout


def test_a_bound_is_judged_and_not_the_estimate(run, columns):
    interval = th.auc_interval(th.rank(columns["malignant"], columns["forest"]))
    between = (interval.lower + interval.estimate) / 2
    assert run("gate", *ROWS, *required(f"auc >= {between}")).exit_code == 1
    assert run("gate", *ROWS, *required(f"auc.estimate >= {between}")).exit_code == 0
    assert run("gate", *ROWS, *required(f"auc.upper <= {interval.upper}")).exit_code == 0


def test_plain_data(run):
    result = run("gate", *ROWS, *required("auc >= 0.99", "brier <= 0.5"), "--json")
    assert result.exit_code == 1
    message = json.loads(result.stdout)
    assert message["passed"] is False
    assert [one["passed"] for one in message["requirements"]] == [False, True]
    assert message["requirements"][0]["bound"] == "lower"


def test_quiet_still_tells_what_failed(run):
    assert run("gate", *ROWS, *required("auc >= 0.5"), "--quiet").stdout == ""
    assert "FAIL" in run("gate", *ROWS, *required("auc >= 0.999"), "--quiet").stdout


def test_a_model_by_its_name(run):
    words = ["gate", *ROWS, "--score", "bayes"]
    assert run(*words, *required("auc >= 0.85")).exit_code == 0
    assert run(*words, *required("bayes:auc >= 0.85")).exit_code == 1


def test_a_constraint_that_nothing_meets_fails_with_the_reason(run):
    result = run("gate", *ROWS, *required("precision@recall>1 >= 0.1"))
    assert result.exit_code == 1
    assert "no threshold meets tpr > 1" in result.stdout


def test_quantities_are_those_of_evaluate_at_the_declared_mix(run, data, columns):
    texts = ["partial_auc[fpr<=0.2]", "net_benefit@0.1", "calibration_slope", "saving", "precision", "ici"]
    mix = ["--prevalence", "5%", "--cost-ratio", "4"]
    message = json.loads(run("gate", *ROWS, *mix, *required(*(f"{text} >= -9" for text in texts)), "--json").stdout)
    evaluated = data("evaluate", *ROWS, *mix, *(word for text in texts for word in ("--measure", text)))
    condition = th.OperatingCondition(prevalence=0.05, cost_ratio=4)
    answer = th.evaluate(columns["malignant"], {"forest": columns["forest"]}, condition=condition, measures=texts)
    for one, text in zip(message["requirements"], texts, strict=True):
        assert evaluated["quantities"]["forest"][text] == answer.quantities["forest"][text].to_dict()
        assert one["interval"]["estimate"] == answer.quantities["forest"][text].estimate
        assert one["passed"]


def test_scores_that_are_no_probabilities_have_no_brier_score(run, folder):
    (folder / "far.csv").write_text("y,p\n" + "1,40\n0,30\n1,20\n0,10\n" * 10)
    result = run("gate", "far.csv", "--label", "y", "--score", "p", *required("brier <= 1", "log_loss <= 9"))
    assert result.exit_code == 1
    assert "the scores of p are no probabilities" in result.stdout


@pytest.mark.parametrize("width", ["60", "80", "200"])
def test_it_fits_any_terminal(run, width):
    result = run("gate", *ROWS, *required("auc >= 0.5", "recall@fpr<=0.1 >= 0.99"), env={"COLUMNS": width})
    assert max(map(len, result.stdout.splitlines())) <= int(width)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "nothing is required"),
        (["acu >= 0.5"], "did you mean auc"),
        (["auc is high"], "cannot read the requirement"),
        (["auc.lowr >= 0.5"], "did you mean .lower?"),
        (["tree:auc >= 0.5"], "there is no model 'tree'"),
        (["forst:auc >= 0.5"], "did you mean forest?"),
        (["auc@fpr<=0.1 >= 0.5"], "nothing can stand after @"),
        (["recall@fp >= 0.5"], "cannot read the constraint"),
        (["prevalence@fpr<=0.1 >= 0.5"], "has no better side"),
    ],
)
def test_what_is_refused(refused, texts, message):
    assert message in refused("gate", *ROWS, *required(*texts))


@pytest.mark.parametrize("text", ["recall@fprr<=0.1 >= 0.2", "recall@fp >= 0.5"])
def test_one_unreadable_constraint_among_others_is_refused(refused, text):
    assert f'\n  where: gate --require "{text}"\n' in refused("gate", *ROWS, *required("auc >= 0.5", text, "ks >= 0"))


def tree(path):
    return ET.parse(path).getroot()  # noqa: S314 - the gate has written it


def test_a_requirements_file_may_begin_with_a_mark_and_end_lines_as_windows_does(run, folder):
    (folder / "marked.txt").write_bytes("\ufeffauc >= 0.85\r\nks >= 0\r\n".encode())
    message = json.loads(run("gate", *ROWS, "--requirements", "marked.txt", "--json").stdout)
    assert [one["requirement"] for one in message["requirements"]] == ["auc >= 0.85", "ks >= 0"]


@pytest.fixture
def release(folder):
    """A file of three requirements, of which the last fails."""
    (folder / "release.txt").write_text("# what a release needs\nauc >= 0.85\n\n  ks >= 0  # always\nauc >= 0.999\n")
    return "release.txt"


def test_requirements_of_a_file_join_those_of_the_line(run, release):
    message = json.loads(run("gate", *ROWS, *required("brier <= 1"), "--requirements", release, "--json").stdout)
    listed = {one["requirement"]: one["passed"] for one in message["requirements"]}
    assert listed == {"brier <= 1": True, "auc >= 0.85": True, "ks >= 0": True, "auc >= 0.999": False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("auc >= 0.5\n\nacu >= 0.5\n", "where: line 3 of release.txt"),
        ("tree:auc >= 0.5\n", "where: line 1 of release.txt"),
        ("# nothing\n\n", "release.txt holds no requirement"),
    ],
)
def test_a_file_that_is_refused_says_where(refused, folder, text, message):
    (folder / "release.txt").write_text(text)
    assert message in refused("gate", *ROWS, "--requirements", "release.txt")


def test_a_file_that_is_absent_is_refused(refused):
    assert "there is no file absent.txt" in refused("gate", *ROWS, "--requirements", "absent.txt")


def test_a_number_sign_inside_a_name_is_no_comment(run, folder, columns):
    (folder / "odd.csv").write_text(
        "y,p#1\n" + "".join(f"{y},{p}\n" for y, p in zip(columns["malignant"], columns["forest"], strict=True))
    )
    (folder / "release.txt").write_text("p#1:auc >= 0.5\n")
    assert run("gate", "odd.csv", "--label", "y", "--score", "p#1", "--requirements", "release.txt").exit_code == 0


def test_junit_has_a_case_per_requirement(run, folder, release):
    result = run("gate", *ROWS, "--requirements", release, "--junit", "gate.xml", "--quiet")
    assert result.exit_code == 1
    suite = tree(folder / "gate.xml").find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("3", "1")
    failures = {case.get("name"): [each.get("message") for each in case] for case in suite}
    assert [name for name, messages in failures.items() if messages] == ["auc >= 0.999"]
    assert failures["auc >= 0.999"][0].startswith("forest: lower limit of auc is 0.9")


@pytest.mark.parametrize("name", [name for name in hostile.NAMES.values() if name.strip() and "\n" not in name])
def test_hostile_names_leave_the_xml_valid(run, folder, columns, name):
    lines = [["y", name], *zip(columns["malignant"], columns["forest"], strict=True)]
    with (folder / "odd.csv").open("w", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file).writerows(lines)
    with (folder / "odd.csv").open(encoding="utf-8", newline="") as file:
        column = next(csv.reader(file))[1]
    result = run(
        "gate", "odd.csv", "--label", "y", "--score", column, *required("auc >= 0.999"), "--junit", "g.xml", "--github"
    )
    assert result.exit_code == 1, result.output
    (case,) = tree(folder / "g.xml").iter("testcase")
    assert case.get("classname") == plain_text(column)
    assert sum(line.startswith("::") for line in result.stdout.splitlines()) == 1


def test_annotations_name_the_line_that_fails(run, release):
    result = run("gate", *ROWS, "--requirements", release, "--github")
    (line,) = [line for line in result.stdout.splitlines() if line.startswith("::")]
    assert line.startswith("::error file=release.txt,line=5,title=auc >= 0.999::forest: lower limit of auc is 0.9")
    assert "::error" not in run("gate", *ROWS, *required("auc >= 0.5"), "--github").stdout


def test_properties_of_annotations_are_escaped(run):
    result = run("gate", *ROWS, *required("forest:net_benefit@0.5 >= 0.9"), "--github")
    assert "::error title=forest%3Anet_benefit@0.5 >= 0.9::" in result.stdout


def test_a_verdict_is_shown_with_the_digits_that_bear_it_out(run, columns):
    lower = th.auc_interval(th.rank(columns["malignant"], columns["forest"])).lower
    result = run("gate", *ROWS, *required(f"auc >= {lower * (1 + 1e-9)}"), "--github")
    (shown,) = map(float, re.findall(r"is ([0-9.]+), required", result.stdout))
    assert lower - 1e-3 < shown < lower * (1 + 1e-9)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--github", "--json"), "--github and --json both print"),
        (("--junit", "predictions.csv"), "--junit would overwrite the input"),
        (("--junit", "absent/gate.xml"), "there is no such file or folder"),
        (
            ("--requirements", "release.txt", "--junit", "./release.txt"),
            "--junit would overwrite the file of --require",
        ),
    ],
)
@pytest.mark.usefixtures("release")
def test_outputs_that_cannot_be(refused, words, message):
    assert message in refused("gate", *ROWS, *required("auc >= 0.5"), *words)


def test_a_verdict_that_is_close_is_shown_with_the_digits_that_bear_it_out(run, columns):
    area = th.auc(th.rank(columns["malignant"], columns["forest"]))
    result = run("gate", *ROWS, *required(f"auc.estimate >= {area + 1e-5:.6f}"))
    assert result.exit_code == 1
    assert f"estimate {area:.3g} " not in result.stdout
    assert f"{area:.5f}"[:6] in result.stdout


def test_an_infinite_group_is_text_in_json(run, tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"{row % 3 % 2},{row * 37 % 101 / 101},{('inf', '1.5')[row % 2]}" for row in range(200)]
    path.write_text("y,p,g\n" + "\n".join(lines) + "\n")
    rows = [str(path), "--label", "y", "--score", "p", "--by", "g"]
    message = json.loads(run("gate", *rows, *required("auc >= 0"), "--json").stdout)
    assert [each["group"] for each in message["groups"]] == [{"g": 1.5}, {"g": "inf"}]


def test_what_needs_rows_is_undecided_on_a_ranking(run):
    run("merge", *ROWS, "-o", "counts.json")
    result = run("gate", "counts.json", *required("saving >= 0", "auc >= 0.5"))
    assert result.exit_code == 2
    assert "saving needs rows, and there are only counts" in result.stdout
    assert "1 of 2 requirements cannot be decided from counts" in result.stderr
