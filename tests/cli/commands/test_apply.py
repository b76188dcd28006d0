"""`thresher apply` does what `Decision.apply` does, to files, without touching anything else in them."""

import csv
import gzip
import io
import json

import numpy as np
import pytest

import thresher as th

ROWS = ["predictions.csv", "--label", "malignant", "--score", "forest", "--cost-ratio", "4"]


@pytest.fixture
def decision(run, folder):
    run("evaluate", *ROWS, "--decision", "decision.json", "--quiet")
    return th.Decision.from_json((folder / "decision.json").read_text())


def rows_in(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_column_is_added_and_nothing_else_changes(run, folder, decision, columns):
    result = run("apply", "decision.json", "predictions.csv", "-o", "out.csv")
    assert result.exit_code == 0
    before, after = ((folder / name).read_text().splitlines() for name in ("predictions.csv", "out.csv"))
    calls = decision.apply(columns["forest"]).astype(int)
    assert after == [f"{before[0]},predicted", *(f"{row},{call}" for row, call in zip(before[1:], calls, strict=True))]
    assert f"240 rows, {calls.sum()} of them called positive" in result.stderr


def test_standard_output_is_csv_and_standard_input_is_read(run, folder, decision):
    text = (folder / "predictions.csv").read_bytes()
    result = run("apply", "decision.json", "-", stdin=text)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == run("apply", "decision.json", "predictions.csv").stdout
    assert rows_in(result.stdout)[0]["predicted"] in ("0", "1")
    assert decision.model == "forest"


def test_probabilities_come_from_the_decision(run, decision, columns):
    rows = rows_in(run("apply", "decision.json", "predictions.csv", "--probability", "--column", "call").stdout)
    expected = th.calibration.CalibrationMap.from_dict(decision.calibration)(columns["forest"])
    assert [float(row["probability"]) for row in rows] == expected.tolist()
    assert {row["call"] for row in rows} == {"0", "1"}


def test_calls_that_probabilities_speak_against_are_counted(run, folder, data, decision, columns):
    words = ["apply", "decision.json", "predictions.csv", "--probability"]
    fine = data(*words, "-o", "out.csv")
    assert (fine["map"], fine["against_probability"], fine["cautions"]) == ("isotonic map", 0, [])
    assert run(*words).stderr == ""
    ranking = th.rank(columns["malignant"], columns["forest"])
    calls = decision.apply(columns["forest"])
    for options, name in (
        ({"method": "platt"}, "platt map"),
        ({"interpolate": True, "smoothing": th.calibration.MEstimate(90, 0.9)}, "isotonic map with ramps"),
    ):
        other = th.calibration_map(ranking, **options)
        plain = decision.to_dict() | {"rule": decision.rule.to_dict() | {"calibration": other.to_dict()}}
        (folder / "decision.json").write_text(json.dumps(plain))
        against = int((calls != (other(columns["forest"]) > 1 / 5)).sum())
        answer = data(*words, "-o", "out.csv")
        assert (answer["map"], answer["against_probability"]) == (name, against)
        assert [caution["code"] for caution in answer["cautions"]] == ["call-against-probability"]
        for target in ("-", "out.csv"):
            message = run(*words, "-o", target).stderr
            assert f"! {against:,} of 240 calls go against the probability of the {name}" in message
        assert f"probabilities by the {name}" in message
        assert run(*words, "-q").stderr == ""


def test_a_map_alone(run, folder, columns):
    run("calibrate", *ROWS[:5], "-o", "map.json")
    rows = rows_in(run("apply", "map.json", "predictions.csv", "--score", "forest").stdout)
    answer = th.calibration.CalibrationMap.from_json((folder / "map.json").read_text())
    assert [float(row["probability"]) for row in rows] == answer(columns["forest"]).tolist()


@pytest.mark.usefixtures("decision")
@pytest.mark.parametrize("name", ["out.csv.gz", "out.tsv", "out.parquet", "out.arrow"])
def test_names_tell_the_format(run, folder, name):
    assert run("apply", "decision.json", "predictions.csv", "-o", name, "-q").exit_code == 0
    again = run("apply", "decision.json", name, "--column", "again", "-o", "again.csv")
    assert again.exit_code == 0, again.output
    rows = rows_in((folder / "again.csv").read_text())
    assert [row["again"] for row in rows] == [row["predicted"] for row in rows]
    assert len(rows) == 240


@pytest.mark.usefixtures("decision")
def test_compressed_rows_are_read(run, folder):
    arrow = pytest.importorskip("pyarrow")
    with arrow.CompressedOutputStream(folder / "rows.csv.zst", "zstd") as packed:
        packed.write((folder / "predictions.csv").read_bytes())
    plain, packed = (run("apply", "decision.json", name) for name in ("predictions.csv", "rows.csv.zst"))
    assert packed.exit_code == 0, packed.output
    assert packed.stdout == plain.stdout


@pytest.mark.usefixtures("decision")
def test_one_row_is_counted_as_one(run, folder):
    (folder / "one.csv").write_text("forest\n0.99\n")
    assert "wrote out.csv: 1 row, 1 of them" in run("apply", "decision.json", "one.csv", "-o", "out.csv").stderr


@pytest.mark.usefixtures("decision")
def test_compressed_output_is_the_same_every_time(run, folder):
    for name in ("a.csv.gz", "b.csv.gz"):
        run("apply", "decision.json", "predictions.csv", "-o", name)
    one, other = (gzip.decompress((folder / name).read_bytes()) for name in ("a.csv.gz", "b.csv.gz"))
    assert one == other


@pytest.mark.usefixtures("decision")
def test_what_is_written_in_other_columns_stays(run, folder):
    (folder / "odd.csv").write_text('\ufeffid,forest,note\n007,0.50,"a, ""b"""\n1e3,1,\n', encoding="utf-8")
    with (folder / "odd.csv").open("a") as file:
        file.write(f"long,1,{'x' * 200_000}\n")  # longer than the csv module reads by itself
    text = run("apply", "decision.json", "odd.csv").stdout
    assert "x" * 200_000 in text
    assert text.splitlines()[0] == "id,forest,note,predicted"
    assert text.splitlines()[1].startswith('007,0.50,"a, ""b""",')
    assert text.splitlines()[2].startswith("1e3,1,,")


def test_plain_data_tell_what_was_done(run, decision, columns):
    message = json.loads(run("apply", "decision.json", "predictions.csv", "-o", "out.csv", "--json").stdout)
    positive = int(np.sum(columns["forest"] >= decision.threshold))
    assert message == {"rows": 240, "positive": positive, "output": "out.csv"}


@pytest.mark.usefixtures("decision")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["absent.json", "predictions.csv"], "there is no file absent.json"),
        (["predictions.csv", "predictions.csv"], "cannot be applied: this is not JSON"),
        (["-", "predictions.csv"], "the decision must be a file"),
        (["decision.json", "absent.csv"], "absent.csv"),
        (["decision.json", "predictions.csv", "--score", "forst"], "did you mean 'forest'?"),
        (["decision.json", "predictions.csv", "--column", "label"], "has a column 'label' already"),
        (["decision.json", "predictions.csv", "--column", "probability", "--probability"], "two new columns"),
        (["decision.json", "predictions.csv", "-o", "out.doc"], "cannot be told from its name"),
        (["decision.json", "predictions.csv", "-o", "out.parquet.gz"], "cannot be written so"),
        (["decision.json", "predictions.csv", "-o", "predictions.csv"], "would overwrite the input"),
        (["decision.json", "predictions.csv", "--json"], "needs --output FILE"),
        (["damaged.json", "predictions.csv"], "damaged"),
    ],
)
def test_what_is_refused(refused, folder, words, message):
    plain = json.loads((folder / "decision.json").read_text())
    plain["expected_cost"] = 3
    (folder / "damaged.json").write_text(json.dumps(plain))
    assert message in refused("apply", *words)


@pytest.mark.usefixtures("decision")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"id,forest\n", "has no rows"),
        (b"id;forest\n1;0.5\n", "the file seems to be separated by ';'"),
        (b"forest,forest\n1,0.5\n", "has 2 columns called 'forest'"),
        (b"id,forest\n1,0.5\n2\n", "a row of bad.csv has 1 field where there are 2 columns"),
        (b"id,forest\n1,0.5\n2,\n", "is missing in row 2"),
        (b"id,forest\n1,0.5\n2,nan\n", "is missing in row 2"),
        (b"id,forest\n1,high\n", "'high' in column 'forest', row 1, is no number"),
        (b"id,forest\n\xff,0.5\n", "is not in UTF-8"),
        (b'id,forest\n"1,0.5\n', "is no CSV"),
    ],
)
def test_rows_that_cannot_be_judged(refused, folder, content, message):
    (folder / "bad.csv").write_bytes(content)
    assert message in refused("apply", "decision.json", "bad.csv")
    assert message in refused("apply", "decision.json", "bad.csv", "-o", "out.csv")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"threshold": ', '"threshold": null, "was": '), '"rule.was" is not a field'),
        (('"threshold": ', '"threshold": NaN, "was": '), "NaN is no number"),
        (('"threshold": ', '"threshold": 0.5, "threshold": '), '"threshold" stands twice'),
        (('"rule": ', '"threshold": 0.5, "rule": '), "evaluate again"),
        (('"threshold": ', '"threshold": null}, {"": '), "not JSON"),
    ],
)
def test_a_decision_that_lies_is_refused(refused, folder, decision, change, message):
    text = decision.to_json()
    assert change[0] in text
    (folder / "decision.json").write_text(text.replace(*change))
    assert message in refused("apply", "decision.json", "predictions.csv")
    (folder / "decision.json").write_text(
        json.dumps(decision.to_dict() | {"rule": decision.rule.to_dict() | {"threshold": None}})
    )
    assert '"rule.threshold" must be a number' in refused("apply", "decision.json", "predictions.csv")
