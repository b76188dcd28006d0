"""Tables as points of a plane: their places, front, hull, and what each dominates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thresher.choices.isometric import Plane
from thresher.curves.hull import upper_corners
from thresher.errors import ArgumentError, OneClassError
from thresher.plots.models import by_name
from thresher.ranking import Floats
from thresher.tables import Contingency

_FINE = 60  # places on a side, which is a curve in PR space


def require_points(points: Any) -> dict[str, Contingency]:
    """Tables of one split and of both classes, by name."""
    tables = by_name(points, Contingency)
    for name, table in tables.items():
        if np.ndim(table.tp):
            what = f"the table of {name!r} has {np.size(table.tp):,} splits, and a point has one"
            raise ArgumentError(what, "give the table of one, or draw the ranking with from_ranking")
        if not (table.Pos and table.Neg):
            lacking = "positives" if table.Neg else "negatives"
            raise OneClassError(f"the table of {name!r} has no {lacking}", "give tables of both classes")
    return tables


def place(table: Contingency, plane: Plane) -> tuple[float, float]:
    """Where a table lies in a plane."""
    x, y = {"coverage": ("fp", "tp"), "roc": ("fpr", "tpr"), "pr": ("recall", "precision")}[plane]
    return float(getattr(table, x)), float(getattr(table, y))


def dominated_by(table: Contingency, plane: Plane) -> tuple[Floats, Floats]:
    """The outline of all places that a table dominates."""
    corners = [(table.fpr, 0.0), (table.fpr, table.tpr), (1.0, table.tpr), (1.0, 0.0)]
    return _path(corners, table, plane)


def staircase(tables: Mapping[str, Contingency], plane: Plane) -> tuple[Floats, Floats]:
    """The border between what some table dominates and what none does."""
    ordered = sorted(tables.values(), key=lambda table: (table.fpr, -table.tpr))
    corners, height = [(ordered[0].fpr, 0.0)], 0.0
    for table in ordered:
        if table.tpr > height:
            corners += [(table.fpr, height), (table.fpr, table.tpr)]
            height = table.tpr
    return _path([*corners, (1.0, height)], ordered[0], plane)


def hull_path(tables: Mapping[str, Contingency], plane: Plane) -> tuple[Floats, Floats]:
    """The convex hull of tables in ROC space, with calling none or all positive."""
    every = sorted({(0.0, 0.0), (1.0, 1.0), *((table.fpr, table.tpr) for table in tables.values())})
    highest = dict(every)  # of each false positive rate, the highest point
    x, y = np.array(list(highest)), np.array(list(highest.values()))
    corners = upper_corners(x, y, np.arange(x.size))
    # Of several points at the false positive rate 0, the path still begins with calling nothing positive.
    path = dict.fromkeys([(0.0, 0.0), *zip(x[corners].tolist(), y[corners].tolist(), strict=True)])
    return _path(list(path), next(iter(tables.values())), plane)


def _path(corners: list[tuple[float, float]], table: Contingency, plane: Plane) -> tuple[Floats, Floats]:
    """Straight lines of ROC space in a plane, at the class mix of a table."""
    fpr, tpr = (np.array(column, dtype=np.float64) for column in zip(*corners, strict=True))
    if plane == "roc":
        return fpr, tpr
    if plane == "coverage":
        return fpr * float(table.Neg), tpr * float(table.Pos)
    at = np.linspace(0, fpr.size - 1, _FINE * (fpr.size - 1) + 1)
    fpr, tpr = (np.interp(at, np.arange(fpr.size), column) for column in (fpr, tpr))
    predicted_positive = tpr * float(table.Pos) + fpr * float(table.Neg)
    with np.errstate(invalid="ignore"):
        return tpr, np.where(predicted_positive > 0, tpr * float(table.Pos) / predicted_positive, np.nan)
