"""Labels drawn from the scores, as if those were the true probabilities: the null hypothesis of calibration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from thresher.errors import WeightError
from thresher.ranking import Counts, Ranking


def labels_drawn(ranking: Ranking) -> Callable[[np.random.Generator], tuple[Counts, Counts]]:
    """A way to draw positives and negatives per segment, each case positive with the probability of its score.

    >>> draw = labels_drawn(Ranking([1, 0.5, 0], [5, 10, 0], [0, 10, 7]))
    >>> pos, neg = draw(np.random.default_rng(0))
    >>> pos[[0, 2]].tolist(), (pos + neg).tolist()
    ([5, 0], [5, 20, 7])
    """
    ranking.require_probabilities()
    cases = ranking.pos + ranking.neg
    if ranking.weighted and np.mod(cases, 1).any():
        raise WeightError(
            "weights that are not whole do not say how many labels there were to draw", "rank without weights"
        )
    whole, score = cases.astype(np.int64), ranking.score
    if int(whole.max()) == 1:  # comparing is faster than a binomial each

        def single(rng: np.random.Generator) -> tuple[Counts, Counts]:
            pos = (rng.random(whole.size) < score).astype(np.int64)
            return pos, 1 - pos

        return single

    def several(rng: np.random.Generator) -> tuple[Counts, Counts]:
        pos = rng.binomial(whole, score)
        return pos, whole - pos

    return several
