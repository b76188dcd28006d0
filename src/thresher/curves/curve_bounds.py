"""Curves between which an exact ROC curve and its hull lie, for rankings that count ranges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.curves.bounds import lower_corners_of, slack_of, upper_corners_of
from thresher.curves.hull import hull_splits, upper_corners
from thresher.ranking import Floats, Ranking, require_ranking
from thresher.results import Tabular


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveBounds(Tabular):
    """Two curves in ROC space: the exact one lies on or between them.

    Each is straight between its points. They coincide where splits are exact, but for the rounding of weights.

    >>> found = roc_bounds(Ranking.of_ranges([0.6, 0.7], [0.9, 0.8], pos=[3, 0], neg=[0, 2]))
    >>> found.lower_tpr, found.upper_tpr
    (array([0., 0., 1.]), array([0., 1., 1.]))
    """

    lower_fpr: Floats
    lower_tpr: Floats
    upper_fpr: Floats
    upper_tpr: Floats

    def _columns(self) -> Mapping[str, Any]:
        sizes = self.lower_fpr.size, self.upper_fpr.size
        return {
            "curve": np.repeat(["lower", "upper"], sizes),
            "fpr": np.concatenate([self.lower_fpr, self.upper_fpr]),
            "tpr": np.concatenate([self.lower_tpr, self.upper_tpr]),
        }


def roc_bounds(ranking: Ranking) -> CurveBounds:
    """The lowest and the highest ROC curve that a ranking allows.

    Inside an unresolved segment the highest takes all positives first, the lowest all negatives.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> found = roc_bounds(bounded)
    >>> found.upper_fpr.round(2), found.upper_tpr
    (array([0.  , 0.  , 0.33, 0.33, 1.  ]), array([0. , 0.6, 0.6, 1. , 1. ]))
    """
    require_ranking(ranking, both_classes=True)
    return _rates(ranking, lower_corners_of(ranking), upper_corners_of(ranking))


def hull_bounds(ranking: Ranking) -> CurveBounds:
    """The curves between which the hull of the exact ROC curve lies.

    The lower one is the hull of the splits that are known, the upper one the hull of the highest curve.
    They are equal wherever the corners of the hull are certain, and so is the choice of a threshold there.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> found = hull_bounds(bounded)
    >>> found.lower_tpr, found.upper_tpr
    (array([0. , 0.6, 1. ]), array([0. , 0.6, 1. , 1. ]))
    """
    require_ranking(ranking, both_classes=True)
    corner = hull_splits(ranking, pool="ties")
    tp, fp = (covered[corner].astype(np.float64) for covered in ranking.covered())
    if ranking.spans is None or ranking.spans.corners:
        return _rates(ranking, (fp, tp), (fp, tp))
    x, y = _distinct(*upper_corners_of(ranking))
    top = upper_corners(x, y, np.arange(x.size))
    return _rates(ranking, (fp, tp), (x[top], y[top]))


def _distinct(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Points that differ from the one before: weights may vanish beside others, and of equal points none turns."""
    moves = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    return x[moves], y[moves]


def _rates(ranking: Ranking, lower: tuple[Floats, Floats], upper: tuple[Floats, Floats]) -> CurveBounds:
    slack = slack_of(ranking) if ranking.weighted and ranking.spans is not None else 0.0
    columns = (*_shares(ranking, lower, slack), *_shares(ranking, upper, -slack))
    for column in columns:
        column.flags.writeable = False
    return CurveBounds(*columns)


def _shares(ranking: Ranking, curve: tuple[Floats, Floats], slack: float) -> tuple[Floats, Floats]:
    """A curve of (fp, tp) as rates, moved to the right and down by a share of themselves, or to the left and up.

    Whatever rounding did, every curve ends at (1, 1); one that was moved gets there by a point of its own.
    """
    fpr, tpr = curve[0] / ranking.Neg, curve[1] / ranking.Pos
    if not slack:
        return fpr, tpr
    return (
        np.append(np.clip(fpr * (1 + slack), 0.0, 1.0), 1.0),
        np.append(np.clip(tpr * (1 - slack), 0.0, 1.0), 1.0),
    )
