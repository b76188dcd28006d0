"""Areas and pairs: how often a positive outscores a negative."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import as_number, require_one_of, short_repr
from thresher._internal.parallel import fill_chunks, map_chunks
from thresher._internal.results import Result, Tabular
from thresher.errors import ArgumentError, argument
from thresher.ranking import UNKNOWN, Floats, Ranking, Segments, require_ranking

AreaAverage: TypeAlias = Literal["one_vs_one_macro", "one_vs_one_weighted", "one_vs_rest_macro", "one_vs_rest_weighted"]

_EXACT_IN_INT64 = 2**62
GRID_LIMIT = 4_000_000


@dataclass(frozen=True, slots=True, repr=False)
class Pairs(Result):
    """Pairs of a positive and a negative: won (positive scores higher), tied, lost."""

    won: Any
    tied: Any
    lost: Any

    @property
    def total(self) -> Any:
        """All pairs, Pos · Neg."""
        return self.won + self.tied + self.lost


def auc(ranking: Ranking | Segments, *, average: AreaAverage | None = None) -> float:
    """The proportion of pairs won, a tie counting half: the area under the ROC curve.

    Whole counts are added as integers, so equal rankings give equal floats at any size. An area below 0.5 is returned
    as such: scores are never flipped. Inside a range of scores cases count as tied: a value within `auc_bounds`.

    Of `Segments` it is the average asked for: "one_vs_one_macro", "one_vs_one_weighted", "one_vs_rest_macro" or
    "one_vs_rest_weighted" (`segments.areas` has them all). More than two classes have no area without one.

    >>> auc(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    0.71
    >>> leaves = Segments.parse("[8,1,1][1,6,3]", probability=[[.8, .1, .1], [.2, .5, .3]], classes="abc")
    >>> auc(leaves, average="one_vs_one_macro")
    0.7308...
    """
    if isinstance(ranking, Segments):
        return _average_area(ranking, average)
    if average is not None:
        raise ArgumentError("a ranking has one area, and no average of several", f"leave {argument('average')} out")
    return area_of(ranking)


def area_of(ranking: Ranking) -> float:
    """The AUC of a ranking."""
    require_ranking(ranking, both_classes=True)
    of_pairs = pairs(ranking)
    return min(1.0, float((2 * of_pairs.won + of_pairs.tied + _known(ranking)) / (2 * of_pairs.total)))


def ranking_error(ranking: Ranking) -> float:
    """The proportion of pairs lost, a tie counting half: 1 - AUC.

    >>> ranking_error(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    0.29
    """
    require_ranking(ranking, both_classes=True)
    of_pairs = pairs(ranking)
    return min(1.0, float((2 * of_pairs.lost + of_pairs.tied - _known(ranking)) / (2 * of_pairs.total)))


def _average_area(segments: Segments, average: AreaAverage | None) -> float:
    names = get_args(AreaAverage)
    if average is None and len(segments.classes) > 2:
        what = f"{len(segments.classes)} classes have no AUC, but four averages of several"
        raise ArgumentError(what, f"pass {argument('average')}, one of {', '.join(names)}", parameter="average")
    if average is not None:
        require_one_of(average, names, name="average")
    return float(getattr(segments.areas, average or "one_vs_rest_macro"))  # of two classes all are the same


def pairs(ranking: Ranking) -> Pairs:
    """Count the pairs won, tied and lost.

    In a ranking that counts ranges, pairs inside a segment of both classes count as tied.

    >>> pairs(Ranking.parse("[20+,5-][10+,5-][20+,40-]"))
    Pairs(won=1300, tied=950, lost=250)
    """
    require_ranking(ranking, both_classes=True)
    return ranking.remember("pairs", lambda: _pairs(ranking))


def _pairs(ranking: Ranking) -> Pairs:
    if ranking.weighted:
        tp, fp = ranking.covered()  # each sum by itself: as a difference, what is 0 would be a rounding error
        won, lost = float(ranking.neg @ tp[:-1]), float(ranking.pos @ fp[:-1])
        return Pairs(won=won, tied=float(ranking.pos @ ranking.neg), lost=lost)
    pos, neg = ranking.narrow
    exact = np.int64 if ranking.Pos * ranking.Neg < _EXACT_IN_INT64 else object
    distinct = len(ranking) == ranking.total

    def inside(piece: slice) -> tuple[int, int, int, int]:
        """Pairs tied and lost among the cases of a piece, its positives and its negatives."""
        if distinct:  # every case has its own score: the negatives before a positive beat it
            place = np.flatnonzero(pos[piece] != 0)  # six times as quick as without !=
            lost = int(place.sum()) - place.size * (place.size - 1) // 2
            return 0, lost, place.size, piece.stop - piece.start - place.size
        of_pos, of_neg = (counts[piece].astype(exact) for counts in (pos, neg))
        up_to = np.cumsum(of_neg)
        tied = int(np.dot(of_pos, of_neg))
        return tied, int(np.dot(of_pos, up_to)) - tied, int(of_pos.sum()), int(up_to[-1])

    tied = lost = before = 0
    for ties, losses, positives, negatives in map_chunks(inside, len(ranking)):
        tied += ties
        lost += losses + positives * before
        before += negatives
    return Pairs(won=ranking.Pos * ranking.Neg - tied - lost, tied=tied, lost=lost)


def pairs_grid(ranking: Ranking) -> npt.NDArray[np.float64]:
    """The grid of pairs: a row per positive, a column per negative, scores falling.

    An entry is 1 where the positive wins, 0.5 at a tie and 0 where it loses; its mean is the AUC.

    >>> pairs_grid(Ranking.parse("[1+][1+,1-][1-]"))
    array([[1. , 1. ],
           [0.5, 1. ]])
    """
    require_ranking(ranking, both_classes=True)
    if ranking.weighted or ranking.Pos * ranking.Neg > GRID_LIMIT:
        size = f"the grid would have {ranking.Pos * ranking.Neg:,} cells"
        what = "weights have no grid" if ranking.weighted else size
        raise ArgumentError(what, "use pairs(ranking), which counts without drawing them")
    segment = np.arange(len(ranking))
    positive, negative = np.repeat(segment, ranking.pos), np.repeat(segment, ranking.neg)
    return (1 + np.sign(negative[np.newaxis, :] - positive[:, np.newaxis])) / 2


class Placements(Tabular, NamedTuple("Placements", [("positive", Floats), ("negative", Floats)])):
    """Shares per segment: negatives that a positive beats, positives that beat one."""

    __slots__ = ()


def placements(ranking: Ranking) -> Placements:
    """Placement values per segment, the raw material of DeLong's variance.

    For a positive of each segment the share of the negatives that it beats (a tie counting half), for a negative the
    share of the positives that beat it. Their means over positives and over negatives are both the AUC.

    >>> positive, negative = placements(Ranking.parse("[1+][1+,1-][1-]"))
    >>> positive, negative
    (array([1.  , 0.75, 0.25]), array([0.25, 0.75, 1.  ]))
    """
    require_ranking(ranking, both_classes=True)
    tp, fp = ranking.covered()

    def beating(piece: slice, out: Floats) -> None:
        np.add(tp[:-1][piece], tp[1:][piece], out=out)
        out /= 2 * ranking.Pos

    def beaten(piece: slice, out: Floats) -> None:
        np.add(fp[:-1][piece], fp[1:][piece], out=out)
        out /= 2 * ranking.Neg
        np.subtract(1, out, out=out)

    shares = Placements(positive=fill_chunks(len(ranking), beaten), negative=fill_chunks(len(ranking), beating))
    for array in shares:
        array.flags.writeable = False
    return shares


def partial_auc(
    ranking: Ranking,
    *,
    fpr: tuple[float, float] | None = None,
    tpr: tuple[float, float] | None = None,
    standardised: bool = False,
) -> float:
    """The area under part of the ROC curve: a range of fpr, or one of tpr.

    By fpr it is the area below the curve, by tpr the area to its right, so the full range of either gives the AUC.
    Standardised (McClish 1989) it is mapped so that a diagonal curve has 0.5 and a perfect one 1, whatever the range.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]")
    >>> round(partial_auc(spam_tree, fpr=(0, 0.1)), 10)
    0.02
    >>> round(partial_auc(spam_tree, tpr=(0.6, 1)), 10)
    0.16
    """
    require_ranking(ranking, both_classes=True)
    if (fpr is None) == (tpr is None):
        raise ArgumentError("give a range of fpr or a range of tpr, one of them", "e.g. fpr=(0, 0.1)")
    low, high = _range("tpr", tpr) if fpr is None else _range("fpr", fpr)
    tp, fp = ranking.covered()
    x, y = fp / ranking.Neg, tp / ranking.Pos
    if fpr is not None:
        area = _area_up_to(x, y, high) - _area_up_to(x, y, low)
        chance = (high**2 - low**2) / 2
    else:
        # Mirrored in the other diagonal, 1 - tpr runs along the axis and 1 - fpr is the height.
        x, y = 1 - y[::-1], 1 - x[::-1]
        area = _area_up_to(x, y, 1 - low) - _area_up_to(x, y, 1 - high)
        chance = ((1 - low) ** 2 - (1 - high) ** 2) / 2
    if not standardised:
        return float(area)
    return float(0.5 * (1 + (area - chance) / ((high - low) - chance)))


def _area_up_to(x: Floats, y: Floats, end: float) -> float:
    """Area below the polyline (x rising) from 0 to `end`."""
    last = int(np.searchsorted(x, end, side="right"))
    area = float(np.dot(np.diff(x[:last]), (y[: last - 1] + y[1:last]) / 2))
    if last == x.size or x[last - 1] == end:
        return area
    share = (end - x[last - 1]) / (x[last] - x[last - 1])
    height = y[last - 1] + share * (y[last] - y[last - 1])
    return area + (end - x[last - 1]) * float(y[last - 1] + height) / 2


def _range(name: str, ends: Any) -> tuple[float, float]:
    try:
        low, high = (as_number(end) for end in ends)
    except (TypeError, ValueError):
        low, high = math.nan, math.nan
    if not 0 <= low < high <= 1:
        what = f"the range must be two rates, 0 <= low < high <= 1, got {short_repr(ends)}"
        raise ArgumentError(what, f"e.g. {name}=(0, 0.1)", parameter=name)
    return low, high


def _known(ranking: Ranking) -> Any:
    """Half pairs known to be won inside segments beyond what ties would give."""
    spans = ranking.ranges
    if spans is None or spans.won is None:
        return 0
    known = np.flatnonzero(spans.mixed & (spans.won != UNKNOWN))
    more = spans.won[known] - ranking.pos[known] * ranking.neg[known]
    return math.fsum(more.tolist()) if ranking.weighted else sum(more.tolist())
