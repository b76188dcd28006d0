"""`thresher costs` writes forms that `read_costs` reads once they are filled in."""

import pytest

import thresher as th
from thresher.tables import read_costs

CLASSES = ["--classes", "VF,F,M,L"]


def test_a_form_to_fill_in(run, folder, data):
    result = run("costs", *CLASSES, "-o", "costs.csv")
    assert result.exit_code == 0
    assert "12 costs to fill in" in result.stdout
    lines = (folder / "costs.csv").read_text().splitlines()
    assert lines[:3] == ["actual,predicted,cost", "VF,VF,0", "VF,F,"]
    with pytest.raises(th.ThresherError, match="'VF' called 'F' is ''"):
        read_costs("costs.csv")
    assert data("costs", *CLASSES)["costs"][0] == [0, None, None, None]
    assert run("costs", *CLASSES).stdout.splitlines() == lines, "without a file, the form is printed"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--equal"], th.CostMatrix.equal(["VF", "F", "M", "L"])),
        (["--ordinal"], th.CostMatrix.ordinal(["VF", "F", "M", "L"])),
        (["--ordinal", "--power", "0.3"], th.CostMatrix.ordinal(["VF", "F", "M", "L"], power=0.3)),
        (["--by-class", "L=10", "--by-class", "M=5"], th.CostMatrix.by_class({"L": 10, "M": 5}, ["VF", "F", "M", "L"])),
        (["--equal", "--action", "refer=0.6"], th.CostMatrix.equal(["VF", "F", "M", "L"]).with_action("refer", 0.6)),
    ],
)
def test_presets(run, words, expected):
    assert run("costs", *CLASSES, *words, "-o", "costs.csv").exit_code == 0
    assert read_costs("costs.csv") == expected


def test_classes_of_a_file(run, data):
    assert data("costs", "--from", "animals.csv", "--label", "animal")["classes"] == ["cat", "dog", "snake"]
    assert data("costs", "--from", "animals.csv", "--label", "year", "--by-class", "2021=3")["costs"] == [
        [0, 1],
        [3, 0],
    ]
    run("costs", "--from", "animals.csv", "--label", "year", "--equal", "-o", "costs.csv")
    text = run("table", "animals.csv", "--label", "year", "--prediction", "weight", "--costs", "costs.csv")
    assert "no class of costs.csv" in text.stderr


def test_names_with_commas_quotes_and_letters_of_all_kinds(run):
    names = ["a, b", 'say "hi"', "größe ☃", "line\u2028end"]
    listed = ",".join('"{}"'.format(name.replace('"', '""')) for name in names)
    assert run("costs", "--classes", listed, "--equal", "-o", "costs.csv").exit_code == 0
    assert read_costs("costs.csv") == th.CostMatrix.equal(names)


def test_a_file_is_replaced_on_request_alone(run, refused):
    assert run("costs", *CLASSES, "-o", "costs.csv").exit_code == 0
    assert "costs.csv is there already" in refused("costs", *CLASSES, "--equal", "-o", "costs.csv")
    assert run("costs", *CLASSES, "--equal", "-o", "costs.csv", "--overwrite").exit_code == 0
    assert read_costs("costs.csv") == th.CostMatrix.equal(["VF", "F", "M", "L"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give the classes"),
        ([*CLASSES, "--from", "animals.csv"], "not both"),
        (["--classes", "a"], "'a' is the only class"),
        (["--classes", "a,a"], "names the class 'a' twice"),
        ([*CLASSES, "--equal", "--ordinal"], "--equal and --ordinal both fill in the costs"),
        ([*CLASSES, "--power", "2"], "--power is of --ordinal"),
        ([*CLASSES, "--by-class", "X=10"], "--by-class names 'X', which is no class"),
        ([*CLASSES, "--by-class", "VFF=10"], "did you mean 'VF'?"),
        ([*CLASSES, "--by-class", "L"], "--by-class 'L' gives no cost"),
        ([*CLASSES, "--equal", "--action", "refer"], "--action 'refer' gives no cost"),
        ([*CLASSES, "--action", "L=1"], "--action L is a class or an action already"),
        ([*CLASSES, "--by-class", "L=inf"], "gives no cost"),
        ([*CLASSES, "--overwrite"], "--output FILE is not given"),
        ([*CLASSES, "--label", "y"], "--from FILE is not given"),
        (["--from", "animals.csv"], "cannot tell which column holds the true labels"),
        (["--from", "animals.csv", "--label", "animals"], "did you mean 'animal'?"),
    ],
)
def test_bad_input(refused, words, message):
    assert message in refused("costs", *words)
