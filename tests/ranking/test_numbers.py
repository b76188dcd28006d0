import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from thresher.ranking import as_number, as_numbers


@pytest.mark.parametrize("given", [0.5, np.float32(0.5), np.array(0.5), Fraction(1, 2), Decimal("0.5")])
def test_one_number_of_any_kind(given):
    assert as_number(given) == 0.5


@pytest.mark.parametrize(
    "given", [None, "0.5", b"0.5", 1j, np.str_("0.5"), [0.5], np.array([0.5]), {}, object(), 10**400, math.nan]
)
def test_what_is_no_number_lies_within_no_limits(given):
    assert not -math.inf <= as_number(given) <= math.inf


def test_numbers_keep_their_shape_and_infinities():
    assert as_numbers([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    assert as_numbers([-math.inf, True]).tolist() == [-math.inf, 1]
    assert as_numbers([]).shape == (0,)
    mixed = as_numbers(np.array([[1, "1"], [None, Fraction(1, 4)]], dtype=object))
    assert np.array_equal(mixed, [[1, math.nan], [math.nan, 0.25]], equal_nan=True)
