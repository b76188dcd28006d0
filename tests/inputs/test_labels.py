import datetime as dt
from decimal import Decimal

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import thresher as th
from thresher.inputs.columns import column
from thresher.inputs.labels import classes_of, distinct, is_positive

TRUTH = [True, False, False, True]
SPELT = ["spam", "ham", "ham", "spam"]
ONES = [1, 0, 0, 1]


def flags(values, **positive):
    return is_positive(column(values, name="labels"), **positive).tolist()


SPEAK_FOR_THEMSELVES = {
    "list of bool": TRUTH,
    "list of int": ONES,
    "list of float": [1.0, 0.0, 0.0, 1.0],
    "bool and int": [True, 0, 0, 1],
    "bool array": np.array(TRUTH),
    **{dtype: np.array(ONES, dtype) for dtype in ["i1", "u1", "i8", "u8", "f2", "f4", "f8", "g", ">i4", ">f8", "O"]},
    "object bool": np.array(TRUTH, dtype=object),
    "object of NumPy bools": np.array([np.bool_(flag) for flag in TRUTH], dtype=object),
    "object of NumPy ints": np.array([np.int8(one) for one in ONES], dtype=object),
    "column matrix": np.array(ONES).reshape(-1, 1),
    "pandas bool": pd.Series(TRUTH),
    "pandas Int64": pd.Series(ONES, dtype="Int64"),
    "pandas UInt8": pd.Series(ONES, dtype="UInt8"),
    "pandas Float64": pd.Series(ONES, dtype="Float64"),
    "pandas boolean": pd.Series(TRUTH, dtype="boolean"),
    "pandas category": pd.Series(ONES, dtype="category"),
    "pandas category of bool": pd.Categorical(TRUTH),
    "pandas category in falling order": pd.Categorical(ONES, categories=[1, 0], ordered=True),
    "pandas arrow bool": pd.Series(TRUTH, dtype=pd.ArrowDtype(pa.bool_())),
    "polars bool": pl.Series(TRUTH),
    "polars int": pl.Series(ONES),
    "polars int8": pl.Series(ONES, dtype=pl.Int8),
    "pyarrow bool": pa.array(TRUTH),
    "pyarrow int": pa.array(ONES),
    "pyarrow chunked": pa.chunked_array([ONES[:1], ONES[1:]]),
}


@pytest.mark.parametrize("values", SPEAK_FOR_THEMSELVES.values(), ids=SPEAK_FOR_THEMSELVES)
def test_bool_and_zero_one_speak_for_themselves_and_can_be_turned_round(values):
    assert flags(values) == TRUTH
    for one in (1, True, 1.0, np.int64(1), np.bool_(True)):
        assert flags(values, positive=one) == TRUTH
    for zero in (0, False, 0.0, np.int64(0), np.bool_(False)):
        assert flags(values, positive=zero) == [not flag for flag in TRUTH]


NEED_A_WORD = {
    "-1/1": ([1, -1, -1, 1], 1),
    "-1.0/1.0": ([1.0, -1.0, -1.0, 1.0], 1),
    "1/2": ([2, 1, 1, 2], 2),
    "0/2": ([2, 0, 0, 2], 2),
    "0/0.5": ([0.5, 0, 0, 0.5], 0.5),
    "text": (SPELT, "spam"),
    "text of digits": (["1", "0", "0", "1"], "1"),
    "text array": (np.array(SPELT), "spam"),
    "text as object": (np.array(SPELT, dtype=object), "spam"),
    "text of NumPy 2": (np.array(SPELT, dtype=np.dtypes.StringDType()), "spam"),
    "bytes": (np.array([b"y", b"n", b"n", b"y"]), b"y"),
    "text and number": (["spam", 0, 0, "spam"], "spam"),
    "bool and text": ([True, "no", "no", True], True),
    "dates": ([dt.date(2020 + flag, 1, 1) for flag in TRUTH], dt.date(2021, 1, 1)),
    "nanoseconds": (np.array(["2021", "2020", "2020", "2021"], "M8[ns]"), np.datetime64("2021")),
    "decimals": ([Decimal(one) for one in ONES], Decimal(1)),
    "intervals": ([pd.Interval(int(flag), 5) for flag in TRUTH], pd.Interval(1, 5)),
    "pandas text": (pd.Series(SPELT), "spam"),
    "pandas string": (pd.Series(SPELT, dtype="string"), "spam"),
    "pandas category": (pd.Series(SPELT, dtype="category"), "spam"),
    "pandas category with a class that is absent": (pd.Categorical(SPELT, categories=["eggs", "spam", "ham"]), "spam"),
    "pandas Int64": (pd.Series([2, 1, 1, 2], dtype="Int64"), 2),
    "polars text": (pl.Series(SPELT), "spam"),
    "polars categorical": (pl.Series(SPELT, dtype=pl.Categorical), "spam"),
    "polars enum": (pl.Series(SPELT, dtype=pl.Enum(["spam", "ham"])), "spam"),
    "pyarrow text": (pa.array(SPELT), "spam"),
    "pyarrow dictionary": (pa.array(SPELT).dictionary_encode(), "spam"),
    "pyarrow chunked dictionary": (pa.chunked_array([pa.array(SPELT).dictionary_encode()]), "spam"),
}


@pytest.mark.parametrize(("values", "positive"), NEED_A_WORD.values(), ids=NEED_A_WORD)
def test_any_two_labels_do_once_the_positive_one_is_named(values, positive):
    assert flags(values, positive=positive) == TRUTH
    other = next(label for label in column(values, name="labels") if label != positive)
    assert flags(values, positive=other) == [not flag for flag in TRUTH]


@pytest.mark.parametrize("values", [case[0] for case in NEED_A_WORD.values()], ids=NEED_A_WORD)
def test_and_are_never_guessed_before(values):
    with pytest.raises(th.errors.PositiveLabelError, match="cannot tell which label is positive"):
        flags(values)


TEXTS = {
    "list": list,
    "array": np.array,
    "object": lambda texts: np.array(texts, dtype=object),
    "pandas": pd.Series,
    "string": lambda texts: pd.Series(texts, dtype="string"),
    "category": lambda texts: pd.Series(texts, dtype="category"),
    "polars": pl.Series,
    "pyarrow": pa.array,
    "dictionary": lambda texts: pa.array(texts).dictionary_encode(),
}


@pytest.mark.parametrize(
    ("labels", "positive", "message"),
    [
        (SPELT, {}, "cannot tell which label is positive: 'ham' or 'spam'"),
        (SPELT[::-1], {}, "cannot tell which label is positive: 'ham' or 'spam'"),
        (SPELT[1:], {}, "cannot tell which label is positive: 'ham' or 'spam'"),
        (SPELT, {"positive": "Spam"}, "the positive label 'Spam' is not among the labels 'ham' and 'spam'"),
        (
            SPELT,
            {"positive": 1},
            "the positive label 1 is not among the labels 'ham' and 'spam' (positive is int, the labels are str)",
        ),
        (
            [*SPELT, "eggs"],
            {"positive": "spam"},
            "there are more than two labels: 2 × 'spam', 2 × 'ham' and 1 × 'eggs'",
        ),
    ],
)
def test_the_same_problem_has_the_same_words_in_every_encoding(labels, positive, message):
    words = set()
    for encode in TEXTS.values():
        with pytest.raises(th.errors.LabelError) as caught:
            flags(encode(labels), **positive)
        words.add(str(caught.value))
    assert {text.split("\n")[0] for text in words} == {message}
    assert len(words) == 1


def test_many_labels_are_listed_up_to_a_point():
    with pytest.raises(th.errors.LabelError, match=r"'a', 'b', 'c', 'd', 'e', 'f', …"):
        flags(list("abcdefghij"))


def test_the_way_out_of_three_labels_is_the_comparison_one_asked_for():
    with pytest.raises(th.errors.LabelError) as caught:
        flags([0, 1, 2], positive=2)
    assert "true where the label is 2" in caught.value.fix


@pytest.mark.parametrize("values", [["a", "a"], [2, 2], pd.Series(["a", "a"], dtype="category")])
def test_one_label_is_enough_when_it_is_named(values):
    only = values[0]
    assert flags(values, positive=only) == [True, True]
    with pytest.raises(th.errors.PositiveLabelError, match="not among the labels"):
        flags(values, positive="b")
    with pytest.raises(th.errors.PositiveLabelError, match="cannot tell"):
        flags(values)


@pytest.mark.parametrize(("values", "expected"), [([1, 1], True), ([0, 0], False), ([True], True), ([0.0], False)])
def test_one_class_of_bool_or_zero_one_is_what_it_says(values, expected):
    assert set(flags(values)) == {expected}


@pytest.mark.parametrize("values", [ONES, TRUTH, SPELT, [1, 2, 2, 1]])
@pytest.mark.parametrize("positive", [["spam"], np.array([1, 1]), np.array(["spam"]), {}, float("nan"), b"spam"])
def test_a_positive_label_that_cannot_be_one_is_absent(values, positive):
    with pytest.raises(th.errors.PositiveLabelError, match="is not among the labels"):
        flags(values, positive=positive)


def test_text_never_equals_a_number():
    for values, positive in (([1, 2], "1"), (["1", "2"], 1), ([0, 1], "1"), ([True, False], "True")):
        with pytest.raises(th.errors.PositiveLabelError):
            flags(values, positive=positive)
    assert flags([1, "1"], positive="1") == [False, True]


class TestClasses:
    def test_they_come_in_rising_order_or_as_declared(self):
        labels = np.array(["b", "a", "c", "a"])
        assert classes_of(labels, classes=None)[0] == ["a", "b", "c"]
        names, index = classes_of(labels, classes=["c", "b", "a"])
        assert (names, index.tolist()) == (["c", "b", "a"], [1, 2, 0, 2])

    def test_stray_labels_are_counted_and_named(self):
        with pytest.raises(
            th.errors.LabelError, match="2 rows carry labels that are not among the classes: 'b' and 'c'"
        ):
            classes_of(np.array(["b", "a", "c"]), classes=["a"])

    def test_a_class_is_named_once(self):
        with pytest.raises(th.errors.LabelError, match="twice"):
            classes_of(np.array([1, 2]), classes=[1, 2, 1.0])

    def test_labels_without_an_order_need_one(self):
        with pytest.raises(th.errors.LabelError, match="no order"):
            classes_of(np.array([1, "a"], dtype=object), classes=None)

    def test_numbers_to_be_ranked_are_no_classes(self):
        with pytest.raises(th.errors.LabelError, match="1,000 labels or more"):
            classes_of(np.arange(1500), classes=None)


def test_distinct_labels_in_order_of_appearance():
    assert distinct(np.array([3, 1, 3, 2]), at_most=10) == [3, 1, 2]
    assert distinct(np.array([3, 1, 3, 2]), at_most=2) == [3, 1]
    days = np.array(["2020-01-02", "2020-01-01", "2020-01-02"], "M8[ns]")
    assert distinct(days, at_most=9) == [np.datetime64("2020-01-02"), np.datetime64("2020-01-01")]


@pytest.mark.parametrize("classes", [5, len, [[1, 2], [3]], [(0,), (1,)], [{}, 1], [np.arange(2), 1]])
def test_classes_are_a_list_of_labels(classes):
    with pytest.raises(th.errors.LabelError, match=r"a list of labels|one label"):
        th.confusion([0, 1], [1, 1], classes=classes)


def test_a_moment_may_be_named_in_any_zone():
    days = pd.Series(pd.to_datetime(["2026-01-01 12:00", "2026-01-02 12:00"] * 3)).dt.tz_localize("US/Eastern")
    scores = [0.9, 0.1, 0.8, 0.3, 0.2, 0.7]
    expected = th.rank([1, 0] * 3, scores)
    arrow = pa.table({"y": pa.array(days), "p": scores})
    for positive in (days[0], days[0].tz_convert("UTC"), days[0].tz_convert("UTC").tz_localize(None)):
        assert th.rank(days, scores, positive=positive) == expected
        for source in (arrow, ibis.memtable(arrow)):
            assert th.scan(source, label="y", score="p", positive=positive) == expected


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_integers_that_a_float_would_round_stay_distinct(kind):
    labels = np.array([2**53, 2**53 + 1, 2**53], dtype=kind)
    for positive in (2**53, float(2**53), np.float64(2**53)):
        assert is_positive(labels, positive=positive).tolist() == [True, False, True]
    assert is_positive(labels, positive=2**53 + 1).tolist() == [False, True, False]
    with pytest.raises(th.errors.PositiveLabelError):
        is_positive(labels.astype(np.float64) * 0 + 2.0**53, positive=2**53 + 1)
