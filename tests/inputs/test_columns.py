import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import thresher as th
from thresher.inputs.columns import column, complete, is_missing, plain_entries


def read(values):
    return column(values, name="scores")


class TestColumn:
    @pytest.mark.parametrize(
        "values",
        [
            [1, 2],
            (1, 2),
            range(1, 3),
            np.array([1, 2]),
            np.array([[1], [2]]),
            pd.Series([1, 2], index=[5, 5]),
            pd.Index([1, 2]),
            pd.DataFrame({"a": [1, 2]}),
            pl.Series([1, 2]),
            pl.DataFrame({"a": [1, 2]}),
            pa.array([1, 2]),
            pa.chunked_array([[1], [2]]),
            np.ma.array([1, 2]),
            memoryview(b"\x01\x02"),
            np.array([2, 1])[::-1],
        ],
        ids=lambda values: type(values).__module__ + "." + type(values).__name__,
    )
    def test_anything_like_a_column_is_one(self, values):
        assert read(values).tolist() == [1, 2]
        assert read(values).ndim == 1

    @pytest.mark.parametrize(
        "values", [5, None, "abc", {1, 2}, {"a": 1}, (i for i in [1]), np.zeros((2, 2)), np.zeros((1, 3)), np.array(1)]
    )
    def test_anything_else_is_refused_with_its_shape(self, values):
        with pytest.raises(th.errors.LengthError, match="scores has shape"):
            read(values)

    def test_rows_of_different_lengths_are_no_column(self):
        with pytest.raises(th.errors.LengthError, match="scores holds rows of different lengths"):
            read([[1], [1, 2]])

    def test_a_list_of_texts_and_numbers_keeps_each(self):
        assert read([1, "1", 2.5]).tolist() == [1, "1", 2.5]

    def test_integers_among_floats_are_not_rounded(self):
        assert read([2**53 + 1, 0.5]).tolist() == [2**53 + 1, 0.5]
        assert read([2**53 - 1, 0.5]).dtype == np.float64

    def test_a_masked_entry_is_missing_whatever_lies_beneath(self):
        for shape in ((3,), (3, 1)):
            values = np.ma.array(np.arange(3.0).reshape(shape), mask=np.array([0, 1, 0]).reshape(shape))
            assert read(values).tolist() == [0.0, None, 2.0]


GAPS = {
    "list with None": [1, 0, None],
    "list with nan": [1, 0, float("nan")],
    "float": np.array([1, 0, np.nan]),
    "float32": np.array([1, 0, np.nan], np.float32),
    "object nan": np.array([1, 0, np.float32("nan")], object),
    "decimal nan": [Decimal(1), Decimal(0), Decimal("nan")],
    "signalling nan": [Decimal(1), Decimal(0), Decimal("snan")],
    "masked": np.ma.array([1, 0, 1], mask=[False, False, True]),
    "date": np.array(["2020-01-01", "2020-01-02", "NaT"], "M8[ns]"),
    "span": np.array([1, 0, "NaT"], "m8[s]"),
    "complex": np.array([1, 0, complex("nan")]),
    "numpy text": np.array(["a", "b", None], np.dtypes.StringDType(na_object=None)),
    "numpy text nan": np.array(["a", "b", np.nan], np.dtypes.StringDType(na_object=np.nan)),
    "pandas object": pd.Series([1, 0, None], dtype=object),
    "pandas text": pd.Series(["a", "b", None]),
    "pandas string": pd.Series(["a", "b", None], dtype="string"),
    "pandas Int64": pd.Series([1, 0, None], dtype="Int64"),
    "pandas Float64": pd.Series([1, 0, None], dtype="Float64"),
    "pandas boolean": pd.Series([True, False, None], dtype="boolean"),
    "pandas category": pd.Series(["a", "b", None], dtype="category"),
    "pandas category of int": pd.Series([1, 0, None], dtype="category"),
    "pandas arrow int": pd.Series([1, 0, None], dtype=pd.ArrowDtype(pa.int64())),
    "pandas arrow bool": pd.Series([True, False, None], dtype=pd.ArrowDtype(pa.bool_())),
    "pandas arrow text": pd.Series(["a", "b", None], dtype=pd.ArrowDtype(pa.string())),
    "pandas arrow dictionary": pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(["a", "b", None]).dictionary_encode()]))
    ),
    "pandas date": pd.Series(pd.to_datetime(["2020-01-01", "2020-01-02", None])),
    "polars int": pl.Series([1, 0, None]),
    "polars float": pl.Series([1.0, 0.0, None]),
    "polars bool": pl.Series([True, False, None]),
    "polars text": pl.Series(["a", "b", None]),
    "polars categorical": pl.Series(["a", "b", None], dtype=pl.Categorical),
    "polars enum": pl.Series(["a", "b", None], dtype=pl.Enum(["a", "b"])),
    "pyarrow int": pa.array([1, 0, None]),
    "pyarrow bool": pa.array([True, False, None]),
    "pyarrow text": pa.array(["a", "b", None]),
    "pyarrow large text": pa.array(["a", "b", None], pa.large_string()),
    "pyarrow dictionary": pa.array(["a", "b", None]).dictionary_encode(),
    "pyarrow chunked": pa.chunked_array([[1, 0], [None]]),
    "pyarrow chunked text": pa.chunked_array([["a"], ["b", None]]),
    # NumPy's view of this one repeats the dictionary's last entry where the null was
    "pyarrow chunked dictionary": pa.chunked_array([pa.array(["a", "b", None]).dictionary_encode()]),
}


@pytest.mark.parametrize("values", GAPS.values(), ids=GAPS)
def test_a_gap_is_found_in_every_kind_of_column(values):
    flags = is_missing(read(values))
    assert flags is not None
    assert flags.tolist() == [False, False, True]


@pytest.mark.parametrize("values", GAPS.values(), ids=GAPS)
def test_a_column_without_its_gap_has_none(values):
    assert is_missing(read(values[:2])) is None


class TestComplete:
    def test_complete_columns_pass_untouched(self):
        columns: dict[str, Any] = {"labels": np.array([1, 0]), "scores": np.array([0.5, 0.2])}
        complete_columns, dropped = complete(columns, missing="raise")
        assert dropped == 0
        assert all(a is b for a, b in zip(complete_columns, columns.values(), strict=True))

    def test_lengths_are_reported(self):
        with pytest.raises(th.errors.LengthError, match="labels 2, scores 1,000"):
            complete({"labels": np.zeros(2), "scores": np.zeros(1000)}, missing="raise")

    def test_no_rows(self):
        with pytest.raises(th.errors.EmptyError, match="there are no rows"):
            complete({"labels": np.zeros(0), "scores": np.zeros(0)}, missing="drop")

    def test_gaps_are_counted_per_column_with_their_first_rows(self):
        labels = np.array([1, None, 0] + [None] * 7, dtype=object)
        scores = np.array([np.nan, 1.0] + [2.0] * 8)
        with pytest.raises(th.errors.MissingValueError) as caught:
            complete({"labels": labels, "scores": scores}, missing="raise")
        assert "8 of 10 labels are missing or NaN (first at rows 1, 3, 4, 5, 6)" in caught.value.what
        assert "1 of 10 scores are missing or NaN (first at rows 0)" in caught.value.what

    def test_a_row_is_dropped_once_whatever_it_misses(self):
        columns: dict[str, Any] = {"labels": np.array([1, None, None], object), "scores": np.array([0.5, np.nan, 1.0])}
        complete_columns, dropped = complete(columns, missing="drop")
        assert dropped == 2
        assert [values.tolist() for values in complete_columns] == [[1], [0.5]]

    def test_nothing_left(self):
        with pytest.raises(th.errors.EmptyError, match="none of 2 rows is left"):
            complete({"scores": np.array([np.nan, np.nan])}, missing="drop")

    @pytest.mark.parametrize("missing", ["ignore", None, True])
    def test_there_are_two_ways_to_meet_gaps(self, missing):
        with pytest.raises(th.errors.ArgumentError, match='"raise" or "drop"'):
            complete({"scores": np.zeros(1)}, missing=missing)


class Capsule:
    """A column that speaks Arrow's PyCapsule interface and nothing else."""

    def __init__(self, inside):
        self.inside = inside

    def __arrow_c_array__(self, requested_schema=None):
        return self.inside.__arrow_c_array__(requested_schema)


BIG = 2**53 + 1
INTEGERS = {
    "pandas Int64": pd.Series([BIG, None], dtype="Int64"),
    "pandas arrow": pd.Series([BIG, None], dtype=pd.ArrowDtype(pa.int64())),
    "pandas category": pd.Series([BIG, 1], dtype="category"),
    "polars": pl.Series([BIG, None]),
    "polars of 128 bits": pl.Series([BIG, None], dtype=pl.Int128),
    "pyarrow": pa.array([BIG, None]),
    "pyarrow chunked": pa.chunked_array([pa.array([BIG]), pa.array([None], pa.int64())]),
    "capsule": Capsule(pa.array([BIG, None])),
}


@pytest.mark.parametrize("values", INTEGERS.values(), ids=INTEGERS)
def test_integers_among_gaps_are_not_rounded(values):
    assert read(values).tolist()[0] == BIG


def test_large_floats_are_left_in_their_array():
    for values in (pd.Series([1e300, np.inf]), pl.Series([1e300, None]), pd.Series([1e300], dtype="double[pyarrow]")):
        assert read(values).dtype == np.float64


SHARED = {
    "NumPy": np.arange(5.0),
    "pandas": pd.Series(np.arange(5.0)),
    "pandas Float64": pd.Series(np.arange(5.0), dtype="Float64"),
    "pandas arrow": pd.Series(np.arange(5.0), dtype=pd.ArrowDtype(pa.float64())),
    "polars": pl.Series(np.arange(5.0)),
}


@pytest.mark.parametrize("values", SHARED.values(), ids=SHARED)
def test_numbers_are_not_copied(values):
    assert np.shares_memory(read(values), values if isinstance(values, np.ndarray) else values.to_numpy())


def test_a_matrix_of_one_column_is_a_column():
    with pytest.warns(PendingDeprecationWarning):
        assert read(np.matrix([[1], [2]])).tolist() == [1, 2]


def test_texts_that_end_in_nul_stay_two_labels():
    actual = column(["spam", "spam\0"], name="labels")
    assert actual.tolist() == ["spam", "spam\0"]
    with pytest.raises(th.ThresherError, match="positive"):
        th.rank(["spam", "spam\0"], [1, 2])


@pytest.mark.parametrize("missing", [None, 5, np.array(["drop"]), ["drop"], "skip"])
def test_gaps_are_refused_or_dropped_and_nothing_else(missing):
    with pytest.raises(th.errors.ArgumentError, match='"raise" or "drop"'):
        th.rank([0, 1], [0.1, 0.9], missing=missing)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        (np.array(["2026-05-01", "NaT"], "M8[D]"), [dt.date(2026, 5, 1), None]),
        (np.array([1000, "NaT"], "M8[ns]"), [dt.datetime(1970, 1, 1, microsecond=1), None]),  # noqa: DTZ001
        (np.array([1001, "NaT"], "M8[ns]"), [np.datetime64(1001, "ns"), None]),
        (np.array(["20000-01-01"], "M8[s]"), [np.datetime64("20000-01-01T00:00:00")]),
        (np.array([2000], "m8[ns]"), [dt.timedelta(microseconds=2)]),
        (np.array([2001], "m8[ns]"), [np.timedelta64(2001, "ns")]),
        (np.array([1.5, np.nan]), [1.5, None]),
    ],
)
def test_entries_as_python_has_them(entries, expected):
    assert plain_entries(entries) == expected


@pytest.mark.parametrize("unit", ["s", "ns"])
def test_moments_of_pandas_with_a_zone_are_read_in_utc(unit):
    moments = pd.Series(pd.to_datetime([0, 3600], unit="s", utc=True)).dt.as_unit(unit).dt.tz_convert("Europe/Paris")
    assert read(moments).tolist() == np.array([0, 3600], "M8[s]").astype(f"M8[{unit}]").tolist()


def test_moments_that_their_zone_has_in_another_millennium():
    last = pa.array([0, 253402300799], pa.timestamp("s", tz="Europe/Amsterdam")).to_pandas()
    assert plain_entries(read(last))[1] == dt.datetime(9999, 12, 31, 23, 59, 59)  # noqa: DTZ001


@pytest.mark.parametrize(
    "values",
    [
        np.array([(1,), (0,)], dtype=[("a", int)]),
        np.array([b"a", b"b"], dtype="V1"),
        pl.Series([{"a": 1}, {"a": 0}]),
        pl.Series([[1], [0]]),
        pl.Series([[1], [0]], dtype=pl.Array(pl.Int64, 1)),
        pd.Series([[1], [0]]),
    ],
    ids=["records", "void", "struct", "lists", "arrays", "lists of pandas"],
)
def test_entries_of_several_values_are_refused(values):
    for role in ("labels", "scores", "weights"):
        columns: dict[str, Any] = {"labels": [1, 0], "scores": [0.9, 0.2], "weights": [1, 1]} | {role: values}
        with pytest.raises(th.errors.ColumnError, match=f"{role} holds .* not one value per row"):
            th.rank(**columns)


@pytest.mark.parametrize("weight", [2**53 + 1, 2**53 + 3, 10**400])
def test_weights_that_a_float_would_round_are_refused(weight):
    for weights in ([weight, 1], np.array([weight, 1], dtype=object), np.array([min(weight, 2**62 + 1), 1])):
        with pytest.raises(th.errors.WeightError, match="float64"):
            th.rank([1, 0], [0.9, 0.2], weights=weights)
    assert th.rank([1, 0], [0.9, 0.2], weights=[2**53, 1]).Pos == 2**53


def test_counts_that_a_float_would_round_are_refused():
    with pytest.raises(th.errors.WeightError, match=r"pos\[0\] is 9007199254740993"):
        th.Ranking([0.5, 0.1], [2**53 + 1, 1], [0.5, 1])
    mixed: Any = [[2**53 + 1, 0.5], [1, 1]]
    with pytest.raises(th.errors.WeightError, match="the count 9007199254740993"):
        th.ConfusionMatrix(mixed, classes=["a", "b"])


def test_na_is_no_label_to_ask_for():
    with pytest.raises(th.errors.PositiveLabelError, match="<NA>"):
        th.rank([1, 0], [0.9, 0.2], positive=pd.NA)
    with pytest.raises(th.errors.LabelError, match="<NA>"):
        th.confusion([1, 0], [1, 0], classes=[0, 1, pd.NA])


def test_integers_that_python_does_not_print_are_refused():
    with pytest.raises(th.errors.ColumnError, match="an integer of more than 640 digits"):
        th.rank([10**5000, 0], [0.9, 0.2], positive=0)
