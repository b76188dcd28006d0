"""Prevalence shift: probabilities made for one prevalence, restated for another."""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

import numpy as np
import numpy.typing as npt

from thresher._internal.arguments import as_number, as_numbers, describe
from thresher.calibration.scores import probabilities_in
from thresher.errors import ArgumentError, ProbabilityError
from thresher.ranking import Floats, Ranking, groups_of, merge_ranges, require_ranking


def recalibrate(ranking: Ranking, to_probability: Callable[[Floats], Floats]) -> Ranking:
    """The ranking under mapped scores; segments that get the same score become one.

    Takes a `CalibrationMap` or any function from an array of scores to an array of numbers, and
    merges and sorts as needed. Mapping the rows a map was fitted on flatters it.

    >>> from thresher import rank
    >>> from thresher.calibration import brier, calibration_map
    >>> emails = rank([1, 1, 0, 1, 1, 0, 1, 1, 0, 0], [.89, .80, .74, .71, .63, .49, .42, .32, .24, .13])
    >>> calibrated = recalibrate(emails, calibration_map(emails))
    >>> print(calibrated)
    [2+][4+,2-][2-]
    >>> round(brier(emails), 3), round(brier(calibrated), 3)
    (0.193, 0.133)
    """
    require_ranking(ranking)
    if not callable(to_probability):
        raise ArgumentError(
            f"a map of scores is a function, got {describe(to_probability)}", "pass calibration_map(ranking)"
        )
    score = as_numbers(to_probability(ranking.score))
    if score.shape != ranking.score.shape or not (score[1:] <= score[:-1]).all():
        return Ranking(score, ranking.pos, ranking.neg, dropped=ranking.dropped)
    # A map that never falls only joins neighbours, and that takes no sort.
    starts = np.flatnonzero(np.concatenate([[True], score[1:] != score[:-1]]))
    pos, neg = ranking.runs(np.append(starts, len(ranking)))
    return Ranking.of_segments(score[starts] + 0.0, pos, neg, dropped=ranking.dropped)


@overload
def adjust_prevalence(probabilities: Ranking, to: float, *, trained_at: float | None = None) -> Ranking: ...


@overload
def adjust_prevalence(probabilities: npt.ArrayLike, to: float, *, trained_at: float) -> Floats: ...


def adjust_prevalence(
    probabilities: npt.ArrayLike | Ranking, to: float, *, trained_at: float | None = None
) -> Floats | Ranking:
    """Restate probabilities for prevalence `to` instead of `trained_at`.

    Posterior odds are multiplied by the ratio of prior odds, which is right when the classes
    themselves look the same in both places and only their mix differs; it keeps the order of
    cases and does not repair miscalibration. 0 stays 0 and 1 stays 1. (Saerens et al. 2002.)

        p' = p·to·(1 - trained_at) / (p·to·(1 - trained_at) + (1 - p)·(1 - to)·trained_at)

    Of a ranking the cases are re-weighted to that prevalence too, so that every number of the result is stated
    at it: the Brier score, log loss, reliability, net benefit. Its scores are taken to be made for the prevalence of
    its cases unless `trained_at` says otherwise.

    >>> adjust_prevalence([4/5, 2/3, 1/3], 1/11, trained_at=1/2).round(4)  # the spam tree, ten hams a spam
    array([0.2857, 0.1667, 0.0476])
    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3])
    >>> rare = adjust_prevalence(spam_tree, 1/11)
    >>> rare.score.round(4), round(rare.prevalence, 4)
    (array([0.2857, 0.1667, 0.0476]), 0.0909)
    """
    ranking = probabilities if isinstance(probabilities, Ranking) else None
    if ranking is not None:
        require_ranking(ranking, both_classes=True, probabilities=True)
    source = ranking.prevalence if ranking is not None and trained_at is None else trained_at
    for name, prevalence in (("to", to), ("trained_at", source)):
        if not 0 < as_number(prevalence) < 1:
            what = f"{name} must lie between 0 and 1, got {prevalence}"
            raise ProbabilityError(what, "give a proportion of positives, e.g. ranking.prevalence")
    made_at = as_number(source)
    # 1 minus a rounded prevalence near 1 has few digits; the negatives of a ranking are counted.
    others = float(ranking.Neg / ranking.total) if ranking is not None and trained_at is None else 1 - made_at
    factors = to * others, (1 - to) * made_at
    if ranking is None:
        return _restate(probabilities_in(probabilities), *factors)  # type: ignore[arg-type]
    weighted = ranking.at_class_ratio(to / (1 - to))
    if made_at == to:
        return weighted
    if weighted.ranges is None:
        return recalibrate(weighted, lambda score: _restate(score, *factors))
    pos_low, pos_high, neg_low, neg_high = (_restate(end, *factors) for end in weighted.ranges.ends)
    groups = groups_of((pos_low, pos_high, neg_low, neg_high), weighted.pos, weighted.neg)
    *columns, ranges = merge_ranges(*groups, rounding=weighted.ranges.rounding)
    return Ranking.of_segments(*columns, dropped=ranking.dropped, ranges=ranges)


def _restate(probability: Floats, of_pos: float, of_neg: float) -> Floats:
    for_positive = probability * of_pos
    for_negative = (1 - probability) * of_neg
    return for_positive / (for_positive + for_negative)
