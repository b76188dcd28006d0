"""`thresher table` counts what `th.confusion` counts, wherever rows are."""

import numpy as np
import pytest

import thresher as th
from tests.cli.conftest import write_csv

ROWS = ["animals.csv", "--label", "animal", "--prediction", "named"]
REVIEWS = ["--counts", "700 200 100 / 200 8300 100 / 0 100 300", "--classes", "negative,neutral,positive"]


@pytest.fixture
def matrix(animals):
    return th.confusion(animals["animal"], animals["named"])


def test_the_matrix_of_the_notes(run):
    lines = run("table", *REVIEWS).stdout.splitlines()
    assert lines[0] == "10,000 cases of 3 classes, accuracy 0.930 [0.925, 0.935]"
    assert lines[3].split() == ["actual", "\\", "predicted", "negative", "neutral", "positive", "total", "recall"]
    assert lines[5].split() == ["negative", "700", "200", "100", "1,000", "0.700"]
    assert lines[8].split() == ["total", "900", "8,600", "500", "10,000"]
    assert lines[9].split() == ["precision", "0.778", "0.965", "0.600"]
    assert "mean class accuracy   0.805 [0.787, 0.821]" in "\n".join(lines)


def test_rows_are_counted_and_measured_as_the_library_does(data, matrix):
    message = data("table", *ROWS)
    assert message["confusion"] == matrix.to_dict()
    limits = th.intervals(matrix)
    assert message["measures"]["macro_f1"] == limits.macro_f1.to_dict()
    assert message["measures"]["mcc"] == limits.mcc.to_dict()
    assert [each["recall"]["estimate"] for each in message["by_class"]] == matrix.recall.tolist()
    assert message["costs"] is None


def test_rows_of_counts_and_of_print_are_what_rows_says(run, data):
    flipped = ["--counts", "700 200 0 / 200 8300 100 / 100 100 300", "--classes", "negative,neutral,positive"]
    assert data("table", *flipped, "--rows", "predicted") == data("table", *REVIEWS)
    lines = run("table", *flipped, "--rows", "predicted").stdout.splitlines()
    assert lines[3].split()[:3] == ["predicted", "\\", "actual"]
    assert lines[5].split() == ["negative", "700", "200", "0", "900", "0.778"]


def test_costs_price_every_cell(run, data, matrix, folder):
    costs = th.CostMatrix.by_class({"snake": 10}, ["snake", "dog", "cat"])
    (folder / "costs.csv").write_text(costs.to_csv())
    message = data("table", *ROWS, "--costs", "costs.csv")
    assert message["confusion"]["classes"] == ["snake", "dog", "cat"], "the order of the costs"
    assert message["costs"]["per_case"] == pytest.approx(costs.cost(matrix))
    assert message["costs"]["total"] == pytest.approx(300 * costs.cost(matrix))
    snakes = {name: int(count) for name, count in zip(matrix.classes, matrix.counts[2], strict=True) if name != "snake"}
    dearest = max(snakes, key=lambda name: snakes[name])
    assert message["costs"]["dearest"]["actual"] == "snake"
    assert message["costs"]["dearest"]["cost"] == 10 * snakes[dearest]
    text = run("table", *ROWS, "--costs", "costs.csv", "--classes", "cat,dog,snake").stdout
    assert f"Cost per case {costs.cost(matrix):.4g}, {300 * costs.cost(matrix):,.0f} in all" in text
    assert f"{10 * snakes[dearest]} of it for snake called" in text


def test_actions_that_are_no_classes(run, data, folder):
    costs = th.CostMatrix.equal(["ham", "spam"]).with_action("refer", 0.25)
    (folder / "costs.csv").write_text(costs.to_csv())
    (folder / "rows.csv").write_text("y,z\nham,ham\nham,refer\nspam,refer\nspam,spam\nspam,ham\n")
    rows = ["table", "rows.csv", "--label", "y", "--prediction", "z", "--costs", "costs.csv"]
    counts = ["table", "--counts", "1 0 1 / 1 1 1", "--costs", "costs.csv"]
    for words in (rows, counts):
        message = data(*words)
        assert message["confusion"]["others"] == ["refer"]
        assert message["confusion"]["counts"] == [[1, 0, 1], [1, 1, 1]]
        assert message["costs"]["per_case"] == 0.3
    lines = run(*rows).stdout.splitlines()
    assert lines[1:3] == ["1 error, most often spam called ham (1)", "2 called refer (40 %)"]
    assert ["ham", "1", "0", "1", "2", "0.500"] in map(str.split, lines)
    assert ["refer", "1", "1", "2"] in map(str.split, run(*rows, "--rows", "predicted").stdout.splitlines())


def test_weights_and_clusters_widen_limits(data, animals):
    plain = data("table", *ROWS)["measures"]["overall_accuracy"]
    weighted = data("table", *ROWS, "--weight", "weight")
    expected = th.confusion(animals["animal"], animals["named"], weights=animals["weight"])
    assert weighted["confusion"] == expected.to_dict()
    width = {name: each["upper"] - each["lower"] for name, each in {"plain": plain, **weighted["measures"]}.items()}
    assert width["overall_accuracy"] > width["plain"]
    clustered = data("table", *ROWS, "--cluster", "herd")
    assert clustered["confusion"] == data("table", *ROWS)["confusion"] | {
        "counts": np.asarray(clustered["confusion"]["counts"]).tolist()
    }
    assert clustered["measures"]["overall_accuracy"] != plain


def test_groups_and_filters(data, animals):
    groups = data("table", *ROWS, "--by", "year")["groups"]
    for group in groups:
        inside = animals["year"] == group["group"]["year"]
        expected = th.confusion(animals["animal"][inside], animals["named"][inside])
        assert group["result"]["confusion"] == expected.to_dict()
    assert data("table", *ROWS, "--where", "year=2020") == groups[0]["result"]


def test_two_classes_have_the_usual_measures(data, run, columns):
    table = th.contingency(columns["malignant"], columns["said"])
    message = data("table", "predictions.csv", "--label", "malignant", "--prediction", "said")["against_the_rest"]
    assert message["class"] == 1
    assert message["table"] == {cell: getattr(table, cell) for cell in ("tp", "fn", "fp", "tn")}
    assert message["measures"]["npv"] == th.interval(table, "npv").to_dict()
    rest = data("table", *ROWS, "--positive", "snake")["against_the_rest"]
    assert rest["table"]["tp"] + rest["table"]["fn"] == rest["table"]["tp"] + rest["table"]["fn"]
    assert "snake against the rest" in run("table", *ROWS, "--positive", "snake").stdout


def test_missing_values_are_refused_or_counted(refused, data, folder):
    (folder / "gaps.csv").write_text("y,z\na,a\n,b\nb,\nb,b\n")
    words = ["table", "gaps.csv", "--label", "y", "--prediction", "z"]
    assert "1 of 4 labels are missing" in refused(*words)
    message = data(*words, "--missing", "drop")
    assert message["dropped"] == 2
    assert message["confusion"]["counts"] == [[1, 0], [0, 1]]


def test_a_column_of_numbers_and_one_of_texts_hold_the_same_classes(data, folder):
    """CSV types each column by itself: one text among predictions must not make strangers of all numbers."""
    (folder / "mixed.csv").write_text("y,z\n1,1\n2,2\n2,none\n1,2\n")
    for label, prediction in (("y", "z"), ("z", "y")):
        message = data("table", "mixed.csv", "--label", label, "--prediction", prediction)
        assert message["confusion"]["classes"] == [1, 2, "none"]
        assert np.trace(message["confusion"]["counts"]) == 2


def test_odd_names(data, run, folder):
    names = ['say "hi"', "a, b", "größe ☃", " x", "1e3"]
    rows = "\n".join('"{0}","{0}"'.format(name.replace('"', '""')) for name in names)
    (folder / "odd.csv").write_text(f"y,z\n{rows}\n", encoding="utf-8")
    message = data("table", "odd.csv", "--label", "y", "--prediction", "z")
    assert message["confusion"]["classes"] == sorted(names)
    listed = '"say ""hi""","a, b",größe ☃,1e3, x'
    text = refused_text = run("table", "odd.csv", "--label", "y", "--prediction", "z", "--classes", listed)
    assert refused_text.exit_code == 2
    assert "' x'" in text.stderr


def test_many_classes_do_not_fit_and_are_listed(run, data, folder):
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 40, 2000)
    predicted = np.where(rng.random(2000) < 0.7, actual, rng.integers(0, 40, 2000))
    write_csv(folder / "many.csv", {"y": actual, "z": predicted})
    words = ["table", "many.csv", "--label", "y", "--prediction", "z"]
    text = run(*words, env={"COLUMNS": "80"}).stdout
    assert "Most frequent errors" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert data(*words)["confusion"] == th.confusion(actual, predicted).to_dict()


def test_more_rows_than_are_read_are_counted(data, large):
    groups = data("table", large, "--label", "y", "--prediction", "week", "--by", "country")["groups"]
    counts = sum(np.array(group["result"]["confusion"]["counts"]) for group in groups)
    columns = pytest.importorskip("pyarrow.parquet").read_table(large, columns=["y", "week"]).to_pydict()
    assert np.array_equal(counts, th.confusion(columns["y"], columns["week"]).counts)


def test_an_engine_counts(data, folder, matrix):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(folder / "zoo.duckdb")) as connection:
        connection.execute("create table zoo as select * from read_csv('animals.csv')")
    message = data("table", "zoo.duckdb", "--table", "zoo", "--label", "animal", "--prediction", "named")
    assert message["confusion"] == matrix.to_dict()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give a FILE, or --counts"),
        ([*ROWS, "--counts", "1 2 / 3 4"], "give a FILE of rows, or --counts; not both"),
        (["--counts", "1 2 / 3"], "row 2 of --counts has 1 number, and row 1 has 2"),
        (["--counts", "1 2 / x 4"], "'x' in --counts is no number"),
        (["--counts", "1 -2 / 3 4"], "counts must be finite numbers of 0 or more"),
        (["--counts", "1 2 / 3 4", "--classes", "a,b,c"], "3 classes need 3 rows and columns"),
        (["--counts", "0 0 / 0 0"], "the matrix has no cases"),
        (["--counts", "1 2 / 3 4", "--label", "y"], "--label is of rows, and --counts are none"),
        (["animals.csv", "--label", "animal"], "cannot tell which column holds the predicted labels"),
        (["animals.csv", "--label", "animal", "--prediction", "animal"], "as --label and as --prediction"),
        (["animals.csv", "--label", "animal", "--prediction", "name"], "did you mean 'named'"),
        ([*ROWS, "--classes", "cat,dog"], "rows of labels hold 'snake', which is no class of --classes"),
        ([*ROWS, "--classes", "cat,dog,snak"], "did you mean 'snak'?"),
        ([*ROWS, "--classes", "cat,dog,dog"], "names the class 'dog' twice"),
        ([*ROWS, "--classes", "cat,,dog"], "names an empty class"),
        ([*ROWS, "--classes", "cat\ndog,snake"], "is no list of names"),
        ([*ROWS, "--classes", 'cat,"dog,snake'], "is no list of names"),
        ([*ROWS, "--positive", "snakes"], "did you mean 'snake'?"),
        (["animals.csv", "--label", "cat", "--prediction", "dog"], "there are more than 200 labels"),
        ([*ROWS, "--costs", "absent.csv"], "absent.csv"),
    ],
)
def test_bad_input(refused, words, message):
    assert message in refused("table", *words)


def test_costs_of_other_classes_are_refused(refused, folder):
    (folder / "costs.csv").write_text(th.CostMatrix.equal(["cat", "dog", "snakes"]).to_csv())
    text = refused("table", *ROWS, "--costs", "costs.csv")
    assert "which is no class of costs.csv" in text
    assert "did you mean 'snakes'?" in text
    text = refused("table", *ROWS, "--costs", "costs.csv", "--classes", "cat,dog,snake")
    assert "--costs lacks the class 'snake'" in text


def test_an_empty_file_and_one_class(refused, data, folder):
    (folder / "empty.csv").write_text("y,z\n")
    assert "no rows" in refused("table", "empty.csv", "--label", "y", "--prediction", "z")
    (folder / "one.csv").write_text("y,z\na,a\na,a\n")
    message = data("table", "one.csv", "--label", "y", "--prediction", "z")
    assert message["measures"]["overall_accuracy"]["estimate"] == 1
    assert message["measures"]["mcc"]["estimate"] is None
