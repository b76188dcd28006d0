import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler, TargetEncoder

import thresher as th
from thresher.learning import Outliers, ScatterSelector, column_types, preparation

N = 200
RNG = np.random.default_rng(0)
Y = np.arange(N) % 2
TABLE = pd.DataFrame(
    {
        "id": np.arange(N),
        "age": np.where(np.arange(N) % 10 == 0, np.nan, RNG.normal(40, 10, N) + 5 * Y),
        "fare": [str(i) for i in RNG.integers(10, 90, N)],
        "town": RNG.choice(["Oslo", "Rome", "Bern"], N),
        "shop": [f"s{i}" for i in RNG.integers(0, 40, N)],
        "size": RNG.choice(["S", "M", "L"], N),
        "member": RNG.random(N) < 0.5,
        "sold": pd.date_range("2024-01-01", periods=N, freq="D"),
        "note": [f"parcel {'late' if i % 3 else 'early'} for customer {i}" for i in range(N)],
        "same": "x",
        "y": Y,
    }
)
TABLE.loc[5, "town"] = None
KINDS = column_types(TABLE, target="y", orders={"size": ["S", "M", "L"]})


def prepared(**options):
    made = preparation(KINDS, **options)
    return made, made.fit_transform(TABLE, Y)


def test_every_used_column_becomes_numbers_under_a_name_that_tells():
    made, result = prepared(words=5)
    assert list(result.columns) == list(made.get_feature_names_out())
    assert list(result.columns) == [
        *("age", "fare", "member"),
        *("sold: year", "sold: month", "sold: day", "sold: weekday", "sold: days"),
        *("size", "age: missing", "town: missing", "town=Bern", "town=Oslo", "town=Rome", "shop"),
        *("note: customer", "note: early", "note: for", "note: late", "note: parcel"),
    ]
    assert (result.dtypes == np.float64).all()
    assert result.notna().all(axis=None)


def test_gaps_are_filled_and_flagged():
    _, result = prepared(scale=None)
    assert result["age"][0] == pytest.approx(TABLE["age"].median())
    assert result["age: missing"].sum() == 20
    assert result.loc[5, f"town={TABLE['town'].mode()[0]}"] == 1
    _, without = prepared(missing="fill")
    assert not [name for name in without.columns if name.endswith(": missing")]


@pytest.mark.parametrize(
    ("scale", "peer"), [("standard", StandardScaler), ("min-max", MinMaxScaler), ("robust", RobustScaler)]
)
def test_scales_are_scikit_learns(scale, peer):
    _, result = prepared(scale=scale)
    np.testing.assert_allclose(result["fare"], peer().fit_transform(TABLE[["fare"]].astype(float))[:, 0])


def test_a_declared_order_is_that_of_the_codes():
    _, result = prepared(scale=None)
    assert result.groupby(TABLE["size"])["size"].first().to_dict() == {"S": 0, "M": 1, "L": 2}


def test_many_categories_are_encoded_by_the_target_out_of_fold():
    made, result = prepared()
    within, without = (
        np.corrcoef(codes, Y)[0, 1]
        for codes in (TargetEncoder().fit(TABLE[["shop"]], Y).transform(TABLE[["shop"]])[:, 0], result["shop"])
    )
    np.testing.assert_allclose(
        made.transform(TABLE)[["shop"]], TargetEncoder().fit(TABLE[["shop"]], Y).transform(TABLE[["shop"]])
    )
    assert without < within
    # A row's own label is not in its code when training, and is when the same row is scored later.
    assert not np.allclose(result["shop"], made.transform(TABLE)["shop"])


def test_encodings_are_chosen_by_column():
    _, result = prepared(encode={"shop": "ordinal", "town": "target"})
    assert result["shop"].nunique() == TABLE["shop"].nunique()
    assert result["town"].between(0, 1).all()
    _, wide = prepared(encode="one-hot")
    assert sum(name.startswith("shop=") for name in wide.columns) == TABLE["shop"].nunique()


def test_outliers_are_treated_before_filling():
    table = TABLE.assign(age=TABLE["age"].where(TABLE.index != 1, 1e6))
    made = preparation(KINDS, outliers=Outliers("iqr", action="clip"), scale=None).fit(table, Y)
    assert made.transform(table)["age"].max() < 100
    flagged = preparation(KINDS, outliers=Outliers("iqr", action="flag"), scale=None).fit_transform(table, Y)
    assert flagged.loc[1, "outlier"] == 1
    assert len(flagged) == N


def test_everything_is_learnt_from_training_rows():
    made = preparation(KINDS, scale=None).fit(TABLE.iloc[:100], Y[:100])
    assert made.transform(TABLE)["age"][0] == pytest.approx(TABLE["age"][:100].median())


def test_unseen_categories_are_no_category_and_strays_of_an_order_are_refused():
    made, _ = prepared()
    odd = TABLE.iloc[:1].assign(town="Nairobi")
    assert made.transform(odd)[["town=Bern", "town=Oslo", "town=Rome"]].to_numpy().sum() == 0
    with pytest.raises(th.errors.ColumnError, match="declared order"):
        made.transform(TABLE.iloc[:1].assign(size="XL"))
    with pytest.raises(th.errors.ColumnError, match="holds numbers"):
        made.transform(TABLE.iloc[:1].assign(fare="free"))


def test_it_works_in_pipelines_grids_and_files():
    model = make_pipeline(preparation(KINDS, words=20), LogisticRegression(max_iter=1000))
    assert cross_val_score(model, TABLE, Y, cv=3).mean() > 0.5
    grid = GridSearchCV(model, {"columntransformer__words__words__words": [2, 10]}, cv=2).fit(TABLE, Y)
    again = pickle.loads(pickle.dumps(grid.best_estimator_))  # noqa: S301
    np.testing.assert_array_equal(again.predict_proba(TABLE), grid.best_estimator_.predict_proba(TABLE))
    assert clone(model).fit(TABLE, Y)[-1].feature_names_in_[0] == "age"


def test_it_is_written_and_read_without_pickle():
    from skops.io import dumps, get_untrusted_types, loads

    model = make_pipeline(
        preparation(KINDS, outliers=Outliers()), ScatterSelector(5, search="exact"), LogisticRegression()
    )
    written = dumps(model.fit(TABLE, Y))
    foreign = get_untrusted_types(data=written)
    assert all(name.startswith(("thresher.learning.", "sklearn.", "numpy.")) for name in foreign)
    read = loads(written, trusted=foreign)
    np.testing.assert_array_equal(read.predict_proba(TABLE), model.predict_proba(TABLE))
    assert repr(read[1].selection_) == repr(model[1].selection_)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"missing": "drop"}, "complete_rows"),
        ({"scale": "log"}, "there is no scale 'log'"),
        ({"encode": "hash"}, "there is no encoding 'hash'"),
        ({"encode": {"age": "one-hot"}}, "'age' is to be encoded, and is no categorical column"),
    ],
)
def test_unknown_ways_are_refused(options, words):
    with pytest.raises(th.errors.ArgumentError, match=words):
        preparation(KINDS, **options)


def test_a_table_without_a_useful_column_is_refused():
    with pytest.raises(th.errors.ArgumentError, match="no column is left"):
        preparation(column_types({"same": ["x", "x"]}))
