"""What the hull gains by fitting noise: how far calibration loss is estimated too high, and refinement loss too low."""

from __future__ import annotations

import numpy as np

from thresher.inference.joining import joined
from thresher.ranking import Floats, Ranking

MOST_GROUPS = 512
DRAWS = 25


def miscalibration_without_noise(
    ranking: Ranking, *, worth: float = 1.0, class_weights: tuple[float, float] = (1.0, 1.0), seed: int = 0
) -> float:
    """Miscalibration less what calibrated scores would show; it may come out below 0.

    The hull fits the labels it is judged by. How much that gains is seen where it is known to be all noise: labels
    are drawn as if the scores were the true probabilities, and the hull is fitted anew. Neighbouring segments are
    joined into 512 groups at most, in the data as in the draws, so that both are fitted as closely. Each case is
    `worth` so many independent ones. `class_weights` are those that bring positives and negatives to a declared mix:
    a proportion p of weighted cases varies as p (1 - p) (p·w- + (1 - p)·w+) over their weight.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> round(miscalibration_without_noise(spam_tree), 4)
    -0.0004
    """
    few, _ = joined(ranking, most=MOST_GROUPS)
    cases = np.add(few.pos, few.neg, dtype=np.float64)
    of_pos, of_neg = class_weights
    spread = few.score * (1 - few.score) * (few.score * of_neg + (1 - few.score) * of_pos)
    error = np.sqrt(spread / (cases * worth))
    rng = np.random.default_rng(seed)
    shaken = rng.standard_normal((DRAWS, cases.size)) * error
    drawn = np.mean([_gain(few.score + each, few.score, cases) for each in shaken])
    return float(_gain(few.pos / cases, few.score, cases) - drawn)


def _gain(share: Floats, score: Floats, cases: Floats) -> float:
    """How much closer the best falling numbers come to shares of positives than the scores do, per case."""
    from scipy.optimize import isotonic_regression

    fitted = isotonic_regression(share, weights=cases, increasing=False).x
    return float(cases @ ((share - score) ** 2 - (share - fitted) ** 2)) / float(cases.sum())
