import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thresher as th
from thresher.inputs.arrow import ABSENT, parse_text


def read(values):
    return parse_text(pa.chunked_array([pa.array(values, pa.string())]))


class TestNumbers:
    @given(st.lists(st.floats(allow_nan=False), min_size=1))
    def test_a_float_as_python_writes_it_is_that_float(self, numbers):
        actual = read([repr(number) for number in numbers])
        assert actual.astype(float).tolist() == numbers

    @given(st.lists(st.integers(-(2**80), 2**80), min_size=1))
    def test_an_integer_stays_that_integer(self, numbers):
        assert read([str(number) for number in numbers]).tolist() == numbers

    @pytest.mark.parametrize(
        ("values", "expected", "kind"),
        [
            (["1", "0"], [1, 0], "i"),
            (["-1", None], [-1, None], "O"),
            ([str(2**64 - 1), "1"], [2**64 - 1, 1], "u"),
            (["1", "0.5"], [1.0, 0.5], "f"),
            ([" 1", "0.5 "], [1.0, 0.5], "f"),
            (["1e3", "+.5"], [1000.0, 0.5], "f"),
            (["inf", "-Infinity"], [np.inf, -np.inf], "f"),
            (["9007199254740993", "0.5"], [9007199254740993, 0.5], "O"),
        ],
    )
    def test_are_read_in_one_notation(self, values, expected, kind):
        actual = read(values)
        assert (actual.tolist(), actual.dtype.kind) == (expected, kind)

    def test_a_number_beyond_float64_is_not_infinity(self):
        actual = read(["1e400", "0.5"])
        with pytest.raises(th.errors.ScoreError, match=r"1 of 2 scores do not fit a float64 exactly, first 1E\+400"):
            th.rank([1, 0], actual)

    @pytest.mark.parametrize("values", [["01", "02"], ["0x10", "1"], ["1,5", "2"], ["1 000", "2"], ["1_0", "2"], ["½"]])
    def test_what_only_resembles_one_is_a_word(self, values):
        assert read(values).tolist() == values


class TestTruth:
    def test_in_any_case(self):
        assert read(["true", "False", "TRUE"]).tolist() == [True, False, True]
        assert read(["true"]).dtype == np.bool_
        assert read(["true", None, "NA"]).tolist() == [True, None, None]

    @pytest.mark.parametrize("values", [["true", "1"], ["t", "f"], ["yes", "no"]])
    def test_nothing_else(self, values):
        assert read(values).tolist() == values


class TestGaps:
    @pytest.mark.parametrize("absent", [word for word in ABSENT if word])
    def test_among_numbers(self, absent):
        actual = read(["0.5", absent, "1"])
        assert np.isnan(actual).tolist() == [False, True, False]
        assert read([absent, "true"]).tolist() == [None, True]

    def test_among_words_they_are_words(self):
        assert read(["NL", "NA", "None", None]).tolist() == ["NL", "NA", "None", None]

    def test_only_gaps(self):
        assert read([None, None]).tolist() == [None, None]
        assert read(["NA", "NA"]).tolist() == ["NA", "NA"]
        assert read([]).size == 0
