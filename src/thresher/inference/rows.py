"""`Rows`: the same rows scored by one or several models, with every model's order prepared once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.errors import ArgumentError
from thresher.inference.kinds import require_one_of
from thresher.inference.scored_rows import ScoredRows, scored_rows
from thresher.inference.standing import Standing
from thresher.ranking import Flags, Floats, Indices, Ranking, counted, counted_weights
from thresher.results import Result
from thresher.sources.columns import Missing
from thresher.sources.frames import columns_by_name

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
        require_one_of(model, self.models, "model")
        if self.weight is None:
            return Ranking.of_segments(*counted(self.positive, self.scores[model]), dropped=self.dropped)
        counts = counted_weights(self.positive, self.scores[model], self.weight)
        return Ranking.of_segments(*counts, dropped=self.dropped)

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
