import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import thresher as th
from thresher.inputs.arrow import is_arrow, numpy_column

BIG = 2**53 + 1


def read(values):
    return numpy_column(values, name="p")


def chunked(*chunks, type=None):  # noqa: A002
    return pa.chunked_array([pa.array(chunk, type=type) for chunk in chunks])


class TestNumbers:
    @pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
    def test_are_shared_and_keep_their_dtype(self, dtype):
        array = pa.array(np.arange(5).astype(dtype))
        for values in (array, pa.chunked_array([array]), array[1:]):
            actual = read(values)
            assert actual.dtype == np.dtype(dtype)
            assert np.shares_memory(actual, array.to_numpy())
        assert read(pa.chunked_array([array, array])).tolist() == [*range(5), *range(5)]

    def test_gaps(self):
        assert read(pa.array([BIG, None])).tolist() == [BIG, None]
        assert read(chunked([BIG], [None], type=pa.int64())).tolist() == [BIG, None]
        for kind in (pa.float64(), pa.float32(), pa.float16()):
            actual = read(pa.array([1.5, None], kind))
            assert actual.dtype == kind.to_pandas_dtype()
            assert np.isnan(actual).tolist() == [False, True]

    def test_decimals_stay_what_they_are(self):
        assert read(pa.array([Decimal("0.1"), None])).tolist() == [Decimal("0.1"), None]
        assert read(pa.array([Decimal("0.1")], pa.decimal256(50, 3))).tolist() == [Decimal("0.100")]

    def test_run_ends(self):
        assert read(pa.RunEndEncodedArray.from_arrays([2, 3], [0.5, 0.25])).tolist() == [0.5, 0.5, 0.25]


class TestTruth:
    def test_with_and_without_gaps(self):
        assert read(pa.array([True, False])).dtype == np.bool_
        assert read(chunked([True], [None], type=pa.bool_())).tolist() == [True, None]

    def test_booleans_of_a_byte(self):
        storage = pa.array([1, 0, 2], pa.int8())
        values = pa.ExtensionArray.from_storage(pa.bool8(), storage)
        assert read(values).tolist() == [True, False, True]
        assert read(values).dtype == np.bool_


class TestWords:
    @pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
    def test_get_one_width(self, kind):
        assert read(pa.array(["ham", "spam"], kind)).dtype == np.dtype("<U4")
        assert read(chunked(["ham"], ["spam", "é"], type=kind)).tolist() == ["ham", "spam", "é"]

    @pytest.mark.parametrize("words", [["a\0", "a"], ["x" * 65, "y"], ["", "a\0b\0"]])
    def test_unless_that_would_lose_something(self, words):
        actual = read(pa.array(words))
        assert actual.dtype == object
        assert actual.tolist() == words

    def test_with_gaps(self):
        assert read(pa.array(["a", None])).tolist() == ["a", None]
        assert read(pa.array([None, None], pa.string())).tolist() == [None, None]

    def test_of_dictionaries(self):
        one, other = pa.array(["a", "b", None]).dictionary_encode(), pa.array(["c", "b"]).dictionary_encode()
        assert read(one).tolist() == ["a", "b", None]
        assert read(pa.chunked_array([one, other])).tolist() == ["a", "b", None, "c", "b"]
        assert read(pa.chunked_array([other, other])).dtype == np.dtype("<U1")

    def test_a_gap_inside_the_dictionary(self):
        values = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), pa.array(["a", None]))
        assert read(values).tolist() == ["a", None, "a"]


class TestOtherTypes:
    def test_dictionaries_of_numbers(self):
        assert read(pa.array([0.5, None, 0.5]).dictionary_encode()).tolist()[::2] == [0.5, 0.5]
        assert np.isnan(read(pa.array([0.5, None]).dictionary_encode())[1])
        assert read(pa.array([BIG, None]).dictionary_encode()).tolist() == [BIG, None]
        assert read(pa.array([1, 2], pa.int8()).dictionary_encode()).dtype == np.int8

    def test_days(self):
        assert read(pa.array([dt.date(2020, 1, 1), None])).astype(str).tolist() == ["2020-01-01", "NaT"]

    def test_nothing_at_all(self):
        assert read(pa.array([None, None])).tolist() == [None, None]
        assert read(pa.chunked_array([], type=pa.string())).size == 0
        assert read(pa.chunked_array([], type=pa.float64())).size == 0

    @pytest.mark.parametrize("values", [[[1], [2]], [{"a": 1}]])
    def test_nested_values_are_refused(self, values):
        with pytest.raises(th.errors.ColumnError, match=r"the column 'p' holds .*, not one value per row"):
            read(pa.array(values))

    def test_extension_types_are_their_storage(self):
        class Probability(pa.ExtensionType):  # type: ignore[misc]
            def __init__(self):
                super().__init__(pa.float64(), "thresher.test.probability")

            def __arrow_ext_serialize__(self):
                return b""

            @classmethod
            def __arrow_ext_deserialize__(cls, storage_type, serialized):
                return cls()

        storage = pa.array([0.5, None, 0.25])
        values = pa.ExtensionArray.from_storage(Probability(), storage)
        for actual in (read(values), read(pa.chunked_array([values]))):
            assert actual[[0, 2]].tolist() == [0.5, 0.25]
            assert np.isnan(actual[1])


def test_what_is_an_arrow_column():
    assert is_arrow(pa.array([1]))
    assert is_arrow(chunked([1]))
    assert not any(is_arrow(other) for other in ([1], np.zeros(1), pa.table({"a": [1]}), None, "a"))
