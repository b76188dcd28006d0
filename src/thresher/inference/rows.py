"""Rows that one or several models scored: checked once, in one order, with weights and clusters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from thresher._internal.arguments import require_one_of
from thresher._internal.results import Result
from thresher.calibration import adjust_prevalence
from thresher.errors import ArgumentError, LengthError, argument, located, require_both_classes
from thresher.inputs import is_positive
from thresher.inputs.columns import Column, Missing, column, complete
from thresher.inputs.frames import columns_by_name
from thresher.inputs.rank import checked_weights
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, falling_order, rankable, splits_at

_NEAR = 8


@dataclass(frozen=True, slots=True, eq=False)
class ScoredRows:
    """Rows of both classes: which are positive, every model's scores, weights above 0, clusters as 0, 1, 2, ...

    `declared_mix` says that weights bring the classes to a declared mix, so that nothing varies but what is within
    classes, and `estimated_prior` that probabilities were restated for it from the prevalence of the rows, which is an
    estimate. `class_weights` are what a positive and a negative weigh where all cases of a class weigh alike.
    """

    positive: Flags
    scores: dict[str, Column]
    weight: Floats | None
    cluster: Indices | None
    dropped: int
    beside: dict[str, Column] = field(default_factory=dict)
    declared_mix: bool = False
    estimated_prior: bool = False
    class_weights: tuple[float, float] | None = None

    @property
    def counted(self) -> bool:
        """Whether rows are independent cases that weigh alike within each class, so that counts say it all."""
        return self.cluster is None and (self.weight is None or self.class_weights is not None)

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
        if self.weight is None or self.class_weights is not None:
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
        weight = weight * np.where(self.positive, *by_class)
        sides = weight[self.positive], weight[~self.positive]
        alike = all(np.ptp(side) <= 1e-12 * side.max() for side in sides)
        return replace(
            self,
            weight=weight,
            scores=scores,
            declared_mix=True,
            estimated_prior=trained_at is None,
            class_weights=_each(side.mean() for side in sides) if alike else None,
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
        scores={name: _scores(found, name) for name in scores},
        weight=weight,
        cluster=None if clusters is None else cluster_codes(found["clusters"]),
        dropped=dropped,
        beside={name: found[name] for name in beside or ()},
    )


def _scores(columns: Mapping[str, Column], model: str) -> Floats:
    with located(f"scores of {model!r}"):
        return rankable(columns[f"scores of {model!r}"])


def require_two_clusters(rows: ScoredRows) -> None:
    """Raise `ArgumentError` when clusters are given and fewer than two hold positives, or negatives."""
    if rows.cluster is None:
        return
    for name, number in zip(("positives", "negatives"), rows.cases, strict=True):
        if number < 2:
            raise ArgumentError(
                f"{number:g} of {rows.clusters:,} clusters holds {name}, and one shows no spread between clusters",
                fix=f"give rows of at least two clusters with {name}, or leave {argument('clusters')} out "
                "if rows are independent",
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


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """One class in a model's order: its items by falling score, those of one score forming a group.

    An item is what is drawn: a row, or all cases of a class that share a score. `order` is None when items
    stand in order already, `start` when every group is one item, `weight` when every case weighs 1.
    """

    order: Indices | None
    start: Indices | None
    weight: Floats | None
    segment: Indices

    def counts(self, times: Counts) -> Counts:
        """Cases (or weight) in each group when item i is drawn `times[..., i]` times."""
        ordered = times if self.order is None else times[..., self.order]
        if self.weight is not None:
            ordered = ordered * self.weight
        return ordered if self.start is None else np.add.reduceat(ordered, self.start, axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Both classes in one model's order; `score` holds the distinct scores, falling.

    `above[i]` counts the groups of negatives that score higher than the i-th group of positives, and `upto[i]`
    those that score as high or higher: one and the same array when no score is shared by both classes.
    """

    score: Floats
    pos: Side
    neg: Side
    above: Indices
    upto: Indices

    @classmethod
    def of_sides(cls, score: Floats, pos: Side, neg: Side) -> Standing:
        """Put two sides next to each other."""
        above, upto = (np.searchsorted(neg.segment, pos.segment, side=side) for side in ("left", "right"))
        return cls(score, pos, neg, upto if np.array_equal(above, upto) else above, upto)

    @classmethod
    def of_ranking(cls, ranking: Ranking) -> Standing:
        """The standing whose items are a ranking's non-empty segments, class by class."""
        pos, neg = (Side(None, None, None, np.flatnonzero(counts)) for counts in (ranking.pos, ranking.neg))
        return cls.of_sides(ranking.score, pos, neg)

    @classmethod
    def of_cases(cls, ranking: Ranking) -> Standing:
        """The standing whose items are a ranking's single cases, for questions about which of them were drawn."""
        segment = np.arange(len(ranking))
        pos, neg = (_side(None, np.repeat(segment, counts), None) for counts in (ranking.pos, ranking.neg))
        return cls.of_sides(ranking.score, pos, neg)

    @classmethod
    def of_rows(cls, positive: Flags, score: Any, weight: Floats | None) -> Standing:
        """The standing whose items are the positive and the negative rows, each numbered by row order.

        >>> found = Standing.of_rows(np.array([True, False, True]), np.array([1.0, 2.0, 3.0]), None)
        >>> found.pos.order, found.upto
        (array([1, 0]), array([0, 1]))
        """
        order, ends = falling_order(score)
        segment = np.repeat(np.arange(ends.size), np.diff(ends, prepend=0))
        is_pos = positive[order]
        number = np.where(positive, np.cumsum(positive), np.cumsum(~positive)) - 1
        sides = []
        for mine in (is_pos, ~is_pos):
            rows = order[mine]
            sides.append(_side(number[rows], segment[mine], None if weight is None else weight[rows]))
        return cls.of_sides(score[order[ends - 1]].astype(np.float64) + 0.0, *sides)

    def split(self, threshold: float) -> tuple[int, int]:
        """How many groups of positives and of negatives score at least `threshold`."""
        called = int(splits_at(self.score, threshold))
        return int(np.searchsorted(self.pos.segment, called)), int(np.searchsorted(self.neg.segment, called))


def _side(order: Indices | None, segment: Indices, weight: Floats | None) -> Side:
    first = np.ones(segment.size, dtype=np.bool_)
    np.not_equal(segment[1:], segment[:-1], out=first[1:])
    start = None if first.all() else np.flatnonzero(first)
    in_order = order is None or bool((order[1:] > order[:-1]).all())
    return Side(None if in_order else order, start, weight, segment if start is None else segment[start])


ONLY_MODEL = "model"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows(Result):
    """Labelled rows with the scores of one or more models, weights and clusters if there are any.

    What a ranking cannot answer needs these: pairs of models, clustered rows, weights that are not whole.
    Rows stand in the first model's order, so that resampling them for one model costs no more than
    resampling a ranking.

    >>> rows = Rows.of([1, 0, 1, 0], {"tree": [.9, .8, .7, .1], "logit": [.6, .2, .7, .3]})
    >>> rows
    Rows(4 rows, 2 positive; models tree, logit)
    >>> rows.ranking("logit")
    Ranking([1+][1+][1-][1-] at scores 0.7, 0.6, 0.3, 0.2)
    """

    positive: Flags
    scores: Mapping[str, Any]
    weight: Floats | None
    cluster: Indices | None
    standings: Mapping[str, Standing]
    dropped: int = 0

    @classmethod
    def of(
        cls,
        labels: Any,
        scores: Any,
        *,
        positive: Any = None,
        weights: Any = None,
        clusters: Any = None,
        missing: Missing = "raise",
    ) -> Rows:
        """Check rows and bring them into order.

        Parameters
        ----------
        labels
            Booleans, 0/1, or any two labels together with `positive`.
        scores
            One column, whose model is then called "model", a mapping from names of models to columns, or a frame
            with a column per model.
        positive
            The positive label; needed unless labels are bool or 0/1.
        weights
            One number of at least 0 per row; rows of weight 0 vanish.
        clusters
            The patient, user or batch of each row; resampling draws clusters whole.
        missing
            "raise" refuses missing values, "drop" leaves those rows out for all models alike.
        """
        models = columns_by_name(scores)
        if models is None:
            models = {ONLY_MODEL: scores}
        if not models:
            raise ArgumentError("there are no scores", "give one column of scores, or one per model")
        return cls.of_scored(
            scored_rows(labels, models, positive=positive, weights=weights, clusters=clusters, missing=missing)
        )

    @classmethod
    def of_scored(cls, rows: ScoredRows) -> Rows:
        """Bring rows that were checked already into the first model's order."""
        first = next(iter(rows.scores.values()))
        from_ranking = Standing.of_rows(rows.positive, first, None)
        order = _row_order(rows.positive, from_ranking)
        positive = rows.positive[order]
        scores = {name: column[order] for name, column in rows.scores.items()}
        weight = None if rows.weight is None else rows.weight[order]
        cluster = None if rows.cluster is None else rows.cluster[order]
        standings = {name: Standing.of_rows(positive, column, weight) for name, column in scores.items()}
        return cls(positive, scores, weight, cluster, standings, rows.dropped)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self.scores)

    @property
    def clusters(self) -> int:
        """How many clusters there are; without clusters, how many rows."""
        return len(self) if self.cluster is None else int(self.cluster.max()) + 1

    def ranking(self, model: str) -> Ranking:
        """The ranking of one model."""
        require_one_of(model, self.models, name="model")
        return Ranking.count(self.positive, self.scores[model], self.weight, dropped=self.dropped)

    def __len__(self) -> int:
        return int(self.positive.size)

    def _brief(self) -> str:
        weighted = ", weighted" if self.weight is not None else ""
        clustered = f", {self.clusters:,} clusters" if self.cluster is not None else ""
        return (
            f"{len(self):,} rows, {int(self.positive.sum()):,} positive{weighted}{clustered};"
            f" models {', '.join(self.models)}"
        )


def _row_order(positive: Flags, standing: Standing) -> Indices:
    """Rows with positives first, each class by falling score of the model that a standing was made of."""
    sides = []
    for rows, side in ((np.flatnonzero(positive), standing.pos), (np.flatnonzero(~positive), standing.neg)):
        sides.append(rows if side.order is None else rows[side.order])
    return np.concatenate(sides)
