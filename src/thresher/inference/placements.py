"""Placement values row by row, and how the AUCs of several models on the same rows vary together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher.inference.auc import moderated_interval
from thresher.inference.interval import LOGIT, Interval, require_level, student_quantile
from thresher.inference.scored_rows import ScoredRows, cluster_sums, require_two_clusters, scored_rows
from thresher.ranking import Floats, beating, side_by_side
from thresher.sources.columns import Missing

Matrix: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AucCovariance:
    """AUCs of several models on the same rows, and how they vary together.

    `of_pos` and `of_neg` are what sampling positives and sampling negatives contribute; `shared` is what
    both contribute together when clusters hold rows of both classes, otherwise 0. `cases` are the independent
    positives and negatives: rows, effective rows of weights, or clusters.
    """

    areas: Floats
    of_pos: Matrix
    of_neg: Matrix
    shared: Matrix
    cases: tuple[float, float]

    @property
    def whole(self) -> Matrix:
        """The covariance of the AUCs, models × models."""
        return self.of_pos + self.of_neg + self.shared


def row_auc_interval(
    labels: Any,
    scores: Any,
    *,
    positive: Any = None,
    weights: Any = None,
    clusters: Any = None,
    level: float = 0.95,
    missing: Missing = "raise",
) -> Interval:
    """The interval for an AUC from rows, with sampling weights or clusters.

    That is what a ranking cannot know. Without either it is `auc_interval(rank(labels, scores))`. `weights` are
    sampling weights: a weight of 2 says that a row stands for two of the population, not that two were seen, so
    scaling all of them changes nothing and uneven ones widen the interval. `clusters` names for each row the
    patient, user or batch it comes from: rows of one cluster may be alike, and only clusters count as
    independent (Obuchowski 1997). Limits are moderated as in `auc_interval`; with clusters they are those of
    Student's t with as many degrees of freedom as clusters hold the scarcer class, less one, if these are
    wider.

    >>> labels, scores = [1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13]
    >>> print(row_auc_interval(labels, scores))
    0.7500 [0.3040, 0.9537]
    >>> print(row_auc_interval(labels * 2, scores * 2))  # every e-mail twice, as if they were twenty
    0.7500 [0.4509, 0.9164]
    >>> print(row_auc_interval(labels * 2, scores * 2, clusters=[*range(10)] * 2))
    0.7500 [0.1169, 0.9855]
    """
    require_level(level)
    rows = scored_rows(
        labels, {"scores": scores}, positive=positive, weights=weights, clusters=clusters, missing=missing
    )
    require_two_clusters(rows)
    spread = auc_covariance(rows)
    area, parts = float(spread.areas[0]), (float(spread.of_pos[0, 0]), float(spread.of_neg[0, 0]))
    cases = rows.cases
    if rows.cluster is None:
        method = "delong" if weights is None else "delong, weighted"
        return moderated_interval(area, parts, cases, level, method=method)
    variance = float(spread.whole[0, 0])
    scale = variance / sum(parts) if sum(parts) > 0 else 1.0
    independent = ScoredRows(rows.positive, rows.scores, rows.weight, None, rows.dropped)
    of_rows = float(auc_covariance(independent).whole[0, 0])
    found = moderated_interval(
        area,
        (parts[0] * scale, parts[1] * scale),
        cases,
        level,
        method="obuchowski",
        rows=independent.cases,
        inflation=max(1.0, variance / of_rows) if of_rows > 0 else 1.0,
    )
    if found.method != "obuchowski":
        return found
    lower, upper = LOGIT.limits(area, student_quantile(level, min(cases) - 1) * math.sqrt(variance))
    return replace(found, lower=min(lower, found.lower), upper=max(upper, found.upper))


def auc_covariance(rows: ScoredRows) -> AucCovariance:
    """DeLong's covariance of all models' AUCs; weighted by influence, clustered after Obuchowski.

    A row's placement V is the weighted share of the other class that it beats, or that beats it. With
    weights w of sum W over n rows of a class, that class contributes n / (n - 1) · Σ w² (V - θ)(V' - θ') / W²:
    DeLong, DeLong & Clarke-Pearson (1988) when weights are equal. With clusters, sums over
    a cluster take the place of rows and I clusters that of n, and positives and negatives of
    one cluster vary together (Obuchowski 1997: S10, S01 and S11).
    """
    sides = rows.positive, ~rows.positive
    weight = [None if rows.weight is None else rows.weight[side] for side in sides]
    total = [
        float(np.count_nonzero(side)) if w is None else float(w.sum()) for side, w in zip(sides, weight, strict=True)
    ]
    beaten, beating_it = _placements(rows, total)
    areas = np.array([_mean(each, weight[0], total[0]) for each in beaten])
    influence = []
    for values, w, whole in zip((beaten, beating_it), weight, total, strict=True):
        away = values - areas[:, np.newaxis]
        away *= 1 / whole if w is None else w / whole
        influence.append(away)
    if rows.cluster is None:
        of_pos, of_neg = (_spread(away, away.shape[1]) for away in influence)
        return AucCovariance(areas, of_pos, of_neg, np.zeros_like(of_pos), rows.cases)
    clusters = rows.clusters
    of_pos, of_neg = (
        cluster_sums(away, rows.cluster[side], clusters) for away, side in zip(influence, sides, strict=True)
    )
    crossed = of_pos @ of_neg.T * _factor(clusters)
    with_pos, with_neg = rows.cases
    return AucCovariance(areas, _spread(of_pos, with_pos), _spread(of_neg, with_neg), crossed + crossed.T, rows.cases)


def _placements(rows: ScoredRows, total: Sequence[float]) -> tuple[Matrix, Matrix]:
    """For each model, the share of negatives each positive beats and of positives that beat each negative."""
    columns, negative = list(rows.scores.values()), ~rows.positive
    of_pos = np.empty((len(columns), int(np.count_nonzero(rows.positive))))
    of_neg = np.empty((len(columns), rows.positive.size - of_pos.shape[1]))

    def fill(at: int) -> None:
        above = beating(rows.positive, columns[at], rows.weight)
        np.compress(rows.positive, above, out=of_pos[at])
        np.compress(negative, above, out=of_neg[at])
        of_pos[at] /= -total[1]
        of_pos[at] += 1
        of_neg[at] /= total[0]

    side_by_side(fill, range(len(columns)), rows.positive.size * len(columns))
    return of_pos, of_neg


def _mean(values: Floats, weight: Floats | None, total: float) -> float:
    return float(np.clip((values.sum() if weight is None else values @ weight) / total, 0.0, 1.0))


def _spread(influence: Matrix, units: float) -> Matrix:
    return influence @ influence.T * _factor(units)


def _factor(units: float) -> float:
    return units / (units - 1) if units > 1 else math.nan
