"""`thresher watch`: every command, every exit code, and what is written."""

from __future__ import annotations

import csv
import json
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from prometheus_client.parser import text_string_to_metric_families

import thresher as th
from tests.watching.worlds import decision, reference
from thresher.cli.app import program
from thresher.cli.schemas import json_schema
from thresher.watching import Check

DAYS = 12


def gauges_of(path):
    """Gauges by name and promise, as Prometheus reads them."""
    families = list(text_string_to_metric_families(path.read_text()))
    assert {family.type for family in families} == {"gauge"}
    return {(one.name, one.labels.get("promise")): one.value for family in families for one in family.samples}


def write(path, columns):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A folder with a decision, a reference, and rows and labels of the last days."""
    monkeypatch.chdir(tmp_path)
    decision().save("decision.json")
    labels, scores = reference()
    write(tmp_path / "reference.csv", {"fraud": labels, "p": scores})
    now = datetime.now(UTC)
    at = [(now - timedelta(days=DAYS * (1 - i / 2000))).isoformat() for i in range(2000)]
    write(tmp_path / "rows.csv", {"tx": [f"t{i}" for i in range(2000)], "at": at, "p": scores})
    seen = [(now - timedelta(days=DAYS * (1 - i / 2000)) + timedelta(hours=1)).isoformat() for i in range(2000)]
    take = [i for i in range(2000) if i < 1900]
    write(
        tmp_path / "good.csv", {"tx": [f"t{i}" for i in take], "fraud": labels[take], "seen": [seen[i] for i in take]}
    )
    write(
        tmp_path / "bad.csv", {"tx": [f"t{i}" for i in take], "fraud": [0] * len(take), "seen": [seen[i] for i in take]}
    )

    alarms = [i for i in take if decision().apply(scores)[i]]
    reviews = {"tx": [f"t{i}" for i in alarms], "fraud": labels[alarms], "seen": [seen[i] for i in alarms]}
    write(tmp_path / "alarms.csv", reviews)

    def call(*words):
        return CliRunner().invoke(program, ["watch", *words], catch_exceptions=False)

    return call


CREATE = ("create", "w.db", "decision.json", "--reference", "reference.csv", "--label", "fraud", "--matures", "2d")
INSERT = ("insert", "w.db", "rows.csv", "--id", "tx", "--time", "at", "--json")
LABEL = ("--id", "tx", "--label", "fraud", "--time", "seen", "--json")


def test_a_watch_from_its_making_to_an_alarm_that_is_acknowledged(run, tmp_path):
    made = run(*CREATE, "--promise", "precision >= 0.5", "--promise", "alarm_rate <= 0.5", "--sample", "20%", "--json")
    assert made.exit_code == 0, made.output
    assert run("check", "w.db", "-q").exit_code == 3  # no rows
    assert json.loads(run(*INSERT).stdout)["rows"] == 2000
    assert json.loads(run(*INSERT).stdout)["again"] == 2000
    assert json.loads(run("label", "w.db", "good.csv", *LABEL).stdout)["new"] == 1900
    checked = run("check", "w.db", "--json", "--prometheus", "w.prom")
    assert checked.exit_code == 0, checked.output
    data = json.loads(checked.stdout)
    Draft202012Validator(json_schema("watch")).validate(data)
    Draft202012Validator(Check.schema()).validate(data)
    assert {one["name"]: one["verdict"] for one in data["promises"]} == {"precision": "holds", "alarm_rate": "holds"}
    gauges = gauges_of(tmp_path / "w.prom")
    of_watch = ("rows", "labels", "orphans", *(f"last_{what}_timestamp_seconds" for what in ("row", "label", "check")))
    of_promise = ("estimate", "lower", "upper", "evidence", "alarm")
    assert {name for name, _ in gauges} == {f"thresher_watch_{name}" for name in (*of_watch, *of_promise)}
    assert gauges["thresher_watch_rows", None] == 2000
    assert {promise for name, promise in gauges if name == "thresher_watch_lower"} == {"precision", "alarm_rate"}
    # Everything is corrected to negative: the promise is broken, and an alarm stands.
    assert run("label", "w.db", "bad.csv", *LABEL).exit_code == 2  # labels of the same moment
    assert json.loads(run("label", "w.db", "bad.csv", *LABEL, "--replace").stdout)["corrected"] > 300
    broken = run("check", "w.db")
    assert broken.exit_code == 1, broken.output
    assert "BROKEN" in broken.stdout
    assert run("acknowledge", "w.db", "precision", "--note", "a test").exit_code == 0
    assert run("acknowledge", "w.db", "precision").exit_code == 2
    shown = json.loads(run("show", "w.db", "--json").stdout)
    assert [one["state"] for one in shown["checks"]] == ["broken", "holds", "not watched"]
    assert run("show", "w.db").exit_code == 0


def test_strict_undecided_and_unwatched_have_their_codes(run):
    run(*CREATE, "--promise", "recall >= 0.5", "--promise", "alarm_rate <= 0.5")
    run(*INSERT)
    assert run("check", "w.db", "-q").exit_code == 3  # no labels past maturity
    run("label", "w.db", "alarms.csv", *LABEL)
    assert run("check", "w.db", "-q").exit_code == 0
    strict = run("check", "w.db", "--strict")
    assert strict.exit_code == 1
    assert "partial-labels" in strict.stdout


def test_rows_and_labels_come_from_standard_input(run, tmp_path):
    run(*CREATE)
    for words, file, counted in (
        (("insert", "w.db", "-", *INSERT[3:]), "rows.csv", {"rows": 2000}),
        (("label", "w.db", "-", *LABEL), "good.csv", {"new": 1900}),
    ):
        done = CliRunner().invoke(program, ["watch", *words], input=(tmp_path / file).read_text())
        assert done.exit_code == 0, done.output
        assert json.loads(done.stdout).items() >= counted.items()


def test_a_store_in_use_asks_to_try_again(run):
    run(*CREATE)
    with sqlite3.connect("w.db", isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        busy = run(*INSERT, "--timeout", "0.1")
    assert busy.exit_code == 75
    assert "is in use" in busy.stderr
    assert run(*INSERT).exit_code == 0


def test_a_fault_is_no_broken_promise(run, monkeypatch):
    run(*CREATE)
    monkeypatch.setattr("thresher.watching.watch.assemble", lambda *_, **__: 1 / 0)
    assert CliRunner().invoke(program, ["watch", "check", "w.db"]).exit_code == 70


def test_bad_input_is_one_paragraph_without_secrets(run):
    Path("counts.json").write_text(th.rank(*reference()).to_json())
    later = json.loads(Path("decision.json").read_text())
    Path("later.json").write_text(json.dumps(later | {"format": later["format"].rstrip("0123456789") + "99"}))
    for words, why in (
        (("check", "absent.db"), "no store absent.db"),
        ((*CREATE, "--promise", "prescision >= 1"), "did you mean precision"),
        (("insert", "postgres://ann:tulip@127.0.0.1:1/db", "rows.csv"), "cannot be reached"),
        (("chekc", "w.db"), "did you mean check"),
        (("create", "w.db", "later.json", *CREATE[3:]), "thresher/decision/99"),
        (("create", "w.db", "reference.csv", *CREATE[3:]), "reference.csv"),
        (("check", "decision.json", "-o", "decision.json"), "would overwrite"),
        (("create", "w.db", "decision.json", "--reference", "counts.json", "--score", "p"), "leave --score out"),
    ):
        refused = run(*words)
        assert refused.exit_code == 2, refused.output
        assert why in refused.stderr
        assert "tulip" not in refused.output


def test_the_queue_is_written_and_formulas_are_not(run, tmp_path):
    run(*CREATE, "--sample", "10%")
    run(*INSERT)
    assert run("review", "w.db", "--at-most", "30", "-o", "queue.csv").exit_code == 0
    with (tmp_path / "queue.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 30
    assert {line["reason"] for line in lines} == {"drawn"}
    assert run("review", "w.db", "--sample", "50%", "-o", "queue.xls").exit_code == 2  # before it draws
    assert json.loads(run("show", "w.db", "--json").stdout)["decisions"][0]["sample"] == 0.1
    assert len(json.loads(run("review", "w.db", "--json", "--towards", "precision").stdout)["rows"]) == 200
    write(tmp_path / "odd.csv", {"tx": ["=1+1"], "at": [datetime.now(UTC).isoformat()], "p": [0.99]})
    run("insert", "w.db", "odd.csv", "--id", "tx", "--time", "at")
    words = ("review", "w.db", "--at-most", "100000", "--towards", "precision", "-o")
    assert "formula" in run(*words, "queue.csv").stderr
    assert run(*words, "queue.parquet").exit_code == 0


def test_another_decision_and_the_threshold_of_today(run):
    run(*CREATE, "--sample", "20%")
    run(*INSERT)
    run("label", "w.db", "good.csv", *LABEL)
    again = run("rechoose", "w.db")
    assert again.exit_code == 0
    assert "drawn labels" in again.stdout
    later = (datetime.now(UTC) + timedelta(minutes=30)).isoformat()
    words = ("deploy", "w.db", "decision.json", "--reference", "reference.csv", "--label", "fraud", "--json")
    assert run(*words, "--since", "2026-01-01").exit_code == 2
    assert json.loads(run(*words, "--since", later).stdout)["number"] == 2
    assert run("compact", "w.db", "--before", datetime.now(UTC).isoformat()).exit_code == 2


def test_names_in_the_file_for_prometheus_are_escaped(run, tmp_path):
    run(*CREATE, "--name", 'a"b\\c\nd', "--promise", "alarm_rate <= 0.5")
    run(*INSERT)
    run("check", "w.db", "--prometheus", "w.prom", "-q")
    families = text_string_to_metric_families((tmp_path / "w.prom").read_text())
    assert {one.labels["watch"] for family in families for one in family.samples} == {'a"b\\c\nd'}
