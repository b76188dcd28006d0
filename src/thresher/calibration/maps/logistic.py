"""Logistic maps: Platt scaling, beta calibration and temperature, fitted on segments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import Any, Literal, Self, TypeAlias, get_args

import numpy as np

from thresher._internal.arguments import require_one_of
from thresher._internal.json import fields, number, one_of
from thresher.calibration.scores import probabilities_in
from thresher.cautions import Caution
from thresher.errors import ArgumentError, ProbabilityError, ScoreError, argument
from thresher.ranking import Counts, Floats, Ranking

On: TypeAlias = Literal["log_odds", "score"]
Targets: TypeAlias = Literal["platt", "counts"]

TOLERANCE = 1e-10  # of the gradient, in standardised features and relative to the rarer class
MOST_STEPS = 100

_ROUNDING = 1e-14  # a spread this small relative to the values is none
_RESOLVED = 1e-15  # of a gradient, relative to the sum of its terms
_COEFFICIENTS = ("a", "b", "c", "centre", "unit")
_RIDGE = 1e-12  # keeps the system solvable where features are collinear


def logistic_fit(
    features: Sequence[Floats], pos: Counts, neg: Counts, *, intercept: bool, nonnegative: bool
) -> tuple[list[float], float]:
    """Maximise Σ pos·ln p + neg·ln(1 - p), p = 1 / (1 + exp(-Σ wⱼ xⱼ - c)): (slopes, intercept).

    Features are standardised for the fit, so their units do not matter; what is returned belongs to them as given. With
    `nonnegative` every slope is at least 0. The function is convex: Newton steps with backtracking reach the optimum
    (Lin, Lin & Weng 2007), each step solving its quadratic model exactly under the bounds.

    >>> logistic_fit([np.array([1.0, 0.0])], np.array([3, 1]), np.array([1, 3]),
    ...              intercept=True, nonnegative=False)
    ([2.197...], -1.098...)
    """
    cases = np.add(pos, neg, dtype=np.float64)
    total = cases.sum()
    means = [float((cases * x).sum() / total) if intercept else 0.0 for x in features]
    scales = [_spread(x, m, cases / total) for x, m in zip(features, means, strict=True)]
    rows = [(x - m) / s for x, m, s in zip(features, means, scales, strict=True)]
    design = np.stack([*rows, np.ones_like(cases)] if intercept else rows)
    weight = _newton(design, pos / total, neg / total, bounded=len(rows) if nonnegative else 0)
    slopes = [float(w / s) for w, s in zip(weight, scales, strict=False)]
    constant = float(weight[-1]) if intercept else 0.0
    return slopes, constant - sum(w * m for w, m in zip(slopes, means, strict=True))


def _spread(x: Floats, mean: float, share: Floats) -> float:
    """The standard deviation, or infinity for a feature that varies by rounding only: it then has no slope."""
    spread = float(np.sqrt((share * (x - mean) ** 2).sum()))
    return spread if spread > _ROUNDING * np.abs(x).max() else np.inf


def _newton(design: Floats, pos: Floats, neg: Floats, *, bounded: int) -> Floats:
    cases = pos + neg
    tolerance = TOLERANCE * min(pos.sum(), neg.sum())
    weight = np.zeros(len(design))
    value, p = _loss(weight @ design, pos, neg)
    for _ in range(MOST_STEPS):
        expected = cases * p
        gradient = (design * (expected - pos)).sum(axis=1)  # no BLAS: its threads get in the way of others
        at_bound = (np.arange(weight.size) < bounded) & (weight <= 0) & (gradient > 0)
        # Below the rounding of its terms, a sum is 0.
        resolved = np.maximum(tolerance, _RESOLVED * (np.abs(design) * (expected + pos)).sum(axis=1))
        if (at_bound | (np.abs(gradient) <= resolved)).all():
            return weight
        hessian = np.einsum("in,jn->ij", design * (expected * (1 - p)), design)
        step = _bounded_step(weight, gradient, hessian, bounded)
        falls = float(gradient @ step)
        size = 1.0
        new, p = _loss((weight + step) @ design, pos, neg)
        # Close to the optimum the loss itself no longer resolves the step; Newton's is then right.
        while new > value + 1e-4 * size * falls and abs(falls) * size > 1e-12 * value:
            size /= 2
            new, p = _loss((weight + size * step) @ design, pos, neg)
        weight, value = weight + size * step, new
        weight[:bounded] = np.maximum(weight[:bounded], 0.0)
    raise ArgumentError(
        f"the fit did not converge in {MOST_STEPS} steps: the classes are all but separable by score",
        fix=f"pass {argument('targets', 'platt')}, which keeps the slope finite, or {argument('method', 'isotonic')}",
    )


def _loss(z: Floats, pos: Floats, neg: Floats) -> tuple[float, Floats]:
    """The negative log-likelihood and the probabilities, from one exponential that cannot overflow."""
    small = np.exp(-np.abs(z))
    # ln(1 + exp(-z)) = ln(1 + exp(-|z|)) + max(-z, 0), and the same with z turned around.
    value = (pos + neg) * np.log1p(small) - pos * np.minimum(z, 0) + neg * np.maximum(z, 0)
    return float(value.sum()), np.where(z >= 0, 1.0, small) / (1 + small)


def _bounded_step(weight: Floats, gradient: Floats, hessian: Floats, bounded: int) -> Floats:
    """The step to the lowest point of the quadratic model with weight[:bounded] >= 0.

    The lowest point lies inside or on one of the few faces where some of them are 0: try each.
    """
    size = weight.size
    hessian = hessian + _RIDGE * hessian.diagonal().max() * np.eye(size)
    best, lowest = np.zeros(size), 0.0
    for face in chain.from_iterable(combinations(range(bounded), k) for k in range(bounded + 1)):
        fixed = np.isin(np.arange(size), face)
        step = np.where(fixed, -weight, 0.0)
        if not fixed.all():
            free = ~fixed
            right = -(gradient + hessian @ step)[free]
            step[free] = np.linalg.solve(hessian[np.ix_(free, free)], right)
        model = float(gradient @ step + step @ hessian @ step / 2)
        if model < lowest and (weight[:bounded] + step[:bounded] >= 0).all():
            best, lowest = step, model
    return best


@dataclass(frozen=True, slots=True)
class LogisticCurve:
    """p = 1 / (1 + exp(-z)) with z linear in what it is fitted on.

    On log-odds t of scores that are probabilities, z = c - a·ln(1 + e⁻ᵗ) + b·ln(1 + eᵗ), which is
    c + a·ln(s) - b·ln(1 - s): beta calibration. With a = b it is Platt's c + a·t, and with c = 0
    as well it is temperature, T = 1/a. On plain scores, z = c + a·(s - centre) / unit, and b = a.

    `limit` bounds the log-odds on either side; it is infinite unless the training scores held 0 or 1.

    >>> import numpy as np
    >>> identity = LogisticCurve(on="log_odds", a=1, b=1, c=0)
    >>> identity(np.array([0, 0.25, 1]))
    array([0.  , 0.25, 1.  ])
    """

    on: On
    a: float
    b: float
    c: float
    centre: float = 0.0
    unit: float = 1.0
    limit: float = math.inf

    def __call__(self, scores: Floats) -> Floats:
        """The probability of each score."""
        from scipy.special import expit

        if self.on == "score":
            z = self._of_scores(scores)
        else:
            p = probabilities_in(scores)
            z = self._of_log_odds(log_odds(p, limit=self.limit))
        mapped: Floats = expit(z)
        return mapped

    def _of_scores(self, scores: Floats) -> Floats:
        if not self.a:  # 0 times an infinite score would be no number
            return np.full_like(scores, self.c)
        with np.errstate(over="ignore"):
            return self.a * ((scores - self.centre) / self.unit) + self.c

    def _of_log_odds(self, t: Floats) -> Floats:
        z = np.full_like(t, self.c)
        if self.a == self.b:
            return z + self.a * t if self.a else z
        if self.a:
            z -= self.a * np.logaddexp(0, -t)
        if self.b:
            z += self.b * np.logaddexp(0, t)
        return z

    def to_dict(self) -> dict[str, Any]:
        """Plain data; an infinite limit is left out."""
        plain: dict[str, Any] = {"on": self.on} | {name: getattr(self, name) for name in _COEFFICIENTS}
        return plain | ({} if math.isinf(self.limit) else {"limit": self.limit})

    @classmethod
    def from_dict(cls, value: Any) -> Self:
        """Read what `to_dict` wrote; a field that is not so raises `FieldError`."""
        above = number(0, strictly=True)
        coefficients = dict.fromkeys(("a", "b", "c", "centre"), number())
        readers = {"on": one_of(get_args(On)), **coefficients, "unit": above, "limit": above}
        return cls(**fields(value, readers, optional=["limit"]))


def log_odds(p: Floats, *, limit: float = math.inf) -> Floats:
    """ln(p / (1 - p)), clipped to ±limit; without a limit 0 and 1 have infinite log-odds.

    >>> log_odds(np.array([0, 0.5, 1])), log_odds(np.array([0, 0.5, 1]), limit=5)
    (array([-inf,   0.,  inf]), array([-5.,  0.,  5.]))
    """
    with np.errstate(divide="ignore"):
        t = np.log(p) - np.log1p(-p)
    return np.clip(t, -limit, limit)


Fit: TypeAlias = tuple[LogisticCurve, tuple[Caution, ...]]


def platt(ranking: Ranking, *, on: On = "log_odds", targets: Targets = "platt") -> Fit:
    """Platt scaling: a logistic fit of slope and intercept on log-odds, or on plain scores.

    `on` names what it is fitted on. Targets are Platt's (Pos + 1) / (Pos + 2) for positives and 1 / (Neg + 2) for
    negatives, which keep the slope finite on separable data, or the plain counts. (Platt 1999; Lin, Lin & Weng 2007.)

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
            "a sigmoid cannot be fitted to infinite scores",
            f"use {argument('method', 'isotonic')}, which takes any score",
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
        fix = (
            f"for scores that are no probabilities pass {argument('method', 'platt')}, {argument('on', 'score')}, "
            f"or {argument('method', 'isotonic')}"
        )
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
        fix=f"pass {argument('targets', 'platt')}, which keeps the slope finite, or {argument('method', 'isotonic')}",
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
