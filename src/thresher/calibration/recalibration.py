"""Recalibration: a ranking with its scores mapped to probabilities, equal ones merged."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from thresher.errors import ArgumentError
from thresher.ranking import Floats, Ranking, as_numbers, described, require_ranking


def recalibrated(ranking: Ranking, to_probability: Callable[[Floats], Floats]) -> Ranking:
    """The ranking under mapped scores; segments that get the same score become one.

    Takes a `CalibrationMap` or any function from an array of scores to an array of numbers, and
    merges and sorts as needed. Mapping the rows a map was fitted on flatters it.

    >>> from thresher import rank
    >>> from thresher.calibration import brier, calibration_map
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> calibrated = recalibrated(emails, calibration_map(emails))
    >>> print(calibrated)
    [2+][4+,2-][2-]
    >>> round(brier(emails), 3), round(brier(calibrated), 3)
    (0.193, 0.133)
    """
    require_ranking(ranking)
    if not callable(to_probability):
        raise ArgumentError(
            f"a map of scores is a function, got {described(to_probability)}", "pass calibration_map(ranking)"
        )
    score = as_numbers(to_probability(ranking.score))
    if score.shape != ranking.score.shape or not (score[1:] <= score[:-1]).all():
        return Ranking(score, ranking.pos, ranking.neg, dropped=ranking.dropped)
    # A map that never falls only joins neighbours, and that takes no sort.
    starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
    pos, neg = ranking.runs(np.append(starts, len(ranking)))
    return Ranking.of_segments(score[starts] + 0.0, pos, neg, dropped=ranking.dropped)
