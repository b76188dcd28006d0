"""`thresher merge`: the sum of parts is exactly that of all rows."""

import pytest

import thresher as th
from tests.cli.conftest import write_csv

COLUMNS = ["--label", "malignant", "--score", "forest"]


@pytest.fixture
def halves(folder, columns):
    for name, part in (("one.csv", slice(0, 100)), ("two.csv", slice(100, None))):
        write_csv(folder / name, {key: values[part] for key, values in columns.items()})


@pytest.mark.usefixtures("halves")
def test_parts_add_up_to_all_rows(run, folder, columns):
    assert run("merge", "one.csv", *COLUMNS, "-o", "one.json").exit_code == 0
    result = run("merge", "one.json", "two.csv", *COLUMNS, "-o", "all.json")
    assert "wrote ranking  all.json" in result.stdout
    total = th.rank(columns["malignant"], columns["forest"])
    assert th.Ranking.from_json((folder / "all.json").read_text()).to_dict() == total.to_dict()


def test_parquet_of_counts_is_not_taken_for_rows(data, run, folder, columns):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), folder / "rows.parquet")
    run("merge", "rows.parquet", *COLUMNS, "-o", "counts.parquet")
    assert data("merge", "counts.parquet") == data("merge", "predictions.csv", *COLUMNS)
    assert data("choose", "counts.parquet")["counts"] == data("choose", "predictions.csv", *COLUMNS)["forest"]


def test_a_ranking_of_ranges_has_limits(run, folder):
    ranges = th.Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    (folder / "ranges.json").write_text(ranges.to_json())
    bounds = th.bounds(ranges, "auc")
    assert f"{bounds.lower:.4f} to {bounds.upper:.4f}" in run("merge", "ranges.json").stdout


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
    ("words", "message"),
    [
        (["predictions.csv"], "which column holds the true labels"),
        (["predictions.csv", *COLUMNS, "--score", "bayes"], "a ranking is of one model"),
        (["absent.json"], "the ranking absent.json cannot be read"),
        (["predictions.csv", *COLUMNS, "-o", "predictions.csv"], "would overwrite the input"),
        (["predictions.csv", *COLUMNS, "-o", "-"], "--output is a file, and - is standard output"),
        (["predictions.csv", *COLUMNS, "-o", "counts.csv"], "call it .json or .parquet"),
        (["absent.json", *COLUMNS], "a ranking has no columns or tables"),
        (["bad.parquet"], "bad.parquet"),
        ([], "FILE"),
    ],
)
def test_what_is_refused(refused, folder, words, message):
    (folder / "bad.parquet").write_bytes(b"no Parquet")
    assert message in refused("merge", *words)
