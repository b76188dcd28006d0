"""Databases, and sources of more rows than fit: each command where it makes sense, and a word where it does not."""

import json
from pathlib import Path

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.sources.test_scan import in_postgres
from thresher.sources import fetched, learned_columns, streamed

ROWS = ("--label", "malignant", "--score", "forest")
BOTH = (*ROWS, "--score", "logistic")


@pytest.fixture(params=["duckdb", "postgres"])
def database(request, folder, columns):
    """The words that name a table of the rows that predictions.csv holds."""
    if request.param == "postgres":
        server = request.getfixturevalue("postgres")
        in_postgres(server, "predictions", {name: _small(values) for name, values in columns.items()})
        return server.url, "--table", "predictions"
    engine = ibis.duckdb.connect(folder / "mails.duckdb")
    engine.create_table("predictions", pa.table(columns))
    engine.disconnect()
    return "mails.duckdb", "--table", "predictions"


def _small(values):
    return values.astype("int16") if values.dtype.kind == "i" else values


@pytest.fixture
def many(monkeypatch):
    """All rows as too many to be read."""
    monkeypatch.setattr(fetched, "MOST_ROWS", 0)
    monkeypatch.setattr(fetched, "memory", lambda: 0)


@pytest.mark.parametrize("command", ["evaluate", "choose", "compare"])
def test_a_table_that_fits_gives_what_a_file_gives(data, database, command):
    asked = BOTH if command == "compare" else ROWS
    found, expected = data(command, *database, *asked), data(command, "predictions.csv", *asked)
    if command == "evaluate":
        for one in (found, expected):
            one["decision"].pop("fingerprint")  # rows come in an order of their own, and resampling knows it
            assert one["models"]["forest"].pop("honest_cost")
            assert one["models"]["forest"].pop("threshold")
        assert found["models"] == expected["models"]
        assert found["decision"]["threshold"] == expected["decision"]["threshold"]
    elif command == "choose":
        assert found == expected
    else:
        assert found["estimates"] == pytest.approx(expected["estimates"])


@pytest.mark.usefixtures("many")
def test_more_rows_than_fit_are_evaluated_where_they_are(data, run, database, folder, columns):
    found = data("evaluate", *database, *BOTH, "--cost-ratio", "3", "--decision", "decision.json")
    models = {name: columns[name] for name in ("forest", "logistic")}
    expected = th.evaluate(columns["malignant"], models, condition=th.OperatingCondition(cost_ratio=3))
    assert found["decision"]["threshold"] == expected.decision.threshold
    assert found["models"]["forest"]["auc"]["lower"] == pytest.approx(expected["forest"].auc.lower)
    assert [caution["code"] for caution in found["cautions"]][-1] == "counts-only"
    assert json.loads((folder / "decision.json").read_text())["model"] == expected.decision.model
    shown = run("evaluate", *database, *BOTH, "--cost-ratio", "3")
    assert shown.exit_code == 0
    for words in ("Use forest", "exactly", "Differences in AUC", "counts-only", "Bounds"):
        assert words in shown.stdout
    assert "tulip" not in shown.stdout


@pytest.mark.usefixtures("many")
def test_more_rows_than_fit_are_chosen_from_compared_and_merged(data, database, columns):
    chosen = data("choose", *database, *ROWS, "--cost-ratio", "3")["forest"]
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
    assert th.Ranking.from_dict(data("merge", *database, *ROWS)) == ranking


@pytest.mark.usefixtures("many")
def test_files_larger_than_memory_go_through_the_engine(data):
    found = data("evaluate", "predictions.csv", *ROWS)
    assert found["models"]["forest"]["bounds"]["auc"][0] == pytest.approx(found["models"]["forest"]["auc"]["estimate"])


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("command", ["evaluate", "choose", "compare", "merge"])
def test_the_types_of_a_file_are_learned_once(data, monkeypatch, command):
    """The label is looked at before the scan, which must not read the whole file for it again."""
    learned = []

    def counted(files, seen, *, where):
        learned.append(where)
        return learned_columns.learned_columns(files, seen)

    monkeypatch.setattr(streamed, "_last", {})
    monkeypatch.setattr(streamed, "learned_columns", counted)
    asked = BOTH if command == "compare" else ROWS
    data(command, "predictions.csv", *asked, "--positive", "1")
    assert len(learned) == 1


@pytest.mark.usefixtures("many")
def test_the_positive_label_is_read_in_the_type_of_the_labels(data, database):
    text = data("choose", *database, "--label", "label", "--positive", "spam", "--score", "forest")
    number = data("choose", *database, "--label", "malignant", "--positive", "1", "--score", "forest")
    assert text == number


@pytest.mark.parametrize("fixture", ["folder", "many"])
@pytest.mark.parametrize("source", ["huge.csv", "huge.parquet", "huge.duckdb", "huge.jsonl"])
def test_labels_that_no_float_tells_apart_are_told_apart(request, data, refused, source, fixture):
    request.getfixturevalue(fixture)  # rows that fit, or not
    folder = Path.cwd()
    odd, even = 2**53 + 1, 2**53
    labels, scores = [odd, odd, even, odd, even, even], [0.9, 0.8, 0.7, 0.6, 0.3, 0.1]
    table = pa.table({"y": labels, "p": scores})
    name, *more = (source, "--table", "rows") if source.endswith("duckdb") else (source,)
    if more:
        engine = ibis.duckdb.connect(folder / name)
        engine.create_table("rows", table)
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
        found = data(*words, "--positive", str(positive))
        assert found["p"]["threshold"] == _number(expected.threshold)
        assert found["p"]["table"]["tp"] == expected.table.tp
    assert f"{odd + 1} is not among" in refused(*words, "--positive", str(odd + 1))


def _number(value):
    return value if abs(value) < float("inf") else str(value)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("evaluate", "-o", "report.html"), "--output needs rows"),
        (("evaluate", "--figures", "figures"), "--figures needs rows"),
        (("evaluate", "--cluster", "patient"), "--cluster needs rows"),
        (("evaluate", "--prediction", "said"), "--prediction needs rows"),
        (("gate", "--require", "auc >= 0.5"), "needs them all at once"),
    ],
)
def test_what_needs_rows_is_refused(refused, database, words, told):
    assert told in refused(words[0], *database, *ROWS, *words[1:])


def test_what_is_wrong_is_told_without_secrets(refused, database):
    place, *table = database
    for words in (
        (place, *ROWS),
        (place, "--table", "absent", *ROWS),
        (place, *table, "--label", "malignnt", *ROWS[2:]),
    ):
        assert "tulip" not in refused("evaluate", *words)
    assert "fix:   pass --table ...: " in refused("evaluate", place, *ROWS)
    assert "has no table" in refused("evaluate", place, "--table", 'predictions"; DROP TABLE predictions; --', *ROWS)
    assert "'forest', 'logistic'" in refused("evaluate", *database, "--label", "malignant")
    assert "fix:   leave --table out" in refused("evaluate", "predictions.csv", "--table", "x", *ROWS)


def test_no_command_shows_a_password(run, database):
    place, *table = database
    shown = run("merge", place, *table, *ROWS)
    assert shown.exit_code == 0
    for result in (
        shown,
        run("merge", place, "--table", "absent", *ROWS),
        run("calibrate", place, *table, *ROWS, "--write", "new.csv"),
        run("apply", "decision.json", place),
        run("predict", "folder", place),
        run("features", place, "--target", "malignant"),
        run("learn", place, "--target", "malignant"),
    ):
        assert "tulip" not in result.stdout + result.stderr


@pytest.mark.parametrize("command", ["features", "learn"])
def test_commands_that_need_rows_in_files(refused, command):
    told = refused(command, "postgres://ann:tulip@127.0.0.1:1/db", "--target", "malignant")
    assert "is no file, and rows are read from files here" in told


def test_a_server_that_does_not_answer(refused):
    told = refused("evaluate", "postgres://ann:tulip@127.0.0.1:1/db", "--table", "mails", *ROWS)
    assert "it cannot be reached" in told
    assert "tulip" not in told
