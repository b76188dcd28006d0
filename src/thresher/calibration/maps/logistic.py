"""Platt scaling, beta calibration and temperature, fitted on segments."""

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
LogisticMethod: TypeAlias = Literal["platt", "beta", "temperature"]

TOLERANCE = 1e-10  # of the gradient, in standardised features and relative to the rarer class
MOST_STEPS = 100

_ROUNDING = 1e-14  # a spread this small relative to the values is none
_RESOLVED = 1e-15  # of a gradient, relative to the sum of its terms
_COEFFICIENTS = ("a", "b", "c", "centre", "unit")
_RIDGE = 1e-12  # keeps the system solvable where features are collinear
_OTHER_WAYS = f"pass {argument('targets', 'platt')}, which keeps the slope finite, or {argument('method', 'isotonic')}"


def logistic_fit(
    features: Sequence[Floats], pos: Counts, neg: Counts, *, intercept: bool, nonnegative: bool
) -> tuple[list[float], float]:
    """Maximise Σ pos·ln p + neg·ln(1 - p), p = 1 / (1 + exp(-Σ wⱼ xⱼ - c)): (w, c).

    Features are standardised for the fit, so their units do not matter; w and c belong to the original ones. With
    `nonnegative` every slope is at least 0. The function is convex: Newton steps with backtracking reach the optimum
    (Lin, Lin & Weng 2007), each step solving its quadratic model exactly under the bounds.
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
    """The weighted standard deviation.

    It is infinite if x varies by rounding alone, which makes the slope 0.
    """
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
        converged = (at_bound | (np.abs(gradient) <= resolved)).all()
        hessian = np.einsum("in,jn->ij", design * (expected * (1 - p)), design)
        step = _bounded_step(weight, gradient, hessian, bounded)
        if converged:  # one step more gives the digits that the tolerance leaves open
            return np.maximum(weight + step, 0.0) if bounded == weight.size else weight + step
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
        f"the fit did not converge in {MOST_STEPS} steps: the classes are all but separable by score", _OTHER_WAYS
    )


def _loss(z: Floats, pos: Floats, neg: Floats) -> tuple[float, Floats]:
    """The negative log-likelihood and the probabilities, from one safe exponential."""
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

        z = np.full(np.shape(scores), self.c, dtype=np.float64)
        with np.errstate(over="ignore"):
            on_score = self.on == "score"
            x = (scores - self.centre) / self.unit if on_score else log_odds(probabilities_in(scores), limit=self.limit)
            terms = [(self.a, x)]
            if not on_score and self.a != self.b:
                terms = [(-self.a, np.logaddexp(0, -x)), (self.b, np.logaddexp(0, x))]
            for slope, feature in terms:
                if slope:  # 0 times an infinite number would be no number
                    z += slope * feature
        mapped: Floats = expit(z)
        return mapped

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
    """ln(p / (1 - p)), clipped to ±limit; those of 0 and 1 are infinite without one."""
    with np.errstate(divide="ignore"):
        t = np.log(p) - np.log1p(-p)
    return np.clip(t, -limit, limit)


def fit_logistic(
    ranking: Ranking, method: LogisticMethod, *, on: On = "log_odds", targets: Targets | None = None
) -> tuple[LogisticCurve, tuple[Caution, ...]]:
    """Fit a logistic curve on the log-odds of the scores: (curve, cautions).

    "platt" fits slope and intercept, on log-odds or `on` plain scores (Platt 1999; Lin, Lin & Weng 2007). "beta" fits
    ln odds = a·ln(s) - b·ln(1 - s) + c with a, b >= 0: unlike Platt's it contains the identity for probabilities and
    can bend each end on its own (Kull, Silva Filho & Flach 2017). "temperature" divides log-odds by one number T > 0,
    so that one half stays one half; the slope 1/T is 0 when probabilities would have to be turned around (Guo et al.
    2017, for two classes).

    Targets are the plain "counts", or Platt's (Pos + 1) / (Pos + 2) for positives and 1 / (Neg + 2) for negatives,
    which keep the slope finite on separable data; "platt" takes these unless it is asked otherwise.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[4/5, 2/3, 1/3])
    >>> for method in ("platt", "beta", "temperature"):  # the leaves' own proportions need no mapping
    ...     curve, _ = fit_logistic(spam_tree, method, targets="counts")
    ...     print(round(curve.a, 4), round(curve.b, 4), round(abs(curve.c), 4))
    1.0 1.0 0.0
    1.0 1.0 0.0
    1.0 1.0 0.0
    """
    require_one_of(on, get_args(On), name="on")
    pos, neg = _targets(ranking, targets or ("platt" if method == "platt" else "counts"))
    scaling: dict[str, float] = {}
    cautions: tuple[Caution, ...] = ()
    if on == "score":
        x, scaling = _standardise(ranking.score)
    else:
        x, scaling["limit"], cautions = _training_log_odds(ranking)
    if method == "temperature":
        if not x.any():
            return LogisticCurve(on, 1.0, 1.0, 0.0, **scaling), cautions
        separable = not (pos[x < 0].any() or neg[x > 0].any())
    else:
        if x[0] == x[-1]:
            return LogisticCurve(on, 0.0, 0.0, float(np.log(pos.sum()) - np.log(neg.sum())), **scaling), cautions
        with_pos, with_neg = np.flatnonzero(pos), np.flatnonzero(neg)
        separable = with_pos[-1] <= with_neg[0] or (method == "platt" and with_neg[-1] <= with_pos[0])
    if separable:
        what = "the scores separate the classes, so the likelihood has no finite optimum (the slope grows for ever)"
        raise ArgumentError(what, _OTHER_WAYS)
    features = [-np.logaddexp(0, -x), np.logaddexp(0, x)] if method == "beta" else [x]
    slopes, c = logistic_fit(features, pos, neg, intercept=method != "temperature", nonnegative=method != "platt")
    if (slope := sum(slopes)) <= 0:
        how = "is flat" if slope == 0 else "falls as the score rises"
        cautions += (Caution("not-rising", f"the fitted map {how}: these scores rank no better than chance"),)
    return LogisticCurve(on, slopes[0], slopes[-1], c, **scaling), cautions


def _targets(ranking: Ranking, targets: Targets) -> tuple[Counts, Counts]:
    """Counts, or counts with each case shared between the classes by Platt's targets."""
    require_one_of(targets, get_args(Targets), name="targets")
    if targets == "counts":
        return ranking.pos, ranking.neg
    sure_pos, unsure_neg = (ranking.Pos + 1) / (ranking.Pos + 2), 1 / (ranking.Neg + 2)
    pos = ranking.pos * sure_pos + ranking.neg * unsure_neg
    return pos, ranking.pos + ranking.neg - pos


def _standardise(score: Floats) -> tuple[Floats, dict[str, float]]:
    """Scores minus their mid-range, divided by half their range, and both numbers."""
    if not (np.isfinite(score[0]) and np.isfinite(score[-1])):
        fix = f"use {argument('method', 'isotonic')}, which takes any score"
        raise ScoreError("a sigmoid cannot be fitted to infinite scores", fix)
    if score.size == 1:
        return np.zeros(1), {}
    centre = float(score[0] / 2 + score[-1] / 2)
    unit = float(score[0] / 2 - score[-1] / 2) or float(score[0] - score[-1])
    return (score - centre) / unit, {"centre": centre, "unit": unit}


def _training_log_odds(ranking: Ranking) -> tuple[Floats, float, tuple[Caution, ...]]:
    """Log-odds of the scores of a ranking, made finite.

    Those of 0 and 1 are placed one unit beyond the largest finite one.
    """
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
