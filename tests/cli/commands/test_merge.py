"""`thresher merge`: the sum of parts is exactly the whole."""

import pytest

import thresher as th
from tests.cli.conftest import write_csv

COLUMNS = ["--label", "malignant", "--score", "forest"]


@pytest.fixture
def halves(folder, columns):
    for name, part in (("one.csv", slice(0, 100)), ("two.csv", slice(100, None))):
        write_csv(folder / name, {key: values[part] for key, values in columns.items()})


@pytest.mark.usefixtures("halves")
def test_parts_add_up_to_the_whole(run, folder, columns):
    assert run("merge", "one.csv", *COLUMNS, "-o", "one.json").exit_code == 0
    result = run("merge", "one.json", "two.csv", *COLUMNS, "-o", "all.json")
    assert "wrote ranking  all.json" in result.stdout
    whole = th.rank(columns["malignant"], columns["forest"])
    assert th.Ranking.from_json((folder / "all.json").read_text()).to_dict() == whole.to_dict()


def test_the_same_file_twice_counts_twice(data):
    once = data("merge", "predictions.csv", *COLUMNS)
    twice = data("merge", "predictions.csv", "predictions.csv", *COLUMNS)
    assert twice["pos"] == [2 * count for count in once["pos"]]


@pytest.mark.usefixtures("halves")
def test_parts_and_the_sum_are_shown(run):
    lines = run("merge", "one.csv", "two.csv", *COLUMNS).stdout.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["one.csv", "two.csv", "all"]


def test_a_part_of_one_class_is_welcome(run, folder):
    (folder / "negatives.csv").write_text("malignant,forest\n0,0.5\n0,0.1\n")
    result = run("merge", "negatives.csv", "predictions.csv", *COLUMNS)
    assert result.exit_code == 0
    assert "undefined" in result.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["predictions.csv"], "which column holds the true labels"),
        (["predictions.csv", *COLUMNS, "--score", "bayes"], "a ranking is of one model"),
        (["absent.json"], "there is no file absent.json"),
        (["predictions.csv", *COLUMNS, "-o", "predictions.csv"], "would overwrite the input"),
        ([], "FILE"),
    ],
)
def test_what_is_refused(refused, words, told):
    assert told in refused("merge", *words)
