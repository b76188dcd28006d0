"""`thresher classroom` writes the page of `th.classroom`, and says in one paragraph what it cannot teach."""

import pytest

import thresher as th

TREE = "[20+,5-][10+,5-][20+,40-]"


def test_it_is_the_library_call(run, folder, data):
    words = [TREE, "--score", "2,1,-1", "--positive", "spam", "--negative", "ham", "--cost-ratio", "2", "-o", "a.html"]
    result = run("classroom", *words, "--table", "C1=30,20,10,40", "--lesson", "pairs")
    assert result.exit_code == 0
    assert "1,300 won, 950 tied, 250 lost" in " ".join(result.stdout.split())
    ranking = th.Ranking.parse(TREE, score=[2, 1, -1])
    tables, condition = {"C1": th.Contingency(30, 20, 10, 40)}, th.OperatingCondition(cost_ratio=2)
    names = {"positive": "spam", "negative": "ham"}
    th.classroom(ranking, folder / "b.html", tables=tables, condition=condition, lesson="pairs", **names)
    assert (folder / "a.html").read_bytes() == (folder / "b.html").read_bytes()
    sentences = data("classroom", *words)["lessons"]
    assert sentences["walk"] == [str(step) for step in th.lesson.walk(ranking, positive="spam", negative="ham")]


def test_tables_alone(run, folder):
    tables = {"A": th.Contingency(30, 20, 10, 40), "B": th.Contingency(40, 10, 20, 30)}
    assert run("classroom", "--table", "A=30,20,10,40", "--table", "B=40,10,20,30", "-o", "a.html").exit_code == 0
    th.classroom(tables, folder / "b.html")
    assert (folder / "a.html").read_bytes() == (folder / "b.html").read_bytes()
    with pytest.raises(th.ThresherError, match="given twice"):
        th.classroom(tables, folder / "b.html", tables=tables)


def test_a_file_of_rows_is_pooled_first(run, data):
    rows = ["predictions.csv", "--label", "malignant", "--score", "forest"]
    assert "pool first: --bins 20 or --hull" in run("classroom", *rows).stderr
    assert len(data("classroom", *rows, "--bins", "12")["lessons"]["walk"]) == 13
    assert len(data("classroom", *rows, "--hull")["lessons"]["pool"]) == 1


def test_a_positive_label_is_a_name_unless_it_is_a_number(data, folder):
    (folder / "rows.csv").write_text("y,p\n1,.9\n0,.8\n0,.2\n")
    (folder / "words.csv").write_text("y,p\nspam,.9\nham,.8\nham,.2\n")
    numbers = data("classroom", "rows.csv", "--label", "y", "--score", "p", "--positive", "0")
    assert "1 negative, so" in numbers["lessons"]["walk"][1]
    words = data("classroom", "words.csv", "--label", "y", "--score", "p", "--positive", "spam")
    assert "1 spam, so" in words["lessons"]["walk"][1]


def test_without_a_screen_the_browser_stays_closed(run, folder, monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("webbrowser.open", lambda _: pytest.fail("there is no screen"))
    result = run("classroom", TREE)
    assert result.exit_code == 0
    assert "thresher-lesson.html" in result.stdout
    assert (folder / "thresher-lesson.html").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["[20+,5-][10+;5-]"], "';' at position 12"),
        (["20+,5- 10+,5-"], "write one bracket per segment"),
        ([""], "an empty text has no segments"),
        ([], "give a ranking"),
        (["[2+]"], "no negatives among 2 cases"),
        (["[1+][1-]" * 31], "60 segments at most, and this ranking has 62"),
        ([TREE, "--score", "2,1"], "2 scores for 3 segments"),
        ([TREE, "--score", "2,3,1"], "scores must fall, and 3 comes after 2"),
        ([TREE, "--score", "2,x,1"], "no list of scores"),
        (["[2+][-1-]"], "cannot read '[-1-]'"),
        (["[2+][1.5-]"], "1.5 is no whole count"),
        ([TREE, "--table", "C1=30,20,10"], "'C1=30,20,10' is no table"),
        ([TREE, "--table", "C1=30,20,10,-40"], "tn is -40"),
        ([TREE, "--table", "C1=30,20,10,1.5"], "no whole numbers"),
        ([TREE, "--table", "C1=30,20,10,41"], "the ranking has 50 positives and 50 negatives"),
        (["--table", "C1=30,20,10,40", "--table", "C1=1,1,1,1"], "two tables have the same name"),
        ([TREE, "--lesson", "walks"], "the lessons are walk, pool, costs, pairs, losses, calibration, points"),
        ([TREE, "--lesson", "points"], "tables for points"),
        ([TREE, "--positive", "ham", "--negative", "ham"], "both classes are called 'ham'"),
        ([TREE, "-o", "."], "it is a folder"),
        (["absent"], "no file or folder absent"),
        ([TREE, "--title", " "], "a heading is needed"),
        (["--table", "C1=30,20,10,40", "--hull"], "--hull says something of a ranking"),
        (["--table", "C1=30,20,10,40", "--score", "2,1"], "--score says something of a ranking"),
        (["--table", " =30,20,10,40"], "is no table"),
    ],
)
def test_one_clear_paragraph(run, folder, words, expected):
    result = run("classroom", *words)
    assert result.exit_code == 2
    assert expected in result.stderr
    assert result.stderr.count("\n  fix: ") == 1
    assert not (folder / "thresher-lesson.html").exists()
