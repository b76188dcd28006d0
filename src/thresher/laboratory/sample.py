"""`Sample`: labelled rows drawn from a world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from thresher._internal.arguments import require_integer, require_seed
from thresher._internal.results import Tabular
from thresher.errors import ArgumentError
from thresher.inference import ScoredRows
from thresher.inputs.rank import rank
from thresher.ranking import Floats, Indices, Ranking

Seed: TypeAlias = int | np.random.Generator


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Sample(Tabular):
    """Labels and rows drawn from a world; equal seeds give equal rows.

    `labels` are 0, 1, ...; of two classes 1 is positive. `X` has a row per case and a column per feature; `scores` are
    what a model makes of the rows, where the world has one. `weights` make up for rows that were drawn more readily
    than others, and rows of one of the `clusters` vary together.

    >>> from thresher.laboratory import Scores
    >>> Scores.of_auc(0.8, prevalence=0.1).sample(1000, seed=1)
    Sample(1,000 rows)
    """

    labels: Indices
    X: Floats
    scores: Floats | None = None
    weights: Floats | None = None
    clusters: Indices | None = None

    def __post_init__(self) -> None:
        for column in (self.labels, self.X, self.scores, self.weights, self.clusters):
            if column is not None:
                column.flags.writeable = False

    def __len__(self) -> int:
        return self.labels.size

    @property
    def rows(self) -> ScoredRows:
        """The scored rows, with weights and clusters."""
        return ScoredRows.of(self.labels, self._scores(), weights=self.weights, clusters=self.clusters)

    @property
    def ranking(self) -> Ranking:
        """The rows counted by score; weights are counted too, and clusters are not."""
        return rank(self.labels, self._scores(), weights=self.weights)

    def _scores(self) -> Floats:
        if self.scores is None:
            what = f"these rows have {self.X.shape[1]} features and no score"
            raise ArgumentError(what, "score them first, e.g. sample.X @ direction")
        return self.scores

    def _columns(self) -> dict[str, Any]:
        features = {f"x{i}": column for i, column in enumerate(self.X.T)}
        others = {"score": self.scores, "weight": self.weights, "cluster": self.clusters}
        return {"label": self.labels} | features | {name: each for name, each in others.items() if each is not None}

    def _brief(self) -> str:
        return f"{len(self):,} rows"


class World(Protocol):
    """Anything that rows can be drawn from."""

    def sample(self, n: int, seed: Seed = 0) -> Sample:
        """So many rows."""


def random_generator(n: Any, seed: Seed) -> tuple[int, np.random.Generator]:
    """How many rows to draw, and what to draw them with."""
    size = require_integer(n, name="n", least=1, most=10**8, fix="say how many rows to draw, e.g. 1000")
    if isinstance(seed, np.random.Generator):
        return size, seed
    return size, np.random.default_rng(require_seed(seed))
