"""Rows and counts by group: --by answers as --where does, group by group, whatever holds the rows."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import thresher as th
from tests.cli.conftest import write_csv

ONE = ("--label", "malignant", "--score", "forest")
LARGE = ("--label", "y", "--score", "p", "--score", "q")


@pytest.fixture
def grouped(folder, columns):
    """The rows with a week of numbers, a country of texts with gaps, and a day."""
    rng = np.random.default_rng(5)
    rows = len(columns["malignant"])
    extra = {
        "week": rng.integers(1, 4, rows),
        "country": np.array(["NL", "BE", ""])[rng.integers(0, 3, rows)],
        "day": np.array(["2026-05-01", "2026-05-02"])[rng.integers(0, 2, rows)],
    }
    write_csv(folder / "grouped.csv", columns | extra)
    typed = {"country": [each or None for each in extra["country"]], "day": extra["day"].astype("M8[D]")}
    pq.write_table(pa.table(columns | extra | typed), folder / "grouped.parquet")
    return columns | extra


@pytest.mark.usefixtures("grouped")
@pytest.mark.parametrize("source", ["grouped.csv", "grouped.parquet"])
@pytest.mark.parametrize("command", ["evaluate", "choose", "gate"])
def test_a_group_is_answered_as_its_rows_alone(data, source, command):
    more = ("--require", "auc >= 0.1", "--require", "recall@fpr<=0.5 >= 0") if command == "gate" else ()
    answer = data(command, source, *ONE, *more, "--by", "week")
    assert answer["by"] == ["week"]
    assert [each["group"] for each in answer["groups"]] == [{"week": week} for week in (1, 2, 3)]
    for each in answer["groups"]:
        alone = data(command, source, *ONE, *more, "--where", f"week={each['group']['week']}")
        assert alone.items() >= each["result"].items()


def test_groups_of_several_columns_and_missing_values(data, grouped):
    answer = data("choose", "grouped.csv", *ONE, "--by", "week", "--by", "country")
    keys = sorted({(int(week), country) for week, country in zip(grouped["week"], grouped["country"], strict=True)})
    assert [tuple(each["group"].values()) for each in answer["groups"]] == [(week, word or None) for week, word in keys]
    for each in answer["groups"]:
        week, country = each["group"].values()
        alone = data(
            "choose", "grouped.parquet", *ONE, "--where", f"week={week}", "--where", f"country={country or ''}"
        )
        assert alone == each["result"]


def test_a_filter_of_several_values_and_of_days(data, grouped):
    take = np.isin(grouped["week"], [1, 3]) & (grouped["day"] == "2026-05-02")
    expected = th.choose(th.rank(grouped["malignant"][take], grouped["forest"][take])).threshold
    for source in ("grouped.csv", "grouped.parquet"):
        words = ("--where", "week=1", "--where", "week=3", "--where", "day=2026-05-02")
        assert data("choose", source, *ONE, *words)["forest"]["threshold"] == expected


@pytest.mark.usefixtures("grouped")
def test_a_group_of_one_class_is_named_and_fails_a_gate(run, data, folder, columns):
    write_csv(folder / "odd.csv", columns | {"side": np.where(columns["malignant"] == 1, "left", "right")})
    rows = (folder / "odd.csv").read_text().splitlines()
    mixed = [rows[0], *(row.replace("left", "right") if i % 2 else row for i, row in enumerate(rows[1:]))]
    (folder / "odd.csv").write_text("\n".join(mixed) + "\n")
    answer = data("choose", "odd.csv", *ONE, "--by", "side")
    left, right = answer["groups"]
    assert left["result"] is None
    assert "there are no negatives" in left["refused"]
    assert right["result"]["forest"]["table"]
    gate = run("gate", "odd.csv", *ONE, "--by", "side", "--require", "auc >= 0.1")
    assert gate.exit_code == 1
    assert "there are no negatives" in gate.stdout
    assert run("choose", "odd.csv", *ONE, "--where", "side=left").exit_code == 2


@pytest.mark.usefixtures("grouped")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evaluate", *ONE, "--by", "week", "-o", "page.html"), "take one group at a time with --where"),
        (("evaluate", *ONE, "--by", "wek"), "did you mean 'week'?"),
        (("choose", *ONE, "--where", "week"), "write COLUMN=VALUE"),
        (("choose", *ONE, "--where", "week=9"), "no row has the values that --where asks for"),
        (("choose", *ONE, "--where", "week=x"), "a column of numbers"),
        (("choose", *ONE, "--where", "wek=1"), "did you mean 'week'?"),
    ],
)
def test_what_is_refused(refused, words, message):
    assert message in refused(words[0], "grouped.csv", *words[1:])


def test_more_rows_are_counted_by_group_where_they_are(data, large):
    rankings = th.scan(large, label="y", score=["p", "q"], by="country", where={"week": 2}, exact=False)
    answer = data("evaluate", large, *LARGE, "--no-paired", "--by", "country", "--where", "week=2")
    assert [each["group"]["country"] for each in answer["groups"]] == ["BE", "NL"]
    for each in answer["groups"]:
        counted = rankings[each["group"]["country"]]
        expected = th.evaluation.evaluate_rankings(counted)
        assert each["result"] == json.loads(expected.to_json())
        assert not counted["p"].exact


def test_choose_tries_every_score_while_they_fit(data, large):
    chosen = data("choose", large, "--label", "y", "--score", "p", "--by", "week")
    exact = th.scan(large, label="y", score="p", by="week")
    for each in chosen["groups"]:
        assert each["result"]["p"]["threshold"] == th.choose(exact[each["group"]["week"]]).threshold


def test_a_gate_counts_in_ranges_and_decides_what_they_decide(run, large):
    exact = th.scan(large, label="y", score="p")
    bounded = th.bounds(th.scan(large, label="y", score="p", exact=False), "auc")
    words = ("gate", large, "--label", "y", "--score", "p", "--json", "--require")
    for value, code in ((bounded.lower - 1e-6, 0), (th.auc(exact), 2), (bounded.upper + 1e-6, 1)):
        result = run(*words, f"auc.estimate >= {value!r}")
        assert result.exit_code == code
        answer = json.loads(result.stdout)
        assert (answer["passed"], answer["undecided"]) == (code == 0, code == 2)
        assert ("pass --exact to count every score" in result.stderr) is (code == 2)
    result = run(*words, f"auc.estimate >= {th.auc(exact)!r}", "--exact")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["requirements"][0]["within"] == [th.auc(exact)] * 2


def test_memory_does_not_grow_with_rows(large, tmp_path):
    """A gate on four times the rows holds no more: it counts them batch by batch."""
    for name in "abcd":
        shutil.copy(large, tmp_path / f"{name}.parquet")
    code = (
        "import resource, sys; from thresher.cli.app import program\n"
        "try: program.main(sys.argv[1:], prog_name='thresher')\n"
        "except SystemExit as end: assert not end.code, end.code\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    words = ["--label", "y", "--score", "p", "--score", "q", "--require", "auc >= 0.5", "--quiet"]
    once, fourfold = (
        int(subprocess.run([sys.executable, "-c", code, "gate", place, *words], capture_output=True, check=True).stdout)  # noqa: S603
        for place in (large, str(tmp_path / "*.parquet"))
    )
    assert fourfold < 1.3 * once


def test_rows_as_json_are_no_ranking(run, folder):
    (folder / "rows.json").write_text('{"malignant": 1, "forest": 0.9}\n{"malignant": 0, "forest": 0.2}\n')
    for command in (("evaluate",), ("merge",), ("gate", "--require", "auc >= 0.5"), ("choose",)):
        result = run(command[0], "rows.json", *ONE, *command[1:])
        assert result.exit_code == 2
        assert "rows.json holds no ranking that thresher merge wrote" in result.stderr
        assert ".jsonl or .ndjson" in result.stderr
