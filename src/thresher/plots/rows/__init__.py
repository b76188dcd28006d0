"""Rows in pictures: columns, correlations, boundaries, scatter, components, folds."""

from thresher.plots.rows.boundary import BoundaryDisplay
from thresher.plots.rows.columns import ColumnsDisplay
from thresher.plots.rows.correlation import CorrelationDisplay, redundant_pairs
from thresher.plots.rows.folds import FoldsDisplay
from thresher.plots.rows.scatter import ComponentsDisplay, ScatterDisplay

__all__ = [
    "BoundaryDisplay",
    "ColumnsDisplay",
    "ComponentsDisplay",
    "CorrelationDisplay",
    "FoldsDisplay",
    "ScatterDisplay",
    "redundant_pairs",
]
