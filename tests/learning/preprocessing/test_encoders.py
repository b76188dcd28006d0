"""Encoders: every spelling of a value is read, and what cannot be is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.tree import DecisionTreeClassifier

import thresher as th
from thresher.learning import Categories, DateParts, LeafTree, MissingFlags, Numbers, TextFeatures, named_category


def test_every_spelling_of_numbers_is_read():
    table = pd.DataFrame(
        {
            "text": ["1.5", None, " 2"],
            "switch": [True, False, None],
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "whole": [1, 2, 3],
        },
        index=[5, 6, 7],
    )
    result = Numbers().fit_transform(table)
    assert (result.dtypes == np.float64).all()
    assert result.index.tolist() == [5, 6, 7]
    np.testing.assert_array_equal(result["text"], [1.5, np.nan, 2])
    np.testing.assert_array_equal(result["switch"], [1, 0, np.nan])
    np.testing.assert_array_equal(result["nullable"], [1, np.nan, 3])


def test_text_in_a_new_table_is_refused_and_not_made_missing():
    fitted = Numbers().fit({"fare": [1.0]})
    with pytest.raises(th.errors.ColumnError, match=r"1 of 2 values are text \('free'; first at row 1\)"):
        fitted.transform({"fare": ["2", "free"]})


@pytest.mark.parametrize("encoder", [Numbers(), Categories(), MissingFlags()])
def test_other_names_of_features_are_refused(encoder):
    fitted = encoder.fit({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert fitted.get_feature_names_out(["a", "b"]).tolist() == fitted.get_feature_names_out().tolist()
    for names in (["x"], ["b", "a"]):
        with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
            fitted.get_feature_names_out(names)


def test_parts_of_days():
    fitted = DateParts().set_output(transform="pandas").fit({"sold": ["2024-02-29", None, "2023-12-31"]})
    result = fitted.transform({"sold": ["2024-02-29", None]})
    assert list(result.columns) == [f"sold: {part}" for part in ("year", "month", "day", "weekday", "days")]
    assert result.iloc[0].tolist() == [2024, 2, 29, 3, 60]
    assert result.iloc[1].isna().all()


def test_hours_only_where_training_rows_have_them():
    times = pd.DataFrame(
        {"at": pd.to_datetime(["2024-01-01 13:30", "2024-01-02 00:00"]), "on": pd.to_datetime(["2024-01-01"] * 2)}
    )
    result = DateParts().set_output(transform="pandas").fit_transform(times)
    assert result["at: hour"].tolist() == [13, 0]
    assert "on: hour" not in result
    assert result["at: days"].tolist() == [0, pytest.approx(10.5 / 24)]


def test_zones_are_read_in_utc():
    table = pd.DataFrame({"at": pd.to_datetime(["2024-01-01 00:30"]).tz_localize("Europe/Oslo")})
    assert DateParts().set_output(transform="pandas").fit_transform(table)["at: year"].tolist() == [2023]


def test_what_is_no_date_is_refused():
    with pytest.raises(
        th.errors.ColumnError, match=r"1 of 2 values of column 'a' are no ISO date \(first '1/2/2024' at row 1\)"
    ):
        DateParts().fit({"a": ["2024-01-01", "1/2/2024"]})


def test_a_column_without_dates_in_a_fold_stays_missing():
    fitted = DateParts().fit(pd.DataFrame({"a": pd.to_datetime([None, None])}))
    assert np.isnan(fitted.transform(pd.DataFrame({"a": pd.to_datetime(["2024-01-01"])}))[0, -1])
    assert pickle.loads(pickle.dumps(fitted)).first_ == fitted.first_  # noqa: S301


def test_every_kind_of_missing_is_flagged():
    table = pd.DataFrame(
        {
            "a": [1.0, np.nan],
            "b": ["x", None],
            "c": pd.array([1, None], dtype="Int64"),
            "d": pd.to_datetime(["2020-01-01", None]),
        }
    )
    fitted = MissingFlags().fit(table)
    assert fitted.transform(table).tolist() == [[0, 0, 0, 0], [1, 1, 1, 1]]
    assert fitted.get_feature_names_out().tolist() == ["a: missing", "b: missing", "c: missing", "d: missing"]


TEXTS = ["cheap pills now", "cheap flights", None, "meeting at ten"]


def test_weights_are_scikit_learns_and_missing_texts_have_none():
    fitted = TextFeatures().fit({"note": TEXTS})
    result = fitted.transform({"note": TEXTS})
    np.testing.assert_allclose(
        result, TfidfVectorizer().fit_transform(["" if t is None else t for t in TEXTS]).toarray()
    )
    assert not result[2].any()


@pytest.mark.parametrize(("text", "binary"), [("counts", False), ("presence", True)])
def test_counts_and_presence_are_scikit_learns(text, binary):
    peer = CountVectorizer(binary=binary).fit_transform(["cheap cheap pills", "pills", ""])
    made = TextFeatures(text=text).fit_transform({"note": ["cheap cheap pills", "pills", None]})
    np.testing.assert_array_equal(made, peer.toarray())
    with pytest.raises(th.errors.ArgumentError, match='text must be "tf-idf", "counts" or "presence", got \'words\''):
        TextFeatures(text="words").fit({"note": ["cheap"]})  # type: ignore[arg-type]


def test_the_spam_tree_comes_out_of_raw_mails():
    """Figure 2.1 of the chapter: Viagra, then lottery, among words that tell nothing."""
    leaves = [("Buy VIAGRA now!", 20, 5), ("You won the lottery.", 10, 5), ("Lunch on Friday?", 20, 40)]
    mails = [f"Dear friend {i}. {words}" for words, spam, ham in leaves for i in range(spam + ham)]
    spam = [flag for _, pos, neg in leaves for flag in [True] * pos + [False] * neg]
    made = TextFeatures(text="presence").set_output(transform="pandas").fit_transform({"mail": mails})
    words = made[["mail: viagra", "mail: lottery"]]
    assert words.value_counts().to_dict() == {(0, 0): 60, (1, 0): 25, (0, 1): 15}
    few = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0)
    assert str(LeafTree(few).fit(words, spam).ranking()) == "[20+,5-][10+,5-][20+,40-]"


def test_columns_are_separate_and_words_limited():
    fitted = TextFeatures(1).fit({"title": ["hello hello", "hello"], "body": ["cheap cheap", "cheap"]})
    assert fitted.get_feature_names_out().tolist() == ["title: hello", "body: cheap"]


def test_texts_without_words_are_refused():
    with pytest.raises(th.errors.ColumnError, match="the texts of column 'note' have no words"):
        TextFeatures().fit({"note": ["!", "?"]})


def test_one_spelling_of_each_category():
    table = pd.DataFrame(
        {"floor": [3.0, None], "town": pd.Categorical(["Oslo", None]), "switch": [True, None], "n": [1, 2]}
    )
    texts = Categories().fit_transform(table)
    assert texts.iloc[0].tolist() == ["3", "Oslo", "True", "1"]
    assert texts.iloc[1, :3].isna().all()
    assert Categories().fit(table).get_feature_names_out().tolist() == ["floor", "town", "switch", "n"]
    assert np.isnan(texts["floor"][1])


def test_a_category_outside_a_declared_order_is_refused():
    fitted = Categories({"size": ["S", "M"]}).fit({"size": ["S"]})
    with pytest.raises(th.errors.ColumnError, match=r"1 of 2 values of column 'size' .* \(first 'XL' at row 2\)"):
        fitted.transform({"size": ["M", None, "XL"]})


def test_features_are_named_by_column_and_category():
    assert named_category("town", "Oslo") == "town=Oslo"
