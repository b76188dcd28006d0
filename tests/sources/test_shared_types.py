"""Types of a column in several files, joined as NumPy joins them and refused where values would change."""

import numpy as np
import pyarrow as pa
import pytest

import thresher as th
from thresher.sources.data_file import DataFile
from thresher.sources.shared_types import converted, shared_type, unlike_types

NUMBERS = [pa.bool_(), pa.int8(), pa.int64(), pa.uint8(), pa.uint64(), pa.float32(), pa.float64()]


@pytest.mark.parametrize("one", NUMBERS, ids=str)
@pytest.mark.parametrize("other", NUMBERS, ids=str)
def test_numbers_are_joined_as_numpy_joins_them(one, other):
    expected = np.concatenate([np.zeros(1, kind.to_pandas_dtype()) for kind in (one, other)]).dtype
    assert shared_type([one, other]).to_pandas_dtype() == expected


@pytest.mark.parametrize(
    "kinds",
    [
        (pa.int64(), pa.string()),
        (pa.bool_(), pa.string()),
        (pa.string(), pa.binary()),
        (pa.date32(), pa.timestamp("us")),
        (pa.timestamp("us"), pa.timestamp("ns")),
        (pa.timestamp("us"), pa.timestamp("us", "UTC")),
        (pa.decimal128(5, 2), pa.float64()),
    ],
    ids=str,
)
def test_types_that_do_not_go_together(kinds):
    assert shared_type(kinds) is None
    assert shared_type([pa.null(), *kinds]) is None


def test_types_that_go_together():
    assert shared_type([pa.null(), pa.date32()]) == pa.date32()
    assert shared_type([pa.null(), pa.null()]) == pa.null()
    assert shared_type([pa.string(), pa.dictionary(pa.int8(), pa.large_string())]) == pa.large_string()
    zones = [pa.timestamp("us", "Europe/Amsterdam"), pa.timestamp("us", "UTC")]
    assert shared_type(zones) == pa.timestamp("us", "UTC")


def test_the_error_names_two_files_that_do_not_go_together():
    files = [DataFile(name, "arrow") for name in "abcd"]
    error = unlike_types("p", [pa.null(), pa.int64(), pa.float64(), pa.string()], files)
    assert error.what == "the column 'p' is int64 in b and string in d"


LARGE = [2**53 + 1, 2**60, -(2**63), 2**63 - 1, -(2**53) - 1, 2**62 + 2**9, 2**62 + 2**10, 2**54 - 1, 2**54 - 2]


@pytest.mark.parametrize("number", LARGE)
def test_whole_numbers_become_floats_where_they_fit(number):
    values = pa.array([0, None, number], pa.int64())
    if float(number) == number:
        assert converted(values, kind=pa.float64(), name="p").to_pylist() == [0, None, number]
    else:
        with pytest.raises(th.ScoreError, match=f"1 of 3 entries of 'p' do not fit a float64 exactly, first {number}"):
            converted(values, kind=pa.float64(), name="p")


@pytest.mark.parametrize("number", [2**64 - 1, 2**63, 2**63 + 2**11, 2**63 + 1])
def test_unsigned_numbers_too(number):
    values = pa.chunked_array([pa.array([number], pa.uint64())])
    if float(number) == number:
        assert converted(values, kind=pa.float64(), name="p").to_pylist() == [number]
    else:
        with pytest.raises(th.ScoreError, match="do not fit"):
            converted(values, kind=pa.float64(), name="p")
