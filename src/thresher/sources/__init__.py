"""Rows in, rankings out."""

from thresher.sources.arrays import rank
from thresher.sources.builder import RankingBuilder
from thresher.sources.labels import classes_of, is_positive
from thresher.sources.progress import Progress
from thresher.sources.scan import scan, scan_by, scan_models, scan_models_by

__all__ = [
    "Progress",
    "RankingBuilder",
    "classes_of",
    "is_positive",
    "rank",
    "scan",
    "scan_by",
    "scan_models",
    "scan_models_by",
]
