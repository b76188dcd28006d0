"""Tensors of deep-learning libraries as something NumPy can read, without importing any of them."""

from __future__ import annotations

from typing import Any

import numpy as np


def without_device(values: Any) -> Any:
    """A tensor outside its graph and in main memory; anything else as it is.

    Follows the protocols instead of the libraries: `detach()` and `cpu()` of PyTorch, `get()` of arrays on a
    device, and DLPack for what has no `__array__`. A bfloat16, which NumPy lacks, fits a float32 exactly.

    >>> without_device([0.5])
    [0.5]
    """
    if callable(getattr(values, "detach", None)) and callable(getattr(values, "cpu", None)):
        tensor = values.detach().cpu()
        return tensor.float() if str(tensor.dtype).endswith("bfloat16") else tensor
    if hasattr(values, "__cuda_array_interface__") and callable(getattr(values, "get", None)):
        return values.get()
    if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
        return np.from_dlpack(values)
    return values
