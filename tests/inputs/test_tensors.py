import numpy as np
import pytest

import thresher as th
from tests.sources.test_builder import Tensor
from thresher.inputs.columns import without_device


class OnDevice:
    """Like an array of CuPy: its numbers must be fetched."""

    __cuda_array_interface__ = None

    def __array__(self, dtype=None, copy=None):
        raise TypeError("implicit conversion to a NumPy array is not allowed")

    def get(self):
        return np.array([0.5, 0.25])


class OnlyDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("scores", [Tensor([0.5, 0.25]), OnDevice(), OnlyDLPack(np.array([0.5, 0.25]))], ids=type)
def test_tensors_of_every_protocol_are_ranked(scores):
    assert th.rank([1, 0], scores) == th.rank([1, 0], [0.5, 0.25])


def test_a_tensor_in_main_memory_is_not_copied():
    array = np.array([0.5, 0.25])
    assert np.shares_memory(np.asarray(without_device(Tensor(array))), array)
    assert np.shares_memory(without_device(OnlyDLPack(array)), array)


@pytest.mark.parametrize("values", [[1, 2], np.zeros(2), None, "text", {"get": 1}])
def test_anything_else_is_left_alone(values):
    assert without_device(values) is values
