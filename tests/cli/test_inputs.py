"""Tests of inputs."""

import json
from importlib import import_module
from pathlib import Path

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.sources.test_scan import in_duckdb, in_postgres
from thresher.cli.inputs import Artefact, current_rule

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest", "--score", "logistic", "--cost-ratio", "5"]
CONDITION = th.OperatingCondition(cost_ratio=5)


@pytest.fixture(scope="module")
def library(columns):
    def evaluated(**options):
        scores = {name: columns[name] for name in ("forest", "logistic")}
        return th.evaluate(columns["malignant"], scores, condition=CONDITION, **options)

    return evaluated


def test_a_threshold_a_column_and_a_decision(data, library, columns, tmp_path):
    file = tmp_path / "earlier.json"
    decision = library().decision
    file.write_text(decision.to_json(), encoding="utf-8")
    for text, current in (("logistic=0.4", {"logistic": 0.4}), ("said", columns["said"]), (str(file), decision)):
        expected = json.loads(library(current=current, prefer="logistic", margin=0.01).to_json())
        assert data("evaluate", *ROWS, "--current", text, "--prefer", "logistic", "--margin", "0.01") == expected


def test_counts_of_calls_begin_again_with_new_columns(library):
    rule = Artefact(library().decision, None, positive=2, against=1)
    rule.columns(None, None, probability=False, place="rows")
    assert (rule.positive, rule.against) == (0, 0)


def test_a_gate_knows_what_is_saved(run, library, columns):
    saving = library(current=columns["said"]).saving
    low = run("gate", *ROWS, "--current", "said", "--require", f"saving >= {saving.lower - 0.001:.4f}")
    high = run("gate", *ROWS, "--current", "said", "--require", f"saving >= {saving.lower + 0.001:.4f}")
    assert (low.exit_code, high.exit_code) == (0, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--current", "nobody"], "--current nobody is no column, no file, and no model's threshold"),
        (["--current", "0.4"], "could be one of 2 models"),
        (["--current", "bayes=0.4"], "there is no model 'bayes'"),
        (["--current", "malignant"], "is given as --label and as --current"),
        (["--current", "said", "--prefer", "current"], "give --current: the model's threshold, or its decision"),
        (["--prefer", "bayes"], "the model 'bayes' is preferred"),
    ],
)
def test_refusals(run, words, message):
    result = run("evaluate", *ROWS, *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_what_could_mean_two_things_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rule").write_text("{}", encoding="utf-8")
    with pytest.raises(th.errors.ArgumentError, match="could mean a column or a file"):
        current_rule("rule", models=["m"], columns=["rule", "m"])
    with pytest.raises(th.errors.ArgumentError, match="could mean a column or a threshold"):
        current_rule("m=0.5", models=["m"], columns=["m=0.5", "m"])
    assert current_rule("calls", models=["m"], columns=None) == "calls"


ONE = ("--label", "malignant", "--score", "forest")
BOTH = (*ONE, "--score", "logistic")


@pytest.fixture(params=["duckdb", "postgres"])
def database(request, folder, columns):
    """The words that name a table of the rows that predictions.csv holds."""
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
        in_postgres(server, "predictions", {name: _small(values) for name, values in columns.items()})
        return server.url, "--table", "predictions"
    engine = ibis.duckdb.connect(folder / "mails.duckdb")
    in_duckdb(engine, "predictions", pa.table(columns))
    engine.disconnect()
    return "mails.duckdb", "--table", "predictions"


def _small(values):
    return values.astype("int16") if values.dtype.kind == "i" else values


@pytest.fixture
def many(monkeypatch):
    """All rows as too many to be read."""
    scan = import_module("thresher.sources.scan")
    monkeypatch.setattr(scan, "ROWS_TO_STREAM", 0)
    monkeypatch.setattr(scan, "memory_budget", lambda: 0)


@pytest.mark.parametrize("command", ["evaluate", "choose", "compare"])
def test_a_table_that_fits_gives_what_a_file_gives(data, database, command):
    asked = BOTH if command == "compare" else ONE
    answer, expected = data(command, *database, *asked), data(command, "predictions.csv", *asked)
    if command == "evaluate":
        for one in (answer, expected):
            one["decision"].pop("fingerprint")  # rows come in an order of their own, and resampling knows it
            assert one["models"]["forest"].pop("out_of_bag_cost")
            assert one["models"]["forest"].pop("threshold")
        assert answer["models"] == expected["models"]
        assert answer["decision"]["rule"]["threshold"] == expected["decision"]["rule"]["threshold"]
    elif command == "choose":
        assert answer == expected
    else:
        assert answer["estimates"] == pytest.approx(expected["estimates"])


@pytest.mark.usefixtures("many")
def test_more_rows_than_fit_are_evaluated_where_they_are(data, run, database, folder, columns):
    answer = data("evaluate", *database, *BOTH, "--cost-ratio", "3", "--paired", "--decision", "decision.json")
    models = {name: columns[name] for name in ("forest", "logistic")}
    expected = th.evaluate(columns["malignant"], models, condition=th.OperatingCondition(cost_ratio=3))
    assert answer["decision"]["rule"]["threshold"] == expected.decision.threshold
    assert answer["models"]["forest"]["auc"]["lower"] == pytest.approx(expected["forest"].auc.lower)
    assert [caution["code"] for caution in answer["cautions"]][-1] == "counts-only"
    assert json.loads((folder / "decision.json").read_text())["model"] == expected.decision.model
    shown = run("evaluate", *database, *BOTH, "--cost-ratio", "3", "--paired")
    assert shown.exit_code == 0
    assert "Differences in AUC" not in run("evaluate", *database, *BOTH, "--cost-ratio", "3").stdout
    for words in ("Use forest", "exactly", "Differences in AUC", "counts-only", "Bounds"):
        assert words in shown.stdout
    assert "tulip" not in shown.stdout


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("how", ["--json", "--quiet", ""])
def test_the_decision_is_written_whatever_is_shown(run, folder, how):
    result = run("evaluate", "predictions.csv", *ONE, "--decision", "decision.json", *filter(None, [how]))
    decision = th.Decision.from_json((folder / "decision.json").read_text(encoding="utf-8"))
    if how == "--json":
        assert json.loads(result.stdout)["decision"]["rule"]["threshold"] == decision.threshold
    else:
        assert ("wrote decision  decision.json" in result.stdout) is (not how)


@pytest.mark.usefixtures("many")
def test_more_rows_than_fit_are_chosen_from_compared_and_merged(data, database, columns):
    chosen = data("choose", *database, *ONE, "--cost-ratio", "3")["forest"]
    ranking = th.rank(columns["malignant"], columns["forest"])
    assert chosen["threshold"] == th.choose(ranking, th.OperatingCondition(cost_ratio=3)).threshold
    compared = data("compare", *database, *BOTH, "--weight", "weight", "--cluster", "patient")
    expected = th.compare(
        columns["malignant"],
        {name: columns[name] for name in ("forest", "logistic")},
        weights=columns["weight"],
        clusters=columns["patient"],
    )
    assert compared["differences"][0]["lower"] == pytest.approx(expected["forest", "logistic"].lower)
    assert th.Ranking.from_dict(data("merge", *database, *ONE)) == ranking


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("command", ["evaluate", "gate", "choose"])
def test_groups_of_a_table_are_those_of_a_file(data, database, command):
    """Counted inside the engine, and batch by batch: the same ranges, so the same answers."""
    words = (
        "--by",
        "weight",
        "--where",
        "label=ham",
        "--where",
        "label=spam",
        "--where",
        "said=0",
        "--where",
        "said=1",
    )
    required = ("--require", "auc.estimate >= 0.1") if command == "gate" else ()
    answer, expected = (data(command, *source, *ONE, *words, *required) for source in (database, ("predictions.csv",)))
    assert [each["group"] for each in answer["groups"]] == [{"weight": weight} for weight in (1, 2, 3)]
    for one, other in zip(answer["groups"], expected["groups"], strict=True):
        if command == "choose":
            assert one["result"]["forest"]["expected_cost"] == other["result"]["forest"]["expected_cost"]
        elif command == "evaluate":
            low, high = one["result"]["models"]["forest"]["bounds"]["auc"]
            assert low <= other["result"]["models"]["forest"]["bounds"]["auc"][1]
            assert other["result"]["models"]["forest"]["bounds"]["auc"][0] <= high
        else:
            assert one["result"]["requirements"][0]["passed"]


@pytest.mark.usefixtures("many")
def test_files_larger_than_memory_are_counted(data, refused, columns):
    result = data("evaluate", "predictions.csv", *BOTH, "--positive", "1")
    for name in ("forest", "logistic"):
        low, high = result["models"][name]["bounds"]["auc"]
        assert low <= th.auc(th.rank(columns["malignant"], columns[name])) <= high
    assert "needs all rows at once" in refused("compare", "predictions.csv", *BOTH)


@pytest.mark.usefixtures("many")
def test_the_positive_label_is_read_in_the_type_of_the_labels(data, database):
    text = data("choose", *database, "--label", "label", "--positive", "spam", "--score", "forest")
    number = data("choose", *database, "--label", "malignant", "--positive", "1", "--score", "forest")
    assert text == number


@pytest.mark.parametrize("fixture", ["folder", "many"])
@pytest.mark.parametrize("source", ["huge.csv", "huge.parquet", "huge.duckdb", "huge.jsonl"])
def test_labels_that_no_float_tells_apart_stay_apart(request, data, refused, source, fixture):
    request.getfixturevalue(fixture)  # rows that fit, or not
    folder = Path.cwd()
    odd, even = 2**53 + 1, 2**53
    labels, scores = [odd, odd, even, odd, even, even], [0.9, 0.8, 0.7, 0.6, 0.3, 0.1]
    table = pa.table({"y": labels, "p": scores})
    name, *more = (source, "--table", "rows") if source.endswith("duckdb") else (source,)
    if more:
        engine = ibis.duckdb.connect(folder / name)
        in_duckdb(engine, "rows", table)
        engine.disconnect()
    elif name.endswith("parquet"):
        pq.write_table(table, folder / name)
    elif name.endswith("jsonl"):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))
    else:
        (folder / name).write_text("y,p\n" + "".join(f"{row['y']},{row['p']}\n" for row in table.to_pylist()))
    words = ("choose", name, *more, "--label", "y", "--score", "p")
    for positive in (odd, even):
        expected = th.choose(th.rank([label == positive for label in labels], scores))
        answer = data(*words, "--positive", str(positive))
        assert answer["p"]["threshold"] == _number(expected.threshold)
        assert answer["p"]["table"]["tp"] == expected.table.tp
    assert f"{odd + 1} is not among" in refused(*words, "--positive", str(odd + 1))


def _number(value):
    return value if abs(value) < float("inf") else str(value)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evaluate", "-o", "report.html"), "--output needs rows"),
        (("evaluate", "--figures", "figures"), "--figures needs rows"),
        (("evaluate", "--cluster", "patient"), "--cluster needs rows"),
        (("evaluate", "--prediction", "said"), "--prediction needs rows"),
        (("evaluate", "--paired", "--by", "said"), "--paired sorts rows where they are"),
        (("gate", "--require", "saving >= 0"), "saving needs rows"),
        (("gate", "--require", "auc >= 0.5", "--cluster", "patient"), "--cluster needs rows"),
    ],
)
def test_what_needs_rows_is_refused(refused, database, words, message):
    assert message in refused(words[0], *database, *ONE, *words[1:])


def test_errors_hold_no_secrets(refused, database):
    place, *table = database
    for words in (
        (place, *ONE),
        (place, "--table", "absent", *ONE),
        (place, *table, "--label", "malignnt", *ONE[2:]),
    ):
        assert "tulip" not in refused("evaluate", *words)
    assert "fix:   pass --table ...: " in refused("evaluate", place, *ONE)
    assert "has no table" in refused("evaluate", place, "--table", 'predictions"; DROP TABLE predictions; --', *ONE)
    assert "'forest', 'logistic'" in refused("evaluate", *database, "--label", "malignant")
    assert "fix:   leave --table out" in refused("evaluate", "predictions.csv", "--table", "x", *ONE)


def test_no_command_shows_a_password(run, database):
    place, *table = database
    shown = run("merge", place, *table, *ONE)
    assert shown.exit_code == 0
    for result in (
        shown,
        run("merge", place, "--table", "absent", *ONE),
        run("calibrate", place, *table, *ONE, "--write", "new.csv"),
        run("apply", "decision.json", place),
        run("predict", "folder", place),
        run("features", place, "--target", "malignant"),
        run("learn", place, "--target", "malignant"),
    ):
        assert "tulip" not in result.stdout + result.stderr


@pytest.mark.parametrize("command", ["features", "learn"])
def test_commands_that_need_rows_in_files(refused, command):
    message = refused(command, "postgres://ann:tulip@127.0.0.1:1/db", "--target", "malignant")
    assert "is no file, and rows are read from files here" in message


def test_a_server_that_does_not_answer(refused):
    message = refused("evaluate", "postgres://ann:tulip@127.0.0.1:1/db", "--table", "mails", *ONE)
    assert "it cannot be reached" in message
    assert "tulip" not in message
