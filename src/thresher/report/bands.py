"""Bands around a model's curves, drawn so that they cost less than the evaluation did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from thresher.curves import thinned
from thresher.curves.hull import Splits, hull_splits
from thresher.evaluation import Evaluation
from thresher.inference import (
    Band,
    Rows,
    net_benefit_band,
    precision_recall_band,
    reliability_band,
    roc_band,
)
from thresher.ranking import Ranking
from thresher.report.numbers import rounded

REPLICATES = 400
MOST_SEGMENTS = 500
# Rows are drawn one by one, so that many of them are drawn less often.
MOST_ROWS_DRAWN = 40_000_000
_PERCENT = np.arange(1, 100) / 100
_DECIMALS = 5


def bands(evaluation: Evaluation, name: str) -> dict[str, Any]:
    """Pointwise bands of the ROC, precision-recall, net benefit and reliability curves; None where there is none.

    A ranking of more than 500 segments is joined into about as many first, at splits that look the same on the
    curve and at every threshold asked about; the bands of the joined ranking differ by less than a line's width.
    Weighted or clustered rows are drawn as such, whole clusters at a time; their reliability has no band, because
    a ranking no longer knows which rows belong together.
    """
    ranking = evaluation[name].ranking
    probabilities = bool(ranking.score[0] <= 1 and ranking.score[-1] >= 0)
    rows = evaluation.scored
    options: dict[str, Any] = {"level": evaluation.level, "seed": evaluation.seed}
    if rows.weight is None and rows.cluster is None:
        source: Ranking | Rows = _joined(ranking, at_percents=probabilities)
        options["replicates"] = REPLICATES
    else:
        source = Rows.of(rows.positive, {name: rows.scores[name]}, weights=rows.weight, clusters=rows.cluster)
        options["replicates"] = int(np.clip(MOST_ROWS_DRAWN // rows.positive.size, 50, REPLICATES))
    return {
        "roc": _lines(roc_band, source, options),
        "pr": _lines(precision_recall_band, source, options),
        "net_benefit": _lines(net_benefit_band, source, options) if probabilities else None,
        "reliability": (
            _lines(reliability_band, source, options) if probabilities and isinstance(source, Ranking) else None
        ),
    }


def _lines(band: Callable[..., Band], source: Ranking | Rows, options: dict[str, Any]) -> dict[str, Any]:
    found = band(source, **options)
    limits = {side: np.round(getattr(found, side), _DECIMALS).tolist() for side in ("lower", "upper")}
    return {"x": rounded(found.x)} | limits


def _joined(ranking: Ranking, *, at_percents: bool) -> Ranking:
    """Neighbouring segments joined, each run carrying its lowest score."""
    if len(ranking) <= MOST_SEGMENTS:
        return ranking
    split: Splits = thinned(ranking, points=MOST_SEGMENTS).split
    corners = hull_splits(ranking, pool="ties")
    if corners.size <= MOST_SEGMENTS:
        split = np.union1d(split, corners)
    if at_percents:
        split = np.union1d(split, len(ranking) - np.searchsorted(ranking.score[::-1], _PERCENT, side="left"))
    pos, neg = (np.add.reduceat(counts, split[:-1]) for counts in (ranking.pos, ranking.neg))
    return Ranking.of_segments(ranking.score[split[1:] - 1], pos, neg)
