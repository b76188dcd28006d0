"""Rows in, rankings out."""

from thresher.sources.arrays import rank
from thresher.sources.builder import RankingBuilder
from thresher.sources.labels import classes_of, is_positive

__all__ = ["RankingBuilder", "classes_of", "is_positive", "rank"]
