"""Rows that several models scored: checked once, in one order, with weights and clusters if there are any."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from thresher.calibration import adjust_prevalence
from thresher.errors import ArgumentError, LengthError, require_both_classes
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, rankable
from thresher.sources import is_positive
from thresher.sources.arrays import checked_weights
from thresher.sources.columns import Column, Missing, column, complete

_NEAR = 8


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Rows of both classes: which are positive, every model's scores, weights above 0, clusters as 0, 1, 2, ...

    `declared_mix` says that weights bring the classes to a declared mix, so that nothing varies but what is within
    classes, and `estimated_prior` that probabilities were restated for it from the prevalence of the rows, which is an
    estimate.
    """

    positive: Flags
    scores: dict[str, Column]
    weight: Floats | None
    cluster: Indices | None
    dropped: int
    beside: dict[str, Column] = field(default_factory=dict)
    declared_mix: bool = False
    estimated_prior: bool = False

    @property
    def clusters(self) -> int:
        """How many clusters there are; without clusters, how many rows."""
        return self.positive.size if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def cases(self) -> tuple[float, float]:
        """Independent positives and negatives: rows, Kish's (1965) effective rows of weights, or clusters."""
        sides = self.positive, ~self.positive
        if self.cluster is not None:
            return _each(np.count_nonzero(np.bincount(self.cluster[side])) for side in sides)
        if self.weight is None:
            return _each(np.count_nonzero(side) for side in sides)
        return _each(self.weight[side].sum() ** 2 / (self.weight[side] ** 2).sum() for side in sides)

    def at_prevalence(self, prevalence: float | None, *, trained_at: float | None = None) -> ScoredRows:
        """The rows re-weighted to a declared prevalence, and scores that are probabilities restated for it.

        They are taken to be made for the prevalence of the rows, unless `trained_at` says otherwise. Without a declared
        prevalence no row is re-weighted, and probabilities are restated from `trained_at` to the prevalence of the
        rows.

        >>> rows = scored_rows([1, 0, 0, 0], {"a": [0.4, 0.25, 0.25, 0.1]}).at_prevalence(0.5)
        >>> rows.weight.round(4), rows.scores["a"].round(4)
        (array([2.    , 0.6667, 0.6667, 0.6667]), array([0.6667, 0.5   , 0.5   , 0.25  ]))
        """
        weight = np.ones(self.positive.size) if self.weight is None else self.weight
        total, of_pos = float(weight.sum()), float(weight[self.positive].sum())
        own = of_pos / total
        made_at, to = own if trained_at is None else trained_at, own if prevalence is None else prevalence
        if prevalence is None and math.isclose(made_at, own, rel_tol=1e-12):  # sums of weights depend on their order
            return self

        def restated(score: Column) -> Column:
            if made_at == to or not (score.min() >= 0 and score.max() <= 1):
                return score
            return adjust_prevalence(score, to, trained_at=made_at)

        scores = {name: restated(score) for name, score in self.scores.items()}
        if prevalence is None:
            return replace(self, scores=scores)
        by_class = prevalence * total / of_pos, (1 - prevalence) * total / (total - of_pos)
        return replace(
            self,
            weight=weight * np.where(self.positive, *by_class),
            scores=scores,
            declared_mix=True,
            estimated_prior=trained_at is None,
        )


def scored_rows(
    labels: Any,
    scores: Mapping[str, Any],
    *,
    positive: Any = None,
    weights: Any = None,
    clusters: Any = None,
    beside: Mapping[str, Any] | None = None,
    missing: Missing = "raise",
) -> ScoredRows:
    """Check that labels, every model's scores, weights and clusters are rows that belong together.

    Rows of weight 0 vanish. Columns `beside` come along row by row. Where columns carry an index (as a
    pandas Series does), it must be the same.

    >>> rows = scored_rows([1, 0, 1], {"a": [3, 1, 2]}, clusters=["x", "y", "x"])
    >>> rows.cluster, rows.cases
    (array([0, 1, 0]), (1.0, 1.0))
    """
    given = {"labels": labels} | {f"scores of {name!r}": values for name, values in scores.items()}
    given |= {} if weights is None else {"weights": weights}
    given |= {} if clusters is None else {"clusters": clusters}
    given |= {} if beside is None else beside
    for name, values in given.items():
        _require_rows(values, name)
    require_same_index(given)
    columns = {name: column(values, name=name) for name, values in given.items()}
    kept, dropped = complete(columns, missing=missing)
    found = dict(zip(columns, kept, strict=True))
    weight = None if weights is None else checked_weights(found["weights"])
    if weight is not None and not weight.all():
        present = weight > 0
        found, weight = {name: values[present] for name, values in found.items()}, weight[present]
    flags = is_positive(found["labels"], positive=positive)
    require_both_classes(int(np.count_nonzero(flags)), int(np.count_nonzero(~flags)))
    return ScoredRows(
        positive=flags,
        scores={name: rankable(found[f"scores of {name!r}"]) for name in scores},
        weight=weight,
        cluster=None if clusters is None else cluster_codes(found["clusters"]),
        dropped=dropped,
        beside={name: found[name] for name in beside or ()},
    )


def require_two_clusters(rows: ScoredRows) -> None:
    """Raise `ArgumentError` when clusters are given and fewer than two hold positives, or negatives."""
    if rows.cluster is None:
        return
    for name, number in zip(("positives", "negatives"), rows.cases, strict=True):
        if number < 2:
            raise ArgumentError(
                f"{number:g} of {rows.clusters:,} clusters holds {name}, and one shows no spread between clusters",
                fix=f"give rows of at least two clusters with {name}, or leave clusters out if rows are independent",
            )


def _require_rows(values: Any, name: str) -> None:
    if isinstance(values, Ranking):
        raise ArgumentError(
            f"{name} is a Ranking, which no longer knows which case got which score; models scored on the same"
            " rows are compared row by row, and treating them as separate samples would hide what they share",
            fix="give the scores row by row; for rankings of different rows use compare_unpaired(ranking_a, ranking_b)",
        )


def require_same_index(given: Mapping[str, Any]) -> None:
    """Columns with row ids of their own (pandas) must agree on them: equal length is not yet pairing."""
    first: tuple[str, Any] | None = None
    for name, values in given.items():
        index = getattr(values, "index", None)
        if index is None or callable(index):
            continue
        ids = np.asarray(index)
        if first is None:
            first = name, ids
        elif ids.size == first[1].size and not np.array_equal(ids, first[1]):
            row = int(np.flatnonzero(np.asarray(ids != first[1]))[0])
            raise LengthError(
                f"{first[0]} and {name} carry different row ids"
                f" (first at row {row}: {first[1][row]!s} and {ids[row]!s}), so they are not paired",
                fix="align them by their index, or pass .to_numpy() if their order is right",
            )


def cluster_codes(clusters: Column) -> Indices:
    """Clusters as 0, 1, 2, ...: in their own order if they are whole numbers near each other, else as they appear."""
    if clusters.dtype.kind in "iu" and int(clusters.max()) - int(clusters.min()) <= _NEAR * clusters.size:
        near = (clusters - clusters.min()).astype(np.intp)
        return (np.cumsum(np.bincount(near) > 0) - 1)[near]
    number: dict[Any, int] = {}
    return np.fromiter(
        (number.setdefault(cluster, len(number)) for cluster in clusters.tolist()), dtype=np.intp, count=clusters.size
    )


def _each(counts: Any) -> tuple[float, float]:
    of_pos, of_neg = (float(count) for count in counts)
    return of_pos, of_neg


def cluster_sums(values: Floats, cluster: Indices, clusters: int) -> Counts:
    """The sum over each cluster of every row of a matrix (models × cases): models × clusters."""
    return np.stack([np.bincount(cluster, weights=each, minlength=clusters) for each in values])
