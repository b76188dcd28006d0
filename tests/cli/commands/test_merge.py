"""`thresher merge`: the sum of parts is exactly that of all rows."""

import pytest

import thresher as th
from tests.cli.conftest import write_csv
from thresher.sources.storage import read_ranking

COLUMNS = ["--label", "malignant", "--score", "forest"]


@pytest.fixture
def halves(folder, columns):
    for name, part in (("one.csv", slice(0, 100)), ("two.csv", slice(100, None))):
        write_csv(folder / name, {key: values[part] for key, values in columns.items()})


@pytest.mark.usefixtures("halves")
def test_parts_add_up_to_all_rows(run, folder, columns):
    assert run("merge", "one.csv", *COLUMNS, "-o", "one.json").exit_code == 0
    result = run("merge", "one.json", "two.csv", *COLUMNS, "-o", "all.json")
    assert "wrote ranking  all.json" in result.stdout
    total = th.rank(columns["malignant"], columns["forest"])
    assert th.Ranking.from_json((folder / "all.json").read_text()).to_dict() == total.to_dict()


def test_parquet_of_counts_is_not_taken_for_rows(data, run, folder, columns):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.table(columns), folder / "rows.parquet")
    run("merge", "rows.parquet", *COLUMNS, "-o", "counts.parquet")
    assert data("merge", "counts.parquet") == data("merge", "predictions.csv", *COLUMNS)
    assert data("choose", "counts.parquet")["counts"] == data("choose", "predictions.csv", *COLUMNS)["forest"]


def test_a_ranking_of_ranges_has_limits(run, folder):
    ranges = th.Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    (folder / "ranges.json").write_text(ranges.to_json())
    bounds = th.bounds(ranges, "auc")
    assert f"{bounds.lower:.4f} to {bounds.upper:.4f}" in run("merge", "ranges.json").stdout


@pytest.mark.usefixtures("halves")
def test_parts_and_the_sum_are_shown(run):
    lines = run("merge", "one.csv", "two.csv", *COLUMNS).stdout.splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["one.csv", "two.csv", "all"]


def test_a_part_of_one_class_is_welcome(run, folder):
    (folder / "negatives.csv").write_text("malignant,forest\n0,0.5\n0,0.1\n")
    result = run("merge", "negatives.csv", "predictions.csv", *COLUMNS)
    assert result.exit_code == 0
    assert "undefined" in result.stdout


def test_many_scores_are_condensed_unless_all_are_asked_for(run, folder, large):
    """Workers count parts; what they add up to has bounds that hold the exact numbers, and fits in few segments."""
    words = ("--label", "y", "--score", "p")
    assert run("merge", large, *words, "-o", "all.parquet").exit_code == 0
    assert run("merge", large, *words, "-o", "every.parquet", "--exact").exit_code == 0
    few, every = (read_ranking(folder / name) for name in ("all.parquet", "every.parquet"))
    assert len(few) <= 2**17 < len(every) == len(th.scan(large, label="y", score="p"))
    for name, bounds in th.bounds(few).items():
        assert bounds.lower <= th.bounds(every, name).lower <= bounds.upper


@pytest.mark.usefixtures("halves")
def test_a_merged_ranking_is_evaluated_gated_and_compared(data, run, columns):
    """Worker, merge, gate: the sum of the parts is judged as all rows are."""
    for name in ("forest", "bayes"):
        for part in ("one", "two"):
            words = ("--label", "malignant", "--score", name, "-o", f"{part}-{name}.parquet")
            assert run("merge", f"{part}.csv", *words).exit_code == 0
        assert run("merge", f"one-{name}.parquet", f"two-{name}.parquet", "-o", f"{name}.json").exit_code == 0
    merged, rows = ("forest.json", "bayes.json"), ("predictions.csv", *COLUMNS, "--score", "bayes")
    assert data("evaluate", *merged) == data("evaluate", *rows, "--no-paired")
    required = (
        "--require",
        "auc >= 0.8",
        "--require",
        "bayes:brier <= 0.4",
        "--require",
        "recall@threshold=0.5 >= 0.3",
    )
    gate = data("gate", *merged, *required)
    assert [one["interval"] for one in gate["requirements"]] == [
        one["interval"] for one in data("gate", *rows, *required)["requirements"]
    ]
    compared = data("compare", *merged)
    rankings = {name: th.rank(columns["malignant"], columns[name]) for name in ("forest", "bayes")}
    expected = th.inference.compare_rankings(rankings)
    assert compared["differences"] == [one.to_dict() for one in expected.differences.values()]
    assert compared["paired"] is False
    assert "unpaired" in run("compare", *merged).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["evaluate", "all.json", "--label", "malignant"], "a ranking has no columns or tables"),
        (["evaluate", "all.json", "--by", "week"], "a ranking has no columns to group"),
        (["evaluate", "all.json", "-o", "page.html"], "--output needs rows, and there are only counts"),
        (["evaluate", "all.json", "--paired"], "--paired needs rows"),
        (["evaluate", "predictions.csv", *COLUMNS, "--no-paired", "--weight", "weight"], "--weight needs rows"),
        (["evaluate", "all.json", "predictions.csv", *COLUMNS], "is no ranking that thresher merge wrote"),
        (["gate", "all.json", "--require", "auc >= 0.5", "--cluster", "patient"], "--cluster needs rows"),
        (["compare", "all.json", "other.json", "--measure", "brier"], "rankings are compared by AUC alone"),
        (["compare", "all.json", "other.json", "--probability", "{class}"], "--probability is of more"),
        (["compare", "all.json"], "rankings by name are needed, 2 or more"),
        (["evaluate", "all.json", "folder/all.json"], "two rankings are called 'all'"),
    ],
)
def test_what_needs_rows_is_refused_of_rankings(run, refused, folder, words, message):
    (folder / "folder").mkdir()
    for name in ("all.json", "other.json", "folder/all.json"):
        assert run("merge", "predictions.csv", *COLUMNS, "-o", name).exit_code == 0
    assert message in refused(*words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["predictions.csv"], "which column holds the true labels"),
        (["predictions.csv", *COLUMNS, "--score", "bayes"], "a ranking is of one model"),
        (["absent.json"], "there is no file absent.json"),
        (["predictions.csv", *COLUMNS, "-o", "predictions.csv"], "would overwrite the input"),
        (["predictions.csv", *COLUMNS, "-o", "-"], "--output is a file, and - is standard output"),
        (["predictions.csv", *COLUMNS, "-o", "counts.csv"], "call it .json or .parquet"),
        (["absent.json", *COLUMNS], "a ranking has no columns or tables"),
        (["bad.parquet"], "bad.parquet"),
        ([], "FILE"),
    ],
)
def test_what_is_refused(refused, folder, words, message):
    (folder / "bad.parquet").write_bytes(b"no Parquet")
    assert message in refused("merge", *words)


def test_a_file_named_twice_would_count_double(run, refused):
    rows = ["predictions.csv", "--label", "malignant", "--score", "forest"]
    assert run("merge", *rows, "-o", "monday.json", "-q").exit_code == 0
    assert "./monday.json is named twice" in refused("merge", "monday.json", "./monday.json", "-o", "all.json")
