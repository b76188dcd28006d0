"""A smooth calibration curve by local linear regression.

The curve is lowess without its robustness iterations, as in Harrell's `val.prob` (Cleveland 1979): at every probability
a straight line is fitted to the cases nearest to it, two thirds of them, with tricube weights. Austin & Steyerberg
(2019) smooth with loess; the choice of smoother matters less than that one is named. More than 512 distinct scores are
joined into as many groups of equal size, at their mean scores.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher.ranking import Floats, Ranking, shorten

SPAN = 2 / 3
MOST_GROUPS = 512
_FLAT = 1e-12  # of a determinant, relative to its terms: the window holds one score
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Smoother:
    """Local linear regression on fixed scores and windows, for any counts."""

    score: Floats
    moments: tuple[Floats, Floats, Floats]

    @classmethod
    def of(cls, ranking: Ranking, *, span: float = SPAN) -> Smoother:
        """Windows that each hold a share of the cases, and their tricube moments."""
        x = ranking.score
        away = x[np.newaxis, :] - x[:, np.newaxis]
        order = np.argsort(np.abs(away), axis=1)
        held = np.cumsum((ranking.pos + ranking.neg)[order], axis=1)
        last = (held < span * ranking.total * (1 - _ROUNDING)).sum(axis=1)
        nearest = np.take_along_axis(np.abs(away), order, axis=1)
        width = nearest[np.arange(x.size), np.minimum(last, x.size - 1)]
        share = np.abs(away) / np.where(width > 0, width, 1.0)[:, np.newaxis]
        kernel = np.clip(1 - share**3, 0, None) ** 3
        return cls(x, (kernel, kernel * away, kernel * away**2))

    def fit(self, pos: Floats, neg: Floats) -> Floats:
        """The curve at every score; counts may have axes of replicates before the last."""
        level, first, second = self.moments
        cases = pos + neg
        s0, s1, s2 = (cases @ each.T for each in (level, first, second))
        t0, t1 = pos @ level.T, pos @ first.T
        with np.errstate(divide="ignore", invalid="ignore"):
            apart = s0 * s2 - s1 * s1
            line = np.where(apart > _FLAT * s0 * s2, (s2 * t0 - s1 * t1) / apart, t0 / s0)
        curve: Floats = np.clip(line, 0.0, 1.0)
        return curve

    def distances(self, pos: Floats, neg: Floats) -> Floats:
        """Mean (ICI), median (E50) and 90th percentile (E90) of |p - curve|."""
        return distances(self.fit(pos, neg) - self.score, pos + neg)


def distances(away: Floats, cases: Floats) -> Floats:
    """Mean (ICI), median (E50) and 90th percentile (E90) of |away| over cases."""
    away = np.where(cases > 0, np.abs(away), 0.0)  # where no case was drawn there may be no curve
    total = cases.sum(axis=-1)
    mean = (away * cases).sum(axis=-1) / total
    order = np.argsort(away, axis=-1)
    held = np.cumsum(np.take_along_axis(np.broadcast_to(cases, away.shape), order, axis=-1), axis=-1)
    rising = np.take_along_axis(away, order, axis=-1)
    quantiles = []
    for share in (0.5, 0.9):
        enough = held >= share * total[..., np.newaxis] * (1 - _ROUNDING)
        at = np.take_along_axis(rising, enough.argmax(axis=-1)[..., np.newaxis], axis=-1)[..., 0]
        quantiles.append(np.where(np.isnan(mean), np.nan, at))
    return np.stack([mean, *quantiles])


def calibration_distances(ranking: Ranking) -> tuple[float, float, float]:
    """ICI, E50 and E90 of probabilities (Austin & Steyerberg 2019)."""
    near = shorten(ranking, MOST_GROUPS, keep="even")
    ici, e50, e90 = Smoother.of(near).distances(near.pos.astype(np.float64), near.neg.astype(np.float64))
    return float(ici), float(e50), float(e90)
