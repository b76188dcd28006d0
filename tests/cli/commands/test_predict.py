"""`thresher predict` calls what `Learned.calls` calls, in every format, and refuses rows the model does not know."""

import csv
import io
import json
import shutil

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import thresher as th
from thresher.learning import CalibratedModel, column_types, preparation, read_learned, write_model


@pytest.fixture(scope="module")
def expected(tumours):
    """Probabilities and labels as the library finds them without any file in between."""
    condition = th.OperatingCondition(cost_fn=5)
    answer = th.learn(
        tumours, "tumour", positive="malignant", condition=condition, models=["logistic"], folds=4, curves=False
    )
    return answer.probabilities(tumours), np.where(answer.calls(tumours), "malignant", "benign")


@pytest.fixture
def here(folder, learnt):
    shutil.copy(learnt / "tumours.csv", folder)
    shutil.copytree(learnt / "out", folder / "out")
    return folder


@pytest.fixture
def new(here, tumours):
    """Write a changed table as new.csv."""

    def written(**columns):
        tumours.head(40).assign(**columns).to_csv(here / "new.csv", index=False)

    return written


def rows_in(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_files_and_the_library_agree(run, here, expected):
    result = run("predict", "out/", "tumours.csv", "-o", "scored.csv")
    assert result.exit_code == 0, result.output
    probabilities, labels = expected
    rows = rows_in((here / "scored.csv").read_text())
    assert [row["prediction"] for row in rows] == labels.tolist()
    np.testing.assert_allclose([float(row["score"]) for row in rows], probabilities, rtol=1e-12)
    assert f"569 rows, {(labels == 'malignant').sum()} of them called malignant" in result.stderr
    before, after = ((here / name).read_text().splitlines() for name in ("tumours.csv", "scored.csv"))
    assert all(late.startswith(f"{early},") for early, late in zip(before, after, strict=True))


FORMATS = [(f"new.{a}", f"out.{b}") for a in ("csv", "parquet", "jsonl") for b in ("csv", "tsv", "parquet", "arrow")]


@pytest.mark.parametrize(("source", "target"), FORMATS)
def test_every_format(run, here, tumours, expected, source, target):  # noqa: PLR0917
    table = tumours.drop(columns="tumour")
    if source == "new.csv":
        table.to_csv(here / source, index=False)
    elif source == "new.parquet":
        table.to_parquet(here / source, index=False, row_group_size=100)
    else:
        table.to_json(here / source, orient="records", lines=True, double_precision=15)
    result = run("predict", "out", source, "-o", target, "--score", "p", "--prediction", "call", "--json")
    assert result.exit_code == 0, result.output
    message = json.loads(result.stdout)
    predicted = (expected[1] == "malignant").sum()
    assert message == {"rows": 569, "positive": predicted, "unseen": {}, "gaps": {}, "unused": [], "output": target}
    from thresher.sources.files import read_columns

    answer = read_columns(here / target, ["id", "p", "call"])
    assert answer["id"].tolist() == list(range(1, 570))
    assert answer["call"].tolist() == expected[1].tolist()


def test_standard_input_and_output(run, here):
    text = (here / "tumours.csv").read_bytes()
    result = run("predict", "out", "-", stdin=text)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == run("predict", "out", "tumours.csv").stdout
    assert rows_in(result.stdout)[0]["prediction"] == "malignant"


def test_remarks_are_printed(run, data, new, tumours):
    gaps = tumours["worst area"].head(40).mask(np.arange(40) < 3)
    new(**{"side": ["middle", "middle", "up"] + ["left"] * 37, "worst area": gaps, "note": "x"})
    result = run("predict", "out", "new.csv", "-o", "scored.csv")
    assert result.exit_code == 0, result.output
    assert "3 rows have a category of column 'side' that training rows had not: 'middle' and 'up'" in result.stderr
    assert "3 rows lack a value in column 'worst area', which no training row did" in result.stderr
    assert "the model does not know the column 'note'" in result.stderr
    message = data("predict", "out", "new.csv", "-o", "scored.csv")
    assert message["unseen"] == {"side": {"middle": 2, "up": 1}}
    assert message["gaps"] == {"worst area": 3}
    assert message["unused"] == ["note"]
    assert run("predict", "out", "new.csv", "-o", "scored.csv", "-q").output == ""


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"worst area": ["large"] + [1.5] * 39},
            "column 'worst area' held numbers in training, and row 1 holds 'large'",
        ),
        ({"worst area": [1.5] * 39 + ["inf"]}, "held finite numbers in training, and row 40 holds inf"),
        ({"worst area": [1.5] * 39 + ["1_0"]}, "row 40 holds '1_0'"),
        ({"score": 1}, "has a column 'score' already"),
    ],
)
def test_rows_that_cannot_be_scored(refused, new, changed, message):
    new(**changed)
    assert message in refused("predict", "out", "new.csv", "-o", "scored.csv")
    assert message in refused("predict", "out", "new.csv")


def test_unseen_categories_are_refused_on_request(refused, new):
    new(side="middle")
    text = refused("predict", "out", "new.csv", "--unseen", "raise")
    assert "40 rows have a category of column 'side' that training rows had not: 'middle'" in text


def test_columns_that_are_not_there(refused, here, tumours):
    tumours.rename(columns={"worst area": "worst aria"}).to_csv(here / "new.csv", index=False)
    assert "no column 'worst area'; did you mean 'worst aria'" in refused("predict", "out", "new.csv")
    tumours.drop(columns="side").to_parquet(here / "new.parquet")
    assert "no column 'side'" in refused("predict", "out", "new.parquet", "-o", "out.parquet")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\xff,a\n", "is not in UTF-8"),
    ],
)
def test_files_that_cannot_be_read(refused, here, content, message):
    (here / "bad.csv").write_bytes(content)
    assert message in refused("predict", "out", "bad.csv", "-o", "scored.csv")


def test_ragged_rows(refused, here):
    lines = (here / "tumours.csv").read_text().splitlines()[:4]
    (here / "bad.csv").write_text("\n".join([*lines, "1,2"]) + "\n")
    assert "has 2 fields where there are 13 columns" in refused("predict", "out", "bad.csv", "-o", "scored.csv")


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["absent", "tumours.csv"], "there is no folder absent"),
        (["empty", "tumours.csv"], "lacks model.skops, decision.json, columns.json"),
        (["damaged", "tumours.csv"], "is damaged"),
        (["strange", "tumours.csv"], "not known to be harmless"),
        (["out", "absent.csv"], "absent.csv"),
        (["out", "tumours.csv", "--json"], "needs --output FILE"),
        (["out", "tumours.csv", "-o", "tumours.csv"], "would overwrite the input"),
        (["out", "tumours.csv", "-o", "scored.doc"], "cannot be told from its name"),
        (["out", "tumours.csv", "--score", "p", "--prediction", "p"], "two new columns"),
    ],
)
def test_what_is_refused(refused, here, words, message):
    (here / "empty").mkdir()
    shutil.copytree(here / "out", here / "damaged")
    (here / "damaged" / "columns.json").write_text("{}")
    shutil.copytree(here / "out", here / "strange")
    skops = pytest.importorskip("skops.io")
    skops.dump({"model": Strange()}, here / "strange" / "model.skops")
    assert message in refused("predict", *words)


class Strange:
    """A type that is on nobody's list."""


def test_types_of_another_model_are_trusted_by_name(run, refused, here, tumours):
    rows, flags = tumours.drop(columns="tumour"), tumours["tumour"] == "malignant"
    pipeline = make_pipeline(preparation(column_types(rows)), SVC()).fit(rows, flags)
    calibrated = CalibratedModel(pipeline, method="platt", cv="prefit").fit(rows, flags)
    write_model(calibrated, here / "out" / "model.skops")
    assert "pass --trusted sklearn.svm._classes.SVC" in refused("predict", "out/", "tumours.csv")
    words = ("--trusted", "sklearn.svm._classes.SVC", "-o", "scored.csv")
    assert run("predict", "out/", "tumours.csv", *words).exit_code == 0
    scores = [float(row["score"]) for row in rows_in((here / "scored.csv").read_text())]
    np.testing.assert_allclose(scores, calibrated.predict_proba(rows)[:, 1], rtol=1e-12)


def test_the_folder_is_read_by_the_library_too(learnt, tumours, expected):
    deployed = read_learned(learnt / "out")
    assert deployed.labels == ("benign", "malignant")
    assert deployed.target == "tumour"
    assert deployed.named(deployed.calls(tumours)).tolist() == expected[1].tolist()
    assert isinstance(pd.read_parquet(learnt / "out" / "predictions.parquet"), pd.DataFrame)


def test_probabilities_at_the_mix_of_the_decision(run, here):
    decision = json.loads((here / "out" / "decision.json").read_text())
    decision["condition"]["class_ratio"] = 1 / 99
    (here / "out" / "decision.json").write_text(json.dumps(decision))
    assert run("predict", "out/", "tumours.csv", "--probability", "-o", "scored.csv").exit_code == 0
    rows = rows_in((here / "scored.csv").read_text())
    scores = [float(row["score"]) for row in rows]
    expected = th.Decision.from_dict(decision).probability(scores)
    np.testing.assert_allclose([float(row["probability"]) for row in rows], expected, rtol=1e-12)
    assert expected.mean() < np.mean(scores)
    refused = run("predict", "out/", "tumours.csv", "--probability", "--score", "probability")
    assert refused.exit_code == 2
    assert "two new columns would be called 'probability'" in refused.output
