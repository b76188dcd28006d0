"""Neighbouring segments joined into a few groups: enough to see how much a smooth number of a ranking varies."""

from __future__ import annotations

import numpy as np

from thresher.ranking import Floats, Ranking


def joined(ranking: Ranking, *, most: int) -> tuple[Ranking, Floats]:
    """The ranking itself, or one of about `most` groups of as many cases each, at the mean scores of their cases.

    With it come the lowest scores of the groups, which say to which of them a case belongs.

    >>> joined(Ranking([0.9, 0.7, 0.4, 0.2], [2, 1, 1, 0], [0, 1, 1, 2]), most=2)
    (Ranking([3+,1-][1+,3-] at scores 0.8, 0.3), array([0.7, 0.2]))
    """
    if len(ranking) <= most:
        return ranking, ranking.score
    cases = np.add(ranking.pos, ranking.neg, dtype=np.float64)
    running = np.cumsum(cases)
    even = np.linspace(0, running[-1], most, endpoint=False)
    begins = np.searchsorted(running, even, side="right").clip(max=len(ranking) - 1)
    start = begins[np.diff(begins, prepend=-1) > 0]  # a large segment holds several beginnings
    pos, neg, whole, scores = (
        np.add.reduceat(each, start) for each in (ranking.pos, ranking.neg, cases, ranking.score * cases)
    )
    lowest = ranking.score[np.append(start[1:], len(ranking)) - 1]
    return Ranking.of_segments(scores / whole, pos, neg, dropped=ranking.dropped), lowest
