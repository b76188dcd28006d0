"""`ScoredRows`: labelled rows scored by models, with weights and clusters."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import require_one_of
from thresher._internal.results import Result
from thresher.calibration import adjust_prevalence
from thresher.errors import ArgumentError, LengthError, argument, located, require_both_classes
from thresher.inputs import is_positive
from thresher.inputs.columns import Column, Missing, column, complete
from thresher.inputs.frames import columns_by_name
from thresher.inputs.rank import checked_weights
from thresher.ranking import Counts, Flags, Floats, Indices, Ranking, falling_order, rankable

ONLY_MODEL = "model"
_NEAR = 8  # clusters whose numbers span at most so many times the rows are counted, not hashed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ScoredRows(Result):
    """Labelled rows that models scored, with weights and clusters (0, 1, 2, ...).

    Questions that a ranking cannot answer need rows: pairs of models, clusters, sampling weights. Other `columns` come
    along row by row. `declared_mix` says that weights bring the classes to a declared mix, so that only the rows within
    each class vary; `estimated_prior` that probabilities were restated for it from the prevalence of the rows, which is
    an estimate. `class_weights` are what a positive and a negative weigh where all cases of a class weigh alike.

    >>> rows = ScoredRows.of([1, 0, 1, 0], {"tree": [.9, .8, .7, .1], "logit": [.6, .2, .7, .3]})
    >>> rows
    ScoredRows(4 rows, 2 positive; models tree, logit)
    >>> rows.ranking("logit")
    Ranking([1+][1+][1-][1-] at scores 0.7, 0.6, 0.3, 0.2)
    """

    positive: Flags
    scores: Mapping[str, Column]
    weight: Floats | None = None
    cluster: Indices | None = None
    dropped: int = 0
    columns: Mapping[str, Column] = field(default_factory=dict)
    declared_mix: bool = False
    estimated_prior: bool = False
    class_weights: tuple[float, float] | None = None

    @property
    def alike_within_classes(self) -> bool:
        """Whether rows are independent and weigh alike within each class."""
        return self.cluster is None and (self.weight is None or self.class_weights is not None)

    @classmethod
    def of(
        cls,
        labels: Any,
        scores: Any,
        *,
        positive: Any = None,
        weights: Any = None,
        clusters: Any = None,
        columns: Mapping[str, Any] | None = None,
        missing: Missing = "raise",
    ) -> ScoredRows:
        """Check that labels, scores, weights and clusters are rows that belong together.

        Where columns carry an index (as a pandas Series does), it must be the same.

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
            The patient, user or batch of each row; resampling draws entire clusters.
        columns
            Further columns by name; they lose the same rows.
        missing
            "raise" refuses missing values, "drop" leaves those rows out for all models alike.

        Examples
        --------
        >>> rows = ScoredRows.of([1, 0, 1], [3, 1, 2], clusters=["x", "y", "x"])
        >>> rows.cluster, rows.cases
        (array([0, 1, 0]), (1.0, 1.0))
        """
        models = columns_by_name(scores)
        if models is None:
            models = {ONLY_MODEL: scores}
        if not models:
            raise ArgumentError("there are no scores", "give one column of scores, or one per model")
        inputs = {"labels": labels} | {f"scores of {name!r}": values for name, values in models.items()}
        inputs |= {name: each for name, each in (("weights", weights), ("clusters", clusters)) if each is not None}
        inputs |= columns or {}
        if ranked := [name for name, values in inputs.items() if isinstance(values, Ranking)]:
            raise ArgumentError(
                f"{ranked[0]} is a Ranking, which no longer knows which case got which score; models scored on the same"
                " rows are compared row by row, and treating them as separate samples would hide what they share",
                fix="give the scores row by row; for rankings of different rows use"
                " compare_unpaired(ranking_a, ranking_b)",
            )
        require_same_index(inputs)
        checked, weight, dropped = complete_columns(inputs, missing=missing)
        flags = is_positive(checked["labels"], positive=positive)
        require_both_classes(int(np.count_nonzero(flags)), int(np.count_nonzero(~flags)))
        sortable = {}
        for name in models:
            with located(f"scores of {name!r}"):
                sortable[name] = rankable(checked[f"scores of {name!r}"])
        return cls(
            positive=flags,
            scores=sortable,
            weight=weight,
            cluster=None if clusters is None else cluster_codes(checked["clusters"]),
            dropped=dropped,
            columns={name: checked[name] for name in columns or ()},
        )

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self.scores)

    @property
    def simple(self) -> bool:
        """Whether the rows are a simple random sample: no weights, no clusters."""
        return self.weight is None and self.cluster is None

    @property
    def clusters(self) -> int:
        """How many clusters there are; without clusters, how many rows."""
        return len(self) if self.cluster is None else int(self.cluster.max()) + 1

    @property
    def cases(self) -> tuple[float, float]:
        """Independent positives and negatives: rows, Kish's (1965) number, or clusters."""
        sides = self.positive, ~self.positive
        if self.cluster is not None:
            of_pos, of_neg = (np.count_nonzero(np.bincount(self.cluster[side])) for side in sides)
        elif self.weight is None or self.class_weights is not None:
            of_pos, of_neg = (np.count_nonzero(side) for side in sides)
        else:
            of_pos, of_neg = (self.weight[side].sum() ** 2 / (self.weight[side] ** 2).sum() for side in sides)
        return float(of_pos), float(of_neg)

    @property
    def units(self) -> float:
        """Independent cases of both classes: rows, Kish's (1965) number, or clusters."""
        if self.weight is None or self.cluster is not None:
            return float(self.clusters)
        if self.class_weights is not None:
            (of_pos, of_neg), (pos, neg) = self.class_weights, self.cases
            return (of_pos * pos + of_neg * neg) ** 2 / (of_pos**2 * pos + of_neg**2 * neg)
        return float(self.weight.sum() ** 2 / (self.weight**2).sum())

    def ranking(self, model: str) -> Ranking:
        """The ranking of one model."""
        require_one_of(model, self.models, name="model")
        return Ranking.count(self.positive, self.scores[model], self.weight, dropped=self.dropped)

    def require_two_clusters(self) -> None:
        """Raise `ArgumentError` when fewer than two clusters hold a class."""
        if self.cluster is None:
            return
        for name, number in zip(("positives", "negatives"), self.cases, strict=True):
            if number < 2:
                raise ArgumentError(
                    f"{number:g} of {self.clusters:,} clusters holds {name}, and one shows no spread between clusters",
                    fix=f"give rows of at least two clusters with {name}, or leave {argument('clusters')} out "
                    "if rows are independent",
                )

    def at_prevalence(self, prevalence: float | None, *, trained_at: float | None = None) -> ScoredRows:
        """The rows re-weighted to a declared prevalence, probabilities restated for it.

        They were made for the prevalence of the rows unless `trained_at` says otherwise. Without a declared prevalence
        no row is re-weighted, and probabilities are restated from `trained_at` to the prevalence of the rows.

        >>> rows = ScoredRows.of([1, 0, 0, 0], {"a": [0.4, 0.25, 0.25, 0.1]}).at_prevalence(0.5)
        >>> rows.weight.round(4), rows.scores["a"].round(4)
        (array([2.    , 0.6667, 0.6667, 0.6667]), array([0.6667, 0.5   , 0.5   , 0.25  ]))
        """
        weight = np.ones(self.positive.size) if self.weight is None else self.weight
        total, of_pos = float(weight.sum()), float(weight[self.positive].sum())
        own = of_pos / total
        made_at, to = own if trained_at is None else trained_at, own if prevalence is None else prevalence
        if prevalence is None and math.isclose(made_at, own, rel_tol=1e-12):  # sums of weights depend on their order
            return self

        def restate(score: Column) -> Column:
            if made_at == to or not (score.min() >= 0 and score.max() <= 1):
                return score
            return adjust_prevalence(score, to, trained_at=made_at)

        scores = {name: restate(score) for name, score in self.scores.items()}
        if prevalence is None:
            return replace(self, scores=scores)
        of_neg = float(weight[~self.positive].sum())
        by_class = prevalence * total / of_pos, (1 - prevalence) * total / of_neg
        weight = weight * np.where(self.positive, *by_class)
        sides = weight[self.positive], weight[~self.positive]
        alike = all(np.ptp(side) <= 1e-12 * side.max() for side in sides)
        return replace(
            self,
            weight=weight,
            scores=scores,
            declared_mix=True,
            estimated_prior=trained_at is None,
            class_weights=(float(sides[0].mean()), float(sides[1].mean())) if alike else None,
        )

    def take(self, order: Indices) -> ScoredRows:
        """These rows in this order, without other columns."""
        return replace(
            self,
            positive=self.positive[order],
            scores={name: score[order] for name, score in self.scores.items()},
            weight=None if self.weight is None else self.weight[order],
            cluster=None if self.cluster is None else self.cluster[order],
            columns={},
        )

    def __len__(self) -> int:
        return int(self.positive.size)

    def _brief(self) -> str:
        weighted = ", weighted" if self.weight is not None else ""
        clustered = f", {self.clusters:,} clusters" if self.cluster is not None else ""
        rows = f"{len(self):,} rows, {int(self.positive.sum()):,} positive"
        return f"{rows}{weighted}{clustered}; models {', '.join(self.models)}"


def one_model(models: Collection[str], model: Any) -> str:
    """The model that is meant: the one named, or the only one."""
    if (isinstance(model, str) and model in models) or (model is None and len(models) == 1):
        return next(iter(models)) if model is None else model
    what = "there are several models" if model is None else f"there is no model {model!r}"
    raise ArgumentError(what, f"pass one of {', '.join(models)} as {argument('model')}")


def count_above(positive: Flags, score: npt.NDArray[Any], weights: Floats | None = None) -> Floats:
    """For each row, how many of the other class score higher, ties counting half."""
    order, ends = falling_order(score)
    is_pos = positive[order]
    if weights is None:
        kind = np.int32 if score.size < np.iinfo(np.int32).max // 2 else np.int64  # half the memory, while they fit
        pos: npt.NDArray[Any] = np.cumsum(is_pos, dtype=kind)
        neg: npt.NDArray[Any] = np.arange(1, score.size + 1, dtype=kind)
        neg -= pos
    else:
        pos, neg = np.cumsum(weights[order] * is_pos), np.cumsum(weights[order] * ~is_pos)
    if ends.size < score.size:  # half of what a segment adds is above each of its cases
        after = np.stack([pos, neg])[:, ends - 1]
        before = np.concatenate([np.zeros((2, 1), dtype=after.dtype), after[:, :-1]], axis=1)
        pos, neg = np.repeat((before + after) / 2, np.diff(ends, prepend=0), axis=1)
    above = np.empty(score.size)
    above[order] = np.where(is_pos, neg, pos)  # to the other class, a row adds nothing itself
    return above


def complete_columns(inputs: Mapping[str, Any], *, missing: Missing) -> tuple[dict[str, Column], Floats | None, int]:
    """Columns without gaps or weights of 0, the weights, and the rows dropped."""
    columns = {name: column(values, name=name) for name, values in inputs.items()}
    values, dropped = complete(columns, missing=missing)
    checked = dict(zip(columns, values, strict=True))
    weight = checked_weights(checked["weights"]) if "weights" in checked else None
    if weight is not None and not weight.all():
        present = weight > 0
        checked, weight = {name: each[present] for name, each in checked.items()}, weight[present]
    return checked, weight, dropped


def require_same_index(columns: Mapping[str, Any]) -> None:
    """Refuse columns whose row ids (pandas) differ: equal length is not yet pairing."""
    ids = {
        name: np.asarray(values.index)
        for name, values in columns.items()
        if hasattr(values, "index") and not callable(values.index)
    }
    first = next(iter(ids), "")
    for name, index in ids.items():
        if index.size == ids[first].size and not np.array_equal(index, ids[first]):
            row = int(np.flatnonzero(np.asarray(index != ids[first]))[0])
            raise LengthError(
                f"{first} and {name} carry different row ids"
                f" (first at row {row}: {ids[first][row]!s} and {index[row]!s}), so they are not paired",
                fix="align them by their index, or pass .to_numpy() if their order is right",
            )


def cluster_codes(clusters: Column) -> Indices:
    """Clusters as 0, 1, 2, ...: rising if they are integers near each other."""
    if clusters.dtype.kind in "iu" and int(clusters.max()) - int(clusters.min()) <= _NEAR * clusters.size:
        near = (clusters - clusters.min()).astype(np.intp)
        return (np.cumsum(np.bincount(near) > 0) - 1)[near]
    number: dict[Any, int] = {}
    return np.fromiter(
        (number.setdefault(cluster, len(number)) for cluster in clusters.tolist()), dtype=np.intp, count=clusters.size
    )


def cluster_sums(values: Floats, cluster: Indices, clusters: int) -> Counts:
    """Sum a matrix (models × cases) over each cluster: models × clusters."""
    return np.stack([np.bincount(cluster, weights=each, minlength=clusters) for each in values])
