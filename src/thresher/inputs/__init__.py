"""Anything a user passes becomes checked NumPy columns."""

from thresher.inputs.labels import classes_of, columns_positive, is_positive
from thresher.inputs.matrix import segment
from thresher.inputs.rank import rank

__all__ = ["classes_of", "columns_positive", "is_positive", "rank", "segment"]
