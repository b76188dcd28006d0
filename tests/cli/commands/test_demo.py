"""`thresher demo`: real models, a report, the same every time."""

import csv
import json

import thresher as th


def test_the_demonstration(run, folder):
    result = run("demo", "--predictions", "rows.csv")
    assert result.exit_code == 0, result.output
    assert "when logistic says 0.2 or more" in result.stdout
    assert "wrote report    thresher-demo.html" in result.stdout
    written = {path.name for path in folder.iterdir()} - {"animals.csv", "predictions.csv"}
    assert written == {"rows.csv", "thresher-demo.html"}
    page = (folder / "thresher-demo.html").read_text(encoding="utf-8")
    assert "Is this tumour malignant?" in page
    with (folder / "rows.csv").open(newline="") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == 569
    auc = th.auc(th.rank([int(row["malignant"]) for row in rows], [float(row["logistic"]) for row in rows]))
    assert auc > 0.99


def test_it_is_the_same_every_time(run):
    one, other = (json.loads(run("demo", "--json", "-o", f"{i}.html").stdout) for i in range(2))
    assert one == other


def test_the_cost_ratio_is_written_as_elsewhere(run, refused):
    assert "a miss costs 20 false alarms" in run("demo", "--cost-ratio", "20:1").stdout
    assert "'often' is no ratio" in refused("demo", "--cost-ratio", "often")


def test_a_folder_in_its_place(refused, folder):
    (folder / "thresher-demo.html").mkdir()
    assert "it is a folder" in refused("demo")


def test_the_tumours_themselves_can_be_learnt_from(run, folder):
    result = run("demo", "--measurements", "tumours.csv", "-q")
    assert result.exit_code == 0, result.output
    answer = run("features", "tumours.csv", "--target", "tumour", "--select", "2", "--json")
    assert json.loads(answer.stdout)["rows"] == 569
    with (folder / "tumours.csv").open(newline="") as text:
        rows = list(csv.DictReader(text))
    assert [row["tumour"] for row in rows].count("malignant") == 212
    assert list(rows[0])[:3] == ["id", "tumour", "mean radius"]
