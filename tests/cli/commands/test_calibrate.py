"""`thresher calibrate` says what `th.calibration_map` says, and writes it."""

import csv
import json

import numpy as np
import pytest

import thresher as th

ROWS = ["predictions.csv", "--label", "malignant", "--score", "bayes"]


@pytest.fixture
def ranking(columns):
    return th.rank(columns["malignant"], columns["bayes"])


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ([], {}),
        (["--method", "beta"], {"method": "beta"}),
        (["--smoothing", "laplace"], {"smoothing": "laplace"}),
        (["--smoothing", "10:0.2"], {"smoothing": th.calibration.MEstimate(10, 0.2)}),
        (["--method", "histogram", "--bins", "4"], {"method": "histogram", "bins": 4}),
        (["--interpolate"], {"interpolate": True}),
    ],
)
def test_the_map_is_that_of_the_library(data, ranking, words, options):
    assert data("calibrate", *ROWS, *words) == json.loads(th.calibration_map(ranking, **options).to_json())


def test_map_and_rows_are_written(run, folder, ranking, columns):
    result = run("calibrate", *ROWS, "-o", "map.json", "--write", "out.csv", "--column", "p")
    assert "wrote map   map.json" in result.stdout
    answer = th.calibration.CalibrationMap.from_json((folder / "map.json").read_text())
    assert answer == th.calibration_map(ranking)
    with (folder / "out.csv").open(newline="") as text:
        rows = list(csv.DictReader(text))
    assert [float(row["p"]) for row in rows] == answer(columns["bayes"]).tolist()
    assert [row["label"] for row in rows] == columns["label"].tolist()


def test_rows_as_parquet(run, folder, columns):
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("calibrate", *ROWS, "--write", "out.parquet", "-q").output == ""
    table = parquet.read_table(folder / "out.parquet")
    assert table.column_names == [*columns, "probability"]
    np.testing.assert_array_equal(table["bayes"], columns["bayes"])


def test_the_summary_shows_the_map_and_what_it_changed(run):
    text = run("calibrate", *ROWS).stdout
    assert text.startswith("An isotonic map, fitted on 240 cases with 240 distinct scores.")
    assert "Brier" in text
    assert "9 of the 240 scores are shown." in text


def test_the_scores_left_out_are_counted(run, folder):
    for scores, note in ((9, False), (10, True)):
        lines = [f"{i % 2},{i / 10}" for i in range(scores)]
        (folder / "few.csv").write_text("\n".join(["y,p", *lines]))
        text = run("calibrate", "few.csv", "--label", "y", "--score", "p").stdout
        assert ("9 of the 10 scores are shown." in text) is note


def test_scores_that_are_no_probabilities(run, folder):
    (folder / "far.csv").write_text("y,p\n1,40\n0,30\n1,20\n0,10\n")
    assert "no probabilities" in run("calibrate", "far.csv", "--label", "y", "--score", "p").stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*ROWS, "--score", "forest"], "a map is of one model"),
        ([*ROWS, "--smoothing", "much"], "write none, laplace or M:PRIOR"),
        ([*ROWS, "--smoothing", "2:7"], "must lie in [0, 1]"),
        ([*ROWS, "--method", "beta", "--bins", "3"], "beta has no option bins"),
        ([*ROWS, "--method", "plat"], "'plat' is not one of"),
        ([*ROWS, "--write", "out.xlsx"], "the format of out.xlsx cannot be told"),
        ([*ROWS, "--write", "out.csv", "--column", "label"], "has a column 'label' already"),
        ([*ROWS, "-o", "-"], "--output is a file, and - is standard output"),
        ([*ROWS, "--write", "-"], "--write is a file, and - is standard output"),
        ([*ROWS, "--write", "predictions.csv"], "would overwrite the input"),
        (["-", *ROWS[1:], "--write", "out.csv"], "which can be read twice"),
    ],
)
def test_what_is_refused(refused, words, message):
    assert message in refused("calibrate", *words)
