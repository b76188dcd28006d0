import pytest

import thresher as th
from thresher.inputs.columns import named, require_columns, require_same_columns


def fail(wanted, present):
    with pytest.raises(th.errors.ColumnError) as caught:
        require_columns(wanted, present, place="a.csv")
    return caught.value


def test_columns_that_are_there():
    require_columns(["b", "a"], ["a", "b", "c", "c"], place="a.csv")
    require_columns([], [], place="a.csv")


@pytest.mark.parametrize(
    ("wanted", "present", "meant"),
    [
        ("p_tre", ["y", "p_tree"], "did you mean 'p_tree'?"),
        ("Label", ["label", "Labels"], "did you mean 'label'?"),
        ("p", [" p", "y"], "did you mean ' p'?"),
        ("score1", ["score2", "score3", "score"], "did you mean 'score' or 'score3'?"),
    ],
)
def test_what_was_probably_meant(wanted, present, meant):
    assert fail([wanted], present).what == f"a.csv has no column {wanted!r}; {meant}"


def test_nothing_alike():
    assert fail(["zzz"], ["a"]).what == "a.csv has no column 'zzz'"
    assert fail(["x", "y"], ["a"]).what == "a.csv has no columns 'x' and 'y'"


def test_what_there_is():
    assert fail(["x"], ["a", "b", "c"]).fix == "name one of its columns: 'a', 'b' and 'c'"
    assert fail(["x"], [f"c{i}" for i in range(2000)]).fix.endswith("'c19' and 1,980 more")
    assert fail(["x"], []).fix == "it has no columns at all"


def test_another_separator():
    assert "separated by ';'" in fail(["p"], ["y;p"]).fix
    assert "separated by '\\t'" in fail(["p"], ["y\tp"]).fix


def test_a_file_without_names():
    assert fail(["p"], ["1", "0.93"]).fix == "its first line holds numbers ('1' and '0.93'): give it a line of names"


def test_a_name_that_occurs_twice():
    assert fail(["a"], ["a", "b", "a"]).what == "a.csv has 2 columns called 'a'"


def test_files_that_belong_together():
    require_same_columns(["a", "b"], ["b", "a"], places=("1", "2"))
    with pytest.raises(th.errors.ColumnError, match="'b' and 'c' is in 1 and not in 2"):
        require_same_columns(["a", "b", "c"], ["a"], places=("1", "2"))


def test_names_in_words():
    assert [named(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "'a'",
        "'a' and 'b'",
        "'a', 'b' and 'c'",
    ]
