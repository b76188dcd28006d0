import numpy as np
import pandas as pd
import pytest

import thresher as th
from thresher.learning import column_types, distinct_rows, leakage, split

RNG = np.random.default_rng(0)
N = 200
Y = np.arange(N) % 2
CLEAN = pd.DataFrame({"age": RNG.normal(size=N), "town": RNG.choice(["Oslo", "Rome"], N), "y": Y})


def codes(result):
    return [caution.code for caution in result]


def test_clean_data_call_for_no_caution():
    assert leakage(CLEAN, "y", split=split(Y), groups=np.arange(N)) == ()


@pytest.mark.parametrize(
    "values",
    [Y, Y * 7 - 3.5, np.where(Y == 1, "spam", "ham"), Y == 1, ["x" if y else None for y in Y], 1 - Y],
    ids=["same", "numbers", "texts", "bools", "gaps", "turned"],
)
def test_the_target_in_another_spelling(values):
    result = leakage(CLEAN.assign(copy=values), "y")
    assert codes(result) == ["feature-equals-target"]
    assert "'copy'" in result[0].text


def test_a_column_that_determines_the_target():
    result = leakage(CLEAN.assign(code=[f"{c}{i % 5}" for i, c in enumerate(Y)]), "y")
    assert codes(result) == ["feature-determines-target"]


def test_gaps_that_determine_the_target():
    result = leakage(CLEAN.assign(ended=np.where(Y == 1, RNG.normal(size=N), np.nan)), "y")
    assert codes(result) == ["feature-determines-target"]
    assert "its gaps tell the class" in result[0].text


@pytest.mark.parametrize("sign", [1, -1])
def test_a_column_that_ranks_nearly_perfectly(sign):
    result = leakage(CLEAN.assign(sure=sign * (Y + RNG.normal(scale=0.2, size=N))), "y")
    assert codes(result) == ["near-perfect-feature"]


def test_of_several_classes_each_is_looked_at():
    y = np.arange(N) % 3
    sure = (y == 1) * 5 + RNG.normal(size=N)
    assert codes(leakage({"sure": sure, "y": y}, "y")) == ["near-perfect-feature"]


def test_a_declared_order_is_the_order_looked_at():
    rank = np.where(Y == 1, RNG.integers(2, 4, N), RNG.integers(0, 3, N))
    rank[(rank == 2) & (RNG.random(N) < 0.9)] = 0
    rank[Y == 1] = 3
    rank[0] = 3
    table = CLEAN.assign(grade=np.array(["z", "m", "b", "a"])[rank])
    kinds = column_types(table, target="y", orders={"grade": ["z", "m", "b", "a"]})
    assert codes(leakage(table, "y", columns=kinds)) == ["near-perfect-feature"]


def test_identifiers_are_named():
    assert codes(leakage(CLEAN.assign(id=np.arange(N)), "y")) == ["identifier-column"]


def test_copies_of_rows_are_counted_where_chance_makes_none():
    table = pd.concat([CLEAN, CLEAN.iloc[3:10]], ignore_index=True).assign(id=np.arange(N + 7))
    (caution,) = (each for each in leakage(table, "y") if each.code == "duplicate-rows")
    assert caution.text.startswith("7 of 207 rows equal an earlier one, the target too (first at row 200)")
    kinds = column_types(table, target="y")
    distinct = distinct_rows(table, columns=[*kinds.needed, "y"])
    assert (distinct.dropped, distinct.rows.tolist()) == (7, list(range(N)))
    assert "duplicate-rows" not in codes(leakage(distinct.data, "y"))
    assert leakage(CLEAN.drop(columns="age"), "y") == ()  # two towns and two classes: all rows are equal to others


def test_equal_rows_in_two_parts_are_counted():
    table = pd.concat([CLEAN, CLEAN.iloc[:10]], ignore_index=True).assign(id=np.arange(N + 10))
    parts = split(table["y"], stratify=False)
    part = np.isin(np.arange(N + 10), parts["train"])
    torn = [(i, N + i) for i in range(10) if part[i] != part[N + i]]
    result = [c for c in leakage(table, "y", split=parts) if c.code == "duplicate-rows-across-splits"]
    assert result[0].text.startswith(f"{2 * len(torn)} of 210 rows")
    assert f"first at row {torn[0][0]}" in result[0].text


def test_groups_in_two_parts_are_counted():
    groups = np.arange(N) // 4
    result = leakage(CLEAN, "y", split=split(Y), groups=groups)
    assert codes(result) == ["groups-across-splits"]
    assert leakage(CLEAN, "y", split=split(Y, groups=groups), groups=groups) == ()


def test_a_split_of_another_table_is_refused():
    with pytest.raises(th.errors.LengthError, match="of 4 rows and the table has 200"):
        leakage(CLEAN, "y", split=split([0, 1, 0, 1], (1, 1)))


@pytest.mark.parametrize("absent", [np.nan, None])
def test_missing_groups_are_refused(absent):
    parts = split(Y)
    groups = np.arange(N).astype(float if absent is not None else object)
    groups[[parts["train"][0], parts["test"][0]]] = absent
    with pytest.raises(th.errors.MissingValueError, match="2 of 200 groups are missing"):
        leakage(CLEAN, "y", split=parts, groups=groups)


def test_groups_of_another_table_are_refused():
    with pytest.raises(th.errors.LengthError, match="3 groups for 200 rows"):
        leakage(CLEAN, "y", split=split(Y), groups=[1, 2, 3])
