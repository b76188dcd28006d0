"""Precision against recall, with hyperbolas between splits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import as_numbers, describe
from thresher._internal.parallel import map_chunks
from thresher._internal.results import Tabular
from thresher.curves.coverage import rates, recalls
from thresher.errors import ArgumentError
from thresher.ranking import Counts, Floats, Ranking, require_ranking

_LARGE_GROWTH, _TERMS = 0.5, 12  # below, so many terms of a series leave less than rounding does


class PrecisionRecallCurve(
    Tabular, NamedTuple("PrecisionRecallCurve", [("recall", Floats), ("precision", Floats), ("threshold", Floats)])
):
    """Recall, precision and threshold per split 0..m; hyperbolic between them."""

    __slots__ = ()


def precision_recall(ranking: Ranking) -> PrecisionRecallCurve:
    """Recall, precision and threshold at every split: (recall, precision, threshold).

    Nothing is predicted positive at split 0, so its precision is undefined: NaN, not 1.
    Between splits the curve is a hyperbola (`precision_at`), and the baseline is the prevalence.

    >>> curve = precision_recall(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> curve.recall, curve.precision
    (array([0. , 0.4, 0.6, 1. ]), array([ nan, 0.8 , 0.75, 0.5 ]))
    >>> recall, precision, threshold = curve
    """
    require_ranking(ranking, both_classes=True)
    tp, fp = ranking.covered()
    precision = rates([tp], [tp, fp])
    return PrecisionRecallCurve(recall=recalls(ranking), precision=precision, threshold=ranking.thresholds())


def precision_at(ranking: Ranking, recall: npt.ArrayLike) -> Floats:
    """Precision at any recall in (0, 1], interpolated linearly in coverage space.

    Where several splits share a recall, the first and most precise counts. Recall 0 has no
    precision (NaN). Source: Davis & Goadrich 2006.

    >>> tied = Ranking.parse("[5+,5-][5+,25-][10+,70-]")
    >>> precision_at(tied, [0.25, 0.3, 0.5])
    array([0.5  , 0.375, 0.25 ])
    """
    require_ranking(ranking, both_classes=True)
    wanted = as_numbers(recall)
    if not ((wanted >= 0) & (wanted <= 1)).all():
        raise ArgumentError(f"recall must be numbers in [0, 1], got {describe(recall)}", "give proportions")
    tp, fp = ranking.covered()
    recall_at = recalls(ranking)  # rates are compared with rates: a rate times Pos may round past its count
    after = np.clip(np.searchsorted(recall_at, wanted, side="left"), 1, len(ranking))
    step = np.maximum(recall_at[after] - recall_at[after - 1], np.finfo(float).tiny)
    along = np.minimum((wanted - recall_at[after - 1]) / step, 1.0)
    right, wrong = (covered[after - 1] + along * (covered[after] - covered[after - 1]) for covered in (tp, fp))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(wanted > 0, right / (right + wrong), np.nan)


def average_precision(ranking: Ranking) -> float:
    """Mean over the positives of the precision at each one's own score.

    A step function from above: not the area under the interpolated curve, which is `pr_area`.

    >>> average_precision(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    0.67
    """
    require_ranking(ranking, both_classes=True)
    tp, fp = (covered[1:] for covered in ranking.covered())
    pos, _ = ranking.narrow
    sums = map_chunks(lambda piece: precision_sum(pos[piece], tp[piece], fp[piece]), len(ranking))
    return math.fsum(sums) / ranking.Pos


def precision_sum(pos: Counts, tp: Counts, fp: Counts) -> float:
    """Sum over positives of the precision at their scores: Pos · average precision."""
    return float((tp / np.add(tp, fp, dtype=np.float64) * pos).sum())


def pr_area(ranking: Ranking) -> float:
    """The exact area under the hyperbolic precision-recall curve.

    A constant score gives the prevalence; the worst balanced ranking gives 1 - ln 2 (Boyd, Eng & Page 2013).

    >>> pr_area(Ranking.parse("[1+,3-]"))
    0.25
    """
    require_ranking(ranking, both_classes=True)
    tp, fp = (covered[:-1] for covered in ranking.covered())

    def area(piece: slice) -> float:
        has = np.flatnonzero(ranking.narrow[0][piece])
        return float(segment_areas(*(column[piece][has] for column in (*ranking.narrow, tp, fp))).sum())

    return min(1.0, math.fsum(map_chunks(area, len(ranking))) / ranking.Pos)


def segment_areas(pos: Counts, neg: Counts, tp: Counts, fp: Counts) -> Floats:
    """Pos times the area under each segment's part of the precision-recall curve.

    tp and fp count the cases before it. Of p positives among c cases, after b cases of which a were positive, it is a
    mean of the precision before them and of their own, whose weights depend on c/b:
    p · ((1 - w)·a/b + w·p/c) with w = 1 - ln(1 + c/b) / (c/b). No term is negative, so small areas keep their digits.
    """
    pos, neg, tp, fp = (counts.astype(np.float64) for counts in (pos, neg, tp, fp))
    cases, before = pos + neg, tp + fp
    own = _own_weight(_quotient(cases, before, np.inf))
    area: Floats = pos * ((1 - own) * _quotient(tp, before, 0.0) + own * _quotient(pos, cases, 0.0))
    return area


def _quotient(part: Floats, of: Floats, otherwise: float) -> Floats:
    return np.divide(part, of, out=np.full_like(of, otherwise), where=of > 0)


def _own_weight(growth: Floats) -> Floats:
    """1 - ln(1 + g)/g, which rises from 0 to 1, to full relative precision.

    For small g the logarithm is 2·(s + s³/3 + s⁵/5 + ...) with s = g/(2 + g), which leaves s - (1 - s)·(s²/3 + ...).
    """
    s = np.minimum(growth, _LARGE_GROWTH)
    s /= 2 + s
    square = s * s
    series = np.zeros_like(s)
    for odd in range(2 * _TERMS + 1, 1, -2):
        series = series * square + 1 / odd
    own: Floats = s - (1 - s) * square * series
    large = np.flatnonzero(growth >= _LARGE_GROWTH)
    with np.errstate(invalid="ignore"):  # inf / inf, where nothing comes before
        own[large] = np.where(np.isinf(growth[large]), 1.0, 1 - np.log1p(growth[large]) / growth[large])
    return own


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PRGain(Tabular):
    """A precision-recall-gain curve: straight between its points, with its area."""

    recall_gain: Floats
    precision_gain: Floats
    area: float


def pr_gain(ranking: Ranking) -> PRGain:
    """The precision-recall-gain curve from recall gain 0 to 1, and its area.

    Gains rescale precision and recall harmonically so that the always-positive rule has gain 0: precision gain = 1 -
    (Pos/Neg)·fp/tp and recall gain = 1 - (Pos/Neg)·fn/tp. Lines of coverage space stay lines, so interpolation is
    linear and the area exact. A precision gain below 0 counts as such (Flach & Kull 2015).

    >>> curve = pr_gain(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    >>> curve.recall_gain.round(4), curve.precision_gain.round(4)
    (array([0.    , 0.3333, 1.    ]), array([0.7   , 0.6667, 0.    ]))
    >>> round(curve.area, 4)
    0.45
    """
    require_ranking(ranking, both_classes=True)
    tp, fp = (covered.astype(np.float64) for covered in ranking.covered())
    fn = ranking.uncovered()[0].astype(np.float64)
    least = ranking.Pos * (ranking.Pos / ranking.total)  # recall gain 0: recall equals the prevalence
    first = int(np.searchsorted(tp, least, side="left"))
    if tp[first] > least:
        share = (least - tp[first - 1]) / (tp[first] - tp[first - 1])
        start = fp[first - 1] + share * (fp[first] - fp[first - 1])
        tp, fn, fp = np.r_[least, tp[first:]], np.r_[ranking.Pos - least, fn[first:]], np.r_[start, fp[first:]]
    else:
        tp, fn, fp = tp[first:], fn[first:], fp[first:]
    recall_gain = 1 - ranking.class_ratio * fn / tp
    precision_gain = 1 - ranking.class_ratio * fp / tp
    recall_gain[0] = max(recall_gain[0], 0.0)  # the crossing itself, up to rounding
    area = float(np.dot(np.diff(recall_gain), (precision_gain[1:] + precision_gain[:-1]) / 2))
    return PRGain(recall_gain=recall_gain, precision_gain=precision_gain, area=area)
