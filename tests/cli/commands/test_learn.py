"""`thresher learn` says and writes what `th.learn` finds, or refuses in a paragraph and writes nothing."""

import json
import shutil
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

import thresher as th
from thresher.learning.artefacts import FILES

DECLARED = ["tumours.csv", "--target", "tumour", "--positive", "malignant", "--cost-fn", "5", "--model", "logistic"]
DECLARED += ["--folds", "4", "--no-curves"]
FEW = ["few.csv", *DECLARED[1:]]


@pytest.fixture(scope="module")
def library(tumours):
    condition = th.OperatingCondition(cost_fn=5)
    return th.learn(
        tumours, "tumour", positive="malignant", condition=condition, models=["logistic"], folds=4, curves=False
    )


@pytest.fixture
def here(folder, learnt):
    """The working directory with the table in it, and its first 160 rows in few.csv."""
    shutil.copy(learnt / "tumours.csv", folder)
    few = (learnt / "tumours.csv").read_text().splitlines(keepends=True)[:161]
    (folder / "few.csv").write_text("".join(few))
    return folder


def test_the_numbers_are_the_librarys(learnt, library):
    message = json.loads((learnt / "learnt.json").read_text())
    assert message["rows"] == {"train": 427, "test": 142}
    assert message["decision"] == library.decision.to_dict()
    assert message["decision"]["model"] == "logistic"
    assert set(message["models"]) == {"logistic", "majority class", "one-feature rule"}
    assert message["models"]["logistic"]["nested_cost"] == library.nested["logistic"].to_dict()
    assert message["models"]["logistic"]["nested_cost"]["estimate"] < 0.15
    assert message["models"]["majority class"]["nested_cost"]["estimate"] == pytest.approx(0.63, abs=0.02)
    assert message["against"]["majority class"]["verdict"] == "better"
    assert message["beats_baselines"] == library.beats_baselines
    assert "baseline" in message["verdict"] or "one-feature rule" in message["verdict"]
    assert message["test"]["cost"] == library.test_cost.to_dict()
    assert message["test"]["auc"]["estimate"] > 0.98
    cells = message["test"]["table"]
    assert sum(cells.values()) == 142
    assert (5 * cells["fn"] + cells["fp"]) / 142 == pytest.approx(message["test"]["cost"]["estimate"])
    assert [column["kind"] for column in message["columns"]] == ["identifier", *["numerical"] * 10, "categorical"]


def test_everything_is_written(learnt, library):
    out = learnt / "out"
    assert {path.name for path in out.iterdir()} == set(FILES)
    assert sorted(path.name for path in learnt.iterdir()) == ["learnt.json", "out", "tumours.csv"]
    assert th.Decision.from_json((out / "decision.json").read_text()) == library.decision
    assert "<html" in (out / "report.html").read_text()
    assert "one-feature rule" in (out / "report.html").read_text()


def test_scores_are_written_with_labels_and_parts(learnt, library, tumours):
    rows = pd.read_parquet(learnt / "out" / "predictions.parquet")
    assert rows["part"].value_counts().to_dict() == {"train": 427, "test": 142}
    assert sorted(rows["row"]) == list(range(569))
    assert rows["label"].tolist() == tumours["tumour"].iloc[rows["row"]].tolist()
    assert (rows["positive"] == (rows["label"] == "malignant")).all()
    train, test = rows[rows["part"] == "train"], rows[rows["part"] == "test"]
    assert train["logistic"].tolist() == library.validation.scores["logistic"].tolist()
    assert train["fold"].tolist() == library.validation.fold.tolist()
    assert test["logistic"].tolist() == library.probabilities(tumours.iloc[test["row"]]).tolist()
    assert (rows["called"] == (rows["logistic"] >= library.decision.threshold)).all()
    assert test["majority class"].isna().all()
    answer = th.evaluate(train["positive"], train["logistic"], condition=th.OperatingCondition(cost_fn=5))
    assert answer["model"].auc.estimate == library.evaluation["logistic"].auc.estimate


def test_the_summary_says_it_in_words_and_the_same_input_gives_the_same_bytes(run, here, learnt):
    result = run("learn", *DECLARED, "-o", "out/")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    for words in (
        "tumour = malignant",
        "427 rows to learn from, 142 put aside",
        "when logistic says",
        "majority class",
        "one-feature rule",
        "On the rows put aside",
        "cost per case",
        "wrote out/model.skops",
        "wrote out/report.html",
    ):
        assert words in result.stdout
    assert "beats both baselines" in result.stdout or "does not beat" in result.stdout
    for name in FILES:
        assert (here / "out" / name).read_bytes() == (learnt / "out" / name).read_bytes(), name


def test_noise_does_not_beat_the_baselines(run, here):
    rng = np.random.default_rng(0)
    pd.DataFrame({"a": rng.normal(size=120), "y": rng.integers(0, 2, 120)}).to_csv(here / "noise.csv", index=False)
    result = run("learn", "noise.csv", "--target", "y", "--model", "naive bayes", "--folds", "3")
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert "does not beat" in text or "No model beats the baselines" in text
    assert "Learning curve: cost" in text
    assert "Feature curve: cost" in text
    assert "wrote" not in text


def test_curves_reach_the_data_and_the_report(data, here):
    message = data("learn", *FEW[:-5], "--model", "naive bayes", "--folds", "2", "-o", "out")
    assert message["learning_curve"]["sizes"][-1] == message["rows"]["train"] // 2 == 60
    assert message["feature_curve"]["parameter"] == "features"
    assert message["feature_curve"]["sizes"][-1] == 12  # ten numbers and two sides
    text = (here / "out" / "report.html").read_text()
    assert "Does it need more rows, or more features?" in text
    assert message["verdict"] in text


def test_columns_are_declared_grouped_and_dropped(data, here):
    rng = np.random.default_rng(3)
    label = rng.random(160) < 0.4
    table = pd.DataFrame(
        {
            "size": np.where(rng.random(160) < 0.3 + 0.4 * label, "L", "S"),
            "code": rng.integers(1, 4, 160),
            "age": np.where(rng.random(160) < 0.1, np.nan, rng.normal(40, 10, 160) + 9 * label),
            "note": [f"visit {i} with {'a cough' if ill or i % 2 else 'nothing'}" for i, ill in enumerate(label)],
            "patient": np.arange(160) // 4,
            "ill": np.where(label, "yes", "no"),
        }
    )
    table.to_json(here / "ill.jsonl", orient="records", lines=True)
    words = ["learn", "ill.jsonl", "--target", "ill", "--positive", "yes", "--model", "logistic", "--folds", "3"]
    words += [
        "--prefer",
        "logistic",
        "--text",
        "presence",
        "--derive",
        "log(age)",
        "--no-curves",
        "--type",
        "code=categorical",
        "--order",
        "size=S,L",
        "--group",
        "patient",
        "--missing",
        "drop",
    ]
    message = data(*words)
    kinds = {column["name"]: column["kind"] for column in message["columns"]}
    assert kinds == {
        "size": "ordinal",
        "code": "categorical",
        "age": "numerical",
        "note": "text",
        "patient": "ignored",
        "log(age)": "derived",
    }
    assert "· [note: cough]\n" in message["text"]
    assert message["dropped"] == table["age"].isna().sum()
    assert sum(message["rows"].values()) == 160 - message["dropped"]


def test_copies_are_dropped_and_another_population_is_named(data, run, refused, here):
    rng = np.random.default_rng(0)
    label = rng.random(120) < 0.5
    table = pd.DataFrame({"id": np.arange(120), "age": rng.normal(40, 9, 120) + 12 * label, "ill": label})
    twice = pd.concat([table, table.iloc[:15].assign(id=range(500, 515))], ignore_index=True)
    twice.to_csv(here / "twice.csv", index=False)
    table.assign(age=table["age"] + 30).drop(columns="ill").to_csv(here / "new.csv", index=False)
    words = ["learn", "twice.csv", "--target", "ill", "--type", "id=ignored", "--model", "naive bayes", "--folds", "3"]
    message = data(*words, "--no-curves", "--duplicates", "drop", "--deployment", "new.csv")
    assert (message["duplicates"], message["dropped"], sum(message["rows"].values())) == (15, 0, 120)
    assert [each["code"] for each in message["cautions"]].count("unrepresentative-test") == 1
    assert not [each for each in message["cautions"] if each["code"].startswith("duplicate")]
    shown = run(*words, "--no-curves", "--duplicates", "drop").stdout
    assert "; 15 equal to an earlier one dropped" in shown
    every = data(*words, "--no-curves")
    assert (every["duplicates"], sum(every["rows"].values())) == (0, 135)
    assert "duplicate-rows" in [each["code"] for each in every["cautions"]]
    assert "new2.csv" in refused(*words, "--deployment", "new2.csv")


QUICK = ["--model", "naive bayes", "--folds", "3", "--no-curves", "--calibration", "vector", "-o", "out"]


def test_several_classes_by_costs_and_mix(run, data, refused, here):
    iris = load_iris(as_frame=True)
    flowers = iris.frame.drop(columns="target").assign(species=iris.target_names[iris.target])
    flowers.to_csv(here / "iris.csv", index=False)
    costs = th.CostMatrix.by_class({"virginica": 5}, ["setosa", "versicolor", "virginica"]).with_action("ask", 0.4)
    (here / "costs.csv").write_text(costs.to_csv())
    words = ["learn", "iris.csv", "--target", "species", "--costs", "costs.csv"]
    message = data(*words, "--mix", "setosa=1,versicolor=1,virginica=2", *QUICK)
    condition = th.OperatingCondition(costs=costs, mix={"setosa": 0.25, "versicolor": 0.25, "virginica": 0.5})
    library: Any = th.learn(
        flowers, "species", condition=condition, models=["naive bayes"], folds=3, curves=False, calibration="vector"
    )
    assert message["decision"] == library.decision.to_dict()
    assert message["labels"] == ["setosa", "versicolor", "virginica"]
    assert message["positive"] is None
    assert message["models"]["naive bayes"]["macro_f1"] == pytest.approx(library.estimates("naive bayes")["macro_f1"])
    assert message["test"]["measures"]["overall_accuracy"] == library.test_measures["overall_accuracy"].to_dict()
    assert message["test"]["confusion"]["others"] == ["ask"]
    assert {path.name for path in (here / "out").iterdir()} == set(FILES)
    result = run("predict", "out", "iris.csv", "--probability", "-o", "scored.csv")
    assert "of them called virginica" in result.stderr
    scored = pd.read_csv(here / "scored.csv")
    assert scored["prediction"].tolist() == library.calls(flowers).tolist()
    vectors = library.probabilities(flowers)
    np.testing.assert_allclose(scored[[f"score_{name}" for name in message["labels"]]], vectors)
    at_mix = vectors * library.decision.rule.weights
    at_mix /= at_mix.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(scored[[f"probability_{name}" for name in message["labels"]]], at_mix)
    counts = data("predict", "out", "iris.csv", "-o", "scored.csv")["called"]
    assert counts == scored["prediction"].value_counts().reindex(counts).fillna(0).astype(int).to_dict()
    shown = " ".join(run(*words, *QUICK, "--overwrite").stdout.split())
    assert "say the one of least expected cost" in shown
    assert "mean class accuracy" in shown
    assert "--cost-fn of two" in refused(*words, "--cost-fn", "5")
    assert "'tulip', which is no class" in refused(*words, "--mix", "tulip=1")
    assert "cannot read 'setosa' in --mix" in refused(*words, "--mix", "setosa")
    assert "nothing costs" in refused("learn", "iris.csv", "--target", "species", "--mix", "setosa=1")


def test_rare_labels_count_as_another(data, refused, here):
    wine = load_wine(as_frame=True).frame[["alcohol", "flavanoids", "proline", "target"]]
    wine.loc[:3, "target"] = 7
    wine.to_csv(here / "wine.csv", index=False)
    words = ["learn", "wine.csv", "--target", "target", *QUICK]
    text = refused(*words)
    assert "class 7 of the target 'target' has 4 of 178 rows, and 3 folds need 11" in text
    assert "--other" in text
    message = data(*words, "--other", "1")
    assert message["labels"] == [0, 1, 2]
    assert message["cautions"][0]["code"] == "pooled-labels"


def test_one_of_several_classes_against_the_rest(run, data, here):
    wine = load_wine(as_frame=True).frame[["alcohol", "flavanoids", "proline", "target"]]
    wine.to_csv(here / "wine.csv", index=False)
    words = ["learn", "wine.csv", "--target", "target", "--model", "naive bayes", "--folds", "3", "-o", "out"]
    words.append("--no-curves")
    message = data(*words, "--positive", "1")
    assert message["positive"] == 1
    assert sum(message["rows"].values()) == 178
    counts = pd.read_parquet(here / "out" / "predictions.parquet")
    assert counts["label"].tolist() == wine["target"].iloc[counts["row"]].tolist()
    assert counts["positive"].tolist() == (counts["label"] == 1).tolist()
    for target in ("scored.csv", "scored.parquet"):
        assert "of them called 1" in run("predict", "out", "wine.csv", "-o", target).stderr
    scored = pd.read_parquet(here / "scored.parquet")
    assert set(scored["prediction"]) == {"1", "not 1"}
    assert ((scored["prediction"] == "1") == (scored["target"] == 1)).mean() > 0.85


def test_a_folder_is_replaced_on_request_only(run, refused, here, learnt):
    shutil.copytree(learnt / "out", here / "out")
    assert "holds 'columns.json' already" in refused("learn", *DECLARED, "-o", "out")
    assert "--overwrite" in refused("learn", *DECLARED, "-o", "out")
    (here / "out" / "decision.json").write_text("old")
    assert run("learn", *FEW, "-o", "out", "--overwrite", "--quiet").stdout == ""
    assert "logistic" in (here / "out" / "decision.json").read_text()
    (here / "out" / "precious.txt").write_text("mine")
    assert "holds other files ('precious.txt')" in refused("learn", *DECLARED, "-o", "out", "--overwrite")


def test_an_interruption_leaves_nothing(run, here, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    before = sorted(path.name for path in here.iterdir())
    monkeypatch.setattr("thresher.learning.artefacts.write_report", interrupted)
    assert run("learn", *FEW, "-o", "out").exit_code == 130
    assert sorted(path.name for path in here.iterdir()) == before


def _with(table, **columns):
    return table.assign(**columns)


BAD_TABLES = {
    "absent target": (lambda t: t.rename(columns={"tumour": "tumor"}), "no column 'tumour'; did you mean 'tumor'?"),
    "missing target": (lambda t: t.assign(tumour=t["tumour"].mask(t.index == 7)), "1 of 569 rows of the target"),
    "constant target": (lambda t: t.assign(tumour="benign"), "nothing to learn"),
    "rare class": (lambda t: t.assign(tumour=np.where(t.index < 2, "malignant", "benign")), "has 2 of 569 rows"),
    "measurement": (lambda t: t.assign(tumour=np.arange(569) / 7), "so it is no class"),
    "three classes": (
        lambda t: t.assign(tumour=np.array(["a", "b", "c"])[t.index % 3]),
        "has 3 classes, 'a', 'b' and 'c', and the positive label 'malignant' is none of them",
    ),
    "empty column": (lambda t: t.assign(empty=None), "column 'empty' has no values"),
    "thousands": (lambda t: _with(pd.concat([t] * 4), many=[f"c{i // 2}" for i in range(4 * 569)]), "1,138 categories"),
    "words": (lambda t: t.assign(age=["old" if i == 9 else str(20 + i / 3) for i in range(569)]), "--type age="),
    "few rows": (lambda t: t.iloc[[0, 1, 2, 19, 20, 21]], "at least 4 are needed"),
    "no features": (lambda t: t[["id", "tumour"]], "--type column=kind"),
    "infinite": (lambda t: t.assign(far=np.where(t.index == 3, np.inf, t.index / 7)), "infinite"),
}


@pytest.mark.parametrize("name", BAD_TABLES)
def test_tables_that_cannot_teach(refused, here, tumours, name):
    change, message = BAD_TABLES[name]
    change(tumours.copy()).to_csv(here / "bad.csv", index=False)
    assert message in refused("learn", "bad.csv", *DECLARED[1:], "-o", "out")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,tumour\n", "columns and no rows"),
        (b"a,tumour\n1,x\n2\n", "line 3 of bad.csv has 1 field, and the line of names has 2"),
        (b"a,tumour\n\xff\xfe,x\n", "is not UTF-8"),
        (b"a;tumour\n1;x\n", "seems to be separated by ';'"),
        (b"a,a,tumour\n1,2,x\n", "2 columns called 'a'"),
        (b'a,tumour\n"1,x\n', "opens a quotation mark that nothing closes"),
    ],
)
def test_files_that_cannot_be_read(refused, here, content, message):
    (here / "bad.csv").write_bytes(content)
    assert message in refused("learn", "bad.csv", *DECLARED[1:], "-o", "out")


@pytest.mark.parametrize(("rows", "folds"), [(10, "2"), (10, "5"), (16, "2"), (24, "2")])
def test_too_few_rows_for_folds_within_folds(refused, here, tumours, rows, folds):
    sides = [tumours[tumours["tumour"] == side].head(rows // 2) for side in ("malignant", "benign")]
    pd.concat(sides).to_csv(here / "bad.csv", index=False)
    message = refused("learn", "bad.csv", *DECLARED[1:], "--folds", folds, "-o", "out")
    assert "rows to learn from are" in message or "stratified folds need" in message


def test_mixed_kinds_of_values(refused, here, tumours):
    rows = tumours.head(80).assign(tumour=np.where(np.arange(80) % 2, "malignant", "benign"))
    lines = [json.loads(line) | {"odd": [True, "x"][i % 2]} for i, line in enumerate(_lines(rows))]
    (here / "bad.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n")
    assert "column 'odd'" in refused("learn", "bad.jsonl", *DECLARED[1:], "-o", "out")


def _lines(rows):
    return rows.to_json(orient="records", lines=True).strip().split("\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tumours.csv"], "pass --target with one of its columns: 'id', 'tumour'"),
        (["tumours.csv", "--target", "tumour"], "--positive"),
        (["absent.csv", "--target", "tumour"], "there is no file or folder absent.csv"),
        ([*DECLARED, "--model", "svm"], "no model 'svm'"),
        ([*DECLARED, "--type", "side"], "write COLUMN=KIND"),
        ([*DECLARED, "--type", "side=colour"], "no kind 'colour'"),
        ([*DECLARED, "--type", "sid=text"], "did you mean 'side' or 'id'?"),
        ([*DECLARED, "--order", "side=left,middle"], "not in its declared order"),
        ([*DECLARED, "--derive", "sqrt(side)"], "write log(x), log1p(x), x / y"),
        ([*DECLARED, "--derive", "log(side)"], "made of 'side', which is categorical"),
        ([*DECLARED, "--text", "bag"], "'tf-idf', 'counts', 'presence'"),
        ([*DECLARED, "--group", "absent"], "no column 'absent'"),
        ([*DECLARED, "--folds", "1"], "--folds"),
        ([*DECLARED, "--level", "95"], "did you mean --level 0.95?"),
        ([*DECLARED, "--cost-ratio", "-2"], "cost"),
        ([*DECLARED, "--overwrite"], "--output FOLDER is not given"),
        ([*DECLARED, "-o", "tumours.csv"], "is a file, not a folder"),
        ([*DECLARED, "-o", "a/b/c"], "there is no folder a/b"),
        ([*DECLARED, "--json", "--quiet"], "give one of them"),
    ],
)
@pytest.mark.usefixtures("here")
def test_what_is_refused(refused, words, message):
    assert message in refused("learn", *words)


def test_standard_input(run, here):
    text = (here / "few.csv").read_bytes()
    message = json.loads(run("learn", "-", *FEW[1:], "--json", stdin=text).stdout)
    assert message["rows"] == {"train": 120, "test": 40}
    assert message["written"] == []
