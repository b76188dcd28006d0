"""Fits of the logistic family to a ranking: Platt scaling, beta calibration, temperature."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias, get_args

import numpy as np

from thresher.calibration.logistic_curve import LogisticCurve, On, log_odds
from thresher.calibration.logistic_fit import logistic_fit
from thresher.cautions import Caution
from thresher.errors import ArgumentError, ProbabilityError, ScoreError, require_one_of
from thresher.ranking import Counts, Floats, Ranking

Targets: TypeAlias = Literal["platt", "counts"]
Fit: TypeAlias = tuple[LogisticCurve, tuple[Caution, ...]]


def platt(ranking: Ranking, *, on: On = "log_odds", targets: Targets = "platt") -> Fit:
    """Platt scaling: a logistic fit of slope and intercept on log-odds, or on plain scores.

    What it is fitted on is said and never guessed from the data. Targets are Platt's
    (Pos + 1) / (Pos + 2) for positives and 1 / (Neg + 2) for negatives, which keep the slope finite
    on separable data, or the plain counts. (Platt 1999; Lin, Lin & Weng 2007.)

    >>> curve, _ = platt(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3]), targets="counts")
    >>> round(curve.a, 6), round(abs(curve.c), 6)  # the leaves' own proportions need no mapping
    (1.0, 0.0)
    """
    require_one_of(on, ("log_odds", "score"), name="on")
    pos, neg = _targets(ranking, targets)
    if on == "score":
        return _platt_on_scores(ranking, pos, neg, targets)
    t, limit, cautions = _training_log_odds(ranking)
    if t[0] == t[-1]:
        return _constant(pos, neg, limit), cautions
    _require_overlap(ranking, targets, both_ways=True)
    (a,), c = logistic_fit([t], pos, neg, intercept=True, nonnegative=False)
    return LogisticCurve("log_odds", a, a, c, limit=limit), cautions + _falling(a)


def beta(ranking: Ranking, *, targets: Targets = "counts") -> Fit:
    """Beta calibration: ln odds = a·ln(s) - b·ln(1 - s) + c with a, b >= 0.

    Unlike Platt's it contains the identity for probabilities and can bend each end on its own;
    a = b makes it Platt scaling on log-odds. (Kull, Silva Filho & Flach 2017.)

    >>> curve, _ = beta(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3]))
    >>> round(curve.a, 4), round(curve.b, 4), round(abs(curve.c), 4)
    (1.0, 1.0, 0.0)
    """
    pos, neg = _targets(ranking, targets)
    t, limit, cautions = _training_log_odds(ranking)
    if t[0] == t[-1]:
        return _constant(pos, neg, limit), cautions
    _require_overlap(ranking, targets, both_ways=False)
    features = [-np.logaddexp(0, -t), np.logaddexp(0, t)]
    (a, b), c = logistic_fit(features, pos, neg, intercept=True, nonnegative=True)
    return LogisticCurve("log_odds", a, b, c, limit=limit), cautions + _falling(a + b)


def temperature(ranking: Ranking, *, targets: Targets = "counts") -> Fit:
    """Temperature scaling: log-odds divided by one number T > 0; one half stays one half.

    The slope 1/T is at least 0; it is 0 when probabilities would have to be turned around.
    (Guo et al. 2017, for two classes.)

    >>> curve, _ = temperature(Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[16/17, 4/5, 1/5]))
    >>> round(curve.a, 6)  # twice too sure: T = 2
    0.5
    """
    pos, neg = _targets(ranking, targets)
    t, limit, cautions = _training_log_odds(ranking)
    if not t.any():
        return LogisticCurve("log_odds", 1.0, 1.0, 0.0, limit=limit), cautions
    if not (pos[t < 0].any() or neg[t > 0].any()):
        raise _separable()
    (a,), _ = logistic_fit([t], pos, neg, intercept=False, nonnegative=True)
    return LogisticCurve("log_odds", a, a, 0.0, limit=limit), cautions + _falling(a)


def _targets(ranking: Ranking, targets: Targets) -> tuple[Counts, Counts]:
    """Counts, or counts with each case shared between the classes as Platt's targets say."""
    require_one_of(targets, get_args(Targets), name="targets")
    if targets == "counts":
        return ranking.pos, ranking.neg
    sure_pos, unsure_neg = (ranking.Pos + 1) / (ranking.Pos + 2), 1 / (ranking.Neg + 2)
    pos = ranking.pos * sure_pos + ranking.neg * unsure_neg
    return pos, ranking.pos + ranking.neg - pos


def _platt_on_scores(ranking: Ranking, pos: Counts, neg: Counts, targets: Targets) -> Fit:
    score = ranking.score
    if not (np.isfinite(score[0]) and np.isfinite(score[-1])):
        raise ScoreError(
            "a sigmoid cannot be fitted to infinite scores", 'use method="isotonic", which takes any score'
        )
    if len(ranking) == 1:
        return LogisticCurve("score", 0.0, 0.0, _prior_log_odds(pos, neg)), ()
    _require_overlap(ranking, targets, both_ways=True)
    # Measured from the middle and in halves of the range: scores may be huge, or close together far from 0.
    centre = float(score[0] / 2 + score[-1] / 2)
    unit = float(score[0] / 2 - score[-1] / 2) or float(score[0] - score[-1])
    (a,), c = logistic_fit([(score - centre) / unit], pos, neg, intercept=True, nonnegative=False)
    return LogisticCurve("score", a, a, c, centre=centre, unit=unit), _falling(a)


def _training_log_odds(ranking: Ranking) -> tuple[Floats, float, tuple[Caution, ...]]:
    """Log-odds of the scores; those of 0 and 1 stand one beyond the largest finite one."""
    try:
        ranking.require_probabilities()
    except ProbabilityError as error:
        fix = 'for scores that are no probabilities pass method="platt", on="score", or method="isotonic"'
        raise ProbabilityError(error.what, fix, where=error.place) from None
    t = log_odds(ranking.score)
    if math.isfinite(t[0]) and math.isfinite(t[-1]):
        return t, math.inf, ()
    infinite = np.isinf(t)
    limit = 1.0 + float(np.abs(t[~infinite]).max(initial=0.0))
    cases = ranking.pos[infinite].sum() + ranking.neg[infinite].sum()
    text = (
        f"{cases:,} of {ranking.total:,} cases have a score of exactly 0 or 1;"
        f" their log-odds were set to ±{limit:.4g}, one beyond the largest finite one"
    )
    return np.clip(t, -limit, limit), limit, (Caution("infinite-log-odds", text),)


def _require_overlap(ranking: Ranking, targets: Targets, *, both_ways: bool) -> None:
    """Raise where plain counts have no finite optimum: no positive below a negative, or the reverse."""
    if targets == "platt":
        return
    pos, neg = np.flatnonzero(ranking.pos), np.flatnonzero(ranking.neg)
    if pos[-1] <= neg[0] or (both_ways and neg[-1] <= pos[0]):
        raise _separable()


def _separable() -> ArgumentError:
    return ArgumentError(
        "the scores separate the classes, so the likelihood has no finite optimum (the slope grows for ever)",
        fix='pass targets="platt", which keeps the slope finite, or method="isotonic"',
    )


def _constant(pos: Counts, neg: Counts, limit: float) -> LogisticCurve:
    return LogisticCurve("log_odds", 0.0, 0.0, _prior_log_odds(pos, neg), limit=limit)


def _prior_log_odds(pos: Counts, neg: Counts) -> float:
    return float(np.log(pos.sum()) - np.log(neg.sum()))


def _falling(slope: float) -> tuple[Caution, ...]:
    if slope > 0:
        return ()
    how = "is flat" if slope == 0 else "falls as the score rises"
    return (Caution("not-rising", f"the fitted map {how}: these scores rank no better than chance"),)
