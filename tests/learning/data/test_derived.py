"""Derived features: the same as written out in pandas, in every fold and folder, and refused where undefined."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import expit

import thresher as th
from thresher.learning import (
    ColumnTypes,
    DerivedFeatures,
    column_types,
    feature_gain,
    preparation,
    read_learned,
    write_learned,
)

RNG = np.random.default_rng(0)
N = 200
TABLE = pd.DataFrame(
    {
        "amount": np.exp(RNG.normal(3, 1, N)),
        "income (kr/year)": np.exp(RNG.normal(8, 1, N)),
        "age": RNG.integers(18, 80, N),
        "member": RNG.random(N) < 0.3,
        "day": pd.date_range("2024-01-01", periods=N),
    }
)
INCOME = TABLE["income (kr/year)"]
TABLE["bad"] = RNG.random(N) < expit(15 + 3 * np.log(TABLE.amount / INCOME))
GAPS = TABLE.assign(amount=TABLE.amount.mask(TABLE.index == 3))
DERIVE = ["log(amount)", "amount / income (kr/year)", "age*member", "log1p(age)", "bins(age, 5)"]


def test_features_are_those_written_out():
    kinds = column_types(GAPS, target="bad", derive=DERIVE)
    assert kinds.named("derived") == ["log(amount)", "amount / income (kr/year)", "age * member", "log1p(age)"]
    assert kinds["amount / income (kr/year)"].reason == "'amount' divided by 'income (kr/year)'"
    assert (kinds["log(amount)"].missing, kinds["bins(age, 5)"].distinct) == (1, 5)
    assert ColumnTypes.from_dict(kinds.to_dict()) == kinds
    made = DerivedFeatures(DERIVE).set_output(transform="pandas").fit_transform(GAPS)
    peers = {
        "log(amount)": np.log(GAPS.amount),
        "amount / income (kr/year)": GAPS.amount / INCOME,
        "age * member": GAPS.age * GAPS.member,
        "log1p(age)": np.log(GAPS.age + 1),
    }
    for name, values in peers.items():
        pd.testing.assert_series_equal(made[name], values, check_names=False, check_dtype=False)
    prepared = preparation(kinds, scale=None).fit_transform(GAPS)
    assert prepared["log(amount)"][3] == pytest.approx(np.log(GAPS.amount).median())
    assert prepared["amount: missing"].sum() == 1


@given(st.lists(st.integers(0, 9) | st.none(), min_size=1, max_size=30), st.integers(2, 6))
@settings(max_examples=60, deadline=None)
def test_bins_hold_rows_and_every_present_row_is_in_one(values, bins):
    encoder = DerivedFeatures([f"bins(x, {bins})"]).fit({"x": np.array(values, dtype=float)})
    made = encoder.transform({"x": np.array(values, dtype=float)})
    present = np.array([value is not None for value in values])
    assume(made.shape[1])  # one bin tells nothing, and is no feature
    assert made.sum(axis=1).tolist() == present.tolist()
    assert made.any(axis=0).all()
    assert len(encoder.get_feature_names_out()) == made.shape[1] <= bins
    for name, column in zip(encoder.get_feature_names_out(), made.T, strict=True):
        inside = [value is not None and eval(name, {"x": value}) for value in values]  # noqa: S307 - names are Python
        assert column.tolist() == inside
    beyond = encoder.transform({"x": [-5.0, 50.0]})
    assert beyond[0, 0] == beyond[1, -1] == 1


def test_about_equally_many_rows_are_in_a_bin():
    made = DerivedFeatures(["bins(amount, 4)"]).fit_transform(TABLE)
    assert made.sum(axis=0).tolist() == [50, 50, 50, 50]


def test_they_are_learnt_saved_read_and_refused_row_by_row(tmp_path):
    options: dict[str, Any] = {
        "models": ["logistic"],
        "prefer": "logistic",
        "folds": 2,
        "curves": False,
        "types": {"day": "ignored"},
    }
    learned = th.learn(TABLE, "bad", derive=DERIVE, **options)
    text = learned.text()
    assert "· log(amount)\n" in text
    assert "· [69 <= age]\n" in text or "<= age <" in text
    deployed = read_learned(write_learned(learned, TABLE, tmp_path / "all"))
    np.testing.assert_array_equal(deployed.probabilities(TABLE), learned.probabilities(TABLE))
    words = r"undefined in 2 of 3 rows: a logarithm needs numbers above 0 \(first at row 12, where 'amount' is 0\)"
    with pytest.raises(th.errors.ColumnError, match=words):
        deployed.scored(TABLE.head(3).assign(amount=[1.0, 0.0, 0.0]), before=10)
    instead = th.learn(TABLE, "bad", derive=["log(amount)"], **options | {"types": {"amount": "ignored"}})
    assert not [line for line in instead.text().split("\n") if line.endswith("· amount")]
    deployed = read_learned(write_learned(instead, TABLE, tmp_path / "instead"))
    rows = TABLE.drop(columns="bad").astype({"amount": str})
    np.testing.assert_array_equal(deployed.probabilities(rows), instead.probabilities(TABLE))


def test_one_call_says_whether_a_derived_feature_helps():
    table = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["left", "right"])
    table["alike"] = table.left * table.right > 0
    gain = feature_gain(table, "alike", "left*right", measure="auc", folds=4)
    assert (gain.features, gain.helps) == (("left * right",), True)
    peer = feature_gain(table.assign(both=table.left * table.right), "alike", "both", measure="auc", folds=4)
    assert gain.difference == peer.difference
    known = feature_gain(table, "alike", "bins(left, 3)", derive=["left * right"], measure="auc", folds=4)
    assert not known.helps


@pytest.mark.parametrize(
    ("derive", "words"),
    [
        (["sqrt(age)"], r"'sqrt\(age\)' is no derived feature"),
        (["age"], "'age' is no derived feature"),
        (["bins(age, 2.5)"], "is no derived feature"),
        (["*" * 5000], "is no derived feature"),
        (["log(agee)"], "there is no column 'agee'"),
        (["log(amount / age)"], "there is no column 'amount / age'"),
        ("log(age)", "derive must be a list of names"),
        (["bins(age, 1)"], "the number of bins must be at least 2"),
        (["log(bad)"], r"log\(bad\) is made of the target"),
        (["log(day)"], "made of 'day', which is date"),
        (["age*age", "age * age"], r"'age \* age' is there twice"),
        (["bins(age, 3)", "bins(age, 4)"], "'age' is in bins twice"),
        (["age / age"], "is the same in every row"),
        (["log(member)"], r"undefined in \d+ of 200 rows: a logarithm needs numbers above 0"),
        (["age / member"], "nothing is divided by 0"),
        (["huge * huge"], r"it is larger than 3.4e\+38 there \(first at row 0, where 'huge' is 1.00048e\+30\)"),
    ],
)
def test_what_is_no_feature_of_all_rows_is_refused_in_words(derive, words):
    with pytest.raises(th.errors.ThresherError, match=words):
        column_types(TABLE.assign(huge=1e30 + TABLE.age * 1e25), target="bad", derive=derive)


def test_names_with_signs_are_read_if_only_one_way_fits():
    table = {"a": [1.0, 2.0], "a / b": [3.0, 5.0], "b": [7.0, 4.0], "b / c": [2.0, 3.0], "c": [2.0, 3.0]}
    with pytest.raises(th.errors.ArgumentError, match="can be read as being of the columns"):
        column_types(table, derive=["a / b / c"])
    del table["b / c"]
    (feature,) = [column for column in column_types(table, derive=["a / b / c"]) if column.of]
    assert feature.of == ("a / b", "c")
