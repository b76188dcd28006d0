"""`thresher evaluate` says what `th.evaluate` says."""

import json
from contextlib import contextmanager

import pytest

import thresher as th
from thresher.cli.console import screen

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest", "--score", "logistic"]


def test_plain_data_are_those_of_the_library(data, columns):
    answer = th.evaluate(
        columns["malignant"],
        {name: columns[name] for name in ("forest", "logistic")},
        condition=th.OperatingCondition(cost_ratio=5, class_ratio=1 / 9),
        level=0.9,
        seed=3,
    )
    message = data("evaluate", *ROWS, "--cost-ratio", "5:1", "--class-ratio", "1:9", "--level", "0.9", "--seed", "3")
    assert message == json.loads(answer.to_json())


def test_weights_clusters_positive_and_predictions_are_passed_on(data, columns):
    answer = th.evaluate(
        columns["label"],
        {"forest": columns["forest"]},
        positive="ham",
        predictions=None,
        weights=columns["weight"],
        clusters=columns["patient"],
    )
    words = ["--label", "label", "--score", "forest", "--positive", "ham", "--weight", "weight", "--cluster", "patient"]
    assert data("evaluate", "predictions.csv", *words) == json.loads(answer.to_json())


def test_the_summary_answers_first(run):
    text = run("evaluate", *ROWS, "--cost-fn", "5", "--cost-fp", "1").stdout
    order = [text.index(words) for words in ("when forest says", "never act", "Models", "At threshold", "Differences")]
    assert order == sorted(order)
    assert "Classes mixed as in these rows, where a miss costs 5 false alarms." in text
    assert "240 rows: 91 positive, 149 negative" in text


def test_predictions_are_reported(run, columns):
    named, single = (
        run("evaluate", *ROWS, "--prediction", "forest=said"),
        run("evaluate", *ROWS[:5], "--prediction", "said"),
    )
    table = th.contingency(columns["malignant"], columns["said"])
    for result in (named, single):
        line = result.stdout.split("Predictions as given")[1].splitlines()[3]
        assert line.split()[:5] == ["forest", *(str(getattr(table, cell)) for cell in ("tp", "fn", "fp", "tn"))]


@pytest.mark.parametrize(
    ("prediction", "message"),
    [
        (["said"], "cannot tell which model predicted 'said'"),
        (["bayes=said"], "there is no model 'bayes'"),
        (["forest=said", "forest=said"], "has two columns of predictions"),
    ],
)
def test_predictions_of_nobody(refused, prediction, message):
    words = [word for one in prediction for word in ("--prediction", one)]
    assert message in refused("evaluate", *ROWS, *words)


def test_the_decision_is_written_and_named(run, folder):
    result = run("evaluate", *ROWS, "--decision", "decision.json")
    assert "wrote decision  decision.json" in result.stdout
    decision = th.Decision.from_json((folder / "decision.json").read_text())
    assert decision.model in ("forest", "logistic")
    assert sorted(path.name for path in folder.iterdir()) == ["animals.csv", "decision.json", "predictions.csv"]


def test_quiet_is_quiet(run):
    result = run("evaluate", *ROWS, "--quiet", "--decision", "decision.json")
    assert result.output == ""


def test_standard_input(run, folder):
    text = (folder / "predictions.csv").read_bytes()
    result = run("evaluate", "-", *ROWS[1:], stdin=text)
    assert result.exit_code == 0
    assert result.stdout.startswith("standard input\n240 rows")


@pytest.mark.parametrize("source", ["parts", "parts/day=*/*.csv", "parts/**/*.csv"])
def test_a_folder_or_a_glob_is_one_table(data, folder, source):
    lines = (folder / "predictions.csv").read_text().splitlines()
    for day, rows in enumerate((lines[1:100], lines[100:])):
        (folder / f"parts/day={day}").mkdir(parents=True)
        (folder / f"parts/day={day}/rows.csv").write_text("\n".join([lines[0], *rows]) + "\n")
    assert data("evaluate", source, *ROWS[1:]) == data("evaluate", *ROWS)
    assert data("evaluate", source, *ROWS[1:5], "--cluster", "day", "--missing", "drop")["rows"] == 240


def test_formats_of_columns(data, folder, columns):
    arrow, parquet, feather = (pytest.importorskip(f"pyarrow{part}") for part in ("", ".parquet", ".feather"))
    table = arrow.table({name: columns[name] for name in ("malignant", "forest", "logistic")})
    parquet.write_table(table, folder / "rows.parquet")
    feather.write_feather(table, folder / "rows.arrow")
    for name in ("rows.parquet", "rows.arrow"):
        assert data("evaluate", name, *ROWS[1:]) == data("evaluate", *ROWS)


def test_missing_values_are_refused_with_the_option_that_drops_them(refused, run, folder):
    lines = (folder / "predictions.csv").read_text().splitlines()
    lines[3] = ",".join(["", *lines[3].split(",")[1:]])
    (folder / "gaps.csv").write_text("\n".join(lines) + "\n")
    words = ["gaps.csv", *ROWS[1:]]
    assert "--missing drop" in refused("evaluate", *words)
    assert "1 dropped for missing values" in run("evaluate", *words, "--missing", "drop").stdout


def test_labels_that_do_not_speak_for_themselves(refused):
    text = refused("evaluate", "predictions.csv", "--label", "label", "--score", "forest")
    assert "cannot tell which label is positive: 'ham' or 'spam'" in text
    assert "pass --positive spam" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--label", "malignant"], "'malignant', 'forest', 'logistic', 'bayes', 'label'"),
        (["--score", "forest"], "cannot tell which column holds the true labels"),
        (["--label", "malignant", "--score", "forrest"], "did you mean 'forest'?"),
        (["--label", "malignant", "--score", "forest", "--score", "forest"], "given twice as --score"),
        (["--label", "malignant", "--score", "label"], "scores must be numbers"),
        (["--label", "patient", "--score", "forest"], "more than two labels"),
        (["--label", "malignant", "--score", "forest", "--format", "pdf"], "--figures FOLDER is not given"),
        (["--label", "malignant", "--score", "forest", "--title", "a"], "--output FILE is not given"),
        (["--label", "malignant", "--score", "forest", "--decision", "predictions.csv"], "overwrite the input"),
        (["--label", "malignant", "--score", "forest", "-o", "a", "--decision", "a"], "name the same file"),
        (["--label", "malignant", "--score", "forest", "--decision", "."], "it is a folder"),
        (["--label", "malignant", "--score", "forest", "-o", "-"], "--output is a file, and - is standard output"),
        (["--label", "malignant", "--score", "forest", "--decision", "-"], "--decision is a file"),
        (["--label", "malignant", "--score", "forest", "-o", "a.html", "--figures", "predictions.csv"], "--figures"),
        (["--label", "malignant", "--score", "forest", "-o", "a.html", "--figures", "file/in"], "is a file and not"),
        (["--label", "malignant", "--score", "forest", "--decision", "no/a.json"], "no such file or folder"),
        (["--label", "malignant", "--score", "forest", "--missing", "skip"], "'skip' is not one of"),
        (["--label", "malignant", "--score", "forest", "--json", "--quiet"], "give one of them"),
    ],
)
def test_what_is_refused(refused, folder, words, message):
    (folder / "file").write_text("")
    assert message in refused("evaluate", "predictions.csv", *words)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"malignant,forest\n", "no rows"),
        (b"malignant,forest\n1,0.5\n0\n", "1 field"),
        (b"malignant,forest\n1,0.5\n0,\xff0.2\n", "not UTF-8"),
        (b"malignant,forest\n1,0.5\n1,0.2\n", "there are no negatives among 2 cases"),
    ],
)
def test_files_that_are_no_rows(refused, folder, content, message):
    (folder / "bad.csv").write_bytes(content)
    assert message in refused("evaluate", "bad.csv", "--label", "malignant", "--score", "forest")


def test_hostile_names(run, folder, columns):
    name = "\x1b[31m[bold]=cmd()</script>\u202e"
    header = f'malignant,"{name}"\n'
    rows = "".join(f"{y},{p}\n" for y, p in zip(columns["malignant"], columns["forest"], strict=True))
    (folder / "odd.csv").write_text(header + rows, encoding="utf-8")
    result = run("evaluate", "odd.csv", "--label", "malignant", "--score", name)
    assert result.exit_code == 0
    assert "[31m[bold]=cmd()</script>" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout


def test_predictions_of_a_model_that_is_not_scored(refused, run, folder):
    text = refused("evaluate", *ROWS[:5], "--prediction", "logistic=said")
    assert "there is no model 'logistic'" in text
    assert "MODEL=COLUMN, e.g. forest=said" in text
    lines = (folder / "predictions.csv").read_text().replace("said", "a=b", 1)
    (folder / "predictions.csv").write_text(lines)
    assert "Predictions as given" in run("evaluate", *ROWS[:5], "--prediction", "a=b").stdout


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (["--score", "malignant"], "--score"),
        (["--weight", "malignant"], "--weight"),
        (["--cluster", "malignant"], "--cluster"),
        (["--prediction", "malignant"], "--prediction"),
    ],
)
def test_labels_are_not_judged_by_themselves(refused, words, option):
    text = refused("evaluate", *ROWS[:5], *words)
    assert f"the column 'malignant' is given as --label and as {option}" in text


def test_scores_that_are_text(refused):
    assert "scores must be numbers, got text (first " in refused("evaluate", *ROWS[:3], "--score", "label")


@pytest.mark.parametrize(("more", "model"), [([], "computing intervals of model 2 of 2"), (["--quiet"], None)])
def test_what_takes_long_says_how_far_it_is(run, monkeypatch, more, model):
    progress = []

    @contextmanager
    def working(words):
        progress.append(words)
        yield progress.append

    monkeypatch.setattr(screen, "working", working)
    run("evaluate", *ROWS, *more)
    assert "evaluating 2 models on" in " ".join(progress)
    assert (model in progress) if model else progress[-1].startswith("evaluating")
