"""Every threshold: coverage and ROC curves, the hull, areas and pairs."""

from thresher.curves.area import Pairs, auc, pairs, pairs_grid, partial_auc, placements, ranking_error
from thresher.curves.coverage import Coverage, coverage, roc
from thresher.curves.hull import hull, hull_splits

__all__ = [
    "Coverage",
    "Pairs",
    "auc",
    "coverage",
    "hull",
    "hull_splits",
    "pairs",
    "pairs_grid",
    "partial_auc",
    "placements",
    "ranking_error",
    "roc",
]
