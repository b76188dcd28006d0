"""Evidence against calibration at every look, and by how much.

    E = Σ_ab w_ab Π (q/s)^positive ((1 - q)/(1 - s))^negative,  q = expit(a logit s + b)

is a martingale where every label is positive with the probability s that was stated, given the past, in whatever order
labels come. Against other values of a and b the same ratio gives their region {(a, b) : Σ w L / L(a, b) < 1/α}, which
is convex, because the likelihood L of a logistic regression is log-concave.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from thresher._internal.arguments import require_level
from thresher._internal.results import Result
from thresher.inference.interval import Interval, undefined
from thresher.ranking import Floats, Ranking, require_ranking

SLOPES = (0.5, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)
INTERCEPTS = (0.0, *(sign * size for size in (0.1, 0.2, 0.4, 0.8, 1.6) for sign in (-1, 1)))
_FARTHEST = 64.0
_HALVINGS, _NEWTON_STEPS = 50, 60
_RESOLVED = 1e-9


@dataclass(frozen=True, slots=True, repr=False)
class CalibrationEvidence(Result):
    """Evidence against calibrated probabilities, with limits of intercept and slope.

    The probabilities are refuted at a level of 95 % where `evidence` reaches 20. `intercept` and `slope` are those of
    the log-odds that would be right; their limits hold together and at every look. `certain_and_wrong` counts cases
    that were given probability 0 or 1 and turned out otherwise: one makes the evidence infinite.
    """

    evidence: float
    refuted: bool
    intercept: Interval
    slope: Interval
    certain_and_wrong: float

    def _brief(self) -> str:
        return f"evidence {self.evidence:.4g}, intercept {self.intercept}, slope {self.slope}"


def calibration_evidence(ranking: Ranking, *, level: float = 0.95) -> CalibrationEvidence:
    """Whether labelled rows refute their probabilities, at every look.

    The scores of the ranking are probabilities. Which rows are labelled may depend on the score: alarms alone will do.

    >>> spam_tree = Ranking.parse("[20+,5-][10+,5-][20+,40-]", score=[0.9, 0.6, 0.3])
    >>> calibration_evidence(spam_tree)
    CalibrationEvidence(evidence 0.4399, intercept -0.0219 [-0.7109, 0.6752], slope 0.7148 [0.1712, 1.3902])
    """
    require_level(level)
    require_ranking(ranking, probabilities=True)
    score = ranking.score
    wrong = float(ranking.neg[score == 1].sum() + ranking.pos[score == 0].sum())
    inside = (score > 0) & (score < 1)
    likelihood = _Likelihood(
        np.log(score[inside]) - np.log1p(-score[inside]), ranking.pos[inside] * 1.0, ranking.neg[inside] * 1.0
    )
    mixture = float(
        np.logaddexp.reduce([likelihood.log(a, b) for a in SLOPES for b in INTERCEPTS])
        - math.log(len(SLOPES) * len(INTERCEPTS))
    )
    log_evidence = math.inf if wrong else mixture - likelihood.log(1.0, 0.0)
    enough = -math.log1p(-level)
    slope, intercept = _region(likelihood, mixture - enough, level)
    evidence = math.exp(min(log_evidence, 700.0)) if log_evidence < math.inf else math.inf
    return CalibrationEvidence(evidence, log_evidence >= enough, intercept, slope, wrong)


@dataclass(frozen=True, slots=True, eq=False)
class _Likelihood:
    """Log-likelihood of labels whose log-odds are a·x + b; concave in (a, b)."""

    x: Floats
    pos: Floats
    neg: Floats

    def log(self, a: float, b: float) -> float:
        z = a * self.x + b
        return -float(self.pos @ np.logaddexp(0, -z) + self.neg @ np.logaddexp(0, z))

    def best(self, a: float | None, b: float | None) -> tuple[float, float]:
        """The likeliest (a, b), one of which may be fixed: Newton with halved steps."""
        from scipy.special import expit

        free = np.array([a is None, b is None])
        at = np.array([1.0 if a is None else a, 0.0 if b is None else b])
        value = self.log(*at)
        for _ in range(_NEWTON_STEPS):
            p = expit(at[0] * self.x + at[1])
            excess, weight = self.pos - (self.pos + self.neg) * p, (self.pos + self.neg) * p * (1 - p)
            slope = np.array([excess @ self.x, excess.sum()])[free]
            cross = weight @ self.x
            curve = np.array([[weight @ self.x**2, cross], [cross, weight.sum()]])[np.ix_(free, free)]
            ridge = 1e-12 * (1 + np.trace(curve)) * np.eye(len(slope))
            step = np.clip(np.linalg.solve(curve + ridge, slope), -8, 8)
            size, gained = 1.0, False
            while size > 1e-6 and not gained:
                trial = at.copy()
                trial[free] = np.clip(at[free] + size * step, -_FARTHEST, _FARTHEST)
                gained = (higher := self.log(*trial)) > value
                size /= 2
            if not gained or higher - value < _RESOLVED:
                break
            at, value = trial, higher
        return float(at[0]), float(at[1])


def _region(likelihood: _Likelihood, least: float, level: float) -> tuple[Interval, Interval]:
    """Slope and intercept with the ends of the region in which log L exceeds `least`."""
    if not likelihood.x.size:
        return (undefined(level, "every probability is 0 or 1"),) * 2
    a, b = likelihood.best(None, None)

    def of_slope(value: float) -> bool:
        return likelihood.log(*likelihood.best(value, None)) > least

    def of_intercept(value: float) -> bool:
        return likelihood.log(*likelihood.best(None, value)) > least

    return _ends(a, of_slope, level), _ends(b, of_intercept, level)


def _ends(centre: float, inside: Callable[[float], bool], level: float) -> Interval:
    limits = []
    for sign in (-1.0, 1.0):
        reach = 0.25
        while reach < _FARTHEST and inside(centre + sign * reach):
            reach *= 2
        if reach >= _FARTHEST:
            limits.append(sign * math.inf)
            continue
        near, far = (reach / 2 if reach > 0.25 else 0.0), reach
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            if far - near < _RESOLVED:
                break
            near, far = (middle, far) if inside(centre + sign * middle) else (near, middle)
        limits.append(centre + sign * far)
    return Interval(centre, limits[0], limits[1], math.nan, level, "anytime")
