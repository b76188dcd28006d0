"""Calibration maps of pools: steps, or ramps between the pools' ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from thresher._internal.json import FieldError, fields, flag, numbers
from thresher.calibration.smoothing import Smoothing, smooth
from thresher.cautions import Caution
from thresher.curves.hull import Splits
from thresher.errors import ScoreError, argument
from thresher.ranking import Floats, Ranking

_ROUNDING = 4 * float(np.finfo(np.float64).eps)  # of a sum of weights and a division


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Knots by rising score and the probability at each, constant beyond both ends.

    As steps, a knot holds from its score up to the next one. Interpolated, probabilities run
    straight from knot to knot.

    >>> import numpy as np
    >>> Steps(np.array([0.2, 0.6]), np.array([0.1, 0.9]))(np.array([0, 0.2, 0.5, 0.6, 9]))
    array([0.1, 0.1, 0.1, 0.9, 0.9])
    """

    score: Floats
    probability: Floats
    interpolate: bool = False

    def __post_init__(self) -> None:
        self.score.flags.writeable = False
        self.probability.flags.writeable = False

    def __call__(self, scores: Floats) -> Floats:
        """The probability of each score."""
        knot = np.maximum(np.searchsorted(self.score, scores, side="right") - 1, 0)
        at_knot = self.probability[knot]
        if not self.interpolate:
            return at_knot
        after = np.minimum(knot + 1, self.score.size - 1)
        low, width = self.score[knot], self.score[after] / 2 - self.score[knot] / 2  # halves, lest they overflow
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(width > 0, (np.clip(scores, low, self.score[after]) / 2 - low / 2) / width, 0.0)
        ramp: Floats = at_knot + share * (self.probability[after] - at_knot)
        return ramp

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Steps)
            and self.interpolate == other.interpolate
            and np.array_equal(self.score, other.score)
            and np.array_equal(self.probability, other.probability)
        )

    def __hash__(self) -> int:
        return hash((self.score.size, self.interpolate))

    def to_dict(self) -> dict[str, Any]:
        """Plain data; infinite scores become the texts "inf" and "-inf"."""
        score = [number if np.isfinite(number) else str(number) for number in self.score.tolist()]
        return {"score": score, "probability": self.probability.tolist(), "interpolate": self.interpolate}

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote; a field that is not so raises `FieldError`."""
        parts = fields(value, {"score": numbers(infinite=True), "probability": numbers(0, 1), "interpolate": flag})
        score, probability = (np.array(parts[name], dtype=np.float64) for name in ("score", "probability"))
        if not (score[1:] > score[:-1]).all():
            raise FieldError("must rise from knot to knot", "score")
        if not score.size == probability.size > 0:
            raise FieldError(f'has {probability.size:,} entries, and "score" {score.size:,}', "probability")
        if parts["interpolate"] and not np.isfinite(score).all():
            raise FieldError("must be finite, since ramps run from knot to knot", "score")
        return cls(score, probability, parts["interpolate"])


def steps_over(
    ranking: Ranking, split: Splits, *, smoothing: Smoothing, interpolate: bool
) -> tuple[Steps, Ranking, tuple[Caution, ...]]:
    """Give each run of segments its (smoothed) proportion: (map, pools, cautions).

    Steps lie at the thresholds of the splits between pools, so that a score and its call never part. Ramps run
    straight from the highest score of a pool to the lowest of the next one. Either way a pool keeps its own value.
    """
    pools = Ranking.of_segments(ranking.score[split[1:] - 1], *ranking.runs(split))
    of_pools = smooth(pools, smoothing=smoothing)
    probability = _without_rounding(of_pools.probability[::-1])
    if interpolate:
        score = _ends(ranking, split)
        distinct = np.concatenate([[True], score[1:] > score[:-1]])  # a pool of one score has one end
        score, probability = score[distinct], np.repeat(probability, 2)[distinct]
    else:
        score = np.append(pools.score[-1], ranking.thresholds()[split[1:-1]][::-1])
    needed = np.concatenate([[True], np.diff(probability) != 0])  # knots that differ from the one before
    if interpolate:
        needed |= np.append(needed[1:], True)  # or from the one after
    curve = Steps(score[needed], probability[needed], interpolate)
    return curve, Ranking(of_pools.probability, pools.pos, pools.neg), of_pools.cautions


def _without_rounding(probability: Floats) -> Floats:
    """Make neighbours equal that differ in their last digits only."""
    rises = np.abs(np.diff(probability)) > _ROUNDING * probability[1:]
    first = np.concatenate([[True], rises])
    return probability[first][np.cumsum(first) - 1]


def _ends(ranking: Ranking, split: Splits) -> Floats:
    """The lowest and the highest score of each pool, rising."""
    tops = ranking.score if ranking.ranges is None else ranking.ranges.high
    if not (np.isfinite(tops[0]) and np.isfinite(ranking.score[-1])):
        fix = f"leave {argument('interpolate')} out: steps take any score"
        raise ScoreError("there is no straight line to an infinite score", fix)
    return np.stack([ranking.score[split[1:] - 1], tops[split[:-1]]], axis=-1)[::-1].ravel()
