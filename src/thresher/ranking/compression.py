"""Short rankings: pick splits, and merge the segments between them."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from thresher.ranking.ranges import UNKNOWN, Ranges, merge_ends
from thresher.ranking.ranking import Ranking
from thresher.ranking.sorting import Counts, Floats, Indices
from thresher.ranking.thresholds import splits_at

Keep: TypeAlias = Literal["even", "classes", "percent", "hull"]

MOST_TIES = 1 << 8
_FITS_INT64 = 2**62
_ROUNDS = 200
_SLACK = 2.0**-49  # a product of two differences of sums rounds by less
_PERCENT = np.arange(1, 100) / 100


def shorten(ranking: Ranking, most: int, *, keep: Keep) -> Ranking:
    """A ranking of about `most` segments; the same one if it has no more.

    "even" merges segments into groups of as many cases each, at the mean scores of their cases. "classes" splits at
    even steps of both classes and at corners of the hull, "percent" at whole percents of the score too; a segment
    carries its lowest score. "hull" merges an exact ranking so that pairs won inside segments are counted and no corner
    of the hull is lost: the AUC, the hull, cost curves and the choice for any cost stay exact; splits that tie with
    corners stay unless they are very many; what else depends on the order inside segments is bounded.

    >>> shorten(Ranking([0.9, 0.7, 0.4, 0.2], [2, 1, 1, 0], [0, 1, 1, 2]), 2, keep="even")
    Ranking([3+,1-][1+,3-] at scores 0.8, 0.3)
    """
    if keep == "hull":
        merges = len(ranking) > most and ranking.ranges is None and _countable(ranking)
        if not merges:
            return ranking
        split, ties = _hull_splits(ranking, most)
        return merge_ranges_at(ranking, split, corners=True, ties=ties)
    return merge_at(ranking, splits_to_keep(ranking, most, keep=keep), at_means=keep == "even")


def splits_to_keep(ranking: Ranking, most: int, *, keep: Keep) -> Indices:
    """The splits between which `shorten` merges segments, with both ends."""
    last = len(ranking)
    if last <= most:
        return np.arange(last + 1)
    if keep == "hull":
        return _hull_splits(ranking, most)[0]
    if keep == "even":
        running = np.cumsum(np.add(ranking.pos, ranking.neg, dtype=np.float64))
        begins = np.searchsorted(running, np.linspace(0, running[-1], most, endpoint=False), side="right")
        return np.unique(np.append(begins.clip(max=last - 1), last))  # a large segment holds several beginnings
    steps = np.linspace(0, 1, most // 2 + 1)
    splits = [np.searchsorted(covered, steps * covered[-1]) for covered in ranking.covered()]
    corners = corners_among(*_curve(ranking))
    splits += [corners] if corners.size <= most else []
    splits += [splits_at(ranking.score, _PERCENT)] if keep == "percent" else []
    return np.unique(np.concatenate([*splits, [0, last]]))


def merge_at(ranking: Ranking, split: Indices, *, at_means: bool = False) -> Ranking:
    """Merge the segments between splits, of which the first is 0 and the last m.

    A merged segment carries its lowest score, so that `score >= threshold` calls all of it positive, or the mean score
    of its cases.
    """
    if split.size == len(ranking) + 1:
        return ranking
    score = mean_scores(ranking, split) if at_means else ranking.score[split[1:] - 1]
    ranges = None if ranking.ranges is None or at_means else ranking.ranges.merge(split[:-1])
    return Ranking.of_segments(
        score, *ranking.runs(split), dropped=ranking.dropped, ranges=ranges, positive=ranking.positive
    )


def mean_scores(ranking: Ranking, split: Indices) -> Floats:
    """The mean score of the cases in each run; that of one segment is its score."""
    if split.size == len(ranking) + 1:
        return ranking.score.copy()
    pos, neg = ranking.runs(split)
    scores = ranking.score
    if ranking.weighted or len(ranking) < ranking.total:  # else every case has a score to itself
        scores = np.add(*ranking.narrow, dtype=np.float64)
        scores *= ranking.score
    mean = np.add.reduceat(scores, split[:-1]) / (pos + neg)
    # A mean lies between the ends, and rounding must not carry it into the next run.
    return np.clip(mean, ranking.score[split[1:] - 1], ranking.score[split[:-1]])


def corners_among(x: Counts, y: Counts) -> Indices:
    """Points of a rising curve that hold all corners of its hull, and few others.

    They are the points that no line between two others passes above. Sums of weights round, so of those also points
    stay that are as near to such a line as that. Of points that are alike, as where a weight vanishes in the sum before
    it, one stays, for none of them turns.
    """
    moves = np.flatnonzero((np.diff(x) != 0) | (np.diff(y) != 0)) + 1
    last = [x.size - 1] if x.size > 1 else []
    corner: Indices = np.concatenate([[0], moves[:-1], last]).astype(np.intp)
    slack = 1 - _SLACK if x.dtype.kind == "f" else 1
    for _ in range(_ROUNDS):
        dx, dy = np.diff(x[corner]), np.diff(y[corner])
        before, after = dx[1:] * dy[:-1], dy[1:] * dx[:-1]
        turns = (before > after * slack) & (before != after)
        if turns.all():
            break
        corner = corner[np.concatenate([[True], turns, [True]])]
    return corner


def on_edges(x: Counts, y: Counts, corner: Indices) -> Indices:
    """Points on the line between two corners: where these cost the same, they do too.

    Along edges that run straight up or straight to the right no two points cost the same, so theirs are left out.
    """
    dx, dy = np.diff(x[corner]), np.diff(y[corner])
    inside = np.where((dx > 0) & (dy > 0), np.diff(corner) - 1, 0)
    edge = np.repeat(np.arange(inside.size), inside)
    start = corner[edge]
    at = start + 1 + np.arange(edge.size) - np.repeat(np.cumsum(inside) - inside, inside)
    points: Indices = at[(x[at] - x[start]) * dy[edge] == (y[at] - y[start]) * dx[edge]]
    return points


def merge_ranges_at(ranking: Ranking, split: Indices, *, corners: bool = False, ties: bool = False) -> Ranking:
    """Merge the segments between splits into ranges of scores.

    Of an exact ranking, the pairs won inside each range are counted where they fit an int64, so that its AUC stays
    exact. `corners` and `ties` say which splits are among these; see `Ranges`.
    """
    if ranking.ranges is not None or split.size == len(ranking) + 1:
        return merge_at(ranking, split)
    start, end = split[:-1], split[1:]
    pos, neg = (np.add.reduceat(counts, start) for counts in (ranking.pos, ranking.neg))
    of_pos, of_neg = (np.where(counts > 0, ranking.score, np.nan) for counts in (ranking.pos, ranking.neg))
    won = None
    if _countable(ranking):
        fp = ranking.covered()[1]
        segment = np.repeat(np.arange(start.size), end - start)
        inside = ranking.pos * (ranking.neg + 2 * (fp[end][segment] - fp[1:]))
        mixed = (pos > 0) & (neg > 0) & (end - start > 1)
        won = np.where(mixed, np.add.reduceat(inside, start), UNKNOWN)
    ends = merge_ends((of_pos, of_pos, of_neg, of_neg), start)
    ranges = Ranges(*ends, won=won, corners=corners, ties=ties)
    return Ranking.of_segments(
        ranking.score[end - 1].copy(), pos, neg, dropped=ranking.dropped, ranges=ranges, positive=ranking.positive
    )


def _countable(ranking: Ranking) -> bool:
    """Whether twice the pairs of a positive and a negative fit an int64."""
    return bool(ranking.weighted or 2 * ranking.Pos * ranking.Neg < _FITS_INT64)


def _hull_splits(ranking: Ranking, most: int) -> tuple[Indices, bool]:
    """Splits at corners, ties and even steps, and whether all ties are among them."""
    x, y = _curve(ranking)
    corner = corners_among(x, y)
    tied = on_edges(x, y, corner)
    most_ties = min(max(most, MOST_TIES), tied.size)
    even_ties = tied[np.linspace(0, tied.size - 1, most_ties).astype(np.intp)]
    splits: list[Indices] = [corner, even_ties]
    if most > 2:
        cases = np.cumsum(ranking.pos + ranking.neg)
        even = np.searchsorted(cases, np.linspace(0, float(cases[-1]), most + 1)[1:-1])
        splits.append(np.clip(even, 1, len(ranking) - 1))
    return np.unique(np.concatenate(splits)), even_ties.size == tied.size and not ranking.weighted


def _curve(ranking: Ranking) -> tuple[Counts, Counts]:
    """(fp, tp) at every split, in units whose products are exact where there are such."""
    units = ranking.in_units()
    fits = units.weighted or 2 * units.Pos * units.Neg < _FITS_INT64
    tp, fp = (units if fits else ranking).covered()
    return fp, tp
