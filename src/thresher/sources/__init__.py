"""Rows in, rankings out."""

from thresher.sources.arrays import rank
from thresher.sources.labels import classes_of, is_positive

__all__ = ["classes_of", "is_positive", "rank"]
