"""Certified bounds for rankings that count ranges of scores.

Splits between segments are exact. Inside an unresolved segment the curve climbs from one exact point to the next
without stepping back, so it stays in the rectangle between them, and every bound here is the worst that such a
curve can do. Floating-point rounding is allowed for outwards. For an exact ranking both bounds are the value itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._internal.results import Result, Tabular
from thresher.curves.area import auc
from thresher.curves.gain import ks
from thresher.curves.hull import hull_splits, upper_corners
from thresher.curves.precision_recall import average_precision, pr_area, segment_areas
from thresher.ranking import MOST_CASES, Counts, Flags, Floats, Ranking, require_ranking, splits_at
from thresher.tables import Contingency, contingency_at

_FITS_INT64 = 2**61
_ULPS = 2.0**-46
_TIED = 1e-12  # of the largest value: `choose` lets weights tie within it


@dataclass(frozen=True, slots=True, repr=False)
class Bounds(Result):
    """The numbers between which an exact value lies; equal where it is known.

    >>> Bounds(0.25, 0.5), Bounds(0.25, 0.5).width, 0.3 in Bounds(0.25, 0.5)
    (Bounds(lower=0.25, upper=0.5), 0.25, True)
    >>> lower, upper = Bounds(0.25, 0.5)
    >>> lower
    0.25
    """

    lower: float
    upper: float

    def _brief(self) -> str:
        return f"lower={self.lower!r}, upper={self.upper!r}"  # certified, so every digit counts

    @property
    def width(self) -> float:
        """How much is left open."""
        return 0.0 if self.lower == self.upper else self.upper - self.lower

    def __contains__(self, value: float) -> bool:
        return self.lower <= value <= self.upper

    def __iter__(self) -> Iterator[float]:
        return iter((self.lower, self.upper))


def auc_bounds(ranking: Ranking) -> Bounds:
    """The smallest and the largest AUC that the ranking allows.

    Pairs in different segments are certain; those inside an unresolved one may all be lost or all be won.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> auc_bounds(bounded)
    Bounds(lower=0.39..., upper=0.86...)
    >>> auc_bounds(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    Bounds(lower=0.71, upper=0.71)
    """
    require_ranking(ranking, both_classes=True)
    if ranking.ranges is None:
        return certain(auc(ranking))
    pos, neg = ranking.pos, ranking.neg
    _, fp = ranking.covered()
    if not ranking.weighted and 2 * ranking.Pos * ranking.Neg >= _FITS_INT64:
        pos, neg, fp = (counts.astype(object) for counts in (pos, neg, fp))
    least, most = ranking.ranges.inner_pairs(pos, neg)
    sure, pairs = 2 * np.dot(pos, ranking.Neg - fp[1:]), 2 * ranking.Pos * ranking.Neg
    low, high = sure + least.sum(), sure + most.sum()
    if ranking.weighted:  # where nothing is open, sums of weights still round
        return outward(ranking, float(low / pairs), float(high / pairs), 0.0, 1.0)
    if low == high:
        return certain(auc(ranking))
    return Bounds(_round(Fraction(int(low), pairs), -math.inf), _round(Fraction(int(high), pairs), math.inf))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TableBounds(Result):
    """The tables with the fewest and the most called positive at a threshold.

    `least` has the smallest tp and fp, `most` the largest. They are equal where the threshold splits no segment; cells
    of weights also allow for rounding, and so may add up to a little more or less than the ranking's totals.
    """

    least: Contingency
    most: Contingency


def table_bounds(ranking: Ranking, threshold: npt.ArrayLike) -> TableBounds:
    """Tables between which that at a threshold lies, or at each of an array.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> bounds = table_bounds(bounded, [0.5, 0.7])
    >>> bounds.least.tp, bounds.most.tp
    (array([3, 1]), array([3, 2]))
    """
    require_ranking(ranking)
    if ranking.ranges is None:
        table = contingency_at(ranking, threshold)
        return TableBounds(table, table)
    contingency_at(ranking, threshold)  # what is no threshold is refused there
    at = np.asarray(threshold, dtype=np.float64)
    touched = splits_at(ranking.ranges.high, at)  # segments with a score of at least t
    inside = splits_at(ranking.score, at)  # segments that lie above t
    last = np.maximum(touched - 1, 0)
    cut = touched > inside
    classes = zip(
        (ranking.pos, ranking.neg),
        ranking.covered(),
        (ranking.Pos, ranking.Neg),
        (ranking.ranges.ends[:2], ranking.ranges.ends[2:]),
        strict=True,
    )
    slack = slack_of(ranking)
    one = 0 if ranking.weighted else 1  # case on either side of a threshold within a segment, as both its ends occur
    least, most = list[Counts](), list[Counts]()
    for counts, covered, total, (low, high) in classes:
        of_cut = counts[last]
        for cells, within, shift in ((least, one, -slack), (most, of_cut - one, slack)):
            with np.errstate(invalid="ignore"):  # a class that is absent has no ends
                above = np.where(at <= low[last], of_cut, np.where(at > high[last], 0, within))
            count = covered[inside] + np.where(cut & (of_cut > 0), above, 0).astype(counts.dtype)
            rest = total - count
            if ranking.weighted:
                count = np.clip(count * (1 + shift), 0.0, MOST_CASES)
                rest = np.clip(total * (1 - shift) - count, 0.0, MOST_CASES)
            cells += [count, rest]
    return TableBounds(Contingency(*least), Contingency(*most))


def ks_bounds(ranking: Ranking) -> Bounds:
    """Bounds of the Kolmogorov-Smirnov distance, the largest |tpr - fpr|.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> ks_bounds(bounded)
    Bounds(lower=0.26..., upper=0.66...)
    """
    require_ranking(ranking, both_classes=True)
    if ranking.ranges is None:
        return certain(ks(ranking).statistic)
    tp, fp = (covered.astype(np.float64) for covered in ranking.covered())
    reached = np.abs(tp / ranking.Pos - fp / ranking.Neg).max()
    x, y = extreme_curve(ranking, highest=False)
    furthest = (x / ranking.Neg - y / ranking.Pos).max()
    if not ranking.ranges.corners:  # else the highest point above the diagonal is known, a corner of the hull
        x, y = extreme_curve(ranking, highest=True)
        furthest = max(furthest, (y / ranking.Pos - x / ranking.Neg).max())
    if furthest < reached - _ULPS and not ranking.weighted:
        return certain(ks(ranking).statistic)
    return outward(ranking, float(reached), float(max(reached, furthest)), 0.0, 1.0)


def certain(value: float) -> Bounds:
    """Bounds of a value that is known."""
    return Bounds(value, value)


def outward(ranking: Ranking, lower: float, upper: float, least: float, most: float, *, scale: float = 1.0) -> Bounds:
    """Bounds moved apart by what rounding may have done, but not past least and most."""
    slack = slack_of(ranking) * scale
    return Bounds(max(least, lower - slack), min(most, upper + slack))


def slack_of(ranking: Ranking) -> float:
    """How far rounding may carry a share, or a sum of weights relative to itself.

    Sums of the same weights differ by the order in which they were added, here and where rows themselves are ranked.
    """
    if not ranking.weighted or ranking.ranges is None:
        return _ULPS
    return _ULPS + 8 * ranking.ranges.rounding + len(ranking) * 2.0**-50


def extreme_curve(ranking: Ranking, *, highest: bool) -> tuple[Floats, Floats]:
    """The points (fp, tp) of the highest or the lowest curve that a ranking allows.

    Inside an open segment all positives come first, or all negatives.
    """
    tp, fp = (covered.astype(np.float64) for covered in ranking.covered())
    if ranking.ranges is None:
        return fp, tp
    at = np.flatnonzero(ranking.ranges.mixed)
    x, y = (fp[at], tp[at + 1]) if highest else (fp[at + 1], tp[at])
    return np.insert(fp, at + 1, x), np.insert(tp, at + 1, y)


def _round(share: Fraction, toward: float) -> float:
    """A share of pairs as a float: itself, or if no float is, the next one on a side."""
    near = float(share)
    return near if Fraction(near) == share else min(max(math.nextafter(near, toward), 0.0), 1.0)


def may_hide_better(ranking: Ranking, slope: float) -> Flags:
    """Segments that may hide a better split than any known, by tp - slope · fp.

    Inside an open segment the curve reaches no higher than where all its positives come first.
    """
    if ranking.ranges is None or ranking.ranges.corners:
        return np.zeros(len(ranking), dtype=np.bool_)
    highest, reached = _values(ranking, slope)
    return ranking.ranges.mixed & (highest > reached.max())


def may_hide_tie(ranking: Ranking, slope: float) -> Flags:
    """Segments that may hide a split at least as good as the best that is known.

    Where every corner of the hull is known, only splits on the edge between two that tie are as good.
    """
    if ranking.ranges is None or (ranking.ranges.corners and ranking.ranges.ties and not ranking.weighted):
        return np.zeros(len(ranking), dtype=np.bool_)
    highest, reached = _values(ranking, slope)
    least = reached.max() - _TIED * (ranking.Pos + slope * ranking.Neg)
    if not ranking.ranges.corners:
        return ranking.ranges.mixed & (highest >= least)
    tied = np.flatnonzero(reached >= least)
    between = np.arange(len(ranking))
    return ranking.ranges.mixed & (between >= tied[0]) & (between < tied[-1])


def _values(ranking: Ranking, slope: float) -> tuple[Floats, Floats]:
    """What tp - slope · fp may reach inside each segment, and reaches at the splits."""
    tp, fp = (covered.astype(np.float64) for covered in ranking.covered())
    return tp[1:] - slope * fp[:-1], tp - slope * fp


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CurveBounds(Tabular):
    """Two curves in ROC space: the exact one lies on or between them.

    Each is straight between its points. They coincide where splits are exact, but for the rounding of weights.
    """

    lower_fpr: Floats
    lower_tpr: Floats
    upper_fpr: Floats
    upper_tpr: Floats

    def _columns(self) -> Mapping[str, Any]:
        sizes = self.lower_fpr.size, self.upper_fpr.size
        return {
            "curve": np.repeat(["lower", "upper"], sizes),
            "fpr": np.concatenate([self.lower_fpr, self.upper_fpr]),
            "tpr": np.concatenate([self.lower_tpr, self.upper_tpr]),
        }


def roc_bounds(ranking: Ranking) -> CurveBounds:
    """The lowest and the highest ROC curve that a ranking allows.

    Inside an unresolved segment the highest takes all positives first, the lowest all negatives.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> bounds = roc_bounds(bounded)
    >>> bounds.upper_fpr.round(2), bounds.upper_tpr
    (array([0.  , 0.  , 0.33, 0.33, 1.  ]), array([0. , 0.6, 0.6, 1. , 1. ]))
    """
    require_ranking(ranking, both_classes=True)
    return _rates(ranking, extreme_curve(ranking, highest=False), extreme_curve(ranking, highest=True))


def hull_bounds(ranking: Ranking) -> CurveBounds:
    """The curves between which the hull of the exact ROC curve lies.

    The lower one is the hull of the splits that are known, the upper one the hull of the highest curve.
    They are equal wherever the corners of the hull are certain, and so is the choice of a threshold there.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> bounds = hull_bounds(bounded)
    >>> bounds.lower_tpr, bounds.upper_tpr
    (array([0. , 0.6, 1. ]), array([0. , 0.6, 1. , 1. ]))
    """
    require_ranking(ranking, both_classes=True)
    corner = hull_splits(ranking, pool="ties")
    tp, fp = (covered[corner].astype(np.float64) for covered in ranking.covered())
    if ranking.ranges is None or ranking.ranges.corners:
        return _rates(ranking, (fp, tp), (fp, tp))
    x, y = extreme_curve(ranking, highest=True)
    # Weights may vanish in sums, and the hull does not turn at a point that repeats the one before it.
    moves = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    x, y = x[moves], y[moves]
    top = upper_corners(x, y, np.arange(x.size))
    return _rates(ranking, (fp, tp), (x[top], y[top]))


def _rates(ranking: Ranking, lower: tuple[Floats, Floats], upper: tuple[Floats, Floats]) -> CurveBounds:
    """Two curves of (fp, tp) as rates, moved apart by what rounding may do to weights.

    Whatever it did, every curve ends at (1, 1); one that was moved gets there by one point more.
    """
    slack = slack_of(ranking) if ranking.weighted and ranking.ranges is not None else 0.0
    columns = []
    for (fp, tp), shift in ((lower, slack), (upper, -slack)):
        for rate, factor in ((fp / ranking.Neg, 1 + shift), (tp / ranking.Pos, 1 - shift)):
            column = np.append(np.clip(rate * factor, 0.0, 1.0), 1.0) if slack else rate
            column.flags.writeable = False
            columns.append(column)
    return CurveBounds(*columns)


def average_precision_bounds(ranking: Ranking) -> Bounds:
    r"""The smallest and the largest average precision that a ranking allows.

    After a positives and b negatives, the positives of an open segment of p and n see a precision of at most
    (a + p)/(a + p + b), when all of them come first and tie. At the least all negatives come first and no
    positives tie; the sum over them exceeds the integral of x/(x + b + n) from a to a + p.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> average_precision_bounds(bounded)
    Bounds(lower=0.39..., upper=0.88...)
    """
    require_ranking(ranking, both_classes=True)
    if ranking.ranges is None:
        return certain(average_precision(ranking))
    pos, neg, tp, fp = _columns(ranking)
    least = np.finfo(np.float64).tiny
    tied = pos * (tp + pos) / np.maximum(tp + pos + fp + neg, least)
    first = pos * (tp + pos) / np.maximum(tp + pos + fp, least)
    return _mean_precision(ranking, ranking.ranges.low < ranking.ranges.high, tied, first)


def pr_area_bounds(ranking: Ranking) -> Bounds:
    """The smallest and the largest precision-recall area that a ranking allows.

    Along an open segment the false positives lie between what they were before it and what they are after it,
    which bounds the integral of precision over recall. Segments of positives alone leave nothing open.

    >>> bounded = Ranking.of_ranges([0.6, 0.7, 0.1, 0.2], [0.9, 0.8, 0.4, 0.3], pos=[3, 0, 2, 0], neg=[0, 2, 0, 4])
    >>> pr_area_bounds(bounded)
    Bounds(lower=0.39..., upper=0.86...)
    """
    require_ranking(ranking, both_classes=True)
    if ranking.ranges is None:
        return certain(pr_area(ranking))
    pos, neg, tp, fp = _columns(ranking)
    return _mean_precision(ranking, ranking.ranges.mixed, segment_areas(pos, neg, tp, fp), _integral(tp, pos, fp))


def _columns(ranking: Ranking) -> tuple[Floats, ...]:
    """Positives and negatives of each segment, and before it."""
    tp, fp = ranking.covered()
    return tuple(counts.astype(np.float64) for counts in (ranking.pos, ranking.neg, tp[:-1], fp[:-1]))


def _mean_precision(ranking: Ranking, is_open: Flags, known: Floats, highest: Floats) -> Bounds:
    """Bounds of a mean precision from its sums per segment: known, or at most so high."""
    pos, neg, tp, fp = _columns(ranking)
    lower = np.where(is_open, _integral(tp, pos, fp + neg), known)
    upper = np.where(is_open, highest, known)
    low, high = (math.fsum(column.tolist()) / ranking.Pos for column in (lower, upper))
    slack = slack_of(ranking)  # no term is negative, so that rounding is relative to the sum
    return Bounds(low * (1 - slack), min(1.0, high * (1 + slack)))


def _integral(start: Floats, step: Floats, against: Floats) -> Floats:
    """The integral of x / (x + against) from `start` to `start + step`."""
    return np.clip(segment_areas(step, np.zeros_like(step), start, against), 0.0, step)
